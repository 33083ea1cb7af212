/*
 * The retriever that the settings choose.
 */
#include "retriever.h"

#include "retriever_internal.h"

#include <stdlib.h>

struct retriever *retriever_new(const struct provider_tools *tools, struct loop *loop,
                                struct buffer *problem)
{
    switch ((enum retriever_kind)tools->settings->retriever) {
    case RETRIEVER_SQLITE:
        return retriever_sqlite_new(tools->settings->corpus_index, loop, tools->log,
                                    problem);
    case RETRIEVER_QDRANT: return retriever_qdrant_new(tools, loop, problem);
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
