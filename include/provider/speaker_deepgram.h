/*
 * A speaker that asks Deepgram's Aura
 * (https://developers.deepgram.com/reference/text-to-speech/speak-request).
 */
#ifndef SPEAKER_DEEPGRAM_H
#define SPEAKER_DEEPGRAM_H

#include "speaker.h"

/* Everything is borrowed and must outlive the speaker. */
struct speaker *speaker_deepgram_new(const struct settings *settings, struct loop *loop,
                                     struct call_pool *pool, struct log *log,
                                     struct metrics *metrics);

#endif
