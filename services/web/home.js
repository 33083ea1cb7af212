// Home, below the set-up: what was rehearsed before on this device, what became better, and what to
// practise next.

import { chart } from "./chart.js";
import { eraseAll } from "./database.js";
import { confirm } from "./dialogs.js";
import { byId, fill, make, save, show } from "./dom.js";
import { eraseTraces, keepSetup, keptInterview } from "./memory.js";
import { dropPast, pastInterviews } from "./past.js";
import { DIMENSIONS, averagesOf } from "./scores.js";
import { day, decimal, tableOf } from "./summary.js";
import { t } from "./text.js";
import { call } from "./wire.js";

/** @typedef {import("./types.js").Interview} Interview */

/** So many of the last interviews say what is weakest. */
const RECENT = 3;

/** No session lives as long as this. */
const SESSION_MS = 24 * 60 * 60 * 1000;

/** @param {(number | undefined)[]} values */
function mean(values) {
  const known = /** @type {number[]} */ (values.filter((value) => value !== undefined));

  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

/** @param {Interview[]} past */
function weakestOf(past) {
  const recent = past.slice(-RECENT).map(({ turns }) => averagesOf(turns));
  const scores = DIMENSIONS.flatMap(({ key }) => {
    const score = mean(recent.map((averages) => averages[key]));

    return score === null ? [] : [{ key, score }];
  });

  return scores.sort((one, other) => one.score - other.score)[0] ?? null;
}

export class Home {
  /** @type {Interview[]} the oldest first */
  #past = [];
  #onOpen;
  #onPractise;
  #onErased;

  /** @param {{ onOpen: (interview: Interview) => void, onPractise: (interview: Interview) => void, onErased: (key: string) => void }} shell */
  constructor({ onOpen, onPractise, onErased }) {
    this.#onOpen = onOpen;
    this.#onPractise = onPractise;
    this.#onErased = onErased;
    byId("exercise-start").addEventListener("click", () => this.#onPractise(/** @type {Interview} */ (this.#past.at(-1))));
    byId("export-all").addEventListener("click", () => this.#export());
    byId("delete-all").addEventListener("click", () => this.#deleteAll());
  }

  /** @param {string} id */
  find(id) {
    return this.#past.find((interview) => interview.id === id) ?? null;
  }

  async refresh() {
    this.#past = await pastInterviews();
    this.render();
  }

  render() {
    const past = this.#past;
    const scored = past.filter(({ turns }) => Object.keys(averagesOf(turns)).length > 0);

    show(byId("home"), past.length > 0);
    if (past.length === 0) return;
    this.#showProgress(scored);
    this.#showWeakest(scored);
    fill(byId("past-list"), ...past.map((interview) => this.#item(interview)).reverse());
  }

  /** @param {Interview[]} scored */
  #showProgress(scored) {
    const averages = scored.map(({ turns }) => averagesOf(turns));
    const days = scored.map(({ endedAt }) => day(endedAt));
    const lines = DIMENSIONS.map(({ key }) => ({ name: t(key), values: averages.map((one) => one[key] ?? null) }));

    show(byId("progress-block"), scored.length > 0);
    fill(byId("progress-chart"), ...chart(t("progress_text", { count: scored.length }), days, lines));
    fill(
      byId("progress-table"),
      ...tableOf([t("interview_head"), ...DIMENSIONS.map(({ key }) => t(key))], averages.map((one, at) => [days[at], ...DIMENSIONS.map(({ key }) => decimal(one[key]))])),
    );
  }

  /** @param {Interview[]} scored */
  #showWeakest(scored) {
    const weakest = weakestOf(scored);

    show(byId("weakest"), weakest !== null);
    if (!weakest) return;
    byId("weakest").dataset.dimension = weakest.key;
    byId("weakest-title").textContent = t("weakest", { dimension: t(weakest.key), score: decimal(weakest.score) });
    byId("exercise").textContent = t(`exercise_${weakest.key}`);
  }

  /** @param {Interview} interview */
  #item(interview) {
    const { id, role, type, endedAt, turns } = interview;
    const average = mean(Object.values(averagesOf(turns)));
    const open = make("button", { type: "button", class: "text past-open" }, t("open"));
    const about = make("p", { id: `past-${id}`, dir: "auto" }, make("strong", {}, role), ` ${t("past_item", { date: day(endedAt), type: t(`type_${type}`), count: turns.length, average: decimal(average) })}`);

    open.setAttribute("aria-describedby", `past-${id}`);
    open.addEventListener("click", () => this.#onOpen(interview));
    return make("li", { "data-past": id }, about, open);
  }

  /** Without the tokens: they are keys to the sessions. */
  #export() {
    const interviews = this.#past.map(({ token, ...interview }) => interview);

    save("poise-interviews.json", "application/json", JSON.stringify({ exported_at: new Date().toISOString(), interviews }, null, 2));
  }

  async #deleteAll() {
    if (!(await confirm(t("delete_all_question", { count: this.#past.length }), t("delete_yes"), t("delete_no")))) return;
    let isGone = true;

    for (const { id, token, endedAt } of this.#past) {
      if (Date.now() - Date.parse(endedAt ?? "") < SESSION_MS) {
        const { failure } = await call("DELETE", `/session/${id}`, { token });

        isGone &&= failure?.code !== "connection_lost" && !failure?.retryable;
      }
      await dropPast(id);
    }
    if (!keptInterview()) await eraseAll();
    eraseTraces();
    keepSetup(null);
    await this.refresh();
    this.#onErased(isGone ? "all_deleted" : "all_deleted_here");
  }
}
