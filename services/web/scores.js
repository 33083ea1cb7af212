// The four dimensions in which answers are scored, and what the scores of an interview come to.

/** The service's labels, in its order, and our names for them. */
export const DIMENSIONS = Object.freeze([
  { label: "Clarity", key: "clarity" },
  { label: "Relevance", key: "relevance" },
  { label: "Structure", key: "structure" },
  { label: "Filler Words", key: "filler_words" },
]);

/** @typedef {import("./types.js").Turn} Turn */

/** @param {any} data `data` of POST /turn; not scored: less than any score */
function sumOf(data) {
  return data.coaching_feedback?.dimensions.reduce((/** @type {number} */ sum, /** @type {{ score: number }} */ { score }) => sum + score, 0) ?? -1;
}

/** Each question counts with its best attempt, and of equals with the later one. @param {Turn} turn */
function bestOf({ data, attempts = [] }) {
  return [...attempts, data].reduce((best, each) => (sumOf(each) >= sumOf(best) ? each : best));
}

/**
 * @param {Turn} turn
 * @param {string} label
 * @returns {number | null} null: it was not scored
 */
export function scoreOf(turn, label) {
  const dimension = bestOf(turn).coaching_feedback?.dimensions.find((/** @type {{ label: string }} */ one) => one.label === label);

  return dimension ? dimension.score : null;
}

/**
 * The service's own averages; where it could make no summary, those of the answers in this tab.
 * @param {Turn[]} turns
 * @returns {Record<string, number>}
 */
export function averagesOf(turns) {
  /** @type {Record<string, number>} */
  const averages = {};

  for (const { label, key } of DIMENSIONS) {
    const scores = turns.map((turn) => scoreOf(turn, label)).filter((score) => score !== null);

    if (scores.length > 0) averages[key] = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  }
  return turns.at(-1)?.data.session_summary?.average_scores ?? averages;
}
