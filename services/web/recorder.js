// The microphone: on from start() to stop() or discard(), and off at once when the page is hidden,
// a call comes or the device goes.

/** What the service takes, best first: WebM with Opus, or MP4 where the browser is Safari. */
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];
const BITS_PER_SECOND = 48000;

/** How often what was recorded is handed on. */
const PART_MS = 1000;

/** @returns {"" | "insecure" | "missing"} why a page like this cannot record at all; "": it can */
export function whyNoRecorder() {
  if (!isSecureContext) return "insecure";
  return navigator.mediaDevices && "MediaRecorder" in window ? "" : "missing";
}

/** @param {any} error of getUserMedia() */
export function whyNoMicrophone(error) {
  return error?.name === "NotAllowedError" || error?.name === "SecurityError" ? "denied" : "missing";
}

export class Recorder {
  /** @type {MediaStream | null} */
  #stream = null;
  /** @type {MediaRecorder | null} */
  #recorder = null;
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {Blob[]} */
  #pieces = [];
  #startedAt = 0;
  #onInterrupted;
  #onPart;

  /**
   * @param {(reason: "hidden" | "device") => void} onInterrupted the owner stops or discards then
   * @param {(part: Blob, ms: number) => void} onPart each part as it comes, and how long all of them last
   */
  constructor(onInterrupted, onPart) {
    this.#onInterrupted = onInterrupted;
    this.#onPart = onPart;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#interrupt("hidden");
    });
    addEventListener("pagehide", () => this.#interrupt("hidden"));
    navigator.mediaDevices?.addEventListener?.("devicechange", () => this.#checkDevice());
  }

  get isOn() {
    return this.#recorder !== null;
  }

  /** Since start(), in ms. */
  get elapsedMs() {
    return this.isOn ? performance.now() - this.#startedAt : 0;
  }

  /** Asks for the microphone where it was not asked before.  Throws what getUserMedia() does. */
  async start() {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
    });
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));

    this.#stream = stream;
    this.#pieces = [];
    this.#recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND });
    this.#recorder.addEventListener("dataavailable", ({ data }) => {
      this.#pieces.push(data);
      if (data.size > 0) this.#onPart(data, performance.now() - this.#startedAt);
    });
    for (const track of stream.getAudioTracks()) {
      track.addEventListener("ended", () => this.#interrupt("device"));
      track.addEventListener("mute", () => this.#interrupt("device"));
    }
    this.#recorder.start(PART_MS);
    this.#startedAt = performance.now();
    this.#listen(stream);
  }

  /** Turns the microphone off. @returns {Promise<{ recording: Blob, ms: number }>} */
  async stop() {
    const recorder = /** @type {MediaRecorder} */ (this.#recorder);
    const ms = this.elapsedMs;
    const stopped = new Promise((resolve) => recorder.addEventListener("stop", resolve, { once: true }));

    this.#recorder = null;
    if (recorder.state !== "inactive") {
      recorder.stop();
      await stopped;
    }
    const recording = new Blob(this.#pieces, { type: (recorder.mimeType || "audio/webm").split(";")[0] });

    this.#release();
    return { recording, ms };
  }

  discard() {
    if (this.#recorder && this.#recorder.state !== "inactive") this.#recorder.stop();
    this.#recorder = null;
    this.#release();
  }

  /** How loud it is, from 0 to 1. */
  level() {
    return this.#measure();
  }

  #measure = () => 0;

  /** @param {MediaStream} stream */
  #listen(stream) {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    const samples = new Float32Array((analyser.fftSize = 1024));

    context.createMediaStreamSource(stream).connect(analyser);
    context.resume().catch(() => {}); // Safari's begins suspended; the level is no reason to fail
    this.#context = context;
    this.#measure = () => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      const decibels = 10 * Math.log10(power + 1e-10);

      return Math.min(1, Math.max(0, (decibels + 55) / 45)); // quiet room to loud voice
    };
  }

  #release() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#context?.close();
    this.#stream = null;
    this.#context = null;
    this.#pieces = [];
    this.#measure = () => 0;
  }

  /** @param {"hidden" | "device"} reason */
  #interrupt(reason) {
    if (this.isOn) this.#onInterrupted(reason);
  }

  /** Some browsers leave the track alive when its device goes. */
  async #checkDevice() {
    const id = this.#stream?.getAudioTracks()[0]?.getSettings().deviceId;
    const devices = await navigator.mediaDevices.enumerateDevices();

    if (id && !devices.some((device) => device.kind === "audioinput" && device.deviceId === id)) this.#interrupt("device");
  }
}
