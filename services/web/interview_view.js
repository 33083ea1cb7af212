// The interview's screen: what it shows follows from the state of the machine, and what is pressed
// goes to the room.

import { confirm } from "./dialogs.js";
import { announce, byId, show } from "./dom.js";
import { showFailure, startFailureView } from "./failure_view.js";
import { showFeedback } from "./feedback_view.js";
import { LevelMeter, clock } from "./level_meter.js";
import { whyNoRecorder } from "./recorder.js";
import { Replay, marksOf } from "./replay.js";
import { showSound, startSoundView } from "./sound_view.js";
import { watchTalkButton } from "./talk_button.js";
import { t } from "./text.js";

/** @typedef {import("./interview.js").InterviewRoom} InterviewRoom */

/** @param {import("./types.js").Taken} kept */
function keptText({ reason, ms }) {
  const time = clock(Math.ceil(ms / 1000) * 1000);

  return ["unsent", "refused", "listen"].includes(reason) ? t(`kept_${reason}`, { time }) : t("kept", { reason: t(`kept_${reason}`), time });
}

/** @param {import("./talk.js").Talk} talk */
function holdLabel({ isLatched, isAway }) {
  if (isAway) return "release_cancel";
  return isLatched ? "tap_send" : "release";
}

/** @param {import("./talk.js").Talk} talk */
function recordingHint({ isLatched }) {
  return isLatched ? "tap_hint" : "away_hint";
}

export class InterviewView {
  #room;
  #ownReplay = new Replay(byId("own-replay"), () => this.#room.hush());
  #keptReplay = new Replay(byId("kept-replay"), () => this.#room.hush());
  #meter;
  #isShown;
  #said = "";
  #limitChars = 8000;
  /** @type {any} */
  #shownReply = null;
  #shownDraft = "";
  /** Since when there is something to wait for, in ms; 0: there is nothing. */
  #waitingSince = 0;
  #waitingTimer = 0;

  /**
   * @param {InterviewRoom} room
   * @param {{ isShown: () => boolean, onEnd: () => void, onFinish: () => void, onNew: () => void }} shell
   */
  constructor(room, { isShown, onEnd, onFinish, onNew }) {
    this.#room = room;
    this.#isShown = isShown;
    this.#meter = new LevelMeter(room.talk.recorder, () => room.talk.limitMs);
    watchTalkButton(byId("hold"), {
      isActive: () => this.#isShown() && !byId("talk").hidden,
      isOn: () => room.machine.state === "Recording",
      hold: () => room.hold(),
      release: () => room.talk.release(),
      latch: () => room.talk.latch(),
      aim: (isAway) => room.talk.aim(isAway),
      cancel: () => room.talk.interrupt("cancelled"),
    });
    addEventListener("resize", () => this.#fitTalk());
    // A recording that can be heard again is drawn a moment after its card.
    new ResizeObserver(() => {
      if (byId("kept").hidden || !this.#isShown()) return;
      this.#fitTalk();
      this.focus(true);
    }).observe(byId("kept"));
    startFailureView(room);
    startSoundView(room);
    this.#wireAnswer();
    this.#wireReply(onFinish);
    byId("end-interview").addEventListener("click", onEnd);
    byId("failure-new").addEventListener("click", onNew);
  }

  /** @param {number} limitChars */
  limitAnswers(limitChars) {
    this.#limitChars = limitChars;
    this.#countAnswer();
  }

  #wireAnswer() {
    const room = this.#room;
    const text = byId("answer-text");

    byId("type-instead").addEventListener("click", () => {
      room.setTyping(true);
      text.focus();
    });
    byId("talk-instead").addEventListener("click", () => {
      room.setTyping(false);
      byId("hold").focus();
    });
    byId("talk-cancel").addEventListener("click", () => room.talk.interrupt("cancelled"));
    byId("listen-first").addEventListener("change", () => room.listenFirst(byId("listen-first").checked));
    byId("kept-send").addEventListener("click", () => room.talk.sendKept());
    byId("kept-discard").addEventListener("click", async () => {
      if (await confirm(t("kept_question"), t("kept_discard"), t("delete_no"))) room.talk.discardKept();
    });
    byId("words-back").addEventListener("click", () => {
      room.bringRefusedBack();
      text.focus();
    });
    byId("cancel-turn").addEventListener("click", () => room.cancelTurn());
    text.addEventListener("input", () => {
      this.#shownDraft = text.value;
      room.setDraft(text.value);
      this.#countAnswer();
    });
    text.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("answer-form").requestSubmit();
    });
    byId("answer-form").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#sendText();
    });
  }

  #sendText() {
    const text = byId("answer-text");
    const answer = text.value.trim();

    if (answer === "" || [...answer].length > this.#limitChars) {
      if (answer === "") byId("answer-count").textContent = t("answer_empty");
      announce(byId("answer-count").textContent);
      text.focus();
      return;
    }
    this.#room.sendText(answer);
  }

  #countAnswer() {
    const count = [...byId("answer-text").value].length;
    const isOver = count > this.#limitChars;

    byId("answer-count").textContent = count === 0 ? "" : t(isOver ? "answer_too_long" : "answer_count", { count, limit: this.#limitChars });
    byId("answer-count").classList.toggle("over", isOver);
    byId("answer-text").setAttribute("aria-invalid", String(isOver));
  }

  /** @param {() => void} onFinish */
  #wireReply(onFinish) {
    const room = this.#room;

    byId("player-pause").addEventListener("click", () => room.player.togglePause());
    byId("player-stop").addEventListener("click", () => room.stopVoice());
    byId("player-replay").addEventListener("click", () => room.hear());
    byId("question-replay").addEventListener("click", () => (this.#isHeardAgain() ? room.stopVoice() : room.hear()));
    byId("answer-again").addEventListener("click", () => {
      room.again();
      scrollTo(0, 0);
    });
    byId("again-back").addEventListener("click", () => room.leaveAgain());
    byId("continue").addEventListener("click", () => {
      if (!room.reply?.is_complete) room.next();
      else {
        room.finish();
        onFinish();
      }
    });
  }

  /** The open question is spoken once more. */
  #isHeardAgain() {
    return this.#room.machine.state === "Speaking" && !this.#room.isWorking && this.#room.isOpen;
  }

  render() {
    const room = this.#room;
    const { state } = room.machine;
    const { isOpen } = room;
    const isRead = !room.isWorking && (isOpen ? (room.isConversation || room.interview?.isAgain) && ["Ready", "Speaking"].includes(state) : ["Speaking", "Review"].includes(state));
    const reply = isRead ? room.reply : null;

    if (!room.interview) return;
    showSound(room);
    show(byId("taken-back"), room.isTakenBack);
    show(byId("reply-card"), !isOpen);
    this.#renderQuestion();
    this.#renderAnswering(state);
    this.#renderWaiting(state);
    showFailure(state === "Failed" ? room.failure : null, room);
    show(byId("reply"), reply !== null);
    this.#renderReply(reply, state);
    this.#announce(state);
  }

  #renderQuestion() {
    const room = this.#room;
    const interview = /** @type {import("./types.js").Interview} */ (room.interview);
    const total = interview.done + interview.total;
    const number = Math.min(interview.done + interview.turnCount + (interview.isAgain || (room.reply && !interview.isReviewed) ? 0 : 1), total);

    byId("end-interview").setAttribute("aria-disabled", String(room.isAsking));
    byId("progress-text").textContent = t("progress", { number, total });
    byId("progress-bar").style.setProperty("--done", String(number / total));
    byId("question").textContent = room.question;
    show(byId("again-note"), interview.isAgain === true && ["Ready", "Recording"].includes(room.machine.state));
    show(byId("again-back"), room.machine.state === "Ready");
    byId("opening").textContent = interview.opening;
    show(byId("opening"), interview.opening !== "" && !interview.isAgain && ["Ready", "Recording"].includes(room.machine.state));
    show(byId("question-replay"), room.isOpen && room.voice !== null && (room.machine.state === "Ready" || this.#isHeardAgain()));
    byId("question-replay").textContent = t(this.#isHeardAgain() ? "stop" : "hear_question");
  }

  /** @param {string} state */
  #renderAnswering(state) {
    const room = this.#room;
    const isOpen = state === "Ready" || state === "Recording" || this.#isHeardAgain();
    const canTalk = room.canHear && whyNoRecorder() === "";
    const isRecording = state === "Recording";

    show(byId("talk"), isOpen && !room.isTyping);
    show(byId("answer-form"), isOpen && room.isTyping);
    show(byId("talk-instead"), canTalk);
    show(byId("type-instead"), !isRecording);
    const { kept, hint } = room.talk;

    show(byId("kept"), isOpen && !isRecording && kept !== null);
    show(byId("refused-words"), isOpen && !isRecording && room.refusedDraft !== "");
    byId("kept-text").textContent = kept ? keptText(kept) : "";
    this.#keptReplay.show(kept && isOpen && !isRecording ? kept.recording : null);
    byId("hold").classList.toggle("on", isRecording);
    byId("hold").classList.toggle("away", isRecording && room.talk.isAway);
    byId("hold-label").textContent = t(isRecording ? holdLabel(room.talk) : "hold");
    byId("mic-hint").textContent = t(isRecording ? recordingHint(room.talk) : hint === "hold_hint" && matchMedia("(pointer: coarse)").matches ? "hold_hint_touch" : hint);
    show(byId("talk-cancel"), isRecording && room.talk.isLatched);
    byId("listen-first").checked = room.sound.isListeningFirst;
    show(byId("listen-first-row"), isOpen && !room.isTyping && !isRecording);
    byId("mic-hint").dataset.hint = isRecording ? "" : hint;
    byId("typing-note").textContent = room.typingNote && t(room.typingNote);
    show(byId("typing-note"), room.typingNote !== "");
    this.#meter.run(isRecording);
    if (state === "Ready") this.#fitTalk();
    this.#renderDraft(isOpen);
  }

  /** Where the talk button would be off the screen it becomes a bar at its lower edge, which says how to talk where
   * there is room for it. */
  #fitTalk() {
    const talk = byId("talk");

    if (talk.hidden || byId("screen-interview").hidden) return;
    talk.classList.remove("compact", "brief");
    talk.classList.toggle("compact", byId("hold").getBoundingClientRect().bottom + scrollY > innerHeight);
    talk.classList.toggle("brief", talk.offsetHeight > innerHeight / 5);
  }

  /** @param {string} state */
  #renderWaiting(state) {
    const { isAhead, isWorking, sender } = this.#room;
    const preview = isWorking ? sender.preview : null;

    show(byId("waiting"), isWorking);
    this.#countWaiting(isWorking);
    byId("waiting-text").textContent = isWorking ? t(sender.isLost ? "connection_again" : isAhead ? "state_Ahead" : `state_${state}`) : "";
    show(byId("slow"), isWorking && sender.isSlow);
    show(byId("preview"), preview !== null);
    byId("preview-transcript").textContent = preview?.transcript ?? "";
    byId("preview-question").textContent = preview?.assistant_text ?? "";
  }

  /** @param {boolean} isWaiting */
  #countWaiting(isWaiting) {
    const tell = () => (byId("waiting-time").textContent = clock(performance.now() - this.#waitingSince));

    if (isWaiting === this.#waitingSince > 0) return;
    this.#waitingSince = isWaiting ? performance.now() : 0;
    clearInterval(this.#waitingTimer);
    if (!isWaiting) return;
    tell();
    this.#waitingTimer = setInterval(tell, 1000);
  }

  /** What was typed stands in the field only while it may be changed: a refused answer is nowhere. @param {boolean} isOpen */
  #renderDraft(isOpen) {
    const text = byId("answer-text");

    if (!isOpen) {
      text.value = "";
      this.#shownDraft = "";
      this.#countAnswer();
    } else if (this.#room.draft !== this.#shownDraft) {
      text.value = this.#room.draft;
      this.#shownDraft = this.#room.draft;
      this.#countAnswer();
    }
  }

  /**
   * @param {any} reply
   * @param {string} state
   */
  #renderReply(reply, state) {
    const room = this.#room;
    const isSpeaking = state === "Speaking";

    if (reply !== this.#shownReply) {
      this.#shownReply = reply;
      byId("next-question").textContent = reply?.assistant_text ?? "";
      showFeedback(reply);
    }
    this.#ownReplay.show(reply && room.ownRecording, (sound) => marksOf(sound, reply?.delivery));
    show(byId("own-recording"), reply !== null && room.ownRecording !== null);
    if (!reply) return;
    show(byId("answer-again"), room.canTryAgain);
    byId("reply-title").textContent = t(reply.is_complete ? "closing" : "next_question");
    byId("continue").textContent = t(reply.is_complete ? "see_summary" : "continue");
    byId("player-pause").textContent = t(isSpeaking && room.player.isPaused ? "resume_sound" : "pause");
    byId("player-replay").textContent = t(isSpeaking ? "replay" : "listen");
    show(byId("player-pause"), isSpeaking);
    show(byId("player-stop"), isSpeaking);
    show(byId("player-replay"), room.voice !== null);
    show(byId("voice-missing"), room.voice === null && (room.isVoiceGone || reply.warnings.some((/** @type {any} */ warning) => warning.stage === "tts")));
  }

  /** Once for each state, and never what anybody said. @param {string} state */
  #announce(state) {
    const room = this.#room;
    const isPlaying = state === "Speaking" && !room.isWorking;
    const words = room.isWorking && room.sender.isLost ? t("connection_again") : t(isPlaying ? "state_Playing" : `state_${state}`);
    const line = room.isWorking && room.sender.isSlow ? `${words}. ${t("still_working")}` : words;

    if (line === this.#said || !this.#isShown()) return;
    this.#said = line;
    if (state !== "Refused") announce(line);
  }

  /**
   * Whoever was on something that is no longer there stands where it goes on, and what there is to read or to
   * decide is in sight: also where the talk button is a bar.
   * @param {boolean} isNew there is something that was not on the screen before
   */
  focus(isNew) {
    const { state } = this.#room.machine;
    const active = document.activeElement;
    const isLost = !active || active === document.body || !(/** @type {HTMLElement} */ (active).offsetParent);

    if (!(isLost || isNew) || state === "Refused" || document.querySelector("dialog[open]")) return;
    if (isLost) byId(this.#focusOf(state)).focus({ preventScroll: state === "Ready" });
    if (state !== "Ready" || this.#room.isTyping) return;
    byId(byId("kept").hidden ? "question" : "kept").scrollIntoView({ block: "nearest" });
  }

  /** @param {string} state */
  #focusOf(state) {
    if (state === "Failed") return "failure-title";
    if (this.#room.isWorking) return "waiting-text";
    if (state === "Review" || state === "Speaking") return this.#isHeardAgain() ? "question" : "feedback-title";
    return this.#room.isTyping ? "answer-text" : "hold";
  }
}
