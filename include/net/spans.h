/*
 * What requests and calls took, sent to an OpenTelemetry collector: spans gather in a bounded queue, from
 * any thread, and go out in batches as OTLP/HTTP with JSON (opentelemetry.io/docs/specs/otlp), from a loop
 * that no request waits for.  What the collector does not take is dropped and counted.  No content: ids,
 * times, and words out of tables; attributes have the names of OpenTelemetry's conventions, for
 * generative AI where there are any.
 */
#ifndef SPANS_H
#define SPANS_H

#include "call.h"
#include "id.h"
#include "log.h"
#include "loop.h"
#include "meter.h"
#include "settings.h"
#include "trace.h"

struct spans;

/* OTLP's numbers. */
enum span_kind { SPAN_INTERNAL = 1, SPAN_SERVER = 2, SPAN_CLIENT = 3 };

/* One that has ended now.  All texts are static. */
struct span_note {
    const char *name;
    enum span_kind kind;
    const struct trace
        *trace;         /* borrowed for the call; one that is not recorded is left out */
    int64_t started_us; /* monotonic */
    const char *error;  /* a code; NULL: it went well */
    /* Of a call of a provider; it outlives the spans.  NULL: none */
    const struct meter *meter;
    int64_t input_tokens, output_tokens; /* 0: not known */
    /* Of a request; NULL: none */
    const char *method;
    const char *route;
    int64_t status; /* HTTP's, of a request's or a call's reply; 0: none */
    const struct id *request_id,
        *session_id; /* borrowed for the call; NULL or "": none */
};

struct spans_counts {
    int64_t sent;
    int64_t dropped;
};

/* Sends on this loop, whose thread makes and frees it, and tells the log when the collector goes away and
 * when it is back; all is borrowed.  NULL where OTEL_EXPORTER_OTLP_ENDPOINT is not set: every function here
 * but spans_probe() takes NULL. */
struct spans *spans_new(const struct settings *settings, struct loop *loop,
                        struct log *log);

/* doctor's question: sends a batch of none, and tells what came of it.  Nothing else may be sent then. */
void spans_probe(struct spans *spans, call_done_fn *done, void *context);

/* From any thread; never waits for anybody. */
void spans_note(struct spans *spans, const struct span_note *note);
struct spans_counts spans_counts(struct spans *spans);

/* When nothing is noted any more and the loop does not run: sends what is left, for two seconds at most. */
void spans_finish(struct spans *spans);
void spans_free(struct spans *spans);

#endif
