// Set-up: what is rehearsed, and what happens to the words before anybody has said one.

import { byId, fill, make, show } from "./dom.js";
import { keepSetup, keptSetup } from "./memory.js";
import { MicTest } from "./mic_test.js";
import { PAPERS, renderPapers, startPapers, tooLongPaper } from "./papers.js";
import { startInterview } from "./start.js";
import { errorText, language, t } from "./text.js";
import { uuid } from "./wire.js";

const TYPES = ["behavioral", "technical", "situational", "system_design", "case", "screening", "mixed"];
const MOST_QUESTIONS = 10;
const STANDARD_QUESTIONS = 5;

/** Names as their owners write them; a host that does not bear its name is named alone. */
const NAMES = { groq: "Groq", anthropic: "Anthropic", deepgram: "Deepgram", openai: "OpenAI" };

/** Who a provider is: "Deepgram (api.deepgram.com)". @param {{ name: string, host: string | null }} provider */
export function providerName({ name, host }) {
  const known = NAMES[/** @type {keyof NAMES} */ (name)] ?? name;

  if (host === null) return t("here", { name: name === "espeak" ? "espeak-ng" : known });
  return host.includes(name) ? `${known} (${host})` : host;
}

/** All of them who are elsewhere: "Groq (api.groq.com), or x.example". @param {any[]} providers */
export function everyone(providers) {
  const names = providers.filter(({ host }) => host !== null).map(providerName);

  return new Intl.ListFormat(language(), { type: "disjunction" }).format([...new Set(names)]);
}

/** Words stay here unless one of them is elsewhere. @param {any} config */
function aboutCoach({ coach, coach_fallbacks: others }) {
  const who = everyone([coach, ...others]);

  return who === "" ? t("disclosure_builtin") : t("disclosure_coach", { who });
}

/** The sentences of the disclosure. @param {any} config of GET /client-config, or null; undefined: it was asked for */
function disclosure(config) {
  if (config === undefined) return [];
  if (!config) return [t("disclosure_unknown")];
  return [
    ...(config.can_hear ? [t("disclosure_voice", { who: everyone([config.stt, ...config.stt_fallbacks]) }), t("disclosure_microphone")] : [t("disclosure_no_voice")]),
    ...(config.screens_answers ? [t("disclosure_screen")] : []),
    aboutCoach(config),
    t(config.coach.name === "builtin" ? "speaks_builtin" : "speaks_model"),
    t("disclosure_papers"),
    ...(config.tts ? [config.tts.host === null ? t("disclosure_speech_here") : t("disclosure_speech", { who: providerName(config.tts) })] : []),
    t("disclosure_kept", { minutes: config.limits.session_idle_minutes }),
  ];
}

export class Setup {
  /** @type {any} */
  #config;
  #key = uuid();
  #isFilled = false;
  #micTest = new MicTest();
  #onStarted;

  /** @param {(interview: import("./types.js").Interview) => void} onStarted */
  constructor(onStarted) {
    this.#onStarted = onStarted;
    byId("setup-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#start();
    });
    byId("setup-form").addEventListener("input", () => {
      this.#key = uuid(); // other words are another session
      keepSetup(this.#chosen());
    });
    startPapers();
  }

  /** @param {any} config */
  configure(config) {
    this.#config = config;
    this.render();
  }

  render() {
    const type = byId("interview-type").value || TYPES[0];
    const count = byId("question-count").value || String(STANDARD_QUESTIONS);

    fill(byId("roles"), ...t("roles").split("|").map((value) => make("option", { value })));
    fill(byId("interview-type"), ...TYPES.map((value) => make("option", { value }, t(`type_${value}`))));
    fill(byId("question-count"), ...Array.from({ length: MOST_QUESTIONS }, (_, at) => make("option", { value: at + 1 }, String(at + 1))));
    byId("interview-type").value = type;
    byId("question-count").value = count;
    if (!this.#isFilled) this.take(keptSetup());
    this.#isFilled = true;
    renderPapers();
    this.#micTest.render(this.#config?.can_hear === true);
    fill(byId("disclosure"), ...disclosure(this.#config).map((sentence) => make("li", {}, sentence)));
  }

  /** Another screen is shown: nothing is recorded behind it. */
  leave() {
    this.#micTest.leave();
  }

  async #start() {
    const start = byId("start");

    this.#showErrors([]);
    if (this.#chosen().role === "") {
      this.#showErrors([{ field: "role", reason: "required" }]);
      return;
    }
    if (tooLongPaper()) {
      this.#showErrors([{ field: tooLongPaper(), reason: "too_long" }]);
      return;
    }
    if (start.getAttribute("aria-disabled") === "true") return;
    start.setAttribute("aria-disabled", "true");
    start.textContent = t("starting");
    const { interview, failure } = await startInterview(this.#chosen(), this.#key);

    if (interview) {
      this.#key = uuid();
      this.leave();
      this.#onStarted(interview);
    } else this.#fail(failure);
    start.removeAttribute("aria-disabled");
    start.textContent = t("start");
  }

  /** @returns {import("./types.js").Setup} */
  #chosen() {
    const form = new FormData(byId("setup-form"));

    return {
      role: String(form.get("role")).trim(),
      interview_type: String(form.get("interview_type")),
      difficulty: String(form.get("difficulty")),
      question_count: Number(form.get("question_count")),
      ...Object.fromEntries(Object.keys(PAPERS).map((name) => [name, String(form.get(name)).trim()]).filter(([, text]) => text !== "")),
    };
  }

  /** The same once more, to be changed. @param {Partial<import("./types.js").Setup>} setup */
  take(setup) {
    const { elements } = /** @type {any} */ (byId("setup-form"));

    for (const [name, value] of Object.entries(setup)) if (elements.namedItem(name)) elements.namedItem(name).value = String(value);
    this.#key = uuid();
    renderPapers();
  }

  /** @param {import("./types.js").Failure} failure */
  #fail(failure) {
    const errors = failure.details?.errors;

    if (failure.code === "validation_error" && Array.isArray(errors)) this.#showErrors(errors);
    else this.#showError(failure.code === "connection_lost" ? t("server_away") : errorText(failure));
  }

  /** @param {string} text */
  #showError(text) {
    byId("setup-error").textContent = text;
    show(byId("setup-error"), text !== "");
  }

  /** @param {{ field: string, reason: string }[]} errors */
  #showErrors(errors) {
    this.#showError("");
    for (const line of document.querySelectorAll("#setup-form [data-field]")) {
      const field = /** @type {HTMLElement} */ (line).dataset.field;
      const error = errors.find((one) => one.field === field);
      const reason = error && error.field in PAPERS && error.reason === "not_allowed" ? "paper_not_allowed" : error?.reason;
      const key = reason ? `field_${reason}` : "";
      const input = /** @type {any} */ (byId("setup-form")).elements.namedItem(field);

      line.textContent = key && (t(key) === key ? t("field_other") : t(key));
      if (input instanceof HTMLElement) input.setAttribute("aria-invalid", String(Boolean(error)));
    }
    if (errors.some(({ field }) => field in PAPERS)) byId("papers").open = true;
    const first = errors[0] && /** @type {any} */ (byId("setup-form")).elements.namedItem(errors[0].field);

    if (first instanceof HTMLElement) first.focus();
  }
}
