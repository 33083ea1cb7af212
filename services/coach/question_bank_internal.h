/*
 * The question bank as the built-in coach uses it: which interview this is, which
 * question was asked, which comes next.
 */
#ifndef QUESTION_BANK_INTERNAL_H
#define QUESTION_BANK_INTERNAL_H

#include "coach.h"
#include "coach_tables_internal.h"
#include "span.h"

/* An interview as far as the choice of a question depends on it. */
struct bank_wish {
    enum interview_type type;
    enum role_family role;
    enum difficulty difficulty;
    const struct private_text *asked; /* borrowed */
    size_t asked_count;
};

/* What the free text of a session means to the bank; TYPE_GENERAL and ROLE_GENERAL where
 * it means nothing. */
enum interview_type question_bank_type(struct span interview_type);
enum role_family question_bank_role(struct span role);

/* The question of the bank that a spoken question is, or ends with; NULL: none. */
const struct bank_question *question_bank_find(struct span spoken);

/* A question that was not asked yet; the same for the same wish and seed.  Never NULL. */
const struct bank_question *question_bank_draw(const struct bank_wish *wish,
                                               uint64_t seed);

#endif
