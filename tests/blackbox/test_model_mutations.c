/*
 * 1,500 mutations of what the model writes and of what the provider wraps it in: never a
 * crash, never a reply that is not an envelope, and never a turn counted that was not
 * answered.
 *
 * The generator has a fixed seed, so a failure comes back; it is named by its number.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"
#include "play.h"

TestSuite(model_mutations, .timeout = 200);

enum { MUTATIONS = 1500 };

static const char *const PIECES[] = {
    /* clang-format off */
    "\"", "\\", "\\\"", "{", "}", "[", "]", ":", ",", "null", "true", "false", "0", "-1", "1e999",
    "4.0", "6", "\\u0000", "\\ud800", "\\udc00", "\\n", "\n", "\t", "```", "```json\n", "\xff",
    "\xed\xa0\x80", "\"refused\":true,", "\"refused\":\"TRUE\",", "\"refused\":[],",
    "\"follow_up_question\":", "\"coaching_feedback\":{", "\"dimensions\":[", "\"label\":\"Clarity\"",
    "\"score\":", "\"tip\":", "\"summary_tip\":", "\"choices\":[", "\"message\":", "\"content\":",
    "\"finish_reason\":\"length\"", "\"finish_reason\":\"content_filter\"", "[[[[[[[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":", "one two three four five six seven eight nine ten ",
    " fuck you ",  "\xf0\x9f\x98\x80", "\xe2\x80\xae",
    /* clang-format on */
};

/* A good completion, changed in one to four places: inside the model's JSON, or around
 * it. */
static struct bytes mutation(struct generator *generator)
{
    struct pieces pieces = {PIECES, sizeof PIECES / sizeof *PIECES};
    struct bytes content = {0};
    struct bytes body = {0};
    bool is_inside = below(generator, 4) > 0;
    size_t changes = 1 + below(generator, 4);
    char *good = good_reply("And then, " MODEL_CANARY ", what did you do?");

    bytes_add_text(&content, good);
    for (size_t i = 0; is_inside && i < changes; i++)
        mutate(generator, &content, pieces);
    if (is_inside && below(generator, 8) == 0)
        cut_off(generator, &content);
    char *wrapped = completion(content.data ? content.data : "",
                               below(generator, 8) == 0 ? "length" : "stop");
    bytes_add_text(&body, wrapped);
    for (size_t i = 0; !is_inside && i < changes; i++)
        mutate(generator, &body, pieces);
    free(good);
    free(wrapped);
    bytes_free(&content);
    return body;
}

static const struct reply *answer_to(struct world *world, const struct session *session,
                                     struct bytes body, int number)
{
    upstream_will(world->upstream, (struct saying){.body = body.data});
    const struct reply *reply =
        answer(world, session, words(world, "%s Number %d.", ANSWER, number));
    const char *code = reply->status == 200
                           ? ""
                           : json_object_get_string(json_at(reply->json, "error.code"));

    cr_assert(reply->status == 200 || strcmp(code, "content_refused") == 0 ||
                  strncmp(code, "llm_", 4) == 0 || strcmp(code, "null_response") == 0 ||
                  strcmp(code, "empty_response") == 0,
              "mutation %d became %s:\n%s", number, code, body.data);
    cr_assert_not(bytes_has(&reply->body, " fuck you "), "mutation %d was shown:\n%s",
                  number, reply->body.data);
    return reply;
}

Test(model_mutations, never_a_crash_and_never_a_turn_that_was_not_answered)
{
    struct world *world = world_with_groq();
    struct generator generator = {.state = 2463534242u};
    struct session session = start_session(world, 10);
    char *good = good_reply("A question to fall back on?");
    char *body = completion(good, "stop");
    int turns = 0;
    int answered = 0;
    upstream_always(world->upstream, (struct saying){.body = body});

    for (int number = 0; number < MUTATIONS; number++) {
        struct bytes mutated = mutation(&generator);
        turns += answer_to(world, &session, mutated, number)->status == 200;
        bytes_free(&mutated);
        if (turns == 9) {
            expect_number(get_session(world, &session), "data.turn_count", turns);
            session = start_session(world, 10);
            answered += turns;
            turns = 0;
        }
    }

    cr_assert(answered > MUTATIONS / 3, "only %d were answered with success", answered);
    free(good);
    free(body);
    world_end(world);
}
