/*
 * What a question ends with, as JSON: `data` for both surfaces, and `details` of a refusal by the safety
 * filter.
 */
#include "ask_internal.h"

#include "clock.h"
#include "json.h"
#include "utf8.h"

#include <string.h>

#define DATA_BYTES         (4 * 1024 * 1024)
#define DETAILS_BYTES      1024
#define SNIPPET_CHARACTERS 200
#define SCORE_DECIMALS     4

static bool is_refused(const struct ask *ask)
{
    return ask->ruling.refused_by != GATE_COUNT;
}

/* The beginning of a text, cut behind a word. */
static struct span snippet_of(const char *text)
{
    struct span all = span_of(text);
    size_t offset = 0, behind_word = 0, characters = 0;
    bool is_in_word = false;

    while (offset < all.length && characters < SNIPPET_CHARACTERS) {
        size_t before = offset;
        bool is_space = utf8_is_space(utf8_next(all.bytes, all.length, &offset));

        if (is_space && is_in_word)
            behind_word = before;
        is_in_word = !is_space;
        characters++;
    }
    if (offset == all.length || behind_word == 0)
        return (struct span){all.bytes, offset};
    if (is_in_word) {
        size_t next = offset;

        if (utf8_is_space(utf8_next(all.bytes, all.length, &next)))
            behind_word = offset;
    }
    return (struct span){all.bytes, behind_word};
}

static bool is_cited(const struct ask *ask, size_t passage)
{
    for (size_t at = 0; at < ask->generated.count; at++)
        if ((ask->generated.sentences[at].cited >> passage & 1) != 0)
            return true;
    return false;
}

static void write_source(struct json_writer *json, const struct ask *ask, size_t at)
{
    const struct passage *passage = &ask->shown.all[at];

    json_begin_object(json);
    passage_write_place(json, passage);
    json_put_span(json, "snippet", snippet_of(ask_quoted(ask, at)));
    if (ask->request.surface == ASK_TEXTBOOK) { /* whole: a reader selects words in it */
        json_key(json, "text");
        json_string(json, ask_quoted(ask, at));
    }
    json_put_decimal(json, "score", passage->score, SCORE_DECIMALS);
    json_put_boolean(json, "cited", is_cited(ask, at));
    json_end_object(json);
}

/* POST /ask shows the best that was found, POST /v1/chat what the answer cites. */
static void write_sources(struct json_writer *json, const struct ask *ask)
{
    json_put_array(json, "sources");
    for (size_t at = 0; !is_refused(ask) && at < ask->shown.count; at++)
        if (ask->request.surface == ASK_TEXTBOOK || is_cited(ask, at))
            write_source(json, ask, at);
    json_end_array(json);
}

static void write_answer(struct json_writer *json, const struct ask *ask)
{
    const struct buffer *message = &ask->ruling.message;

    json_key(json, "answer");
    if (is_refused(ask))
        json_span(json, (struct span){message->bytes, message->length});
    else
        json_private(json, &ask->answer);
}

static void write_reason(struct json_writer *json, const struct ask *ask)
{
    const struct buffer *reason = &ask->ruling.reason;

    json_key(json, "refusal_reason");
    if (is_refused(ask))
        json_span(json, (struct span){reason->bytes, reason->length});
    else
        json_null(json);
}

/* Who wrote the answer; a refusal is nobody's. */
static void write_generator(struct json_writer *json, const struct ask *ask)
{
    json_key(json, "generator");
    if (is_refused(ask))
        json_null(json);
    else
        json_string(json, ask->generated.is_extractive ? "extractive"
                                                       : coach_kind(ask_model(ask)));
}

static void write_latency(struct json_writer *json, const struct ask *ask)
{
    json_put_integer(json, "latency_ms",
                     (clock_monotonic_us() - ask->request.received_us) / 1000);
}

static void write_warnings(struct json_writer *json, const struct ask *ask)
{
    json_put_array(json, "warnings");
    for (size_t at = 0; at < ask->ruling.warning_count; at++) {
        const struct warning_info *info = warning_info(ask->ruling.warnings[at]);

        json_begin_object(json);
        json_put_string(json, "stage", stage_name(info->stage));
        json_put_string(json, "code", info->code);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Only what has to do with the question is told of; the refusal log has all that was seen. */
static void write_textbook(struct json_writer *json, const struct ask *ask)
{
    const struct passages *found = &ask->retrieval.passages;
    double least = ask->services->settings->ground_related_score;
    int64_t related = 0;

    for (size_t at = 0; at < found->count; at++)
        related += found->all[at].score >= least;
    json_put_boolean(json, "was_refusal", is_refused(ask));
    write_sources(json, ask);
    write_reason(json, ask);
    json_put_integer(json, "chunks_retrieved", related);
    json_key(json, "max_score");
    if (related == 0)
        json_null(json);
    else
        json_decimal(json, ask->facts.max_score, SCORE_DECIMALS);
}

static void write_chat(struct json_writer *json, const struct ask *ask)
{
    write_sources(json, ask);
    json_put_boolean(json, "refused", is_refused(ask));
    write_reason(json, ask);
    json_key(json, "confidence");
    if (ask->is_generated)
        json_decimal(json, ask->facts.confidence, SCORE_DECIMALS);
    else
        json_null(json);
}

struct private_text ask_write_data(const struct ask *ask)
{
    struct json_writer json;
    struct buffer out;

    buffer_init(&out, DATA_BYTES);
    json_writer_init(&json, &out);
    json_begin_object(&json);
    write_answer(&json, ask);
    if (ask->request.surface == ASK_TEXTBOOK)
        write_textbook(&json, ask);
    else
        write_chat(&json, ask);
    write_generator(&json, ask);
    write_latency(&json, ask);
    write_warnings(&json, ask);
    json_end_object(&json);
    return private_text_take(&out);
}

struct private_text ask_write_details(const struct ask *ask)
{
    bool is_filter = strcmp(ask->refusal_source, "filter") == 0;
    struct json_writer json;
    struct buffer out;

    buffer_init(&out, DETAILS_BYTES);
    json_writer_init(&json, &out);
    json_begin_object(&json);
    json_put_string(&json, "source", ask->refusal_source);
    if (is_filter) {
        json_put_string(&json, "category", ask->category);
        json_put_string(&json, "ruleset",
                        ruleset_hash(filter_ruleset(ask->services->filter)));
    }
    json_end_object(&json);
    return private_text_take(&out);
}
