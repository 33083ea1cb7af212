// Set-up: what is rehearsed, and what happens to the words before anybody has said one.

import { byId, fill, make, show } from "./dom.js";
import { errorText, language, t } from "./text.js";
import { call, uuid } from "./wire.js";

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

/** The sentences of the disclosure. @param {any} config of GET /client-config, or null */
function disclosure(config) {
  if (!config) return [t("disclosure_unknown")];
  return [
    ...(config.can_hear ? [t("disclosure_voice", { who: everyone([config.stt, ...config.stt_fallbacks]) }), t("disclosure_microphone")] : [t("disclosure_no_voice")]),
    ...(config.screens_answers ? [t("disclosure_screen")] : []),
    aboutCoach(config),
    ...(config.tts ? [config.tts.host === null ? t("disclosure_speech_here") : t("disclosure_speech", { who: providerName(config.tts) })] : []),
    t("disclosure_kept", { minutes: config.limits.session_idle_minutes }),
  ];
}

export class Setup {
  /** @type {any} */
  #config = null;
  #key = uuid();
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
    });
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
    fill(byId("disclosure"), ...disclosure(this.#config).map((sentence) => make("li", {}, sentence)));
  }

  async #start() {
    const form = new FormData(byId("setup-form"));
    const role = String(form.get("role")).trim();
    const start = byId("start");

    this.#showErrors([]);
    if (role === "") {
      this.#showErrors([{ field: "role", reason: "required" }]);
      return;
    }
    if (start.getAttribute("aria-disabled") === "true") return;
    start.setAttribute("aria-disabled", "true");
    start.textContent = t("starting");
    const chosen = {
      role,
      interview_type: String(form.get("interview_type")),
      difficulty: String(form.get("difficulty")),
      question_count: Number(form.get("question_count")),
    };
    const { data, failure } = await call("POST", "/session/start", { json: chosen, key: this.#key });

    if (data) await this.#begin(chosen, data);
    else if (failure) this.#fail(failure);
    start.removeAttribute("aria-disabled");
    start.textContent = t("start");
  }

  /** The opening prompt ends with the first question; where it begins only the session says. @param {any} chosen @param {any} data */
  async #begin(chosen, data) {
    const session = await call("GET", `/session/${data.session_id}`, { token: data.session_token });
    const first = session.data?.asked_questions[0] ?? "";
    const isSplit = first !== "" && data.opening_prompt.endsWith(first);

    this.#key = uuid();
    this.#onStarted({
      id: data.session_id,
      token: data.session_token,
      role: chosen.role,
      type: chosen.interview_type,
      difficulty: chosen.difficulty,
      total: chosen.question_count,
      turnCount: 0,
      opening: isSplit ? data.opening_prompt.slice(0, -first.length).trim() : "",
      question: isSplit ? first : data.opening_prompt,
      isReviewed: true,
      turns: [],
    });
  }

  /** @param {import("./types.js").Failure} failure */
  #fail(failure) {
    const errors = failure.details?.errors;

    if (failure.code === "validation_error" && Array.isArray(errors)) this.#showErrors(errors);
    else this.#showError(failure.code === "connection_lost" ? t("server_unreachable") : errorText(failure));
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
      const key = error ? `field_${error.reason}` : "";
      const input = /** @type {any} */ (byId("setup-form")).elements.namedItem(field);

      line.textContent = key && (t(key) === key ? t("field_other") : t(key));
      if (input instanceof HTMLElement) input.setAttribute("aria-invalid", String(Boolean(error)));
    }
    const first = errors[0] && /** @type {any} */ (byId("setup-form")).elements.namedItem(errors[0].field);

    if (first instanceof HTMLElement) first.focus();
  }
}
