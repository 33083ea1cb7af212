/*
 * Qdrant and an OpenAI-compatible API of embeddings, as a scripted server: every request by its method,
 * path, headers and body, as their API documentation has them
 * (https://api.qdrant.tech/api-reference, https://platform.openai.com/docs/api-reference/embeddings).
 */
#include "qdrant_fill.h"
#include "retriever.h"

#include "speech_server.h"

#include <json-c/json.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_BYTES 64

struct world {
    char directory[DIRECTORY_BYTES];
    char index[DIRECTORY_BYTES + 16];
    struct speech_server server;
    struct settings settings;
    struct buffer problem;

    struct loop *loop;
    struct call_pool *pool;
    struct log *log;
    struct metrics metrics;
    struct retriever *retriever;
    unsigned done;
    enum error error;
    struct retrieval retrieval;
};

static void write_file(const struct world *world, const char *name, const char *text)
{
    char path[DIRECTORY_BYTES + 64];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", world->directory, name);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void build_index(struct world *world)
{
    struct index_report report;

    cr_assert(
        index_build(world->directory, world->index, NULL, NULL, &report, &world->problem),
        "%s", world->problem.bytes);
}

/* A corpus of two passages, and a server that answers by this function. */
static void world_open(struct world *world, speech_answer_fn *answer)
{
    memset(world, 0, sizeof(*world));
    strcpy(world->directory, "/tmp/poise-qdrant-XXXXXX");
    cr_assert_not_null(mkdtemp(world->directory));
    snprintf(world->index, sizeof(world->index), "%s/index", world->directory);
    buffer_init(&world->problem, 4096);
    write_file(world, "a.md", "# Brakes\n\n## Wear\n\nA \"worn\" pad squeals.\n");
    write_file(world, "b.md", "# Tyres\n\nA flat tyre is slow.\n");
    write_file(world, "corpus.json",
               "{\"title\":\"Cars\",\"topics\":[\"brakes\"],\"out_of_scope\":[]}");
    build_index(world);
    speech_server_start(&world->server, answer);
    world->settings.corpus_index = strdup(world->index);
    world->settings.retriever = RETRIEVER_QDRANT;
    world->settings.qdrant_url = strdup(world->server.url);
    world->settings.qdrant_collection = strdup("my books");
    world->settings.qdrant_api_key = private_text_copy(" qd-key\n", 8);
    world->settings.embeddings_base_url = malloc(80);
    snprintf(world->settings.embeddings_base_url, 80, "%s/v1/", world->server.url);
    world->settings.embeddings_model = strdup("small-3");
    world->settings.embeddings_api_key = private_text_copy("em-key", 6);
}

static void world_close(struct world *world)
{
    char command[DIRECTORY_BYTES + 16];

    retriever_free(world->retriever);
    call_pool_free(world->pool);
    log_free(world->log);
    loop_free(world->loop);
    retrieval_done(&world->retrieval);
    speech_server_stop(&world->server);
    free(world->settings.corpus_index);
    free(world->settings.qdrant_url);
    free(world->settings.qdrant_collection);
    private_text_free(&world->settings.qdrant_api_key);
    free(world->settings.embeddings_base_url);
    free(world->settings.embeddings_model);
    private_text_free(&world->settings.embeddings_api_key);
    buffer_done(&world->problem);
    snprintf(command, sizeof(command), "rm -r %s", world->directory);
    cr_assert_eq(system(command), 0);
}

static bool is_to(struct span request, const char *line)
{
    return request.length > strlen(line) &&
           memcmp(request.bytes, line, strlen(line)) == 0;
}

static void say(struct buffer *reply, const char *status, const char *headers,
                const char *body)
{
    speech_reply(reply, status, headers, body, strlen(body));
}

static void good(struct buffer *reply, const char *body)
{
    say(reply, "200 OK", "Content-Type: application/json\r\n", body);
}

static void expect_request(struct world *world, unsigned index, const char *line,
                           const char *key, const char *body)
{
    struct span request = speech_request(&world->server, index);
    struct span authorization = speech_header(request, "Authorization:");
    struct span api_key = speech_header(request, "api-key:");
    struct span sent = speech_body(request);
    bool is_embedding = strncmp(key, "Bearer ", 7) == 0;
    struct span given = is_embedding ? authorization : api_key;

    cr_expect(is_to(request, line), "%.*s", (int)request.length, request.bytes);
    cr_expect_eq(memcmp(request.bytes + strlen(line), " HTTP/1.1\r\n", 11), 0);
    cr_expect_null((is_embedding ? api_key : authorization).bytes,
                   "the other's key is not for it");
    while (given.length > 0 && *given.bytes == ' ')
        given = (struct span){given.bytes + 1, given.length - 1};
    cr_expect(span_equals(given, key), "%.*s", (int)request.length, request.bytes);
    cr_expect_not_null(speech_header(request, "X-Request-ID:").bytes);
    if (*body != '\0')
        cr_expect(
            span_equals(speech_header(request, "Content-Type:"), " application/json") ||
            span_equals(speech_header(request, "Content-Type:"), "application/json"));
    cr_expect(span_equals(sent, body), "sent:   %.*s\nwanted: %s", (int)sent.length,
              sent.bytes, body);
}

/* ---- filling ---- */

#define VECTORS_2                                                            \
    "{\"object\":\"list\",\"data\":["                                        \
    "{\"object\":\"embedding\",\"index\":1,\"embedding\":[0.5,-1,0]},"       \
    "{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.1,0.2,3e-05]}]," \
    "\"model\":\"small-3\",\"usage\":{\"prompt_tokens\":9,\"total_tokens\":9}}"

static void has_no_collection(struct span request, struct buffer *reply)
{
    if (is_to(request, "GET /collections/my%20books "))
        say(reply, "404 Not Found", "",
            "{\"status\":{\"error\":\"Not found: Collection `my books` doesn't exist!\"},"
            "\"time\":0.0001}");
    else if (is_to(request, "POST /v1/embeddings "))
        good(reply, VECTORS_2);
    else if (is_to(request, "POST /collections/my%20books/points/scroll "))
        good(reply, "{\"result\":{\"points\":[],\"next_page_offset\":null},"
                    "\"status\":\"ok\",\"time\":0.001}");
    else if (is_to(request, "PUT /collections/my%20books "))
        good(reply, "{\"result\":true,\"status\":\"ok\",\"time\":0.01}");
    else
        good(reply, "{\"result\":{\"operation_id\":0,\"status\":\"completed\"},"
                    "\"status\":\"ok\",\"time\":0.01}");
}

static bool fill(struct world *world, struct qdrant_fill_report *ret_report)
{
    struct index_reader *reader = index_reader_open(world->index, &world->problem);
    bool is_good;

    cr_assert_not_null(reader);
    is_good =
        qdrant_fill(&world->settings, reader, NULL, NULL, ret_report, &world->problem);
    index_reader_free(reader);
    return is_good;
}

/* The points of an upsert, for a server that has them; the caller puts them. */
static struct json_object *points_sent(struct world *world, unsigned index)
{
    struct span body = speech_body(speech_request(&world->server, index));
    char *text = mem_copy(body.bytes, body.length);
    struct json_object *root = json_tokener_parse(text), *points;

    free(text);
    cr_assert(json_object_object_get_ex(root, "points", &points));
    json_object_get(points);
    json_object_put(root);
    return points;
}

static const char *text_in(struct json_object *object, const char *key)
{
    struct json_object *value;

    cr_assert(json_object_object_get_ex(object, key, &value), "no %s", key);
    return json_object_get_string(value);
}

Test(fill, makes_the_collection_and_sends_every_passage_once)
{
    struct qdrant_fill_report report;
    struct json_object *points, *payload, *first, *second;
    struct world world;
    char wanted[2048];

    world_open(&world, has_no_collection);
    cr_assert(fill(&world, &report), "%s", world.problem.bytes);
    cr_expect_eq(report.passages, 2);
    cr_expect_eq(report.embedded, 2);
    cr_expect_eq(report.removed, 0);
    cr_assert_eq(world.server.count, 5);

    expect_request(&world, 0, "GET /collections/my%20books", "qd-key", "");
    expect_request(&world, 1, "POST /v1/embeddings", "Bearer em-key",
                   "{\"model\":\"small-3\",\"input\":[\"Brakes\\nWear\\nA \\\"worn\\\" "
                   "pad squeals.\",\"Tyres\\nA flat tyre is slow.\"],"
                   "\"encoding_format\":\"float\"}");
    expect_request(&world, 2, "PUT /collections/my%20books", "qd-key",
                   "{\"vectors\":{\"size\":3,\"distance\":\"Cosine\"}}");

    points = points_sent(&world, 3);
    first = json_object_array_get_idx(points, 0);
    second = json_object_array_get_idx(points, 1);
    cr_assert(json_object_object_get_ex(first, "payload", &payload));
    snprintf(wanted, sizeof(wanted),
             "{\"points\":[{\"id\":\"%s\",\"vector\":[0.100000001,0.200000003,"
             "2.99999992e-05],\"payload\":{\"digest\":\"%s\",\"passage_id\":\"a#1\","
             "\"chapter\":\"Brakes\",\"section\":\"Wear\",\"page\":null,"
             "\"text\":\"A \\\"worn\\\" pad squeals.\"}},",
             text_in(first, "id"), text_in(payload, "digest"));
    cr_assert(json_object_object_get_ex(second, "payload", &payload));
    snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted),
             "{\"id\":\"%s\",\"vector\":[0.5,-1,0],\"payload\":{\"digest\":\"%s\","
             "\"passage_id\":\"b#1\",\"chapter\":\"Tyres\",\"section\":\"\","
             "\"page\":null,\"text\":\"A flat tyre is slow.\"}}]}",
             text_in(second, "id"), text_in(payload, "digest"));
    expect_request(&world, 3, "PUT /collections/my%20books/points?wait=true", "qd-key",
                   wanted);
    cr_expect_eq(strlen(text_in(first, "id")), 36);
    cr_expect_str_neq(text_in(first, "id"), text_in(second, "id"));
    expect_request(&world, 4, "POST /collections/my%20books/points/scroll", "qd-key",
                   "{\"limit\":256,\"with_payload\":[\"passage_id\"],"
                   "\"with_vector\":false}");
    json_object_put(points);
    world_close(&world);
}

/* What a server has after the first filling: told by the first world's points. */
static struct json_object *kept_points;
static bool has_second_page;

static void has_the_collection(struct span request, struct buffer *reply)
{
    struct json_object *first = json_object_array_get_idx(kept_points, 0), *payload;
    char body[2048];

    json_object_object_get_ex(first, "payload", &payload);
    if (is_to(request, "GET "))
        good(reply,
             "{\"result\":{\"status\":\"green\",\"config\":{\"params\":{\"vectors\":"
             "{\"size\":3,\"distance\":\"Cosine\"}}}},\"status\":\"ok\","
             "\"time\":0.001}");
    else if (is_to(request, "POST /v1/embeddings "))
        good(reply, "{\"data\":[{\"index\":0,\"embedding\":[1,2,3]}]}");
    else if (is_to(request, "POST /collections/my%20books/points ")) {
        snprintf(body, sizeof(body),
                 "{\"result\":[{\"id\":\"%s\",\"payload\":{\"digest\":\"%s\"}}],"
                 "\"status\":\"ok\"}",
                 text_in(first, "id"), text_in(payload, "digest"));
        good(reply, body);
    } else if (is_to(request, "POST /collections/my%20books/points/scroll ")) {
        bool is_first = memmem(request.bytes, request.length, "\"offset\"", 8) == NULL;

        good(reply, is_first ? "{\"result\":{\"points\":[{\"id\":"
                               "\"11111111-2222-4333-8444-555555555555\",\"payload\":"
                               "{\"passage_id\":\"gone#3\"}},{\"id\":7,\"payload\":{}}],"
                               "\"next_page_offset\":"
                               "\"99999999-2222-4333-8444-555555555555\"}}"
                             : "{\"result\":{\"points\":[],\"next_page_offset\":null}}");
        has_second_page |= !is_first;
    } else
        good(reply, "{\"result\":{\"operation_id\":1,\"status\":\"completed\"}}");
}

Test(fill, embeds_only_what_has_changed_and_removes_what_is_gone)
{
    struct qdrant_fill_report report;
    struct world first, second;
    char wanted[512];

    world_open(&first, has_no_collection);
    cr_assert(fill(&first, &report));
    kept_points = points_sent(&first, 3);
    world_close(&first);

    world_open(&second, has_the_collection);
    cr_assert(fill(&second, &report), "%s", second.problem.bytes);
    cr_expect_eq(report.passages, 2);
    cr_expect_eq(report.embedded, 1);
    cr_expect_eq(report.removed, 1);
    snprintf(wanted, sizeof(wanted),
             "{\"ids\":[\"%s\",\"%s\"],\"with_payload\":[\"digest\"],"
             "\"with_vector\":false}",
             text_in(json_object_array_get_idx(kept_points, 0), "id"),
             text_in(json_object_array_get_idx(kept_points, 1), "id"));
    expect_request(&second, 1, "POST /collections/my%20books/points", "qd-key", wanted);
    expect_request(&second, 2, "POST /v1/embeddings", "Bearer em-key",
                   "{\"model\":\"small-3\",\"input\":[\"Tyres\\nA flat tyre is slow.\"],"
                   "\"encoding_format\":\"float\"}");
    expect_request(&second, 5, "POST /collections/my%20books/points/delete?wait=true",
                   "qd-key", "{\"points\":[\"11111111-2222-4333-8444-555555555555\"]}");
    expect_request(&second, 6, "POST /collections/my%20books/points/scroll", "qd-key",
                   "{\"offset\":\"99999999-2222-4333-8444-555555555555\",\"limit\":256,"
                   "\"with_payload\":[\"passage_id\"],\"with_vector\":false}");
    cr_expect(has_second_page);
    json_object_put(kept_points);
    world_close(&second);
}

static unsigned refusals_left;

static void is_busy_at_first(struct span request, struct buffer *reply)
{
    if (is_to(request, "POST /v1/embeddings ") && refusals_left > 0) {
        refusals_left--;
        say(reply, "429 Too Many Requests", "Retry-After: 0\r\n", "{\"error\":{}}");
    } else
        has_no_collection(request, reply);
}

Test(fill, comes_back_when_a_limit_of_calls_is_reached)
{
    struct qdrant_fill_report report;
    struct world world;

    refusals_left = 2;
    world_open(&world, is_busy_at_first);
    cr_assert(fill(&world, &report), "%s", world.problem.bytes);
    cr_expect_eq(report.embedded, 2);
    world_close(&world);
}

static void refuses_the_key(struct span request, struct buffer *reply)
{
    (void)request;
    say(reply, "401 Unauthorized", "", "Must provide an API key");
}

static void has_larger_vectors(struct span request, struct buffer *reply)
{
    if (is_to(request, "GET "))
        good(reply, "{\"result\":{\"config\":{\"params\":{\"vectors\":{\"size\":1536,"
                    "\"distance\":\"Cosine\"}}}}}");
    else if (is_to(request, "POST /v1/embeddings "))
        good(reply, VECTORS_2);
    else
        good(reply, "{\"result\":[]}");
}

static void has_named_vectors(struct span request, struct buffer *reply)
{
    (void)request;
    good(reply, "{\"result\":{\"config\":{\"params\":{\"vectors\":{\"text\":{\"size\":3,"
                "\"distance\":\"Cosine\"}}}}}}");
}

static void embeds_one_too_few(struct span request, struct buffer *reply)
{
    if (is_to(request, "POST /v1/embeddings "))
        good(reply, "{\"data\":[{\"index\":0,\"embedding\":[1,2,3]}]}");
    else
        has_no_collection(request, reply);
}

Test(fill, says_what_is_wrong)
{
    static const struct {
        speech_answer_fn *answer;
        const char *said;
    } cases[] = {
        {refuses_the_key, "QDRANT_API_KEY (HTTP status 401)"},
        {has_larger_vectors, "another size"},
        {has_named_vectors, "QDRANT_COLLECTION"},
        {embeds_one_too_few, "llm_provider_error"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct qdrant_fill_report report = {.passages = -5};
        struct world world;

        world_open(&world, cases[i].answer);
        cr_expect_not(fill(&world, &report));
        cr_expect_eq(report.passages, -5);
        cr_expect_not_null(strstr(world.problem.bytes, cases[i].said), "%s",
                           world.problem.bytes);
        world_close(&world);
    }
}

/* ---- asking ---- */

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
    struct retriever_call *call;

    id_parse("11111111-2222-4333-8444-555555555555", 36, &ask.request_id);
    if (world->retriever == NULL) {
        world->loop = loop_new();
        world->pool = call_pool_new(world->loop);
        world->log = log_new(STDERR_FILENO, LOG_ERROR);
        world->retriever = retriever_new(&world->settings, world->loop, world->pool,
                                         world->log, &world->metrics, &world->problem);
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
                        "a#10", "Tyres", "0.75") "," FOUND("a#2", "Tyres", "0.75") "]}}");
}

Test(ask, embeds_the_question_and_boosts_its_section)
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
    cr_expect_str_eq(world.retrieval.passages.all[0].id, "a#2",
                     "half of the question's words are its heading; then by order");
    cr_expect_str_eq(world.retrieval.passages.all[1].id, "a#10");
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
