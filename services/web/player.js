// The voice of a reply: one at a time.  It is fetched with the session's token, which an audio
// element cannot send, and played from memory.

import { send } from "./wire.js";

/** A WAV of 10 ms: 80 samples of 8 bits, which are silent at 128. */
function silence() {
  const samples = new Uint8Array(80).fill(128);
  const head = new DataView(new ArrayBuffer(44));
  const words = (/** @type {number} */ at, /** @type {string} */ text) => [...text].forEach((letter, i) => head.setUint8(at + i, letter.charCodeAt(0)));

  words(0, "RIFF");
  head.setUint32(4, 36 + samples.length, true);
  words(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true); // PCM
  head.setUint16(22, 1, true); // one channel
  head.setUint32(24, 8000, true);
  head.setUint32(28, 8000, true);
  head.setUint16(32, 1, true);
  head.setUint16(34, 8, true);
  words(36, "data");
  head.setUint32(40, samples.length, true);
  return new Blob([head, samples], { type: "audio/wav" });
}

export class Player {
  #audio = new Audio();
  #url = "";
  #path = "";
  #turn = 0; // counts loads and stops: what was asked for before is no longer wanted
  #onEnd;
  #onChange;

  /**
   * @param {(why: "heard" | "blocked" | "gone") => void} onEnd `blocked`: the browser wants a tap first;
   *   `gone`: it cannot be had or played
   * @param {() => void} onChange paused, or going on
   */
  constructor(onEnd, onChange) {
    this.#onEnd = onEnd;
    this.#onChange = onChange;
    this.#audio.addEventListener("ended", () => {
      if (this.#url) this.#end("heard");
    });
    this.#audio.addEventListener("error", () => {
      if (this.#url) this.#end("gone");
    });
    for (const event of ["pause", "play"]) this.#audio.addEventListener(event, () => this.#onChange());
  }

  /**
   * To be called from a tap or a click: phones let an element play by itself only after it has once
   * played in one.
   */
  unlock() {
    if (this.#url) return;
    const url = URL.createObjectURL(silence());

    this.#audio.src = url;
    this.#audio.play().catch(() => {});
    this.#audio.addEventListener("emptied", () => URL.revokeObjectURL(url), { once: true });
  }

  get isPaused() {
    return this.#audio.paused;
  }

  /**
   * What has come before anybody knows where it could be fetched: play("") plays it.
   * @param {string} type
   * @param {string} base64
   */
  hold(type, base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

    this.stop();
    this.#take(new Blob([bytes], { type }), "");
  }

  /** That is where: it need not be fetched. @param {string} path */
  name(path) {
    if (this.#url && this.#path === "") this.#path = path;
  }

  /**
   * From the beginning.
   * @param {string} path
   * @param {string} token
   */
  async play(path, token) {
    const turn = ++this.#turn;

    try {
      if (path !== this.#path || !this.#url) await this.#load(path, token, turn);
      if (turn !== this.#turn) return;
      this.#audio.currentTime = 0;
      await this.#audio.play();
    } catch (error) {
      const { name } = /** @type {Error} */ (error);

      // A pause before the first sound ends play() with an AbortError.
      if (turn === this.#turn && name !== "AbortError") this.#end(name === "NotAllowedError" ? "blocked" : "gone");
    }
  }

  togglePause() {
    if (this.#audio.paused) this.#audio.play().catch(() => this.#end("blocked"));
    else this.#audio.pause();
  }

  /** Silence, from now on; not reported as an end. */
  stop() {
    this.#turn++;
    this.#audio.pause();
  }

  /** Forgets the voice that is loaded. */
  forget() {
    this.stop();
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = "";
    this.#path = "";
    this.#audio.removeAttribute("src");
  }

  /** @param {"heard" | "blocked" | "gone"} why */
  #end(why) {
    this.#turn++;
    this.#onEnd(why);
  }

  /**
   * @param {string} path
   * @param {string} token
   * @param {number} turn
   */
  async #load(path, token, turn) {
    const response = await send("GET", path, { token });

    if (!response.ok) throw new Error(`status ${response.status}`);
    const voice = await response.blob();

    if (turn === this.#turn) this.#take(voice, path);
  }

  /**
   * @param {Blob} voice
   * @param {string} path
   */
  #take(voice, path) {
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = URL.createObjectURL(voice);
    this.#path = path;
    this.#audio.src = this.#url;
  }
}
