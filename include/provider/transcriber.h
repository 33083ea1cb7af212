/*
 * The transcriber: what turns a recording into text.  Two vendors: Deepgram and any
 * OpenAI-compatible API, which is Groq's Whisper, OpenAI, or a whisper server of one's own.
 *
 * No vendor is told to leave out hesitations or to mask words: the rubric scores fillers,
 * and the safety filter must see what was said.
 */
#ifndef TRANSCRIBER_H
#define TRANSCRIBER_H

#include "audio.h"
#include "buffer.h"
#include "provider.h"

/* When a word was spoken, from the beginning of the recording. */
struct spoken_word {
    int64_t start_ms;
    int64_t end_ms; /* not before start_ms */
};

/* What was heard; the receiver frees it: transcript_free(). */
struct transcript {
    struct private_text text;
    double confidence;         /* 0 to 1; -1: not said */
    struct spoken_word *words; /* owned, in order; NULL: not said */
    size_t word_count;
    int64_t duration_ms;   /* of the recording; -1: not said */
    int64_t retry_after_s; /* with an error: when to come back; -1: nobody knows */
};

struct transcriber_ask {
    struct buffer recording; /* owned; taken by start(), and wiped when it was sent.  Room
                                for TRANSCRIBER_ROOM_BYTES more spares a copy */
    enum audio_container container; /* of the recording; not AUDIO_UNKNOWN */
    struct id request_id;
    struct trace trace; /* id "": none */
    int64_t timeout_ms; /* over 0; STT_TIMEOUT_SECONDS holds as well */
};

/* What a vendor may add to the bytes of a recording: reserve it beside them, and let the
 * buffer's ceiling allow for it. */
#define TRANSCRIBER_ROOM_BYTES 4096

struct transcriber_call;

/* Called exactly once, from the loop, never before start() has returned, never after
 * cancel().  `error` is OK or one of the stt errors; there is text, and it is not blank,
 * only with OK.  Where the vendor marks the whole recording as no speech, that is
 * ERROR_STT_EMPTY_TRANSCRIPT, whatever text came with it. */
typedef void transcriber_done_fn(void *context, enum error error,
                                 struct transcript transcript);

struct transcriber {
    const char *name; /* "deepgram", "groq" or "openai" */
    const char *url;  /* borrowed: where it is asked */
    struct transcriber_call *(*start)(struct transcriber *transcriber,
                                      struct transcriber_ask *ask,
                                      transcriber_done_fn *done, void *context);
    void (*cancel)(struct transcriber_call *call); /* NULL is fine */
    void (*free)(struct transcriber *transcriber); /* no call may be under way */

    /* For `poise doctor`: can the vendor be reached, does it take the key, has it the
     * model?  Costs nothing there.  OK, or one of the stt errors. */
    void (*probe)(struct transcriber *transcriber, probe_done_fn *done, void *context);
};

/* Which vendor the settings come to: never STT_PROVIDER_AUTO. */
enum stt_provider transcriber_choice(const struct settings *settings);

/* A transcriber of that vendor, as the place says; NULL for STT_PROVIDER_NONE. */
struct transcriber *transcriber_new(const struct provider_tools *tools,
                                    enum stt_provider vendor,
                                    const struct provider_place *place);

/* Frees a transcriber by its own function.  NULL is fine. */
void transcriber_free(struct transcriber *transcriber);

/* Wipes and frees what is in it, which is empty afterwards.  NULL is fine. */
void transcript_free(struct transcript *transcript);

#endif
