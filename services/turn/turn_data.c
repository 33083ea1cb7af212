/*
 * What a turn ends with, as JSON: `data` of a success, `details` of a refusal, and a
 * refusal as the store keeps it.
 */
#include "turn_internal.h"

#include "private_reveal.h"
#include "report_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define DATA_BYTES \
    (16 * 1024 * 1024) /* the longest transcript, escaped, with room to spare */
#define DETAILS_BYTES  1024
#define DELIVERY_BYTES (64 * 1024) /* a hundred marks are 6 KB */
#define REFUSAL_BYTES  (16 * 1024)

bool turn_is_scored(const struct turn *turn)
{
    return turn->kind == ANSWER_KIND_ANSWER &&
           turn->reply.feedback_state == FEEDBACK_GOOD && !turn->is_too_short &&
           !turn->is_low_confidence;
}

void turn_measure(struct turn *turn)
{
    struct answer_delivery delivery;
    struct json_writer writer;
    struct buffer out;

    delivery_measure(turn->services->fillers, &turn->request.transcript, turn->spoken,
                     &delivery);
    turn->is_too_short = delivery.is_too_short;
    turn->is_low_confidence = delivery.is_low_confidence;
    buffer_init(&out, DELIVERY_BYTES);
    delivery_describe(&out, &delivery);
    turn->measured = private_text_take(&out);
    buffer_init(&out, DELIVERY_BYTES);
    json_writer_init(&writer, &out);
    delivery_write(&writer, &delivery, turn->words, turn->word_count);
    turn->delivery = private_text_take(&out);
    free(turn->words);
    turn->words = NULL;
}

struct coach_turn turn_of_coach(const struct session_turn *stored)
{
    struct coach_turn turn = {
        .number = stored->number,
        .is_skipped = stored->is_skipped,
        .question = stored->question,
        .transcript = &stored->transcript,
        .is_scored = stored->is_scored,
    };

    for (int at = 0; at < DIMENSION_COUNT; at++)
        turn.scores[at] = stored->scores[at];
    return turn;
}

/* An answer is better than none, one with scores better than one without. */
static int value_of(const struct coach_turn *turn)
{
    int value = turn->is_skipped ? 0 : 1;

    for (int at = 0; at < DIMENSION_COUNT && turn->is_scored; at++)
        value += turn->scores[at];
    return value;
}

/* Of equals the later counts. */
static void keep_better(struct coach_turn *turns, size_t *count,
                        const struct coach_turn *turn)
{
    struct coach_turn *kept = &turns[turn->number - 1];

    if (turn->number > *count)
        *count = turn->number;
    else if (value_of(turn) < value_of(kept))
        return;
    *kept = *turn;
}

size_t turn_best_answers(const struct turn *turn, struct coach_turn *ret_turns)
{
    const struct session *session = turn->session;
    struct coach_turn this_one;
    size_t count = 0;

    for (unsigned at = 0; session->turns != NULL && at < session->commit_count; at++) {
        struct coach_turn stored = turn_of_coach(&session->turns[at]);

        keep_better(ret_turns, &count, &stored);
    }
    if (turn->request.purpose == STORE_FOR_FINISH)
        return count;
    this_one = (struct coach_turn){
        .number = turn->number,
        .is_skipped = turn->kind == ANSWER_KIND_SKIP,
        .question = turn_question(turn),
        .transcript = &turn->request.transcript,
        .is_scored = turn_is_scored(turn),
    };
    for (int at = 0; at < DIMENSION_COUNT; at++)
        this_one.scores[at] = turn->reply.feedback.scores[at];
    keep_better(ret_turns, &count, &this_one);
    return count;
}

size_t turn_earlier_answers(const struct turn *turn, struct coach_turn *ret_turns)
{
    const struct session *session = turn->session;
    size_t count = 0;

    for (unsigned at = 0; session->turns != NULL && at < session->commit_count; at++) {
        const struct session_turn *stored = &session->turns[at];

        if (stored->number >= turn->number)
            continue;
        ret_turns[stored->number - 1] = turn_of_coach(stored);
        count = stored->number > count ? stored->number : count;
    }
    return count;
}

const struct session_turn *turn_previous(const struct turn *turn)
{
    const struct session *session = turn->session;

    return turn_is_attempt(turn) && session->turns != NULL
               ? &session->turns[session->commit_count - 1]
               : NULL;
}

struct private_text turn_pending_text(const struct turn *turn)
{
    static const char finished[] = "Thank you for your answers. This interview is over.";
    const struct session *session = turn->session;
    struct span text = {finished, sizeof(finished) - 1};
    struct private_text pending;
    struct json_object *data;

    if (!session_is_complete(session))
        return private_text_clone(session_current_question(session));
    data = outcome_read(&session->turns[session->commit_count - 1].outcome);
    if (session->turn_count == session->total_questions &&
        json_member_string(data, "assistant_text").bytes != NULL)
        text = json_member_string(data, "assistant_text");
    pending = private_text_copy(text.bytes, text.length);
    json_wipe_and_put(data);
    return pending;
}

static void write_feedback(struct json_writer *writer, const struct feedback *feedback)
{
    json_begin_object(writer);
    json_put_array(writer, "dimensions");
    for (int at = 0; at < DIMENSION_COUNT; at++) {
        json_begin_object(writer);
        json_put_string(writer, "label", dimension_label((enum dimension)at));
        json_put_integer(writer, "score", feedback->scores[at]);
        json_put_private(writer, "tip", &feedback->tips[at]);
        json_key(writer, "quote");
        if (private_text_is_empty(&feedback->quotes[at]))
            json_null(writer);
        else
            json_private(writer, &feedback->quotes[at]);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_put_private(writer, "summary_tip", &feedback->summary_tip);
    json_end_object(writer);
}

static void write_lines(struct json_writer *writer, const char *key,
                        const struct private_text *lines, size_t count)
{
    json_put_array(writer, key);
    for (size_t at = 0; at < count; at++)
        json_private(writer, &lines[at]);
    json_end_array(writer);
}

void turn_write_summary(struct json_writer *writer, const struct turn *turn)
{
    const struct summary *summary = turn->summary;
    struct coach_turn turns[SESSION_MAX_QUESTIONS];
    size_t count;

    if (summary == NULL) {
        json_null(writer);
        return;
    }
    count = turn_best_answers(turn, turns);
    json_begin_object(writer);
    json_put_private(writer, "overall_assessment", &summary->overall_assessment);
    write_lines(writer, "strengths", summary->strengths, summary->strength_count);
    write_lines(writer, "improvements", summary->improvements,
                summary->improvement_count);
    json_put_object(writer, "average_scores");
    for (int at = 0; at < DIMENSION_COUNT; at++) {
        double average;

        if (!summary_average(turns, count, (enum dimension)at, &average))
            continue;
        json_put_decimal(writer, dimension_key((enum dimension)at), average, 2);
    }
    json_end_object(writer);
    write_lines(writer, "recommended_actions", summary->actions, summary->action_count);
    turn_write_demands(writer, turn, turns, count);
    json_end_object(writer);
}

/* Milliseconds with the microseconds behind the point. */
static void write_ms(struct json_writer *writer, const char *key, int64_t microseconds)
{
    char text[32];
    size_t at = sizeof(text);
    int64_t rest = microseconds > 0 ? microseconds : 0;

    for (int digit = 0; digit < 3; digit++, rest /= 10)
        text[--at] = (char)('0' + rest % 10);
    text[--at] = '.';
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    json_key(writer, key);
    json_raw(writer, text + at, sizeof(text) - at);
}

static void write_timings(struct json_writer *writer, const struct turn_timings *timings)
{
    static const char *const names[] = {
#define TIMING(symbol, name) name "_ms",
#include "metric_labels.def"
    };

    json_put_object(writer, "timings");
    for (int part = 0; part < TIMING_COUNT; part++)
        write_ms(writer, names[part], timings->us[part]);
    json_end_object(writer);
}

void turn_write_warnings(struct json_writer *writer, const struct turn *turn)
{
    json_put_array(writer, "warnings");
    for (size_t at = 0; at < turn->warning_count; at++) {
        json_begin_object(writer);
        json_put_string(writer, "stage", stage_name(turn->warnings[at].stage));
        json_put_string(writer, "code", turn->warnings[at].code);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void write_audio_url(struct json_writer *writer, const struct turn *turn)
{
    char url[64];

    snprintf(url, sizeof(url), "/tts/%s", turn->request.request_id.text);
    json_string(writer, private_text_is_empty(&turn->speech.audio) ? NULL : url);
}

static void write_attempt(struct json_writer *writer, const struct turn *turn)
{
    const struct session_turn *previous = turn_previous(turn);

    json_put_integer(writer, "attempt", turn->session->attempt_count + 1);
    json_key(writer, "previous_scores");
    if (previous == NULL || !previous->is_scored) {
        json_null(writer);
        return;
    }
    json_begin_object(writer);
    for (int at = 0; at < DIMENSION_COUNT; at++)
        json_put_integer(writer, dimension_key((enum dimension)at), previous->scores[at]);
    json_end_object(writer);
}

/* Who asks for the question of an interview that is over gets the summary that it has. */
static void write_summary_now(struct json_writer *writer, const struct turn *turn)
{
    struct json_object *last;

    if (turn->kind != ANSWER_KIND_REPEAT) {
        turn_write_summary(writer, turn);
        return;
    }
    last = outcome_last(turn->session);
    outcome_write(writer, json_member(last, "session_summary"));
    json_wipe_and_put(last);
}

struct private_text turn_write_data(const struct turn *turn)
{
    struct span delivery = private_reveal(&turn->delivery);
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, DATA_BYTES);
    buffer_reserve(&out, 1024 + 2 * private_reveal(&turn->request.transcript).length);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_private(&writer, "transcript", &turn->request.transcript);
    json_put_private(&writer, "assistant_text", &turn->reply.question);
    json_key(&writer, "tts_audio_url");
    write_audio_url(&writer, turn);
    json_key(&writer, "coaching_feedback");
    if (turn_is_scored(turn))
        write_feedback(&writer, &turn->reply.feedback);
    else
        json_null(&writer);
    json_key(&writer, "session_summary");
    write_summary_now(&writer, turn);
    json_key(&writer, "delivery");
    json_raw(&writer, delivery.bytes, delivery.length);
    write_timings(&writer, &turn->timings);
    json_put_string(&writer, "kind", answer_kind_name(turn->kind));
    if (turn_is_attempt(turn))
        write_attempt(&writer, turn);
    json_put_boolean(&writer, "is_complete", turn_completes(turn));
    json_put_integer(&writer, "question_number",
                     turn->kind == ANSWER_KIND_REPEAT ? turn->session->turn_count
                                                      : turn->number);
    json_put_integer(&writer, "total_questions", turn->session->total_questions);
    json_put_string(&writer, "coach", coach_kind(turn_coach(turn)));
    json_put_string(&writer, "coach_vendor", turn_coach(turn)->name);
    turn_write_warnings(&writer, turn);
    json_end_object(&writer);
    return private_text_take(&out);
}

struct private_text turn_write_details(const struct turn *turn)
{
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, DETAILS_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_string(&writer, "source", refuser_name(turn->refuser));
    if (turn->refuser == REFUSER_FILTER) {
        json_put_string(&writer, "category", turn->reason);
        json_put_string(&writer, "ruleset",
                        ruleset_hash(filter_ruleset(turn->services->filter)));
    }
    json_end_object(&writer);
    return private_text_take(&out);
}

struct private_text turn_write_refusal(const struct turn_result *result)
{
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, REFUSAL_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    if (!private_text_is_empty(&result->message))
        json_put_private(&writer, "message_safe", &result->message);
    json_put_private(&writer, "details", &result->details);
    json_end_object(&writer);
    return private_text_take(&out);
}

bool turn_read_refusal(const struct private_text *outcome, struct turn_result *result)
{
    struct span text = private_reveal(outcome);
    struct json_object *object = json_parse(text.bytes, text.length, 4);
    struct span message = json_member_string(object, "message_safe");
    struct span details = json_member_string(object, "details");
    bool is_good = details.bytes != NULL;

    if (message.bytes != NULL)
        result->message = private_text_copy(message.bytes, message.length);
    if (is_good)
        result->details = private_text_copy(details.bytes, details.length);
    json_wipe_and_put(object);
    return is_good;
}
