/*
 * A store of its own, and calls to it that wait for their answer: what the tests of the store
 * share.
 */
#ifndef STORE_WORLD_H
#define STORE_WORLD_H

#include "session_made.h"
#include "store.h"
#include "store_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPEECH_MS 300000

struct world {
    struct place place;
    struct store_backend *backend;
    struct store *store; /* of the loop */
    struct loop *loop;
    struct metrics *metrics; /* owned */
    int64_t now_ms;
    struct id request_id; /* of the turn that was begun last */
};

/* The answer to a call. */
struct answer {
    struct loop *loop;
    enum error error;
    struct session *session;
    bool is_replay;
    struct store_begun begun;
    struct store_speech speech;
};

static inline struct store_backend *world_open(const char *url)
{
    struct buffer problem;
    struct store_backend *backend;

    buffer_init(&problem, 4096);
    backend = store_open(url, &problem);
    cr_assert_not_null(backend, "%s", problem.bytes);
    buffer_done(&problem);
    return backend;
}

/* The store once more: opened anew, on a new loop. */
static inline void world_begin(struct world *world)
{
    world->backend = world_open(world->place.url);
    world->loop = loop_new();
    world->metrics = MEM_NEW(struct metrics);
    world->store = store_new(world->backend, world->loop, world->metrics, NULL);
}

static inline void world_end(struct world *world)
{
    store_close(world->backend);
    store_free(world->store);
    loop_free(world->loop);
    free(world->metrics);
}

/* Another process on the same place: world_end(). */
static inline struct world world_beside(const struct world *world)
{
    struct world other = *world;

    world_begin(&other);
    return other;
}

static inline struct world world_new(void)
{
    struct world world = {.place = place_new(), .now_ms = NOW_MS};

    world_begin(&world);
    return world;
}

static inline void stop_loop(void *loop)
{
    loop_stop(loop);
}

/* Where the loop goes on: the tick ends first, at the end of which the store is woken. */
static inline void world_stop(struct world *world)
{
    loop_later(world->loop, stop_loop, world->loop);
    loop_run(world->loop);
    world_end(world);
}

static inline void world_restart(struct world *world)
{
    world_stop(world);
    world_begin(world);
}

static inline void world_free(struct world *world)
{
    world_end(world);
    place_remove(&world->place);
}

static inline struct digest digest_of(const char *string)
{
    struct digest_key key = {{1}};
    struct digest_state state;

    digest_begin(&state, &key);
    digest_add(&state, string, strlen(string));
    return digest_end(&state);
}

static inline void take_session(void *context, enum error error, struct session *session,
                                bool is_replay)
{
    struct answer *answer = context;

    answer->error = error;
    answer->session = session;
    answer->is_replay = is_replay;
    loop_stop(answer->loop);
}

static inline void take_done(void *context, enum error error)
{
    struct answer *answer = context;

    answer->error = error;
    loop_stop(answer->loop);
}

static inline void take_begun(void *context, enum error error, struct store_begun begun)
{
    struct answer *answer = context;

    answer->error = error;
    answer->begun = begun;
    loop_stop(answer->loop);
}

static inline void take_speech(void *context, enum error error,
                               struct store_speech speech)
{
    struct answer *answer = context;

    answer->error = error;
    answer->speech = speech;
    loop_stop(answer->loop);
}

static inline void answer_free(struct answer *answer)
{
    session_free(answer->session);
    session_free(answer->begun.session);
    private_text_free(&answer->begun.outcome);
    private_text_free(&answer->begun.heard);
    private_text_free(&answer->speech.audio);
}

/* What is sent with a turn: pass NULL for what is not. */
static inline struct store_input input_of(const char *transcript, const char *audio,
                                          const char *key, const char *fingerprint)
{
    struct store_input input = {0};

    if (transcript != NULL) {
        input.has_transcript = true;
        input.transcript = digest_of(transcript);
    }
    if (audio != NULL) {
        input.has_audio = true;
        input.audio = digest_of(audio);
    }
    if (key != NULL) {
        input.key.is_there = true;
        input.key.key = digest_of(key);
        input.key.fingerprint = digest_of(fingerprint);
    }
    return input;
}

static inline struct store_input said(const char *transcript)
{
    return input_of(transcript, NULL, NULL, NULL);
}

static inline struct store_input recorded(const char *audio)
{
    return input_of(NULL, audio, NULL, NULL);
}

static inline struct answer create(struct world *world, struct session *session,
                                   struct store_key key)
{
    struct answer answer = {.loop = world->loop};
    struct store_new_session request = {
        .session = session, .key = key, .now_ms = world->now_ms};

    store_create_session(world->store, &request, take_session, &answer);
    loop_run(world->loop);
    return answer;
}

/* A new session's id. */
static inline struct id start(struct world *world, unsigned total_questions)
{
    struct answer answer =
        create(world, session_of(total_questions, world->now_ms), (struct store_key){0});
    struct id id;

    cr_assert_eq(answer.error, OK);
    id = answer.session->id;
    answer_free(&answer);
    return id;
}

static inline struct answer load(struct world *world, const struct id *id)
{
    struct answer answer = {.loop = world->loop};

    store_load_session(world->store, id, world->now_ms, false, take_session, &answer);
    loop_run(world->loop);
    return answer;
}

static inline enum error remove_session(struct world *world, const struct id *id)
{
    struct answer answer = {.loop = world->loop};

    store_delete_session(world->store, id, world->now_ms, take_done, &answer);
    loop_run(world->loop);
    return answer.error;
}

static inline enum error check(struct world *world)
{
    struct answer answer = {.loop = world->loop};

    store_check(world->store, take_done, &answer);
    loop_run(world->loop);
    return answer.error;
}

static inline struct answer begin(struct world *world, const struct id *id,
                                  struct store_input input)
{
    struct answer answer = {.loop = world->loop};
    struct store_claim claim = {.session_id = *id,
                                .request_id = id_random(),
                                .input = input,
                                .now_ms = world->now_ms};

    store_begin_turn(world->store, &claim, take_begun, &answer);
    loop_run(world->loop);
    if (answer.error == OK && answer.begun.decision == STORE_RUN)
        world->request_id = claim.request_id;
    return answer;
}

/* Begins a turn that is expected to run. */
static inline void claim(struct world *world, const struct id *id,
                         struct store_input input)
{
    struct answer answer = begin(world, id, input);

    cr_assert_eq(answer.error, OK);
    cr_assert_eq(answer.begun.decision, STORE_RUN);
    answer_free(&answer);
}

/* Begins a turn that is expected to fail. */
static inline enum error begin_error(struct world *world, const struct id *id,
                                     struct store_input input)
{
    struct answer answer = begin(world, id, input);

    answer_free(&answer);
    return answer.error;
}

static inline struct store_commit commit_of(const struct world *world,
                                            const struct id *id, unsigned turn_number,
                                            struct store_input input,
                                            const char *transcript)
{
    char text[64];
    struct store_commit commit = {
        .session_id = *id,
        .request_id = world->request_id,
        .input = input,
        .commit_number = turn_number,
        .turn_number = turn_number,
        .transcript = text_of(transcript),
        .is_scored = true,
        .scores = {4, 3, 2, 5},
        .now_ms = world->now_ms,
        .expires_ms = world->now_ms + TTL_MS,
    };

    snprintf(text, sizeof(text), "Question %u?", turn_number + 1);
    commit.next_question = text_of(text);
    snprintf(text, sizeof(text), "{\"turn\":%u}", turn_number);
    commit.outcome = text_of(text);
    return commit;
}

static inline enum error commit(struct world *world, const struct id *id,
                                unsigned turn_number, struct store_input input,
                                const char *transcript)
{
    struct answer answer = {.loop = world->loop};
    struct store_commit request = commit_of(world, id, turn_number, input, transcript);

    store_commit_turn(world->store, &request, take_done, &answer);
    loop_run(world->loop);
    return answer.error;
}

/* A whole turn; its reply is on its way. */
static inline void turn(struct world *world, const struct id *id, unsigned turn_number,
                        struct store_input input)
{
    claim(world, id, input);
    cr_assert_eq(commit(world, id, turn_number, input, "I led the team."), OK);
}

/* What any later answer says was asked for after this. */
static inline void remember(struct world *world, const struct id *id, const char *audio,
                            const char *heard)
{
    struct digest digest = digest_of(audio);
    struct private_text text = text_of(heard);

    store_remember_heard(world->store, id, &digest, &text);
    cr_assert(private_text_is_empty(&text));
}

/* A sound of so many bytes: `mark` over and over. */
static inline struct store_speech speech_of(const struct world *world, const char *mark,
                                            size_t length)
{
    struct buffer buffer;
    struct store_speech speech = {
        .content_type = "audio/wav",
        .expires_ms = world->now_ms + SPEECH_MS,
        .max_total_bytes = INT64_C(1) << 30,
    };

    buffer_init(&buffer, length + strlen(mark));
    while (buffer.length < length)
        buffer_append_string(&buffer, mark);
    speech.audio = private_text_copy(buffer.bytes, length);
    buffer_done(&buffer);
    return speech;
}

static inline void report(struct world *world, const struct id *id, unsigned turn_number,
                          bool was_delivered)
{
    store_report_delivery(world->store, id, turn_number, was_delivered);
}

/* A whole turn with a reply that is spoken; its request id. */
static inline struct id spoken_turn(struct world *world, const struct id *id,
                                    unsigned turn_number, struct store_speech speech)
{
    struct answer answer = {.loop = world->loop};
    struct store_commit request;

    claim(world, id, said("answer"));
    request = commit_of(world, id, turn_number, said("answer"), "answer");
    request.speech = speech;
    store_commit_turn(world->store, &request, take_done, &answer);
    loop_run(world->loop);
    cr_assert_eq(answer.error, OK);
    report(world, id, turn_number, true);
    return world->request_id;
}

static inline struct answer load_speech(struct world *world, const struct id *id,
                                        const struct id *request_id)
{
    struct answer answer = {.loop = world->loop};

    store_load_speech(world->store, id, request_id, world->now_ms, take_speech, &answer);
    loop_run(world->loop);
    return answer;
}

/* Ends the turn begun last; `outcome` NULL: it failed, else it was refused. */
static inline void end(struct world *world, const struct id *id, struct store_key key,
                       const char *outcome)
{
    struct store_end request = {
        .session_id = *id,
        .request_id = world->request_id,
        .key = key,
        .now_ms = world->now_ms,
        .forgets_heard = outcome != NULL,
        .expires_ms = outcome == NULL ? 0 : world->now_ms + TTL_MS,
    };

    if (outcome != NULL)
        request.outcome = text_of(outcome);
    store_end_turn(world->store, &request);
}

#endif
