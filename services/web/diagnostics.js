// Diagnostics: the server, and the last tries with their stages.  No words of anybody.

import { byId, copy, fill, make, show } from "./dom.js";
import { traces } from "./memory.js";
import { providerName } from "./setup.js";
import { errorText, language, t } from "./text.js";
import { call } from "./wire.js";

/** @typedef {import("./types.js").Trace} Trace */

const STAGES = ["upload", "stt", "safety", "llm", "tts", "store"];

/** @param {{ name: string, host: string | null } | null} provider */
function nameOf(provider) {
  if (!provider) return t("none");
  return provider.name === "builtin" ? t("builtin") : providerName(provider);
}

/** In the order in which they are asked. @param {any[]} providers */
function namesOf(providers) {
  return providers.map(nameOf).join(" → ");
}

/** @param {number} ms */
function time(ms) {
  return t("milliseconds", { ms: ms.toLocaleString(language(), { maximumFractionDigits: ms < 10 ? 1 : 0 }) });
}

/**
 * Stages one after the other, in shares of the whole.  Some overlap (a voice is made while the model
 * still writes): none goes beyond the end.
 * @param {Record<string, number>} timings
 */
function waterfall(timings) {
  const total = Math.max(timings.total_ms, ...STAGES.map((stage) => timings[`${stage}_ms`]), 0.001);
  let start = 0;

  const bars = STAGES.map((stage) => {
    const ms = timings[`${stage}_ms`];
    const bar = make("span", { class: `bar stage-${stage}` });

    bar.style.setProperty("--start", String(Math.min(start, total - ms) / total));
    bar.style.setProperty("--share", String(ms / total));
    start += ms;
    return make("li", { "data-stage": stage }, make("span", { class: "stage" }, t(`stage_${stage}`)), make("span", { class: "track", "aria-hidden": "true" }, bar), make("span", { class: "ms", dir: "auto" }, time(ms)));
  });

  return make("ol", { class: "waterfall" }, ...bars, make("li", { class: "total" }, make("span", { class: "stage" }, t("stage_total")), make("span", { class: "track" }), make("span", { class: "ms", dir: "auto" }, time(timings.total_ms))));
}

/** @param {Trace} trace */
function traceItem(trace) {
  const button = make("button", { type: "button", class: "text small copy" }, t("copy"));
  const id = trace.requestId ?? "–";

  button.addEventListener("click", async () => {
    await copy(id);
    button.textContent = t("copied");
  });
  return make(
    "li",
    { "data-outcome": trace.outcome },
    make(
      "div",
      { class: "row" },
      make("strong", { class: "outcome" }, t(`outcome_${trace.outcome}`)),
      ...(trace.code ? [make("code", {}, `${trace.stage}: ${trace.code}`)] : []),
      make("span", { class: "grow" }),
      make("time", { datetime: trace.at, class: "hint", dir: "auto" }, new Date(trace.at).toLocaleTimeString(language())),
    ),
    make("p", { class: "request" }, make("span", {}, `${t("request_id")} `), make("code", { class: "request-id" }, id), " ", button),
    ...(trace.timings ? [waterfall(trace.timings)] : []),
  );
}

export class Diagnostics {
  /** @type {any} */
  #config = null;
  /** @type {import("./types.js").Result | null} */
  #readiness = null;
  #sessionId;

  /** @param {() => string | null} sessionId of the running interview */
  constructor(sessionId) {
    this.#sessionId = sessionId;
    byId("diagnostics-refresh").addEventListener("click", () => this.refresh());
    byId("diagnostics-copy").addEventListener("click", async () => {
      await copy(JSON.stringify({ server: this.#config, session_id: this.#sessionId(), turns: traces() }, null, 2));
      byId("diagnostics-copy").textContent = t("copied");
    });
  }

  /** @param {any} config */
  configure(config) {
    this.#config = config;
  }

  async refresh() {
    const [config, readiness] = await Promise.all([call("GET", "/client-config"), call("GET", "/readyz")]);

    this.#config = config.data ?? this.#config;
    this.#readiness = readiness;
    this.render();
  }

  render() {
    const list = traces();

    show(byId("turns-none"), list.length === 0);
    show(byId("diagnostics-copy"), list.length > 0);
    byId("diagnostics-copy").textContent = t("copy_all");
    fill(byId("turn-list"), ...list.map(traceItem));
    this.#showServer();
  }

  #showServer() {
    const config = this.#config;
    const sessionId = this.#sessionId();
    const facts = [
      [t("server_state"), this.#state()],
      ...(config
        ? [
            [t("version"), config.version],
            [t("coach"), namesOf([config.coach, ...config.coach_fallbacks])],
            [t("stt"), namesOf([config.stt, ...config.stt_fallbacks])],
            [t("tts"), nameOf(config.tts)],
            ...("study" in config ? [[t("study_texts"), config.study ? t("available") : t("none")]] : []),
          ]
        : []),
      ...(this.#readiness?.data ? [[t("store"), this.#readiness.data.checks.store]] : []),
      ...(sessionId ? [[t("session_id"), sessionId]] : []),
    ];

    fill(byId("server-facts"), ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  #state() {
    const readiness = this.#readiness;

    if (!readiness) return "…";
    if (readiness.data) return t("server_ready");
    return readiness.failure?.code === "connection_lost" ? t("server_unreachable") : `${t("server_not_ready")}: ${readiness.failure ? errorText(readiness.failure) : ""}`;
  }
}
