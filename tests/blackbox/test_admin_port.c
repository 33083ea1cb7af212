/*
 * What is the admin's: on a listener of its own where there is one, and what the admin's key opens.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play.h"

TestSuite(admin_port, .timeout = 90);

#define KEY "the-admins-own-key"

/* Two listeners of one program. */
struct house {
    struct world *front, *back;
};

static struct house house_start(void)
{
    struct house house;
    char setting[32];
    int port;

    close(listen_on_free_port(&port));
    snprintf(setting, sizeof setting, "ADMIN_PORT=%d", port);
    house.front = world_with_builtin_coach("ADMIN_KEY=" KEY, "WORKERS=2", setting);
    house.back = world_in_front(house.front, port);
    return house;
}

static void house_end(struct house *house)
{
    world_end(house->back);
    world_end(house->front);
}

static const struct reply *get(struct world *world, const char *path, const char *key)
{
    return ask(world, (struct request){.method = "GET", .path = path, .token = key});
}

static const struct reply *delete_with(struct world *world, const struct session *session,
                                       const char *key)
{
    return ask(world, (struct request){.method = "DELETE",
                                       .path = words(world, "/session/%s", session->id),
                                       .token = key});
}

Test(admin_port, has_what_is_not_for_everybody_and_nothing_else)
{
    struct house house = house_start();
    struct session session = start_session(house.front, 3);
    expect_success(answer(house.front, &session, ANSWER));

    cr_assert_eq(get(house.back, "/metrics", NULL)->status, 200);
    cr_assert_not_null(
        strstr(get(house.back, "/metrics", NULL)->body.data, "poise_turns_total"));
    expect_success(get(house.back, "/admin/stats", KEY));
    expect_text(get(house.back, "/readyz", NULL), "data.checks.store", "ok");
    expect_success(get(house.back, "/healthz", NULL));
    expect_error(
        get(house.back, words(house.front, "/session/%s", session.id), session.token),
        ERROR_NOT_FOUND);
    expect_error(answer(house.back, &session, ANSWER " Two."), ERROR_NOT_FOUND);
    expect_error(get(house.back, "/", NULL), ERROR_NOT_FOUND);
    house_end(&house);
}

Test(admin_port, takes_it_away_from_the_public_one)
{
    struct house house = house_start();
    struct session session = start_session(house.front, 3);

    expect_error(get(house.front, "/metrics", NULL), ERROR_NOT_FOUND);
    expect_error(get(house.front, "/admin/stats", KEY), ERROR_NOT_FOUND);
    expect_error(delete_with(house.front, &session, KEY), ERROR_INVALID_TOKEN);
    const struct reply *ready = get(house.front, "/readyz", NULL);
    expect_success(ready);
    cr_assert_null(strstr(ready->body.data, "store"));
    expect_success(get(house.front, "/healthz", NULL));
    expect_success(delete_with(house.back, &session, KEY));
    expect_error(get_session(house.front, &session), ERROR_SESSION_NOT_FOUND);
    house_end(&house);
}

Test(admin_port, knows_the_patterns_that_were_read_again)
{
    struct house house = house_start();
    struct session session = start_session(house.front, 3);

    world_write_file(house.front, "patterns.json",
                     "[{\"name\":\"profanity_or_slur\",\"pattern\":\"\\\\bnewt\\\\b\"}]");
    world_signal(house.front, SIGHUP);
    world_await_output(house.front, "patterns_reloaded");
    cr_assert_eq(answer(house.front, &session, "You newt!")->status, 422);

    cr_assert_not_null(
        strstr(get(house.back, "/metrics", NULL)->body.data,
               "poise_safety_hits_total{entry=\"profanity_or_slur\",category"
               "=\"profanity_or_slur\",shadow=\"false\"} 1"));
    house_end(&house);
}

Test(admin_port, that_is_taken_stops_the_start)
{
    char setting[32];
    int port;
    int taken = listen_on_free_port(&port);
    snprintf(setting, sizeof setting, "ADMIN_PORT=%d", port);
    char *directory = directory_make();

    struct run run =
        run_program(directory, ARGUMENTS("serve"),
                    SETTINGS("PORT=0", "STORE_URL=sqlite:///poise.db", setting));

    cr_assert_eq(run.status, 1);
    cr_assert(bytes_has(&run.output, strchr(setting, '=') + 1), "%s", run.output.data);
    bytes_free(&run.output);
    directory_remove(directory);
    free(directory);
    close(taken);
}

Test(admin_port, or_not_the_admins_key_deletes_any_session)
{
    struct world *world = world_with_builtin_coach("ADMIN_KEY=" KEY);
    struct session session = start_session(world, 3);
    struct session other = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));

    expect_error(delete_with(world, &session, "another"), ERROR_INVALID_TOKEN);
    expect_error(delete_with(world, &session, other.token), ERROR_SESSION_ID_MISMATCH);
    expect_error(get(world, words(world, "/session/%s", session.id), KEY),
                 ERROR_INVALID_TOKEN);
    expect_success(delete_with(world, &session, KEY));
    expect_error(delete_with(world, &session, KEY), ERROR_SESSION_NOT_FOUND);
    expect_error(get_session(world, &session), ERROR_SESSION_NOT_FOUND);
    expect_success(delete_session(world, &other));
    for (int i = 0; i < 10; i++)
        expect_error(delete_with(world, &session, words(world, "guess %d", i)),
                     ERROR_INVALID_TOKEN);
    expect_error(delete_with(world, &session, KEY), ERROR_INVALID_TOKEN);
    world_end(world);
}
