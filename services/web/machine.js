// The states of the interview, and every way from one to another.  Nothing else says what the
// interview is doing: what is shown, recorded or played follows from the state.
//
//   Ready          the question is open: hold to talk, or type
//   Recording      the microphone is on
//   Uploading      the answer is on its way, or on its way again
//   Transcribing, Thinking
//                  the service says that it is at work
//   Speaking       the voice of the reply is being made, then played
//   Review         transcript, feedback and the next question, to be read
//   Refused        the answer was refused: the same question is still open
//   Failed         something else went wrong: retry, record again, or leave it
//   Complete       all questions are answered

/** What may come while the service works on an answer. */
const NEWS = {
  lost: "Uploading",
  transcribing: "Transcribing",
  thinking: "Thinking",
  speaking: "Speaking",
  reply_to_hear: "Speaking",
  reply_to_read: "Review",
  refuse: "Refused",
  fail: "Failed",
  cancel: "Ready",
};

/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
export const TRANSITIONS = Object.freeze({
  Ready: { hold: "Recording", send: "Uploading", hear_question: "Speaking", fail: "Failed", back: "Review" },
  Recording: { send: "Uploading", discard: "Ready" },
  Uploading: NEWS,
  Transcribing: NEWS,
  Thinking: NEWS,
  Speaking: { ...NEWS, reply_heard: "Review", question_heard: "Ready", next: "Ready", again: "Ready", finish: "Complete" },
  Review: { hear_reply: "Speaking", next: "Ready", again: "Ready", finish: "Complete" },
  Refused: { try_again: "Ready" },
  Failed: { retry: "Uploading", give_up: "Ready" },
  Complete: {},
});

/** The service is at work in these, unless a reply is there already (Speaking). */
export const WORKING = Object.freeze(["Uploading", "Transcribing", "Thinking", "Speaking"]);

export class Machine {
  state = "Ready";

  /** @type {((state: string, before: string, event: string) => void)[]} */
  #listeners = [];

  /** @param {(state: string, before: string, event: string) => void} listener */
  onChange(listener) {
    this.#listeners.push(listener);
  }

  /** @param {string} event */
  can(event) {
    return event in TRANSITIONS[this.state];
  }

  /**
   * False, and nothing happens, where the state does not know the event: what comes too late is
   * no longer true.
   * @param {string} event
   */
  send(event) {
    if (!this.can(event)) return false;
    this.#enter(TRANSITIONS[this.state][event], event);
    return true;
  }

  /** Another interview, or the same after a reload. @param {string} state */
  reset(state) {
    this.#enter(state, "reset");
  }

  /**
   * @param {string} state
   * @param {string} event
   */
  #enter(state, event) {
    const before = this.state;

    this.state = state;
    for (const listener of this.#listeners) listener(state, before, event);
  }
}
