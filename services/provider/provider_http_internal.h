/*
 * What the vendors have in common, whatever they are asked for: where they are, their key, one
 * call, the meaning of a failure, its line in the log, and what is counted.
 */
#ifndef PROVIDER_HTTP_INTERNAL_H
#define PROVIDER_HTTP_INTERNAL_H

#include "call.h"
#include "errors.h"
#include "meter.h"
#include "private_text.h"
#include "provider.h"
#include "upstream.h"
#include "url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of errors.def that the failures of one kind of provider come to. */
struct provider_errors {
    enum error timeout;
    enum error rate_limit;
    enum error auth;
    enum error not_found;
    enum error bad_request; /* 400, 413, 415, 422 */
    enum error unknown_4xx;
    enum error other;
};

/* What providers of one kind are for; static. */
struct provider_role {
    const char *name, *operation; /* meter.h */
    const char *span;             /* spans.h: what its part of a turn is called */
    const char *failed;           /* what a failure's line in the log is called */
    struct provider_errors errors;
};

/* Who is asked.  Its owner sets what stands before the role, as far as there is any, and then
 * provider_init() does the rest. */
struct provider {
    char *probe_url;        /* owned: a GET that costs nothing */
    bool is_probe_optional; /* a server that does not know that URL may still do */
    struct private_text authorization;      /* owned */
    const char *authorization_name;         /* static: its header; NULL: Authorization */
    const char *extra_header, *extra_value; /* static: one more header of each request */
    const struct provider_role *role;
    const char *name;          /* static */
    char *model;               /* owned; or the voice, or the collection */
    char *url;                 /* owned; NULL: not over HTTP */
    char host[URL_HOST_BYTES]; /* of the URL, for the log; "" likewise */
    struct log *log;           /* borrowed, like the next four */
    struct call_pool *pool;
    struct meter *meter;
    struct spans *spans;
    const int64_t *timeout_s;  /* what the settings allow a call */
    struct upstream *upstream; /* owned; NULL: not over HTTP */
};

/* `name` is static, the URL is taken, NULL where it is not asked over HTTP; the model is copied. */
void provider_init(struct provider *provider, const struct provider_role *role,
                   const struct provider_tools *tools, const char *name,
                   const char *model, char *url, const int64_t *timeout_s);

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

/* The setting, or what stands in for it where it is "". */
const char *provider_or(const char *setting, const char *standard);

/* For whom a call is made, and until when; kept by whoever makes it. */
struct errand {
    struct id request_id;
    struct trace trace; /* of the call; its state is borrowed from who asks */
    int64_t started_us;
    int64_t deadline_us;
    int64_t input_tokens, output_tokens; /* that it used up; 0: not known */
};

/* `timeout_ms` from now, or what the provider's setting allows where that is less.  `trace` may
 * be NULL. */
struct errand provider_errand(const struct provider *provider,
                              const struct id *request_id, const struct trace *trace,
                              int64_t timeout_ms);

/* One call in the time that is left, tried again as upstream.h says.  Fills in what is the
 * provider's and the errand's; the URL may be another one.  What the request points to is borrowed
 * until the end, and its body is taken. */
struct upstream_call *provider_send(const struct provider *provider,
                                    const struct errand *errand,
                                    struct call_request *request, call_done_fn *done,
                                    void *context);

/* One POST of JSON whose reply is wanted whole. */
struct upstream_call *provider_post(const struct provider *provider,
                                    const struct errand *errand, struct private_text json,
                                    size_t max_reply_bytes, call_done_fn *done,
                                    void *context);

/* Asks probe_url; the provider is borrowed until `done`. */
void provider_probe(const struct provider *provider, probe_done_fn *done, void *context);

/* What a call came to: OK for a 2xx. */
enum error provider_error(const struct provider *provider,
                          const struct call_answer *answer);

/* What came of a call, for its count. */
enum call_result provider_result(enum error error, const struct call_answer *answer);

/* Counts what came of a call, notes its span, and writes a line where that is a failure; `code`, static, is the
 * vendor's own word for it, or NULL. */
void provider_note(const struct provider *provider, const struct errand *errand,
                   enum error error, const struct call_answer *answer, const char *code);

/* The span alone, and the line alone.  `answer` is NULL where there was no call. */
void provider_note_span(const struct provider *provider, const struct errand *errand,
                        enum error error, const struct call_answer *answer);
void provider_log_failure(const struct provider *provider, const struct errand *errand,
                          enum error error, const struct call_answer *answer,
                          const char *code);

#endif
