/*
 * GET /metrics: the counters of all loops in the Prometheus text format, and how often each entry of
 * the safety patterns was hit, and when the certificate expires.
 */
#include "endpoints.h"
#include "filter.h"
#include "metrics.h"
#include "tls.h"

#define MAX_BYTES \
    (4 * 1024 * 1024) /* a pattern file of one's own may have many entries */

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

static void write_certificate(struct tls *tls, struct buffer *out)
{
    struct certificate *certificate = tls_certificate(tls);

    buffer_append_string(
        out, "# HELP poise_tls_certificate_not_after_seconds When the certificate that "
             "new connections are shown expires, in seconds since 1970.\n"
             "# TYPE poise_tls_certificate_not_after_seconds gauge\n"
             "poise_tls_certificate_not_after_seconds ");
    buffer_append_number(out, certificate_not_after_s(certificate));
    buffer_append_char(out, '\n');
    certificate_unref(certificate);
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
    if (shared->tls != NULL)
        write_certificate(shared->tls, &text);
    request_answer_raw(request, "text/plain; version=0.0.4; charset=utf-8", &text);
}
