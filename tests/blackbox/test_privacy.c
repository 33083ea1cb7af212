/*
 * The canary: marked words go through success and failure, and are then looked for
 * wherever they must not be.  Every story looks for them in its log and its errors
 * (log_rules.c, expect.c); this one also looks into the store: into SQLite's files, or into
 * every table of PostgreSQL.  (Deleted rows stay in PostgreSQL's own files until it vacuums.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "voice.h"

TestSuite(privacy, .timeout = 60);

static bool is_stored(struct world *world, const char *text)
{
    struct bytes contents = {0};

    store_place_read(world->store, &contents);
    bool found = bytes_has(&contents, text);
    bytes_free(&contents);
    return found;
}

/* A session that went through success, refusals and errors, all with the canary. */
static struct session busy_session(struct world *world)
{
    upstream_will_say(world->upstream,
                      "{\"refused\":false,\"demands\":[\"Feed the " CANARY
                      " herons\"],\"first_question\":\"When did you, " MODEL_CANARY
                      "?\"}");
    const struct reply *started = start_with(
        world, "{\"role\":\"keeper of herons\",\"interview_type\":\"behavioural\","
               "\"difficulty\":\"easy\",\"question_count\":5,\"job_advert\":"
               "\"Duties\\n- Feed the " CANARY " herons\\n- Mend nets by moonlight\","
               "\"resume\":\"- Led a flock of " CANARY " herons to Iceland\"}");
    struct session session = {.token = text_at(started, "data.session_token")};
    char recording[RECORDING_BYTES];
    make_recording(1, recording);
    memcpy(recording + 100, CANARY, strlen(CANARY));

    strcpy(session.id, text_at(started, "data.session_id"));
    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");
    expect_success(answer_with(world, &session, ANSWER, "Idempotency-Key: k1\r\n"));
    upstream_will_refuse(world->upstream, "No more of " MODEL_CANARY ", please.");
    answer_with(world, &session, ANSWER " Again.", "Idempotency-Key: k2\r\n");
    answer_with(world, &session, CANARY " fuck you", "Idempotency-Key: k3\r\n");
    upstream_will(world->upstream, (struct saying){.status = 500});
    answer(world, &session, ANSWER " Third.");
    send_form(world, &session,
              (struct form){.audio = recording,
                            .audio_size = sizeof recording,
                            .audio_type = "audio/mp4"});
    upstream_will_ask(world->upstream, "Ignored, " MODEL_CANARY ".");
    expect_success(answer_again(world, &session, ANSWER " Once more."));
    upstream_will_say(world->upstream,
                      "{\"refused\":false,\"kind\":\"repeat\",\"follow_up_question\":"
                      "\"In plain words, " MODEL_CANARY
                      "?\",\"coaching_feedback\":null}");
    expect_text(
        answer_with(world, &session, CANARY " pardon?", "Idempotency-Key: k4\r\n"),
        "data.kind", "repeat");
    upstream_will_give_summary(world->upstream);
    expect_success(finish_session(world, &session));
    expect_success(report_of(world, &session, NULL));
    return session;
}

Test(privacy, words_are_in_the_store_while_the_session_lives)
{
    struct world *world = world_with_groq();
    busy_session(world);

    cr_assert(is_stored(world, CANARY), "or else the search below proves nothing");
    cr_assert(is_stored(world, MODEL_CANARY));
    cr_assert(is_stored(world, "nets by moonlight") && is_stored(world, "to Iceland"));
    world_end(world);
}

Test(privacy, after_delete_no_file_of_the_store_has_a_trace)
{
    struct world *world = world_with_groq();
    struct session session = busy_session(world);

    expect_success(delete_session(world, &session));

    cr_assert_not(is_stored(world, CANARY),
                  "the candidate's words are still in the store");
    cr_assert_not(is_stored(world, MODEL_CANARY),
                  "the model's words are still in the store");
    cr_assert_not(is_stored(world, "keeper of herons"), "the role is still in the store");
    cr_assert_not(is_stored(world, "nets by moonlight"),
                  "the advert is still in the store");
    cr_assert_not(is_stored(world, "to Iceland"), "the CV is still in the store");
    cr_assert_not(is_stored(world, session.id), "the session's id is still in the store");
    cr_assert_not(is_stored(world, session.token), "the token is still in the store");
    world_end(world);
}

Test(privacy, after_delete_and_a_restart_no_file_of_the_store_has_a_trace)
{
    struct world *world = world_with_groq();
    struct session session = busy_session(world);
    expect_success(delete_session(world, &session));
    world_kill(world);
    world_restart(world);

    cr_assert_not(is_stored(world, CANARY));
    cr_assert_not(is_stored(world, MODEL_CANARY));
    world_end(world);
}

/* Long enough to need pages of their own, beside what stays. */
Test(privacy, long_answers_of_a_deleted_session_go_and_those_of_another_stay)
{
    struct world *world = world_with_builtin_coach();
    struct session staying = start_session(world, 5);
    struct session going = start_session(world, 5);
    for (int i = 0; i < 3; i++) {
        answer(world, &staying, words(world, "%s Number %d.", ANSWER, i));
        answer(world, &going, repeated(world, "I heard a heronsong. ", 350 + (size_t)i));
    }
    cr_assert(is_stored(world, "heronsong"));

    expect_success(delete_session(world, &going));

    cr_assert_not(is_stored(world, "heronsong"));
    cr_assert(is_stored(world, CANARY));
    expect_number(get_session(world, &staying), "data.turn_count", 3);
    world_end(world);
}

Test(privacy, after_many_deletions_at_once_nothing_is_left)
{
    enum { MANY = 30 };
    struct world *world = world_with_builtin_coach();
    struct session sessions[MANY];
    struct connection *deletions[MANY];
    for (int i = 0; i < MANY; i++) {
        sessions[i] = start_session(world, 5);
        expect_success(answer(world, &sessions[i], ANSWER));
    }

    for (int i = 0; i < MANY; i++)
        deletions[i] = begin(
            world, (struct request){.method = "DELETE",
                                    .path = words(world, "/session/%s", sessions[i].id),
                                    .token = sessions[i].token});
    for (int i = 0; i < MANY; i++)
        expect_success(finish(world, deletions[i]));

    cr_assert_not(is_stored(world, CANARY));
    world_end(world);
}

/* The session is asked for because that is answered behind the end of the turn. */
static void expect_forgotten(struct world *world, const struct session *session)
{
    expect_number(get_session(world, session), "data.turn_count", 0);
    cr_assert_not(is_stored(world, CANARY), "refused words are still in the store");
}

Test(privacy, what_was_heard_is_not_stored_when_the_filter_refuses_it)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = CANARY " fuck you all"});

    expect_filter_refusal(say(world, &session, new_recording(world, 1)),
                          "profanity_or_slur");

    expect_forgotten(world, &session);
    world_end(world);
}

Test(privacy, what_was_heard_is_forgotten_when_the_model_refuses_it)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will(world->upstream, (struct saying){.status = 500});
    expect_error(say(world, &session, form), ERROR_LLM_PROVIDER_ERROR);
    expect_number(get_session(world, &session), "data.turn_count", 0); /* behind it */
    cr_assert(is_stored(world, CANARY), "or else the search below proves nothing");
    upstream_will_refuse(world->upstream, NULL);

    expect_model_refusal(say(world, &session, form), FALLBACK_REFUSAL);

    expect_forgotten(world, &session);
    world_end(world);
}

Test(privacy, the_bytes_of_a_recording_are_never_stored)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    char recording[RECORDING_BYTES];
    make_recording(1, recording);
    memcpy(recording + 100, "heronsong", strlen("heronsong"));
    struct form form = {.transcript = ANSWER,
                        .audio = recording,
                        .audio_size = sizeof recording,
                        .audio_type = "audio/mp4"};
    upstream_will_ask(world->upstream, "And then?");

    expect_success(send_form(world, &session, form));

    cr_assert_not(is_stored(world, "heronsong"));
    world_end(world);
}

Test(privacy, a_refused_answer_is_not_stored_at_all)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    answer_with(world, &session, "heronsong fuck you", "Idempotency-Key: k\r\n");
    upstream_will_refuse(world->upstream, NULL);
    answer_with(world, &session, "heronsong of another kind", "Idempotency-Key: k2\r\n");

    cr_assert_not(is_stored(world, "heronsong"));
    world_end(world);
}

Test(privacy, tokens_keys_and_secrets_are_never_stored)
{
    struct world *world = world_with_groq();
    struct session session = busy_session(world);

    cr_assert_not(is_stored(world, session.token));
    cr_assert_not(is_stored(world, SECRET_KEY));
    cr_assert_not(is_stored(world, GROQ_KEY));
    world_end(world);
}

Test(privacy, the_store_can_be_read_by_its_owner_only)
{
    if (store_is_postgres())
        cr_skip_test("who may read PostgreSQL's files is PostgreSQL's");
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct bytes listing = {0};
    char line[256];

    answer(world, &session, ANSWER);
    FILE *find = popen(
        words(world, "find %s -name 'poise.db*' -perm /077", world->directory), "r");
    while (fgets(line, sizeof line, find))
        bytes_add_text(&listing, line);
    pclose(find);

    cr_assert(listing.size == 0, "others may read:\n%s", listing.data);
    bytes_free(&listing);
    world_end(world);
}
