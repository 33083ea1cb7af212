/*
 * A transcriber that is asked over HTTP: everything but what one vendor's request and
 * reply look like.
 */
#ifndef TRANSCRIBER_HTTP_INTERNAL_H
#define TRANSCRIBER_HTTP_INTERNAL_H

#include "provider_http_internal.h"
#include "span.h"
#include "transcriber.h"

#include <json-c/json.h>
#include <stdbool.h>

#define TRANSCRIBER_TYPE_BYTES 128 /* of a Content-Type */

/* What is sent. */
struct transcriber_request {
    char content_type[TRANSCRIBER_TYPE_BYTES];
    struct private_text body; /* owned */
};

struct transcriber_http {
    struct transcriber transcriber; /* the first member: it is cast back */
    struct provider provider;

    /* Takes the recording of the ask over and makes of it what is sent. */
    void (*write)(const struct transcriber_http *http, struct transcriber_ask *ask,
                  struct transcriber_request *ret_request);

    /* What may be tried instead where the server answered 400 or 422; NULL: nothing ever.
     * Looks at the reply, takes the body that was sent over and makes another of it.
     * false: nothing, and the body stays. */
    bool (*rewrite)(const struct transcriber_http *http, struct span reply,
                    struct private_text *body);

    /* Reads a 2xx reply into a transcript that is empty but for its unknowns.
     * ERROR_STT_EMPTY_TRANSCRIPT where the vendor says that nobody spoke,
     * ERROR_STT_PROVIDER_ERROR where the reply is not understood. */
    enum error (*read)(struct json_object *reply, struct transcript *transcript);
};

/* One that still lacks its key and its functions write() and read().  `name` is static;
 * the URL is taken. */
struct transcriber_http *transcriber_http_new(const struct provider_tools *tools,
                                              const char *name, const char *model,
                                              char *url);

/* ---- vendors ---- */

struct transcriber *transcriber_deepgram_new(const struct provider_tools *tools,
                                             const struct provider_place *place);

/* Any OpenAI-compatible API.  `is_groq`: Groq's base URL, key and model stand in where the place
 * has none; else OpenAI's. */
struct transcriber *transcriber_openai_new(const struct provider_tools *tools,
                                           const struct provider_place *place,
                                           bool is_groq);

/* ---- for readers of replies ---- */

/* The text of a member, without the white space around it. */
struct private_text transcriber_read_text(struct json_object *object, const char *key);

/* A member's number; `missing` where it has no number.  Digits in a string count. */
double transcriber_read_number(struct json_object *object, const char *key,
                               double missing);

/* Seconds as milliseconds; below 0, and what no recording lasts, is cut off. */
int64_t transcriber_ms(double seconds);

/* The times of an array of words with "start" and "end" in seconds; nothing where it is
 * no such array. */
void transcriber_read_words(struct json_object *words, struct transcript *transcript);

#endif
