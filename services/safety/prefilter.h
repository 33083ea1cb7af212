/*
 * All patterns of a surface at once (Vectorscan): which of them may match a text, and
 * where.
 *
 * A pattern is looked for by what it needs: one or two parts that each occur wherever it
 * matches. It may be named where it does not match, never left out where it does; PCRE2
 * decides.
 */
#ifndef PREFILTER_H
#define PREFILTER_H

#include <hs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PREFILTER_MOST_PARTS = 2 };

struct prefilter_needs {
    const char *const *parts; /* borrowed for the call */
    size_t count;             /* 0: the pattern never is a candidate */

    /* In bytes.  A match starts at most `lead` before the end of the first part, and not behind
     * it; 0: anywhere.  The second part ends at most `reach` behind the first. */
    size_t lead;
    size_t reach;
};

struct prefilter;

/* Parts are compiled as far as Vectorscan takes them; the others are taken to occur
 * everywhere.  Without `has_properties` the texts must have small letters only. */
struct prefilter *prefilter_new(const struct prefilter_needs *needs, size_t count,
                                bool has_properties);
void prefilter_free(struct prefilter *prefilter);

/* How many parts are taken to occur everywhere. */
size_t prefilter_unfiltered(const struct prefilter *prefilter);

/* For the build: the database as bytes, for free(), and its key of 16 bytes (prebuilt.h). */
bool prefilter_serialise(const struct prefilter *prefilter, unsigned char *key,
                         char **ret_bytes, size_t *ret_length);

/* Makes `*scratch` large enough for this prefilter too; NULL at first, hs_free_scratch()
 * at last. */
void prefilter_fit_scratch(const struct prefilter *prefilter, hs_scratch_t **scratch);

/* What one scan saw.  Belongs to one thread and one prefilter. */
struct sightings;

struct sightings *sightings_new(const struct prefilter *prefilter);
void sightings_free(struct sightings *sightings);

/* Looks at a text; false where the scan failed and nothing is known.  NULL sees nothing.
 */
bool prefilter_scan(const struct prefilter *prefilter, hs_scratch_t *scratch,
                    const char *text, size_t length, struct sightings *sightings);

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
