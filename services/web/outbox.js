// The answer that has no outcome yet, kept across a reload: a recording is not lost when a phone
// closes the page.

import { sweep, within } from "./database.js";

/** Of a page that was closed for good in the middle of a turn. */
const FORGET_MS = 24 * 60 * 60 * 1000;

/** @param {import("./types.js").Answer} answer */
export function keepAnswer(answer) {
  return within("outbox", "readwrite", (store) => store.put({ answer, at: Date.now() }, answer.sessionId));
}

/**
 * @param {string} sessionId
 * @returns {Promise<import("./types.js").Answer | null>}
 */
export async function keptAnswer(sessionId) {
  return (await within("outbox", "readonly", (store) => store.get(sessionId)))?.answer ?? null;
}

/** @param {string} sessionId */
export function dropAnswer(sessionId) {
  return within("outbox", "readwrite", (store) => store.delete(sessionId));
}

export function dropOldAnswers() {
  const isOld = (/** @type {{ at: number }} */ { at }) => Date.now() - at > FORGET_MS;

  sweep("parts", isOld);
  return sweep("outbox", isOld);
}
