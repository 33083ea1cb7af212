/*
 * Settings: the environment, a .env file, and every problem at once.
 */
#include "private_reveal.h"
#include "settings.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Loads and frees; returns the problems, to be freed. */
static char *problems_of(char *const *environment, const char *env_file)
{
    struct settings settings;
    struct buffer problems;
    size_t length;

    buffer_init(&problems, 10000);
    settings_load(&settings, environment, env_file, &problems);
    settings_free(&settings);
    return buffer_take(&problems, &length);
}

/* A file with this content; its path in `path` of 64 bytes. */
static void write_env_file(char *path, const char *content)
{
    int descriptor;

    strcpy(path, "/tmp/poise-settings-XXXXXX");
    descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    cr_assert_eq(write(descriptor, content, strlen(content)), (ssize_t)strlen(content));
    close(descriptor);
}

Test(settings, without_any_the_defaults_stand)
{
    char *environment[] = {NULL};
    struct settings settings;
    struct buffer problems;

    buffer_init(&problems, 1000);
    cr_assert(settings_load(&settings, environment, NULL, &problems));
    cr_expect_eq(settings.port, 8000);
    cr_expect_eq(settings.max_audio_bytes, 10485760);
    cr_expect_str_eq(settings.llm_model, "openai/gpt-oss-120b");
    cr_expect(settings.safety_enabled);
    cr_expect_eq(settings.ground_answer_score, 0.7);
    cr_expect_eq(settings.app_env, APP_ENV_DEVELOPMENT);
    settings_free(&settings);
    buffer_done(&problems);
}

Test(settings, all_problems_are_reported_together_and_no_secret)
{
    char *environment[] = {
        "PORT=99999",        "APP_ENV=production",  "SECRET_KEY=hunter2short",
        "LLM_PROVIDER=gpt",  "DEBUG=perhaps",       "STORE_URL=mysql://u:hunter2@x",
        "GROQ_BASE_URL=ftp", "MAX_AUDIO_BYTES=1e6", NULL};
    char *problems = problems_of(environment, NULL);

    cr_expect_not_null(
        strstr(problems, "PORT=99999: must be a whole number from 0 to 65535"));
    cr_expect_not_null(strstr(problems, "SECRET_KEY: must have at least 32 bytes"));
    cr_expect_not_null(
        strstr(problems, "LLM_PROVIDER=gpt: must be one of auto|groq|anthropic|builtin"));
    cr_expect_not_null(strstr(problems, "DEBUG=perhaps: must be true or false"));
    cr_expect_not_null(strstr(problems, "STORE_URL: must be sqlite:///path or"));
    cr_expect_not_null(strstr(problems, "GROQ_BASE_URL=ftp"));
    cr_expect_not_null(strstr(problems, "MAX_AUDIO_BYTES=1e6"));
    cr_expect_null(strstr(problems, "hunter2"));
    free(problems);
}

Test(settings, a_decimal_is_digits_and_a_point)
{
    static const char *const BAD[] = {"-0.1", "1.01", "0,7", "nan", "1e-1",
                                      "0x1",  "0.5 ", ".",   "0..5"};
    char *good[] = {"GROUND_ANSWER_SCORE=.85", "GROUND_CONFIDENCE=1", NULL};
    struct settings settings;
    struct buffer problems;

    buffer_init(&problems, 1000);
    cr_assert(settings_load(&settings, good, NULL, &problems));
    cr_expect_eq(settings.ground_answer_score, 0.85);
    cr_expect_eq(settings.ground_confidence, 1);
    settings_free(&settings);
    buffer_done(&problems);
    for (size_t at = 0; at < sizeof(BAD) / sizeof(BAD[0]); at++) {
        char variable[64];
        char *environment[] = {variable, NULL};
        char *told;

        snprintf(variable, sizeof(variable), "GROUND_CONFIDENCE=%s", BAD[at]);
        told = problems_of(environment, NULL);
        cr_expect_not_null(strstr(told, "must be a number from 0 to 1, such as 0.6"),
                           "%s", BAD[at]);
        free(told);
    }
}

Test(settings, production_wants_a_secret_key)
{
    char *environment[] = {"APP_ENV=production", NULL};
    char *problems = problems_of(environment, NULL);

    cr_expect_not_null(strstr(problems, "SECRET_KEY: is required in production"));
    free(problems);
}

Test(settings, the_environment_wins_over_the_file)
{
    char *environment[] = {"PORT=1234", "HOST=", NULL};
    char path[64];
    struct settings settings;
    struct buffer problems;

    write_env_file(path, "# a comment\nexport PORT=5\n\nHOST = 127.0.0.1 # here\n"
                         "GROQ_API_KEY=\"a\\\"b\"\nLLM_MODEL='x y'\r\n");
    buffer_init(&problems, 1000);
    cr_assert(settings_load(&settings, environment, path, &problems), "%s",
              problems.bytes);
    cr_expect_eq(settings.port, 1234);
    cr_expect_str_eq(settings.host, "127.0.0.1");
    cr_expect_str_eq(private_reveal(&settings.groq_api_key).bytes, "a\"b");
    cr_expect_str_eq(settings.llm_model, "x y");
    settings_free(&settings);
    buffer_done(&problems);
    unlink(path);
}

Test(settings, a_line_of_the_file_that_is_none_is_named)
{
    char *environment[] = {NULL};
    char path[64], *problems;

    write_env_file(path, "PORT=1\nthis is not a setting\n");
    problems = problems_of(environment, path);
    cr_expect_not_null(strstr(problems, "line 2: is not NAME=value"));
    free(problems);
    unlink(path);
}

Test(settings, origins_are_checked)
{
    char *good[] = {"CORS_ALLOWED_ORIGINS=https://a.example, http://localhost:3000",
                    NULL};
    char *bad[] = {"CORS_ALLOWED_ORIGINS=https://a.example/path", NULL};
    char *problems = problems_of(good, NULL);

    cr_expect_str_eq(problems, "");
    free(problems);
    problems = problems_of(bad, NULL);
    cr_expect_not_null(strstr(problems, "CORS_ALLOWED_ORIGINS"));
    free(problems);
}

static void expect_problem(const char *one, const char *other, const char *problem)
{
    char *environment[] = {(char *)one, (char *)other, NULL};
    char *problems = problems_of(environment, NULL);

    if (problem == NULL)
        cr_expect_str_eq(problems, "");
    else
        cr_expect_not_null(strstr(problems, problem), "%s: %s", one, problems);
    free(problems);
}

Test(settings, a_provider_of_speech_that_is_chosen_needs_its_key)
{
    expect_problem("STT_PROVIDER=deepgram", NULL, "DEEPGRAM_API_KEY: is required");
    expect_problem("TTS_PROVIDER=deepgram", "DEEPGRAM_API_KEY=k", NULL);
    expect_problem("STT_PROVIDER=groq", NULL, "STT_API_KEY: or GROQ_API_KEY is required");
    expect_problem("TTS_PROVIDER=groq", "GROQ_API_KEY=k", NULL);
    expect_problem("TTS_PROVIDER=openai", NULL, "TTS_API_KEY: is required with openai");
    expect_problem("STT_PROVIDER=openai", "STT_BASE_URL=http://localhost:8000/v1", NULL);
    expect_problem("STT_PROVIDER=none", "TTS_PROVIDER=espeak", NULL);
}

Test(settings, addresses_and_keys_of_speech_are_checked)
{
    expect_problem("STT_BASE_URL=localhost", NULL, "STT_BASE_URL=localhost: must be");
    expect_problem("TTS_BASE_URL=localhost", NULL, "TTS_BASE_URL=localhost: must be");
    expect_problem("DEEPGRAM_BASE_URL=x", NULL, "DEEPGRAM_BASE_URL=x: must be");
    expect_problem("TTS_API_KEY=a b", NULL, "TTS_API_KEY: must be visible ASCII");
    expect_problem("TTS_PROVIDER=festival", NULL,
                   "TTS_PROVIDER=festival: must be one of");
}

Test(settings, a_plaintext_provider_on_another_machine_must_be_allowed)
{
    static char *const exposed[] = {
        "GROQ_BASE_URL=http://models.example/v1",
        "DEEPGRAM_BASE_URL=http://10.0.0.7",
        "STT_BASE_URL=http://whisper:8000/v1",
        "TTS_BASE_URL=http://[fe80::1]:8000",
        "EMBEDDINGS_BASE_URL=http://127.0.0.1.example/v1",
        "QDRANT_URL=http://localhost@qdrant.example:6333",
        "LLM_FALLBACKS=builtin,small@https://a.example/v1,big@http://b.example/v1",
    };

    for (size_t at = 0; at < sizeof(exposed) / sizeof(exposed[0]); at++) {
        char *alone[] = {exposed[at], NULL};
        char *allowed[] = {exposed[at], "ALLOW_INSECURE_PROVIDERS=true", NULL};
        char *problems = problems_of(alone, NULL);

        cr_expect_not_null(strstr(problems, "ALLOW_INSECURE_PROVIDERS"), "%s: %s",
                           exposed[at], problems);
        free(problems);
        problems = problems_of(allowed, NULL);
        cr_expect_str_empty(problems, "%s", problems);
        free(problems);
    }
}

Test(settings, a_plaintext_provider_on_this_machine_is_fine)
{
    char *environment[] = {"GROQ_BASE_URL=http://127.0.0.1:9000/v1",
                           "STT_BASE_URL=http://localhost:8000/v1",
                           "TTS_BASE_URL=http://[::1]:8000/v1",
                           "LLM_FALLBACKS=small@http://LOCALHOST:11434/v1", NULL};
    char *problems = problems_of(environment, NULL);

    cr_expect_str_empty(problems, "%s", problems);
    free(problems);
}
