/*
 * `poise check --jsonl`: a stream of texts to a stream of verdicts, in order.
 */
#include "check_internal.h"

#include "lines.h"

enum { MAX_TEXT_BYTES = 1 << 28 };

struct checker {
    struct filter *filter; /* borrowed */
    struct buffer scratch;
};

static bool verdict_line(void *context, struct span line, struct buffer *out);

int check_lines(struct filter *filter, int file)
{
    static const int statuses[] = {
        [LINES_GOOD] = CHECK_SAFE,
        [LINES_SOME_BAD] = CHECK_NO_VERDICT,
        [LINES_FAILED] = CHECK_BAD_USAGE,
    };
    struct checker checker = {.filter = filter};
    enum lines_outcome outcome;

    buffer_init(&checker.scratch, MAX_TEXT_BYTES);
    outcome = lines_answer("check", file, verdict_line, &checker);
    buffer_done(&checker.scratch);
    return statuses[outcome];
}

/* false where there is no verdict; the line then says unsafe, for no reason. */
static bool verdict_line(void *context, struct span line, struct buffer *out)
{
    struct checker *checker = context;
    struct filter_verdict verdict = {.outcome = FILTER_UNAVAILABLE};
    struct private_text visible = {NULL, 0};
    struct span text;

    if (json_line_text(line.bytes, line.length, &checker->scratch, &text))
        verdict = check_admit(checker->filter, text, &visible);
    private_text_free(&visible);

    switch (verdict.outcome) {
    case FILTER_PASS:
        buffer_append_string(out,
                             "{\"safe\": true, \"reason\": null, \"entry\": null}\n");
        break;
    case FILTER_HIT:
        buffer_append_string(out, "{\"safe\": false, \"reason\": \"");
        buffer_append_string(out, verdict.category);
        buffer_append_string(out, "\", \"entry\": \"");
        buffer_append_string(out, verdict.entry);
        buffer_append_string(out, "\"}\n");
        break;
    case FILTER_UNAVAILABLE:
        buffer_append_string(out,
                             "{\"safe\": false, \"reason\": null, \"entry\": null}\n");
        return false;
    }
    return true;
}
