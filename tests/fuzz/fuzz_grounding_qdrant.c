/*
 * What a server of embeddings and Qdrant may answer, with any status: a retrieval ends once, with
 * passages that are scored from 0 to 1, the best first, or with an error; and what is made of such
 * replies for the next request is JSON again.
 *
 * The input is a question and then what outside.h says.
 */
#include "outside.h"
#include "private_reveal.h"
#include "qdrant_bodies_internal.h"
#include "retriever_internal.h"
#include "utf8.h"

#include <math.h>

static char *const environment[] = {"RETRIEVER=qdrant", "QDRANT_API_KEY=key", NULL};

enum { LIMIT = 5, BODY_DEPTH = 8 };

static void check_body(struct private_text body)
{
    struct span text = private_reveal(&body);
    struct json_object *object = json_parse(text.bytes, text.length, BODY_DEPTH);

    must(object != NULL);
    json_object_put(object);
    private_text_free(&body);
}

static void check_passage(struct passage *passage)
{
    float vector[] = {0.25f};
    struct embeddings embeddings = {.values = vector, .count = 1, .dimensions = 1};
    struct qdrant_point point = qdrant_point_of(passage, "small");

    must(isfinite(passage->score) && passage->score >= 0 && passage->score <= 1);
    must(*passage->id != '\0' && *passage->text != '\0');
    must(utf8_is_valid(passage->id, strlen(passage->id)));
    must(utf8_is_valid(passage->text, strlen(passage->text)));
    check_body(qdrant_upsert_body(&point, 1, &embeddings));
    check_body(qdrant_retrieve_body(&point, 1));
}

static void on_done(void *context, enum error error, struct retrieval retrieval)
{
    unsigned *ended = context;

    must((*ended)++ == 0);
    must(error == OK || retrieval.passages.count == 0);
    must(error == OK || error == ERROR_STORE_UNAVAILABLE ||
         error_info(error)->stage == STAGE_LLM);
    must(retrieval.passages.count <= LIMIT);
    for (size_t i = 0; i < retrieval.passages.count; i++) {
        check_passage(&retrieval.passages.all[i]);
        must(i == 0 ||
             retrieval.passages.all[i - 1].score >= retrieval.passages.all[i].score);
    }
    retrieval_done(&retrieval);
}

/* What only `poise index` reads. */
static void check_fill(struct span reply)
{
    static char id[] = "a#1", text[] = "A worn pad.", none[] = "";
    struct passage passage = {
        .id = id, .chapter = none, .section = none, .page = -1, .text = text};
    struct qdrant_point point = qdrant_point_of(&passage, "small");
    struct json_object *root = json_parse(reply.bytes, reply.length, 4), *next;

    qdrant_read_known(json_member(root, "result"), &point, 1);
    check_body(
        qdrant_collection_body(qdrant_read_dimensions(json_member(root, "result"))));
    check_body(qdrant_delete_body(&point.id, 1));
    next = json_member(json_member(root, "result"), "next_page_offset");
    check_body(
        qdrant_scroll_body(next != NULL ? json_object_to_json_string(next) : NULL, 10));
    json_object_put(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct retriever *retriever;
    struct outside *outside = outside_open(environment);
    struct span input = fuzz_input(bytes, length), question = {NULL, 0};
    struct retriever_ask ask = {.limit = LIMIT, .timeout_ms = 20000};
    struct provider_tools tools;
    struct private_text asked;
    struct buffer problem;
    unsigned ended = 0;

    fuzz_next(&input, FUZZ_LINE, &question);
    if (question.length == 0 || !utf8_is_valid(question.bytes, question.length))
        return 0;
    buffer_init(&problem, 4096);
    tools = (struct provider_tools){&outside->settings, outside->pool, outside->log,
                                    &outside->metrics, NULL};
    if (retriever == NULL)
        retriever = retriever_qdrant_new(&tools, outside->loop, &problem);
    buffer_done(&problem);
    check_fill(input);
    asked = private_text_copy(question.bytes, question.length);
    ask.question = &asked;
    outside_answer(outside, input);
    retriever->start(retriever, &ask, on_done, &ended);
    outside_run(outside);
    must(ended == 1);
    private_text_free(&asked);
    return 0;
}
