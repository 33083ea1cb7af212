// The summary of a finished interview: scores over the answers, what worked, what to work on, how it
// was spoken; to print, to export, to delete.

import { chart } from "./chart.js";
import { confirm } from "./dialogs.js";
import { byId, fill, make } from "./dom.js";
import { removeHistory } from "./memory.js";
import { DIMENSIONS, averagesOf, scoreOf } from "./scores.js";
import { language, t } from "./text.js";
import { call } from "./wire.js";

/** @typedef {import("./types.js").Interview} Interview */
/** @typedef {import("./types.js").Turn} Turn */

/** @param {number | null | undefined} value */
export function decimal(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString(language(), { maximumFractionDigits: 2 });
}

/**
 * @param {string[]} head
 * @param {string[][]} rows the first cell of each is its heading
 */
function tableOf(head, rows) {
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

export class Summary {
  /** @type {Interview | null} */
  #interview = null;

  /** @param {{ onNew: () => void, onDeleted: () => void, onNotDeleted: () => void }} shell */
  constructor({ onNew, onDeleted, onNotDeleted }) {
    byId("new-interview").addEventListener("click", onNew);
    byId("print").addEventListener("click", () => print());
    byId("export-json").addEventListener("click", () => this.#export());
    byId("delete-session").addEventListener("click", async () => {
      const interview = /** @type {Interview} */ (this.#interview);

      if (!(await confirm(t("delete_question"), t("delete_yes"), t("delete_no")))) return;
      const { data, failure } = await call("DELETE", `/session/${interview.id}`, { token: interview.token });

      if (data || failure?.code === "session_not_found") {
        removeHistory(interview.id);
        onDeleted();
      } else onNotDeleted();
    });
  }

  /** @param {Interview} interview */
  render(interview) {
    const { turns, role, type, difficulty } = interview;
    const summary = turns.at(-1)?.data.session_summary;
    const averages = averagesOf(turns);

    this.#interview = interview;
    byId("summary-about").textContent = t("summary_about", { role, type: t(`type_${type}`), difficulty: t(difficulty) });
    byId("summary-assessment").textContent = summary?.overall_assessment ?? t("summary_missing");
    fill(
      byId("summary-averages"),
      ...DIMENSIONS.map(({ key }, at) => make("div", { class: `average average-${at}`, "data-average": key }, make("dt", {}, t(key)), make("dd", {}, decimal(averages[key])))),
    );
    showScores(turns);
    showDelivery(turns);
    showList("summary-strengths", summary?.strengths);
    showList("summary-improvements", summary?.improvements);
    showList("summary-actions", summary?.recommended_actions);
  }

  #export() {
    const { token, ...interview } = /** @type {Interview} */ (this.#interview);
    const content = JSON.stringify({ exported_at: new Date().toISOString(), interview }, null, 2);
    const url = URL.createObjectURL(new Blob([content], { type: "application/json" }));
    const link = make("a", { href: url, download: `interview-${interview.id}.json` });

    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }
}
