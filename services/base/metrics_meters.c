/*
 * The providers in /metrics: every loop asks the same ones and has their meters in the
 * same order, since all are built from the same settings.
 */
#include "metrics_internal.h"
#include "metrics_text.h"

#include <assert.h>
#include <string.h>

struct meter *metrics_meter(struct metrics *metrics, const struct meter_name *name)
{
    struct meter *next = &metrics->meters[metrics->meter_count];

    assert(metrics->meter_count < METERS_MOST);
    meter_name_it(next, name);
    for (struct meter *meter = metrics->meters; meter < next; meter++)
        if (meter_is_of(meter, next)) {
            *next = (struct meter){.role = ""};
            return meter;
        }
    metrics->meter_count++;
    return next;
}

int64_t metrics_open_breakers(struct metrics *const *loops, size_t count,
                              const char *role)
{
    int64_t open = 0;

    for (size_t loop = 0; loop < count; loop++)
        for (size_t at = 0; at < loops[loop]->meter_count; at++)
            if (strcmp(loops[loop]->meters[at].role, role) == 0)
                open += counter_read(&loops[loop]->meters[at].is_open);
    return open;
}

/* What is written of one meter. */
struct writer {
    struct metrics *const *loops; /* borrowed */
    size_t loop_count;
    struct buffer *out; /* borrowed */
};

typedef void write_meter_fn(const struct writer *writer, const char *name, size_t at,
                            struct metrics_labels labels);

static const struct meter *meter_of(const struct writer *writer, size_t loop, size_t at)
{
    return &writer->loops[loop]->meters[at];
}

static void write_calls(const struct writer *writer, const char *name, size_t at,
                        struct metrics_labels labels)
{
    for (size_t result = 0; result < CALL_RESULT_COUNT; result++) {
        struct metrics_labels all = labels;
        struct histogram_sum sum = {0};

        for (size_t loop = 0; loop < writer->loop_count; loop++)
            histogram_add_to(&meter_of(writer, loop, at)->results[result], &sum);
        metrics_label(&all, "result", call_result_name((enum call_result)result));
        metrics_text_sample(writer->out, name, &all, histogram_count(&sum));
    }
}

static void write_tries(const struct writer *writer, const char *name, size_t at,
                        struct metrics_labels labels)
{
    int64_t sum = 0;

    for (size_t loop = 0; loop < writer->loop_count; loop++)
        sum += counter_read(&meter_of(writer, loop, at)->tries);
    metrics_text_sample(writer->out, name, &labels, sum);
}

static void write_retries(const struct writer *writer, const char *name, size_t at,
                          struct metrics_labels labels)
{
    int64_t sum = 0;

    for (size_t loop = 0; loop < writer->loop_count; loop++)
        sum += counter_read(&meter_of(writer, loop, at)->retries);
    metrics_text_sample(writer->out, name, &labels, sum);
}

static void write_breaker(const struct writer *writer, const char *name, size_t at,
                          struct metrics_labels labels)
{
    int64_t sum = 0;

    for (size_t loop = 0; loop < writer->loop_count; loop++)
        sum += counter_read(&meter_of(writer, loop, at)->is_open);
    metrics_text_sample(writer->out, name, &labels, sum);
}

/* Calls that were not made took no time. */
static void write_duration(const struct writer *writer, const char *name, size_t at,
                           struct metrics_labels labels)
{
    struct histogram_sum sum = {0};

    for (size_t loop = 0; loop < writer->loop_count; loop++)
        for (size_t result = 0; result < CALL_RESULT_COUNT; result++)
            if (result != CALL_RESULT_HELD_BACK)
                histogram_add_to(&meter_of(writer, loop, at)->results[result], &sum);
    metrics_text_histogram(writer->out, name, &labels, BUCKETS_CALLS, &sum);
}

/* ---- OpenTelemetry's names ---- */

/* gen_ai.provider.name names the API's flavour where the vendor is not known. */
static const char *vendor(const struct meter *meter)
{
    size_t length = strlen(meter->host);

    if (strcmp(meter->provider, "anthropic") == 0)
        return "anthropic";
    return length >= 8 && strcmp(meter->host + length - 8, "groq.com") == 0 ? "groq"
                                                                            : "openai";
}

static struct metrics_labels conventional(const struct meter *meter)
{
    struct metrics_labels labels = {.length = 0};

    metrics_label(&labels, "gen_ai_operation_name", meter->operation);
    metrics_label(&labels, "gen_ai_provider_name", vendor(meter));
    metrics_label(&labels, "gen_ai_request_model", meter->model);
    metrics_label(&labels, "server_address", meter->host);
    metrics_label(&labels, "server_port", meter->port);
    return labels;
}

/* An error.type of its own for each that has come up. */
static void write_operations(const struct writer *writer, const char *name, size_t at,
                             struct metrics_labels labels)
{
    for (size_t result = 0; result < CALL_RESULT_COUNT; result++) {
        struct metrics_labels all = labels;
        struct histogram_sum sum = {0};

        if (result == CALL_RESULT_HELD_BACK)
            continue;
        for (size_t loop = 0; loop < writer->loop_count; loop++)
            histogram_add_to(&meter_of(writer, loop, at)->results[result], &sum);
        if (result != CALL_RESULT_OK && histogram_count(&sum) == 0)
            continue;
        if (result != CALL_RESULT_OK)
            metrics_label(&all, "error_type", call_result_name((enum call_result)result));
        metrics_text_histogram(writer->out, name, &all, BUCKETS_CALLS, &sum);
    }
}

static void write_tokens(const struct writer *writer, const char *name, size_t at,
                         struct metrics_labels labels)
{
    for (size_t type = 0; type < TOKEN_TYPE_COUNT; type++) {
        struct metrics_labels all = labels;
        struct histogram_sum sum = {0};

        for (size_t loop = 0; loop < writer->loop_count; loop++)
            histogram_add_to(&meter_of(writer, loop, at)->tokens[type], &sum);
        metrics_label(&all, "gen_ai_token_type", token_type_name((enum token_type)type));
        metrics_text_histogram(writer->out, name, &all, BUCKETS_TOKENS, &sum);
    }
}

/* ---- all of them ---- */

static struct metrics_labels own(const struct meter *meter)
{
    struct metrics_labels labels = {.length = 0};

    metrics_label(&labels, "role", meter->role);
    metrics_label(&labels, "provider", meter->provider);
    metrics_label(&labels, "model", meter->model);
    metrics_label(&labels, "server", meter->host);
    metrics_label(&labels, "port", meter->port);
    return labels;
}

static const struct family {
    const char *name, *kind, *help;
    write_meter_fn *write;
    bool is_conventional;
} families[] = {
    {"poise_provider_calls_total", "counter",
     "Calls of providers, by what came of them; tries of one call are one.", write_calls,
     false},
    {"poise_provider_tries_total", "counter", "Requests sent to providers.", write_tries,
     false},
    {"poise_provider_retries_total", "counter",
     "Of these, those that tried an earlier one again.", write_retries, false},
    {"poise_provider_breaker_open", "gauge",
     "Loops that leave a provider alone because it keeps failing.", write_breaker, false},
    {"poise_provider_call_duration_seconds", "histogram",
     "Calls of providers from their first try to their end.", write_duration, false},
    {"gen_ai_client_operation_duration_seconds", "histogram",
     "GenAI operation duration (OpenTelemetry's gen_ai.client.operation.duration).",
     write_operations, true},
    {"gen_ai_client_token_usage", "histogram",
     "Tokens used, where the provider says (OpenTelemetry's gen_ai.client.token.usage).",
     write_tokens, true},
};

void metrics_write_meters(struct metrics *const *loops, size_t count, struct buffer *out)
{
    struct writer writer = {loops, count, out};

    if (count == 0)
        return;
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        const struct family *family = &families[i];

        metrics_text_head(out, family->name, family->kind, family->help);
        for (size_t at = 0; at < loops[0]->meter_count; at++) {
            const struct meter *meter = &loops[0]->meters[at];

            if (!family->is_conventional)
                family->write(&writer, family->name, at, own(meter));
            else if (*meter->operation != '\0')
                family->write(&writer, family->name, at, conventional(meter));
        }
    }
}
