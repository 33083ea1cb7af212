/*
 * What coaches, transcribers and speakers have in common for those who ask them.
 */
#ifndef PROVIDER_H
#define PROVIDER_H

#include "call.h"
#include "errors.h"
#include "log.h"
#include "metrics.h"
#include "settings.h"
#include "spans.h"

/* What a loop lends to its providers: all is borrowed, and outlives them. */
struct provider_tools {
    const struct settings *settings;
    struct call_pool *pool;
    struct log *log;
    struct metrics *metrics;
    struct spans *spans; /* NULL: none are kept */
};

/* Where and as whom one provider is asked; all is borrowed until it is made. */
struct provider_place {
    const char *base_url;           /* "" where the vendor's own will do */
    const char *model;              /* likewise */
    const struct private_text *key; /* empty: none */
    const char *key_setting;        /* static: what the operator calls that key */
};

/* How a server answered, and which: borrowed. */
struct probe_reply {
    const char *host;
    const struct call_answer *answer;
};

/* What `poise doctor` hears: OK, or an error of the provider's stage, and the reply (NULL: no
 * server was asked).  Once, from the loop, never before probe() has returned. */
typedef void probe_done_fn(void *context, enum error error,
                           const struct probe_reply *reply);

#endif
