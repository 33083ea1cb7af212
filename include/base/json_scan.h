/*
 * A scanner for JSON that arrives in pieces, or of which little is needed: it says where each
 * token begins and ends, looks at each byte once however small the pieces are, and builds
 * nothing.  What json-c builds of the same text means the same; what is no JSON by RFC 8259 is
 * wrong here, also where json-c would take it (json.h), but for control characters in strings
 * and the words NaN and Infinity.  That all is UTF-8, and no NUL in it, is for others to see
 * to.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include "buffer.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_token {
    JSON_MORE,   /* the text ends here: behind a token, or in the middle of one */
    JSON_OPEN,   /* an object or an array begins */
    JSON_CLOSE,  /* and ends */
    JSON_KEY,    /* a member's name */
    JSON_STRING, /* a value that is a string */
    JSON_WORD,   /* a value that is a number, true, false or null */
    JSON_WRONG   /* no JSON, from here on and for good */
};

#define JSON_SCAN_DEPTH 32 /* more containers in each other are wrong */

struct json_scan {
    size_t at;         /* what of the text was looked at */
    size_t start, end; /* of the last token; of a string's what is between the quotes */
    uint32_t objects; /* which of the open containers are objects: a bit for each level */
    uint8_t depth;    /* containers that are open */
    uint8_t expects;  /* json_scan.c knows what */
    uint8_t escape;   /* what is still to come of an escape in a string */
    bool is_in_string;
};

/* Zeroed, or with nothing but `at` set, a scan begins. */

/* The next token.  `text` is all that has come so far, of which what was looked at before stays
 * as it was; it may have moved. */
enum json_token json_scan_next(struct json_scan *scan, struct span text);

/* As it is written: of a string or key without its quotes, and not unescaped. */
struct span json_scan_token(const struct json_scan *scan, struct span text);

/* Appends what a string means that is written so.  All or nothing; false: it is not valid
 * UTF-8, or there is no room. */
bool json_unescape(struct span written, struct buffer *out);

/* Which of these members (32 at most) the object that the text is has more than once: a bit for each.  Of
 * a text that is no object, or no JSON, as far as it is. */
uint32_t json_doubled_members(struct span text, const char *const names[], size_t count);

/* ---- what stands at chosen places ---- */

#define JSON_PLACES_DEEP 5 /* they are in so many containers at most */

/* A place in a text: the member of this name, or the elements ("*") or the first element ("0") of
 * an array, inside another place of the same table.  The first of a table is the whole text, and
 * the others stand in the order of what they are inside of, which comes before them. */
struct json_place {
    uint8_t inside; /* its index */
    const char *name;
};

/* A value stands at the place of this index: a string or word as it is written, or JSON_OPEN.
 * A member that is there twice is told twice, and the later one counts (json-c). */
typedef void json_pick_fn(void *context, size_t place, enum json_token kind,
                          struct span value);

struct json_pick {
    struct json_scan scan;
    const struct json_place *places; /* borrowed */
    json_pick_fn *tell;
    void *context; /* borrowed, for tell */
    uint8_t count;
    uint8_t coming;                   /* the place of the value that comes next */
    uint8_t inside[JSON_PLACES_DEEP]; /* the place of each open container */
    bool is_first[JSON_PLACES_DEEP];  /* of an array: nothing has come of it */
};

/* Begins at the offset `at` of the text. */
void json_pick_init(struct json_pick *pick, const struct json_place *places, size_t count,
                    size_t at, json_pick_fn *tell, void *context);

/* Goes on as far as `text` goes, which is as json_scan_next() says.  JSON_CLOSE: the object or
 * array is whole, and what stands behind it was not looked at; JSON_MORE; or JSON_WRONG, also
 * where it is neither object nor array. */
enum json_token json_pick_more(struct json_pick *pick, struct span text);

#endif
