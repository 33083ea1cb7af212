// The four scored dimensions of an answer, each with its tip and the words it is about.

import { byId, fill, make, show } from "./dom.js";
import { DIMENSIONS } from "./scores.js";
import { t } from "./text.js";

const BEST = 5;

/** @param {string} label */
export function dimensionName(label) {
  const known = DIMENSIONS.find((dimension) => dimension.label === label);

  return known ? t(known.key) : label;
}

/** @param {number} score */
function scoreBar(score) {
  const parts = Array.from({ length: BEST }, (_, at) => make("i", { class: at < score ? "on" : null }));

  return make("span", { class: "score-bar", "aria-hidden": "true" }, ...parts);
}

/** @param {{ label: string, score: number, tip: string, quote?: string | null }} dimension */
function item({ label, score, tip, quote }) {
  const head = make(
    "div",
    { class: "dimension-head" },
    make("h3", {}, dimensionName(label)),
    scoreBar(score),
    make("span", { class: "score", "aria-hidden": "true" }, `${score}/${BEST}`),
    make("span", { class: "visually-hidden" }, t("score", { score })),
  );
  const said = quote ? [make("p", { class: "quote" }, make("span", { class: "visually-hidden" }, `${t("you_said")}: `), make("q", { dir: "auto" }, quote))] : [];

  return make("li", { "data-dimension": label, "data-score": score }, head, make("p", { class: "tip", dir: "auto" }, tip), ...said);
}

/** @param {any} data `data` of POST /turn */
function whyNone(data) {
  if (data.kind === "skip") return t("feedback_skipped");
  const codes = data.warnings.map((/** @type {{ code: string }} */ warning) => warning.code);

  if (codes.includes("low_confidence")) return t("feedback_low_confidence");
  if (codes.includes("too_short")) return t("feedback_too_short");
  // The coach of the service always has feedback, but for a language that it does not read.
  return t(data.coach === "builtin" && codes.includes("feedback_missing") ? "feedback_language" : "feedback_missing");
}

/** @param {any} data `data` of POST /turn, or null */
export function showFeedback(data) {
  const feedback = data?.coaching_feedback ?? null;

  show(byId("feedback-missing"), feedback === null);
  show(byId("summary-tip"), feedback !== null);
  byId("feedback-missing").textContent = data && !feedback ? whyNone(data) : "";
  byId("summary-tip").textContent = feedback?.summary_tip ?? "";
  fill(byId("feedback"), ...(feedback?.dimensions.map(item) ?? []));
}
