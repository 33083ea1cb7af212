// The voice of a reply: one at a time.  It is fetched with the session's token, which an audio
// element cannot send, and played from memory.

import { send } from "./wire.js";

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
    this.#audio.addEventListener("ended", () => this.#end("heard"));
    this.#audio.addEventListener("error", () => {
      if (this.#url) this.#end("gone");
    });
    for (const event of ["pause", "play"]) this.#audio.addEventListener(event, () => this.#onChange());
  }

  get isPaused() {
    return this.#audio.paused;
  }

  /**
   * From the beginning.
   * @param {string} path
   * @param {string} token
   */
  async play(path, token) {
    const turn = ++this.#turn;

    try {
      if (path !== this.#path) await this.#load(path, token, turn);
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

    if (turn !== this.#turn) return;
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = URL.createObjectURL(voice);
    this.#path = path;
    this.#audio.src = this.#url;
  }
}
