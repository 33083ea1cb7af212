/*
 * The embedded retriever: the search of an index (search_internal.h) on libuv's threads.
 */
#ifndef RETRIEVER_SQLITE_INTERNAL_H
#define RETRIEVER_SQLITE_INTERNAL_H

#include "retriever.h"

/* Empty path: the handbook.  NULL, with a line appended to `problem`, where it cannot be
 * opened or its corpus.json is no such thing. */
struct retriever *retriever_sqlite_new(const char *path, struct loop *loop,
                                       struct log *log, struct buffer *problem);

#endif
