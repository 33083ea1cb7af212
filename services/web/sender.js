// The one answer that is on its way, and what is known of it meanwhile: slow, its connection lost,
// cancelled.
//
// Cancelling ends the waiting, not the turn: the service may take the answer all the same.  Such a
// doubtful answer is looked into before the next one is sent.

import { pauseWhileRunning, sendAnswer } from "./turn.js";
import { call } from "./wire.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Interview} Interview */

const SLOW_MS = 3000;

export class Sender {
  isSlow = false;
  isLost = false;

  /** What is known of the reply before all of it is there; set once it is neither refused nor
   * changed any more. @type {{ transcript: string, assistant_text: string } | null} */
  preview = null;

  /** @type {Answer | null} */
  #doubtful = null;
  #cancel = new AbortController();
  #timer = 0;
  #tell;
  #hear;
  #changed;

  /**
   * @param {(event: string) => void} tell events of the state machine: stages, and `lost`
   * @param {(sound: { content_type: string, audio_base64: string }) => void} hear the sound of the preview's
   *   question
   * @param {() => void} changed
   */
  constructor(tell, hear, changed) {
    this.#tell = tell;
    this.#hear = hear;
    this.#changed = changed;
  }

  /**
   * @param {Answer} answer
   * @param {Interview} interview
   * @returns {Promise<{ result: import("./types.js").Result, isEarlier: boolean } | null>} null: cancelled;
   *   `isEarlier`: it is the outcome of the doubtful answer, and this one was not sent
   */
  async send(answer, interview) {
    const cancel = new AbortController();

    this.#cancel = cancel;
    this.isLost = false;
    this.isSlow = false;
    this.preview = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isSlow = true;
      this.#changed();
    }, SLOW_MS);
    try {
      const outcome = await this.#outcome(answer, interview, cancel.signal);

      this.preview = null;
      return cancel.signal.aborted ? null : outcome;
    } catch (error) {
      if (cancel.signal.aborted) return null;
      throw error;
    } finally {
      if (this.#cancel === cancel) clearTimeout(this.#timer);
    }
  }

  cancel() {
    this.preview = null;
    this.#cancel.abort();
  }

  /** Nobody knows whether it was taken. @param {Answer} answer */
  doubt(answer) {
    this.#doubtful = answer;
  }

  forget() {
    this.#doubtful = null;
  }

  /**
   * @param {Answer} answer
   * @param {Interview} interview
   * @param {AbortSignal} signal
   */
  async #outcome(answer, { id, token, turnCount }, signal) {
    const watcher = this.#watcher(signal);

    while (this.#doubtful) {
      const session = await call("GET", `/session/${id}`, { token, signal });

      // It was taken: its reply comes first, for this answer is to a question that is past.
      if (session.data?.turn_count > turnCount) return { result: await this.#replay(token, watcher), isEarlier: true };
      const result = await sendAnswer(answer, token, { ...watcher, waits: false });

      if (result.failure?.code !== "turn_in_progress") {
        if (result.data) this.forget();
        return { result, isEarlier: false };
      }
      await pauseWhileRunning(signal);
    }
    return { result: await sendAnswer(answer, token, watcher), isEarlier: false };
  }

  /**
   * @param {string} token
   * @param {Parameters<typeof sendAnswer>[2]} watcher
   */
  async #replay(token, watcher) {
    const result = await sendAnswer(/** @type {Answer} */ (this.#doubtful), token, watcher);

    if (result.data) this.forget();
    return result;
  }

  /** @param {AbortSignal} signal */
  #watcher(signal) {
    let transcript = ""; // not shown before the model's verdict: what is refused is shown nowhere

    return {
      signal,
      onEvent: (/** @type {string} */ event, /** @type {any} */ data) => {
        this.isLost = false;
        if (event === "transcript") transcript = data.transcript;
        if (event === "assistant_text") this.preview = { transcript, assistant_text: data.assistant_text };
        if (event === "audio") this.#hear(data);
        if (event === "stage") this.#tell(data.stage);
        else this.#changed();
      },
      onLost: () => {
        this.isLost = true;
        this.preview = null;
        this.#tell("lost");
      },
    };
  }
}
