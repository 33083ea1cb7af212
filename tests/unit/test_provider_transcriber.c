/*
 * What all transcribers have in common: failures, leaving early, and which one is chosen.
 */
#include "transcriber_world.h"

/* ---- failures, the same for all ---- */

SAYS(says_400, "400 Bad Request", "", "{\"err_code\":\"Bad Request\"}")
SAYS(says_401, "401 Unauthorized", "", "{\"err_code\":\"INVALID_AUTH\"}")
SAYS(says_403, "403 Forbidden", "", "")
SAYS(says_404, "404 Not Found", "", "{\"error\":{\"code\":\"model_not_found\"}}")
SAYS(says_413, "413 Too Large", "", "")
SAYS(says_415, "415 Unsupported", "", "")
SAYS(says_422, "422 Unprocessable", "", "")
SAYS(says_429, "429 Too Many", "Retry-After: 7\r\n", "")
SAYS(says_500, "500 Oh", "", "{\"results\":{}}")
SAYS(says_503, "503 Busy", "", "")
SAYS(says_nonsense, "200 OK", "", "<html>proxy</html>")
SAYS(says_no_results, "200 OK", "", "{\"results\":{\"channels\":[]}}")
SAYS(says_a_zero, "200 OK", "",
     "{\"text\":\"a\\u0000b\",\"results\":{\"channels\":[{\"alternatives\":"
     "[{\"transcript\":\"a\\u0000b\"}]}]}}")

static void expect_failure(speech_answer_fn *answer, enum error error)
{
    const char *const *const environments[] = {deepgram, groq};

    for (size_t i = 0; i < 2; i++) {
        struct world world;

        world_open(&world, answer, environments[i]);
        transcribe(&world);
        cr_expect_eq(world.error, error, "%s: %d", world.transcriber->name, world.error);
        cr_expect(private_text_is_empty(&world.transcript.text));
        cr_expect_eq(world.transcript.retry_after_s,
                     error == ERROR_STT_RATE_LIMIT ? 7 : -1);
        cr_expect_eq(meters_failures(&world.base.metrics), 1);
        cr_expect_eq(world.base.server.count, 1, "it is not tried again here");
        world_close(&world);
    }
}

Test(transcriber, each_failure_has_its_error)
{
    expect_failure(says_400, ERROR_STT_BAD_REQUEST);
    expect_failure(says_401, ERROR_STT_AUTH_ERROR);
    expect_failure(says_403, ERROR_STT_AUTH_ERROR);
    expect_failure(says_404, ERROR_STT_PROVIDER_ERROR);
    expect_failure(says_413, ERROR_STT_BAD_REQUEST);
    expect_failure(says_415, ERROR_STT_BAD_REQUEST);
    expect_failure(says_422, ERROR_STT_BAD_REQUEST);
    expect_failure(says_429, ERROR_STT_RATE_LIMIT);
    expect_failure(says_500, ERROR_STT_PROVIDER_ERROR);
    expect_failure(says_503, ERROR_STT_PROVIDER_ERROR);
}

Test(transcriber, a_reply_that_is_not_understood_is_the_providers_error)
{
    expect_failure(says_nonsense, ERROR_STT_PROVIDER_ERROR);
    expect_failure(says_no_results, ERROR_STT_PROVIDER_ERROR);
    expect_failure(says_a_zero, ERROR_STT_PROVIDER_ERROR);
}

Test(transcriber, gives_up_when_its_time_is_over)
{
    struct world world;

    world_open(&world, says_nothing, deepgram);
    start(&world, RECORDING, sizeof(RECORDING) - 1, SHORT);
    loop_run(world.base.loop);
    cr_expect_eq(world.error, ERROR_STT_TIMEOUT);
    world_close(&world);
}

Test(transcriber, says_nothing_after_it_was_cancelled)
{
    struct world world;
    struct transcriber_call *call;

    world_open(&world, says_nothing, groq);
    call = start(&world, RECORDING, sizeof(RECORDING) - 1, LONG_ENOUGH);
    world.transcriber->cancel(call);
    world.transcriber->cancel(NULL);
    loop_later(world.base.loop, (loop_fn *)loop_stop, world.base.loop);
    loop_run(world.base.loop);
    cr_expect_eq(world.done_count, 0);
    world_close(&world);
}

/* ---- the choice ---- */

static enum stt_provider choice_of(char *const *environment)
{
    struct settings settings;
    struct buffer problems;
    enum stt_provider choice;

    buffer_init(&problems, 4096);
    settings_load(&settings, environment, NULL, &problems);
    choice = transcriber_choice(&settings);
    settings_free(&settings);
    buffer_done(&problems);
    return choice;
}

Test(transcriber, auto_goes_by_the_keys_that_are_there)
{
    char *none[] = {NULL};
    char *groq_key[] = {"GROQ_API_KEY=k", NULL};
    char *local[] = {"GROQ_API_KEY=k", "STT_BASE_URL=http://127.0.0.1:9", NULL};
    char *all[] = {"GROQ_API_KEY=k", "STT_API_KEY=k", "DEEPGRAM_API_KEY=k", NULL};
    char *off[] = {"GROQ_API_KEY=k", "STT_PROVIDER=none", NULL};

    cr_expect_eq(choice_of(none), STT_PROVIDER_NONE);
    cr_expect_eq(choice_of(groq_key), STT_PROVIDER_GROQ);
    cr_expect_eq(choice_of(local), STT_PROVIDER_OPENAI);
    cr_expect_eq(choice_of(all), STT_PROVIDER_DEEPGRAM);
    cr_expect_eq(choice_of(off), STT_PROVIDER_NONE);
}

/* ---- doctor's question ---- */

static void on_probed(void *context, enum error error, const struct probe_reply *reply)
{
    struct world *world = context;

    (void)reply;
    world->done_count++;
    world->error = error;
    loop_stop(world->base.loop);
}

static enum error probe(speech_answer_fn *answer, const char *const *environment,
                        const char *line)
{
    struct world world;
    enum error error;

    world_open(&world, answer, environment);
    world.transcriber->probe(world.transcriber, on_probed, &world);
    cr_expect_eq(world.done_count, 0);
    loop_run(world.base.loop);
    error = world.error;
    expect_first_line(speech_request(&world.base.server, 0), line);
    world_close(&world);
    return error;
}

SAYS(says_200, "200 OK", "", "{}")

Test(transcriber, a_probe_asks_for_what_costs_nothing)
{
    static const char *const local[] = {"STT_BASE_URL=@", NULL};
    const char *token = "GET /v1/auth/token HTTP/1.1\r\n";
    const char *model = "GET /models/whisper-large-v3-turbo HTTP/1.1\r\n";

    cr_expect_eq(probe(says_200, deepgram, token), OK);
    cr_expect_eq(probe(says_401, deepgram, token), ERROR_STT_AUTH_ERROR);
    cr_expect_eq(probe(says_200, groq, model), OK);
    cr_expect_eq(probe(says_404, groq, model), ERROR_STT_PROVIDER_ERROR);
    cr_expect_eq(probe(says_404, local, "GET /models/whisper-1 "), OK,
                 "a server of one's own may have no list of models");
    cr_expect_eq(probe(says_500, local, "GET /models/whisper-1 "),
                 ERROR_STT_PROVIDER_ERROR);
}
