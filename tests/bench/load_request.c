/* The load's request bytes.  See load_request.h. */
#include "load_request.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Ten sentences, each answer beginning with another one of them. */
static const char *const sentences[] = {
    "At my last company I looked after the service that matched deliveries with drivers, and in "
    "the spring we had to move it to another region within six weeks. ",
    "My own task was the data: about four hundred gigabytes of orders that could not be "
    "unavailable for more than two minutes on any day of the week. ",
    "I began by writing down what would have to be true at the end of each week, and I went "
    "through that list with support and sales before anyone wrote code. ",
    "In the second week we noticed that the nightly export locked a table for eleven minutes, so "
    "I split it into smaller batches and measured every one of them. ",
    "Two colleagues disagreed about the order of the steps; I asked each of them to describe the "
    "failure they feared most, and we rehearsed both of these. ",
    "We copied the data while the old system kept running, compared row counts and checksums "
    "every hour, and kept a switch that could take us back at once. ",
    "On the day itself the change took ninety seconds, three customers noticed a slow page, and "
    "we had answered all of them before lunch. ",
    "What I would do differently is to involve the finance team earlier, because their reports "
    "read from a replica that we had simply forgotten about. ",
    "Since then I keep a short checklist for such moves, and two other teams have used it without "
    "me being in the room, which I am honestly proud of. ",
    "I also learnt to say early when a date is at risk, since nobody was upset about the delay of "
    "two days that I announced in week three. ",
};

#define SENTENCES (sizeof sentences / sizeof sentences[0])

static const char session_fields[] =
    "{\"role\":\"Backend Engineer\",\"interview_type\":\"behavioral\",\"difficulty\":\"medium\","
    "\"question_count\":10}";

static size_t append(char *out, size_t used, size_t room, const char *text)
{
    size_t length = strlen(text);
    assert(used + length < room);
    memcpy(out + used, text, length + 1);
    return used + length;
}

static void write_answer(unsigned number, char *out, size_t room)
{
    int written = snprintf(out, room, "This was project number %u of my notes. ", number);
    size_t used = (size_t)written;
    for (size_t i = 0; i < SENTENCES; i++)
        used = append(out, used, room, sentences[(number + i) % SENTENCES]);
}

size_t load_request_write_start(char out[LOAD_REQUEST_MAX_BYTES])
{
    int written = snprintf(out, LOAD_REQUEST_MAX_BYTES,
                           "POST /session/start HTTP/1.1\r\n"
                           "user-agent: Dart/3.4 (dart:io)\r\n"
                           "content-type: application/json\r\n"
                           "accept-encoding: gzip\r\n"
                           "content-length: %zu\r\n"
                           "host: 127.0.0.1\r\n\r\n%s",
                           sizeof session_fields - 1, session_fields);
    assert(written > 0 && written < LOAD_REQUEST_MAX_BYTES);
    return (size_t)written;
}

size_t load_request_write_turn(const struct load_session *session, unsigned number,
                               char out[LOAD_REQUEST_MAX_BYTES])
{
    char answer[2048], body[3072];
    unsigned boundary = 1000000000U + number % 1000000000U;

    write_answer(number, answer, sizeof answer);
    int body_bytes =
        snprintf(body, sizeof body,
                 "----dio-boundary-%u\r\n"
                 "content-disposition: form-data; name=\"session_id\"\r\n\r\n"
                 "%s\r\n"
                 "----dio-boundary-%u\r\n"
                 "content-disposition: form-data; name=\"transcript\"\r\n\r\n"
                 "%s\r\n"
                 "----dio-boundary-%u--\r\n",
                 boundary, session->id, boundary, answer, boundary);
    int written =
        snprintf(out, LOAD_REQUEST_MAX_BYTES,
                 "POST /turn HTTP/1.1\r\n"
                 "user-agent: Dart/3.4 (dart:io)\r\n"
                 "content-type: multipart/form-data; boundary=--dio-boundary-%u\r\n"
                 "accept-encoding: gzip\r\n"
                 "authorization: Bearer %s\r\n"
                 "content-length: %d\r\n"
                 "host: 127.0.0.1\r\n\r\n%s",
                 boundary, session->token, body_bytes, body);
    assert(body_bytes < (int)sizeof body && written < LOAD_REQUEST_MAX_BYTES);
    return (size_t)written;
}

/* Copies the JSON string member `name`, which has no escapes in it. */
static bool copy_member(const char *body, size_t length, const char *name, char *out,
                        size_t room)
{
    char key[32];
    int key_bytes = snprintf(key, sizeof key, "\"%s\"", name);
    const char *at = memmem(body, length, key, (size_t)key_bytes);
    if (at == NULL)
        return false;
    at += key_bytes;
    const char *end = body + length;
    while (at < end && (*at == ':' || *at == ' '))
        at++;
    if (at == end || *at++ != '"')
        return false;
    const char *quote = memchr(at, '"', (size_t)(end - at));
    if (quote == NULL || (size_t)(quote - at) >= room)
        return false;
    memcpy(out, at, (size_t)(quote - at));
    out[quote - at] = '\0';
    return true;
}

bool load_session_read(const char *body, size_t length, struct load_session *ret_session)
{
    struct load_session session;

    if (!copy_member(body, length, "session_id", session.id, sizeof session.id) ||
        !copy_member(body, length, "session_token", session.token, sizeof session.token))
        return false;
    *ret_session = session;
    return true;
}

struct load_session load_session_fixed(void)
{
    return (struct load_session){
        .id = "6f1d7a52-93c4-4b0e-8a27-5d2f0c9be113",
        .token = "cG9pc2UtYmVuY2gtc2Vzc2lvbi10b2tlbg.MTc2NzIyNTYwMA."
                 "b0f3c9a1d2e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0",
    };
}
