/*
 * What the vendors have in common, whatever they are asked for: where they are, their key,
 * the meaning of a failure, its line in the log, and what is counted.
 */
#ifndef PROVIDER_HTTP_INTERNAL_H
#define PROVIDER_HTTP_INTERNAL_H

#include "call.h"
#include "errors.h"
#include "log.h"
#include "meter.h"
#include "metrics.h"
#include "private_text.h"
#include "settings.h"
#include "upstream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who is asked. */
struct provider {
    const char *name;       /* static */
    const char *model;      /* borrowed from the settings, or static; or the voice */
    const char *event;      /* static: of a failure's line in the log */
    struct call_pool *pool; /* borrowed, like the next two; NULL: not over HTTP */
    struct log *log;
    struct meter *meter;
    struct upstream *upstream; /* owned; NULL: not over HTTP */
    char *url;                 /* owned; likewise */
    char *probe_url;           /* owned; likewise: a GET that costs nothing */
    bool is_probe_optional;    /* a server that does not know that URL may still do */
    struct private_text authorization; /* owned; empty: none */
};

/* The rows of errors.def that the failures of one kind of provider come to. */
struct provider_errors {
    enum error timeout;
    enum error rate_limit;
    enum error auth;
    enum error bad_request;
    enum error other;
};

/* Gives a provider that has its name, its model, and over HTTP its URL and pool, a meter
 * and an upstream as the settings want it; `timeout_s` is what its own setting allows a
 * call.  Role and operation: meter.h. */
void provider_connect(struct provider *provider, const struct settings *settings,
                      struct metrics *metrics, const char *role, const char *operation,
                      int64_t timeout_s);

/* Frees what is in it. */
void provider_done(struct provider *provider);

/* `base` without the slashes at its end, `path`, which begins with one, `value`
 * percent-encoded (RFC 3986, 2.1) but for its slashes, and `tail`.  The caller frees it.
 */
char *provider_url(const char *base, const char *path, const char *value,
                   const char *tail);

/* "Bearer <key>" or "Token <key>", without the white space around the key; the key alone with
 * the scheme ""; no text where there is no key, or one that cannot stand in a header. */
struct private_text provider_authorization(const char *scheme,
                                           const struct private_text *key);

/* One POST in the time that is left, tried again as upstream.h says.  Takes the body over;
 * the content type is borrowed until the end. */
struct upstream_call *provider_post(const struct provider *provider,
                                    const char *content_type, struct private_text body,
                                    const struct id *request_id,
                                    const struct trace *trace, int64_t deadline_us,
                                    size_t max_reply_bytes, call_done_fn *done,
                                    void *context);

typedef void provider_probe_done_fn(void *context, enum error error);

/* Asks probe_url.  `done` once, from the loop; all is borrowed until then. */
void provider_probe(const struct provider *provider, const struct provider_errors *errors,
                    int64_t timeout_ms, provider_probe_done_fn *done, void *context);

/* What a call came to: OK for a 2xx. */
enum error provider_error(const struct call_answer *answer,
                          const struct provider_errors *errors);

/* What came of a call, for its count. */
enum call_result provider_result(enum error error, const struct call_answer *answer);

/* Counts what came of a call, and writes a line where that is a failure. */
void provider_report(const struct provider *provider, const struct id *request_id,
                     enum error error, const struct call_answer *answer);

/* That line alone.  `answer` is NULL where there was no call. */
void provider_log_failure(const struct provider *provider, const struct id *request_id,
                          enum error error, const struct call_answer *answer);

#endif
