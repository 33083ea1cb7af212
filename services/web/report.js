// The report: an interview question by question, as it is shown below the summary, and as Markdown.

import { byId, fill, make, show } from "./dom.js";
import { dimensionName } from "./feedback_view.js";
import { DIMENSIONS, averagesOf } from "./scores.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").Interview} Interview */

/**
 * @param {number | null | undefined} ms
 * @returns {string} "", where it is not known
 */
function secondsOf(ms) {
  return typeof ms === "number" ? t("seconds", { seconds: Math.round(ms / 100) / 10 }) : "";
}

/** How it was said, in one line. @param {any} delivery */
function deliveryLine(delivery) {
  const facts = [
    [t("words"), delivery?.word_count],
    [t("words_per_minute"), delivery?.words_per_minute],
    [t("fillers"), delivery?.filler_count],
    [t("longest_pause"), secondsOf(delivery?.longest_pause_ms)],
  ];

  return facts
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}: ${typeof value === "number" ? Math.round(value * 10) / 10 : value}`)
    .join(" · ");
}

/** Every answer to one question. @param {import("./types.js").Turn} turn @returns {any[]} */
function attemptsOf({ data, attempts = [] }) {
  return [...attempts, data];
}

/** @param {any} data @param {string} title "" where it is the only one */
function attemptItem({ transcript, coaching_feedback: feedback, delivery }, title) {
  const line = deliveryLine(delivery);

  return make(
    "div",
    { class: "attempt" },
    ...(title ? [make("h4", {}, title)] : []),
    make("blockquote", { dir: "auto" }, transcript),
    ...(feedback
      ? [
          make("ul", { class: "plain report-scores" }, ...feedback.dimensions.map((/** @type {any} */ one) => make("li", { dir: "auto" }, make("strong", {}, `${dimensionName(one.label)} ${one.score}/5`), ` ${one.tip}`))),
          make("p", { dir: "auto" }, feedback.summary_tip),
        ]
      : [make("p", { class: "hint" }, t("not_scored"))]),
    ...(line ? [make("p", { class: "hint" }, line)] : []),
  );
}

/** @param {Pick<Interview, "turns">} interview */
export function showReport({ turns }) {
  const open = [...document.querySelectorAll("#report-list details")].map((each) => /** @type {HTMLDetailsElement} */ (each).open);
  const items = turns.map((turn, at) => {
    const attempts = attemptsOf(turn);

    return make(
      "li",
      { "data-question": at + 1 },
      make(
        "details",
        { open: open[at] === true },
        make("summary", { dir: "auto" }, `${at + 1}. ${turn.question}`),
        ...attempts.map((data, number) => attemptItem(data, attempts.length > 1 ? t("attempt", { number: number + 1 }) : "")),
      ),
    );
  });

  show(byId("report"), turns.length > 0);
  fill(byId("report-list"), ...items);
}

/** All of it is printed, and folds together again. */
export function openForPrint() {
  const folded = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("#report details:not([open])")]);

  for (const each of folded) each.open = true;
  addEventListener("afterprint", () => folded.forEach((each) => (each.open = false)), { once: true });
}

/** @param {string} title @param {string[] | undefined} lines */
function listOf(title, lines) {
  return lines && lines.length > 0 ? [`## ${title}`, "", ...lines.map((line) => `- ${line}`), ""] : [];
}

/** @param {any} data @param {string} title */
function attemptLines({ transcript, coaching_feedback: feedback, delivery }, title) {
  const line = deliveryLine(delivery);

  return [
    ...(title ? [`### ${title}`, ""] : []),
    ...transcript.split("\n").map((/** @type {string} */ each) => `> ${each}`),
    "",
    ...(feedback ? [...feedback.dimensions.map((/** @type {any} */ one) => `- **${dimensionName(one.label)} ${one.score}/5** ${one.tip}`), "", feedback.summary_tip, ""] : [t("not_scored"), ""]),
    ...(line ? [line, ""] : []),
  ];
}

/**
 * @param {Interview} interview
 * @param {any} summary `session_summary`, or null
 * @param {string} about
 */
export function markdownOf({ turns, done }, summary, about) {
  const averages = averagesOf(turns);

  return [
    `# ${t("summary_title")}`,
    "",
    about,
    "",
    ...(summary ? [summary.overall_assessment, ""] : []),
    ...listOf(t("scores"), DIMENSIONS.filter(({ key }) => key in averages).map(({ key }) => `${t(key)}: ${Math.round(averages[key] * 100) / 100}`)),
    ...listOf(t("strengths"), summary?.strengths),
    ...listOf(t("improvements"), summary?.improvements),
    ...listOf(t("next_actions"), summary?.recommended_actions),
    ...listOf(
      t("demands"),
      summary?.demands?.map((/** @type {any} */ { demand, question_number: number, quote }) => `${demand}: ${number === null ? t("demand_missing") : t("demand_shown", { number: number + done })}${quote ? ` “${quote}”` : ""}`),
    ),
    ...turns.flatMap((turn, at) => {
      const attempts = attemptsOf(turn);

      return [`## ${at + 1}. ${turn.question}`, "", ...attempts.flatMap((data, number) => attemptLines(data, attempts.length > 1 ? t("attempt", { number: number + 1 }) : ""))];
    }),
  ].join("\n");
}
