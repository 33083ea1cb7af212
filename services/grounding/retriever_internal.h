/*
 * The two retrievers.
 */
#ifndef RETRIEVER_INTERNAL_H
#define RETRIEVER_INTERNAL_H

#include "retriever.h"

/* The embedded one: the search of an index (search_internal.h) on libuv's threads.  Empty path: the handbook.
 * NULL, with a line appended to `problem`, where it cannot be opened or its corpus.json is no such thing. */
struct retriever *retriever_sqlite_new(const char *path, struct loop *loop,
                                       struct log *log, struct buffer *problem);

/* The one over Qdrant: passages whose vectors are nearest to the question's.  A selection needs no neighbours: it
 * is judged by its words, as with the embedded index.  That index is there too, since `poise index` makes it;
 * title, topics and patterns are in it.  NULL, with a line appended to `problem`, where it cannot be opened. */
struct retriever *retriever_qdrant_new(const struct provider_tools *tools,
                                       struct loop *loop, struct buffer *problem);

#endif
