/*
 * Characters that nobody sees: what the filter reads is what goes on to the model and comes back, and
 * they hide nothing from it.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "study.h"
#include "voice.h"

TestSuite(invisible, .timeout = 60);

/* U+E0041, which is no visible A; the overrides of direction; a soft hyphen and zero-width characters. */
#define TAG       "\U000E0041"
#define TURNED    "\u202e"
#define UNTURNED  "\u202c"
#define INVISIBLE TAG TURNED UNTURNED "\u200b\u200d\u00ad\u2066\u2069\ufeff\u061c\ufe0f"

/* Where they shape what is seen: a family, a red heart, a key cap, Persian, Hindi, a Japanese variant. */
#define SHAPED                                                               \
    "\U0001F468\u200d\U0001F469\u200d\U0001F467 \u2764\ufe0f 1\ufe0f\u20e3 " \
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 "                      \
    "\u0915\u094d\u200d\u0937 \u845b\U000E0100"

#define SENT_ANSWER "I" INVISIBLE " led " CANARY " at the ba" INVISIBLE "nk " SHAPED TAG
#define SEEN_ANSWER "I led " CANARY " at the bank " SHAPED

/* "I will kill you" as a screen shows it. */
#define REVERSED TURNED "uoy llik lliw I"

/* The candidate's words in a call of the model, in the JSON object that is its user message. */
static const char *told_model(struct world *world, const struct call *call)
{
    struct json_object *message =
        json_of(world, json_object_get_string(json_at(call->json, "messages.1.content")));

    return json_object_get_string(json_at(message, "candidate_answer"));
}

static void expect_seen(struct world *world, const struct reply *reply)
{
    expect_success(reply);
    expect_text(reply, "data.transcript", SEEN_ANSWER);
    cr_assert_str_eq(told_model(world, upstream_call_as(world->upstream, ROLE_ANSWER, 0)),
                     SEEN_ANSWER);
}

Test(invisible, characters_of_a_typed_answer_go_nowhere)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");

    expect_seen(world, answer(world, &session, SENT_ANSWER));
    world_end(world);
}

Test(invisible, characters_of_what_was_heard_go_nowhere)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = SENT_ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_seen(world, say(world, &session, recording_of(world, "opus.webm")));
    world_end(world);
}

Test(invisible, characters_alone_are_no_answer)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_error(answer(world, &session, TAG TAG TURNED "\u115f\ufe0f"),
                 ERROR_MISSING_INPUT);
    world_end(world);
}

Test(invisible, characters_hide_nothing_from_the_filter)
{
    static const char *const HIDDEN[] = {"I will ki" TAG "ll you",
                                         "I wi\u00adll kill\u2060 you", REVERSED,
                                         "Well, I will " TURNED "llik" UNTURNED " you",
                                         "I will \U0001F600 kill \U0001F600 you"};
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);

    for (size_t at = 0; at < sizeof HIDDEN / sizeof *HIDDEN; at++)
        expect_filter_refusal(answer(world, &session, HIDDEN[at]), "explicit_threat");
    deepgram_will_hear(world, (struct heard){.text = REVERSED});
    expect_filter_refusal(say(world, &session, recording_of(world, "opus.webm")),
                          "explicit_threat");
    cr_assert_eq(upstream_call_count_as(world->upstream, ROLE_ANSWER), 0);
    world_end(world);
}

static const char *start_body(struct world *world, const char *role, const char *type)
{
    return words(world,
                 "{\"role\":\"%s\",\"interview_type\":\"%s\",\"difficulty\":\"easy\","
                 "\"question_count\":3}",
                 role, type);
}

Test(invisible, characters_of_role_and_type_go_nowhere)
{
    struct world *world = world_with_groq();
    const struct reply *started = start_with(
        world, start_body(world, "Nur" INVISIBLE "se", TAG "behav" INVISIBLE "ioural"));
    struct session session = started_session(started);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *facts = get_session(world, &session);
    expect_text(facts, "data.role", "Nurse");
    expect_text(facts, "data.interview_type", "behavioural");
    cr_assert_not_null(strstr(text_at(started, "data.opening_prompt"), "Nurse"));
    expect_success(answer(world, &session, ANSWER));
    const struct call *call = upstream_call_as(world->upstream, ROLE_ANSWER, 0);
    cr_assert(bytes_has(&call->body, "Nurse"));
    cr_assert_not(bytes_has(&call->body, TAG));
    expect_bad_fields(start_with(world, start_body(world, REVERSED, INVISIBLE)),
                      FIELDS_NAMED("role:not_allowed", "interview_type:too_short"));
    world_end(world);
}

/* The fingerprint under an idempotency key is that of what was sent. */
Test(invisible, characters_make_another_request_under_the_same_key)
{
    struct world *world = world_with_builtin_coach();
    struct request request = {
        .method = "POST",
        .path = "/session/start",
        .headers = "Idempotency-Key: 6f9619ff-8b86-4011-b42d-00c04fc964aa\r\n",
        .content_type = "application/json",
        .body = start_body(world, "Nurse", "behavioural")};

    expect_success(ask(world, request));
    expect_success(ask(world, request));
    request.body = start_body(world, "Nurse" TAG, "behavioural");
    expect_error(ask(world, request), ERROR_IDEMPOTENCY_KEY_REUSE);
    world_end(world);
}

/* What a call of the model has under this member of its user message. */
static const char *asked_model(struct world *world, size_t call, const char *member)
{
    const struct call *made = upstream_call_as(world->upstream, ROLE_ANSWER, call);

    return json_object_get_string(json_at(
        json_of(world, json_object_get_string(json_at(made->json, "messages.1.content"))),
        member));
}

Test(invisible, characters_of_questions_and_selections_go_nowhere)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);
    const char *question = "How long does the Kes" INVISIBLE "trel gripper take to open?";
    const char *selection = TAG ANSWER_WORDS ".";

    for (int at = 0; at < 2; at++)
        model_will_answer(
            world, 1, SENTENCES("It takes 30 milliseconds to open.", "user-selection"));
    expect_success(ask_selection(world, question, selection));
    expect_success(chat_selection(world, question, selection));

    for (size_t at = 0; at < 2; at++) {
        cr_assert_str_eq(asked_model(world, at, "question"), ANSWERABLE);
        cr_assert_str_eq(asked_model(world, at, "passages.0.text"), ANSWER_WORDS ".");
    }
    expect_content_refused(ask_textbook(world, REVERSED), "filter");
    expect_content_refused(ask_chat(world, REVERSED), "filter");
    expect_content_refused(ask_selection(world, ANSWERABLE, REVERSED), "filter");
    expect_bad_fields(ask_textbook(world, TAG TAG), FIELDS_NAMED("question:blank"));
    world_end(world);
    study_remove(&study);
}
