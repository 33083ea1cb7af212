/*
 * What is said to Qdrant and what it says, as JSON (https://api.qdrant.tech/api-reference).
 *
 * A point is a passage: its id is made from the passage's, its payload holds the passage and a digest
 * of what was embedded, so that what has not changed is not embedded again.
 */
#ifndef QDRANT_BODIES_INTERNAL_H
#define QDRANT_BODIES_INTERNAL_H

#include "embedder.h"
#include "id.h"
#include "passage.h"
#include "private_text.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#define QDRANT_DIGEST_BYTES 33

struct qdrant_point {
    struct id id;
    char digest[QDRANT_DIGEST_BYTES]; /* hexadecimal */
    struct passage *passage;          /* borrowed */
    bool is_known;                    /* the server has it as it is */
};

/* `model` is what turns it into a vector. */
struct qdrant_point qdrant_point_of(struct passage *passage, const char *model);

/* The text that is embedded: title, headings, passage. */
void qdrant_append_text(const struct passage *passage, struct buffer *out);

struct private_text qdrant_collection_body(size_t dimensions);
struct private_text qdrant_retrieve_body(const struct qdrant_point *points, size_t count);

/* The points that are not known; their vectors stand in the same order. */
struct private_text qdrant_upsert_body(const struct qdrant_point *points, size_t count,
                                       const struct embeddings *embeddings);
struct private_text qdrant_query_body(const float *vector, size_t dimensions,
                                      size_t limit);

/* `offset`: JSON of the next page's first id; NULL: the first page. */
struct private_text qdrant_scroll_body(const char *offset, size_t limit);
struct private_text qdrant_delete_body(const struct id *ids, size_t count);

/* Marks the points that the server has as they are. */
void qdrant_read_known(struct json_object *result, struct qdrant_point *points,
                       size_t count);

/* Size of the collection's vectors; 0: it has no single unnamed cosine vector. */
size_t qdrant_read_dimensions(struct json_object *result);

/* Found passages with their cosines; their orders follow from their ids.  false: the reply is
 * none. */
bool qdrant_read_found(struct json_object *result, struct passages *ret_passages);

#endif
