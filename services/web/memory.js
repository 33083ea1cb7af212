// What this browser remembers: the interview that is under way, for every tab of it, so that a reload comes
// back to it; what was typed and not sent yet; and in each tab its last tries.  Interviews that are over are
// in past.js.  Never the words of a refused answer.

const INTERVIEW = "poise.interview";
const DRAFT = "poise.draft";
const SETUP = "poise.setup";
const STUDY = "poise.study";
const TRACES = "poise.traces";
const MAX_TRACES = 20;

/**
 * @param {string | null} text
 */
function parsed(text) {
  try {
    return JSON.parse(text || "null");
  } catch {
    return null;
  }
}

/**
 * @param {"localStorage" | "sessionStorage"} storage
 * @param {string} key
 */
function read(storage, key) {
  try {
    return parsed(window[storage].getItem(key));
  } catch {
    return null; // storage is off
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
  return read("localStorage", INTERVIEW);
}

/** @param {import("./types.js").Interview | null} interview */
export function keepInterview(interview) {
  write("localStorage", INTERVIEW, interview);
}

/**
 * Another tab has written the interview, or removed it.
 * @param {(interview: import("./types.js").Interview | null) => void} listener
 */
export function onInterviewElsewhere(listener) {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === INTERVIEW) listener(parsed(newValue));
  });
}

/**
 * What was typed in a session and not sent.
 * @param {string} sessionId
 * @returns {string}
 */
export function keptDraft(sessionId) {
  const draft = read("localStorage", DRAFT);

  return draft?.sessionId === sessionId ? draft.words : "";
}

/**
 * @param {string} sessionId
 * @param {string} words "" forgets them
 */
export function keepDraft(sessionId, words) {
  if (words !== "") write("localStorage", DRAFT, { sessionId, words });
  else if (keptDraft(sessionId) !== "") write("localStorage", DRAFT, null);
}

/** What was last chosen and typed at set-up. @returns {Partial<import("./types.js").Setup>} */
export function keptSetup() {
  return read("localStorage", SETUP) ?? {};
}

/** @param {import("./types.js").Setup | null} setup */
export function keepSetup(setup) {
  write("localStorage", SETUP, setup);
}

/** What was typed to be studied, in this tab. @returns {Record<string, string>} by the id of its field */
export function keptStudy() {
  return read("sessionStorage", STUDY) ?? {};
}

/** @param {Record<string, string> | null} words */
export function keepStudy(words) {
  write("sessionStorage", STUDY, words);
}

/** @returns {import("./types.js").Trace[]} the newest first */
export function traces() {
  return read("sessionStorage", TRACES) ?? [];
}

/** @param {import("./types.js").Trace} trace */
export function addTrace(trace) {
  write("sessionStorage", TRACES, [trace, ...traces()].slice(0, MAX_TRACES));
}

export function eraseTraces() {
  write("sessionStorage", TRACES, null);
}
