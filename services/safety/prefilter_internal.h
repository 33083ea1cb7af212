/*
 * All patterns of a surface at once: which of them may match a text, and where.
 *
 * A pattern is looked for by what it needs: itself, and up to two parts that each occur wherever it matches,
 * and each of these by its phrases (phrases_internal.h), in one walk over the text (Aho and Corasick, 1975).  A pattern may
 * be named where it does not match, never left out where it does; PCRE2 decides.
 */
#ifndef PREFILTER_INTERNAL_H
#define PREFILTER_INTERNAL_H

#include "phrases_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PREFILTER_MOST_PARTS = 2 };

struct prefilter_needs {
    const char *pattern;      /* borrowed for the call; NULL: it never is a candidate */
    const char *const *parts; /* likewise */
    size_t count;
    bool is_whole; /* the parts say of the pattern what there is to say */

    /* In bytes.  A match starts at most `lead` before the end of the first part, and not behind
     * it; 0: anywhere.  The second part ends at most `reach` behind the first. */
    size_t lead;
    size_t reach;
};

struct prefilter;

/* `others` are phrases that are looked for besides; they may be none. */
struct prefilter *prefilter_new(const struct prefilter_needs *needs, size_t count,
                                const struct phrases *others);
void prefilter_free(struct prefilter *prefilter);

/* How many patterns have no phrases, and so are taken to occur everywhere. */
size_t prefilter_unfiltered(const struct prefilter *prefilter);

/* What one scan saw.  Belongs to one thread and one prefilter. */
struct sightings;

struct sightings *sightings_new(const struct prefilter *prefilter);
void sightings_free(struct sightings *sightings);

/* Looks at a text; one without bytes that may not be plain is known to have nothing but the bytes of
 * prefilter_is_plain(). */
void prefilter_scan(const struct prefilter *prefilter, const char *text, size_t length,
                    bool is_plain, struct sightings *sightings);

/* ASCII letters, digits, spaces and the punctuation of prose. */
bool prefilter_is_plain(unsigned char byte);

/* Was one of the other phrases seen? */
bool prefilter_saw_others(const struct sightings *sightings);

/* The first pattern at or after the index `from` that may match; the number of patterns: none. */
size_t prefilter_candidate(const struct sightings *sightings, size_t from);

/* A stretch of the text in which a match may start. */
struct stretch {
    size_t start,
        end; /* offsets in bytes, both included; they may fall inside a character */
};

/* The next stretch for a pattern at or after the offset `from`; false: none. */
bool prefilter_next(const struct prefilter *prefilter, const struct sightings *sightings,
                    size_t pattern, size_t from, struct stretch *ret_stretch);

#endif
