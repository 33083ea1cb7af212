/*
 * What transcriber_openai.c (what is asked) and transcriber_openai_reply.c (what is
 * answered) share.
 */
#ifndef TRANSCRIBER_OPENAI_INTERNAL_H
#define TRANSCRIBER_OPENAI_INTERNAL_H

#include "transcriber_http_internal.h"

/* Reads `json` and `verbose_json` alike: struct transcriber_http.read. */
enum error transcriber_openai_read(struct json_object *reply,
                                   struct transcript *transcript);

#endif
