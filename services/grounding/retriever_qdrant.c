/*
 * The life of one question to Qdrant.
 *
 *   start > [embed] > on_embedded > [query] > on_found > done
 *         > [judge a selection] > on_judged > done
 */
#include "retriever_internal.h"

#include "clock.h"
#include "embedder.h"
#include "json.h"
#include "mem.h"
#include "private_reveal.h"
#include "qdrant.h"
#include "qdrant_bodies_internal.h"

#include <stdlib.h>
#include <string.h>

/* Neighbours that are asked for; those of one score are then put in document order. */
#define QDRANT_NEIGHBOURS 10

struct qdrant_retriever {
    struct retriever retriever; /* the first member: a retriever is cast back */
    struct retriever *sqlite;   /* owned: selections, and the corpus */
    struct embedder *embedder;  /* owned */
    struct qdrant *qdrant;      /* owned */
};

struct retriever_call {
    struct qdrant_retriever *self; /* borrowed */
    /* Owned, like the next two: what is pending; NULL else. */
    struct retriever_call *judged;
    struct embedder_call *embedding;
    struct qdrant_call *query;
    retriever_done_fn *done;
    void *context; /* borrowed from whom asked */
    size_t limit;
    struct id request_id;
    struct trace trace;
    int64_t deadline_us;
};

static struct retriever_call *start(struct retriever *retriever,
                                    const struct retriever_ask *ask,
                                    retriever_done_fn *done, void *context);
static void on_judged(void *context, enum error error, struct retrieval retrieval);
static void on_embedded(void *context, enum error error, struct embeddings embeddings);
static void on_found(void *context, enum error error, long status,
                     struct json_object *result);
static void cancel(struct retriever_call *call);
static struct corpus *corpus(struct retriever *retriever);
static void qdrant_retriever_free(struct retriever *retriever);

struct retriever *retriever_qdrant_new(const struct provider_tools *tools,
                                       struct loop *loop, struct buffer *problem)
{
    struct retriever *sqlite =
        retriever_sqlite_new(tools->settings->corpus_index, loop, tools->log, problem);
    struct qdrant_retriever *self;

    if (sqlite == NULL)
        return NULL;
    self = MEM_NEW(struct qdrant_retriever);
    self->retriever =
        (struct retriever){"qdrant", start, cancel, corpus, qdrant_retriever_free};
    self->sqlite = sqlite;
    self->embedder = embedder_new(tools);
    self->qdrant = qdrant_new(tools);
    return &self->retriever;
}

static int64_t left_ms(const struct retriever_call *call)
{
    int64_t left = (call->deadline_us - clock_monotonic_us()) / 1000;

    return left > 0 ? left : 1;
}

static struct retriever_call *start(struct retriever *retriever,
                                    const struct retriever_ask *ask,
                                    retriever_done_fn *done, void *context)
{
    struct qdrant_retriever *self = (struct qdrant_retriever *)retriever;
    struct retriever_call *call = MEM_NEW(struct retriever_call);
    struct span question = private_reveal(ask->question);

    call->self = self;
    call->done = done;
    call->context = context;
    call->limit = ask->limit;
    call->request_id = ask->request_id;
    call->trace = ask->trace;
    call->deadline_us = clock_monotonic_us() + ask->timeout_ms * 1000;
    if (ask->selection != NULL) {
        call->judged = self->sqlite->start(self->sqlite, ask, on_judged, call);
        return call;
    }
    call->embedding = embedder_start(self->embedder, &question, 1, &call->request_id,
                                     &call->trace, left_ms(call), on_embedded, call);
    return call;
}

static void call_free(struct retriever_call *call)
{
    free(call);
}

static void finish(struct retriever_call *call, enum error error,
                   struct retrieval retrieval)
{
    retriever_done_fn *done = call->done;
    void *context = call->context;

    call_free(call);
    done(context, error, retrieval);
}

static void on_judged(void *context, enum error error, struct retrieval retrieval)
{
    struct retriever_call *call = context;

    call->judged = NULL;
    finish(call, error, retrieval);
}

static void on_embedded(void *context, enum error error, struct embeddings embeddings)
{
    struct retriever_call *call = context;
    struct private_text body;

    call->embedding = NULL;
    if (error != OK) {
        finish(call, error, (struct retrieval){0});
        return;
    }
    body = qdrant_query_body(embeddings.values, embeddings.dimensions, QDRANT_NEIGHBOURS);
    embeddings_done(&embeddings);
    call->query =
        qdrant_start(call->self->qdrant, "POST", "/points/query", body, &call->request_id,
                     &call->trace, left_ms(call), on_found, call);
}

static void on_found(void *context, enum error error, long status,
                     struct json_object *result)
{
    struct retriever_call *call = context;
    struct retrieval retrieval = {0};

    (void)status;
    call->query = NULL;
    if (error == OK && !qdrant_read_found(result, &retrieval.passages))
        error = ERROR_STORE_UNAVAILABLE;
    if (error == OK)
        passages_keep_best(&retrieval.passages, call->limit);
    if (error == ERROR_NOT_FOUND)
        error = ERROR_STORE_UNAVAILABLE; /* `poise index` has not made the collection */
    finish(call, error, retrieval);
}

/* ---- the end ---- */

static void cancel(struct retriever_call *call)
{
    if (call == NULL)
        return;
    call->self->sqlite->cancel(call->judged);
    embedder_cancel(call->embedding);
    qdrant_cancel(call->query);
    call_free(call);
}

static struct corpus *corpus(struct retriever *retriever)
{
    struct qdrant_retriever *self = (struct qdrant_retriever *)retriever;

    return self->sqlite->corpus(self->sqlite);
}

static void qdrant_retriever_free(struct retriever *retriever)
{
    struct qdrant_retriever *self = (struct qdrant_retriever *)retriever;

    retriever_free(self->sqlite);
    embedder_free(self->embedder);
    qdrant_free(self->qdrant);
    free(self);
}
