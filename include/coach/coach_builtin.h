/*
 * The built-in coach: no key, no network, the same answer for the same input.
 */
#ifndef COACH_BUILTIN_H
#define COACH_BUILTIN_H

#include "coach.h"
#include "loop.h"

/* The loop is borrowed. */
struct coach *coach_builtin_new(struct loop *loop);

/* A question of the bank for this interview that is none of the `asked_count` asked ones:
 * a static string.  The same arguments give the same question; `seed` is the session id.
 */
const char *question_bank_pick(const struct private_text *role,
                               const struct private_text *interview_type,
                               enum difficulty difficulty,
                               const struct private_text *asked_questions,
                               size_t asked_count, const char *seed);

/* The first question of an interview: of role, type, difficulty, advert and CV in the facts nothing else is
 * there yet.  The same facts and seed, the session's id, give the same question. */
struct private_text coach_first_question(const struct coach_facts *facts,
                                         const struct id *seed);

#endif
