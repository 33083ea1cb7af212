/*
 * How an answer was delivered, measured and not judged by a model: words, fillers, pace,
 * pauses, and how sure the transcriber was.  `data.delivery`, facts for the coach, and
 * whether there is enough to score at all.
 */
#ifndef DELIVERY_INTERNAL_H
#define DELIVERY_INTERNAL_H

#include "fillers.h"
#include "json.h"
#include "private_text.h"
#include "transcriber.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An answer of fewer words than this, fillers not counted, is too short to judge: "Yes.",
 * "Um, me too." */
#define DELIVERY_MIN_WORDS 3

/* Below this the transcript may not be what was said.  Deepgram's confidence of clear
 * speech is over 0.9; Whisper itself takes a segment for failed at 0.37 (e to the -1). */
#define DELIVERY_MIN_CONFIDENCE 0.5

/* What only a transcriber can know; nothing of what was said.  Three numbers, so that
 * they can be kept with a transcript that is used again. */
struct spoken {
    double confidence;        /* 0 to 1; -1: not said */
    int64_t words_per_minute; /* from the first word's start to the last one's end; -1: no
                                 times */
    int64_t longest_pause_ms; /* between two words; -1: no times */
};

/* Of an answer that was typed. */
#define SPOKEN_UNKNOWN ((struct spoken){-1, -1, -1})

struct answer_delivery {
    size_t word_count; /* as a person counts: between white space; fillers too */
    struct fillers fillers;
    struct spoken spoken;
    bool is_too_short;      /* to be scored: the warning too_short */
    bool is_low_confidence; /* likewise: the warning low_confidence */
};

/* Words whose times make no sense count as if they were spoken without a pause. */
struct spoken delivery_spoken(const struct transcript *transcript);

/* The text is valid UTF-8. */
void delivery_measure(const struct filler_counter *counter,
                      const struct private_text *text, struct spoken spoken,
                      struct answer_delivery *ret_delivery);

/* { "word_count", "filler_count", "fillers": { "um": 2, ... }, "words_per_minute",
 *   "longest_pause_ms", "stt_confidence", "marks": [{ "filler": "um" | null, "start_ms", "end_ms" }, ...] };
 * the last four are null where not known.  Marks are fillers and, null, long pauses, in order: the words'
 * times are those of the transcript, where it has as many words as its text. */
void delivery_write(struct json_writer *writer, const struct answer_delivery *delivery,
                    const struct spoken_word *words, size_t word_count);

/* One plain sentence for a model, such as "Measured: 120 words, 5 fillers (um 3, like 2),
 * 140 words per minute, longest pause 2.1 s."  Nothing in it is the candidate's text. */
void delivery_describe(struct buffer *out, const struct answer_delivery *delivery);

#endif
