/*
 * The parsers of the model's answers: no input may crash them, and what they let through
 * keeps the contract's bounds.
 */
#include "private_reveal.h"
#include "reply.h"
#include "summary.h"
#include "utf8.h"
#include "words.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_text(const struct private_text *text, size_t max_words)
{
    struct span span = private_reveal(text);

    must(span.length > 0 && utf8_is_valid(span.bytes, span.length));
    must(words_count(span) <= max_words);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct private_text text = private_text_copy((const char *)bytes, length);
    struct summary summary = {.strength_count = 0};
    struct reply reply;

    if (!private_text_is_valid(&text)) {
        private_text_free(&text); /* what is no UTF-8 never gets as far as here */
        return 0;
    }
    reply_parse(&text, &reply);
    if (reply.feedback_state == FEEDBACK_GOOD) {
        for (int at = 0; at < DIMENSION_COUNT; at++) {
            must(reply.feedback.scores[at] >= 1 && reply.feedback.scores[at] <= 5);
            check_text(&reply.feedback.tips[at], REPLY_TIP_WORDS);
        }
        check_text(&reply.feedback.summary_tip, REPLY_SUMMARY_TIP_WORDS);
    }
    reply_free(&reply);
    if (summary_parse(&text, &summary)) {
        must(summary.strength_count >= 1 && summary.strength_count <= 3);
        must(summary.action_count <= 4);
        check_text(&summary.overall_assessment, 60);
    }
    summary_free(&summary);
    private_text_free(&text);
    return 0;
}
