/*
 * The model's answer while it is still being written: a question that is announced is the one that
 * the reader of whole answers finds in what has come so far, which then is no refusal, and in the whole
 * answer; and whether and what is announced does not depend on how the text is cut.
 *
 * The first byte of an input chooses the size of the pieces; the rest is the answer.
 */
#include "fuzz.h"
#include "private_reveal.h"
#include "reply_internal.h"
#include "utf8.h"

/* What was read as it came is what is read at once, and has the question that was announced. */
static void check_end(struct reply_reader *reader, struct span answer,
                      const struct private_text *announced)
{
    struct private_text text = private_text_copy(answer.bytes, answer.length);
    struct reply reply, whole;

    reply_reader_end(reader, &text, &reply);
    reply_parse(&text, &whole);
    must(reply.is_refused == whole.is_refused);
    must(reply.feedback_state == whole.feedback_state);
    must(private_text_equals(&reply.question, &whole.question));
    must(announced == NULL || private_text_equals(&reply.question, announced));
    for (int at = 0; at < DIMENSION_COUNT; at++)
        must(reply.feedback.scores[at] == whole.feedback.scores[at] &&
             private_text_equals(&reply.feedback.tips[at], &whole.feedback.tips[at]));
    reply_free(&reply);
    reply_free(&whole);
    private_text_free(&text);
}

/* Feeds all of it.  false: nothing was announced.  Else the question, and how much had come. */
static bool announce(struct span answer, size_t step, struct private_text *ret_question,
                     size_t *ret_come)
{
    struct reply_reader reader;
    struct span rest = answer, piece;
    bool is_announced = false;

    reply_reader_init(&reader);
    *ret_come = 0;
    while (fuzz_piece(&rest, step, &piece)) {
        struct span come = {answer.bytes, answer.length - rest.length};
        struct private_text question = {NULL, 0};
        bool is_now = reply_reader_feed(&reader, come, &question);

        must(!is_now || !is_announced);
        if (is_now) {
            is_announced = true;
            *ret_question = question;
            *ret_come = come.length;
        }
    }
    check_end(&reader, answer, is_announced ? ret_question : NULL);
    return is_announced;
}

static void check_prefix(struct span prefix, const struct private_text *question)
{
    struct private_text text = private_text_copy(prefix.bytes, prefix.length);
    struct reply reply;

    reply_parse(&text, &reply);
    must(!reply.is_refused);
    must(private_text_equals(&reply.question, question));
    reply_free(&reply);
    private_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span answer = fuzz_input(bytes, length);
    size_t step = fuzz_choice(&answer) % 64 + 1, come, come_split;
    struct private_text question = {NULL, 0}, split = {NULL, 0};
    bool is_announced;

    if (!utf8_is_valid(answer.bytes, answer.length))
        return 0; /* never gets as far as here */
    is_announced = announce(answer, 1, &question, &come);
    must(announce(answer, step, &split, &come_split) == is_announced);
    if (is_announced) {
        must(private_text_equals(&question, &split) && come <= come_split);
        must(!private_text_is_blank(&question));
        check_prefix((struct span){answer.bytes, come}, &question);
    }
    private_text_free(&question);
    private_text_free(&split);
    return 0;
}
