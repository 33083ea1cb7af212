/*
 * GET /metrics: the counters of all loops in the Prometheus text format, how often each entry of the
 * safety patterns was hit, and what the day has used up of its caps.
 */
#include "clock.h"
#include "endpoints.h"
#include "filter.h"
#include "metrics.h"

#define MAX_BYTES \
    (4 * 1024 * 1024) /* a pattern file of one's own may have many entries */
#define DAY_MS INT64_C(86400000)

static void finish(struct request *request);

const struct endpoint ENDPOINT_METRICS = {.finish = finish};

/* The rule set is shared by all loops, and so are its counters; a reload begins new ones. */
static void write_safety(const struct filter *filter, struct buffer *out)
{
    const struct ruleset *ruleset = filter_ruleset(filter);

    buffer_append_string(
        out, "# HELP poise_safety_hits_total Texts caught by each entry of the "
             "safety patterns; shadow entries are counted, not enforced.\n"
             "# TYPE poise_safety_hits_total counter\n");
    for (size_t at = 0; at < ruleset_counter_count(ruleset); at++) {
        struct ruleset_counter counter = ruleset_counter(ruleset, at);

        buffer_append_string(out, "poise_safety_hits_total{entry=\"");
        buffer_append_string(out, counter.name);
        buffer_append_string(out, "\",category=\"");
        buffer_append_string(out, counter.category);
        buffer_append_string(out, counter.is_shadow ? "\",shadow=\"true\"} "
                                                    : "\",shadow=\"false\"} ");
        buffer_append_number(out, (int64_t)counter.hits);
        buffer_append_char(out, '\n');
    }
}

static void write_gauge(struct buffer *out, const char *name, const char *help,
                        int64_t value)
{
    buffer_append_string(out, "# HELP ");
    buffer_append_string(out, name);
    buffer_append_char(out, ' ');
    buffer_append_string(out, help);
    buffer_append_string(out, "\n# TYPE ");
    buffer_append_string(out, name);
    buffer_append_string(out, " gauge\n");
    buffer_append_string(out, name);
    buffer_append_char(out, ' ');
    buffer_append_number(out, value);
    buffer_append_char(out, '\n');
}

/* Whoever counted a turn last knows what all processes have counted: of several the greatest
 * is right. */
static void write_usage(const struct services *services, struct buffer *out)
{
    const struct settings *settings = services->settings;
    struct store_usage usage = services->store->stats(services->store).usage;
    bool is_of_today = usage.day == clock_wall_ms() / DAY_MS;

    if (settings->max_turns_per_day == 0 && settings->max_audio_s_per_day == 0)
        return;
    write_gauge(
        out, "poise_usage_turns",
        "Turns of all processes on this day (UTC), as this one saw when it counted "
        "one last.",
        is_of_today ? usage.turns : 0);
    write_gauge(out, "poise_usage_audio_seconds", "Seconds of recordings, likewise.",
                is_of_today ? usage.audio_ms / 1000 : 0);
    write_gauge(out, "poise_usage_turns_cap", "MAX_TURNS_PER_DAY; 0 is none.",
                settings->max_turns_per_day);
    write_gauge(out, "poise_usage_audio_seconds_cap",
                "MAX_AUDIO_SECONDS_PER_DAY; 0 is none.", settings->max_audio_s_per_day);
}

static void finish(struct request *request)
{
    const struct services *services = request->server->services;
    const struct shared_services *shared = services->shared;
    struct buffer text;

    buffer_init(&text, MAX_BYTES);
    metrics_write(shared->metrics, shared->metrics_count, &text);
    if (services->filter != NULL)
        write_safety(services->filter, &text);
    write_usage(services, &text);
    request_answer_raw(request, "text/plain; version=0.0.4; charset=utf-8", &text);
}
