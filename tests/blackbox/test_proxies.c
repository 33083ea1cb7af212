/*
 * The proxies of services/deploy/, each with the configuration that is shipped, and TLS.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "program.h"
#include "proxy.h"

TestSuite(proxies, .timeout = 25);

#define EVERY_PROXY(test)                                               \
    ParameterizedTestParameters(proxies, test)                          \
    {                                                                   \
        static int all[] = {PROXY_HAPROXY, PROXY_NGINX, PROXY_CADDY};   \
        return cr_make_param_array(int, all, sizeof all / sizeof *all); \
    }

/* A process, or two, and what stands before. */
struct site {
    struct world *one, *two; /* two: NULL where there is one */
    struct world *front;
};

static struct site site_start(int proxy, bool has_two, struct settings_list settings)
{
    struct site site = {0};

    if (!proxy_is_here((enum proxy)proxy))
        cr_skip_test("%s is not installed", proxy_name((enum proxy)proxy));
    site.one = world_start_with_groq(settings);
    if (has_two)
        site.two = world_beside(site.one);
    site.front = proxy_start((enum proxy)proxy, site.one, site.two);
    return site;
}
#define site_with(proxy, ...) \
    site_start(proxy, false, SETTINGS("TRUSTED_PROXIES=127.0.0.1", __VA_ARGS__))

static void site_end(struct site *site)
{
    world_end(site->front);
    if (site->two)
        world_end(site->two);
    world_end(site->one);
}

EVERY_PROXY(an_interview_is_held_over_https)
ParameterizedTest(int *proxy, proxies, an_interview_is_held_over_https)
{
    struct site site = site_with(*proxy, "DEBUG=false");
    upstream_keeps_asking(site.one->upstream);
    struct session session = start_session(site.front, 2);

    cr_assert(secure_is_port(site.front->port));
    expect_number(answer(site.front, &session, ANSWER), "data.question_number", 1);
    expect_number(send_form(site.front, &session,
                            form_with_recording(site.front, 1, ANSWER " Two.")),
                  "data.question_number", 2);
    const struct reply *reply = get_session(site.front, &session);
    expect_text(reply, "data.status", "completed");
    char value[64];
    cr_assert(reply_header(reply, "Strict-Transport-Security", value, sizeof value));
    site_end(&site);
}

/* Reads until these bytes have come. */
static void read_until(struct connection *connection, const char *text)
{
    static char bytes[65536];
    size_t size = 0;

    memset(bytes, 0, sizeof bytes);
    while (!strstr(bytes, text)) {
        ssize_t got = connection_read(connection, bytes + size, sizeof bytes - 1 - size);
        cr_assert(got > 0, "\"%s\" never came: %s", text, bytes);
        size += (size_t)got;
    }
}

EVERY_PROXY(events_come_when_they_happen)
ParameterizedTest(int *proxy, proxies, events_come_when_they_happen)
{
    struct site site = site_with(*proxy, "DEBUG=false");
    struct session session = start_session(site.front, 2);
    upstream_will_ask(site.one->upstream, "And then?");
    upstream_hold(site.one->upstream);

    struct connection *turn =
        begin_answer_with(site.front, &session, ANSWER, "Accept: text/event-stream\r\n");
    read_until(turn, "event: stage"); /* the model has not answered yet */
    upstream_release(site.one->upstream);
    read_until(turn, "event: result");

    connection_close(turn);
    site_end(&site);
}

EVERY_PROXY(a_body_that_is_too_long_is_refused_before_all_of_it_comes)
ParameterizedTest(int *proxy, proxies,
                  a_body_that_is_too_long_is_refused_before_all_of_it_comes)
{
    struct site site = site_with(*proxy, "DEBUG=false");
    struct session session = start_session(site.front, 2);
    static const size_t LENGTHS[] = {11000000, 20000000};
    char *body = world_keep(site.one, calloc(1, LENGTHS[1]), free);

    for (size_t i = 0; i < 2; i++) {
        struct connection *upload =
            begin(site.front,
                  (struct request){.method = "POST",
                                   .path = "/turn",
                                   .token = session.token,
                                   .content_type = DIO_CONTENT_TYPE,
                                   .headers = words(site.front, "Content-Length: %zu\r\n",
                                                    LENGTHS[i])});
        size_t sent = connection_send_until_answered(upload, body, LENGTHS[i]);
        cr_assert(sent < LENGTHS[i], "all of it was taken");
        expect_error(finish(site.front, upload), ERROR_FILE_TOO_LARGE);
    }
    expect_success(get_session(site.front, &session));
    site_end(&site);
}

EVERY_PROXY(a_recording_of_the_largest_size_goes_through)
ParameterizedTest(int *proxy, proxies, a_recording_of_the_largest_size_goes_through)
{
    struct site site = site_with(*proxy, "MAX_AUDIO_BYTES=10485760");
    struct session session = start_session(site.front, 2);
    char *audio = world_keep(site.one, calloc(1, 10485760), free);
    make_recording(1, audio);
    upstream_will_ask(site.one->upstream, "And then?");

    const struct reply *reply = send_form(site.front, &session,
                                          (struct form){.session_id = session.id,
                                                        .transcript = ANSWER,
                                                        .audio = audio,
                                                        .audio_size = 10485760,
                                                        .audio_type = "audio/mp4"});

    expect_number(reply, "data.question_number", 1);
    site_end(&site);
}

EVERY_PROXY(what_a_client_says_of_its_own_address_is_not_believed)
ParameterizedTest(int *proxy, proxies,
                  what_a_client_says_of_its_own_address_is_not_believed)
{
    struct site site = site_with(*proxy, "RATE_LIMIT_ASKS_PER_MINUTE=2");
    const struct reply *reply = NULL;

    for (int i = 0; i < 5; i++)
        reply =
            ask(site.front,
                (struct request){
                    .method = "POST",
                    .path = "/ask",
                    .headers = words(site.front, "X-Forwarded-For: 192.0.2.%d\r\n", i),
                    .content_type = "application/json",
                    .body = "{\"question\":\"How deep is the sea?\"}"});

    expect_error(reply, ERROR_RATE_LIMITED);
    site_end(&site);
}

EVERY_PROXY(figures_of_one_process_are_not_shown_to_the_world)
ParameterizedTest(int *proxy, proxies, figures_of_one_process_are_not_shown_to_the_world)
{
    struct site site = site_with(*proxy, "DEBUG=false");

    expect_error(
        ask(site.front, (struct request){.method = "GET", .path = "/metrics?all"}),
        ERROR_NOT_FOUND);
    site_end(&site);
}

static bool has_turn(struct world *world)
{
    const struct reply *metrics =
        ask(world, (struct request){.method = "GET", .path = "/metrics"});

    return bytes_has(&metrics->body, "\npoise_turns_inflight 1\n");
}

#define ID "0b0e7a31-5c2d-4f5e-9f61-2f4f3b6f7c10"

EVERY_PROXY(a_turn_that_was_sent_is_not_sent_again_when_its_process_dies)
ParameterizedTest(int *proxy, proxies,
                  a_turn_that_was_sent_is_not_sent_again_when_its_process_dies)
{
    struct site site = site_start(*proxy, true, SETTINGS("TRUSTED_PROXIES=127.0.0.1"));
    struct session session = start_session(site.front, 3);
    upstream_keeps_asking(site.one->upstream);
    upstream_hold(site.one->upstream);
    struct connection *turn =
        begin_answer_with(site.front, &session, ANSWER, "X-Request-ID: " ID "\r\n");
    upstream_await_calls(site.one->upstream, 1);

    struct world *gone = has_turn(site.one) ? site.one : site.two;
    world_kill(gone);

    const struct reply *reply = finish(site.front, turn);
    expect_error(reply, ERROR_INTERNAL_ERROR);
    expect_text(reply, "request_id", ID);
    cr_assert_eq(upstream_call_count(site.one->upstream), 1);
    upstream_release(site.one->upstream);
    struct world *other = gone == site.one ? site.two : site.one;
    cr_assert_eq(log_lines_with(other, (const char *const[]){"\"route\":\"turn\"", NULL}),
                 0);
    site_end(&site);
}

EVERY_PROXY(where_nobody_answers_the_reply_is_an_envelope)
ParameterizedTest(int *proxy, proxies, where_nobody_answers_the_reply_is_an_envelope)
{
    struct site site = site_with(*proxy, "DEBUG=false");
    world_kill(site.one);

    const struct reply *reply =
        ask(site.front, (struct request){.method = "GET", .path = "/healthz"});

    cr_assert(reply->status == 500 || reply->status == 503, "%d", reply->status);
    site_end(&site);
}

EVERY_PROXY(a_turn_under_way_is_finished_when_its_process_drains)
ParameterizedTest(int *proxy, proxies,
                  a_turn_under_way_is_finished_when_its_process_drains)
{
    struct site site = site_with(*proxy, "DEBUG=false");
    struct session session = start_session(site.front, 2);
    upstream_will_ask(site.one->upstream, "And then?");
    upstream_hold(site.one->upstream);
    struct connection *turn = begin_answer(site.front, &session, ANSWER);
    upstream_await_calls(site.one->upstream, 1);

    world_signal(site.one, SIGTERM);
    world_await_output(site.one, "\"draining\"");
    upstream_release(site.one->upstream);

    expect_number(finish(site.front, turn), "data.question_number", 1);
    cr_assert_eq(world_await_exit(site.one), 0);
    site_end(&site);
}
