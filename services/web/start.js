// A session is asked for, and what comes back becomes an interview.

import { call } from "./wire.js";

/** @typedef {import("./types.js").Interview} Interview */
/** @typedef {import("./types.js").Setup} Setup */

/**
 * The opening prompt ends with the first question; where that begins only the session says.
 * @param {Setup} setup
 * @param {any} data of POST /session/start
 * @returns {Promise<Interview>}
 */
async function interviewOf(setup, data) {
  const session = await call("GET", `/session/${data.session_id}`, { token: data.session_token });
  const first = session.data?.asked_questions[0] ?? "";
  const isSplit = first !== "" && data.opening_prompt.endsWith(first);

  return {
    id: data.session_id,
    token: data.session_token,
    role: setup.role,
    type: setup.interview_type,
    difficulty: setup.difficulty,
    setup,
    done: 0,
    total: setup.question_count,
    turnCount: 0,
    opening: isSplit ? data.opening_prompt.slice(0, -first.length).trim() : "",
    question: isSplit ? first : data.opening_prompt,
    isReviewed: true,
    turns: [],
  };
}

/**
 * @param {Setup} setup
 * @param {string} key Idempotency-Key: the same for every try with the same set-up
 * @returns {Promise<{ interview: Interview, failure: null } | { interview: null, failure: import("./types.js").Failure }>}
 */
export async function startInterview(setup, key) {
  const { data, failure } = await call("POST", "/session/start", { json: setup, key });

  return data ? { interview: await interviewOf(setup, data), failure: null } : { interview: null, failure: /** @type {any} */ (failure) };
}
