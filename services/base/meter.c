/*
 * The providers in /metrics, under names of ours and in those of OpenTelemetry's conventions
 * for generative AI.  Every loop asks the same ones and has their meters in the same order,
 * since all are built from the same settings.
 */
#include "metrics.h"

#include "metrics_text.h"

#include <assert.h>
#include <string.h>

static const char *const result_names[] = {
#define CALL_RESULT(symbol, name) name,
#include "metric_labels.def"
};

static const char *const type_names[] = {
#define TOKEN_TYPE(symbol, name) name,
#include "metric_labels.def"
};

static void copy(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Host and port of scheme://user:secret@host:port/path: never the user or the secret. */
static void read_url(struct meter *meter, const char *url)
{
    const char *from = strstr(url, "://");
    const char *host, *end, *colon = NULL;

    if (from == NULL)
        return;
    host = from += 3;
    end = from + strcspn(from, "/?#");
    for (const char *at = from; at < end; at++)
        if (*at == '@')
            host = at + 1;
    for (const char *at = host; at < end; at++) {
        if (*at == ']')
            colon = NULL; /* those before were an IPv6 address's */
        else if (*at == ':')
            colon = at;
    }
    copy(meter->host, sizeof(meter->host), host,
         (size_t)((colon != NULL ? colon : end) - host));
    if (colon != NULL)
        copy(meter->port, sizeof(meter->port), colon + 1, (size_t)(end - colon - 1));
    else
        strcpy(meter->port, strncmp(url, "https:", 6) == 0 ? "443" : "80");
}

static void name_it(struct meter *meter, const struct meter_name *name)
{
    copy(meter->role, sizeof(meter->role), name->role, strlen(name->role));
    copy(meter->provider, sizeof(meter->provider), name->provider,
         strlen(name->provider));
    if (name->operation != NULL)
        copy(meter->operation, sizeof(meter->operation), name->operation,
             strlen(name->operation));
    copy(meter->model, sizeof(meter->model), name->model, strlen(name->model));
    if (name->url != NULL)
        read_url(meter, name->url);
}

void meter_note_call(struct meter *meter, enum call_result result, int64_t duration_us)
{
    histogram_note(&meter->results[result], BUCKETS_CALLS, duration_us);
}

void meter_note_tokens(struct meter *meter, int64_t input, int64_t output)
{
    if (input >= 0)
        histogram_note(&meter->tokens[TOKEN_TYPE_INPUT], BUCKETS_TOKENS, input);
    if (output >= 0)
        histogram_note(&meter->tokens[TOKEN_TYPE_OUTPUT], BUCKETS_TOKENS, output);
}

/* Two meters of one provider, seen by two loops? */
static bool is_of(const struct meter *meter, const struct meter *other)
{
    return strcmp(meter->role, other->role) == 0 &&
           strcmp(meter->provider, other->provider) == 0 &&
           strcmp(meter->model, other->model) == 0 &&
           strcmp(meter->host, other->host) == 0 && strcmp(meter->port, other->port) == 0;
}

struct meter *metrics_meter(struct metrics *metrics, const struct meter_name *name)
{
    struct meter *next = &metrics->meters[metrics->meter_count];

    assert(metrics->meter_count < METERS_MOST);
    name_it(next, name);
    for (struct meter *meter = metrics->meters; meter < next; meter++)
        if (is_of(meter, next)) {
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

/* What is written of one meter, which has the same place in every loop's metrics. */
struct writer {
    struct metrics *const *loops; /* borrowed */
    size_t loop_count;
    size_t at;
    const char *name;
    size_t member;      /* of struct meter: the offset of what is counted */
    struct buffer *out; /* borrowed */
};

typedef void write_meter_fn(const struct writer *writer, struct metrics_labels labels);

static void write_counter(const struct writer *writer, struct metrics_labels labels)
{
    int64_t sum = 0;

    for (size_t loop = 0; loop < writer->loop_count; loop++)
        sum += counter_read(
            (_Atomic int64_t *)((char *)&writer->loops[loop]->meters[writer->at] +
                                writer->member));
    metrics_text_sample(writer->out, writer->name, &labels, sum);
}

/* Of one result, added to `sum`. */
static void add_result(const struct writer *writer, size_t result,
                       struct histogram_sum *sum)
{
    for (size_t loop = 0; loop < writer->loop_count; loop++)
        histogram_add_to(&writer->loops[loop]->meters[writer->at].results[result], sum);
}

static void write_calls(const struct writer *writer, struct metrics_labels labels)
{
    for (size_t result = 0; result < CALL_RESULT_COUNT; result++) {
        struct metrics_labels all = labels;
        struct histogram_sum sum = {0};

        add_result(writer, result, &sum);
        metrics_label(&all, "result", result_names[result]);
        metrics_text_sample(writer->out, writer->name, &all, histogram_count(&sum));
    }
}

/* Calls that were not made took no time. */
static void write_duration(const struct writer *writer, struct metrics_labels labels)
{
    struct histogram_sum sum = {0};

    for (size_t result = 0; result < CALL_RESULT_COUNT; result++)
        if (result != CALL_RESULT_HELD_BACK)
            add_result(writer, result, &sum);
    metrics_text_histogram(writer->out, writer->name, &labels, BUCKETS_CALLS, &sum);
}

/* An error.type of its own for each that has come up. */
static void write_operations(const struct writer *writer, struct metrics_labels labels)
{
    for (size_t result = 0; result < CALL_RESULT_COUNT; result++) {
        struct metrics_labels all = labels;
        struct histogram_sum sum = {0};

        add_result(writer, result, &sum);
        if (result == CALL_RESULT_HELD_BACK ||
            (result != CALL_RESULT_OK && histogram_count(&sum) == 0))
            continue;
        if (result != CALL_RESULT_OK)
            metrics_label(&all, "error_type", result_names[result]);
        metrics_text_histogram(writer->out, writer->name, &all, BUCKETS_CALLS, &sum);
    }
}

static void write_tokens(const struct writer *writer, struct metrics_labels labels)
{
    for (size_t type = 0; type < TOKEN_TYPE_COUNT; type++) {
        struct metrics_labels all = labels;
        struct histogram_sum sum = {0};

        for (size_t loop = 0; loop < writer->loop_count; loop++)
            histogram_add_to(&writer->loops[loop]->meters[writer->at].tokens[type], &sum);
        metrics_label(&all, "gen_ai_token_type", type_names[type]);
        metrics_text_histogram(writer->out, writer->name, &all, BUCKETS_TOKENS, &sum);
    }
}

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

const char *meter_conventional_provider(const struct meter *meter)
{
    size_t length = strlen(meter->host);
    bool is_groq = length >= 8 && strcmp(meter->host + length - 8, "groq.com") == 0;

    if (*meter->operation == '\0' || strcmp(meter->provider, "anthropic") == 0)
        return meter->provider;
    return is_groq ? "groq" : "openai";
}

static struct metrics_labels conventional(const struct meter *meter)
{
    struct metrics_labels labels = {.length = 0};

    metrics_label(&labels, "gen_ai_operation_name", meter->operation);
    metrics_label(&labels, "gen_ai_provider_name", meter_conventional_provider(meter));
    metrics_label(&labels, "gen_ai_request_model", meter->model);
    metrics_label(&labels, "server_address", meter->host);
    metrics_label(&labels, "server_port", meter->port);
    return labels;
}

static const struct family {
    const char *name, *kind, *help;
    write_meter_fn *write;
    size_t member;
    bool is_conventional;
} families[] = {
    {"poise_provider_calls_total", "counter",
     "Calls of providers, by what came of them; tries of one call are one.", write_calls,
     0, false},
    {"poise_provider_tries_total", "counter", "Requests sent to providers.",
     write_counter, offsetof(struct meter, tries), false},
    {"poise_provider_retries_total", "counter",
     "Of these, those that tried an earlier one again.", write_counter,
     offsetof(struct meter, retries), false},
    {"poise_provider_breaker_open", "gauge",
     "Loops that leave a provider alone because it keeps failing.", write_counter,
     offsetof(struct meter, is_open), false},
    {"poise_provider_call_duration_seconds", "histogram",
     "Calls of providers from their first try to their end.", write_duration, 0, false},
    {"gen_ai_client_operation_duration_seconds", "histogram",
     "GenAI operation duration (OpenTelemetry's gen_ai.client.operation.duration).",
     write_operations, 0, true},
    {"gen_ai_client_token_usage", "histogram",
     "Tokens used, where the provider says (OpenTelemetry's gen_ai.client.token.usage).",
     write_tokens, 0, true},
};

void meters_write(struct metrics *const *loops, size_t count, struct buffer *out)
{
    for (size_t i = 0; count > 0 && i < sizeof(families) / sizeof(*families); i++) {
        const struct family *family = &families[i];

        metrics_text_head(out, family->name, family->kind, family->help);
        for (size_t at = 0; at < loops[0]->meter_count; at++) {
            const struct meter *meter = &loops[0]->meters[at];
            struct writer writer = {loops, count, at, family->name, family->member, out};

            if (!family->is_conventional)
                family->write(&writer, own(meter));
            else if (*meter->operation != '\0')
                family->write(&writer, conventional(meter));
        }
    }
}
