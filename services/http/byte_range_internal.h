/*
 * A part of something that a client asks for: `Range: bytes=0-499` (RFC 9110 14).
 */
#ifndef BYTE_RANGE_INTERNAL_H
#define BYTE_RANGE_INTERNAL_H

#include "span.h"

#include <stdint.h>

enum byte_range_kind {
    BYTE_RANGE_WHOLE,        /* nothing usable is asked for: send all of it (200) */
    BYTE_RANGE_PART,         /* 206 */
    BYTE_RANGE_UNSATISFIABLE /* it begins behind the end, or is empty (416) */
};

struct byte_range {
    enum byte_range_kind kind;
    int64_t first; /* with BYTE_RANGE_PART: the first byte, and the last one */
    int64_t last;
};

/* What `range`, the value of the header, means for `length` bytes.  One range is taken:
 * "bytes=a-b", "bytes=a-" or "bytes=-n".  Several of them, other units and what is
 * malformed are ignored, as RFC 9110 14.2 allows. */
struct byte_range byte_range_of(struct span range, int64_t length);

/* Does If-Range let Range hold?  Where it is there it must be the strong entity tag
 * `tag`, quotes and all; a date or a weak tag never is (RFC 9110 13.1.5). */
bool byte_range_holds(struct span if_range, const char *tag);

#endif
