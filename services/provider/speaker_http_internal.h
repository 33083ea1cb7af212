/*
 * A speaker that is asked over HTTP: everything but what one vendor's request looks like.
 */
#ifndef SPEAKER_HTTP_INTERNAL_H
#define SPEAKER_HTTP_INTERNAL_H

#include "json.h"
#include "provider_http_internal.h"
#include "speaker.h"

#include <stddef.h>

struct speaker_http {
    struct speaker speaker; /* the first member: it is cast back */
    struct provider provider;
    const char *voice; /* borrowed from the settings, or static; NULL: the model is it */
    size_t max_characters; /* of one call */

    /* Writes the members of the request's JSON object for one piece of the text. */
    void (*write)(const struct speaker_http *http, struct json_writer *writer,
                  struct span piece);
};

/* One that still lacks its key, its voice, its limit and its function write().  `name` is
 * static; the URL is taken. */
struct speaker_http *speaker_http_new(const struct provider_tools *tools,
                                      const char *name, const char *model, char *url);

/* ---- vendors ---- */

struct speaker *speaker_deepgram_new(const struct provider_tools *tools);

/* Any OpenAI-compatible API.  `is_groq`: Groq's base URL, key, model and voice stand in where the
 * settings have none of their own for speech; else OpenAI's. */
struct speaker *speaker_openai_new(const struct provider_tools *tools, bool is_groq);

#endif
