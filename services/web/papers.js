// The advert and the CV of the set-up: pasted, or read here out of a file of text or a PDF; shown, and to be
// changed, before anything is sent.

import { hasScript, scriptUrl } from "./assets.js";
import { confirm } from "./dialogs.js";
import { announce, byId, show } from "./dom.js";
import { t } from "./text.js";

/** Of the service, for each. */
export const MAX_CHARS = 20000;

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_PAGES = 30;

/** Field names, as the service has them, and the ids of their elements. */
export const PAPERS = Object.freeze({ job_advert: "job-advert", resume: "resume" });

/** Why a file gives no text: the key of the words that say so. */
class Unreadable extends Error {}

/** @param {Uint8Array} bytes */
function isPdf(bytes) {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 1024)).includes("%PDF-");
}

/**
 * UTF-8, or what an older editor wrote.
 * @param {Uint8Array} bytes
 */
function textOfBytes(bytes) {
  let text;

  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder("windows-1252").decode(bytes);
  }
  if (/[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ufffd]/.test(text)) throw new Unreadable("paper_not_text");
  return text;
}

/**
 * pdf.js is loaded only now: it is ten times as large as the page.
 * @param {Uint8Array} bytes
 */
async function textOfPdf(bytes) {
  if (!hasScript("pdf")) throw new Unreadable("paper_no_pdf");
  const pdf = await import(String(scriptUrl("pdf"))).catch(() => {
    throw new Unreadable("paper_no_reader");
  });
  const port = new Worker(scriptUrl("pdf_worker"), { type: "module" });
  const worker = pdf.PDFWorker.create({ port, verbosity: 0 });
  const task = pdf.getDocument({ data: bytes, worker, verbosity: 0, isEvalSupported: false, useWasm: false, useWorkerFetch: false, disableFontFace: true, useSystemFonts: false });

  try {
    return await textOfPages(await task.promise);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(/** @type {Error} */ (error).name === "PasswordException" ? "paper_locked" : "paper_broken_pdf");
  } finally {
    task.destroy();
    port.terminate();
  }
}

/** @param {any} file of pdf.js */
async function textOfPages(file) {
  let text = "";

  if (file.numPages > MAX_PAGES) throw new Unreadable("paper_too_many_pages");
  for (let number = 1; number <= file.numPages; number++) {
    const { items } = await (await file.getPage(number)).getTextContent();

    text += items.map((/** @type {{ str?: string, hasEOL?: boolean }} */ { str = "", hasEOL }) => str + (hasEOL ? "\n" : "")).join("") + "\n\n";
  }
  return text;
}

/**
 * @param {File} file
 * @returns {Promise<string>} throws Unreadable
 */
async function textOf(file) {
  if (file.size > MAX_FILE_BYTES) throw new Unreadable("paper_too_large");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isOfPdf = isPdf(bytes);
  const text = (isOfPdf ? await textOfPdf(bytes) : textOfBytes(bytes)).replace(/\r\n?/g, "\n").replace(/[\f\v]/g, "\n").replace(/\n{3,}/g, "\n\n").trim();

  if (text === "") throw new Unreadable(isOfPdf ? "paper_no_text" : "paper_empty");
  return text;
}

/** Nothing that a person could mean to send. @param {string} text */
function lengthOf(text) {
  return [...text.trim()].length;
}

/** @param {string} id */
function count(id) {
  const length = lengthOf(byId(id).value);
  const isOver = length > MAX_CHARS;

  byId(`${id}-count`).textContent = length === 0 ? "" : t(isOver ? "answer_too_long" : "answer_count", { count: length, limit: MAX_CHARS });
  byId(`${id}-count`).classList.toggle("over", isOver);
  byId(id).setAttribute("aria-invalid", String(isOver));
}

/**
 * @param {string} id
 * @param {string} key of the words, or ""
 */
function say(id, key) {
  const line = byId(`${id}-error`);

  line.textContent = key && t(key);
  if (key) announce(line.textContent);
}

/**
 * @param {string} id
 * @param {File} file
 */
async function take(id, file) {
  const field = byId(id);

  say(id, "");
  byId(`${id}-pick`).setAttribute("aria-busy", "true");
  try {
    const text = await textOf(file);

    if (field.value.trim() !== "" && !(await confirm(t("paper_replace"), t("paper_replace_yes"), t("delete_no")))) return;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    announce(t("paper_read", { name: file.name }));
    field.focus();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    say(id, error.message);
  } finally {
    byId(`${id}-pick`).removeAttribute("aria-busy");
  }
}

/** @returns {string} the field that is too long, or "" */
export function tooLongPaper() {
  return Object.entries(PAPERS).find(([, id]) => lengthOf(byId(id).value) > MAX_CHARS)?.[0] ?? "";
}

/** Counts what the fields hold now, and says what files may be. */
export function renderPapers() {
  for (const id of Object.values(PAPERS)) {
    count(id);
    byId(`${id}-file`).accept = hasScript("pdf") ? ".pdf,.txt,.md,text/plain,application/pdf" : ".txt,.md,text/plain";
    byId(`${id}-pick-text`).textContent = t(hasScript("pdf") ? "paper_pick" : "paper_pick_text");
  }
  show(byId("papers-no-pdf"), !hasScript("pdf"));
  if (Object.values(PAPERS).some((id) => byId(id).value !== "")) byId("papers").open = true;
}

export function startPapers() {
  for (const id of Object.values(PAPERS)) {
    byId(id).addEventListener("input", () => {
      count(id);
      say(id, "");
    });
    byId(`${id}-file`).addEventListener("change", () => {
      const [file] = byId(`${id}-file`).files;

      byId(`${id}-file`).value = ""; // the same once more is a change, too
      if (file) take(id, file);
    });
  }
}
