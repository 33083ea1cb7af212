/*
 * The program from the shell: settings, what is wrong with them, and what it says of
 * itself.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "play.h"

TestSuite(command, .timeout = 60);

#define LONG_SECRET "SECRET_KEY=0123456789abcdef0123456789abcdef"

/* One run in a fresh directory, in which a file may be put first. */
static struct run run(const char *const *arguments, struct settings_list settings,
                      const char *file, const char *text)
{
    char *directory = directory_make();
    struct bytes path = {0};

    if (file) {
        bytes_addf(&path, "%s/%s", directory, file);
        FILE *stream = fopen(path.data, "wb");
        cr_assert_not_null(stream);
        fputs(text, stream);
        fclose(stream);
    }
    struct run result = run_program(directory, arguments, settings);
    directory_remove(directory);
    bytes_free(&path);
    free(directory);
    return result;
}

static void expect_run(struct run *run, int status, const char *const *said,
                       const char *const *unsaid)
{
    cr_assert(run->status == status, "status %d, not %d:\n%s", run->status, status,
              run->output.data);
    for (; said && *said; said++)
        cr_assert(bytes_has(&run->output, *said), "no \"%s\" in:\n%s", *said,
                  run->output.data);
    for (; unsaid && *unsaid; unsaid++)
        cr_assert_not(bytes_has(&run->output, *unsaid), "\"%s\" in:\n%s", *unsaid,
                      run->output.data);
    bytes_free(&run->output);
}

#define SERVE ((const char *const[]){"serve", NULL})

Test(command, all_bad_settings_are_reported_together_and_the_status_is_2)
{
    struct run result = run(SERVE,
                            SETTINGS("PORT=eighty", "LLM_TIMEOUT_SECONDS=0",
                                     "LLM_PROVIDER=oracle", "SAFETY_ENABLED=perhaps"),
                            NULL, NULL);

    expect_run(&result, 2,
               FIELDS_NAMED("PORT", "eighty", "65535", "LLM_TIMEOUT_SECONDS", "120",
                            "LLM_PROVIDER", "oracle", "builtin", "SAFETY_ENABLED",
                            "perhaps"),
               NULL);
}

Test(command, a_bad_secret_is_named_but_not_shown)
{
    struct run result =
        run(SERVE, SETTINGS("SECRET_KEY=too-short-a-secret", "PORT=x"), NULL, NULL);

    expect_run(&result, 2, FIELDS_NAMED("SECRET_KEY", "32", "PORT"),
               FIELDS_NAMED("too-short-a-secret"));
}

Test(command, numbers_out_of_range_or_with_more_behind_them_are_bad)
{
    static const char *const BAD[] = {
        "WORKERS=-1",          "WORKERS=257",
        "WORKERS=0x2",         "WORKERS=99999999999999999999",
        "MAX_AUDIO_BYTES=1.5", "MAX_TRANSCRIPT_CHARS=99"};

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(BAD[i], "="), BAD[i]);
        struct run result = run(SERVE, SETTINGS("PORT=0", BAD[i]), NULL, NULL);
        expect_run(&result, 2, FIELDS_NAMED(name, strchr(BAD[i], '=') + 1), NULL);
    }
}

Test(command, production_does_not_start_without_a_secret_key)
{
    struct run result = run(SERVE, SETTINGS("APP_ENV=production", "PORT=0"), NULL, NULL);

    expect_run(&result, 2, FIELDS_NAMED("SECRET_KEY", "32"), NULL);
}

Test(command, production_starts_with_one)
{
    struct world *world = world_with_builtin_coach("APP_ENV=production");

    expect_success(ask(world, (struct request){.method = "GET", .path = "/healthz"}));
    world_end(world);
}

Test(command, a_name_in_dot_env_that_is_no_setting_stops_the_start)
{
    struct run result = run(SERVE, SETTINGS("PORT=0"), ".env",
                            "GROQ_APIKEY=k\nLLM_MODEL=a\nTHEIRS=1\nLLM_MODEL=b\n");

    expect_run(&result, 2,
               FIELDS_NAMED(".env, line 1: GROQ_APIKEY: did you mean GROQ_API_KEY?",
                            "line 3: THEIRS: is no setting",
                            "line 4: LLM_MODEL: is set a second time"),
               NULL);
}

Test(command, names_that_are_almost_settings_or_were_once_are_told_at_the_start)
{
    struct world *world = world_with_builtin_coach(
        "GROQ_APIKEY=k", "MAX_TURNS_PER_SESSION=20", "PATH=/bin");

    world_await_output(world, "\"name_is_no_setting\",\"name\":\"GROQ_APIKEY\","
                              "\"setting\":\"GROQ_API_KEY\"");
    world_await_output(world, "\"name_means_nothing_here\",\"name\":"
                              "\"MAX_TURNS_PER_SESSION\"");
    cr_assert_eq(log_lines_with(world, (const char *const[]){"\"PATH\"", NULL}), 0);
    world_end(world);
}

Test(command, staging_is_production_and_one_line_says_what_it_lacks)
{
    struct run result = run(SERVE, SETTINGS("APP_ENV=staging", "PORT=0"), NULL, NULL);
    struct world *world = world_with_builtin_coach("APP_ENV=staging", "HOST=127.0.0.1");

    expect_run(&result, 2, FIELDS_NAMED("SECRET_KEY: is required"), NULL);
    world_await_output(world, "\"app_env\":\"staging\"");
    world_await_output(
        world,
        "\"production_lacks\",\"lacks\":\"no_model_key+no_rate_limits+default_origins+"
        "no_proxy_named\"");
    world_end(world);
}

Test(command, all_that_is_wrong_outside_the_settings_is_said_at_once_too)
{
    char port[32], taken[64];
    int number, listener = listen_on_free_port(&number);
    snprintf(port, sizeof port, "PORT=%d", number);
    snprintf(taken, sizeof taken,
             "poise: cannot listen on 0.0.0.0 port %d: Address already", number);
    struct run start =
        run(SERVE,
            SETTINGS(port, "LLM_TIMEOUT_SECONDS=x", "SAFETY_PATTERNS_FILE=none.json",
                     "CORPUS_INDEX=none.index", "REFUSAL_LOG=none/log.jsonl",
                     "STORE_URL=sqlite:////proc/none/poise.db"),
            NULL, NULL);
    struct run doctor =
        run(ARGUMENTS("doctor"),
            SETTINGS(port, "LLM_TIMEOUT_SECONDS=x", "SAFETY_PATTERNS_FILE=none.json",
                     "CORPUS_INDEX=none.index", "REFUSAL_LOG=none/log.jsonl",
                     "STORE_URL=sqlite:////proc/none/poise.db"),
            NULL, NULL);

    expect_run(&start, 2,
               FIELDS_NAMED("LLM_TIMEOUT_SECONDS=x", "poise: none.json: No such file",
                            "none.index: No such file", taken,
                            "poise: REFUSAL_LOG none/log.jsonl: No such file",
                            "poise: store: /proc/none/poise.db: "),
               NULL);
    expect_run(&doctor, 2,
               FIELDS_NAMED("FAIL  settings: LLM_TIMEOUT_SECONDS=x",
                            "FAIL  safety filter: none.json: No such file",
                            "FAIL  study material: ", "FAIL  address: cannot listen",
                            "FAIL  refusal log: REFUSAL_LOG none/log.jsonl: No such file",
                            "FAIL  store: "),
               NULL);
    close(listener);
}

static bool says(struct world *world, const char *event)
{
    return log_lines_with(world, (const char *const[]){event, NULL}) > 0;
}

#define NEEDS_A_PROXY "\"needs_a_proxy_with_tls_in_front\""

Test(command, production_that_others_can_reach_says_once_that_a_proxy_must_be_in_front)
{
    struct world *open = world_with_builtin_coach("APP_ENV=production", "HOST=0.0.0.0");
    struct world *closed = world_with_builtin_coach("APP_ENV=production", "HOST=::1");
    struct world *trial = world_with_builtin_coach("HOST=0.0.0.0");

    world_await_output(open, NEEDS_A_PROXY);
    cr_assert_not(says(closed, NEEDS_A_PROXY));
    cr_assert_not(says(trial, NEEDS_A_PROXY));
    world_end(trial);
    world_end(closed);
    world_end(open);
}

Test(command, doctor_says_that_a_proxy_must_be_in_front_of_production)
{
    struct run open =
        run(ARGUMENTS("doctor"),
            SETTINGS("STORE_URL=sqlite:///poise.db", "APP_ENV=production", LONG_SECRET),
            NULL, NULL);
    struct run closed = run(ARGUMENTS("doctor"),
                            SETTINGS("STORE_URL=sqlite:///poise.db", "APP_ENV=production",
                                     LONG_SECRET, "HOST=localhost"),
                            NULL, NULL);

    expect_run(&open, 0, FIELDS_NAMED("a proxy with TLS must be in front"), NULL);
    expect_run(&closed, 0, NULL, FIELDS_NAMED("must be in front"));
}

/* Where the kernel writes core files into the directory in which a program runs. */
Test(command, a_crash_leaves_no_core_file)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    char pattern[256] = "";
    FILE *file = fopen("/proc/sys/kernel/core_pattern", "r");
    if (file && fgets(pattern, sizeof pattern, file))
        fclose(file);
    if (strncmp(pattern, "core", 4) != 0 || setrlimit(RLIMIT_CORE, &limit) != 0)
        cr_skip_test("no core file would be written here: %s", pattern);
    struct world *world = world_with_builtin_coach();

    world_signal(world, SIGQUIT);
    world_await_exit(world);
    world->was_killed = true;

    DIR *directory = opendir(world->directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        cr_assert(strncmp(entry->d_name, "core", 4) != 0, "%s", entry->d_name);
    closedir(directory);
    world_end(world);
}

Test(command, development_makes_a_key_for_the_run_and_warns)
{
    struct world *world = world_with_builtin_coach("SECRET_KEY=");
    struct session session = start_session(world, 3);

    expect_success(get_session(world, &session));
    world_await_output(world, "\"level\":\"warning\"");
    world_signal(world, SIGTERM);
    world_await_exit(world);
    world_restart(world);
    expect_error(get_session(world, &session), ERROR_INVALID_TOKEN);
    world_end(world);
}

Test(command, a_dot_env_file_is_read_and_the_environment_wins)
{
    const char *text = "# a comment\nPORT=from-the-file\nWORKERS=from-the-file\n"
                       "LLM_MODEL=\"quoted model\"\n";
    struct run result = run(SERVE, SETTINGS("PORT=from-the-environment"), ".env", text);

    expect_run(&result, 2,
               FIELDS_NAMED("from-the-environment", "WORKERS", "from-the-file"), NULL);
}

Test(command, a_store_that_cannot_be_opened_stops_the_start)
{
    struct run result =
        run(SERVE, SETTINGS("PORT=0", "STORE_URL=sqlite:////no/such/directory/poise.db"),
            NULL, NULL);

    cr_assert(result.status != 0 && result.status < 126);
    expect_run(&result, result.status, FIELDS_NAMED("poise.db"), NULL);
}

Test(command, a_store_that_is_no_database_stops_the_start)
{
    struct run result =
        run(SERVE, SETTINGS("PORT=0", "STORE_URL=sqlite:///poise.db"), "poise.db",
            "this is a text, and long enough to be no empty database either. "
            "this is a text, and long enough to be no empty database either.");

    cr_assert(result.status != 0 && result.status < 126, "status %d", result.status);
    expect_run(&result, result.status, FIELDS_NAMED("poise.db"), NULL);
}

Test(command, a_port_that_is_taken_stops_the_start)
{
    int port;
    int listener = listen_on_free_port(&port);
    char setting[32];
    snprintf(setting, sizeof setting, "PORT=%d", port);
    struct run result =
        run(SERVE, SETTINGS(setting, "HOST=127.0.0.1", "STORE_URL=sqlite:///poise.db"),
            NULL, NULL);

    cr_assert(result.status != 0 && result.status < 126, "status %d", result.status);
    bytes_free(&result.output);
    close(listener);
}

Test(command, without_a_store_url_the_store_is_in_the_state_directory_for_its_owner_only)
{
    char *directory = directory_make();
    struct bytes state = {0};
    struct bytes file = {0};
    struct stat found;
    bytes_addf(&state, "STATE_DIRECTORY=%s/deep/er", directory);
    bytes_addf(&file, "%s/deep/er/poise.db", directory);

    struct run result = run_program(directory, ARGUMENTS("doctor"), SETTINGS(state.data));

    expect_run(&result, 0, FIELDS_NAMED("store"), NULL);
    cr_assert(stat(file.data, &found) == 0, "no %s", file.data);
    cr_assert((found.st_mode & 077) == 0, "others may read the store");
    directory_remove(directory);
    bytes_free(&state);
    bytes_free(&file);
    free(directory);
}

static void expect_bad_patterns(const char *patterns, const char *const *said)
{
    struct run result = run(SERVE,
                            SETTINGS("PORT=0", "STORE_URL=sqlite:///poise.db",
                                     "SAFETY_PATTERNS_FILE=patterns.json"),
                            "patterns.json", patterns);

    cr_assert(result.status != 0 && result.status < 126, "status %d:\n%s", result.status,
              result.output.data);
    expect_run(&result, result.status, said, NULL);
}

Test(command, a_bad_patterns_file_stops_the_start_with_name_entry_and_offset)
{
    expect_bad_patterns("[\"fine\", \"ab(c\"]", FIELDS_NAMED("patterns.json", "1", "4"));
    expect_bad_patterns("[{\"name\":\"mine\",\"pattern\":\"a[\"}]",
                        FIELDS_NAMED("patterns.json", "mine", "2"));
    expect_bad_patterns("{\"not\":\"a list\"}", FIELDS_NAMED("patterns.json"));
    expect_bad_patterns("[7]", FIELDS_NAMED("patterns.json"));
    expect_bad_patterns("not json", FIELDS_NAMED("patterns.json"));
}

Test(command, a_missing_patterns_file_stops_the_start_with_its_name)
{
    struct run result = run(SERVE,
                            SETTINGS("PORT=0", "STORE_URL=sqlite:///poise.db",
                                     "SAFETY_PATTERNS_FILE=absent.json"),
                            NULL, NULL);

    cr_assert(result.status != 0 && result.status < 126);
    expect_run(&result, result.status, FIELDS_NAMED("absent.json"), NULL);
}

Test(command, help_names_every_setting_with_its_default)
{
    static const char *const NAMES[] = {
#define SECTION(heading)
#define INT(field, name, value, min, max, doc)     name,
#define DECIMAL(field, name, value, min, max, doc) name,
#define TEXT(field, name, value, doc)              name,
#define FLAG(field, name, value, doc)              name,
#define CHOICE(field, name, value, all, doc)       name,
#define SECRET(field, name, doc)                   name,
#include "settings.def"
        "serve",     "check",    "doctor",        "ask", "refusals",
        "--version", "--errors", "--env-example", NULL};
    struct run result = run(ARGUMENTS("--help"), SETTINGS(), NULL, NULL);

    expect_run(&result, 0, NAMES, NULL);
}

/* Nothing of it goes to standard error. */
static void expect_usage(const char *name, const char *way)
{
    const char *format =
        strcmp(name, "serve") == 0 ? "usage: poise [%s" : "usage: poise %s";
    char script[4096], usage[64], said[4096] = "";

    snprintf(script, sizeof script, "exec '%s' %s %s 2>/dev/full", POISE_PROGRAM, name,
             way);
    snprintf(usage, sizeof usage, format, name);
    FILE *output = popen(script, "r");
    cr_assert_not_null(output);
    said[fread(said, 1, sizeof said - 1, output)] = '\0';
    int status = pclose(output);
    cr_assert(status == 0, "%s %s: status %d", name, way, status);
    cr_assert(strstr(said, usage), "%s %s said: %s", name, way, said);
}

Test(command, every_command_says_how_it_is_used_and_ends_with_status_0)
{
    struct run help = run(ARGUMENTS("--help"), SETTINGS(), NULL, NULL);
    const char *line = help.output.data;
    int commands = 0;

    while ((line = strstr(line, "\n  poise ")) != NULL) {
        char name[32] = "";
        line += strlen("\n  poise ");
        if (sscanf(line, "[%31[a-z]", name) == 1 || sscanf(line, "%31[a-z]", name) == 1) {
            expect_usage(name, "--help");
            expect_usage(name, "-h");
            commands++;
        }
    }
    cr_assert(commands >= 9, "only %d commands in:\n%s", commands, help.output.data);
    bytes_free(&help.output);
}

Test(command, errors_lists_every_row)
{
    struct run result = run(ARGUMENTS("--errors"), SETTINGS(), NULL, NULL);

    for (int i = 0; i < EXPECTED_ERROR_COUNT; i++)
        cr_assert(bytes_has(&result.output, error_row((enum expected_error)i)->code));
    expect_run(&result, 0, NULL, NULL);
}

Test(command, version_is_one_line)
{
    struct run result = run(ARGUMENTS("--version"), SETTINGS(), NULL, NULL);

    cr_assert(strchr(result.output.data, '\n') ==
              result.output.data + result.output.size - 1);
    expect_run(&result, 0, FIELDS_NAMED("poise"), NULL);
}

Test(command, an_unknown_command_is_told_so_with_status_2)
{
    struct run result = run(ARGUMENTS("dance"), SETTINGS(), NULL, NULL);

    expect_run(&result, 2, FIELDS_NAMED("dance"), NULL);
}

Test(command, check_tells_safe_from_unsafe_by_its_status)
{
    struct run safe = run(ARGUMENTS("check", "I led the team."), SETTINGS(), NULL, NULL);
    struct run unsafe = run(ARGUMENTS("check", "fuck you"), SETTINGS(), NULL, NULL);

    expect_run(&safe, 0, NULL, NULL);
    expect_run(&unsafe, 1, FIELDS_NAMED("profanity_or_slur"), NULL);
}

Test(command, doctor_is_content_with_the_built_in_coach)
{
    struct run result =
        run(ARGUMENTS("doctor"), SETTINGS("STORE_URL=sqlite:///poise.db"), NULL, NULL);

    expect_run(&result, 0, FIELDS_NAMED("safety", "store", "coach"), NULL);
}

Test(command, doctor_says_which_setting_is_bad)
{
    struct run result = run(ARGUMENTS("doctor"), SETTINGS("PORT=eighty"), NULL, NULL);

    cr_assert(result.status != 0);
    expect_run(&result, result.status, FIELDS_NAMED("PORT", "eighty"), NULL);
}

/* doctor with a provider that says this. */
static struct run doctor_with(struct upstream *upstream)
{
    char url[128];

    snprintf(url, sizeof url, "GROQ_BASE_URL=%s", upstream_base_url(upstream));
    return run(ARGUMENTS("doctor"),
               SETTINGS("STORE_URL=sqlite:///poise.db", "GROQ_API_KEY=" GROQ_KEY,
                        "LLM_MODEL=llama-3.3-70b-versatile", url),
               NULL, NULL);
}

Test(command, doctor_says_that_a_model_is_gone)
{
    struct upstream *upstream = upstream_open();
    upstream_always(upstream,
                    (struct saying){.status = 404,
                                    .body = "{\"error\":{\"message\":\"no such model\","
                                            "\"type\":\"invalid_request_error\","
                                            "\"code\":\"model_not_found\"}}"});

    struct run result = doctor_with(upstream);

    cr_assert(result.status != 0);
    expect_run(&result, result.status, FIELDS_NAMED("llama-3.3-70b-versatile"),
               FIELDS_NAMED(GROQ_KEY));
    free(upstream_close(upstream));
}

Test(command, doctor_says_that_a_key_is_refused)
{
    struct upstream *upstream = upstream_open();
    upstream_always(upstream, (struct saying){.status = 401, .body = "{}"});

    struct run result = doctor_with(upstream);

    cr_assert(result.status != 0);
    expect_run(&result, result.status, FIELDS_NAMED("GROQ_API_KEY"),
               FIELDS_NAMED(GROQ_KEY));
    free(upstream_close(upstream));
}
