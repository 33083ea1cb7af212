/*
 * The built-in coach: reads the answer, judges it by the rubric, and asks for what it
 * lacks or takes the next question from the bank.
 *
 *   start > read the answer > refuse | feedback and next question | closing | summary >
 * done
 *
 * All of it is computed within start(), in microseconds and from constant tables; only
 * the delivery waits for the loop, as the contract of a coach asks.
 */
#include "coach_builtin.h"

#include "coach_hash_internal.h"
#include "coach_lines_internal.h"
#include "json.h"
#include "lexicon_internal.h"
#include "mem.h"
#include "papers_internal.h"
#include "private_reveal.h"
#include "question_bank_internal.h"
#include "rubric_internal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* A model may have asked the question that is said again. */
enum { ANSWER_CEILING_BYTES = 256 * 1024, QUESTION_CEILING_BYTES = 64 * 1024 };

struct coach_builtin {
    struct coach coach;
    struct loop *loop;       /* borrowed */
    struct lexicon *lexicon; /* owned */
};

struct coach_call {
    struct loop *loop;        /* borrowed from the coach */
    struct private_text text; /* owned until it is handed over */
    coach_done_fn *done;
    void *context;
};

static struct coach_call *start(struct coach *coach, struct coach_ask *ask,
                                coach_done_fn *done, void *context);
static void deliver(void *context);
static void cancel(struct coach_call *call);
static void builtin_free(struct coach *coach);

struct coach *coach_builtin_new(struct loop *loop)
{
    struct coach_builtin *builtin = MEM_NEW(struct coach_builtin);

    builtin->coach = (struct coach){
        .name = "builtin",
        .is_builtin = true,
        .start = start,
        .cancel = cancel,
        .free = builtin_free,
    };
    builtin->loop = loop;
    builtin->lexicon = lexicon_new();
    return &builtin->coach;
}

static void builtin_free(struct coach *coach)
{
    struct coach_builtin *builtin = (struct coach_builtin *)coach;

    lexicon_free(builtin->lexicon);
    free(builtin);
}

/* What choices depend on: the same turn of the same interview chooses the same. */
static uint64_t seed_of(const struct coach_facts *facts)
{
    uint64_t seed = COACH_HASH_START;

    for (size_t i = 0; i < facts->asked_count; i++) {
        struct span asked = private_reveal(&facts->asked_questions[i]);

        seed = coach_hash(seed, asked.bytes, asked.length);
    }
    struct span transcript = private_reveal(facts->transcript);
    return coach_hash(seed, transcript.bytes, transcript.length);
}

static void write_refusal(const struct coach_facts *facts, struct buffer *out)
{
    const struct string_list *refusals = &coach_lines[LINE_REFUSAL];
    struct json_writer writer;

    json_writer_init(&writer, out);
    json_begin_object(&writer);
    json_put_boolean(&writer, "refused", true);
    json_key(&writer, "follow_up_question");
    json_string(
        &writer,
        refusals->items[coach_choose(seed_of(facts), LINE_REFUSAL, refusals->count)]);
    json_key(&writer, "coaching_feedback");
    json_null(&writer);
    json_end_object(&writer);
}

/* None in a language that is not read: a score would be made up. */
static void write_feedback(struct json_writer *writer, const struct reading *reading,
                           const struct rubric *rubric)
{
    static const char *const labels[DIMENSION_COUNT] = {
        [DIMENSION_CLARITY] = "Clarity",
        [DIMENSION_RELEVANCE] = "Relevance",
        [DIMENSION_STRUCTURE] = "Structure",
        [DIMENSION_FILLER_WORDS] = "Filler Words",
    };

    if (reading->is_foreign) {
        json_key(writer, "coaching_feedback");
        json_null(writer);
        return;
    }
    json_put_object(writer, "coaching_feedback");
    json_put_array(writer, "dimensions");
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++) {
        json_begin_object(writer);
        json_put_string(writer, "label", labels[dimension]);
        json_put_integer(writer, "score", rubric->scores[dimension]);
        json_put_string(writer, "tip", rubric->tips[dimension]);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_put_string(writer, "summary_tip", rubric->summary_tip);
    json_end_object(writer);
}

static enum line_kind line_for(enum lack lack)
{
    switch (lack) {
    case LACK_WORDS: return LINE_STUCK;
    case LACK_EXAMPLE: return LINE_EXAMPLE;
    case LACK_OWN_PART: return LINE_OWN_PART;
    case LACK_RESULT: return LINE_OUTCOME;
    case LACK_REASON: return LINE_REASON;
    case LACK_NOTHING: break;
    }
    return LINE_KIND_COUNT;
}

/* Whoever has just been asked to say more is not asked again, and no interview is more
 * than a third such questions: to be reminded of the same gap all the time helps nobody.
 */
static bool may_react(const struct reading *reading, const struct coach_facts *facts)
{
    const struct bank_topic *topic;
    size_t reactions = 0;

    if (reading->asked.reaction != LINE_KIND_COUNT)
        return false;
    for (size_t i = 0; i < facts->asked_count; i++)
        reactions += coach_lines_kind(private_reveal(&facts->asked_questions[i]),
                                      &topic) != LINE_KIND_COUNT;
    return reactions < (facts->total_questions + 1) / 3;
}

static void choose_question(const struct reading *reading,
                            const struct coach_facts *facts, struct buffer *out)
{
    enum line_kind kind = line_for(rubric_lack(reading));
    uint64_t seed = seed_of(facts);
    struct bank_wish wish = {
        .type = question_bank_type(private_reveal(facts->interview_type)),
        .role = question_bank_role(private_reveal(facts->role)),
        .difficulty = facts->difficulty,
        .asked = facts->asked_questions,
        .asked_count = facts->asked_count,
    };

    if (papers_are_due(facts) && papers_ask(facts, seed, out))
        return;
    if (kind != LINE_KIND_COUNT && reading->kind == ANSWER_KIND_ANSWER &&
        may_react(reading, facts) &&
        coach_lines_say(kind, reading->asked.topic, facts->asked_questions,
                        facts->asked_count, seed, out))
        return;
    if (papers_ask(facts, seed, out))
        return;
    buffer_append_string(out, question_bank_draw(&wish, seed)->text);
}

struct private_text coach_first_question(const struct coach_facts *facts,
                                         const struct id *seed)
{
    struct buffer out;

    buffer_init(&out, QUESTION_CEILING_BYTES);
    if (!papers_ask(facts, coach_hash(COACH_HASH_START, seed->text, strlen(seed->text)),
                    &out))
        buffer_append_string(&out,
                             question_bank_pick(facts->role, facts->interview_type,
                                                facts->difficulty, NULL, 0, seed->text));
    return private_text_take(&out);
}

/* What was said in the attempt before is read as it was then. */
static void compare(const struct lexicon *lexicon, const struct reading *reading,
                    const struct coach_facts *facts, struct rubric *rubric)
{
    struct reading before;

    if (facts->previous == NULL || facts->previous->is_skipped)
        return;
    reading_make(&before, lexicon, question_bank_role(private_reveal(facts->role)),
                 private_reveal(facts->question),
                 private_reveal(facts->previous->transcript));
    rubric_compare(&before, reading, facts->previous, rubric);
    reading_done(&before);
}

/* The same question for who wants to hear it again, none after another attempt. */
static void write_question(const struct reading *reading, const struct coach_ask *ask,
                           struct buffer *question)
{
    struct span same = private_reveal(ask->facts.question);

    if (reading->kind == ANSWER_KIND_REPEAT)
        buffer_append(question, same.bytes, same.length);
    else if (ask->task == COACH_CLOSING)
        coach_lines_say(LINE_CLOSING, NULL, NULL, 0, seed_of(&ask->facts), question);
    else if (ask->task == COACH_NEXT_QUESTION)
        choose_question(reading, &ask->facts, question);
}

static void write_coaching(const struct lexicon *lexicon, const struct reading *reading,
                           const struct coach_ask *ask, struct buffer *out)
{
    const struct manner manner = {.number = ask->facts.question_number,
                                  .words_per_minute = ask->facts.words_per_minute};
    struct rubric rubric;
    struct buffer question;
    struct json_writer writer;

    rubric_apply(reading, &manner, &rubric);
    compare(lexicon, reading, &ask->facts, &rubric);
    buffer_init(&question, QUESTION_CEILING_BYTES);
    write_question(reading, ask, &question);

    json_writer_init(&writer, out);
    json_begin_object(&writer);
    json_put_boolean(&writer, "refused", false);
    json_put_string(&writer, "kind", answer_kind_name(reading->kind));
    json_put_span(&writer, "follow_up_question",
                  (struct span){question.bytes, question.length});
    if (reading->kind == ANSWER_KIND_ANSWER)
        write_feedback(&writer, reading, &rubric);
    json_end_object(&writer);
    buffer_done(&question);
    sodium_memzero(&rubric, sizeof(rubric));
}

static void answer_turn(const struct lexicon *lexicon, const struct coach_ask *ask,
                        struct buffer *out)
{
    const struct coach_facts *facts = &ask->facts;
    struct reading reading;

    reading_make(&reading, lexicon, question_bank_role(private_reveal(facts->role)),
                 private_reveal(facts->question), private_reveal(facts->transcript));
    if (redirect_is_attempt(&reading, lexicon))
        write_refusal(facts, out);
    else
        write_coaching(lexicon, &reading, ask, out);
    reading_done(&reading);
}

static struct coach_call *start(struct coach *coach, struct coach_ask *ask,
                                coach_done_fn *done, void *context)
{
    struct coach_builtin *builtin = (struct coach_builtin *)coach;
    struct coach_call *call = MEM_NEW(struct coach_call);
    struct buffer out;

    buffer_init(&out, ANSWER_CEILING_BYTES);
    if (ask->task == COACH_SUMMARY)
        coach_summary_write(builtin->lexicon, &ask->facts, &out);
    else
        answer_turn(builtin->lexicon, ask, &out);
    private_text_free(&ask->system);
    private_text_free(&ask->user);

    call->loop = builtin->loop;
    call->text = private_text_take(&out);
    call->done = done;
    call->context = context;
    loop_later(builtin->loop, deliver, call);
    return call;
}

static void deliver(void *context)
{
    struct coach_call *call = context;
    struct coach_reply answer = {.text = call->text, .retry_after_s = -1};

    call->done(call->context, OK, answer);
    free(call);
}

static void cancel(struct coach_call *call)
{
    if (!call)
        return;
    loop_forget(call->loop, deliver, call);
    private_text_free(&call->text);
    free(call);
}
