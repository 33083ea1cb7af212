/*
 * A transcriber that asks an OpenAI-compatible API
 * (https://platform.openai.com/docs/api-reference/audio/createTranscription,
 * https://console.groq.com/docs/speech-to-text).
 */
#ifndef TRANSCRIBER_OPENAI_H
#define TRANSCRIBER_OPENAI_H

#include "transcriber.h"

/* `is_groq`: Groq's base URL, key and model stand in where the settings have none of
 * their own for speech; else OpenAI's.  Everything is borrowed and must outlive the
 * transcriber. */
struct transcriber *transcriber_openai_new(const struct settings *settings, bool is_groq,
                                           struct call_pool *pool, struct log *log,
                                           struct metrics *metrics);

#endif
