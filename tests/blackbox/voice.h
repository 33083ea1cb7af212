/*
 * Recordings, and the ears and voices that the scripted provider lends: what Deepgram and
 * OpenAI-compatible APIs answer, and what their documentation says of a request.
 *
 *     struct world *world = world_with_groq("STT_PROVIDER=deepgram");
 *     deepgram_will_hear(world, (struct heard){.text = ANSWER});
 *     const struct reply *reply = say(world, &session, recording_of(world, "xing.mp3"));
 *
 * https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded
 * https://developers.deepgram.com/reference/text-to-speech/speak-request
 * https://platform.openai.com/docs/api-reference/audio
 * https://console.groq.com/docs/speech-to-text
 * https://console.groq.com/docs/text-to-speech
 */
#ifndef BLACKBOX_VOICE_H
#define BLACKBOX_VOICE_H

#include "play.h"

/* ---- recordings (voice.c) ---- */

/* A recording of tests/fuzz/corpus/audio as the form of a turn: with the type of its
 * container. */
struct form recording_of(struct world *world, const char *name);

/* The same with other bytes for each `which`, but of one container and duration. */
struct form new_recording(struct world *world, int which);

/* POST /turn with a recording. */
const struct reply *say(struct world *world, const struct session *session,
                        struct form form);
const struct reply *say_with(struct world *world, const struct session *session,
                             struct form form, const char *headers);
struct connection *begin_to_say(struct world *world, const struct session *session,
                                struct form form, const char *headers);

/* Audio as a provider speaks it, with these words among its bytes; kept by the world. */
struct audio {
    const char *bytes;
    size_t size;
    const char *type;
};
struct audio mp3_with(struct world *world, const char *mark);
struct audio wav_with(struct world *world, const char *mark, size_t sample_bytes);

/* A typed turn, answered by the scripted model with this question. */
const struct reply *answer_aloud(struct world *world, const struct session *session,
                                 const char *question);

/* Any request for what is said to be heard at this path; the reply is looked at for its
 * id only. */
const struct reply *fetch(struct world *world, const struct session *session,
                          const char *method, const char *path, const char *headers);
const char *speech_path(
    const struct reply *turn); /* data.tts_audio_url, which is there */
void expect_speech(const struct reply *reply, struct audio audio);

/* What the last `event: audio` of a stream has, decoded; nothing where there is none. */
struct audio streamed_audio(struct world *world, const struct bytes *stream);
void expect_streamed(struct world *world, const struct bytes *stream, struct audio audio);
void expect_no_speech(
    const struct reply *reply); /* 404, as if there had never been any */

/* ---- what is answered (voice_text.c) ---- */

/* Every word lasts 300 ms, the next follows after 100 ms, and the last one after
 * `pause_ms`, where that is not 0. */
struct heard {
    const char *text;
    double confidence; /* of Deepgram; 0: 0.98 */
    int pause_ms;
    double log_probability; /* of Whisper; 0: -0.1 */
    double no_speech;       /* of Whisper */
    bool is_bare;           /* without words, segments and duration */
};

char *deepgram_text(struct heard heard);
char *whisper_text(struct heard heard);
void deepgram_will_hear(struct world *world, struct heard heard);
void whisper_will_hear(struct world *world, struct heard heard);
void will_speak(struct world *world, struct audio audio);
void always_speaks(struct world *world, struct audio audio);

/* ---- what is asked (voice_request.c) ---- */

/* A recorded call against the documentation. */
void expect_heard_by_deepgram(const struct call *call, const struct form *form);
void expect_heard_by_whisper(const struct call *call, const struct form *form,
                             const char *model, const char *key);
void expect_spoken_by_deepgram(const struct call *call, const char *text);

/* The piece of the text that this call speaks, borrowed from it. */
const char *expect_spoken_by_openai(const struct call *call, const char *model,
                                    const char *voice, const char *format,
                                    const char *key);

void expect_in_request_line(const struct call *call, const char *text);
void expect_request_header(const struct call *call, const char *name,
                           const char *expected);

/* The value of a field of a recorded form, which is there once; NULL: not there. */
const char *form_field(const struct call *call, const char *name);

#endif
