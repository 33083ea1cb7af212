// Study: a question to the service's texts, or to a passage.  An answer comes with its sources; a
// refusal says what to try next.

import { announce, byId, copy, fill, make, show } from "./dom.js";
import { keepStudy, keptStudy } from "./memory.js";
import { everyone } from "./setup.js";
import { errorText, t } from "./text.js";
import { call } from "./wire.js";

const MOST_SELECTED = 5000;

/** What helps after each kind of refusal: keys of strings.js. @type {Record<string, string[]>} */
const NEXT = {
  empty_retrieval: ["next_rephrase", "next_narrow"],
  insufficient_context: ["next_rephrase", "next_narrow", "next_select"],
  out_of_scope: ["next_elsewhere", "next_narrow"],
  selected_text_insufficient: ["next_other_selection", "next_all"],
  content_refused: ["next_content"],
};
const NEXT_OTHERWISE = ["next_rephrase", "next_select"];

/** What is written **so** stands out; nothing else of Markdown is read. @param {string} text */
function emphasised(text) {
  return text.split(/\*\*([^*\n]+)\*\*/).map((part, at) => (at % 2 === 1 ? make("strong", {}, part) : part));
}

/** @typedef {{ passage_id: string, chapter?: string, section?: string, snippet: string, text?: string, score?: number }} Source */

/** Who gets a question, and what is kept of it. @param {any} config of GET /client-config */
function disclosure({ coach, coach_fallbacks: others, study }) {
  const writers = everyone([coach, ...others]);

  return [
    writers === "" ? t("study_here") : t("study_coach", { who: writers }),
    ...(study.search_host ? [t("study_search", { who: study.search_host })] : []),
    ...(study.refused_questions_days > 0 ? [t("study_kept", { days: study.refused_questions_days })] : []),
  ];
}

export class Study {
  #selection = ""; // asked about; "": all texts
  #marked = ""; // marked in a passage just now
  #cancel = new AbortController();
  #hasTexts = true;
  /** @type {any} */
  #config = null;

  constructor() {
    const fields = ["study-question", "study-passage"];

    for (const [id, words] of Object.entries(keptStudy())) byId(id).value = words;
    if (byId("study-passage").value) byId("study-own").open = true;
    byId("study-form").addEventListener("input", () => keepStudy(Object.fromEntries(fields.map((id) => [id, byId(id).value]))));
    byId("study-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#ask();
    });
    byId("study-question").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#ask();
    });
    byId("study-selection-clear").addEventListener("click", () => this.#select(""));
    byId("study-cancel").addEventListener("click", () => {
      this.#cancel.abort();
      show(byId("study-working"), false);
      byId("study-question").focus();
    });
    byId("ask-selection").addEventListener("pointerdown", (/** @type {Event} */ event) => event.preventDefault()); // it would unmark
    byId("ask-selection").addEventListener("click", () => this.#select(this.#marked));
    document.addEventListener("selectionchange", () => this.#noteMarked());
  }

  /** @param {any} config */
  configure(config) {
    this.#config = config;
    this.#hasTexts = config?.study !== null;
    this.render();
  }

  render() {
    byId("study-lead").textContent = t(this.#hasTexts ? "study_lead" : "study_lead_none");
    fill(byId("study-disclosure"), ...(this.#config?.study ? disclosure(this.#config).map((sentence) => make("li", {}, sentence)) : []));
    if (!this.#hasTexts) byId("study-own").open = true;
  }

  #noteMarked() {
    const selection = getSelection();
    const node = selection && !selection.isCollapsed && selection.anchorNode;
    const element = node instanceof Element ? node : node ? node.parentElement : null;
    const text = element?.closest("#study-sources .passage, #study-answer") ? String(selection).trim() : "";

    if (text !== "") this.#marked = text.slice(0, MOST_SELECTED);
    show(byId("ask-selection"), text !== "");
  }

  /** @param {string} text */
  #select(text) {
    this.#selection = text;
    byId("study-selection-text").textContent = text;
    show(byId("study-selection"), text !== "");
    show(byId("study-own"), text === "");
    show(byId("ask-selection"), false);
    byId("study-question").focus();
  }

  async #ask() {
    const question = byId("study-question").value.trim();
    const own = byId("study-own").open ? byId("study-passage").value.trim() : "";
    const selected = this.#selection || own;

    if (question === "") {
      announce(t("study_empty"));
      byId("study-question").focus();
      return;
    }
    this.#cancel.abort();
    const cancel = (this.#cancel = new AbortController());

    for (const id of ["study-reply", "study-refusal", "study-failure"]) show(byId(id), false);
    show(byId("study-working"), true);
    announce(t("searching"));
    try {
      const { data, failure } = await call("POST", "/ask", { json: { question, ...(selected ? { selected_text: selected } : {}) }, signal: cancel.signal });

      show(byId("study-working"), false);
      if (failure && failure.code !== "content_refused") this.#showFailure(failure);
      else if (failure) this.#showRefusal(failure.code, t("study_refused_content"), errorText(failure));
      else if (data.was_refusal) this.#showRefusal(data.refusal_reason, t("study_refused"), data.answer);
      else this.#showAnswer(data);
    } catch (error) {
      if (!cancel.signal.aborted) throw error;
    }
  }

  /** @param {{ answer: string, sources: Source[], generator?: string | null }} data */
  #showAnswer({ answer, sources, generator }) {
    show(byId("study-extractive"), generator === "extractive");
    fill(byId("study-answer"), ...answer.split(/\n{2,}/).map((paragraph) => make("p", {}, ...emphasised(paragraph))));
    fill(byId("study-sources"), ...sources.map((source) => this.#source(source)));
    show(byId("study-sources-title"), sources.length > 0);
    this.#reveal("study-reply");
  }

  /** @param {Source} source */
  #source({ passage_id: id, chapter, section, snippet, text = snippet, score }) {
    const place = [chapter, section].filter(Boolean).join(" › ") || id;
    const match = typeof score === "number" ? [make("span", { class: "hint" }, t("source_score", { percent: Math.round(score * 100) }))] : [];
    const ask = make("button", { type: "button", class: "text ask-passage" }, t("ask_passage"));

    ask.addEventListener("click", () => this.#select(text.slice(0, MOST_SELECTED)));
    return make("details", { class: "source", "data-passage": id }, make("summary", {}, make("span", { class: "place", dir: "auto" }, place), ...match), make("blockquote", { class: "passage", dir: "auto" }, ...emphasised(text)), ask);
  }

  /**
   * @param {string} reason
   * @param {string} title
   * @param {string} text
   */
  #showRefusal(reason, title, text) {
    if (reason === "content_refused") keepStudy(null);
    byId("study-refusal").dataset.reason = reason;
    byId("study-refusal-title").textContent = title;
    byId("study-refusal-text").textContent = text;
    fill(byId("study-next"), ...(NEXT[reason] ?? NEXT_OTHERWISE).map((key) => make("li", {}, t(key))));
    this.#reveal("study-refusal");
  }

  /** @param {import("./types.js").Failure} failure */
  #showFailure(failure) {
    const isMissing = failure.code === "not_found";
    const text = isMissing ? t("study_unavailable") : failure.code === "connection_lost" ? t("failed_connection") : errorText(failure);
    const again = make("button", { type: "button", class: "primary" }, t("retry"));
    const id = make("button", { type: "button", class: "text small" }, t("copy"));

    again.addEventListener("click", () => this.#ask());
    id.addEventListener("click", () => copy(failure.requestId ?? ""));
    fill(
      byId("study-failure"),
      make("p", {}, text),
      ...(failure.retryable ? [again] : []),
      ...(failure.requestId ? [make("p", { class: "request" }, `${t("request_id")} `, make("code", {}, failure.requestId), " ", id)] : []),
    );
    show(byId("study-failure"), true);
  }

  /** @param {"study-reply" | "study-refusal"} id */
  #reveal(id) {
    show(byId(id), true);
    byId(`${id}-title`).focus();
  }
}
