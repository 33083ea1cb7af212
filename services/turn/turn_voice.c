/*
 * The two ends of a spoken turn: hearing the recording, and speaking the reply.
 */
#include "turn_internal.h"

#include "clock.h"
#include "json.h"
#include "private_reveal.h"

#define HEARD_BYTES (64 * 1024)

bool turn_hear(struct turn *turn, transcriber_done_fn *done)
{
    const struct transcribers *all = turn->services->transcribers;
    struct transcriber *transcriber = all->all[turn->ear_at];
    size_t ears_behind = all->count - turn->ear_at - 1;
    size_t behind = ears_behind > 0 ? ears_behind + 1 : 0; /* the coach comes as well */
    struct buffer kept = {0};
    struct transcriber_ask ask = {
        .container = turn->request.container,
        .request_id = turn->request.request_id,
        .trace = turn->request.trace,
        .timeout_ms = turn_time_share_ms(turn, behind,
                                         turn->services->settings->stt_timeout_s * 1000),
    };

    if (ask.timeout_ms <= 0)
        return false;
    if (++turn->ear_at < all->count) {
        buffer_init(&kept, turn->request.recording.ceiling);
        buffer_append(&kept, turn->request.recording.bytes,
                      turn->request.recording.length);
    }
    ask.recording = turn->request.recording;
    turn->request.recording = kept;
    turn->step_us = clock_monotonic_us();
    turn->hearing = transcriber->start(transcriber, &ask, done, turn);
    return true;
}

bool turn_may_hear_elsewhere(const struct turn *turn, enum error error)
{
    return fallback_helps(error) && turn->ear_at < turn->services->transcribers->count;
}

void turn_remember(struct turn *turn)
{
    const struct store_input *input = &turn->request.input;
    struct private_text heard;
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, HEARD_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_private(&writer, "transcript", &turn->request.transcript);
    json_put_decimal(&writer, "confidence", turn->spoken.confidence, 4);
    json_put_integer(&writer, "words_per_minute", turn->spoken.words_per_minute);
    json_put_integer(&writer, "longest_pause_ms", turn->spoken.longest_pause_ms);
    json_end_object(&writer);
    if (out.is_over) {
        buffer_done(&out); /* not kept: the retry is transcribed again */
        return;
    }
    heard = private_text_take(&out);
    store_remember_heard(turn->services->store, &turn->request.session_id, &input->audio,
                         &heard);
}

bool turn_recall(struct turn *turn, const struct private_text *heard)
{
    struct span text = private_reveal(heard);
    struct json_object *object = json_parse(text.bytes, text.length, 2);
    struct span transcript = json_member_string(object, "transcript");
    bool is_there = transcript.length > 0;

    if (is_there) {
        turn->request.transcript = private_text_copy(transcript.bytes, transcript.length);
        turn->spoken.confidence =
            json_object_get_double(json_member(object, "confidence"));
        turn->spoken.words_per_minute =
            json_object_get_int64(json_member(object, "words_per_minute"));
        turn->spoken.longest_pause_ms =
            json_object_get_int64(json_member(object, "longest_pause_ms"));
    }
    json_wipe_and_put(object);
    return is_there;
}

void turn_speak(struct turn *turn, speaker_done_fn *done)
{
    struct speaker *speaker = turn->services->speaker;
    struct speaker_ask ask = {
        .request_id = turn->request.request_id,
        .trace = turn->request.trace,
        .timeout_ms =
            turn_time_left_ms(turn, turn->services->settings->tts_timeout_s * 1000),
    };

    if (speaker == NULL)
        return;
    if (ask.timeout_ms <= 0) {
        turn_warn_of(turn, ERROR_TTS_TIMEOUT);
        return;
    }
    ask.text = private_text_clone(&turn->announced);
    turn->speaking_since_us = clock_monotonic_us();
    turn->speaking = speaker->start(speaker, &ask, done, turn);
}

void turn_hush(struct turn *turn)
{
    if (turn->speaking != NULL)
        turn->services->speaker->cancel(turn->speaking);
    turn->speaking = NULL;
    private_text_free(&turn->speech.audio);
}
