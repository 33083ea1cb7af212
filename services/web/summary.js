// The summary of an interview that is over: scores over the answers, what worked, what to work on, how it
// was spoken, and the report; to print, to copy, to share, to export, to delete.

import { chart } from "./chart.js";
import { confirm } from "./dialogs.js";
import { announce, byId, copy, fill, make, save, show } from "./dom.js";
import { keepInterview, keptInterview } from "./memory.js";
import { dropPast, keepPast } from "./past.js";
import { markdownOf, openForPrint, showReport } from "./report.js";
import { DIMENSIONS, averagesOf, scoreOf } from "./scores.js";
import { language, t } from "./text.js";
import { call } from "./wire.js";

/** @typedef {import("./types.js").Interview} Interview */
/** @typedef {import("./types.js").Turn} Turn */

/** The service has nothing of it any more. */
const GONE = ["session_not_found", "invalid_token", "session_id_mismatch"];

/** @param {Interview} interview @returns {any} `session_summary`, or null */
function summaryOf({ turns, summary }) {
  return summary ?? turns.at(-1)?.data.session_summary ?? null;
}

/** @param {string | undefined} date ISO 8601; none is today */
export function day(date) {
  return (date ? new Date(date) : new Date()).toLocaleDateString(language(), { day: "numeric", month: "short" });
}

/** @param {number | null | undefined} value */
export function decimal(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString(language(), { maximumFractionDigits: 2 });
}

/**
 * @param {string[]} head
 * @param {string[][]} rows the first cell of each is its heading
 */
export function tableOf(head, rows) {
  return [
    make("thead", {}, make("tr", {}, ...head.map((cell) => make("th", { scope: "col" }, cell)))),
    make("tbody", {}, ...rows.map(([first, ...rest]) => make("tr", {}, make("th", { scope: "row" }, first), ...rest.map((cell) => make("td", {}, cell))))),
  ];
}

/** @param {Turn[]} turns */
function showScores(turns) {
  const names = turns.map((_, at) => String(at + 1));
  const lines = DIMENSIONS.map(({ label, key }) => ({ name: t(key), values: turns.map((turn) => scoreOf(turn, label)) }));
  const hasScores = lines.some(({ values }) => values.some((value) => value !== null));

  fill(byId("summary-chart"), ...(hasScores ? chart(t("chart_text", { count: turns.length }), names, lines) : [make("p", {}, t("no_scores"))]));
  fill(
    byId("summary-table"),
    ...tableOf([t("answer_head"), ...DIMENSIONS.map(({ key }) => t(key))], turns.map((turn, at) => [String(at + 1), ...DIMENSIONS.map(({ label }) => decimal(scoreOf(turn, label)))])),
  );
}

/** @param {any} delivery */
function fillersOf(delivery) {
  const said = Object.entries(delivery?.fillers ?? {}).map(([filler, count]) => `${filler} ×${count}`);

  return said.length > 0 ? `${delivery.filler_count} (${said.join(", ")})` : decimal(delivery?.filler_count);
}

/** @param {Turn[]} turns */
function showDelivery(turns) {
  const rows = turns.map(({ data: { delivery } }, at) => [
    String(at + 1),
    decimal(delivery?.word_count),
    decimal(delivery?.words_per_minute),
    fillersOf(delivery),
    typeof delivery?.longest_pause_ms === "number" ? t("seconds", { seconds: decimal(Math.round(delivery.longest_pause_ms / 100) / 10) }) : "–",
  ]);

  fill(byId("summary-delivery"), ...tableOf([t("answer_head"), t("words"), t("words_per_minute"), t("fillers"), t("longest_pause")], rows));
}

/**
 * @param {string} id
 * @param {string[] | undefined} lines
 */
function showList(id, lines) {
  fill(byId(id), ...(lines && lines.length > 0 ? lines.map((line) => make("li", {}, make("span", { dir: "auto" }, line))) : [make("li", { class: "none" }, t("nothing_here"))]));
}

/**
 * What the advert asks for, and where it was shown.
 * @param {{ demand: string, question_number: number | null, quote: string | null }[]} demands
 * @param {number} done questions of sessions before this one
 */
function showDemands(demands, done) {
  show(byId("demands-card"), demands.length > 0);
  fill(
    byId("summary-demands"),
    ...demands.map(({ demand, question_number: number, quote }) =>
      make(
        "li",
        { "data-shown": String(number !== null) },
        make("p", { dir: "auto" }, make("strong", {}, demand)),
        make("p", { class: "hint" }, number === null ? t("demand_missing") : t("demand_shown", { number: number + done })),
        ...(quote ? [make("p", { class: "quote" }, make("q", { dir: "auto" }, quote))] : []),
      ),
    ),
  );
}

export class Summary {
  /** @type {Interview | null} */
  #interview = null;
  #isAsking = false;
  /** The service cannot make a summary of it any more. */
  #isGone = false;

  /** @param {{ onNew: () => void, onDeleted: () => void, onNotDeleted: () => void }} shell */
  constructor({ onNew, onDeleted, onNotDeleted }) {
    byId("new-interview").addEventListener("click", onNew);
    byId("print").addEventListener("click", () => print());
    addEventListener("beforeprint", openForPrint);
    byId("copy-report").addEventListener("click", async () => {
      await copy(this.#markdown());
      byId("copy-report").textContent = t("copied");
    });
    byId("share-report").addEventListener("click", () => navigator.share({ title: t("summary_title"), text: this.#markdown() }).catch(() => {}));
    byId("summary-again").addEventListener("click", () => this.#askAgain());
    byId("export-json").addEventListener("click", () => this.#export());
    byId("delete-session").addEventListener("click", async () => {
      const interview = /** @type {Interview} */ (this.#interview);

      if (!(await confirm(t("delete_question"), t("delete_yes"), t("delete_no")))) return;
      const { data, failure } = await call("DELETE", `/session/${interview.id}`, { token: interview.token });

      if (data || GONE.includes(failure?.code ?? "")) {
        await dropPast(interview.id);
        onDeleted();
      } else onNotDeleted();
    });
  }

  /** @param {Interview} interview */
  render(interview) {
    const { turns } = interview;
    const summary = summaryOf(interview);
    const averages = averagesOf(turns);

    if (interview !== this.#interview) this.#isGone = false;
    if (interview !== this.#interview) byId("copy-report").textContent = t("copy_report");
    this.#interview = interview;
    byId("summary-about").textContent = this.#about();
    show(byId("summary-again"), !summary && !this.#isGone);
    byId("summary-again").textContent = t(this.#isAsking ? "summary_asked" : "summary_again");
    byId("summary-again").setAttribute("aria-disabled", String(this.#isAsking));
    byId("summary-assessment").textContent = summary?.overall_assessment ?? t(this.#isGone ? "summary_gone" : "summary_missing");
    fill(
      byId("summary-averages"),
      ...DIMENSIONS.map(({ key }, at) => make("div", { class: `average average-${at}`, "data-average": key }, make("dt", {}, t(key)), make("dd", {}, decimal(averages[key])))),
    );
    showScores(turns);
    showDelivery(turns);
    showList("summary-strengths", summary?.strengths);
    showList("summary-improvements", summary?.improvements);
    showList("summary-actions", summary?.recommended_actions);
    showDemands(summary?.demands ?? [], interview.done);
    show(byId("share-report"), "share" in navigator);
    showReport(interview);
  }

  /** A summary that failed is tried once more by the service, while it has the session. */
  async #askAgain() {
    const interview = /** @type {Interview} */ (this.#interview);

    if (this.#isAsking) return;
    this.#isAsking = true;
    this.render(interview);
    const { data, failure } = await call("POST", `/session/${interview.id}/finish`, { token: interview.token });

    this.#isAsking = false;
    if (data?.session_summary) {
      interview.summary = data.session_summary;
      if (keptInterview()?.id === interview.id) keepInterview(interview);
      keepPast(interview);
    }
    this.#isGone = GONE.includes(failure?.code ?? "");
    if (this.#interview !== interview) return;
    this.render(interview);
    announce(byId("summary-assessment").textContent);
  }

  /** Nobody's words stay behind a screen. */
  clear() {
    this.#interview = null;
    showReport({ turns: [] });
    for (const id of ["summary-assessment", "summary-demands", "summary-strengths", "summary-improvements", "summary-actions"]) fill(byId(id));
  }

  #about() {
    const { role, type, difficulty, endedAt } = /** @type {Interview} */ (this.#interview);

    return t("summary_about", { role, type: t(`type_${type}`), difficulty: t(difficulty), date: day(endedAt) });
  }

  #markdown() {
    const interview = /** @type {Interview} */ (this.#interview);

    return markdownOf(interview, summaryOf(interview), this.#about());
  }

  #export() {
    const { token, ...interview } = /** @type {Interview} */ (this.#interview);

    save(`interview-${interview.id}.json`, "application/json", JSON.stringify({ exported_at: new Date().toISOString(), interview }, null, 2));
  }
}
