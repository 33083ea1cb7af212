// The page: puts its parts together and shows the screen that is asked for.  #study and #diagnostics
// are screens of their own; everything else is where the interview stands: set-up, interview, summary.

import { Diagnostics } from "./diagnostics.js";
import { confirmEnd, showRefusal, startDialogs } from "./dialogs.js";
import { byId, show } from "./dom.js";
import { InterviewRoom } from "./interview.js";
import { InterviewView } from "./interview_view.js";
import { dropOldAnswers } from "./outbox.js";
import { Setup } from "./setup.js";
import { Study } from "./study.js";
import { Summary } from "./summary.js";
import { onLanguage, startText, t } from "./text.js";
import { call } from "./wire.js";

const SCREENS = ["setup", "interview", "summary", "diagnostics", "study"];

let screen = "";
let notice = "";
let hasConfig = false;

const room = new InterviewRoom(() => render());
const setup = new Setup((interview) => {
  room.begin(interview);
  goHome();
});
const summary = new Summary({
  onNew: () => leave(""),
  onDeleted: () => leave("deleted"),
  onNotDeleted: () => say("not_deleted"),
});
const diagnostics = new Diagnostics(() => room.interview?.id ?? null);
const study = new Study();
const view = new InterviewView(room, {
  isShown: () => screen === "interview",
  onEnd: async () => {
    if (await confirmEnd()) leave("");
  },
  onFinish: () => goHome(),
  onNew: () => leave(""),
});

function homeScreen() {
  if (!room.interview) return "setup";
  return room.machine.state === "Complete" ? "summary" : "interview";
}

function wantedScreen() {
  const name = location.hash.slice(1);

  return name === "study" || name === "diagnostics" ? name : homeScreen();
}

/** @param {string} next */
function enter(next) {
  const isFirst = screen === "";

  screen = next;
  document.body.dataset.screen = next;
  for (const name of SCREENS) show(byId(`screen-${name}`), name === next);
  const here = next === "study" || next === "diagnostics" ? next : "interview";

  for (const name of ["interview", "study", "diagnostics"]) {
    if (name === here) byId(`nav-${name}`).setAttribute("aria-current", "page");
    else byId(`nav-${name}`).removeAttribute("aria-current");
  }
  if (next === "diagnostics") diagnostics.refresh();
  if (next !== "interview") room.quiet();
  if (!hasConfig) loadConfig();
  if (isFirst) return;
  scrollTo(0, 0);
  byId(next === "interview" ? "question" : `${next}-title`).focus({ preventScroll: true });
}

/** Shows what is true now. */
function render() {
  const next = wantedScreen();

  if (byId("main").dataset.state !== room.machine.state) byId("main").dataset.state = room.machine.state;
  if (next !== screen) enter(next);
  document.title = `${t(screen === "study" ? "nav_study" : screen === "diagnostics" ? "nav_diagnostics" : "nav_interview")} – Poise`;
  view.render();
  if (screen === "summary" && room.interview) summary.render(room.interview);
  if (screen === "diagnostics") diagnostics.render();
  showRefusal(room.machine.state === "Refused" && screen === "interview");
  const line = screen === "interview" && room.notice ? room.notice : notice;

  byId("notice").textContent = line ? t(line) : "";
  show(byId("notice"), line !== "");
  if (screen === "interview") view.focus();
}

/** @param {string} key of the notice above the screen */
function say(key) {
  notice = key;
  render();
}

function goHome() {
  notice = "";
  if (location.hash !== "" && location.hash !== "#interview") location.hash = "#interview";
  render();
}

/** Away from the interview, for good. @param {string} key of a notice */
function leave(key) {
  room.leave();
  goHome();
  if (key) say(key);
}

async function loadConfig() {
  const { data } = await call("GET", "/client-config");

  hasConfig = data !== null;
  setup.configure(data);
  study.configure(data);
  if (!data) return;
  diagnostics.configure(data);
  view.limitAnswers(data.limits.transcript_chars);
  room.configure(data);
}

async function start() {
  startText();
  startDialogs({ tryAgain: () => room.tryAgain(), end: () => leave("") });
  onLanguage(() => {
    setup.render();
    study.render();
    render();
  });
  addEventListener("click", () => room.player.unlock(), { capture: true, once: true });
  addEventListener("hashchange", () => {
    notice = "";
    render();
  });
  await loadConfig();
  if (await room.resume()) room.notice = room.isWorking ? "" : "restored";
  render();
  dropOldAnswers();
}

start();
