// What this browser remembers: in the tab the running interview (so that a reload comes back to it)
// and the last tries; across tabs the scores of finished interviews.  Never the words of a refused answer.

const INTERVIEW = "poise.interview";
const TRACES = "poise.traces";
const HISTORY = "poise.history";
const MAX_TRACES = 20;
const MAX_HISTORY = 100;

/**
 * @param {"localStorage" | "sessionStorage"} storage
 * @param {string} key
 */
function read(storage, key) {
  try {
    return JSON.parse(window[storage].getItem(key) || "null");
  } catch {
    return null;
  }
}

/**
 * @param {"localStorage" | "sessionStorage"} storage
 * @param {string} key
 * @param {any} value null removes it
 */
function write(storage, key, value) {
  try {
    if (value === null) window[storage].removeItem(key);
    else window[storage].setItem(key, JSON.stringify(value));
  } catch {
    // Storage is off or full: it is kept as long as the page.
  }
}

/** @returns {import("./types.js").Interview | null} */
export function keptInterview() {
  return read("sessionStorage", INTERVIEW);
}

/** @param {import("./types.js").Interview | null} interview */
export function keepInterview(interview) {
  write("sessionStorage", INTERVIEW, interview);
}

/** @returns {import("./types.js").Trace[]} the newest first */
export function traces() {
  return read("sessionStorage", TRACES) ?? [];
}

/** @param {import("./types.js").Trace} trace */
export function addTrace(trace) {
  write("sessionStorage", TRACES, [trace, ...traces()].slice(0, MAX_TRACES));
}

/**
 * @typedef {object} Past
 * @property {string} id
 * @property {string} date
 * @property {string} role
 * @property {Record<string, number>} averages
 */

/** @returns {Past[]} the oldest first */
export function history() {
  return read("localStorage", HISTORY) ?? [];
}

/** @param {Past} past */
export function addHistory(past) {
  const others = history().filter(({ id }) => id !== past.id);

  write("localStorage", HISTORY, [...others, past].slice(-MAX_HISTORY));
}

/** @param {string} id */
export function removeHistory(id) {
  write("localStorage", HISTORY, history().filter((past) => past.id !== id));
}

export function eraseHistory() {
  write("localStorage", HISTORY, null);
}
