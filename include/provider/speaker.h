/*
 * The speaker: what turns the coach's text into audio.  Three vendors: Deepgram, any
 * OpenAI-compatible API, and espeak-ng on this machine, which needs no key and no network.
 */
#ifndef SPEAKER_H
#define SPEAKER_H

#include "provider.h"

#include <stdint.h>

/* One whole file of audio.  The receiver frees the bytes; they are private
 * because they say the coach's words. */
struct speech {
    struct private_text audio;
    const char *content_type; /* static: "audio/mpeg" or "audio/wav"; NULL: no audio */
    /* With ERROR_TTS_RATE_LIMIT: when to come back; -1: not said. */
    int64_t retry_after_s;
};

struct speaker_ask {
    struct private_text text; /* owned; taken by start() */
    struct id request_id;
    struct trace trace; /* id "": none */
    int64_t timeout_ms; /* over 0; TTS_TIMEOUT_SECONDS holds as well */
};

struct speaker_call;

/* Called exactly once, from the loop, never before start() has returned, never after
 * cancel().  `error` is OK or one of the tts errors; there is audio only with OK.  Text
 * that is blank or too long to speak is ERROR_TTS_BAD_REQUEST. */
typedef void speaker_done_fn(void *context, enum error error, struct speech speech);

struct speaker {
    const char *name; /* "deepgram", "groq", "openai" or "espeak" */
    const char *url;  /* borrowed: where it is asked; NULL: nowhere but here */
    struct speaker_call *(*start)(struct speaker *speaker, struct speaker_ask *ask,
                                  speaker_done_fn *done, void *context);
    void (*cancel)(struct speaker_call *call); /* NULL is fine */
    void (*free)(struct speaker *speaker);     /* no call may be under way */

    /* For `poise doctor`: can the vendor be reached, does it take the key, has it the
     * model; or is the program there?  Costs nothing there.  OK, or one of the tts
     * errors. */
    void (*probe)(struct speaker *speaker, probe_done_fn *done, void *context);
};

/* Which vendor the settings come to: never TTS_PROVIDER_AUTO.  Looks for espeak-ng on
 * this machine where that decides. */
enum tts_provider speaker_choice(const struct settings *settings);

/* That vendor's speaker; NULL for TTS_PROVIDER_NONE. */
struct speaker *speaker_new(const struct provider_tools *tools);

/* Frees a speaker by its own function.  NULL is fine. */
void speaker_free(struct speaker *speaker);

#endif
