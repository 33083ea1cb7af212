/*
 * What the files that read containers share: numbers out of bytes, and one function for
 * each kind of container.
 */
#ifndef AUDIO_INTERNAL_H
#define AUDIO_INTERNAL_H

#include "span.h"

#include <stdint.h>

/* The number in `width` (up to 8) bytes at `offset`, big or little end first.  A byte
 * past the end counts as 0: nothing here reads outside of the span. */
uint64_t audio_big(struct span bytes, size_t offset, size_t width);
uint64_t audio_little(struct span bytes, size_t offset, size_t width);

bool audio_has(struct span bytes, size_t offset, const char *magic, size_t length);

/* What is left behind `offset`; empty where that is past the end. */
struct span audio_from(struct span bytes, uint64_t offset);

/* `units` of 1/`per_second` s in milliseconds.  -1 for no units or no rate; a number that
 * no recording lasts is cut off at a year. */
int64_t audio_ms(uint64_t units, uint64_t per_second);

/* The length of an ID3v2 tag at the beginning (id3.org, ID3v2.4.0, section 3.1); 0: none.
 */
size_t audio_id3_bytes(struct span bytes);

/* Durations in milliseconds; -1: not said. */
int64_t audio_mp4_ms(struct span recording);
int64_t audio_matroska_ms(struct span recording);
int64_t audio_ogg_ms(struct span recording);
int64_t audio_flac_ms(struct span recording);
int64_t audio_mp3_ms(struct span recording);
int64_t audio_aac_ms(struct span recording);

#endif
