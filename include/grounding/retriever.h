/*
 * The retriever: what finds the passages that may answer a question, and says how sure it is.  Two
 * implementations: the embedded one over the index (retriever_sqlite.c) and Qdrant with embeddings from
 * an OpenAI-compatible API (retriever_qdrant.c).
 */
#ifndef RETRIEVER_H
#define RETRIEVER_H

#include "corpus.h"
#include "errors.h"
#include "id.h"
#include "loop.h"
#include "passage.h"
#include "private_text.h"
#include "provider.h"

struct retriever_ask {
    const struct private_text *question;  /* borrowed until start() returns */
    const struct private_text *selection; /* likewise; NULL: search the corpus */
    size_t limit;                         /* passages wanted */
    struct id request_id;
    struct trace trace; /* id "": none; its state outlives the call */
    int64_t timeout_ms;
};

/* Owned by whom it is given to: retrieval_done(). */
struct retrieval {
    /* The best `limit`, the best first, each with its score; those of one score in
     * document order. */
    struct passages passages;
    /* With a selection: how much of the question's weight it carries, 0-1; no passages
     * then. */
    double coverage;
};

void retrieval_done(struct retrieval *retrieval);

struct retriever_call;

/* Called exactly once, from the loop, never before start() has returned, never after cancel().  Errors:
 * STORE_UNAVAILABLE where the index or the server cannot be read, LLM_* from the server of embeddings. */
typedef void retriever_done_fn(void *context, enum error error,
                               struct retrieval retrieval);

struct retriever {
    const char *name; /* "sqlite" or "qdrant" */
    struct retriever_call *(*start)(struct retriever *retriever,
                                    const struct retriever_ask *ask,
                                    retriever_done_fn *done, void *context);
    void (*cancel)(struct retriever_call *call); /* NULL is fine */
    /* Title, topics and out-of-scope patterns; borrowed until the next tick: a new index brings its own. */
    struct corpus *(*corpus)(struct retriever *retriever);
    void (*free)(struct retriever *retriever); /* no call may be under way */
};

/* As RETRIEVER and CORPUS_INDEX say; one for each loop.  NULL, with a line appended to `problem`, where the
 * index cannot be opened: the service does not start then. */
struct retriever *retriever_new(const struct provider_tools *tools, struct loop *loop,
                                struct buffer *problem);
void retriever_free(struct retriever *retriever); /* NULL is fine */

#endif
