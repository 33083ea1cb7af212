/*
 * The prompts: what the model is told, and the JSON Schemas of what it must answer.
 */
#ifndef PROMPT_H
#define PROMPT_H

#include "coach.h"

/* Fills in `instructions`, `system`, `user`, `schema_name` and `schema` of an ask from its task and
 * facts. */
void prompt_write(struct coach_ask *ask);

/* The first words that the candidate hears: a welcome that names the role and ends with
 * the question. */
struct private_text prompt_opening(const struct private_text *role,
                                   const struct private_text *interview_type,
                                   const struct private_text *question);

#endif
