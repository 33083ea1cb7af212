/*
 * A speaker that is asked over HTTP: everything but what one vendor's request looks like.
 */
#ifndef SPEAKER_HTTP_INTERNAL_H
#define SPEAKER_HTTP_INTERNAL_H

#include "json.h"
#include "loop.h"
#include "provider_http_internal.h"
#include "speaker.h"

#include <stddef.h>

struct speaker_http {
    struct speaker speaker;          /* the first member: it is cast back */
    const struct settings *settings; /* borrowed */
    struct loop *loop;               /* borrowed */
    struct provider provider;
    const char *voice; /* borrowed from the settings, or static; NULL: the model is it */
    size_t max_characters; /* of one call */

    /* Writes the members of the request's JSON object for one piece of the text. */
    void (*write)(const struct speaker_http *http, struct json_writer *writer,
                  struct span piece);
};

/* One that still lacks its key, its voice, its limit and its function write().  `name` is
 * static; the URL is taken; all else is borrowed. */
struct speaker_http *speaker_http_new(const char *name, const char *model, char *url,
                                      const struct settings *settings, struct loop *loop,
                                      struct call_pool *pool, struct log *log,
                                      struct metrics *metrics);

#endif
