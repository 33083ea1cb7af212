/*
 * Screening the texts of one ordinary turn with the built-in patterns: an answer of about 1,500 characters,
 * the next question, four tips and the tip in sum.
 */
#include "filter.h"
#include "load_request.h"
#include "micro.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const reply_texts[] = {
    "Call 17; thank you for walking me through that migration so concretely. Which part of it would you "
    "plan differently today, and how would you have noticed the risk before it reached your customers?",
    "You named the system and the deadline early; put the measured result into your first two sentences "
    "as well.",
    "The example fits the question; close by tying it to what this role would ask of you.",
    "Situation and action are easy to follow, but say earlier which task was yours alone.",
    "Hardly any fillers; the short pauses before figures work well, so keep them.",
    "Lead with the outcome, name your own part, and finish with what you learnt and would repeat in the "
    "next team.",
};

struct screening {
    struct filter *filter;              /* owned */
    char bytes[LOAD_REQUEST_MAX_BYTES]; /* a whole request; zeros behind it */
    const char *answer;                 /* borrowed from the bytes */
    size_t answer_bytes;
};

void *micro_prepare(void)
{
    static const char before[] = "name=\"transcript\"\r\n\r\n";
    struct load_session session = load_session_fixed();
    struct ruleset_problem problem;
    struct ruleset *ruleset;
    struct screening *screening = calloc(1, sizeof *screening);
    assert(screening != NULL);

    load_request_write_turn(&session, 1, screening->bytes);
    screening->answer = strstr(screening->bytes, before) + sizeof before - 1;
    screening->answer_bytes = strcspn(screening->answer, "\r");

    if (!ruleset_load_default(&ruleset, &problem))
        abort();
    screening->filter = filter_new(ruleset);
    ruleset_unref(ruleset);
    return screening;
}

static void screen(struct screening *screening, const char *text, size_t length)
{
    if (filter_check(screening->filter, text, length).outcome != FILTER_PASS)
        abort();
}

void micro_operation(void *state)
{
    struct screening *screening = state;

    screen(screening, screening->answer, screening->answer_bytes);
    for (size_t at = 0; at < sizeof reply_texts / sizeof *reply_texts; at++)
        screen(screening, reply_texts[at], strlen(reply_texts[at]));
}

void micro_finish(void *state)
{
    struct screening *screening = state;
    filter_free(screening->filter);
    free(screening);
}
