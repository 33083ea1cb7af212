// The shapes that modules hand to each other.  Types only: nothing here runs.

/**
 * What went wrong: an error of the service, or `connection` for one that never reached it.
 * @typedef {object} Failure
 * @property {"upload" | "stt" | "llm" | "tts" | "unknown" | "connection"} stage
 * @property {string} code
 * @property {string} message fit to be shown
 * @property {boolean} retryable
 * @property {string | null} requestId
 * @property {number} retryAfterS 0: not said
 * @property {any} details
 */

/**
 * @typedef {{ data: any, failure: null, requestId: string, isReplay: boolean }} Success
 * @typedef {{ data: null, failure: Failure, requestId: string | null, isReplay: boolean }} NoSuccess
 * @typedef {Success | NoSuccess} Result
 */

/**
 * What the candidate has answered.  The key stays the same for every try.
 * @typedef {object} Answer
 * @property {string} key Idempotency-Key
 * @property {string} sessionId
 * @property {string | null} text
 * @property {Blob | null} recording
 * @property {boolean} [isAgain] to the question of the last turn
 * @property {string} [recordingId] where its parts are kept
 * @property {number} [ms] how long the recording is
 */

/**
 * A recording that is no answer yet, and why not.
 * @typedef {{ id: string, recording: Blob, ms: number, reason: string }} Taken
 */

/**
 * One committed turn, as this tab remembers it.
 * @typedef {object} Turn
 * @property {string} question
 * @property {any} data `data` of POST /turn, of the last attempt
 * @property {any[]} [attempts] of those before, the oldest first
 */

/**
 * What an interview is begun with: the body of POST /session/start.
 * @typedef {{ role: string, interview_type: string, difficulty: string, question_count: number, job_advert?: string, resume?: string }} Setup
 */

/**
 * @typedef {object} Interview
 * @property {string} id
 * @property {string} token
 * @property {string} role
 * @property {string} type
 * @property {string} difficulty
 * @property {Setup} setup
 * @property {number} done questions answered in sessions that had expired, before this one
 * @property {number} total of this session
 * @property {number} turnCount of this session
 * @property {string} opening
 * @property {string} question
 * @property {string} [settledKey] of the last answer that has its outcome
 * @property {boolean} isReviewed the last reply was read: the question is open
 * @property {boolean} [isAgain] the question of the last turn is answered once more
 * @property {Turn[]} turns of all its sessions
 * @property {boolean} [isEnded] before its last question
 * @property {any} [summary] `session_summary`, where it did not come with the last turn
 * @property {string} [endedAt] ISO 8601
 */

/**
 * One try at a turn, for diagnostics: no words of anybody.
 * @typedef {object} Trace
 * @property {string} at ISO 8601
 * @property {"answered" | "replayed" | "refused" | "failed"} outcome
 * @property {string | null} requestId
 * @property {string | null} stage
 * @property {string | null} code
 * @property {Record<string, number> | null} timings
 */

export {};
