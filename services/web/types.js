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
 */

/**
 * One committed turn, as this tab remembers it.
 * @typedef {object} Turn
 * @property {string} question
 * @property {any} data `data` of POST /turn
 */

/**
 * @typedef {object} Interview
 * @property {string} id
 * @property {string} token
 * @property {string} role
 * @property {string} type
 * @property {string} difficulty
 * @property {number} total
 * @property {number} turnCount
 * @property {string} opening
 * @property {string} question
 * @property {string} [settledKey] of the last answer that has its outcome
 * @property {boolean} isReviewed the last reply was read: the question is open
 * @property {Turn[]} turns
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
