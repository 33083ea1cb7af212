/*
 * Errors on the way to the model and back: the filter, and the provider.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "scenarios.h"

/* A pattern that PCRE2 can only give up on: it may split the words in exponentially many
 * ways, and no character can be both a digit and a letter. */
void reach_SAFETY_UNAVAILABLE(void)
{
    char *directory = directory_make();
    struct bytes setting = {0};
    bytes_addf(&setting, "SAFETY_PATTERNS_FILE=%s/patterns.json", directory);
    FILE *file = fopen(strchr(setting.data, '=') + 1, "w");
    cr_assert_not_null(file);
    fputs("[\"\\\\b" CANARY " (?:(?:[a-z]+)+ ?)+(?=[0-9])(?=[a-z])\"]", file);
    fclose(file);
    struct world *world = world_with_groq(setting.data);
    struct session session = start_session(world, 3);

    expect_error(answer(world, &session,
                        CANARY
                        " and a sentence of many ordinary words that goes on and on"),
                 ERROR_SAFETY_UNAVAILABLE);
    world_end(world);
    directory_remove(directory);
    bytes_free(&setting);
    free(directory);
}

/* The provider says this; the turn fails so and the session is as before. */
static void expect_from_provider(struct saying saying, enum expected_error error)
{
    struct world *world =
        world_with_groq("LLM_TIMEOUT_SECONDS=1", "LLM_MODEL=llama-3.1-8b-instant");
    struct session session = start_session(world, 3);
    upstream_will(world->upstream, saying);

    expect_error(answer(world, &session, ANSWER), error);
    expect_number(get_session(world, &session), "data.turn_count", 0);
    world_end(world);
}

static void expect_from_content(const char *content, const char *finish_reason,
                                enum expected_error error)
{
    char *body = completion(content, finish_reason);

    expect_from_provider((struct saying){.body = body}, error);
    free(body);
}

void reach_LLM_TIMEOUT(void)
{
    expect_from_provider((struct saying){.manner = MANNER_SILENT}, ERROR_LLM_TIMEOUT);
}

void reach_LLM_RATE_LIMIT(void)
{
    expect_from_provider((struct saying){.status = 429}, ERROR_LLM_RATE_LIMIT);
}

void reach_LLM_AUTH_ERROR(void)
{
    expect_from_provider((struct saying){.status = 401}, ERROR_LLM_AUTH_ERROR);
}

void reach_LLM_MODEL_NOT_FOUND(void)
{
    expect_from_provider((struct saying){.status = 404}, ERROR_LLM_MODEL_NOT_FOUND);
}

void reach_LLM_BAD_REQUEST(void)
{
    expect_from_provider((struct saying){.status = 422}, ERROR_LLM_BAD_REQUEST);
}

void reach_LLM_CONTENT_FILTER(void)
{
    expect_from_content(NULL, "content_filter", ERROR_LLM_CONTENT_FILTER);
}

void reach_NULL_RESPONSE(void)
{
    expect_from_content(NULL, "stop", ERROR_NULL_RESPONSE);
}

void reach_EMPTY_RESPONSE(void)
{
    expect_from_content(" \n", "stop", ERROR_EMPTY_RESPONSE);
}

void reach_LLM_PROVIDER_ERROR(void)
{
    expect_from_provider((struct saying){.status = 500}, ERROR_LLM_PROVIDER_ERROR);
}
