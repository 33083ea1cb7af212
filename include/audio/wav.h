/*
 * WAV: RIFF with a "fmt " and a "data" chunk.  Read with patience, since programs that
 * write to a pipe cannot go back and fill in the sizes, and written with the right ones.
 */
#ifndef WAV_H
#define WAV_H

#include "buffer.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>

#define WAV_HEADER_BYTES 44

struct wav {
    unsigned format; /* 1: linear PCM */
    unsigned channels;
    unsigned sample_rate;
    unsigned byte_rate;
    unsigned block_align;
    unsigned bits_per_sample;
    struct span samples; /* borrowed from the bytes that were parsed */
};

/* A data chunk that is longer than what is there ends where the bytes end: so does
 * one whose size was never filled in.  false: no WAV, or one without samples or with a
 * format that contradicts itself. */
bool wav_parse(struct span bytes, struct wav *ret_wav);

/* Do both have samples of one kind, that can stand behind one header? */
bool wav_matches(const struct wav *one, const struct wav *other);

/* Appends the header of a WAV of linear PCM with so many bytes of samples, like `like`'s.
 * The samples follow.  false: no room, or over the 4 GiB of RIFF. */
bool wav_write_header(struct buffer *out, const struct wav *like, size_t sample_bytes);

#endif
