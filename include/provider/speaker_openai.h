/*
 * A speaker that asks an OpenAI-compatible API
 * (https://platform.openai.com/docs/api-reference/audio/createSpeech,
 * https://console.groq.com/docs/text-to-speech).
 */
#ifndef SPEAKER_OPENAI_H
#define SPEAKER_OPENAI_H

#include "speaker.h"

/* `is_groq`: Groq's base URL, key, model and voice stand in where the settings have none
 * of their own for speech; else OpenAI's.  Everything is borrowed and must outlive the
 * speaker. */
struct speaker *speaker_openai_new(const struct settings *settings, bool is_groq,
                                   struct loop *loop, struct call_pool *pool,
                                   struct log *log, struct metrics *metrics);

#endif
