// The words of the chosen language: by navigator.language, or as chosen with the switch.

import { byId, make } from "./dom.js";
import { LANGUAGES } from "./strings.js";

const KEY = "poise.language";
const STANDARD = "en";

let code = STANDARD;

/** @type {(() => void)[]} */
const listeners = [];

function firstLanguage() {
  let kept = null;

  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // Storage is off: the browser's language it is.
  }
  for (const wanted of [kept, ...(navigator.languages || [navigator.language])]) {
    const short = (wanted || "").toLowerCase().split("-")[0];

    if (short in LANGUAGES) return short;
  }
  return STANDARD;
}

/**
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const words = LANGUAGES[code].words[key] ?? LANGUAGES[STANDARD].words[key] ?? key;

  return words.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * The message of an error, in this language where it is known.
 * @param {import("./types.js").Failure} failure
 */
export function errorText(failure) {
  const { errors } = LANGUAGES[code];

  return errors[`${failure.code}_${failure.details?.cap}`] ?? errors[failure.code] ?? failure.message;
}

/** For numbers and dates. */
export function language() {
  return code;
}

/** @param {() => void} listener called when the language is another */
export function onLanguage(listener) {
  listeners.push(listener);
}

function translate() {
  document.documentElement.lang = code;
  document.documentElement.dir = LANGUAGES[code].direction;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.getAttribute("data-t") || "");
  for (const element of document.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.getAttribute("data-t-label") || ""));
  for (const element of document.querySelectorAll("[data-t-hint]")) element.setAttribute("placeholder", t(element.getAttribute("data-t-hint") || ""));
}

export function startText() {
  const select = byId("language");

  code = firstLanguage();
  for (const [value, { name }] of Object.entries(LANGUAGES)) select.append(make("option", { value, lang: value }, name));
  select.value = code;
  select.addEventListener("change", () => {
    code = select.value;
    try {
      localStorage.setItem(KEY, code);
    } catch {
      // It holds until the page is left.
    }
    translate();
    for (const listener of listeners) listener();
  });
  translate();
}
