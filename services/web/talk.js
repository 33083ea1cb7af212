// Answering out loud: the microphone is on while the button is held, or from one tap to the next, and then
// what was said goes out.  A recording that something else ended is kept, for the candidate to decide; so is
// every one where the candidate wants to hear it first.

import { Recorder, whyNoMicrophone } from "./recorder.js";

/** @typedef {import("./types.js").Taken} Taken */

const SHORTEST_MS = 500;

export class Talk {
  /** Recordings that became no answer, the newest last. @type {Taken[]} */
  #kept = [];
  /** Key of the words below the talk button. */
  hint = "hold_hint";
  limitMs = 120000;
  /** It goes on without being held. */
  isLatched = false;
  /** Letting go now would send nothing. */
  isAway = false;

  #machine;
  #owner;
  #isWanted = false;
  #isAsking = false;
  #timer = 0;
  /** Where what is recorded now is kept meanwhile. @type {import("./parts.js").Parts | null} */
  #parts = null;

  /**
   * @param {import("./machine.js").Machine} machine
   * @param {{ onRecorded: (taken: Taken) => void, onDiscarded: (taken: Taken) => void, newParts: () => import("./parts.js").Parts,
   *   isListeningFirst: () => boolean, onNoMicrophone: (why: string) => void, changed: () => void }} owner
   */
  constructor(machine, owner) {
    this.#machine = machine;
    this.#owner = owner;
    this.recorder = new Recorder(
      (reason) => this.interrupt(reason),
      (part, ms) => this.#parts?.add(part, ms),
    );
  }

  /** What is offered: the newest. */
  get kept() {
    return this.#kept.at(-1) ?? null;
  }

  /** @param {Taken[]} taken */
  keep(taken) {
    const ids = taken.map(({ id }) => id);

    this.#kept = [...this.#kept.filter(({ id }) => !ids.includes(id)), ...taken];
  }

  /** Recording begins when the microphone is there, and only if it is still wanted then. */
  async hold() {
    this.#isWanted = true;
    this.isLatched = false;
    this.isAway = false;
    if (this.#isAsking || this.recorder.isOn || !this.#machine.can("hold")) return;
    this.#isAsking = true;
    this.#say("microphone_wait");
    try {
      await this.recorder.start();
    } catch (error) {
      this.recorder.discard();
      this.#say("hold_hint");
      this.#owner.onNoMicrophone(whyNoMicrophone(error));
      return;
    } finally {
      this.#isAsking = false;
    }
    if (this.#isWanted && !document.hidden && this.#machine.can("hold")) {
      this.hint = "hold_hint";
      this.#parts = this.#owner.newParts();
      this.#timer = setTimeout(() => this.release(), this.limitMs);
      this.#machine.send("hold");
    } else {
      this.recorder.discard();
      this.#say("microphone_ready");
    }
  }

  /** It was tapped: it goes on until the next tap. */
  latch() {
    if (!this.#isWanted) return;
    this.isLatched = true;
    this.#owner.changed();
  }

  /** @param {boolean} isAway */
  aim(isAway) {
    this.isAway = isAway;
    this.#owner.changed();
  }

  async release() {
    this.#isWanted = false;
    if (!this.#isRecording) return;
    const taken = await this.#stop("listen");

    if (taken && this.#owner.isListeningFirst()) {
      this.keep([taken]);
      this.#machine.send("discard");
    } else if (taken) {
      this.#owner.onRecorded(taken);
    } else {
      this.hint = "hold_longer";
      this.#machine.send("discard");
    }
  }

  /** @param {string} reason */
  async interrupt(reason) {
    this.#isWanted = false;
    if (!this.#isRecording) return;
    const taken = await this.#stop(reason);

    if (taken) this.keep([taken]);
    this.#machine.send("discard");
  }

  sendKept() {
    if (this.kept) this.#owner.onRecorded(this.kept);
  }

  discardKept() {
    const taken = this.#kept.pop();

    if (taken) this.#owner.onDiscarded(taken);
    this.#owner.changed();
  }

  /** The question is answered, or left. */
  dropKept() {
    this.#kept = [];
  }

  /** The microphone is off; what was kept before stays. */
  forget() {
    clearTimeout(this.#timer);
    this.recorder.discard();
    this.#parts?.end();
    this.#parts = null;
    this.hint = "hold_hint";
  }

  get #isRecording() {
    return this.#machine.state === "Recording" && this.recorder.isOn;
  }

  /**
   * @param {string} reason
   * @returns {Promise<Taken | null>} null: it is too short to be anything
   */
  async #stop(reason) {
    const parts = /** @type {import("./parts.js").Parts} */ (this.#parts);

    clearTimeout(this.#timer);
    const { recording, ms } = await this.recorder.stop();
    const taken = { id: parts.id, recording, ms, reason };

    parts.end();
    this.#parts = null;
    if (ms >= SHORTEST_MS && recording.size > 0) return taken;
    this.#owner.onDiscarded(taken);
    return null;
  }

  /** @param {string} hint */
  #say(hint) {
    this.hint = hint;
    this.#owner.changed();
  }
}
