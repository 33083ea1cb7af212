/*
 * What every fuzz target needs: the function that is called with each input, what must hold,
 * and inputs of several parts.
 *
 * A target holds the code to a property, not only to "does not crash".  Inputs are text as far
 * as what they stand for is, so that a corpus can be read and written by hand.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's, or replay.c's: always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Never inlined, so that the line which failed is in the backtrace. */
__attribute__((noinline, unused)) static void must(bool holds)
{
    if (!holds)
        abort();
}

static inline struct span fuzz_input(const uint8_t *bytes, size_t length)
{
    return (struct span){(const char *)bytes, length};
}

/* The first byte of an input as a number that chooses something; 0 where there is none. */
static inline unsigned fuzz_choice(struct span *input)
{
    unsigned choice = 0;

    if (input->length > 0) {
        choice = (unsigned char)*input->bytes++;
        input->length--;
    }
    return choice;
}

/* What stands before the next `separator`, or everything; the input moves past it.  false:
 * nothing was left. */
static inline bool fuzz_next(struct span *input, const char *separator,
                             struct span *ret_part)
{
    size_t length = strlen(separator);
    const char *end;

    if (input->bytes == NULL)
        return false;
    end =
        input->length > 0 ? memmem(input->bytes, input->length, separator, length) : NULL;
    if (end == NULL) {
        *ret_part = *input;
        *input = (struct span){NULL, 0};
        return true;
    }
    *ret_part = (struct span){input->bytes, (size_t)(end - input->bytes)};
    input->length -= ret_part->length + length;
    input->bytes = end + length;
    return true;
}

/* The parts of an input stand between such lines. */
#define FUZZ_LINE "\n----\n"

/* The next piece of at most `step` bytes; false: nothing was left. */
static inline bool fuzz_piece(struct span *input, size_t step, struct span *ret_piece)
{
    if (input->length == 0)
        return false;
    *ret_piece = (struct span){input->bytes, step < input->length ? step : input->length};
    input->bytes += ret_piece->length;
    input->length -= ret_piece->length;
    return true;
}

static inline bool fuzz_same(struct span one, struct span other)
{
    return one.length == other.length &&
           (one.length == 0 || memcmp(one.bytes, other.bytes, one.length) == 0);
}

#endif
