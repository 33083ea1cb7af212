// One answer, sent until there is an outcome.  Every try has a request id of its own and the same
// Idempotency-Key: an answer that did arrive is not taken twice, its outcome is given again.

import { readEvents } from "./events.js";
import { connectionLost, readEnvelope, send, uuid } from "./wire.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Result} Result */

/** Waits between tries after a lost connection, in ms; then the candidate is asked. */
const PAUSES = [500, 2000, 5000];

/** How often, and how long apart, a try asks again while the first is still running. */
const ASKS_WHILE_RUNNING = 40;
const ASK_PAUSE_MS = 1500;

/** The service sends at least a comment every 15 s. */
const SILENCE_MS = 45000;

/** @param {string} type */
function extension(type) {
  if (type.includes("mp4")) return "m4a";
  return type.includes("ogg") ? "ogg" : "webm";
}

/** @param {Answer} answer */
function form(answer) {
  const body = new FormData();

  body.append("session_id", answer.sessionId);
  if (answer.isAgain) body.append("attempt", "again");
  if (answer.text !== null) body.append("transcript", answer.text);
  if (answer.recording) body.append("audio", answer.recording, `answer.${extension(answer.recording.type)}`);
  return body;
}

/** @param {AbortSignal} signal */
export function pauseWhileRunning(signal) {
  return pause(ASK_PAUSE_MS, signal);
}

/**
 * Ends early where somebody cancels, or where the network is back.
 * @param {number} ms
 * @param {AbortSignal} signal
 */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve(undefined);
    };
    const timer = setTimeout(end, ms);

    addEventListener("online", end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/**
 * Reads on to the end, after the result too: a response that is left in the middle keeps its connection.
 * @param {Response} response
 * @param {AbortController} silence aborts the request when nothing comes any more
 * @param {(event: string, data: any) => void} onEvent `stage`, `transcript`, `assistant_text`, `audio`
 * @returns {Promise<Result>}
 */
async function readStream(response, silence, onEvent) {
  /** @type {Result | null} */
  let result = null;
  let timer = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };

  wait();
  try {
    for await (const { event, data } of readEvents(/** @type {ReadableStream} */ (response.body), wait)) {
      if (event === "result") result = readEnvelope(data, response.headers);
      else onEvent(event, data);
    }
  } catch (error) {
    if (!result) throw error;
  } finally {
    clearTimeout(timer);
  }
  return result ?? connectionLost(response.headers.get("X-Request-ID"));
}

/**
 * @param {Answer} answer
 * @param {string} token
 * @param {AbortSignal} signal
 * @param {(event: string, data: any) => void} onEvent `stage`, `transcript`, `assistant_text`, `audio`
 * @returns {Promise<Result>}
 */
async function tryOnce(answer, token, signal, onEvent) {
  const requestId = uuid();
  const silence = new AbortController();
  const forward = () => silence.abort();

  signal.addEventListener("abort", forward);
  try {
    const response = await send("POST", "/turn", {
      token,
      requestId,
      key: answer.key,
      accept: "text/event-stream",
      body: form(answer),
      signal: silence.signal,
    });
    const isStream = (response.headers.get("Content-Type") || "").startsWith("text/event-stream");

    if (isStream) return await readStream(response, silence, onEvent);
    return readEnvelope(await response.json().catch(() => null), response.headers);
  } catch {
    signal.throwIfAborted();
    return connectionLost(requestId);
  } finally {
    signal.removeEventListener("abort", forward);
  }
}

/**
 * The outcome; throws only where `signal` cancels it.
 * @param {Answer} answer
 * @param {string} token
 * @param {{ signal: AbortSignal, onEvent: (event: string, data: any) => void, onLost: () => void, waits?: boolean }} watcher
 *   `waits` false: that another turn is running is an outcome, too
 * @returns {Promise<Result>}
 */
export async function sendAnswer(answer, token, { signal, onEvent, onLost, waits = true }) {
  let losses = 0;
  let asks = 0;

  for (;;) {
    const result = await tryOnce(answer, token, signal, onEvent);
    const code = result.failure?.code;

    if (code === "connection_lost" && losses < PAUSES.length) {
      onLost();
      await pause(PAUSES[losses++], signal);
    } else if (code === "turn_in_progress" && waits && asks < ASKS_WHILE_RUNNING) {
      asks++;
      await pause(ASK_PAUSE_MS, signal);
    } else {
      return result;
    }
  }
}
