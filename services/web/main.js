// The page: puts its parts together and shows the screen that is asked for.  #study and #diagnostics
// are screens of their own, #past/ID is an interview that is over; everything else is where the interview
// stands: set-up, interview, summary.

import { startWorker } from "./assets.js";
import { NARROW } from "./chart.js";
import { Diagnostics } from "./diagnostics.js";
import { confirm, confirmEnd, showRefusal, startDialogs } from "./dialogs.js";
import { byId, show } from "./dom.js";
import { Home } from "./home.js";
import { InterviewRoom } from "./interview.js";
import { InterviewView } from "./interview_view.js";
import { keptInterview, onInterviewElsewhere } from "./memory.js";
import { dropOldAnswers } from "./outbox.js";
import { Setup } from "./setup.js";
import { Study } from "./study.js";
import { Summary } from "./summary.js";
import { onLanguage, startText, t } from "./text.js";
import { call } from "./wire.js";

/** Questions of an exercise. */
const SHORT = 2;

const SCREENS = ["setup", "interview", "summary", "diagnostics", "study"];

let screen = "";
let notice = "";
let hasConfig = false;
/** Another tab has begun an interview. */
let isElsewhere = false;

const room = new InterviewRoom(() => render());
const setup = new Setup((interview) => {
  room.begin(interview);
  goHome();
});
const summary = new Summary({
  onNew: () => leave(""),
  onDeleted: () => {
    if (!pastId()) room.forget();
    leave("deleted");
  },
  onNotDeleted: () => say("not_deleted"),
});
const home = new Home({
  onOpen: ({ id }) => (location.hash = `#past/${id}`),
  onPractise: ({ setup: { question_count, ...chosen } }) => {
    setup.take({ ...chosen, question_count: SHORT });
    byId("role").focus();
  },
  onErased: (key) => say(key),
});
const diagnostics = new Diagnostics(() => room.interview?.id ?? null);
const study = new Study();
const view = new InterviewView(room, {
  isShown: () => screen === "interview",
  onEnd: () => endEarly(),
  onFinish: () => goHome(),
  onNew: async () => {
    if (!room.hasUnsent || (await confirm(t("leave_question"), t("new_interview"), t("end_no")))) leave("");
  },
});

function homeScreen() {
  if (!room.interview) return "setup";
  return room.machine.state === "Complete" ? "summary" : "interview";
}

/** Of the interview that is looked at again, or "". */
function pastId() {
  return /^#past\/(.+)$/.exec(location.hash)?.[1] ?? "";
}

/** What the summary is of. */
function summarised() {
  return pastId() ? home.find(pastId()) : room.interview;
}

function wantedScreen() {
  const name = location.hash.slice(1);

  if (pastId() && home.find(pastId())) return "summary";
  return name === "study" || name === "diagnostics" ? name : homeScreen();
}

/** @param {string} next */
function enter(next) {
  const isFirst = screen === "";

  screen = next;
  document.body.dataset.screen = next;
  document.body.dataset.stage = "ready";
  for (const name of SCREENS) show(byId(`screen-${name}`), name === next);
  const here = next === "study" || next === "diagnostics" ? next : "interview";

  for (const name of ["interview", "study", "diagnostics"]) {
    if (name === here) byId(`nav-${name}`).setAttribute("aria-current", "page");
    else byId(`nav-${name}`).removeAttribute("aria-current");
  }
  if (next === "diagnostics") diagnostics.refresh();
  if (next === "setup") home.refresh();
  if (next !== "interview") room.quiet();
  if (next !== "setup") setup.leave();
  if (!hasConfig) loadConfig();
  if (isFirst) return;
  scrollTo(0, 0);
  byId(next === "interview" ? "question" : `${next}-title`).focus({ preventScroll: true });
}

/** Shows what is true now. */
function render() {
  const next = wantedScreen();

  if (byId("main").dataset.state !== room.machine.state) byId("main").dataset.state = room.machine.state;
  const isNew = next !== screen;

  if (isNew) enter(next);
  document.title = `${t(screen === "study" ? "nav_study" : screen === "diagnostics" ? "nav_diagnostics" : "nav_interview")} – Poise`;
  view.render();
  const over = screen === "summary" ? summarised() : null;

  if (over) summary.render(over);
  else summary.clear();
  show(byId("running"), screen === "setup" && isElsewhere);
  if (screen === "diagnostics") diagnostics.render();
  showRefusal(room.machine.state === "Refused" && screen === "interview", room.refusalId);
  const line = screen === homeScreen() && !pastId() && room.notice && (screen === "interview" || !notice) ? room.notice : notice;

  byId("notice").textContent = line ? t(line) : "";
  show(byId("notice"), line !== "");
  if (screen === "interview") view.focus(isNew);
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

/** Asks once. */
async function endEarly() {
  if (!(await confirmEnd(room.hasAnswers, room.hasUnsent))) return;
  await room.finishEarly();
  if (!room.interview) goHome();
}

/** Away from the interview, for good, or from one of the past. @param {string} key of a notice */
function leave(key) {
  if (!pastId()) room.leave();
  goHome();
  if (key) say(key);
}

/** A network that is there and says nothing is none. */
const CONFIG_PATIENCE_MS = 4000;

/** @type {Promise<void> | null} */
let asking = null;

function loadConfig() {
  asking ??= askConfig().finally(() => (asking = null));
  return asking;
}

async function askConfig() {
  const { data } = await call("GET", "/client-config", { signal: AbortSignal.timeout(CONFIG_PATIENCE_MS) }).catch(() => ({ data: null }));

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
  document.body.dataset.stage = "worded";
  setup.render();
  addEventListener("online", () => hasConfig || loadConfig());
  onInterviewElsewhere((interview) => {
    isElsewhere = interview !== null && room.interview === null;
    render();
  });
  byId("running-open").addEventListener("click", async () => {
    isElsewhere = false;
    await room.resume();
    render();
  });
  startDialogs({ tryAgain: () => room.tryAgain(), end: () => endEarly() });
  onLanguage(() => {
    setup.render();
    study.render();
    home.render();
    render();
  });
  matchMedia(NARROW).addEventListener("change", () => {
    home.render();
    render();
  });
  addEventListener("click", () => room.player.unlock(), { capture: true, once: true });
  addEventListener("hashchange", () => {
    notice = "";
    render();
  });
  await home.refresh();
  if (!keptInterview()) render();
  await loadConfig();
  if (await room.resume()) room.notice = room.isWorking || room.failure || room.machine.state === "Complete" ? "" : "restored";
  render();
  dropOldAnswers();
  startWorker();
}

start();
