/*
 * A scripted provider on a free port of 127.0.0.1 that writes its answer while the story
 * goes on: each piece of it comes after a time, after a call for speech, or after the story
 * says so.  It speaks as well.
 *
 * What it streams: https://console.groq.com/docs/api-reference (chat completions,
 * stream); what it speaks: https://developers.deepgram.com/reference/text-to-speech.
 */
#ifndef BLACKBOX_UPSTREAM_STREAM_H
#define BLACKBOX_UPSTREAM_STREAM_H

#include <stdbool.h>
#include <stddef.h>

enum moment {
    AT_ONCE,
    AFTER_MS,     /* .ms after the piece before it */
    AFTER_SPEECH, /* once a call for speech has come */
    AFTER_CUE     /* once streamer_cue() has been called */
};

/* One piece of a reply.  The last has none of the three: the reply ends. */
struct stream_piece {
    enum moment moment;
    int ms;
    const char *text;  /* a chunk of the model's text */
    const char *event; /* or the data of an event as it is */
    bool cuts;         /* or the end of the connection, in the middle */
};

/* "stop", and Groq's last words with it; then the end. */
#define STOPS                                                                         \
    {.event = "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]," \
              "\"x_groq\":{\"id\":\"req_1\",\"usage\":{\"prompt_tokens\":700,"        \
              "\"completion_tokens\":90}}}"},                                         \
        {.event = "[DONE]"},                                                          \
    {                                                                                 \
        0                                                                             \
    }

struct streamer;

struct streamer *streamer_open(void);
void streamer_close(struct streamer *streamer);

/* What every call for an answer gets from now on: borrowed, up to an empty piece. */
void streamer_will(struct streamer *streamer, const struct stream_piece *pieces);

/* How long each speech takes; 0 at first. */
void streamer_speaks_for(struct streamer *streamer, int ms);

/* Lets the pieces come that wait for it. */
void streamer_cue(struct streamer *streamer);

/* Base URLs for GROQ_BASE_URL and DEEPGRAM_BASE_URL. */
const char *streamer_coach_url(const struct streamer *streamer);
const char *streamer_speaker_url(const struct streamer *streamer);

size_t streamer_speech_calls(struct streamer *streamer);

/* Has the last call of the kind these bytes in its body? */
bool streamer_was_asked_for_an_answer_with(struct streamer *streamer, const char *part);
bool streamer_was_asked_to_speak(struct streamer *streamer, const char *part);

#endif
