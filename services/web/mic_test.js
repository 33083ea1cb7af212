// The microphone is tried before it counts: a few seconds of it, how loud it is, and what it heard, to be
// listened to.  Nothing of it is sent or kept.

import { announce, byId, show } from "./dom.js";
import { Recorder, whyNoMicrophone, whyNoRecorder } from "./recorder.js";
import { Replay } from "./replay.js";
import { t } from "./text.js";

const TEST_MS = 4000;

/** As Recorder.level() has it: less than this is nobody speaking. */
const HEARD = 0.25;

export class MicTest {
  #recorder = new Recorder(
    () => this.#end(),
    () => {},
  );
  #replay = new Replay(byId("mic-test-replay"));
  #said = "";
  #most = 0;
  #timer = 0;
  #frame = 0;

  constructor() {
    byId("mic-test-start").addEventListener("click", () => (this.#recorder.isOn ? this.#end() : this.#begin()));
  }

  /** @param {boolean} canHear */
  render(canHear) {
    show(byId("mic-test"), canHear && whyNoRecorder() === "");
    byId("mic-test-start").textContent = t(this.#recorder.isOn ? "stop" : "mic_test_start");
    byId("mic-test-said").textContent = this.#said && t(this.#said);
  }

  /** The set-up is left. */
  leave() {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#recorder.discard();
    this.#replay.show(null);
    show(byId("mic-test-level"), false);
    this.#tell("");
  }

  /** @param {string} key */
  #tell(key) {
    this.#said = key;
    this.render(!byId("mic-test").hidden);
    if (key) announce(t(key));
  }

  async #begin() {
    this.#replay.show(null);
    this.#most = 0;
    try {
      await this.#recorder.start();
    } catch (error) {
      this.#recorder.discard();
      this.#tell(`microphone_${whyNoMicrophone(error)}`);
      return;
    }
    show(byId("mic-test-level"), true);
    this.#timer = setTimeout(() => this.#end(), TEST_MS);
    this.#tell("mic_test_speak");
    this.#measure();
  }

  #measure() {
    const level = this.#recorder.level();

    this.#most = Math.max(this.#most, level);
    byId("mic-test-level").value = level;
    this.#frame = requestAnimationFrame(() => this.#measure());
  }

  async #end() {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    if (!this.#recorder.isOn) return;
    const { recording } = await this.#recorder.stop();

    show(byId("mic-test-level"), false);
    this.#tell(this.#most >= HEARD ? "mic_test_good" : "mic_test_quiet");
    this.#replay.show(recording);
  }
}
