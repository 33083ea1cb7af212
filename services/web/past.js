// The interviews that are over, whole, on this device only.

import { within } from "./database.js";
import { dropOwnRecordings } from "./recordings.js";

/** @typedef {import("./types.js").Interview} Interview */

const MAX_PAST = 100;

/** @returns {Promise<Interview[]>} the oldest first */
export async function pastInterviews() {
  const all = (await within("interviews", "readonly", (store) => store.getAll())) ?? [];

  return all.sort((/** @type {Interview} */ one, /** @type {Interview} */ other) => (one.endedAt ?? "").localeCompare(other.endedAt ?? ""));
}

/** @param {Interview} interview */
export async function keepPast(interview) {
  interview.endedAt ??= new Date().toISOString();
  await within("interviews", "readwrite", (store) => store.put(interview, interview.id));
  for (const { id } of (await pastInterviews()).slice(0, -MAX_PAST)) await dropPast(id);
}

/** @param {string} id */
export function dropPast(id) {
  dropOwnRecordings(id);
  return within("interviews", "readwrite", (store) => store.delete(id));
}
