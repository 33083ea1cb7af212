/*
 * Errors of HTTP itself.
 */
#include <criterion/criterion.h>

#include "play.h"
#include "scenarios.h"

void reach_VALIDATION_ERROR(void)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_error(ask(world, (struct request){.method = "POST",
                                             .path = "/turn",
                                             .token = session.token,
                                             .content_type = "application/json",
                                             .body = "{\"transcript\":\"" CANARY "\""}),
                 ERROR_VALIDATION_ERROR);
    world_end(world);
}

void reach_BAD_REQUEST(void)
{
    static const char request[] = "POST /turn HTTP/1.1\r\nHost: x\r\n"
                                  "Content-Length: 3\r\nContent-Length: 4\r\n\r\n" CANARY;
    struct world *world = world_with_groq();

    expect_error(ask_raw(world, "POST", request, sizeof request - 1), ERROR_BAD_REQUEST);
    world_end(world);
}

/* Wherever the limit is: the first block of headers that is not taken is answered
 * properly.  One that libmicrohttpd has no room for it answers by itself. */
void reach_HEADERS_TOO_LARGE(void)
{
    struct world *world = world_with_groq();
    const struct reply *reply = NULL;

    for (size_t size = 4096; size <= 65536 && (!reply || reply->status == 200);
         size += 256)
        reply =
            ask(world, (struct request){.method = "GET",
                                        .path = "/healthz",
                                        .headers = words(world, "X-Words: %s\r\n",
                                                         repeated(world, "w", size))});
    expect_error(reply, ERROR_HEADERS_TOO_LARGE);
    world_end(world);
}

void reach_NOT_FOUND(void)
{
    struct world *world = world_with_builtin_coach();

    expect_error(ask(world, (struct request){.method = "GET", .path = "/" CANARY}),
                 ERROR_NOT_FOUND);
    world_end(world);
}

void reach_METHOD_NOT_ALLOWED(void)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *reply =
        ask(world, (struct request){.method = "GET", .path = "/turn"});

    expect_error(reply, ERROR_METHOD_NOT_ALLOWED);
    cr_assert(reply_header_count(reply, "Allow") == 1);
    world_end(world);
}

void reach_UNSUPPORTED_MEDIA_TYPE(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_error(ask(world, (struct request){.method = "POST",
                                             .path = "/turn",
                                             .token = session.token,
                                             .content_type = "text/plain",
                                             .body = ANSWER}),
                 ERROR_UNSUPPORTED_MEDIA_TYPE);
    world_end(world);
}
