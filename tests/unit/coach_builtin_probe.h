/*
 * Asks the built-in coach one thing and reads its answer: shared by the tests of the
 * coach.
 */
#ifndef COACH_BUILTIN_PROBE_H
#define COACH_BUILTIN_PROBE_H

#include "coach_builtin.h"
#include "coach_tables_internal.h"
#include "json.h"
#include "loop.h"
#include "mem.h"
#include "private_reveal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_ASKED_MAX 12

/* What a test says of an interview; the rest has sensible values. */
struct probe {
    enum coach_task task;
    const char *role, *type;
    enum difficulty difficulty;
    const char *asked[PROBE_ASKED_MAX]; /* the last one is the question just answered */
    const char *transcript;
    unsigned total_questions; /* 0: five */
    const struct coach_turn *turns;
    size_t turn_count;
};

struct probe_answer {
    struct loop *loop;
    enum error error;
    char *text; /* owned */
    int calls;
};

static inline void probe_done(void *context, enum error error, struct coach_reply answer)
{
    struct probe_answer *got = context;
    struct span text = private_reveal(&answer.text);

    got->error = error;
    got->text = mem_copy(text.bytes, text.length);
    got->calls++;
    private_text_free(&answer.text);
    loop_stop(got->loop);
}

/* The text that the coach answers with; the caller frees it. */
static inline char *probe_text(const struct probe *probe)
{
    struct probe_answer got = {.loop = loop_new()};
    struct coach *coach = coach_builtin_new(got.loop);
    struct private_text asked[PROBE_ASKED_MAX];
    struct private_text role = private_text_copy(probe->role, strlen(probe->role));
    struct private_text type = private_text_copy(probe->type, strlen(probe->type));
    struct private_text transcript = {0};
    size_t asked_count = 0;

    for (; asked_count < PROBE_ASKED_MAX && probe->asked[asked_count]; asked_count++)
        asked[asked_count] = private_text_copy(probe->asked[asked_count],
                                               strlen(probe->asked[asked_count]));
    if (probe->transcript)
        transcript = private_text_copy(probe->transcript, strlen(probe->transcript));

    struct coach_ask ask = {
        .task = probe->task,
        .facts = {.role = &role,
                  .interview_type = &type,
                  .difficulty = probe->difficulty,
                  .question_number = (unsigned)asked_count,
                  .total_questions = probe->total_questions ? probe->total_questions : 5,
                  .question = asked_count ? &asked[asked_count - 1] : NULL,
                  .asked_questions = asked,
                  .asked_count = asked_count,
                  .transcript = &transcript,
                  .turns = probe->turns,
                  .turn_count = probe->turn_count},
        .system = private_text_copy("system", 6),
        .user = private_text_copy("user", 4),
    };
    coach->start(coach, &ask, probe_done, &got);
    cr_assert_eq(got.calls, 0, "answered before start() had returned");
    loop_run(got.loop);
    cr_assert_eq(got.calls, 1);
    cr_assert_eq(got.error, OK);

    coach_free(coach);
    loop_free(got.loop);
    for (size_t i = 0; i < asked_count; i++)
        private_text_free(&asked[i]);
    private_text_free(&role);
    private_text_free(&type);
    private_text_free(&transcript);
    return got.text;
}

/* The same as a JSON object; the caller puts it. */
static inline struct json_object *probe_json(const struct probe *probe)
{
    char *text = probe_text(probe);
    struct json_object *object = json_parse(text, strlen(text), 8);

    cr_assert_not_null(object, "not JSON: %s", text);
    free(text);
    return object;
}

static inline const char *probe_string(struct json_object *object, const char *key)
{
    struct span span = json_member_string(object, key);

    cr_assert_not_null(span.bytes, "no %s", key);
    return span.bytes;
}

static inline bool probe_is_refused(struct json_object *object)
{
    return json_object_get_boolean(json_member(object, "refused"));
}

static inline struct json_object *probe_dimension(struct json_object *object,
                                                  size_t index)
{
    struct json_object *feedback = json_member(object, "coaching_feedback");

    return json_object_array_get_idx(json_member(feedback, "dimensions"), index);
}

static inline int probe_score(struct json_object *object, size_t index)
{
    return json_object_get_int(json_member(probe_dimension(object, index), "score"));
}

static inline const char *probe_tip(struct json_object *object, size_t index)
{
    return probe_string(probe_dimension(object, index), "tip");
}

/* A generator of the test's own, so that a failure can be repeated. */
static inline uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Words that the coach listens for, joined by all that may stand between words. */
static inline void random_text(uint64_t *state, char *text, size_t size)
{
    static const char *const between[] = {" ",   " ",   " ",   ", ",  ". ", "? ",
                                          "\n",  " \"", "\" ", " - ", "; ", "…",
                                          "’s ", "\t",  "。",  " ¿"};
    size_t words = next_random(state) % 220, length = 0;

    for (size_t i = 0; i < words; i++) {
        const char *word = cue_phrases[next_random(state) % cue_phrase_count].phrase;
        if (next_random(state) % 4 == 0)
            word = bank_questions[next_random(state) % bank_question_count].topic;
        if (next_random(state) % 12 == 0)
            word = filler_rules[next_random(state) % filler_rule_count].phrase;
        if (next_random(state) % 30 == 0)
            word = "supercalifragilisticexpialidociousnessesandmoreofthesame";
        length += (size_t)snprintf(text + length, size - length, "%s%s", word,
                                   between[next_random(state) % 16]);
    }
    text[length] = '\0';
}

#endif
