/*
 * A transcriber that asks Deepgram for pre-recorded audio
 * (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded).
 */
#ifndef TRANSCRIBER_DEEPGRAM_H
#define TRANSCRIBER_DEEPGRAM_H

#include "transcriber.h"

/* Everything is borrowed and must outlive the transcriber. */
struct transcriber *transcriber_deepgram_new(const struct settings *settings,
                                             struct call_pool *pool, struct log *log,
                                             struct metrics *metrics);

#endif
