// Answering out loud: the microphone is on while the button is held, and what was said goes out when
// it is let go.  A recording that something else ended is kept, for the candidate to decide.

import { Recorder, whyNoMicrophone } from "./recorder.js";

const SHORTEST_MS = 500;

export class Talk {
  /** A recording that was interrupted. @type {{ recording: Blob, ms: number, reason: string } | null} */
  kept = null;
  /** Key of the words below the talk button. */
  hint = "hold_hint";
  limitMs = 120000;

  #machine;
  #owner;
  #isHolding = false;
  #isAsking = false;
  #timer = 0;

  /**
   * @param {import("./machine.js").Machine} machine
   * @param {{ onRecorded: (recording: Blob) => void, onNoMicrophone: (why: string) => void, changed: () => void }} owner
   */
  constructor(machine, owner) {
    this.#machine = machine;
    this.#owner = owner;
    this.recorder = new Recorder((reason) => this.interrupt(reason));
  }

  /** Recording begins when the microphone is there, and only if it is still wanted then. */
  async hold() {
    this.#isHolding = true;
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
    if (this.#isHolding && !document.hidden && this.#machine.can("hold")) {
      this.kept = null;
      this.hint = "hold_hint";
      this.#timer = setTimeout(() => this.release(), this.limitMs);
      this.#machine.send("hold");
    } else {
      this.recorder.discard();
      this.#say("microphone_ready");
    }
  }

  async release() {
    this.#isHolding = false;
    if (!this.#isRecording) return;
    const { recording, ms } = await this.#stop();

    if (ms >= SHORTEST_MS && recording.size > 0) {
      this.#owner.onRecorded(recording);
    } else {
      this.hint = "hold_longer";
      this.#machine.send("discard");
    }
  }

  /** @param {string} reason */
  async interrupt(reason) {
    this.#isHolding = false;
    if (!this.#isRecording) return;
    const { recording, ms } = await this.#stop();

    if (ms >= SHORTEST_MS && recording.size > 0) this.kept = { recording, ms, reason };
    this.#machine.send("discard");
  }

  sendKept() {
    if (this.kept) this.#owner.onRecorded(this.kept.recording);
  }

  discardKept() {
    this.kept = null;
    this.#owner.changed();
  }

  /** Nothing is recorded, and nothing that was. */
  forget() {
    clearTimeout(this.#timer);
    this.recorder.discard();
    this.kept = null;
    this.hint = "hold_hint";
  }

  get #isRecording() {
    return this.#machine.state === "Recording" && this.recorder.isOn;
  }

  #stop() {
    clearTimeout(this.#timer);
    return this.recorder.stop();
  }

  /** @param {string} hint */
  #say(hint) {
    this.hint = hint;
    this.#owner.changed();
  }
}
