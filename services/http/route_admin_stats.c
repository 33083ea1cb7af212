/*
 * GET /admin/stats: what became of the questions about the study material, since the process started.  Only
 * with the key of ADMIN_KEY; where there is none, there is no such address.
 */
#include "admin_key_internal.h"
#include "json.h"

#define MAX_DATA_BYTES 8192

static void finish(struct request *request);

const struct endpoint ENDPOINT_ADMIN_STATS = {.finish = finish};

/* The counters below, of all loops together. */
struct totals {
    int64_t asks, chats, answers, content_refusals, failures, refusals[GATE_COUNT],
        refused;
    struct histogram_sum microseconds, thousandths;
};

static struct totals add_up(const struct shared_services *shared)
{
    struct totals totals = {.asks = 0};

    for (size_t at = 0; at < shared->metrics_count; at++) {
        const struct metrics *loop = shared->metrics[at];

        totals.asks += counter_read(&loop->ASK_QUESTIONS);
        totals.chats += counter_read(&loop->CHAT_QUESTIONS);
        totals.answers += counter_read(&loop->ASK_ANSWERS);
        totals.content_refusals += counter_read(&loop->ASK_CONTENT_REFUSALS);
        totals.failures += counter_read(&loop->ASK_FAILURES);
        histogram_add_to(&loop->ASK_DURATION, &totals.microseconds);
        histogram_add_to(&loop->ASK_CONFIDENCE, &totals.thousandths);
        for (enum gate gate = 0; gate < GATE_COUNT; gate++) {
            totals.refusals[gate] += counter_read(&loop->ASK_REFUSALS[gate]);
            totals.refused += counter_read(&loop->ASK_REFUSALS[gate]);
        }
    }
    return totals;
}

static void write_number(struct json_writer *json, const char *key, int64_t number)
{
    json_put_integer(json, key, number);
}

static void write_mean(struct json_writer *json, const char *key,
                       const struct histogram_sum *values)
{
    int64_t count = histogram_count(values);

    json_key(json, key);
    if (count == 0)
        json_null(json);
    else
        json_decimal(json, (double)values->sum / (double)count / 1000, 3);
}

static void write_totals(struct json_writer *json, const struct totals *totals)
{
    int64_t questions = totals->asks + totals->chats;

    json_begin_object(json);
    json_put_object(json, "questions");
    write_number(json, "total", questions);
    write_number(json, "ask", totals->asks);
    write_number(json, "chat", totals->chats);
    json_end_object(json);
    write_number(json, "answers", totals->answers);
    write_number(json, "content_refusals", totals->content_refusals);
    write_number(json, "failures", totals->failures);
    json_put_object(json, "refusals");
    write_number(json, "total", totals->refused);
    json_put_object(json, "by_reason");
    for (enum gate gate = 0; gate < GATE_COUNT; gate++)
        if (gate_refuses(gate))
            write_number(json, gate_name(gate), totals->refusals[gate]);
    json_end_object(json);
    json_end_object(json);
    write_mean(json, "mean_latency_ms", &totals->microseconds);
    write_mean(json, "mean_confidence", &totals->thousandths);
    json_end_object(json);
}

static void finish(struct request *request)
{
    const struct services *services = request->server->services;
    struct json_writer json;
    struct totals totals;
    struct buffer data;
    enum error error;
    int64_t wait_s;

    if (!admin_key_is_here(request)) {
        request_fail(request, ERROR_NOT_FOUND);
        return;
    }
    error = admin_key_judge(request, &wait_s);
    if (error != OK) {
        request_answer(request,
                       &(struct answer){.error = error, .retry_after_s = wait_s});
        return;
    }
    totals = add_up(services->shared);
    buffer_init(&data, MAX_DATA_BYTES);
    json_writer_init(&json, &data);
    write_totals(&json, &totals);
    request_succeed(request, &data);
}
