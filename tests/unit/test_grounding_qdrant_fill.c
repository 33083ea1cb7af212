/*
 * The filling of a Qdrant collection: every request by its method, path, headers and body, as the API
 * documentation has them (https://api.qdrant.tech/api-reference,
 * https://platform.openai.com/docs/api-reference/embeddings).
 */
#include "qdrant_world.h"

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
