// A recording while it is made: each second of it goes to the disk as it comes, so that what was said
// outlives a crash of the page.  It stays until its question is answered, it is refused or discarded.

import { under, within } from "./database.js";
import { uuid } from "./wire.js";

/** @typedef {import("./types.js").Taken} Taken */

/** Held while a recording is being made, so that another tab does not take it for a lost one. */
const LOCK = "poise.recording.";

export class Parts {
  id = uuid();

  #sessionId;
  #count = 0;
  #letGo = () => {};

  /** @param {string} sessionId */
  constructor(sessionId) {
    this.#sessionId = sessionId;
    navigator.locks?.request(LOCK + this.id, () => new Promise((resolve) => (this.#letGo = () => resolve(null)))).catch(() => {});
  }

  /**
   * @param {Blob} part
   * @param {number} ms of the recording so far
   */
  add(part, ms) {
    const key = [this.#sessionId, this.id, this.#count++];

    within("parts", "readwrite", (store) => store.put({ part, ms, at: Date.now() }, key));
  }

  /** Nothing comes any more. */
  end() {
    this.#letGo();
  }
}

/** @param {string[]} which a session's, or one of them */
export function dropRecordings(...which) {
  return within("parts", "readwrite", (store) => store.delete(under(which)));
}

/** @param {string} sessionId */
async function entriesOf(sessionId) {
  const keys = (await within("parts", "readonly", (store) => store.getAllKeys(under([sessionId])))) ?? [];
  const values = (await within("parts", "readonly", (store) => store.getAll(under([sessionId])))) ?? [];

  return { keys, values };
}

/**
 * The interview goes on in another session.
 * @param {string} from
 * @param {string} to
 */
export async function moveRecordings(from, to) {
  const { keys, values } = await entriesOf(from);

  for (const [at, [, ...rest]] of keys.entries()) await within("parts", "readwrite", (store) => store.put(values[at], [to, ...rest]));
  await dropRecordings(from);
}

/**
 * Recordings of a page that has gone, the oldest first; none that is still being made.
 * @param {string} sessionId
 * @returns {Promise<Taken[]>}
 */
export async function lostRecordings(sessionId) {
  const { keys, values } = await entriesOf(sessionId);
  const held = (await navigator.locks?.query())?.held ?? [];
  const ids = /** @type {string[]} */ ([...new Set(keys.map((/** @type {string[]} */ [, id]) => id))]);
  const lost = ids
    .filter((id) => !held.some(({ name }) => name === LOCK + id))
    .map((id) => ({ id, parts: values.filter((/** @type {any} */ _, /** @type {number} */ at) => keys[at]?.[1] === id) }))
    .filter(({ parts }) => parts.length > 0)
    .sort((one, other) => one.parts[0].at - other.parts[0].at);

  return lost.map(({ id, parts }) => ({
    id,
    recording: new Blob(parts.map((/** @type {{ part: Blob }} */ { part }) => part), { type: parts[0].part.type.split(";")[0] }),
    ms: parts.at(-1).ms,
    reason: "closed",
  }));
}
