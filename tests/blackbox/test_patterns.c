/*
 * SAFETY_PATTERNS_FILE: patterns of one's own, and reading them again on SIGHUP.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "play.h"

TestSuite(patterns, .timeout = 60);

/* The file of patterns of one story, in a directory of its own. */
struct patterns {
    char *directory; /* owned */
    struct bytes path;
    struct bytes setting;
};

static void write_patterns(const struct patterns *patterns, const char *json)
{
    FILE *file = fopen(patterns->path.data, "wb");

    cr_assert_not_null(file);
    fputs(json, file);
    fclose(file);
}

static struct patterns make_patterns(const char *json)
{
    struct patterns patterns = {.directory = directory_make()};

    bytes_addf(&patterns.path, "%s/patterns.json", patterns.directory);
    bytes_addf(&patterns.setting, "SAFETY_PATTERNS_FILE=%s", patterns.path.data);
    write_patterns(&patterns, json);
    return patterns;
}

static void remove_patterns(struct patterns *patterns)
{
    directory_remove(patterns->directory);
    bytes_free(&patterns->path);
    bytes_free(&patterns->setting);
    free(patterns->directory);
}

Test(patterns, a_file_replaces_the_built_in_patterns)
{
    struct patterns patterns = make_patterns(
        "[\"rhubarb\", {\"name\":\"no_custard\",\"pattern\":\"\\\\bcustard\\\\b\"}]");
    struct world *world = world_with_builtin_coach(patterns.setting.data);
    struct session session = start_session(world, 5);

    expect_filter_refusal(answer(world, &session, "I like RHUBARB."), "custom_pattern_0");
    expect_filter_refusal(answer(world, &session, "I like custard."), "no_custard");
    expect_success(answer(world, &session, "fuck you"));
    world_end(world);
    remove_patterns(&patterns);
}

/* Lists that load and refuse nothing. */
static const char *const NOTHING_REFUSED[] = {
    "[]", "[{\"name\":\"watched\",\"pattern\":\"custard\",\"shadow\":true}]",
    "[{\"strong_words\":[\"custard\"]},{\"words\":[\"tart\"]}]",
    "[{\"define\":\"pudding\",\"pattern\":\"custard\"}]"};

Test(patterns, a_list_that_refuses_nothing_stops_the_start_and_the_doctor)
{
    for (size_t at = 0; at < sizeof NOTHING_REFUSED / sizeof *NOTHING_REFUSED; at++) {
        struct patterns patterns = make_patterns(NOTHING_REFUSED[at]);
        struct run serve = run_program(patterns.directory, ARGUMENTS("serve"),
                                       SETTINGS("PORT=0", patterns.setting.data));
        struct run doctor = run_program(patterns.directory, ARGUMENTS("doctor"),
                                        SETTINGS("PORT=0", patterns.setting.data));

        cr_assert_eq(serve.status, 2, "%d", serve.status);
        cr_assert(bytes_has(&serve.output, "refuses"), "%s", serve.output.data);
        cr_assert_neq(doctor.status, 0);
        cr_assert(bytes_has(&doctor.output, "refuses"), "%s", doctor.output.data);
        bytes_free(&serve.output);
        bytes_free(&doctor.output);
        remove_patterns(&patterns);
    }
}

Test(patterns, a_hangup_takes_no_list_that_refuses_nothing)
{
    struct patterns patterns = make_patterns("[\"rhubarb\"]");
    struct world *world = world_with_builtin_coach(patterns.setting.data);
    struct session session = start_session(world, 5);
    write_patterns(&patterns, NOTHING_REFUSED[1]);

    world_signal(world, SIGHUP);
    world_await_output(world, "\"event\":\"patterns_kept\"");

    expect_filter_refusal(answer(world, &session, "I like rhubarb."), "custom_pattern_0");
    expect_flag(ask(world, (struct request){.method = "GET", .path = "/client-config"}),
                "data.screens_answers", true);
    world_end(world);
    remove_patterns(&patterns);
}

Test(patterns, a_filter_that_is_switched_off_says_so)
{
    struct patterns patterns = make_patterns("[]");
    struct world *world =
        world_with_builtin_coach("SAFETY_ENABLED=false", patterns.setting.data);
    struct session session = start_session(world, 5);

    expect_success(answer(world, &session, "I like custard."));
    expect_flag(ask(world, (struct request){.method = "GET", .path = "/client-config"}),
                "data.screens_answers", false);
    world_end(world);
    remove_patterns(&patterns);
}

Test(patterns, letters_of_other_scripts_are_caseless_too)
{
    struct patterns patterns = make_patterns("[\"\u00e9cole\", \"\u0436\u0443\u043a\"]");
    struct world *world = world_with_builtin_coach(patterns.setting.data);
    struct session session = start_session(world, 5);

    expect_filter_refusal(answer(world, &session, "L'\u00c9COLE."), "custom_pattern_0");
    expect_filter_refusal(answer(world, &session, "\u0416\u0423\u041a"),
                          "custom_pattern_1");
    world_end(world);
    remove_patterns(&patterns);
}

Test(patterns, a_hangup_reads_the_file_again)
{
    struct patterns patterns = make_patterns("[\"rhubarb\"]");
    struct world *world = world_with_builtin_coach(patterns.setting.data);
    struct session session = start_session(world, 5);
    write_patterns(&patterns, "[\"custard\"]");

    world_signal(world, SIGHUP);
    world_await_output(world, "\"event\":\"patterns_reloaded\"");

    expect_filter_refusal(answer(world, &session, "I like custard."), "custom_pattern_0");
    world_end(world);
    remove_patterns(&patterns);
}

Test(patterns, a_bad_file_changes_nothing)
{
    struct patterns patterns = make_patterns("[\"rhubarb\"]");
    struct world *world = world_with_builtin_coach(patterns.setting.data);
    struct session session = start_session(world, 5);
    write_patterns(&patterns, "[\"custard\", \"(\"]");

    world_signal(world, SIGHUP);
    world_await_output(world, "\"level\":\"error\"");

    expect_filter_refusal(answer(world, &session, "I like rhubarb."), "custom_pattern_0");
    expect_success(answer(world, &session, "I like custard."));
    world_end(world);
    remove_patterns(&patterns);
}

Test(patterns, hits_are_counted_by_entry_and_shadows_only_counted)
{
    struct patterns patterns =
        make_patterns("[{\"name\":\"tart\",\"pattern\":\"rhubarb\"},"
                      "{\"name\":\"watched\",\"pattern\":\"custard\",\"shadow\":true}]");
    struct world *world = world_with_builtin_coach(patterns.setting.data);
    struct session session = start_session(world, 5);

    expect_filter_refusal(answer(world, &session, "I like rhubarb."), "tart");
    expect_success(answer(world, &session, "I like custard a lot."));

    const struct reply *metrics =
        ask(world, (struct request){.method = "GET", .path = "/metrics"});
    cr_assert(bytes_has(&metrics->body,
                        "{entry=\"tart\",category=\"tart\",shadow=\"false\"} 1\n"));
    cr_assert(bytes_has(&metrics->body,
                        "{entry=\"watched\",category=\"watched\",shadow=\"true\"} 1\n"));
    world_end(world);
    remove_patterns(&patterns);
}
