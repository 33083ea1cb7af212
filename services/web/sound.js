// How questions are heard, as this browser remembers it: in a conversation the next one is spoken at once,
// step by step it is spoken when it is asked for; and nothing sounds by itself while it is muted.

const KEY = "poise.sound";

/** @typedef {"conversation" | "steps"} Way */

export class Sound {
  isMuted = false;
  /** Every recording is heard before it is sent. */
  isListeningFirst = false;
  /** What was chosen; null: spoken answers are a conversation, typed ones go step by step.  @type {Way | null} */
  #way = null;

  constructor() {
    try {
      const { isMuted, isListeningFirst, way } = JSON.parse(localStorage.getItem(KEY) || "{}");

      this.isMuted = isMuted === true;
      this.isListeningFirst = isListeningFirst === true;
      this.#way = way === "conversation" || way === "steps" ? way : null;
    } catch {
      // Storage is off: it is chosen anew.
    }
  }

  /** @param {boolean} isTyping */
  way(isTyping) {
    return this.#way ?? (isTyping ? "steps" : "conversation");
  }

  /** @param {Way} way */
  choose(way) {
    this.#way = way;
    this.#keep();
  }

  /** @param {boolean} isMuted */
  mute(isMuted) {
    this.isMuted = isMuted;
    this.#keep();
  }

  /** @param {boolean} isListeningFirst */
  listenFirst(isListeningFirst) {
    this.isListeningFirst = isListeningFirst;
    this.#keep();
  }

  #keep() {
    try {
      localStorage.setItem(KEY, JSON.stringify({ isMuted: this.isMuted, isListeningFirst: this.isListeningFirst, way: this.#way }));
    } catch {
      // It holds until the page is left.
    }
  }
}
