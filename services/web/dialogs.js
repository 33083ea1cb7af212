// What asks before it goes on: the refusal, and yes or no.

import { byId } from "./dom.js";
import { t } from "./text.js";

/**
 * Asks once.  Escape is no.
 * @param {string} question
 * @param {string} yes
 * @param {string} no
 * @returns {Promise<boolean>}
 */
export function confirm(question, yes, no) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("confirm"));

  byId("confirm-text").textContent = question;
  byId("confirm-yes").textContent = yes;
  byId("confirm-no").textContent = no;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** @param {boolean} hasAnswers @param {boolean} hasUnsent */
export function confirmEnd(hasAnswers, hasUnsent) {
  const question = t(hasAnswers ? "end_question" : "end_question_empty") + (hasUnsent ? ` ${t("end_unsent")}` : "");

  return confirm(question, t(hasAnswers ? "end_summary" : "end_yes"), t("end_no"));
}

/**
 * A refusal is a sheet over the question, which is still open.  Its words are ours and always the
 * same, whatever the service said, and nothing of what the candidate said is anywhere on the page.
 * @param {{ tryAgain: () => void, end: () => void }} doings
 */
export function startDialogs({ tryAgain, end }) {
  const sheet = /** @type {HTMLDialogElement} */ (byId("refusal"));
  const question = /** @type {HTMLDialogElement} */ (byId("confirm"));

  for (const answer of ["yes", "no"]) byId(`confirm-${answer}`).addEventListener("click", () => question.close(answer));
  byId("refusal-try-again").addEventListener("click", tryAgain);
  sheet.addEventListener("cancel", (event) => {
    event.preventDefault();
    tryAgain();
  });
  byId("refusal-end").addEventListener("click", end);
}

/**
 * @param {boolean} isRefused
 * @param {string} requestId
 */
export function showRefusal(isRefused, requestId) {
  const sheet = /** @type {HTMLDialogElement} */ (byId("refusal"));

  byId("refusal-id").textContent = isRefused ? `${t("request_id")} ${requestId}` : "";
  byId("refusal-text").textContent = isRefused ? t("refusal") : "";
  if (isRefused && !sheet.open) sheet.showModal();
  else if (!isRefused && sheet.open) sheet.close();
}
