/*
 * A passage: a chunk of the study material, small enough to be quoted and to be read by a model,
 * with where it stands.  The material is published: none of this is private text.
 */
#ifndef PASSAGE_H
#define PASSAGE_H

#include "json.h"

#include <stddef.h>
#include <stdint.h>

struct passage {
    char *
        id; /* owned, like every string here: "<file without its ending>#<number>", visible ASCII */
    char *chapter; /* the document's title */
    char *section; /* the headings above it, joined by " > "; may be "" */
    int64_t page;  /* -1: the material has no pages */
    char *text;    /* UTF-8 */
    int64_t order; /* its place in the corpus, from 0 */
    double score;  /* 0 to 1: how well it answers the question it was found for */
};

struct passages {
    struct passage *all; /* owned */
    size_t count;
};

/* Free and zero.  Zeroed is fine. */
void passage_done(struct passage *passage);
void passages_done(struct passages *passages);

/* The members passage_id, chapter, section and page of the object that is being written. */
void passage_write_place(struct json_writer *json, const struct passage *passage);

/* Sorts by score, those of one score by their order, and frees those behind the limit. */
void passages_keep_best(struct passages *passages, size_t limit);

#endif
