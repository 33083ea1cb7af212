// While the microphone is on: how loud it is, as a ring around the talk button, and for how long.

import { announce, byId } from "./dom.js";
import { t } from "./text.js";

const RING = 0.36; // of the canvas: the button's own radius
const MOST = 0.13; // so much the ring grows

/** So many seconds before the end it is said how many are left. */
const TOLD = [30, 10];

/** @param {number} ms */
export function clock(ms) {
  const seconds = Math.floor(ms / 1000);

  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export class LevelMeter {
  #recorder;
  #limitMs;
  #frame = 0;
  #level = 0;
  #left = 0;

  /**
   * @param {import("./recorder.js").Recorder} recorder
   * @param {() => number} limitMs
   */
  constructor(recorder, limitMs) {
    this.#recorder = recorder;
    this.#limitMs = limitMs;
  }

  /** @param {boolean} isOn */
  run(isOn) {
    if (isOn && !this.#frame) this.#draw();
    else if (!isOn && this.#frame) this.#stop();
  }

  #stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#level = 0;
    this.#ring(0);
    byId("elapsed").textContent = clock(0);
    byId("elapsed-limit").textContent = t("elapsed_limit", { time: clock(this.#limitMs()) });
    byId("elapsed-limit").classList.remove("soon");
  }

  #draw() {
    const level = this.#recorder.level();
    const elapsed = this.#recorder.elapsedMs;

    this.#level = Math.max(level, this.#level * 0.9); // up at once, down slowly
    this.#ring(this.#level);
    byId("elapsed").textContent = clock(elapsed);
    this.#countDown(Math.ceil((this.#limitMs() - elapsed) / 1000));
    byId("level").dataset.level = String(Math.round(this.#level * 100));
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  /** @param {number} left seconds */
  #countDown(left) {
    if (left === this.#left) return;
    this.#left = left;
    byId("elapsed-limit").textContent = t("time_left", { time: clock(left * 1000) });
    byId("elapsed-limit").classList.toggle("soon", left <= TOLD[0]);
    if (TOLD.includes(left)) announce(t("time_left", { time: clock(left * 1000) }));
  }

  /** @param {number} level */
  #ring(level) {
    const canvas = /** @type {HTMLCanvasElement} */ (byId("level"));
    const context = canvas.getContext("2d");
    const size = canvas.width;

    if (!context) return;
    context.clearRect(0, 0, size, size);
    if (level <= 0) return;
    context.beginPath();
    context.arc(size / 2, size / 2, size * (RING + MOST * level), 0, 2 * Math.PI);
    context.fillStyle = getComputedStyle(canvas).color;
    context.fill();
  }
}
