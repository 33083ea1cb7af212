/*
 * Filler words of an answer: the ums, and words like "like" where they are nothing but a
 * pause.  Counted by the rules of patterns/fillers.json, in context: "I like tests" has
 * none.  A few words everybody says now and then ("so", "actually") count only from the
 * second or third on.
 */
#ifndef FILLERS_H
#define FILLERS_H

#include "span.h"

#include <stddef.h>

#define FILLERS_MAX       64 /* different words */
#define FILLER_PLACES_MAX 64

struct filler_tally {
    const char *word; /* static, lower case */
    size_t count;
};

/* Where one stands: behind so many words, as white space divides them. */
struct filler_place {
    size_t words_before;
    const char *word; /* static, as above */
};

struct fillers {
    size_t count;
    size_t heavy; /* of these, hesitations and "like": what listeners mind most */
    struct filler_tally top[FILLERS_MAX]; /* the most frequent first; count 0: no more */
    struct filler_place places[FILLER_PLACES_MAX]; /* the first ones, in order */
    size_t place_count;
};

struct filler_counter;

/* Read-only once made. */
struct filler_counter *filler_counter_new(void);

/* NULL is fine. */
void filler_counter_free(struct filler_counter *counter);

/* Of a text in valid UTF-8. */
void filler_counter_count(const struct filler_counter *counter, struct span text,
                          struct fillers *ret_fillers);

#endif
