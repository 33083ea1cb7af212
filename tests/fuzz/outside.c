#include "outside.h"

#include "call.h"
#include "json.h"
#include "mem.h"
#include "private_reveal.h"
#include "upstream.h"

#include <unistd.h>

struct wire; /* a call under way */

static struct {
    struct outside outside;
    struct span input;
    struct wire *calls; /* under way, the newest first */
    unsigned made;
} here;

struct wire {
    struct wire *next;
    struct private_text request_body;
    call_bytes_fn *on_bytes;
    size_t max_reply_bytes;
    call_done_fn *done;
    void *context;
};

/* The names that --wrap gives to what stands in for a function. */
struct call *__wrap_call_start(struct call_pool *pool, struct call_request *request,
                               call_done_fn *done, void *context);
void __wrap_call_cancel(struct call *call);
struct upstream_call *__wrap_upstream_call(struct upstream *upstream,
                                           struct call_request *request,
                                           call_done_fn *done, void *context);
void __wrap_upstream_cancel(struct upstream_call *call);

struct outside *outside_open(char *const *environment)
{
    struct buffer problems;

    if (here.outside.loop != NULL)
        return &here.outside;
    buffer_init(&problems, 4096);
    must(settings_load(&here.outside.settings, environment, NULL, &problems));
    buffer_done(&problems);
    here.outside.loop = loop_new();
    here.outside.pool = call_pool_new(here.outside.loop);
    here.outside.log = log_new(-1, LOG_ERROR);
    return &here.outside;
}

void outside_answer(struct outside *outside, struct span input)
{
    (void)outside;
    here.input = input;
    here.made = 0;
}

/* ---- what a part says ---- */

/* The number at the front of a line, with the blanks before it; 0 where there is none. */
static unsigned take_number(struct span *line)
{
    unsigned number = 0;

    for (; line->length > 0 && *line->bytes == ' '; line->length--)
        line->bytes++;
    for (;
         line->length > 0 && *line->bytes >= '0' && *line->bytes <= '9' && number < 1000;
         line->length--)
        number = number * 10 + (unsigned)(*line->bytes++ - '0');
    return number;
}

static struct private_text copy(struct span text)
{
    return private_text_copy(text.length > 0 ? text.bytes : "", text.length);
}

static void tell_pieces(const struct wire *wire, struct span body, size_t step)
{
    struct span piece;

    while (fuzz_piece(&body, step, &piece))
        wire->on_bytes(wire->context, piece);
}

static struct call_answer next_answer(const struct wire *wire)
{
    struct call_answer answer = {.outcome = CALL_UNREACHABLE, .retry_after_s = -1};
    struct span part, head;
    unsigned status, step;

    if (!fuzz_next(&here.input, FUZZ_LINE, &part))
        return answer;
    fuzz_next(&part, "\n", &head);
    status = take_number(&head);
    step = take_number(&head);
    if (status < 100) {
        answer.outcome = (enum call_outcome)(status % (CALL_HELD_BACK + 1));
        if (answer.outcome != CALL_ANSWERED)
            return answer;
        status = 200;
    }
    if (part.length > wire->max_reply_bytes) {
        answer.outcome = CALL_TOO_LARGE;
        return answer;
    }
    answer.outcome = CALL_ANSWERED;
    answer.status = (long)status;
    answer.retry_after_s = status == 429 || status == 503 ? (int64_t)step : -1;
    if (wire->on_bytes != NULL && status >= 200 && status <= 299)
        tell_pieces(wire, part, step > 0 ? step : part.length);
    else
        answer.body = copy(part);
    return answer;
}

/* ---- calls ---- */

static void forget(struct wire *wire)
{
    struct wire **at = &here.calls;

    while (*at != wire)
        at = &(*at)->next;
    *at = wire->next;
}

static void deliver(void *context)
{
    struct wire *wire = context;
    struct call_answer answer = next_answer(wire);

    answer.request_body = wire->request_body;
    forget(wire);
    wire->done(wire->context, answer);
    free(wire);
}

/* What we send as JSON is JSON, whatever the answers before it made us say. */
static void check_body(const struct call_request *request)
{
    struct span body = private_reveal(&request->body);
    struct json_object *object;

    if (request->content_type == NULL ||
        strcmp(request->content_type, "application/json") != 0)
        return;
    object = json_parse(body.bytes, body.length, 32);
    must(json_object_is_type(object, json_type_object));
    json_object_put(object);
}

static struct wire *start(struct call_request *request, call_done_fn *done, void *context)
{
    struct wire *wire = MEM_NEW(struct wire);

    *wire = (struct wire){.next = here.calls,
                          .request_body = request->body,
                          .on_bytes = request->on_bytes,
                          .max_reply_bytes = request->max_reply_bytes,
                          .done = done,
                          .context = context};
    must(request->timeout_ms > 0 && request->url != NULL);
    check_body(request);
    request->body = (struct private_text){NULL, 0};
    here.calls = wire;
    here.made++;
    loop_later(here.outside.loop, deliver, wire);
    return wire;
}

static void cancel(struct wire *wire)
{
    if (wire == NULL)
        return;
    loop_forget(here.outside.loop, deliver, wire);
    forget(wire);
    private_text_free(&wire->request_body);
    free(wire);
}

struct call *__wrap_call_start(struct call_pool *pool, struct call_request *request,
                               call_done_fn *done, void *context)
{
    (void)pool;
    return (struct call *)start(request, done, context);
}

void __wrap_call_cancel(struct call *call)
{
    cancel((struct wire *)call);
}

struct upstream_call *__wrap_upstream_call(struct upstream *upstream,
                                           struct call_request *request,
                                           call_done_fn *done, void *context)
{
    (void)upstream;
    return (struct upstream_call *)start(request, done, context);
}

void __wrap_upstream_cancel(struct upstream_call *call)
{
    cancel((struct wire *)call);
}

/* ---- running ---- */

/* Behind everything that is due: what that starts comes behind this, which then waits on. */
static void stop(void *context)
{
    (void)context;
    if (here.calls != NULL)
        loop_later(here.outside.loop, stop, NULL);
    else
        loop_stop(here.outside.loop);
}

unsigned outside_run(struct outside *outside)
{
    loop_later(outside->loop, stop, NULL);
    loop_run(outside->loop);
    must(here.calls == NULL);
    return here.made;
}
