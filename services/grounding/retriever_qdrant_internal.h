/*
 * The retriever over Qdrant: passages whose vectors are nearest to the question's.
 *
 * A selection needs no neighbours: it is judged by its words, as with the embedded index.  That
 * index is there too, since `poise index` makes it; title, topics and patterns are in it.
 */
#ifndef RETRIEVER_QDRANT_INTERNAL_H
#define RETRIEVER_QDRANT_INTERNAL_H

#include "retriever.h"

/* NULL, with a line appended to `problem`, where the index cannot be opened. */
struct retriever *retriever_qdrant_new(const struct settings *settings, struct loop *loop,
                                       struct call_pool *pool, struct log *log,
                                       struct metrics *metrics, struct buffer *problem);

#endif
