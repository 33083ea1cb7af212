/* Reading one answer of the model: a good one, of the usual size. */
#include "micro.h"
#include "reply_internal.h"

#include <assert.h>
#include <stdlib.h>

static const char answer[] =
    "{\"refused\": false, \"follow_up_question\": \"Thank you for walking me through that "
    "migration so concretely. Which part of it would you plan differently today, and how would "
    "you have noticed the risk before it reached your customers?\", \"coaching_feedback\": "
    "{\"dimensions\":["
    "{\"label\":\"Clarity\",\"score\":4,\"tip\":\"You named the system and the deadline early; "
    "put the measured result into your first two sentences as well.\"},"
    "{\"label\":\"Relevance\",\"score\":4,\"tip\":\"The example fits the question; close by tying "
    "it to what this role would ask of you.\"},"
    "{\"label\":\"Structure\",\"score\":3,\"tip\":\"Situation and action are easy to follow, but "
    "say earlier which task was yours alone.\"},"
    "{\"label\":\"Filler Words\",\"score\":5,\"tip\":\"Hardly any fillers; the short pauses before "
    "figures work well, so keep them.\"}],"
    "\"summary_tip\":\"Lead with the outcome, name your own part, and finish with what you learnt "
    "and would repeat in the next team.\"}}";

void *micro_prepare(void)
{
    struct private_text *text = malloc(sizeof *text);
    assert(text != NULL);
    *text = private_text_copy(answer, sizeof answer - 1);
    return text;
}

void micro_operation(void *state)
{
    struct reply reply;

    reply_parse(state, &reply);
    assert(reply.feedback_state == FEEDBACK_GOOD);
    reply_free(&reply);
}

void micro_finish(void *state)
{
    private_text_free(state);
    free(state);
}
