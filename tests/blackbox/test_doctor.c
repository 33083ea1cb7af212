/*
 * `poise doctor` of who stands in, who is believed, and how much is taken on; and `poise
 * health`.
 */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "play.h"

TestSuite(doctor, .timeout = 60);

/* doctor with these settings; the output has all of the parts, and the status is this. */
static void expect_said(struct settings_list settings, int status,
                        const char *const *said)
{
    char *directory = directory_make();
    struct run result = run_program(directory, ARGUMENTS("doctor"), settings);

    cr_expect_eq(result.status, status, "status %d:\n%s", result.status,
                 result.output.data);
    for (; *said != NULL; said++)
        cr_expect(bytes_has(&result.output, *said), "no \"%s\":\n%s", *said,
                  result.output.data);
    bytes_free(&result.output);
    directory_remove(directory);
    free(directory);
}

#define STORE "STORE_URL=sqlite:///poise.db", "STT_PROVIDER=none", "TTS_PROVIDER=none"

Test(doctor, each_who_stands_in_is_asked)
{
    struct upstream *first = upstream_open(), *second = upstream_open();
    char url[128], fallbacks[256], failed[128];
    upstream_always(first, (struct saying){.body = "{\"id\":\"m\"}"});
    upstream_always(second, (struct saying){.status = 401, .body = "{}"});
    snprintf(url, sizeof url, "GROQ_BASE_URL=%s", upstream_base_url(first));
    snprintf(fallbacks, sizeof fallbacks, "LLM_FALLBACKS=small,other@%s,builtin",
             upstream_base_url(second));
    snprintf(failed, sizeof failed,
             "FAIL  coach, fallback 2: llm_auth_error: the server refuses "
             "LLM_FALLBACK_API_KEY (other at %s)",
             upstream_base_url(second));

    expect_said(SETTINGS(STORE, "GROQ_API_KEY=" GROQ_KEY, url, fallbacks), 1,
                FIELDS_NAMED("ok    coach: ", "ok    coach, fallback 1: small at ",
                             failed, "ok    coach, fallback 3: builtin"));

    cr_expect_eq(upstream_call_count(first), 2);
    cr_expect_eq(upstream_call_count(second), 1);
    free(upstream_close(first));
    free(upstream_close(second));
}

Test(doctor, who_is_believed_must_not_be_everybody)
{
    expect_said(SETTINGS(STORE, "TRUSTED_PROXIES=10.1.0.0/16,0.0.0.0/0"), 1,
                FIELDS_NAMED("FAIL  proxies: "));
    expect_said(SETTINGS(STORE, "TRUSTED_PROXIES=::/1"), 1,
                FIELDS_NAMED("FAIL  proxies: "));
    expect_said(
        SETTINGS(STORE, "TRUSTED_PROXIES=10.0.0.0/8", "RATE_LIMIT_TURNS_PER_MINUTE=10"),
        0, FIELDS_NAMED("ok    proxies: X-Forwarded-For is believed of TRUSTED"));
    expect_said(SETTINGS(STORE, "MAX_CONNECTIONS_PER_ADDRESS=10"), 0,
                FIELDS_NAMED("note  proxies: none: behind a proxy", "ok    proxies: "));
}

Test(doctor, what_is_taken_on_is_said_and_what_contradicts_it)
{
    expect_said(SETTINGS(STORE, "MAX_INFLIGHT_TURNS=7", "OVERLOAD_LAG_MS=0",
                         "LLM_TIMEOUT_SECONDS=60", "BREAKER_FAILURES=0"),
                0,
                FIELDS_NAMED("ok    limits: 7 turns and 20000 connections",
                             "late (never)", "never left alone",
                             "note  providers that fail: LLM_TIMEOUT"));
    expect_said(SETTINGS(STORE, "TURN_DEADLINE_SECONDS=60"), 0,
                FIELDS_NAMED("note  systemd: TimeoutStopSec="));
    expect_said(SETTINGS("STORE_URL=postgresql://poise@192.0.2.1:badport/poise"), 1,
                FIELDS_NAMED("note  store: STORE_URL names another machine"));
}

Test(doctor, what_production_lacks_and_names_that_are_almost_settings_are_noted)
{
    expect_said(
        SETTINGS(STORE, "APP_ENV=production", "HOST=127.0.0.1",
                 "SECRET_KEY=secretsecretsecretsecretsecretsecret", "GROQ_APIKEY=k",
                 "OPENAI_API_KEY=k"),
        0,
        FIELDS_NAMED("note  settings: GROQ_APIKEY is no setting: did you mean "
                     "GROQ_API_KEY?",
                     "note  settings: OPENAI_API_KEY means nothing here: the coach",
                     "note  settings: no key of a model", "no RATE_LIMIT_",
                     "CORS_ALLOWED_ORIGINS is not set", "TRUSTED_PROXIES is not set",
                     "SECRET_KEY repeats itself"));
}

Test(doctor, why_a_provider_cannot_be_asked_is_said_and_where)
{
    expect_said(SETTINGS("STORE_URL=sqlite:///poise.db", "GROQ_API_KEY=" GROQ_KEY,
                         "GROQ_BASE_URL=http://127.0.0.1:1/v1", "DEEPGRAM_API_KEY=k",
                         "DEEPGRAM_BASE_URL=http://127.0.0.1:2"),
                1,
                FIELDS_NAMED("FAIL  coach: llm_provider_error: no good reply",
                             "127.0.0.1:1: connection refused",
                             "FAIL  ears: deepgram: stt_provider_error: 127.0.0.1:2: "
                             "connection refused",
                             "FAIL  voice: deepgram: tts_provider_error: 127.0.0.1:2: "
                             "connection refused"));
}

Test(doctor, it_fails_where_the_start_would)
{
    struct world *world = world_with_builtin_coach();
    const char *taken = words(world, "PORT=%d", world->port);

    expect_said(SETTINGS(STORE, "HOST=192.0.2.7"), 1,
                FIELDS_NAMED("FAIL  address: cannot listen on 192.0.2.7 port 0: "));
    expect_said(SETTINGS(STORE, "HOST=127.0.0.1", taken), 1,
                FIELDS_NAMED("FAIL  address: ", "; a Poise runs there already"));
    expect_said(SETTINGS(STORE, "ADMIN_HOST=127.0.0.1", words(world, "ADMIN_%s", taken)),
                1, FIELDS_NAMED("FAIL  admin address: "));
    if (!store_is_postgres()) {
        struct run run =
            run_program(world->directory, ARGUMENTS("doctor"),
                        SETTINGS(store_place_setting(world->store), "TTS_PROVIDER=none"));

        cr_expect(bytes_has(&run.output, "note  store: another process has it open"));
        cr_expect(bytes_has(&run.output, "ok    store: opens, reads and writes"), "%s",
                  run.output.data);
        bytes_free(&run.output);
    }
    expect_said(SETTINGS(STORE, "REFUSAL_LOG=/"), 1,
                FIELDS_NAMED("FAIL  refusal log: REFUSAL_LOG /: Is a directory"));
    expect_said(SETTINGS(STORE, "REFUSAL_LOG=log.jsonl"), 0,
                FIELDS_NAMED("ok    refusal log: log.jsonl"));
    world_end(world);
}

/* Who looks before an upgrade may still stay with the version that runs. */
Test(doctor, it_brings_no_tables_up_to_date)
{
    if (store_is_postgres())
        cr_skip_test("the tables are made by hand");
    struct world *world = world_with_builtin_coach();
    sqlite3 *file;

    cr_assert_eq(sqlite3_open(world_path(world, "poise.db"), &file), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(file, "PRAGMA user_version = 5", NULL, NULL, NULL),
                 SQLITE_OK);
    struct run run =
        run_program(world->directory, ARGUMENTS("doctor"),
                    SETTINGS(store_place_setting(world->store), "TTS_PROVIDER=none"));

    cr_expect(bytes_has(&run.output, "ok    store: opens; its tables are of an earlier"),
              "%s", run.output.data);
    bytes_free(&run.output);
    cr_expect_eq(sqlite3_exec(file, "PRAGMA user_version = 6", NULL, NULL, NULL),
                 SQLITE_OK);
    sqlite3_close(file);
    world_end(world);
}

Test(doctor, more_who_stand_in_than_there_may_be_are_refused)
{
    expect_said(SETTINGS(STORE, "LLM_FALLBACKS=a,b,c,d,e,f,g,h,i"), 2,
                FIELDS_NAMED("LLM_FALLBACKS=a,b,c,d,e,f,g,h,i: must be at most eight"));
    expect_said(SETTINGS(STORE, "GROQ_API_KEY=" GROQ_KEY,
                         "STT_FALLBACKS=groq,groq,groq,groq,groq,groq,groq,groq,groq"),
                2, FIELDS_NAMED("STT_FALLBACKS=", ": must be at most eight"));
}

Test(doctor, health_says_whether_the_service_lives)
{
    struct world *world = world_with_builtin_coach();
    const char *port = words(world, "PORT=%d", world->port);

    struct run alive = run_program(world->directory, ARGUMENTS("health"),
                                   SETTINGS("HOST=0.0.0.0", port));
    cr_expect_eq(alive.status, 0, "%s", alive.output.data);
    world_signal(world, SIGTERM);
    world_await_exit(world);
    struct run gone = run_program(world->directory, ARGUMENTS("health"), SETTINGS(port));
    cr_expect_eq(gone.status, 1, "%s", gone.output.data);

    bytes_free(&alive.output);
    bytes_free(&gone.output);
    world_end(world);
}
