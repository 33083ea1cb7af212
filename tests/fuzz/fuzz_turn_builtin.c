/*
 * The built-in coach on any answer: what it writes is always taken by the reader of answers, with
 * good feedback or as a refusal, a summary keeps the contract's bounds, the same answer gives the
 * same, and measuring how it was delivered says no more words than there are.
 *
 * The input is an answer, a role, a kind of interview, the question and the attempt before, with
 * lines of "----" between them; the first byte chooses task and difficulty.
 */
#include "coach_builtin.h"
#include "delivery_internal.h"
#include "outside.h"
#include "private_reveal.h"
#include "reply_internal.h"
#include "utf8.h"
#include "words.h"

enum { ANSWER, ROLE, TYPE, QUESTION, BEFORE, PARTS };

static enum coach_task task_of(unsigned choice)
{
    static const enum coach_task tasks[] = {COACH_NEXT_QUESTION, COACH_CLOSING,
                                            COACH_SUMMARY, COACH_ATTEMPT};

    return tasks[choice % 4];
}

static char *const environment[] = {NULL};

static void on_done(void *context, enum error error, struct coach_reply answer)
{
    must(error == OK && !answer.is_cut_off);
    *(struct private_text *)context = answer.text;
}

static struct private_text ask(struct outside *outside, const struct private_text *parts,
                               unsigned choice)
{
    static struct coach *coach;
    struct coach_turn turn = {.number = 1,
                              .question = &parts[QUESTION],
                              .transcript = &parts[ANSWER],
                              .is_scored = choice & 64,
                              .scores = {1, 2, 4, 5}};
    struct coach_turn previous = turn;
    struct coach_ask ask = {
        .task = task_of(choice),
        .facts = {.role = &parts[ROLE],
                  .interview_type = &parts[TYPE],
                  .difficulty = (enum difficulty)(choice / 4 % 3),
                  .question_number = 1,
                  .total_questions = 2,
                  .question = &parts[QUESTION],
                  .asked_questions = &parts[QUESTION],
                  .asked_count = 1,
                  .transcript = &parts[ANSWER],
                  .words_per_minute = choice & 16 ? 140 : -1,
                  .longest_pause_ms = choice & 32 ? 2100 : -1,
                  .turns = &turn,
                  .turn_count = 1,
                  .previous = task_of(choice) == COACH_ATTEMPT ? &previous : NULL},
        .timeout_ms = 1000,
    };
    struct private_text text = {NULL, 0};

    previous.transcript = &parts[BEFORE];
    if (coach == NULL)
        coach = coach_builtin_new(outside->loop);
    coach->start(coach, &ask, on_done, &text);
    outside_run(outside);
    must(!private_text_is_empty(&text));
    return text;
}

static void check_reply(const struct private_text *text, enum coach_task task)
{
    struct reply reply;

    reply_parse(text, &reply);
    /* The question that is said again is the one that was asked, and here that may be blank. */
    must(!private_text_is_blank(&reply.question) || reply.kind == ANSWER_KIND_REPEAT ||
         task == COACH_ATTEMPT);
    must(reply.feedback_state == FEEDBACK_MISSING /* refused, or in another language */
         || (reply.feedback_state == FEEDBACK_GOOD && !reply.is_refused));
    reply_free(&reply);
}

static void check_summary(const struct private_text *text)
{
    struct summary summary = {.strength_count = 0};

    must(summary_parse(text, &summary));
    must(summary.strength_count >= 1 && summary.improvement_count >= 1);
    summary_free(&summary);
}

/* Times of words, out of any bytes: they may make no sense. */
static struct spoken spoken_by(struct span bytes)
{
    struct spoken_word words[16];
    struct transcript transcript = {
        .text = private_text_copy(bytes.bytes, bytes.length),
        .words = words,
        .confidence = bytes.length % 3 == 0 ? -1 : (double)(bytes.length % 101) / 100};
    int64_t at_ms = 0;
    struct spoken spoken;

    for (; transcript.word_count < 16 && transcript.word_count < bytes.length / 2;
         transcript.word_count++) {
        const char *pair = bytes.bytes + 2 * transcript.word_count;

        at_ms += pair[0] * 10; /* may go back */
        words[transcript.word_count] = (struct spoken_word){
            at_ms > 0 ? at_ms : 0, (at_ms > 0 ? at_ms : 0) + (unsigned char)pair[1]};
    }
    spoken = delivery_spoken(&transcript);
    must(spoken.words_per_minute >= -1 && spoken.longest_pause_ms >= -1);
    private_text_free(&transcript.text);
    return spoken;
}

static void check_delivery(const struct private_text *answer)
{
    static struct filler_counter *counter;
    struct answer_delivery delivery;
    struct json_object *object;
    struct json_writer writer;
    struct buffer out;
    size_t fillers = 0;

    if (counter == NULL)
        counter = filler_counter_new();
    delivery_measure(counter, answer, spoken_by(private_reveal(answer)), &delivery);
    must(delivery.word_count == words_count(private_reveal(answer)));
    for (size_t i = 0; i < FILLERS_MAX && delivery.fillers.top[i].count > 0; i++)
        fillers += delivery.fillers.top[i].count;
    must(fillers <= delivery.fillers.count);
    buffer_init(&out, 1 << 16);
    json_writer_init(&writer, &out);
    delivery_write(&writer, &delivery, NULL, 0);
    object = json_parse(out.bytes, out.length, 4);
    must(object != NULL);
    json_object_put(object);
    buffer_clear(&out);
    delivery_describe(&out, &delivery);
    must(utf8_is_valid(out.bytes, out.length));
    buffer_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct outside *outside = outside_open(environment);
    struct span input = fuzz_input(bytes, length);
    unsigned choice = fuzz_choice(&input);
    struct private_text parts[PARTS], text, again;

    if (!utf8_is_valid(input.bytes, input.length))
        return 0;
    for (int i = 0; i < PARTS; i++) {
        struct span part = {"", 0};

        fuzz_next(&input, FUZZ_LINE, &part);
        parts[i] = private_text_copy(part.bytes, part.length);
    }
    if (private_text_is_blank(&parts[ANSWER])) /* is no answer, and never gets as far */
        private_text_free(&parts[ANSWER]), parts[ANSWER] = private_text_copy("So.", 3);
    text = ask(outside, parts, choice);
    again = ask(outside, parts, choice);
    must(private_text_equals(&text, &again));
    if (task_of(choice) == COACH_SUMMARY)
        check_summary(&text);
    else
        check_reply(&text, task_of(choice));
    check_delivery(&parts[ANSWER]);
    private_text_free(&text);
    private_text_free(&again);
    for (int i = 0; i < PARTS; i++)
        private_text_free(&parts[i]);
    return 0;
}
