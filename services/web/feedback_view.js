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

/**
 * @param {{ label: string, score: number, tip: string, quote?: string | null }} dimension
 * @param {Record<string, number> | null} previous scores of the attempt before
 */
function item({ label, score, tip, quote }, previous) {
  const before = previous?.[DIMENSIONS.find((one) => one.label === label)?.key ?? ""] ?? null;
  const head = make(
    "div",
    { class: "dimension-head" },
    make("h3", {}, dimensionName(label)),
    scoreBar(score),
    make("span", { class: "score", "aria-hidden": "true" }, before === null ? `${score}/${BEST}` : `${before} → ${score}/${BEST}`),
    make("span", { class: "visually-hidden" }, before === null ? t("score", { score }) : t("score_before", { before, score })),
  );
  const said = quote ? [make("p", { class: "quote" }, make("span", { class: "visually-hidden" }, `${t("you_said")}: `), make("q", { dir: "auto" }, quote))] : [];

  return make("li", { "data-dimension": label, "data-score": score, "data-before": before }, head, make("p", { class: "tip", dir: "auto" }, tip), ...said);
}

/** @param {any} data `data` of POST /turn @returns {string[]} */
const codesOf = (data) => data.warnings.map((/** @type {{ code: string }} */ warning) => warning.code);

/** The coach of the service always has feedback, but for a language that it does not read. @param {any} data */
const isUnread = (data) => data.coach === "builtin" && codesOf(data).includes("feedback_missing");

/** @param {any} data `data` of POST /turn */
function whyNone(data) {
  const codes = codesOf(data);

  if (codes.includes("low_confidence")) return t("feedback_low_confidence");
  if (data.kind === "skip") return t("feedback_skipped");
  if (codes.includes("too_short")) return t("feedback_too_short");
  return t(isUnread(data) ? "feedback_language" : "feedback_missing");
}

/** What is easy to listen to; as the built-in coach has it. */
const PACE = [95, 175];
const PAUSE_MS = 2500;
const WORDS = [40, 300];

/** @param {number} value @param {number[]} range */
function isWithin(value, [least, most]) {
  return value >= least && value <= most;
}

/** How it was said, each fact with its target. @param {any} delivery @returns {HTMLElement[]} */
function deliveryFacts(delivery) {
  if (!delivery) return [];
  const { word_count: words, words_per_minute: pace, longest_pause_ms: pause, filler_count: fillers } = delivery;
  const facts = [
    { fact: "pace", value: pace, text: t("pace_value", { pace }), isGood: isWithin(pace, PACE), target: t("pace_target", { least: PACE[0], most: PACE[1] }) },
    { fact: "longest_pause", value: pause, text: t("seconds", { seconds: Math.round(pause / 100) / 10 }), isGood: pause <= PAUSE_MS, target: t("pause_target", { seconds: PAUSE_MS / 1000 }) },
    { fact: "length", value: words, text: t("length_value", { words }), isGood: isWithin(words, WORDS), target: t("length_target", { least: WORDS[0], most: WORDS[1] }) },
    { fact: "fillers", value: fillers, text: String(fillers), isGood: fillers * 25 <= words, target: t("fillers_target") },
  ];

  return facts
    .filter(({ value }) => typeof value === "number")
    .map(({ fact, text, isGood, target }) =>
      make(
        "div",
        { "data-fact": fact, "data-good": String(isGood) },
        make("dt", {}, t(fact)),
        make("dd", {}, make("strong", {}, text), make("span", { class: "target" }, ` ${isGood ? "✓" : "·"} ${target}`)),
      ),
    );
}

/**
 * The answer as it was understood, with what was counted as fillers marked in it.
 * @param {any} data `data` of POST /turn, or null
 */
function showTranscript(data) {
  const text = data?.transcript ?? "";
  const fillers = Object.keys(data?.delivery?.fillers ?? {}).map((filler) => filler.replace(/[^\p{L}\p{N} ']/gu, "\\$&"));
  const parts = fillers.length > 0 ? text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${fillers.join("|")})(?![\\p{L}\\p{N}])`, "giu")) : [text];

  fill(byId("transcript"), ...parts.map((/** @type {string} */ part, /** @type {number} */ at) => (at % 2 === 1 ? make("mark", { class: "filler" }, part) : part)));
}

/** @param {any} data `data` of POST /turn, or null */
export function showFeedback(data) {
  const feedback = data?.coaching_feedback ?? null;
  const previous = data?.previous_scores ?? null;

  byId("feedback-title").textContent = data?.attempt > 1 ? t("feedback_attempt", { number: data.attempt }) : t("feedback");
  fill(byId("delivery-facts"), ...deliveryFacts(data && !isUnread(data) ? data.delivery : null));
  showTranscript(data);

  show(byId("feedback-missing"), feedback === null);
  show(byId("summary-tip"), feedback !== null);
  byId("feedback-missing").textContent = data && !feedback ? whyNone(data) : "";
  byId("summary-tip").textContent = feedback?.summary_tip ?? "";
  fill(byId("feedback"), ...(feedback?.dimensions.map((/** @type {any} */ one) => item(one, previous)) ?? []));
}
