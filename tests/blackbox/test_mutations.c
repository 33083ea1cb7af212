/*
 * 10,000 mutations of the request that the mobile app sends: never a crash, never a reply
 * that is not an envelope.
 *
 * The generator has a fixed seed, so a failure comes back; it is named by its number.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "mutate.h"
#include "play.h"

TestSuite(mutations, .timeout = 200);

enum { MUTATIONS = 10000, AT_ONCE = 32, SESSIONS = 40 };

static const char *const PIECES[] = {
    /* clang-format off */
    "\r\n", "\n", "\r", "\r\n\r\n", ":", ";", "\"", "--", "=", " ", "\t", "%", "\\",
    "--" DIO_BOUNDARY, "\r\n--" DIO_BOUNDARY "\r\n", "\r\n--" DIO_BOUNDARY "--\r\n",
    "content-length: 0\r\n", "content-length: 99999\r\n", "transfer-encoding: chunked\r\n",
    "transfer-encoding: identity\r\n", "expect: 100-continue\r\n", "connection: close\r\n",
    "idempotency-key: a\r\n", "accept: text/event-stream\r\n", "content-type: application/json",
    "name=\"audio\"; filename=\"a.m4a\"", "name=\"transcript\"", "name=\"session_id\"",
    "boundary=", "\xff", "\xc3", "\xed\xa0\x80", "0", "-1", "4294967296", "{", "}", "[[[[",
    "HTTP/1.0", "HTTP/1.1", "GET ", "DELETE /session/", "HEAD /healthz HTTP/1.1\r\n\r\n",
    "POST /turn HTTP/1.1\r\n", "/session/start", "\r\n folded",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    /* clang-format on */
};

/* The app's request for one of the sessions, changed in one to five places, sometimes cut
 * off. */
static struct bytes mutation(struct generator *generator, const struct bytes *originals)
{
    struct bytes bytes = {0};
    const struct bytes *original = &originals[below(generator, SESSIONS)];
    size_t changes = 1 + below(generator, 5);

    bytes_add(&bytes, original->data, original->size);
    while (changes-- > 0)
        mutate(generator, &bytes,
               (struct pieces){PIECES, sizeof PIECES / sizeof *PIECES});
    if (below(generator, 16) == 0)
        cut_off(generator, &bytes);
    return bytes;
}

static struct bytes original(struct world *world)
{
    struct session session = start_session(world, 10);
    char recording[RECORDING_BYTES];
    make_recording(9, recording);
    struct bytes body = dio_form(&(struct form){.session_id = session.id,
                                                .transcript = ANSWER " caf\u00e9",
                                                .audio = recording,
                                                .audio_size = sizeof recording,
                                                .audio_type = "audio/mp4"});
    struct bytes request = request_bytes(&(struct request){
        .method = "POST",
        .path = "/turn",
        .token = session.token,
        .headers = "x-request-id: 0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11\r\n",
        .content_type = DIO_CONTENT_TYPE,
        .body = body.data,
        .body_size = body.size});

    bytes_free(&body);
    return request;
}

/* One connection: everything was sent and the sending side closed; what comes is
 * collected. */
struct probe {
    struct connection *connection; /* NULL: free */
    struct bytes received;
    int number;
};

/* What libmicrohttpd does not take for a request it answers by itself, in HTML, and ends the
 * connection. */
static bool is_of_library(const struct reply *reply)
{
    switch (reply->status) {
    case 400:
    case 413:
    case 414:
    case 431:
    case 505: return bytes_has(&reply->body, "<html>");
    default: return false;
    }
}

/* Every response that came is an envelope, or the body-less reply to HEAD or OPTIONS, or the last one,
 * by libmicrohttpd, behind which it may have written more.  Returns how many there were. */
static int expect_envelopes(struct probe *probe)
{
    int count = 0;

    while (probe->received.size > 0) {
        struct reply *reply = NULL;
        size_t size = 0;
        int result = reply_parse(&probe->received, true, true, &reply, &size);
        if (result != 1)
            result = reply_parse(&probe->received, false, true, &reply, &size);
        cr_assert(result == 1, "mutation %d: no HTTP came:\n%s", probe->number,
                  probe->received.data);
        if (is_of_library(reply)) {
            reply_free(reply);
            return count + 1;
        }
        const char *fault =
            reply->status == 100 || reply->status == 204 || !reply->body.size
                ? NULL
                : envelope_fault(reply);
        cr_assert_null(fault, "mutation %d: %s:\n%s", probe->number, fault,
                       probe->received.data);
        count += reply->status != 100;
        reply_free(reply);
        bytes_drop(&probe->received, size);
    }
    return count;
}

static void begin_probe(struct world *world, struct probe *probe, int number,
                        struct bytes request)
{
    probe->number = number;
    probe->connection = connection_open(world->port);
    cr_assert_not_null(probe->connection, "mutation %d: nobody listens", number);
    connection_send(probe->connection, request.data, request.size);
    connection_half_close(probe->connection);
    bytes_free(&request);
}

/* Takes in what came; returns the number of responses once the connection has ended, else
 * -1. */
static int advance(struct probe *probe)
{
    char block[65536];
    ssize_t size =
        recv(connection_descriptor(probe->connection), block, sizeof block, MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return -1;
    if (size > 0) {
        bytes_add(&probe->received, block, (size_t)size);
        return -1;
    }
    connection_close(probe->connection);
    probe->connection = NULL;
    int count = expect_envelopes(probe);
    bytes_free(&probe->received);
    return count;
}

static void wait_for_any(const struct probe *probes)
{
    struct pollfd wanted[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++)
        wanted[i] = (struct pollfd){
            .fd = probes[i].connection ? connection_descriptor(probes[i].connection) : -1,
            .events = POLLIN};
    cr_assert(poll(wanted, AT_ONCE, LONGEST_WAIT_S * 1000) > 0,
              "the program neither answers nor closes");
}

Test(mutations, never_a_crash_and_never_a_reply_that_is_not_an_envelope)
{
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=1");
    struct generator generator = {.state = 88172645463325252u};
    struct bytes originals[SESSIONS];
    struct probe probes[AT_ONCE] = {0};
    int begun = 0;
    int ended = 0;
    int answered = 0;
    for (int i = 0; i < SESSIONS; i++)
        originals[i] = original(world);

    while (ended < MUTATIONS) {
        for (int i = 0; i < AT_ONCE; i++) {
            if (!probes[i].connection && begun < MUTATIONS) {
                begin_probe(world, &probes[i], begun, mutation(&generator, originals));
                begun++;
            }
        }
        wait_for_any(probes);
        for (int i = 0; i < AT_ONCE; i++) {
            int count = probes[i].connection ? advance(&probes[i]) : -1;
            ended += count >= 0;
            answered += count > 0;
        }
    }

    /* A third or so is cut short by what was changed, and ends without a reply. */
    cr_assert(answered > MUTATIONS * 6 / 10, "only %d of %d were answered", answered,
              MUTATIONS);
    for (int i = 0; i < SESSIONS; i++)
        bytes_free(&originals[i]);
    world_end(world);
}
