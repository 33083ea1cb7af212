/*
 * The embedder: what turns texts into vectors whose angle says how much they have in common.  One
 * vendor: any OpenAI-compatible API with /embeddings
 * (https://platform.openai.com/docs/api-reference/embeddings/create).
 */
#ifndef EMBEDDER_H
#define EMBEDDER_H

#include "provider.h"
#include "span.h"

#include <stddef.h>
#include <stdint.h>

/* Texts of one call at most. */
#define EMBEDDER_TEXTS_MOST 64

/* The receiver frees it: embeddings_done(). */
struct embeddings {
    float *values; /* owned: text by text */
    size_t count, dimensions;
    int64_t retry_after_s; /* with an error: when to come back; -1: nobody knows */
};

void embeddings_done(struct embeddings *embeddings); /* zeroed is fine */

/* Called exactly once, from the loop, never before embedder_start() has returned, never
 * after cancel.  `error` is OK, with a vector for each text, or one of the llm errors. */
typedef void embedder_done_fn(void *context, enum error error,
                              struct embeddings embeddings);

struct embedder;
struct embedder_call;

/* As EMBEDDINGS_* say. */
struct embedder *embedder_new(const struct provider_tools *tools);
void embedder_free(struct embedder *embedder); /* no call may be under way */

/* The texts, which must be valid UTF-8 and not empty, are borrowed until it returns, as is the
 * trace (NULL: none). */
struct embedder_call *embedder_start(struct embedder *embedder, const struct span *texts,
                                     size_t count, const struct id *request_id,
                                     const struct trace *trace, int64_t timeout_ms,
                                     embedder_done_fn *done, void *context);
void embedder_cancel(struct embedder_call *call); /* NULL is fine */

#endif
