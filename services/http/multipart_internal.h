/*
 * A strict parser of multipart/form-data (RFC 7578, RFC 2046 5.1) that takes a body in
 * pieces of any size, holds no more of it than one line of a part's headers, and gives
 * each part's bytes on as they come.
 *
 * Taken: parameters of the media type in any order and case, a boundary in quotes or not,
 * part headers in any case, a preamble and an epilogue, white space behind a boundary.
 * Not taken: lines that end in LF alone, a part without a name, folded part headers,
 * transfer encodings that would have to be decoded, more or longer headers and more parts
 * than the bounds below, and a body that ends before its closing boundary.
 */
#ifndef MULTIPART_INTERNAL_H
#define MULTIPART_INTERNAL_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>

#define MULTIPART_MAX_BOUNDARY   70 /* RFC 2046 5.1.1 */
#define MULTIPART_MAX_PARTS      16
#define MULTIPART_MAX_HEADERS    8    /* of one part */
#define MULTIPART_MAX_LINE_BYTES 1024 /* of one header line */
#define MULTIPART_MAX_NAME_BYTES 64
#define MULTIPART_MAX_TYPE_BYTES 128
#define MULTIPART_MAX_FILE_NAME  512

/* What the headers of a part say.  Strings are NUL-terminated and hold no NUL. */
struct multipart_part {
    char name[MULTIPART_MAX_NAME_BYTES + 1];
    bool has_file_name;
    char file_name[MULTIPART_MAX_FILE_NAME + 1];
    char content_type[MULTIPART_MAX_TYPE_BYTES + 1]; /* "": there was none */
};

/* Called in order: begin, bytes any number of times, end, then the next part.  `end` is
 * called when the boundary behind the part was seen, so never for one that is cut short.
 */
struct multipart_events {
    void (*begin)(void *context, const struct multipart_part *part);
    void (*bytes)(void *context, struct span bytes);
    void (*end)(void *context);
};

enum multipart_problem {
    MULTIPART_GOOD,
    MULTIPART_BAD_BOUNDARY, /* a boundary is followed by what does not belong there */
    MULTIPART_BAD_HEADER,   /* a part's headers break a rule or a bound above */
    MULTIPART_TOO_MANY_PARTS,
    MULTIPART_TRUNCATED /* the body ended early; from multipart_finish() only */
};

enum multipart_step {
    MULTIPART_PREAMBLE,
    MULTIPART_BODY,     /* in a part */
    MULTIPART_BOUNDARY, /* behind a boundary: "--", or white space and a line's end */
    MULTIPART_BOUNDARY_DASH,
    MULTIPART_BOUNDARY_SPACE,
    MULTIPART_BOUNDARY_CR,
    MULTIPART_HEADER, /* in a header line */
    MULTIPART_HEADER_CR,
    MULTIPART_EPILOGUE
};

struct multipart {
    const struct multipart_events *events; /* borrowed */
    void *context;
    enum multipart_problem problem;
    enum multipart_step step;
    char delimiter[MULTIPART_MAX_BOUNDARY + 4]; /* CR LF - - boundary */
    size_t delimiter_length;
    size_t matched; /* bytes of the delimiter that were seen, and not given on */
    size_t lent;    /* how many of them are no bytes of the part: the CR LF before it */
    char line[MULTIPART_MAX_LINE_BYTES];
    size_t line_length;
    unsigned header_count; /* of this part */
    bool has_disposition;
    bool has_part_type;
    unsigned part_count;
    struct multipart_part part;
};

/* Finds the boundary in a Content-Type header.  false: this is no multipart/form-data, or
 * its boundary is missing, doubled, empty, too long or made of other characters than RFC
 * 2046 allows. */
bool multipart_boundary(struct span content_type, struct span *ret_boundary);

/* `boundary` has 1 to MULTIPART_MAX_BOUNDARY bytes and is copied; the events are
 * borrowed. */
void multipart_init(struct multipart *multipart, struct span boundary,
                    const struct multipart_events *events, void *context);

/* Takes the next piece.  After a problem everything is ignored. */
enum multipart_problem multipart_take(struct multipart *multipart, struct span bytes);

/* The body is over.  MULTIPART_GOOD: the closing boundary was there. */
enum multipart_problem multipart_finish(const struct multipart *multipart);

#endif
