/*
 * The coach's words as sound: what each voice is asked, and what can then be heard.
 * (test_tts.c has what players ask of GET /tts, test_speech_kept.c how long it is there.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "voice.h"

TestSuite(speaking, .timeout = 90);

#define WITH_DEEPGRAM "TTS_PROVIDER=deepgram"
#define WITH_ORPHEUS  "TTS_PROVIDER=groq"

Test(speaking, deepgrams_voice_is_asked_for_the_question_and_heard)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct session session = start_session(world, 3);
    struct audio audio = mp3_with(world, "heronsong");
    will_speak(world, audio);

    const struct reply *turn = answer_aloud(world, &session, "And \"then\" \u2014 what?");

    expect_warning(turn, NULL);
    expect_text(turn, "data.tts_audio_url",
                words(world, "/tts/%s", text_at(turn, "request_id")));
    expect_speech(fetch(world, &session, "GET", speech_path(turn), NULL), audio);
    expect_spoken_by_deepgram(upstream_call_as(world->upstream, ROLE_SPEAKING, 0),
                              "And \"then\" \u2014 what?");
    world_end(world);
}

Test(speaking, a_spoken_turn_is_heard_and_answered_aloud)
{
    struct world *world = world_with_groq("STT_PROVIDER=auto", "TTS_PROVIDER=auto");
    struct session session = start_session(world, 3);
    struct form form = recording_of(world, "moov_last.m4a");
    struct audio audio = mp3_with(world, "heronsong");
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, audio);

    const struct reply *turn = say(world, &session, form);

    expect_text(turn, "data.transcript", ANSWER);
    expect_heard_by_deepgram(upstream_call_as(world->upstream, ROLE_HEARING, 0), &form);
    expect_speech(fetch(world, &session, "GET", speech_path(turn), NULL), audio);
    cr_assert(number_at(turn, "data.timings.tts_ms") > 0);
    world_end(world);
}

Test(speaking, every_call_of_a_turn_carries_its_request_id)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram", WITH_DEEPGRAM);
    struct session session = start_session(world, 3);
    const char *id = "6F9619FF-8B86-4011-B42D-00C04FC964FF";
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, mp3_with(world, "heronsong"));

    const struct reply *turn = say_with(world, &session, recording_of(world, "opus.webm"),
                                        words(world, "X-Request-ID: %s\r\n", id));

    expect_success(turn);
    for (size_t i = 0; i < 3; i++)
        expect_request_header(upstream_call(world->upstream, i), "X-Request-ID", id);
    cr_assert(fetch(world, &session, "GET", speech_path(turn), NULL)->status == 200);
    world_end(world);
}

Test(speaking, the_closing_statement_is_spoken_too)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct session session = start_session(world, 1);
    struct audio audio = mp3_with(world, "heronsong");
    will_speak(world, audio);
    upstream_will_give_summary(world->upstream);

    const struct reply *turn = answer_aloud(world, &session, "Thank you, and goodbye.");

    expect_flag(turn, "data.is_complete", true);
    expect_speech(fetch(world, &session, "GET", speech_path(turn), NULL), audio);
    expect_spoken_by_deepgram(upstream_call_as(world->upstream, ROLE_SPEAKING, 0),
                              "Thank you, and goodbye.");
    world_end(world);
}

Test(speaking, openais_voice_is_asked_as_documented)
{
    struct world *voice = world_with_groq();
    struct world *world =
        world_with_groq(words(voice, "TTS_BASE_URL=http://127.0.0.1:%d/v1",
                              upstream_port(voice->upstream)),
                        "TTS_PROVIDER=openai", "TTS_API_KEY=sk-voice", "TTS_VOICE=coral");
    struct session session = start_session(world, 3);
    struct audio audio = mp3_with(world, "heronsong");
    will_speak(voice, audio);

    const struct reply *turn = answer_aloud(world, &session, "And then?");

    cr_assert_str_eq(expect_spoken_by_openai(upstream_call(voice->upstream, 0),
                                             "gpt-4o-mini-tts", "coral", "mp3",
                                             "sk-voice"),
                     "And then?");
    expect_speech(fetch(world, &session, "GET", speech_path(turn), NULL), audio);
    world_end(world);
    world_end(voice);
}

/* ---- Orpheus takes 200 characters a call ---- */

#define LONG_QUESTION                                                                   \
    "Thank you for telling me about the migration. It is good to hear that errors "     \
    "fell by half, and that the team could rest at night. Now think of a time when a "  \
    "project of yours did not go as planned, even though everyone had worked hard for " \
    "it. What was the first sign of trouble, who told you of it, and what did you do "  \
    "in the first hour after you knew? Please be as concrete as you can be."
#define MOST_PIECES 8

struct spoken_piece {
    const char *text;
    struct audio audio;
};

static int by_place(const void *one, const void *other)
{
    const struct spoken_piece *pieces[] = {one, other};
    const char *places[2];

    for (int i = 0; i < 2; i++) {
        places[i] = strstr(LONG_QUESTION, pieces[i]->text);
        cr_assert_not_null(places[i], "not of the question: %s", pieces[i]->text);
    }
    return (places[0] > places[1]) - (places[0] < places[1]);
}

/* The calls that came, in the order of the text; the n'th got the n'th audio. */
static size_t pieces_in_order(struct world *world, const struct audio *audio,
                              struct spoken_piece *ret_pieces)
{
    size_t count = upstream_call_count_as(world->upstream, ROLE_SPEAKING);

    for (size_t i = 0; i < count; i++) {
        ret_pieces[i].text = expect_spoken_by_openai(
            upstream_call_as(world->upstream, ROLE_SPEAKING, i),
            "canopylabs/orpheus-v1-english", "hannah", "wav", GROQ_KEY);
        ret_pieces[i].audio = audio[i];
        cr_assert(strlen(ret_pieces[i].text) <= 200, "%s", ret_pieces[i].text);
    }
    qsort(ret_pieces, count, sizeof *ret_pieces, by_place);
    return count;
}

Test(speaking, orpheus_gets_sentences_and_they_are_joined_in_order)
{
    enum { PIECES = 3, SAMPLE_BYTES = 1000, HEAD = 44 };
    struct world *world = world_with_groq(WITH_ORPHEUS);
    struct session session = start_session(world, 3);
    struct spoken_piece pieces[MOST_PIECES];
    struct audio audio[PIECES];
    struct bytes text = {0};
    for (int i = 0; i < PIECES; i++) {
        audio[i] = wav_with(world, words(world, "heronsong %d", i), SAMPLE_BYTES);
        will_speak(world, audio[i]);
    }

    const struct reply *turn = answer_aloud(world, &session, LONG_QUESTION);
    const struct reply *reply = fetch(world, &session, "GET", speech_path(turn), NULL);

    cr_assert(pieces_in_order(world, audio, pieces) == PIECES);
    expect_header(reply, "Content-Type", "audio/wav");
    cr_assert(reply->body.size == HEAD + PIECES * SAMPLE_BYTES, "%zu", reply->body.size);
    for (size_t i = 0; i < PIECES; i++) {
        bytes_addf(&text, "%s%s", i ? " " : "", pieces[i].text);
        cr_assert(memcmp(reply->body.data + HEAD + i * SAMPLE_BYTES,
                         pieces[i].audio.bytes + HEAD, SAMPLE_BYTES) == 0);
    }
    cr_assert_str_eq(text.data, LONG_QUESTION);
    bytes_free(&text);
    world_end(world);
}

Test(speaking, one_piece_that_fails_leaves_no_half_a_question)
{
    struct world *world = world_with_groq(WITH_ORPHEUS);
    struct session session = start_session(world, 3);
    upstream_will_speak(world->upstream, (struct saying){.status = 500});
    always_speaks(world, wav_with(world, "heronsong", 1000));

    const struct reply *turn = answer_aloud(world, &session, LONG_QUESTION);

    expect_null(turn, "data.tts_audio_url");
    expect_warning(turn, "tts_provider_error");
    world_end(world);
}

/* ---- espeak-ng ---- */

#define WITH_ESPEAK "TTS_PROVIDER=espeak", "PATH=/usr/bin:/bin"

/* What sox measures in a recording (sox(1), stat): the number behind this label. */
static double measured(struct world *world, const char *path, const char *label)
{
    FILE *sox = popen(words(world, "/usr/bin/sox -t wav %s -n stat 2>&1", path), "r");
    char line[256];
    double number = -1;

    cr_assert_not_null(sox);
    while (fgets(line, sizeof line, sox)) {
        if (strncmp(line, label, strlen(label)) == 0)
            number = strtod(strchr(line, ':') + 1, NULL);
    }
    cr_assert(pclose(sox) == 0, "sox cannot read what was spoken");
    return number;
}

Test(speaking, without_a_key_sox_reads_what_is_spoken_and_finds_sound_in_it)
{
    struct world *world = world_with_builtin_coach(WITH_ESPEAK);
    struct session session = start_session(world, 3);
    const struct reply *turn = answer(world, &session, ANSWER);
    const struct reply *wav = fetch(world, &session, "GET", speech_path(turn), NULL);
    const char *path = world_path(world, "question.wav");
    if (access("/usr/bin/sox", X_OK) != 0)
        cr_skip_test("sox is not installed");
    FILE *file = fopen(path, "wb");
    fwrite(wav->body.data, 1, wav->body.size, file);
    fclose(file);

    expect_header(wav, "Content-Type", "audio/wav");
    cr_assert(measured(world, path, "Length (seconds)") > 1.0);
    cr_assert(measured(world, path, "Maximum amplitude") > 0.1);
    cr_assert(measured(world, path, "RMS") > 0.01);
    world_end(world);
}

Test(speaking, a_whole_interview_can_be_heard_without_any_key)
{
    struct world *world = world_with_builtin_coach(WITH_ESPEAK);
    struct session session = start_session(world, 5);

    for (int i = 1; i <= 5; i++) {
        const struct reply *turn =
            answer(world, &session, words(world, "%s Number %d.", ANSWER, i));
        const struct reply *wav = fetch(world, &session, "GET", speech_path(turn), NULL);
        cr_assert(wav->status == 200 && wav->body.size > 10000);
    }
    world_end(world);
}

Test(speaking, twenty_turns_at_once_are_all_spoken_or_say_why_not)
{
    enum { MANY = 20 };
    struct world *world = world_with_builtin_coach(WITH_ESPEAK);
    struct connection *turns[MANY];
    struct session sessions[MANY];
    for (int i = 0; i < MANY; i++) {
        sessions[i] = start_session(world, 3);
        turns[i] = begin_answer(world, &sessions[i], ANSWER);
    }

    for (int i = 0; i < MANY; i++) {
        const struct reply *turn = finish(world, turns[i]);
        expect_success(turn);
        if (json_at(turn->json, "data.tts_audio_url"))
            expect_warning(turn, NULL);
        else
            cr_assert(length_at(turn, "data.warnings") == 1, "%s", turn->body.data);
    }
    world_end(world);
}

Test(speaking, a_voice_of_none_is_silent_without_a_warning)
{
    struct world *world = world_with_groq("TTS_PROVIDER=none");
    struct session session = start_session(world, 3);

    const struct reply *turn = answer_aloud(world, &session, "And then?");

    expect_null(turn, "data.tts_audio_url");
    expect_warning(turn, NULL);
    expect_number(turn, "data.timings.tts_ms", 0);
    world_end(world);
}

Test(speaking, a_refused_turn_is_not_spoken)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct session session = start_session(world, 3);
    upstream_will_refuse(world->upstream, "Let us talk about the job.");

    expect_model_refusal(answer(world, &session, ANSWER), "Let us talk about the job.");
    expect_filter_refusal(answer(world, &session, "fuck you"), "profanity_or_slur");

    cr_assert(upstream_call_count_as(world->upstream, ROLE_SPEAKING) == 0);
    world_end(world);
}
