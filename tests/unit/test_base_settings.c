/*
 * Settings: the environment, a .env file, and every problem at once.
 */
#include "private_reveal.h"
#include "settings.h"

#include <criterion/criterion.h>
#include <ctype.h>
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
    cr_expect_not(settings_is_production(&settings));
    cr_expect_eq(settings.remark_count, 0);
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

/* What the remarks on these settings say, a line each; to be freed. */
static char *remarks_on(char *const *environment, const char *env_file)
{
    struct settings settings;
    struct buffer problems, said;
    size_t length;

    buffer_init(&problems, 10000);
    buffer_init(&said, 10000);
    cr_assert(settings_load(&settings, environment, env_file, &problems), "%s",
              problems.bytes);
    buffer_append_string(&said, "");
    for (size_t at = 0; at < settings.remark_count; at++) {
        settings_write_remark(&settings.remarks[at], &said);
        buffer_append_char(&said, '\n');
    }
    settings_free(&settings);
    buffer_done(&problems);
    return buffer_take(&said, &length);
}

Test(settings, a_name_in_the_file_that_is_none_is_told_the_nearest)
{
    static const struct {
        const char *line, *problem;
    } cases[] = {
        {"GROQ_APIKEY=k", "line 1: GROQ_APIKEY: did you mean GROQ_API_KEY?"},
        {"groq_api_key=k", "groq_api_key: did you mean GROQ_API_KEY?"},
        {"PROT=1", "PROT: did you mean PORT?"},
        {"RATE_LIMIT_TURN_PER_MINUTE=1",
         "RATE_LIMIT_TURN_PER_MINUTE: did you mean RATE_LIMIT_TURNS_PER_MINUTE?"},
        {"https_proxy=http://x", "https_proxy: is no setting of Poise"},
        {"PATH=/bin", "PATH: is no setting of Poise"},
        {"c2VjcmV0IGtleQ==", "line 1: a name: is no setting of Poise"},
        {"PORT=1\nHOST=::1\nPORT=2", "line 3: PORT: is set a second time"},
    };
    char *environment[] = {NULL};

    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        char path[64], *problems;

        write_env_file(path, cases[at].line);
        problems = problems_of(environment, path);
        cr_expect_not_null(strstr(problems, cases[at].problem), "%s: %s", cases[at].line,
                           problems);
        free(problems);
        unlink(path);
    }
}

Test(settings, a_name_of_the_former_service_is_told_what_stands_for_it)
{
    char *environment[] = {"SESSION_TOKEN_EXPIRY=3600", NULL};
    char path[64], *said;

    write_env_file(path, "APP_NAME=VoiceMock\n");
    said = remarks_on(environment, path);
    cr_expect_str_eq(said,
                     "SESSION_TOKEN_EXPIRY means nothing here: a token lives as long as "
                     "its session: SESSION_MAX_HOURS\n"
                     "APP_NAME means nothing here: the service has one name\n");
    free(said);
    unlink(path);
}

Test(settings, of_strangers_names_in_the_environment_only_near_ones_are_noted)
{
    char *strangers[] = {"PATH=/bin",
                         "HOME=/",
                         "HOSTNAME=x",
                         "PWD=/",
                         "PGHOST=db",
                         "PGPORT=1",
                         "POST=x",
                         "LANG=C",
                         "http_proxy=x",
                         "SHELL=/bin/sh",
                         "TERM=x",
                         "USER=x",
                         "LOGNAME=x",
                         "EDITOR=x",
                         "DISPLAY=:0",
                         "MAIL=x",
                         "AWS_REGION=x",
                         "NODE_ENV=x",
                         "CI=1",
                         "DEBIAN_FRONTEND=x",
                         "XDG_DATA_HOME=/",
                         "STATE_DIRECTORY=/s",
                         "INVOCATION_ID=1",
                         NULL};
    char *near[] = {"LLM_MODELL=x", "SECRETKEY=x", "PORTS=1", NULL};
    char *said = remarks_on(strangers, NULL);

    cr_expect_str_eq(said, "POST is no setting: did you mean PORT?\n");
    free(said);
    said = remarks_on(near, NULL);
    cr_expect_str_eq(said, "LLM_MODELL is no setting: did you mean LLM_MODEL?\n"
                           "SECRETKEY is no setting: did you mean SECRET_KEY?\n"
                           "PORTS is no setting: did you mean PORT?\n");
    free(said);
}

#define GOOD_KEY "SECRET_KEY=4b1c9e27d05fa83661c2e49b70d8f5a3"

Test(settings, production_is_told_what_it_lacks)
{
    static char *const keys[] = {
        "SECRET_KEY=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "SECRET_KEY=changeme-please!changeme-please!",
        "SECRET_KEY=01010110010110010110101100101101010",
    };
    char *bare[] = {"APP_ENV=staging", GOOD_KEY, NULL};
    char *whole[] = {"APP_ENV=production",
                     GOOD_KEY,
                     "GROQ_API_KEY=k",
                     "RATE_LIMIT_TURNS_PER_MINUTE=9",
                     "CORS_ALLOWED_ORIGINS=https://a.example",
                     "TRUSTED_PROXIES=10.0.0.1",
                     NULL};
    char *said = remarks_on(bare, NULL);

    cr_expect_not_null(strstr(said, "no key of a model is set"));
    cr_expect_not_null(strstr(said, "no RATE_LIMIT_... is set"));
    cr_expect_not_null(strstr(said, "CORS_ALLOWED_ORIGINS is not set"));
    cr_expect_not_null(strstr(said, "TRUSTED_PROXIES is not set"));
    cr_expect_null(strstr(said, "SECRET_KEY"));
    free(said);
    said = remarks_on(whole, NULL);
    cr_expect_str_empty(said, "%s", said);
    free(said);
    for (size_t at = 0; at < sizeof(keys) / sizeof(keys[0]); at++) {
        whole[1] = keys[at];
        said = remarks_on(whole, NULL);
        cr_expect_not_null(strstr(said, "SECRET_KEY repeats itself"), "%s", keys[at]);
        free(said);
    }
}

Test(settings, any_origin_is_for_development)
{
    char *development[] = {"CORS_ALLOWED_ORIGINS=*", NULL};
    char *said = remarks_on(development, NULL);

    cr_expect_not_null(strstr(said, "CORS_ALLOWED_ORIGINS=* lets"));
    free(said);
    expect_problem("CORS_ALLOWED_ORIGINS=*", "APP_ENV=staging",
                   "CORS_ALLOWED_ORIGINS=*: must name origins in production");
    expect_problem("CORS_ALLOWED_ORIGINS=*,https://a.example", NULL, "must be origins");
}

Test(settings, yes_and_no_are_what_pydantic_takes_for_them)
{
    static const char *const words[] = {"true",  "t", "yes", "y", "on",  "1",
                                        "false", "f", "no",  "n", "off", "0"};

    for (size_t at = 0; at < 2 * sizeof(words) / sizeof(words[0]); at++) {
        const char *word = words[at / 2];
        char variable[32];
        char *environment[] = {variable, NULL};
        struct settings settings;
        struct buffer problems;

        snprintf(variable, sizeof(variable), "DEBUG=%s", word);
        if (at % 2 == 1)
            variable[6] = (char)toupper((unsigned char)variable[6]);
        buffer_init(&problems, 1000);
        cr_expect(settings_load(&settings, environment, NULL, &problems), "%s", variable);
        cr_expect_eq(settings.debug, at / 2 < 6, "%s", variable);
        settings_free(&settings);
        buffer_done(&problems);
    }
}
