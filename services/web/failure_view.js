// A failure that is no refusal: what failed, and what can be done about it.

import { byId, copy, show } from "./dom.js";
import { errorText, t } from "./text.js";

/** @typedef {import("./types.js").Failure} Failure */

/** The recording is at fault: another one may do. */
const OF_THE_RECORDING = ["invalid_audio", "file_too_large"];

/** The session is over. */
const OF_THE_SESSION = ["invalid_token", "session_id_mismatch", "session_not_found", "session_complete"];

/** In another session the interview can go on. */
const EXPIRED = ["invalid_token", "session_id_mismatch", "session_not_found"];

/**
 * @param {Failure} failure
 * @param {boolean} wasSpoken
 */
function remedies(failure, wasSpoken) {
  const isOver = OF_THE_SESSION.includes(failure.code);
  const isOfRecording = wasSpoken && (failure.stage === "stt" || OF_THE_RECORDING.includes(failure.code));

  const isOfSpeech = failure.code === "usage_cap_reached" && failure.details?.cap === "audio";

  return {
    retry: failure.retryable,
    rerecord: isOfRecording && failure.code !== "stt_not_configured",
    type: isOfRecording || isOfSpeech,
    renew: EXPIRED.includes(failure.code),
    fresh: isOver,
    cancel: !isOver,
  };
}

/** @param {Failure} failure */
function message(failure) {
  const wait = failure.retryAfterS > 0 && failure.retryable ? ` ${t("retry_in", { seconds: failure.retryAfterS })}` : "";

  if (EXPIRED.includes(failure.code)) return t("expired_message");
  return (failure.code === "connection_lost" ? t("connection_message") : errorText(failure)) + wait;
}

/** @type {Failure | null} */
let shown = null;

/**
 * @param {Failure | null} failure
 * @param {{ wasSpoken: boolean, hasAnswers: boolean, isAsking: boolean }} room
 */
export function showFailure(failure, { wasSpoken, hasAnswers, isAsking }) {
  const card = byId("failure");

  show(card, failure !== null);
  if (failure !== shown) byId("failure-copy").textContent = t("copy");
  shown = failure;
  if (!failure) {
    card.removeAttribute("data-stage");
    card.removeAttribute("data-code");
    return;
  }
  const can = remedies(failure, wasSpoken);

  card.dataset.stage = failure.stage;
  card.dataset.code = failure.code;
  byId("failure-title").textContent = t(can.renew ? "expired" : `failed_${failure.stage}`);
  byId("failure-message").textContent = message(failure);
  show(byId("failure-retry"), can.retry);
  show(byId("failure-rerecord"), can.rerecord);
  show(byId("failure-type"), can.type);
  show(byId("failure-renew"), can.renew);
  byId("failure-renew").setAttribute("aria-disabled", String(isAsking));
  byId("failure-renew").textContent = t(isAsking ? "starting" : "renew");
  show(byId("failure-end"), can.fresh && hasAnswers);
  show(byId("failure-new"), can.fresh);
  byId("failure-end").className = can.renew ? "" : "primary";
  byId("failure-new").className = can.renew || hasAnswers ? "text" : "primary";
  show(byId("failure-cancel"), can.cancel);
  for (const id of ["failure-rerecord", "failure-type"]) byId(id).className = can.retry || (id === "failure-type" && can.rerecord) ? "" : "primary";
  byId("failure-cancel").className = can.retry || can.rerecord || can.type ? "text" : "";
  show(byId("failure-request"), failure.requestId !== null);
  byId("failure-request-id").textContent = failure.requestId ?? "";
}

/** @param {import("./interview.js").InterviewRoom} room */
export function startFailureView(room) {
  byId("failure-retry").addEventListener("click", () => room.retry());
  byId("failure-rerecord").addEventListener("click", () => room.giveUp(false));
  byId("failure-type").addEventListener("click", () => room.giveUp(true));
  byId("failure-cancel").addEventListener("click", () => room.giveUp(room.isTyping));
  byId("failure-renew").addEventListener("click", () => room.renew());
  byId("failure-end").addEventListener("click", () => room.end());
  byId("failure-copy").addEventListener("click", async () => {
    await copy(room.failure?.requestId ?? "");
    byId("failure-copy").textContent = t("copied");
  });
}
