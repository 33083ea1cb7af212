/*
 * The life of one outgoing HTTP call.
 *
 *   call_start > on_header, on_body > call_tell_bytes > call_end > done
 *              > call_cancel
 *
 * Until then the call is on its pool's list.  A handle of curl's is borrowed from the
 * pool for as long as the call is under way.
 *
 * A caller that wants the body in pieces gets them after curl has returned, not from inside
 * on_body(): there curl refuses to start or end other calls (CURLM_RECURSIVE_API_CALL).
 */
#include "call_internal.h"

#include "clock.h"
#include "mem.h"
#include "private_reveal.h"
#include "url.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A server that cannot be reached is given up early, while there is time to do something
 * else. */
#define CONNECT_TIMEOUT_MS 10000L

#define REPLY_HEADERS_MAX_BYTES 65536 /* of one reply, all lines together */
/* X-Request-ID, traceparent, tracestate, Authorization, an extra one, Content-Type, Expect. */
#define REQUEST_HEADERS_MAX 7
#define HEADER_MAX_BYTES    8192

#define SET(easy, option, value)                               \
    do {                                                       \
        if (curl_easy_setopt(easy, option, value) != CURLE_OK) \
            abort(); /* out of memory */                       \
    } while (0)

struct call {
    struct call_pool *pool; /* borrowed: it owns the call */
    struct call *previous;  /* on the pool's list */
    struct call *next;
    struct home *home; /* borrowed from the pool */
    CURL *easy;        /* borrowed from the pool, given back at the end */
    bool is_easy_spent;

    call_done_fn *done;
    call_bytes_fn *on_bytes; /* NULL: the body is wanted whole */
    void *context;           /* borrowed from the caller */

    struct private_text body; /* owned; curl reads it while it sends */
    /* Linked; `data` is owned, wiped at the end */
    struct curl_slist headers[REQUEST_HEADERS_MAX];
    size_t header_count;
    int64_t timeout_ms;

    struct buffer reply; /* the body; with on_bytes, what of it has not been told yet */
    size_t reply_bytes;  /* of the body so far */
    size_t max_reply_bytes;
    bool is_too_large;
    struct call *next_news; /* on the shard's list of calls with pieces to tell */
    bool has_news;          /* it is on that list */
    bool is_telling;        /* inside on_bytes() */
    size_t reply_head_bytes;
    bool has_whole_head;
    char server_id[CALL_SERVER_ID_BYTES];
    int64_t retry_after_s;
    struct rate_limits rate_limits;
};

static size_t on_header(char *line, size_t size, size_t count, void *context);
static size_t on_body(char *bytes, size_t size, size_t count, void *context);

/* ---- start ---- */

static void add_header(struct call *call, const char *name, struct span value)
{
    struct curl_slist *header = &call->headers[call->header_count];
    const char *between = value.length > 0 ? ": " : ":";
    size_t name_length = strlen(name) + strlen(between);
    char *line;

    assert(call->header_count < REQUEST_HEADERS_MAX);
    assert(name_length + value.length <= HEADER_MAX_BYTES);
    for (size_t i = 0; i < value.length; i++)
        assert((unsigned char)value.bytes[i] >= ' '); /* would end the header */
    line = mem_realloc(NULL, name_length + value.length + 1);
    stpcpy(stpcpy(line, name), between);
    memcpy(line + name_length, value.bytes, value.length);
    line[name_length + value.length] = '\0';
    header->data = line;
    if (call->header_count++ > 0)
        header[-1].next = header;
}

static void add_headers(struct call *call, const struct call_request *request)
{
    if (request->request_id != NULL)
        add_header(call, "X-Request-ID", span_of(request->request_id->text));
    if (request->trace != NULL && request->trace->id[0] != '\0') {
        char parent[TRACE_HEADER_BYTES];

        trace_write(request->trace, parent);
        add_header(call, "traceparent", span_of(parent));
        if (request->trace->state.length > 0)
            add_header(call, "tracestate", request->trace->state);
    }
    if (request->authorization != NULL)
        add_header(call,
                   request->authorization_name != NULL ? request->authorization_name
                                                       : "Authorization",
                   private_reveal(request->authorization));
    if (request->extra_header != NULL)
        add_header(call, request->extra_header, span_of(request->extra_value));
    if (request->content_type != NULL) {
        add_header(call, "Content-Type", span_of(request->content_type));
        add_header(call, "Expect", span_of("")); /* no 100-continue for big bodies */
    }
}

/* Sets every option that differs between calls: the handle remembers those of the last
 * one. */
static void prepare(struct call *call, const struct call_request *request)
{
    CURL *easy = call->easy;
    long timeout_ms = (long)request->timeout_ms;

    add_headers(call, request);
    if (request->content_type != NULL) {
        SET(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.length);
        SET(easy, CURLOPT_POSTFIELDS, private_reveal(&call->body).bytes);
    } else {
        assert(private_text_is_empty(&call->body));
        SET(easy, CURLOPT_HTTPGET, 1L);
    }
    SET(easy, CURLOPT_CUSTOMREQUEST, request->method); /* NULL: as said above */
    SET(easy, CURLOPT_HTTPHEADER, call->header_count > 0 ? call->headers : NULL);
    SET(easy, CURLOPT_URL, request->url);
    /* What is taken in plain text because it stays on this machine must not go out by a proxy. */
    if (call->pool->has_proxy)
        SET(easy, CURLOPT_PROXY, url_is_plain_loopback(request->url) ? "" : NULL);
    SET(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
    SET(easy, CURLOPT_CONNECTTIMEOUT_MS,
        timeout_ms < CONNECT_TIMEOUT_MS ? timeout_ms : CONNECT_TIMEOUT_MS);
    /* With TLS, calls of one tick to a new server wait to learn whether one connection
     * will do. */
    SET(easy, CURLOPT_PIPEWAIT, strncasecmp(request->url, "https:", 6) == 0 ? 1L : 0L);
    SET(easy, CURLOPT_PRIVATE, call);
    SET(easy, CURLOPT_HEADERFUNCTION, on_header);
    SET(easy, CURLOPT_HEADERDATA, call);
    SET(easy, CURLOPT_WRITEFUNCTION, on_body);
    SET(easy, CURLOPT_WRITEDATA, call);
    SET(easy, CURLOPT_OPENSOCKETDATA, call->home);
    SET(easy, CURLOPT_CLOSESOCKETDATA, call->home);
}

struct call *call_start(struct call_pool *pool, struct call_request *request,
                        call_done_fn *done, void *context)
{
    struct call *call = MEM_NEW(struct call);

    assert(request->timeout_ms > 0);
    call->pool = pool;
    call->home = call_home_pick(pool, request->url);
    call->easy = call_handle_take(pool);
    call->done = done;
    call->on_bytes = request->on_bytes;
    call->context = context;
    call->max_reply_bytes = request->max_reply_bytes;
    call->body = request->body;
    call->timeout_ms = request->timeout_ms;
    call->retry_after_s = -1;
    request->body = (struct private_text){NULL, 0};
    buffer_init(&call->reply, request->max_reply_bytes);
    prepare(call, request);

    call->next = pool->calls;
    if (call->next != NULL)
        call->next->previous = call;
    pool->calls = call;
    call->home->in_flight++;
    call->home->shard->in_flight++;
    if (curl_multi_add_handle(call->home->shard->multi, call->easy) != CURLM_OK)
        abort();
    return call;
}

/* ---- the reply ---- */

/* Another kind of name is not taken: it goes into the log. */
static void read_server_id(struct call *call, const char *line, size_t length)
{
    static const char *const names[] = {"x-request-id", "request-id", "dg-request-id"};
    struct span value = {NULL, 0};

    if (strchr("xrd", line[0] | 0x20) == NULL) /* most lines are others */
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names) && value.bytes == NULL; i++)
        value = call_header_value(line, length, names[i]);
    if (value.bytes == NULL || value.length >= sizeof(call->server_id))
        return;
    for (size_t i = 0; i < value.length; i++)
        if (!isalnum((unsigned char)value.bytes[i]) &&
            (value.bytes[i] == '\0' || strchr("_.:-", value.bytes[i]) == NULL))
            return;
    memcpy(call->server_id, value.bytes, value.length);
    call->server_id[value.length] = '\0';
}

/* One line of the reply's head, without a NUL. */
static size_t on_header(char *line, size_t size, size_t count, void *context)
{
    struct call *call = context;
    size_t length = size * count;
    struct span value = call_header_value(line, length, "Retry-After");

    call->reply_head_bytes += length;
    if (call->reply_head_bytes > REPLY_HEADERS_MAX_BYTES)
        return 0;
    if (line[0] == '\r' || line[0] == '\n')
        call->has_whole_head = true;
    if (length >= 5 && memcmp(line, "HTTP/", 5) == 0)
        call->retry_after_s = -1; /* a new head: the last one was a 1xx */
    read_server_id(call, line, length);
    if ((line[0] | 0x20) == 'x')
        rate_limits_read(&call->rate_limits, line, length);
    if (value.bytes != NULL)
        call->retry_after_s =
            retry_after_parse(value.bytes, value.length, clock_wall_ms() / 1000);
    return length;
}

static bool is_good(const struct call *call)
{
    long status = 0;

    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    return status >= 200 && status <= 299;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct call *call = context;
    struct shard *shard = call->home->shard;
    size_t length = size * count;

    call->is_too_large = length > call->max_reply_bytes - call->reply_bytes ||
                         !buffer_append(&call->reply, bytes, length);
    if (call->is_too_large)
        return 0;
    call->reply_bytes += length;
    if (call->on_bytes != NULL && !call->has_news && is_good(call)) {
        call->has_news = true;
        call->next_news = shard->news;
        shard->news = call;
    }
    return length;
}

/* Tells one piece of each call that got some, in any order.  Each is off the list when it
 * is told, so the receiver may start calls and cancel others; nothing can arrive
 * meanwhile. */
void call_tell_bytes(struct shard *shard)
{
    while (shard->news != NULL) {
        struct call *call = shard->news;

        shard->news = call->next_news;
        call->has_news = false;
        call->is_telling = true;
        call->on_bytes(call->context,
                       (struct span){call->reply.bytes, call->reply.length});
        call->is_telling = false;
        buffer_clear(&call->reply);
    }
}

static void drop_news(struct call *call)
{
    struct call **link = &call->home->shard->news;

    if (!call->has_news)
        return;
    while (*link != call)
        link = &(*link)->next_news;
    *link = call->next_news;
    call->has_news = false;
}

/* ---- the end ---- */

static enum call_outcome judge(const struct call *call, CURLcode code)
{
    long sent_bytes = 0;

    if (code == CURLE_OK) /* curl is content with the first line of a head */
        return call->has_whole_head ? CALL_ANSWERED : CALL_BROKEN;
    if (call->is_too_large)
        return CALL_TOO_LARGE;
    curl_easy_getinfo(call->easy, CURLINFO_REQUEST_SIZE, &sent_bytes);
    if (code == CURLE_OPERATION_TIMEDOUT &&
        (sent_bytes > 0 || call->timeout_ms <= CONNECT_TIMEOUT_MS))
        return CALL_TIMED_OUT;
    return sent_bytes > 0 ? CALL_BROKEN : CALL_UNREACHABLE;
}

/* Why there was no connection. */
static const char *connect_reason(CURL *easy)
{
    long number = 0;

    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    switch (number) {
    case ECONNREFUSED: return "connection_refused";
    case ENETUNREACH:
    case EHOSTUNREACH: return "no_route_to_host";
    case ETIMEDOUT: return "connect_timed_out";
    case EMFILE:
    case ENFILE: return "no_descriptors_left";
    }
    return "cannot_connect";
}

/* A word for what curl says went wrong; its own words may quote the URL. */
static const char *reason_of(const struct call *call, CURLcode code)
{
    double connected_s = 0;

    switch ((int)code) { /* of curl's hundred codes */
    case CURLE_OK: return call->has_whole_head ? NULL : "no_http";
    case CURLE_COULDNT_RESOLVE_HOST: return "name_not_found";
    case CURLE_COULDNT_RESOLVE_PROXY: return "name_of_proxy_not_found";
    case CURLE_COULDNT_CONNECT: return connect_reason(call->easy);
    case CURLE_PROXY: return "proxy_refused";
    case CURLE_PEER_FAILED_VERIFICATION: return "certificate_not_trusted";
    case CURLE_SSL_CACERT_BADFILE: return "ssl_cert_file_cannot_be_read";
    case CURLE_SSL_CONNECT_ERROR: return "tls_failed";
    case CURLE_OPERATION_TIMEDOUT:
        curl_easy_getinfo(call->easy, CURLINFO_CONNECT_TIME, &connected_s);
        return connected_s > 0 ? "no_reply_in_time" : "connect_timed_out";
    case CURLE_GOT_NOTHING: return "closed_without_reply";
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return "connection_lost";
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: return "no_http";
    }
    return call->is_too_large ? "reply_too_large" : "transfer_failed";
}

/* Ends the transfer, if it is under way, and gives back what belongs to the pool. */
static void leave(struct call *call)
{
    drop_news(call);
    curl_multi_remove_handle(call->home->shard->multi, call->easy);
    call_handle_give_back(call->pool, call->easy, call->is_easy_spent);
    call->home->in_flight--;
    call->home->shard->in_flight--;

    if (call->next != NULL)
        call->next->previous = call->previous;
    if (call->previous != NULL)
        call->previous->next = call->next;
    else
        call->pool->calls = call->next;
}

static void call_free(struct call *call)
{
    for (size_t i = 0; i < call->header_count; i++) {
        explicit_bzero(call->headers[i].data, strlen(call->headers[i].data));
        free(call->headers[i].data);
    }
    private_text_free(&call->body);
    buffer_done(&call->reply);
    free(call);
}

void call_end(struct call *call, CURLcode code)
{
    struct call_answer answer = {.outcome = judge(call, code),
                                 .reason = reason_of(call, code),
                                 .retry_after_s = -1};
    call_done_fn *done = call->done;
    void *context = call->context;
    long version = 0, connects = 1;

    memcpy(answer.server_id, call->server_id, sizeof(answer.server_id));
    if (answer.outcome == CALL_ANSWERED) {
        curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &answer.status);
        curl_easy_getinfo(call->easy, CURLINFO_HTTP_VERSION, &version);
        curl_easy_getinfo(call->easy, CURLINFO_NUM_CONNECTS, &connects);
        call->home->origin->is_multiplexed = version == CURL_HTTP_VERSION_2_0;
        answer.retry_after_s = call->retry_after_s;
        if (answer.status == 429 && answer.retry_after_s < 0)
            answer.retry_after_s = rate_limits_wait_s(&call->rate_limits);
        if (call->reply.length > 0)
            answer.body = private_text_take(&call->reply);
    }
    answer.request_body = call->body;
    call->body = (struct private_text){NULL, 0};
    call->is_easy_spent = answer.outcome != CALL_ANSWERED || connects > 0;
    leave(call);
    call_free(call);
    done(context, answer);
}

void call_answer_free(struct call_answer *answer)
{
    private_text_free(&answer->body);
    private_text_free(&answer->request_body);
}

const char *call_outcome_name(enum call_outcome outcome)
{
    switch (outcome) {
    case CALL_ANSWERED: return "answered";
    case CALL_TIMED_OUT: return "timed_out";
    case CALL_UNREACHABLE: return "unreachable";
    case CALL_BROKEN: return "broken";
    case CALL_TOO_LARGE: return "too_large";
    case CALL_HELD_BACK: return "held_back";
    }
    abort();
}

void call_cancel(struct call *call)
{
    if (call == NULL)
        return;
    assert(!call->is_telling);
    call->is_easy_spent = true;
    leave(call);
    call_free(call);
}
