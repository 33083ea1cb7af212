/*
 * Questions to Qdrant: every request by its method, path, headers and body, as the API documentation has
 * them (https://api.qdrant.tech/api-reference,
 * https://platform.openai.com/docs/api-reference/embeddings), and what failures come to.
 */
#include "qdrant_world.h"

static void on_found(void *context, enum error error, struct retrieval retrieval)
{
    struct world *world = context;

    world->done++;
    world->error = error;
    world->retrieval = retrieval;
    loop_stop(world->loop);
}

static struct retriever_call *start(struct world *world, const char *question,
                                    const char *selection)
{
    struct private_text asked = private_text_copy(question, strlen(question));
    struct private_text selected =
        private_text_copy(selection, selection != NULL ? strlen(selection) : 0);
    struct retriever_ask ask = {.question = &asked,
                                .selection = selection != NULL ? &selected : NULL,
                                .limit = 2,
                                .timeout_ms = 20000};
    struct provider_tools tools;
    struct retriever_call *call;

    id_parse("11111111-2222-4333-8444-555555555555", 36, &ask.request_id);
    if (world->retriever == NULL) {
        world->loop = loop_new();
        world->pool = call_pool_new(world->loop);
        world->log = log_new(STDERR_FILENO, LOG_ERROR);
        tools = (struct provider_tools){&world->settings, world->pool, world->log,
                                        &world->metrics, NULL};
        world->retriever = retriever_new(&tools, world->loop, &world->problem);
        cr_assert_not_null(world->retriever, "%s", world->problem.bytes);
    }
    call = world->retriever->start(world->retriever, &ask, on_found, world);
    private_text_free(&asked);
    private_text_free(&selected);
    cr_assert_eq(world->done, 0);
    return call;
}

#define FOUND(id, chapter, score)                                                   \
    "{\"id\":1,\"version\":0,\"score\":" score ",\"payload\":{\"passage_id\":\"" id \
    "\",\"chapter\":\"" chapter "\",\"section\":\"\",\"page\":4,\"text\":\"Text.\"}}"

static void finds_three(struct span request, struct buffer *reply)
{
    if (is_to(request, "POST /v1/embeddings "))
        good(reply, "{\"data\":[{\"index\":0,\"embedding\":[0.25,-0.5,1e-07]}]}");
    else
        good(reply, "{\"result\":{\"points\":[" FOUND("z#1", "Other", "0.8") "," FOUND(
                        "a#10", "Tyres", "0.8") "," FOUND("a#2", "Tyres", "0.75") "]}}");
}

Test(ask, embeds_the_question_and_takes_the_cosine_as_it_is)
{
    struct world world;

    world_open(&world, finds_three);
    start(&world, "Are tyres round?", NULL);
    loop_run(world.loop);
    cr_assert_eq(world.error, OK);
    expect_request(&world, 0, "POST /v1/embeddings", "Bearer em-key",
                   "{\"model\":\"small-3\",\"input\":[\"Are tyres round?\"],"
                   "\"encoding_format\":\"float\"}");
    expect_request(&world, 1, "POST /collections/my%20books/points/query", "qd-key",
                   "{\"query\":[0.25,-0.5,1.00000001e-07],\"limit\":10,"
                   "\"with_payload\":true}");
    cr_assert_eq(world.retrieval.passages.count, 2, "the limit");
    cr_expect_float_eq(world.retrieval.passages.all[0].score, 0.8, 1e-9);
    cr_expect_str_eq(world.retrieval.passages.all[0].id, "a#10");
    cr_expect_str_eq(world.retrieval.passages.all[1].id, "z#1",
                     "of one score, whatever their headings: by order");
    cr_expect_eq(world.retrieval.passages.all[0].page, 4);
    world_close(&world);
}

Test(ask, judges_a_selection_without_any_server)
{
    struct world world;

    world_open(&world, finds_three);
    start(&world, "Why does a worn pad squeal?", "A worn pad squeals.");
    loop_run(world.loop);
    cr_expect_eq(world.error, OK);
    cr_expect_float_eq(world.retrieval.coverage, 1, 1e-9);
    cr_expect_eq(world.retrieval.passages.count, 0);
    cr_expect_eq(world.server.count, 0);
    cr_expect_not_null(world.retriever->corpus(world.retriever));
    world_close(&world);
}

static const char *embeddings_status, *qdrant_status;

static void fails(struct span request, struct buffer *reply)
{
    bool is_embedding = is_to(request, "POST /v1/embeddings ");

    say(reply, is_embedding ? embeddings_status : qdrant_status, "",
        is_embedding ? "{\"data\":[{\"index\":0,\"embedding\":[1]}]}" : "{}");
}

Test(ask, failures_come_to_rows_of_the_table)
{
    static const struct {
        const char *embeddings, *qdrant;
        enum error error;
    } cases[] = {
        {"401 X", "200 OK", ERROR_LLM_AUTH_ERROR},
        {"429 X", "200 OK", ERROR_LLM_RATE_LIMIT},
        {"404 X", "200 OK", ERROR_LLM_MODEL_NOT_FOUND},
        {"400 X", "200 OK", ERROR_LLM_BAD_REQUEST},
        {"500 X", "200 OK", ERROR_LLM_PROVIDER_ERROR},
        {"200 OK", "200 OK", ERROR_STORE_UNAVAILABLE},
        {"200 OK", "404 X", ERROR_STORE_UNAVAILABLE},
        {"200 OK", "403 X", ERROR_STORE_UNAVAILABLE},
        {"200 OK", "500 X", ERROR_STORE_UNAVAILABLE},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct world world;

        embeddings_status = cases[i].embeddings;
        qdrant_status = cases[i].qdrant;
        world_open(&world, fails);
        start(&world, "Why?", NULL);
        loop_run(world.loop);
        cr_expect_eq(world.error, cases[i].error, "%s, %s: %d", embeddings_status,
                     qdrant_status, world.error);
        world_close(&world);
    }
}

static void never_answers(struct span request, struct buffer *reply)
{
    (void)request;
    (void)reply;
}

Test(ask, can_be_cancelled_while_a_server_is_silent)
{
    struct retriever_call *call;
    struct world world;

    world_open(&world, never_answers);
    call = start(&world, "Why?", NULL);
    uv_run(loop_uv(world.loop), UV_RUN_NOWAIT);
    world.retriever->cancel(call);
    uv_run(loop_uv(world.loop), UV_RUN_NOWAIT);
    cr_expect_eq(world.done, 0);
    world_close(&world);
}
