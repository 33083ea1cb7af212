/*
 * The retriever that the settings choose.
 */
#include "retriever.h"

#include "retriever_internal.h"

#include <stdlib.h>

struct retriever *retriever_new(const struct settings *settings, struct loop *loop,
                                struct call_pool *pool, struct log *log,
                                struct metrics *metrics, struct buffer *problem)
{
    switch ((enum retriever_kind)settings->retriever) {
    case RETRIEVER_SQLITE:
        return retriever_sqlite_new(settings->corpus_index, loop, log, problem);
    case RETRIEVER_QDRANT:
        return retriever_qdrant_new(settings, loop, pool, log, metrics, problem);
    }
    abort();
}

void retriever_free(struct retriever *retriever)
{
    if (retriever != NULL)
        retriever->free(retriever);
}

void retrieval_done(struct retrieval *retrieval)
{
    passages_done(&retrieval->passages);
    retrieval->coverage = 0;
}
