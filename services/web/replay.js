// A recording of the candidate's, to be heard again: its loudness as a picture, what was noticed in it as
// marks, and a slider.  It is decoded and played from memory, and goes nowhere.

import { fill, make, show } from "./dom.js";
import { clock } from "./level_meter.js";
import { t } from "./text.js";

const BARS = 120;

/** Quieter than this, in parts of the loudest, is a pause where it lasts. */
const QUIET = 0.12;
const PAUSE_S = 1;
const WINDOW_S = 0.05;

/** @typedef {{ at: number, until: number, kind: "filler" | "pause", text: string }} Mark in seconds */

/** How loud each piece of it is, from 0 to 1. @param {AudioBuffer} sound @param {number} pieces */
function loudness(sound, pieces) {
  const samples = sound.getChannelData(0);
  const size = Math.max(1, Math.floor(samples.length / pieces));
  const powers = Array.from({ length: pieces }, (_, at) => {
    let sum = 0;

    for (let i = at * size; i < (at + 1) * size && i < samples.length; i++) sum += samples[i] * samples[i];
    return Math.sqrt(sum / size);
  });
  const most = Math.max(...powers, 1e-6);

  return powers.map((power) => power / most);
}

/** Between the first word and the last one. @param {AudioBuffer} sound @returns {Mark[]} */
function pausesOf(sound) {
  const levels = loudness(sound, Math.max(1, Math.round(sound.duration / WINDOW_S)));
  const step = sound.duration / levels.length;
  const loud = levels.map((level, at) => (level > QUIET ? at : -1)).filter((at) => at >= 0);

  return loud
    .slice(1)
    .map((at, i) => ({ from: loud[i] + 1, to: at }))
    .filter(({ from, to }) => (to - from) * step >= PAUSE_S)
    .map(({ from, to }) => ({ at: from * step, until: to * step, kind: "pause", text: t("mark_pause", { seconds: Math.round((to - from) * step * 10) / 10 }) }));
}

/**
 * What was noticed in it: by the service, where it knows when each word was said, else the pauses that are in the sound.
 * @param {AudioBuffer} sound
 * @param {any} delivery of `data` of POST /turn
 * @returns {Mark[]}
 */
export function marksOf(sound, delivery) {
  if (!delivery?.marks) return pausesOf(sound);
  return delivery.marks.map((/** @type {any} */ { filler, start_ms, end_ms }) => ({
    at: start_ms / 1000,
    until: end_ms / 1000,
    kind: filler ? "filler" : "pause",
    text: filler ? `“${filler}”` : t("mark_pause", { seconds: Math.round((end_ms - start_ms) / 100) / 10 }),
  }));
}

export class Replay {
  #root;
  #onPlay;
  #play = make("button", { type: "button", class: "replay-play", onclick: () => this.#toggle() });
  #canvas = make("canvas", { width: "720", height: "96", "aria-hidden": "true" });
  #slider = make("input", { type: "range", min: "0", step: "0.1", value: "0", oninput: () => this.#seek(Number(this.#slider.value)) });
  #time = make("time");
  #list = make("ul", { class: "marks" });
  /** @type {Blob | null} */
  #recording = null;
  /** @type {AudioBuffer | null} */
  #sound = null;
  /** @type {Mark[]} */
  #marks = [];
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {AudioBufferSourceNode | null} */
  #source = null;
  #startedAt = 0;
  #from = 0;
  #frame = 0;

  /**
   * @param {HTMLElement} root
   * @param {() => void} [onPlay] whatever else sounds is to stop
   */
  constructor(root, onPlay = () => {}) {
    this.#root = root;
    this.#onPlay = onPlay;
    fill(root, make("div", { class: "replay-bar" }, this.#play, make("div", { class: "wave" }, this.#canvas, this.#slider), this.#time), this.#list);
  }

  /**
   * @param {Blob | null} recording
   * @param {(sound: AudioBuffer) => Mark[]} [marks]
   */
  async show(recording, marks = () => []) {
    if (recording === this.#recording) return this.#label();
    this.stop();
    this.#recording = recording;
    this.#sound = null;
    show(this.#root, false);
    if (!recording) return;
    const sound = await this.#decode(recording);

    if (recording !== this.#recording || !sound) return; // another one meanwhile, or none that can be read
    this.#sound = sound;
    this.#marks = marks(sound).sort((one, other) => one.at - other.at);
    this.#slider.max = String(sound.duration);
    this.#from = 0;
    fill(this.#list, ...this.#marks.map((mark) => this.#item(mark)));
    show(this.#list, this.#marks.length > 0);
    show(this.#root, true);
    this.#label();
    this.#draw();
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    if (!this.#source) return;
    this.#from = this.#position;
    this.#source.onended = null;
    this.#source.stop();
    this.#source = null;
    this.#context?.close();
    this.#context = null;
    this.#label();
  }

  /** @param {Blob} recording */
  async #decode(recording) {
    try {
      return await new OfflineAudioContext(1, 1, 16000).decodeAudioData(await recording.arrayBuffer());
    } catch {
      return null;
    }
  }

  /** @param {Mark} mark */
  #item({ at, kind, text }) {
    return make("li", { "data-mark": kind }, make("button", { type: "button", class: "text small", onclick: () => this.#start(Math.max(0, at - 0.5)) }, `${clock(at * 1000)} ${text}`));
  }

  #label() {
    this.#play.textContent = t(this.#source ? "pause" : "listen");
    this.#slider.setAttribute("aria-label", t("position"));
    this.#slider.setAttribute("aria-valuetext", clock(this.#position * 1000));
  }

  /** In seconds. */
  get #position() {
    if (!this.#source || !this.#context) return this.#from;
    return Math.min(this.#from + this.#context.currentTime - this.#startedAt, this.#sound?.duration ?? 0);
  }

  #toggle() {
    if (this.#source) this.stop();
    else this.#start(this.#from >= (this.#sound?.duration ?? 0) - 0.1 ? 0 : this.#from);
    this.#draw();
  }

  /** @param {number} at */
  #seek(at) {
    if (this.#source) this.#start(at);
    else {
      this.#from = at;
      this.#draw();
    }
  }

  /** @param {number} at seconds */
  #start(at) {
    this.stop();
    const context = new AudioContext();
    const source = context.createBufferSource();

    this.#onPlay();
    source.buffer = this.#sound;
    source.connect(context.destination);
    source.onended = () => {
      this.stop();
      this.#draw();
    };
    this.#from = at;
    this.#context = context;
    this.#source = source;
    this.#startedAt = context.currentTime;
    source.start(0, at);
    this.#label();
    this.#draw();
  }

  #draw() {
    const context = this.#canvas.getContext("2d");
    const sound = this.#sound;

    cancelAnimationFrame(this.#frame);
    if (!context || !sound) return;
    const { width, height } = this.#canvas;
    const style = getComputedStyle(this.#root);
    const scale = width / sound.duration;
    const position = this.#position;

    context.clearRect(0, 0, width, height);
    for (const { at, until, kind } of this.#marks) {
      context.fillStyle = style.getPropertyValue(kind === "pause" ? "--line" : "--warm");
      context.fillRect(at * scale, kind === "pause" ? 0 : height - 14, Math.max(6, (until - at) * scale), kind === "pause" ? height : 14);
    }
    loudness(sound, BARS).forEach((level, at) => {
      const x = (at * width) / BARS;
      const size = Math.max(3, level * (height - 24));

      context.fillStyle = style.getPropertyValue(x / scale < position ? "--accent" : "--edge");
      context.fillRect(x + 1, (height - 14 - size) / 2, width / BARS - 2, size);
    });
    this.#slider.value = String(position);
    this.#slider.setAttribute("aria-valuetext", clock(position * 1000));
    this.#time.textContent = `${clock(position * 1000)} / ${clock(sound.duration * 1000)}`;
    if (this.#source) this.#frame = requestAnimationFrame(() => this.#draw());
  }
}
