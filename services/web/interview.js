// The interview: what the candidate does becomes events of the state machine, and what the machine
// enters becomes requests, recording and playback.  Knows nothing of the screen.

import { Machine, WORKING } from "./machine.js";
import { addHistory, addTrace, keepInterview, keptInterview } from "./memory.js";
import { dropAnswer, keepAnswer, keptAnswer } from "./outbox.js";
import { Player } from "./player.js";
import { whyNoRecorder } from "./recorder.js";
import { averagesOf } from "./scores.js";
import { Sender } from "./sender.js";
import { Sound } from "./sound.js";
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
const ENDED = ["invalid_token", "session_id_mismatch", "session_not_found"];

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
  /** The typed answer that did not get through. */
  draft = "";
  /** Key of the words that say why, or "". */
  typingNote = "";
  /** Key of a notice above the screen, or "". */
  notice = "";
  isVoiceGone = false;
  canHear = false;
  /** The service speaks. */
  hasVoice = false;
  /** The turn that failed had been heard: its question is none. */
  isTakenBack = false;
  sound = new Sound();

  /** The next question, before its turn is sure: it sounds, or was heard to its end. @type {"" | "sounding" | "heard"} */
  #ahead = "";
  /** Path of the sound of the open question, or of the one that comes next. @type {string | null} */
  #voice = null;

  /** On its way, or failed. @type {Answer | null} */
  #answer = null;
  #changed;

  /** @param {() => void} changed called when there is something else to show */
  constructor(changed) {
    this.#changed = changed;
    this.talk = new Talk(this.machine, {
      onRecorded: (recording) => this.interview && this.#start(this.#newAnswer(null, recording)),
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
    return this.interview?.turns.at(-1)?.data.is_complete === true;
  }

  /** The voice of what is shown, or null. */
  get voice() {
    return this.isVoiceGone ? null : this.#voice;
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

  // ---- beginning, coming back, leaving

  /** @param {Interview} interview */
  begin(interview) {
    this.leave();
    this.#use(interview);
    keepInterview(interview);
    this.machine.reset("Ready");
  }

  /** @param {Interview} interview */
  #use(interview) {
    const why = whyNoRecorder();

    this.interview = interview;
    this.isTyping = !this.canHear || why !== "";
    this.typingNote = !this.canHear ? "no_hearing" : why && `microphone_${why}`;
  }

  /** After a reload.  True where there is an interview to come back to. */
  async resume() {
    const interview = keptInterview();

    if (!interview) return false;
    const { data, failure } = await call("GET", `/session/${interview.id}`, { token: interview.token });

    // The summary of a finished interview outlives its session.
    if (failure && ENDED.includes(failure.code) && !interview.turns.at(-1)?.data.is_complete) {
      keepInterview(null);
      return false;
    }
    this.#use(interview);
    const answer = await keptAnswer(interview.id);

    if (answer && answer.key !== interview.settledKey) {
      // It was under way when the page went: its key makes sure that it counts once.
      this.machine.reset("Ready");
      this.#start(answer);
    } else {
      if (answer) dropAnswer(interview.id);
      this.#goOn(interview, data);
    }
    return true;
  }

  /**
   * Where the interview stands; the service knows of turns that this tab never heard of.
   * @param {Interview} interview
   * @param {any} session `data` of GET /session; null: not to be had
   */
  #goOn(interview, session) {
    if (session?.turn_count > interview.turnCount) {
      interview.turnCount = session.turn_count;
      interview.isReviewed = true;
      interview.opening = "";
    }
    if (interview.isReviewed && session?.status === "active") interview.question = session.asked_questions.at(-1) ?? interview.question;
    keepInterview(interview);
    this.reply = interview.turns.at(-1)?.data ?? null;
    this.#voice = this.reply?.tts_audio_url ?? null;
    if (this.reply && !interview.isReviewed) this.machine.reset("Review");
    else this.machine.reset(this.isComplete || session?.status === "completed" ? "Complete" : "Ready");
  }

  leave() {
    const id = this.interview?.id;

    this.sender.cancel();
    this.sender.forget();
    this.talk.forget();
    this.player.forget();
    if (id) dropAnswer(id);
    keepInterview(null);
    this.interview = null;
    this.reply = null;
    this.#voice = null;
    this.#ahead = "";
    this.draft = "";
    this.#answer = null;
    this.machine.reset("Ready");
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
   * @param {Blob | null} recording
   * @returns {Answer}
   */
  #newAnswer(text, recording) {
    return { key: uuid(), sessionId: /** @type {Interview} */ (this.interview).id, text, recording };
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
    this.draft = answer.text ?? "";
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
      if (!isEarlier) this.draft = "";
      if (isEarlier) this.notice = "earlier_arrived";
      this.#take(result.data);
    } else if (REFUSALS.includes(/** @type {Failure} */ (result.failure).code)) {
      dropAnswer(answer.sessionId);
      this.#answer = null;
      this.draft = "";
      this.machine.send("refuse");
    } else {
      if (!result.failure?.retryable) dropAnswer(answer.sessionId);
      this.failure = result.failure;
      this.machine.send("fail");
    }
  }

  /** At once, which dropAnswer() is not: a reload comes between. @param {Answer} answer */
  #noteSettled(answer) {
    if (!this.interview) return;
    this.interview.settledKey = answer.key;
    keepInterview(this.interview);
  }

  /** A committed turn. @param {any} data */
  #take(data) {
    const interview = /** @type {Interview} */ (this.interview);

    interview.turns.push({ question: interview.question, data });
    interview.turnCount = data.question_number;
    interview.isReviewed = false;
    this.reply = data;
    this.#keepVoice(data);
    keepInterview(interview);
    if (data.is_complete) {
      addHistory({ id: interview.id, date: new Date().toISOString(), role: interview.role, averages: averagesOf(interview.turns) });
    }
    this.#goOnFrom(data);
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
    this.#giveUpAnswer(true);
    this.notice = "cancelled";
    this.machine.send("cancel");
  }

  /** @param {boolean} mayBeTaken */
  #giveUpAnswer(mayBeTaken) {
    if (this.#answer) {
      this.#noteSettled(this.#answer);
      dropAnswer(this.#answer.sessionId);
    }
    if (mayBeTaken && this.#answer) this.sender.doubt(this.#answer);
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
    this.machine.send("give_up");
  }

  tryAgain() {
    this.machine.send("try_again");
  }

  // ---- after a reply

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
    this.machine.send(this.interview?.isReviewed ? "question_heard" : "reply_heard");
  }

  #playIfSpeaking() {
    if (this.machine.state === "Speaking" && this.voice) this.player.play(this.voice, /** @type {Interview} */ (this.interview).token);
  }

  /** @param {"heard" | "blocked" | "gone"} why */
  #onHeard(why) {
    if (this.isWorking) {
      this.#ahead = why === "heard" ? "heard" : "";
      return;
    }
    if (why === "gone") this.isVoiceGone = true;
    if (this.machine.state === "Speaking" && !this.isWorking) this.stopVoice();
  }
}
