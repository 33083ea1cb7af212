/*
 * The spoken reply of a turn: fetched whole, in parts, and by nobody else.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "play.h"

TestSuite(tts, .timeout = 60);

/* Without any key espeak-ng is the voice where a PATH leads to it. */
#define world_that_speaks(...) \
    world_start(SETTINGS("PATH=/usr/bin:/bin", "TTS_PROVIDER=auto", __VA_ARGS__))

static const struct reply *fetch(struct world *world, const char *method,
                                 const char *path, const char *token, const char *headers)
{
    struct connection *connection = begin(
        world, (struct request){
                   .method = method, .path = path, .token = token, .headers = headers});
    const struct reply *reply = receive(world, connection, method);

    connection_close(connection);
    cr_assert_not_null(reply, "no reply");
    return reply;
}

static const struct reply *get(struct world *world, const char *path,
                               const struct session *session, const char *headers)
{
    return fetch(world, "GET", path, session->token, headers);
}

/* Answers, and returns where the reply can be heard. */
static const char *speak(struct world *world, const struct session *session)
{
    const struct reply *turn = answer(world, session, ANSWER);

    expect_success(turn);
    return text_at(turn, "data.tts_audio_url");
}

static void expect_part_of(const struct reply *part, const struct reply *whole,
                           size_t first, size_t last)
{
    char range[96];

    snprintf(range, sizeof range, "bytes %zu-%zu/%zu", first, last, whole->body.size);
    cr_assert(part->status == 206, "%d", part->status);
    expect_header(part, "Content-Range", range);
    cr_assert(part->body.size == last - first + 1);
    cr_assert(memcmp(part->body.data, whole->body.data + first, part->body.size) == 0);
}

Test(tts, without_any_key_the_next_question_can_be_heard)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);
    const char *path = speak(world, &session);

    const struct reply *audio = get(world, path, &session, NULL);

    cr_assert(audio->status == 200, "%d", audio->status);
    expect_header(audio, "Content-Type", "audio/wav");
    expect_header(audio, "Accept-Ranges", "bytes");
    expect_header(audio, "ETag", words(world, "\"%s\"", path + strlen("/tts/")));
    cr_assert(audio->body.size > 10000, "%zu bytes", audio->body.size);
    cr_assert(memcmp(audio->body.data, "RIFF", 4) == 0);
    cr_assert(memcmp(audio->body.data + 8, "WAVE", 4) == 0);
    world_end(world);
}

static const char *open_question(struct world *world, const struct session *session)
{
    return words(world, "/session/%s/speech", session->id);
}

Test(tts, the_first_question_can_be_heard_and_so_can_each_that_is_open)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 2);
    const char *path = open_question(world, &session);
    const struct reply *first = get(world, path, &session, NULL);

    cr_assert(first->status == 200, "%s", first->body.data);
    expect_header(first, "Content-Type", "audio/wav");
    expect_header(first, "Cache-Control", "no-store");
    cr_assert(first->body.size > 10000 && memcmp(first->body.data, "RIFF", 4) == 0);
    speak(world, &session);
    const struct reply *next = get(world, path, &session, NULL);
    cr_assert(next->status == 200);
    cr_assert(next->body.size != first->body.size ||
              memcmp(next->body.data, first->body.data, next->body.size) != 0);
    world_end(world);
}

Test(tts, no_question_is_heard_where_none_is_open_or_nothing_speaks_or_by_a_stranger)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 1);
    struct session stranger = start_session(world, 1);
    const char *path = open_question(world, &session);

    expect_error(get(world, path, &stranger, NULL), ERROR_SESSION_ID_MISMATCH);
    speak(world, &session);
    expect_error(get(world, path, &session, NULL), ERROR_TTS_AUDIO_NOT_FOUND);
    expect_success(delete_session(world, &session));
    expect_error(get(world, path, &session, NULL), ERROR_SESSION_NOT_FOUND);
    world_end(world);

    world = world_start(SETTINGS("TTS_PROVIDER=none"));
    session = start_session(world, 1);
    expect_error(get(world, open_question(world, &session), &session, NULL),
                 ERROR_TTS_AUDIO_NOT_FOUND);
    world_end(world);
}

/* Nor does it keep anything: the next time it may work again. */
Test(tts, a_voice_that_fails_is_told_as_no_speech)
{
    struct world *world = world_with_groq("TTS_PROVIDER=deepgram",
                                          "DEEPGRAM_API_KEY=dg_never_shown_to_anyone");
    struct session session = start_session(world, 2);

    upstream_will_speak(world->upstream, (struct saying){.status = 400});
    expect_error(get(world, open_question(world, &session), &session, NULL),
                 ERROR_TTS_AUDIO_NOT_FOUND);
    world_end(world);
}

Test(tts, it_may_be_kept_by_the_client_alone_and_only_for_a_while)
{
    struct world *world = world_that_speaks("TTS_CACHE_TTL_SECONDS=77");
    struct session session = start_session(world, 3);
    char age[64];
    unsigned seconds = 0;

    const struct reply *audio = get(world, speak(world, &session), &session, NULL);

    cr_assert(reply_header(audio, "Cache-Control", age, sizeof age));
    cr_assert(sscanf(age, "private, max-age=%u", &seconds) == 1, "%s", age);
    cr_assert(seconds <= 77, "%u", seconds);
    cr_assert(reply_header_count(audio, "Cache-Control") == 1);
    world_end(world);
}

Test(tts, head_tells_of_it_without_a_body_and_knows_no_range)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);
    const char *path = speak(world, &session);
    const struct reply *audio = get(world, path, &session, NULL);

    const struct reply *head =
        fetch(world, "HEAD", path, session.token, "Range: bytes=0-1\r\n");

    cr_assert(head->status == 200, "%d", head->status);
    expect_header(head, "Content-Type", "audio/wav");
    expect_header(head, "Accept-Ranges", "bytes");
    expect_header(head, "Content-Length", words(world, "%zu", audio->body.size));
    world_end(world);
}

Test(tts, a_range_is_answered_with_that_part)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);
    const char *path = speak(world, &session);
    const struct reply *all = get(world, path, &session, NULL);
    size_t last = all->body.size - 1;

    expect_part_of(get(world, path, &session, "Range: bytes=0-1\r\n"), all, 0, 1);
    expect_part_of(get(world, path, &session, "Range: bytes=100-\r\n"), all, 100, last);
    expect_part_of(get(world, path, &session, "Range: bytes=-44\r\n"), all, last - 43,
                   last);
    expect_part_of(get(world, path, &session, "Range: bytes=0-99999999999\r\n"), all, 0,
                   last);
    world_end(world);
}

Test(tts, a_range_behind_the_end_is_not_satisfiable)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);
    const char *path = speak(world, &session);
    const struct reply *all = get(world, path, &session, NULL);

    const struct reply *reply =
        get(world, path, &session, words(world, "Range: bytes=%zu-\r\n", all->body.size));

    expect_error(reply, ERROR_RANGE_NOT_SATISFIABLE);
    expect_header(reply, "Content-Range", words(world, "bytes */%zu", all->body.size));
    world_end(world);
}

Test(tts, ranges_that_are_several_malformed_or_outdated_are_ignored)
{
    static const char *const RANGES[] = {
        "Range: bytes=0-1,4-5\r\n",
        "Range: bytes=5-4\r\n",
        "Range: seconds=0-1\r\n",
        "Range: bytes=0-1\r\nRange: bytes=0-1\r\n",
        "Range: bytes=0-1\r\nIf-Range: \"another\"\r\n",
        "Range: bytes=0-1\r\nIf-Range: Fri, 20 Nov 2026 18:00:00 GMT\r\n",
    };
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);
    const char *path = speak(world, &session);

    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++) {
        const struct reply *reply = get(world, path, &session, RANGES[i]);

        cr_assert(reply->status == 200, "%d for %s", reply->status, RANGES[i]);
        expect_no_header(reply, "Content-Range");
    }
    world_end(world);
}

Test(tts, a_range_holds_while_its_entity_tag_does)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);
    const char *path = speak(world, &session);
    const struct reply *all = get(world, path, &session, NULL);

    const struct reply *part =
        get(world, path, &session,
            words(world, "Range: bytes=2-3\r\nIf-Range: \"%s\"\r\n", path + 5));

    expect_part_of(part, all, 2, 3);
    world_end(world);
}

Test(tts, nobody_but_its_session_finds_it)
{
    struct world *world = world_that_speaks();
    struct session mine = start_session(world, 3);
    struct session yours = start_session(world, 3);
    const char *path = speak(world, &mine);

    expect_error(get(world, path, &yours, NULL), ERROR_TTS_AUDIO_NOT_FOUND);
    expect_error(fetch(world, "GET", path, NULL, NULL), ERROR_INVALID_TOKEN);
    expect_error(fetch(world, "GET", path, "x", NULL), ERROR_INVALID_TOKEN);
    cr_assert(get(world, path, &mine, NULL)->status == 200);
    world_end(world);
}

Test(tts, what_was_never_spoken_is_not_there)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);

    expect_error(get(world, words(world, "/tts/%s", session.id), &session, NULL),
                 ERROR_TTS_AUDIO_NOT_FOUND);
    expect_error(get(world, "/tts/x", &session, NULL), ERROR_TTS_AUDIO_NOT_FOUND);
    expect_error(get(world, "/tts/", &session, NULL), ERROR_NOT_FOUND);
    expect_error(fetch(world, "POST", "/tts/x", session.token, NULL),
                 ERROR_METHOD_NOT_ALLOWED);
    world_end(world);
}

Test(tts, it_goes_with_its_session)
{
    struct world *world = world_that_speaks();
    struct session session = start_session(world, 3);
    const char *path = speak(world, &session);

    delete_session(world, &session);

    expect_error(get(world, path, &session, NULL), ERROR_TTS_AUDIO_NOT_FOUND);
    world_end(world);
}

Test(tts, a_page_of_an_allowed_origin_may_read_its_headers)
{
    struct world *world = world_that_speaks("CORS_ALLOWED_ORIGINS=https://app.example");
    struct session session = start_session(world, 3);

    const struct reply *reply =
        get(world, speak(world, &session), &session,
            "Origin: https://app.example\r\nRange: bytes=0-1\r\n");

    cr_assert(reply->status == 206, "%d", reply->status);
    expect_header(reply, "Access-Control-Allow-Origin", "https://app.example");
    expect_header(reply, "Access-Control-Expose-Headers",
                  "X-Request-ID, Retry-After, RateLimit, RateLimit-Policy, "
                  "Server-Timing, Content-Range, Accept-Ranges");
    world_end(world);
}
