// The interview: what the candidate does becomes events of the state machine, and what the machine
// enters becomes requests, recording and playback.  Knows nothing of the screen.

import { Machine, WORKING } from "./machine.js";
import { addTrace, keepDraft, keepInterview, keptDraft, keptInterview, onInterviewElsewhere } from "./memory.js";
import { dropAnswer, keepAnswer, keptAnswer } from "./outbox.js";
import { Parts, dropRecordings, lostRecordings, moveRecordings } from "./parts.js";
import { keepPast } from "./past.js";
import { Player } from "./player.js";
import { whyNoRecorder } from "./recorder.js";
import { dropOwnRecordings, keepRecording, keptRecording } from "./recordings.js";
import { Sender } from "./sender.js";
import { Sound } from "./sound.js";
import { startInterview } from "./start.js";
import { Talk } from "./talk.js";
import { call, uuid } from "./wire.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Failure} Failure */
/** @typedef {import("./types.js").Interview} Interview */
/** @typedef {import("./types.js").Result} Result */

/** Both are told as a refusal: the second is the provider's own policy. */
const REFUSALS = ["content_refused", "llm_content_filter"];

/** After these nobody knows whether the answer was taken. */
const UNKNOWN_OUTCOMES = ["connection_lost", "turn_in_progress"];

/** After these the session is over for this client. */
export const ENDED = ["invalid_token", "session_id_mismatch", "session_not_found"];

/** After these there is nothing more to be had of the service. */
const FINISHED = [...ENDED, "nothing_answered"];

/** After these the question cannot be tried once more. */
const NO_MORE = ["too_many_attempts", "no_question_answered"];

/** All is answered, or it was ended before. @param {Interview} interview */
export function isOver({ turns, isEnded }) {
  return isEnded === true || turns.at(-1)?.data.is_complete === true;
}

export class InterviewRoom {
  machine = new Machine();

  /** @type {Interview | null} */
  interview = null;
  /** The reply that is being read, or the voice of the open question. @type {any} */
  reply = null;
  /** @type {Failure | null} */
  failure = null;
  /** Where the service cannot hear, or the candidate prefers it. */
  isTyping = false;
  /** What is typed and has no outcome yet. */
  draft = "";
  /** The typed answer that was refused: in no element and no storage, until its writer wants it back. */
  refusedDraft = "";
  /** Key of the words that say why, or "". */
  typingNote = "";
  /** Key of a notice above the screen, or "". */
  notice = "";
  isVoiceGone = false;
  canHear = false;
  /** Request id of the last refusal. */
  refusalId = "";

  /** A new session, or the end, is being asked for. */
  isAsking = false;

  /** The service speaks. */
  hasVoice = false;
  /** Of the answer whose reply is shown. @type {Blob | null} */
  ownRecording = null;
  /** The question of the last turn has been tried as often as it may be. */
  isTriedOut = false;
  /** The turn that failed had been heard: its question is none. */
  isTakenBack = false;
  sound = new Sound();

  /** The next question, before its turn is sure: it sounds, or was heard to its end. @type {"" | "sounding" | "heard"} */
  #ahead = "";
  /** Path of the sound of the open question, or of the one that comes next. @type {string | null} */
  #voice = null;

  /** On its way, or failed. @type {Answer | null} */
  #answer = null;
  #renewKey = "";
  #changed;

  /** @param {() => void} changed called when there is something else to show */
  constructor(changed) {
    this.#changed = changed;
    this.talk = new Talk(this.machine, {
      onRecorded: (taken) => this.interview && this.#start(this.#newAnswer(null, taken)),
      onDiscarded: ({ id }) => this.interview && dropRecordings(this.interview.id, id),
      newParts: () => new Parts(this.interview?.id ?? ""),
      isListeningFirst: () => this.sound.isListeningFirst,
      onNoMicrophone: (why) => this.#typeInstead(why),
      changed,
    });
    this.sender = new Sender(
      (event) => {
        if (event === "lost") this.#takeBack();
        this.machine.send(event);
      },
      (sound) => this.#hearAhead(sound),
      changed,
    );
    this.player = new Player((why) => this.#onHeard(why), changed);
    this.machine.onChange((state, before) => {
      if (before === "Speaking" && state !== "Speaking") this.player.stop();
      if (state !== "Failed") this.failure = null;
      changed();
    });
    addEventListener("online", () => {
      if (this.failure?.code === "connection_lost") this.retry();
    });
    onInterviewElsewhere((interview) => this.#follow(interview));
  }

  /** @param {{ can_hear: boolean, tts: any, limits: any }} config of GET /client-config */
  configure(config) {
    this.canHear = config.can_hear;
    this.hasVoice = config.tts !== null;
    this.talk.limitMs = config.limits.audio_seconds * 1000;
    this.#changed();
  }

  /** The service works on an answer: there is nothing to read yet. */
  get isWorking() {
    return WORKING.includes(this.machine.state) && this.#answer !== null;
  }

  get isComplete() {
    return this.interview !== null && isOver(this.interview);
  }

  /** The voice of what is shown, or null. */
  get voice() {
    const { interview } = this;

    if (this.isVoiceGone || !interview || interview.isAgain) return null;
    return this.#voice ?? (this.hasVoice && interview.isReviewed ? `/session/${interview.id}/speech?question=${interview.turnCount + 1}` : null);
  }

  /** A question is open, and no reply to be read first. */
  get isOpen() {
    return Boolean(this.interview?.isReviewed || this.interview?.isAgain);
  }

  /** The question that is shown. */
  get question() {
    const { isAgain, question, turns } = /** @type {Interview} */ (this.interview);

    return isAgain ? /** @type {import("./types.js").Turn} */ (turns.at(-1)).question : question;
  }

  get canTryAgain() {
    const interview = /** @type {Interview} */ (this.interview);

    return interview.turnCount > 0 && !interview.isAgain && !this.isTriedOut;
  }

  /** How questions are heard now. */
  get way() {
    return this.sound.way(this.isTyping);
  }

  /** The next question sounds already, or did, while the rest of the reply is still to come. */
  get isAhead() {
    return this.#ahead !== "" && this.isWorking;
  }

  /** The next question follows at once, spoken. */
  get isConversation() {
    return this.hasVoice && this.way === "conversation";
  }

  get wasSpoken() {
    return this.#answer?.recording != null;
  }

  /** There are words here that became no answer. */
  get hasUnsent() {
    return this.draft !== "" || this.talk.kept !== null || this.#answer !== null;
  }

  get hasAnswers() {
    return (this.interview?.turns.length ?? 0) > 0;
  }

  // ---- beginning, coming back, leaving

  /** @param {Interview} interview */
  begin(interview) {
    this.leave();
    this.notice = "";
    this.#use(interview);
    keepInterview(interview);
    this.machine.reset("Ready");
  }

  /** @param {Interview} interview */
  #use(interview) {
    const why = whyNoRecorder();

    this.interview = interview;
    this.draft = keptDraft(interview.id);
    this.isTyping = !this.canHear || why !== "" || this.draft !== "";
    this.typingNote = !this.canHear ? "no_hearing" : why && `microphone_${why}`;
  }

  /** After a reload, or in another tab.  True where there is an interview to come back to. */
  async resume() {
    const interview = keptInterview();

    if (!interview) return false;
    const { data, failure } = await call("GET", `/session/${interview.id}`, { token: interview.token });

    this.#use(interview);
    const answer = await keptAnswer(interview.id);

    this.talk.keep((await lostRecordings(interview.id)).filter(({ id }) => id !== answer?.recordingId || answer.key === interview.settledKey));
    // The summary of a finished interview outlives its session.
    if (failure && ENDED.includes(failure.code) && !isOver(interview)) {
      if (answer) this.#bringBack(answer);
      this.failure = failure;
      this.machine.reset("Failed");
    } else if (answer && answer.key !== interview.settledKey) {
      // It was under way when the page went: its key makes sure that it counts once.
      this.machine.reset("Ready");
      this.#start(answer);
    } else {
      if (answer) dropAnswer(interview.id);
      await this.#goOn(interview, data);
    }
    return true;
  }

  /**
   * What was answered where this browser did not hear the reply: the service's report has it.
   * @param {Interview} interview
   */
  async #catchUp(interview) {
    const { data } = await call("GET", `/session/${interview.id}/report`, { token: interview.token });
    const known = interview.turns.length - interview.turnCount; // of sessions before this one

    for (const { number, question, attempts } of data?.questions ?? []) {
      const last = attempts.at(-1);

      if (!last || interview.turns.length !== known + number - 1) continue;
      interview.turns.push({ question, attempts: attempts.slice(0, -1), data: { ...last, warnings: [], tts_audio_url: null, is_complete: false } });
    }
    if (data?.session_summary) interview.summary = data.session_summary;
  }

  /**
   * Where the interview stands; the service knows of turns that this browser never heard of.
   * @param {Interview} interview
   * @param {any} session `data` of GET /session; null: not to be had
   */
  async #goOn(interview, session) {
    if (session?.turn_count > interview.turnCount) {
      await this.#catchUp(interview);
      interview.turnCount = session.turn_count;
      interview.isReviewed = true;
      interview.opening = "";
    }
    if (interview.isReviewed && session?.status === "active") interview.question = session.asked_questions.at(-1) ?? interview.question;
    if (session) keepInterview(interview);
    this.reply = interview.turns.at(-1)?.data ?? null;
    this.#voice = this.reply?.tts_audio_url ?? null;
    this.#findRecording(interview);
    if (interview.isAgain) this.machine.reset("Ready");
    else if (this.reply && !interview.isReviewed) this.machine.reset("Review");
    else this.machine.reset(this.isComplete || session?.status === "completed" ? "Complete" : "Ready");
  }

  /**
   * Another tab went on with this interview, or left it; what is under way here is not touched.
   * @param {Interview | null} interview
   */
  #follow(interview) {
    const mine = this.interview;

    if (!mine || this.isWorking) return;
    if (interview?.id !== mine.id) {
      this.#forget();
      this.machine.reset("Ready");
      this.notice = "ended_elsewhere";
    } else {
      const isFurther = interview.turns.length > mine.turns.length || (interview.isReviewed && !mine.isReviewed) || (isOver(interview) && !isOver(mine));

      if (!isFurther) return;
      this.talk.interrupt("elsewhere");
      this.#silence();
      this.interview = interview;
      this.#goOn(interview, null);
      this.notice = this.draft ? "went_on_with_draft" : "went_on_elsewhere";
    }
    this.#changed();
  }

  leave() {
    const { interview } = this;

    if (interview) {
      dropRecordings(interview.id);
      dropAnswer(interview.id);
      keepDraft(interview.id, "");
      if (interview.turns.length > 0) keepPast(interview);
      keepInterview(null);
    }
    this.#forget();
    this.machine.reset("Ready");
  }

  /** It is not kept among those of the past either: it has been deleted. */
  forget() {
    keepInterview(null);
    if (this.interview) {
      dropRecordings(this.interview.id);
      dropOwnRecordings(this.interview.id);
      dropAnswer(this.interview.id);
    }
    this.#forget();
  }

  #forget() {
    this.sender.cancel();
    this.sender.forget();
    this.talk.forget();
    this.talk.dropKept();
    this.player.forget();
    this.interview = null;
    this.reply = null;
    this.#voice = null;
    this.#ahead = "";
    this.ownRecording = null;
    this.isTriedOut = false;
    this.draft = "";
    this.refusedDraft = "";
    this.#answer = null;
    this.#renewKey = "";
  }

  /** After the questions answered so far, with the summary of those.  Nothing answered: it is just left. */
  async finishEarly() {
    const interview = /** @type {Interview} */ (this.interview);

    if (this.isAsking) return;
    if (!this.hasAnswers) {
      this.leave();
      return;
    }
    this.talk.interrupt("hidden");
    this.#silence();
    this.isAsking = true;
    this.#changed();
    const { data, failure } = await call("POST", `/session/${interview.id}/finish`, { token: interview.token });

    this.isAsking = false;
    if (this.interview !== interview) return;
    // Of a session that has expired, or began with the last question, there is what is here.
    if (data || FINISHED.includes(failure?.code ?? "")) this.end(data?.session_summary ?? null);
    else {
      this.notice = failure?.code === "turn_in_progress" ? "still_running" : failure?.code === "connection_lost" ? "server_away" : "not_ended";
      this.#changed();
    }
  }

  /** What is here is all that there is: it becomes the summary. @param {any} [summary] `session_summary`, where there is one */
  end(summary = null) {
    const interview = /** @type {Interview} */ (this.interview);

    this.sender.cancel();
    this.notice = "";
    if (summary) interview.summary = summary;
    interview.isEnded = true;
    keepInterview(interview);
    keepPast(interview);
    this.machine.reset("Complete");
  }

  /** The session has expired: the same interview goes on in another, with what is not answered yet. */
  async renew() {
    const old = /** @type {Interview} */ (this.interview);

    if (this.isAsking) return;
    this.isAsking = true;
    this.#renewKey ||= uuid();
    this.#changed();
    const setup = { ...old.setup, question_count: Math.max(1, old.total - old.turnCount) };
    const { interview, failure } = await startInterview(setup, this.#renewKey);

    this.isAsking = false;
    if (this.interview !== old) return;
    if (interview) this.#goOnIn({ ...interview, opening: "", setup: old.setup, turns: old.turns, done: old.done + old.turnCount });
    else {
      this.notice = failure.code === "connection_lost" ? "server_away" : "not_renewed";
      this.#changed();
    }
  }

  /** @param {Interview} interview */
  #goOnIn(interview) {
    const { isTyping } = this;
    const old = /** @type {Interview} */ (this.interview);
    const draft = this.#answer?.text ?? this.draft;

    if (this.#answer) this.#bringBack(this.#answer);
    moveRecordings(old.id, interview.id);
    dropAnswer(old.id);
    keepDraft(old.id, "");
    this.talk.forget();
    this.reply = null;
    this.#voice = null;
    this.#answer = null;
    this.#renewKey = "";
    this.sender.forget();
    this.#use(interview);
    this.setDraft(draft);
    this.isTyping ||= isTyping;
    keepInterview(interview);
    this.machine.reset("Ready");
    this.notice = "renewed";
    this.#changed();
  }

  // ---- answering

  /** The candidate need not hear the question to its end. */
  hold() {
    this.#silence();
    return this.talk.hold();
  }

  /** @param {string} text */
  sendText(text) {
    this.#start(this.#newAnswer(text, null));
  }

  /** What stands in the field now. @param {string} text */
  setDraft(text) {
    this.draft = text;
    if (this.interview) keepDraft(this.interview.id, text);
  }

  /** The words of a refused answer are its writer's: to be changed, not to be written again. */
  bringRefusedBack() {
    this.setDraft(this.refusedDraft);
    this.refusedDraft = "";
    this.isTyping = true;
    this.#changed();
  }

  /**
   * It has no outcome, or none to go on with: its words stay in the field, its recording above the button.
   * @param {Answer} answer
   * @param {"unsent" | "refused"} [reason]
   */
  #bringBack({ text, recording, recordingId = "", ms = 0 }, reason = "unsent") {
    if (text !== null) this.setDraft(text);
    else if (recording) this.talk.keep([{ id: recordingId, recording, ms, reason }]);
  }

  /** @param {boolean} isTyping */
  setTyping(isTyping) {
    this.isTyping = isTyping;
    this.typingNote = "";
    this.#changed();
  }

  /** @param {string} why */
  #typeInstead(why) {
    this.isTyping = true;
    this.typingNote = `microphone_${why}`;
    this.#changed();
  }

  /** Another screen is shown: nothing may be recorded or played behind it. */
  quiet() {
    this.talk.interrupt("hidden");
    this.#silence();
  }

  /** Something else is listened to. */
  hush() {
    this.#silence();
  }

  #silence() {
    if (this.machine.state === "Speaking" && !this.isWorking) this.stopVoice();
  }

  // ---- sound

  /** @param {boolean} isMuted */
  mute(isMuted) {
    this.sound.mute(isMuted);
    if (isMuted && this.isWorking) {
      this.player.stop();
      if (this.#ahead) this.#ahead = "heard";
    } else if (isMuted) this.#silence();
    this.#changed();
  }

  /** @param {boolean} isListeningFirst */
  listenFirst(isListeningFirst) {
    this.sound.listenFirst(isListeningFirst);
    this.#changed();
  }

  /** @param {import("./sound.js").Way} way */
  chooseWay(way) {
    this.sound.choose(way);
    this.#changed();
  }

  /**
   * While feedback is still being written.
   * @param {{ content_type: string, audio_base64: string }} sound
   */
  #hearAhead(sound) {
    this.player.hold(sound.content_type, sound.audio_base64);
    if (!this.isConversation || this.sound.isMuted) return;
    this.#ahead = "sounding";
    this.player.play("", "");
    this.#changed();
  }

  /** What sounded ahead came to nothing. */
  #takeBack() {
    this.#ahead = "";
    this.player.forget();
  }

  // ---- a turn

  /**
   * @param {string | null} text
   * @param {import("./types.js").Taken | null} taken
   * @returns {Answer}
   */
  #newAnswer(text, taken) {
    const { id: sessionId, isAgain } = /** @type {Interview} */ (this.interview);

    return { key: uuid(), sessionId, text, isAgain, recording: taken?.recording ?? null, recordingId: taken?.id, ms: taken?.ms };
  }

  /**
   * @param {Answer} answer
   * @param {"send" | "retry"} [event]
   */
  #start(answer, event = "send") {
    this.#silence();
    if (!this.machine.can(event)) return;
    this.#answer = answer;
    this.talk.forget();
    this.notice = "";
    this.isTakenBack = false;
    this.refusedDraft = "";
    if (answer.text !== null) this.setDraft(answer.text);
    keepAnswer(answer);
    this.machine.send(event);
    this.#run(answer);
  }

  /** @param {Answer} answer */
  async #run(answer) {
    const outcome = await this.sender.send(answer, /** @type {Interview} */ (this.interview));

    if (outcome) this.#settle(answer, outcome.result, outcome.isEarlier);
  }

  /**
   * @param {Answer} answer
   * @param {Result} result
   * @param {boolean} isEarlier
   */
  #settle(answer, result, isEarlier) {
    this.#trace(result);
    this.isTakenBack = !result.data && this.#ahead !== "";
    if (!result.data) this.#takeBack();
    if (!result.failure?.retryable) this.#noteSettled(answer);
    if (result.data) {
      dropAnswer(answer.sessionId);
      this.#answer = null;
      if (isEarlier) {
        this.notice = "earlier_arrived";
        this.#bringBack(answer);
      } else {
        if (answer.text !== null) this.setDraft("");
        if (answer.recordingId) dropRecordings(answer.sessionId, answer.recordingId);
        if (result.data.kind !== "repeat") {
          this.talk.dropKept();
          dropRecordings(answer.sessionId);
        }
      }
      this.#take(result.data, isEarlier ? null : answer.recording);
    } else if (REFUSALS.includes(/** @type {Failure} */ (result.failure).code)) {
      dropAnswer(answer.sessionId);
      this.#answer = null;
      this.#refuse(answer, /** @type {Failure} */ (result.failure));
    } else {
      if (!result.failure?.retryable) dropAnswer(answer.sessionId);
      this.failure = result.failure;
      this.machine.send("fail");
    }
  }

  /**
   * @param {Answer} answer
   * @param {Failure} failure
   */
  #refuse(answer, failure) {
    if (answer.text !== null) this.setDraft("");
    this.refusedDraft = answer.text ?? "";
    this.refusalId = failure.requestId ?? "";
    if (answer.recordingId) dropRecordings(answer.sessionId, answer.recordingId);
    if (answer.recording) this.#bringBack(answer, "refused");
    this.machine.send("refuse");
  }

  /** At once, which dropAnswer() is not: a reload comes between. @param {Answer} answer */
  #noteSettled(answer) {
    if (!this.interview) return;
    this.interview.settledKey = answer.key;
    keepInterview(this.interview);
  }

  /**
   * A committed turn, or the question once more.
   * @param {any} data
   * @param {Blob | null} recording that it is the reply to
   */
  #take(data, recording) {
    const interview = /** @type {Interview} */ (this.interview);

    if (data.kind === "repeat") {
      this.#repeat(data);
      return;
    }
    // The service knows of this session only.
    if (interview.done > 0) delete data.session_summary?.average_scores;
    if (data.session_summary) delete interview.summary; // of fewer answers
    this.#addTurn(interview, data);
    interview.turnCount = data.question_number;
    interview.isReviewed = false;
    interview.isAgain = false;
    this.reply = data;
    this.ownRecording = recording;
    if (recording) keepRecording(interview.id, data, recording);
    this.#keepVoice(data);
    keepInterview(interview);
    if (data.is_complete) keepPast(interview);
    this.#goOnFrom(data);
  }

  /**
   * Another attempt takes the place of the one before, which is kept with it.
   * @param {Interview} interview
   * @param {any} data
   */
  #addTurn(interview, data) {
    const last = interview.turns.at(-1);

    if (data.attempt > 1 && last) {
      last.attempts = [...(last.attempts ?? []), last.data].slice(0, data.attempt - 1);
      last.data = data;
      interview.question = last.question;
    } else {
      interview.turns.push({ question: interview.question, data });
      this.isTriedOut = false;
    }
  }

  /** The candidate wanted to hear the question again, or what it means: nothing else has changed. @param {any} data */
  #repeat(data) {
    const interview = /** @type {Interview} */ (this.interview);
    const isToHear = this.hasVoice && !this.sound.isMuted && data.tts_audio_url !== null && this.#ahead !== "heard";
    const isSounding = this.#ahead === "sounding";

    if (!interview.isAgain) interview.question = data.assistant_text;
    keepInterview(interview);
    this.#keepVoice(data);
    this.#ahead = "";
    this.notice = "repeated";
    this.machine.send(isToHear ? "reply_to_hear" : "reply_to_read");
    if (isToHear && !isSounding) this.#playIfSpeaking();
    if (!isToHear) this.machine.send("next");
  }

  /** @param {Interview} interview */
  async #findRecording(interview) {
    this.ownRecording = this.reply ? await keptRecording(interview.id, this.reply) : null;
    if (this.ownRecording) this.#changed();
  }

  /** @param {any} data */
  #keepVoice(data) {
    this.isVoiceGone = false;
    this.#voice = data.tts_audio_url;
    if (this.#voice) this.player.name(this.#voice);
  }

  /** Step by step the reply is read first; in a conversation the next question is open at once. @param {any} data */
  #goOnFrom(data) {
    const isOpen = this.isConversation && !data.is_complete;
    const isToHear = this.isConversation && !this.sound.isMuted && data.tts_audio_url !== null && this.#ahead !== "heard";
    const isSounding = this.#ahead === "sounding";

    this.#ahead = "";
    if (isOpen) this.#open();
    this.machine.send(isToHear ? "reply_to_hear" : "reply_to_read");
    if (isToHear && !isSounding) this.#playIfSpeaking();
    if (isOpen && !isToHear) this.machine.send("next");
  }

  /** @param {Result} result */
  #trace({ data, failure, requestId, isReplay }) {
    const isRefused = failure !== null && REFUSALS.includes(failure.code);

    addTrace({
      at: new Date().toISOString(),
      outcome: data ? (isReplay ? "replayed" : "answered") : isRefused ? "refused" : "failed",
      requestId,
      stage: failure?.stage ?? null,
      code: failure?.code ?? null,
      timings: data?.timings ?? null,
    });
  }

  cancelTurn() {
    if (!this.isWorking || !this.machine.can("cancel")) return;
    this.sender.cancel();
    this.#takeBack();
    this.#giveUpAnswer(true);
    this.notice = "cancelled";
    this.machine.send("cancel");
  }

  /** @param {boolean} mayBeTaken */
  #giveUpAnswer(mayBeTaken) {
    const answer = this.#answer;

    if (!answer) return;
    this.#noteSettled(answer);
    this.#bringBack(answer);
    dropAnswer(answer.sessionId);
    if (mayBeTaken) this.sender.doubt(answer);
    this.#answer = null;
  }

  // ---- after a failure or a refusal

  retry() {
    if (this.#answer && this.machine.can("retry")) this.#start(this.#answer, "retry");
  }

  /** Back to the open question; typed words are still there to be changed. @param {boolean} isTyping */
  giveUp(isTyping) {
    if (!this.machine.can("give_up")) return;
    this.#giveUpAnswer(UNKNOWN_OUTCOMES.includes(this.failure?.code ?? ""));
    this.isTyping = isTyping;
    this.isTriedOut ||= NO_MORE.includes(this.failure?.code ?? "");
    this.machine.send("give_up");
    if (this.isTriedOut) this.leaveAgain();
  }

  tryAgain() {
    this.machine.send("try_again");
  }

  // ---- after a reply

  /** The same question once more. */
  again() {
    const interview = /** @type {Interview} */ (this.interview);

    if (!this.canTryAgain) return;
    this.#silence();
    interview.isAgain = true;
    this.notice = "";
    keepInterview(interview);
    if (!this.machine.send("again")) this.#changed();
  }

  leaveAgain() {
    const interview = /** @type {Interview} */ (this.interview);

    interview.isAgain = false;
    keepInterview(interview);
    if (interview.isReviewed || !this.machine.send("back")) this.#changed();
  }

  next() {
    if (!this.machine.can("next")) return;
    this.#open();
    this.notice = "";
    this.machine.send("next");
  }

  /** The question of the reply is asked. */
  #open() {
    const interview = /** @type {Interview} */ (this.interview);

    interview.question = this.reply.assistant_text;
    interview.opening = "";
    interview.isReviewed = true;
    keepInterview(interview);
  }

  finish() {
    const interview = /** @type {Interview} */ (this.interview);

    if (!this.machine.can("finish")) return;
    this.notice = "";
    interview.isReviewed = true;
    keepInterview(interview);
    this.machine.send("finish");
  }

  hear() {
    if (this.voice && (this.machine.send("hear_reply") || this.machine.send("hear_question"))) this.#playIfSpeaking();
    else if (this.machine.state === "Speaking" && !this.isWorking) this.#playIfSpeaking();
  }

  stopVoice() {
    this.machine.send(this.isOpen ? "question_heard" : "reply_heard");
  }

  #playIfSpeaking() {
    const path = this.voice ?? this.#voice;

    if (this.machine.state === "Speaking" && path) this.player.play(path, /** @type {Interview} */ (this.interview).token);
  }

  /** @param {"heard" | "blocked" | "gone"} why */
  #onHeard(why) {
    if (this.isWorking) {
      this.#ahead = why === "heard" ? "heard" : "";
      return;
    }
    if (why === "gone" && this.#voice && this.isOpen) {
      this.#voice = null; // it is not kept any more: it is spoken anew
      this.#playIfSpeaking();
      return;
    }
    if (why === "gone") this.isVoiceGone = true;
    if (this.machine.state === "Speaking" && !this.isWorking) this.stopVoice();
  }
}
