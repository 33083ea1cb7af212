/*
 * What one loop has seen of one provider: what it was asked, how that ended and how long
 * it took.  The loop that asks alone changes it; /metrics reads those of all loops.
 */
#ifndef METER_H
#define METER_H

#include "histogram.h"

#include <stdbool.h>

enum call_result {
#define CALL_RESULT(symbol, name) CALL_RESULT_##symbol,
#include "metric_labels.def"
    CALL_RESULT_COUNT
};

enum token_type {
#define TOKEN_TYPE(symbol, name) TOKEN_TYPE_##symbol,
#include "metric_labels.def"
    TOKEN_TYPE_COUNT
};

/* The provider; all texts are static or borrowed for the call. */
struct meter_name {
    const char *role;      /* "coach", "transcriber", ... */
    const char *provider;  /* "groq", "deepgram", ... */
    const char *operation; /* OpenTelemetry's gen_ai.operation.name; NULL: it has none */
    const char *model;     /* as it is asked for, or the voice */
    const char *url;       /* of its server; NULL: it has none */
};

/* The texts do not change once the loop runs; a longer one is cut off. */
struct meter {
    char role[16];
    char provider[16];
    char operation[16];
    char model[96];
    char host[96]; /* of the URL, without a port; "" without a URL */
    char port[8];
    _Atomic int64_t tries;   /* requests that were sent */
    _Atomic int64_t retries; /* of these, those that tried an earlier one again */
    _Atomic int64_t is_open; /* 1 while its breaker is not closed */
    /* How long calls took, retries included */
    struct histogram results[CALL_RESULT_COUNT];
    struct histogram tokens[TOKEN_TYPE_COUNT];
};

/* OpenTelemetry's gen_ai.provider.name: the API's flavour where the vendor is not known. */
const char *meter_conventional_provider(const struct meter *meter);

/* One call ended. */
void meter_note_call(struct meter *meter, enum call_result result, int64_t duration_us);

/* What a call used up, as the provider says; less than 0: it does not. */
void meter_note_tokens(struct meter *meter, int64_t input, int64_t output);

#endif
