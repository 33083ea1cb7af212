// The candidate's own voice, to be heard again: on this device only, the newest few of it.

import { under, within } from "./database.js";

const MOST = 20;

/**
 * @param {string} sessionId
 * @param {any} data `data` of POST /turn
 */
function keyOf(sessionId, { question_number, attempt = 1 }) {
  return [sessionId, question_number, attempt];
}

/**
 * @param {string} sessionId
 * @param {any} data `data` of POST /turn
 * @param {Blob} recording what it is the reply to
 */
export async function keepRecording(sessionId, data, recording) {
  await within("recordings", "readwrite", (store) => store.put({ recording, at: Date.now() }, keyOf(sessionId, data)));
  const keys = (await within("recordings", "readonly", (store) => store.getAllKeys())) ?? [];

  if (keys.length <= MOST) return;
  const all = (await within("recordings", "readonly", (store) => store.getAll())) ?? [];
  const times = all.map((/** @type {{ at: number }} */ { at }) => at).sort((/** @type {number} */ one, /** @type {number} */ other) => other - one);

  for (const [at, key] of keys.entries()) if (all[at]?.at < times[MOST - 1]) await within("recordings", "readwrite", (store) => store.delete(key));
}

/**
 * @param {string} sessionId
 * @param {any} data `data` of POST /turn
 * @returns {Promise<Blob | null>}
 */
export async function keptRecording(sessionId, data) {
  return (await within("recordings", "readonly", (store) => store.get(keyOf(sessionId, data))))?.recording ?? null;
}

/** @param {string} sessionId */
export function dropOwnRecordings(sessionId) {
  return within("recordings", "readwrite", (store) => store.delete(under([sessionId])));
}
