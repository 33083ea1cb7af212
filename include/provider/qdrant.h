/*
 * One collection of a Qdrant server, over its REST API (https://api.qdrant.tech/api-reference; version
 * 1.10 or later, for /points/query).
 */
#ifndef QDRANT_H
#define QDRANT_H

#include "provider.h"

#include <json-c/json.h>
#include <stdint.h>

struct qdrant;
struct qdrant_call;

/* Called exactly once, from the loop, never before qdrant_start() has returned, never after
 * cancel.  OK: `result` is what the reply has under that name, borrowed during the call.
 * Else NOT_FOUND (404), or STORE_UNAVAILABLE, and the status, 0 where there is no reply. */
typedef void qdrant_done_fn(void *context, enum error error, long status,
                            struct json_object *result);

/* As QDRANT_* say. */
struct qdrant *qdrant_new(const struct provider_tools *tools);
void qdrant_free(struct qdrant *qdrant); /* NULL is fine; no call may be under way */

/* `path` goes behind /collections/<name>.  The body, JSON or empty, is taken over; the trace is borrowed
 * until it returns (NULL: none). */
struct qdrant_call *qdrant_start(struct qdrant *qdrant, const char *method,
                                 const char *path, struct private_text body,
                                 const struct id *request_id, const struct trace *trace,
                                 int64_t timeout_ms, qdrant_done_fn *done, void *context);
void qdrant_cancel(struct qdrant_call *call); /* NULL is fine */

#endif
