/*
 * The descriptors and timers of curl on the loop (libcurl's "multi socket" interface).
 *
 *   uv_poll, uv_timer  >  curl_multi_socket_action()  >  what came, what has ended
 *
 * A connection stays registered with the loop from call_wire_open() to call_wire_close(),
 * although curl takes its interest away between transfers and gives it back with the
 * next: each change would cost two system calls.  What becomes readable while nobody is
 * interested (the other side has closed it, or says something out of turn) is no longer
 * watched, and no longer counted as warm.
 *
 * A socket that has not connected yet is curl's own affair: libcurl 7.88 closes one without
 * a word (cf_socket_close(), "not active"), when its call is cancelled or another address
 * of the host is tried.  So its wire ends with curl's interest in it, and a wire that is
 * found in the place of a new socket is one whose socket has been closed so.
 */
#include "call_internal.h"

#include "mem.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct wire {
    uv_poll_t poll;      /* the first member: a handle of the loop is cast back */
    struct shard *shard; /* borrowed */
    /* Borrowed; NULL: no connection of ours, but e.g. the resolver's pipe */
    struct home *home;
    int descriptor;     /* owned by curl, or by call_wire_close() */
    int wanted;         /* UV_READABLE and UV_WRITABLE, as curl wants it */
    int watched;        /* the same, as the loop watches it */
    bool is_counted;    /* in home->connections */
    bool has_connected; /* curl has wanted to read from it, which it does no sooner */
};

static int on_interest(CURL *easy, curl_socket_t descriptor, int what, void *context,
                       void *socket_context);
static void on_ready(uv_poll_t *poll, int status, int events);
static int on_timeout_wish(CURLM *multi, long timeout_ms, void *context);
static void on_timer(uv_timer_t *timer);
static void kick(void *context);

static void must(int uv_status)
{
    if (uv_status != 0)
        abort(); /* libuv refuses only what is no socket, or is registered already */
}

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

void call_wires_attach(struct shard *shard)
{
    shard->timer = MEM_NEW(uv_timer_t);
    shard->timer->data = shard;
    must(uv_timer_init(loop_uv(shard->pool->loop), shard->timer));

    curl_multi_setopt(shard->multi, CURLMOPT_SOCKETFUNCTION, on_interest);
    curl_multi_setopt(shard->multi, CURLMOPT_SOCKETDATA, shard);
    curl_multi_setopt(shard->multi, CURLMOPT_TIMERFUNCTION, on_timeout_wish);
    curl_multi_setopt(shard->multi, CURLMOPT_TIMERDATA, shard);
}

void call_wires_detach(struct shard *shard)
{
    if (shard->timer == NULL)
        return;
    curl_multi_setopt(shard->multi, CURLMOPT_TIMERFUNCTION, NULL);
    loop_forget(shard->pool->loop, kick, shard);
    uv_close((uv_handle_t *)shard->timer, free_handle);
    shard->timer = NULL;
}

/* ---- descriptors ---- */

static struct wire **wire_slot(struct call_pool *pool, int descriptor)
{
    size_t index = (size_t)descriptor;

    if (index >= pool->wires_capacity) {
        size_t capacity = (index + 1) * 2; /* the system limits descriptors */

        pool->wires = mem_realloc(pool->wires, capacity * sizeof(*pool->wires));
        for (size_t i = pool->wires_capacity; i < capacity; i++)
            pool->wires[i] = NULL;
        pool->wires_capacity = capacity;
    }
    return &pool->wires[index];
}

static void wire_count(struct wire *wire, bool is_counted)
{
    if (wire->home == NULL || wire->is_counted == is_counted)
        return;
    wire->is_counted = is_counted;
    if (is_counted)
        wire->home->connections++;
    else
        wire->home->connections--;
}

static void wire_free(struct wire *wire)
{
    wire_count(wire, false);
    *wire_slot(wire->shard->pool, wire->descriptor) = NULL;
    uv_close((uv_handle_t *)&wire->poll, free_handle);
}

static struct wire *wire_new(struct shard *shard, int descriptor)
{
    struct wire *wire = *wire_slot(shard->pool, descriptor);

    if (wire != NULL)
        wire_free(wire);
    wire = MEM_NEW(struct wire);
    wire->shard = shard;
    wire->descriptor = descriptor;
    must(uv_poll_init_socket(loop_uv(shard->pool->loop), &wire->poll, descriptor));
    *wire_slot(shard->pool, descriptor) = wire;
    return wire;
}

static void wire_watch(struct wire *wire, int events)
{
    if (events == wire->watched)
        return;
    wire->watched = events;
    if (events == 0)
        uv_poll_stop(&wire->poll);
    else
        must(uv_poll_start(&wire->poll, events, on_ready));
}

/* CURLOPT_OPENSOCKETFUNCTION */
curl_socket_t call_wire_open(void *context, curlsocktype purpose,
                             struct curl_sockaddr *address)
{
    struct home *home = context;
    int descriptor =
        socket(address->family, address->socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
               address->protocol);
    struct wire *wire;

    (void)purpose;
    if (descriptor < 0)
        return CURL_SOCKET_BAD;
    wire = wire_new(home->shard, descriptor);
    wire->home = home;
    wire_count(wire, true);
    return descriptor;
}

/* CURLOPT_CLOSESOCKETFUNCTION */
int call_wire_close(void *context, curl_socket_t descriptor)
{
    struct home *home = context;
    struct wire *wire = *wire_slot(home->shard->pool, descriptor);

    if (wire != NULL) /* else it never connected */
        wire_free(wire);
    return close(descriptor);
}

/* CURLMOPT_SOCKETFUNCTION */
static int on_interest(CURL *easy, curl_socket_t descriptor, int what, void *context,
                       void *socket_context)
{
    struct shard *shard = context;
    struct wire *wire = *wire_slot(shard->pool, descriptor);

    (void)easy;
    (void)socket_context;
    if (wire == NULL && what == CURL_POLL_REMOVE)
        return 0; /* closed before */
    if (wire == NULL)
        wire = wire_new(shard, descriptor);

    if (what != CURL_POLL_REMOVE) {
        wire->wanted = ((what & CURL_POLL_IN) != 0 ? UV_READABLE : 0) |
                       ((what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0);
        wire->has_connected |= (wire->wanted & UV_READABLE) != 0;
        wire_watch(wire, wire->wanted);
        wire_count(wire, true);
    } else if (wire->home == NULL || !wire->has_connected) {
        wire_free(wire);
    } else {
        wire->wanted = 0; /* between transfers */
    }
    return 0;
}

/* Lets curl work, then hands out what it has received, then what it has ended. */
static void drive(struct shard *shard, curl_socket_t descriptor, int events)
{
    CURLMsg *message;
    int count;

    curl_multi_socket_action(shard->multi, descriptor, events, &count);
    call_tell_bytes(shard);
    while ((message = curl_multi_info_read(shard->multi, &count)) != NULL) {
        CURL *easy = message->easy_handle;
        CURLcode code = message->data.result;
        struct call *call;

        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&call);
        call_end(call, code); /* ends the life of `message` */
    }
}

/* An error is told to curl as what it waits for, so that it meets the error itself: told
 * of CURL_CSELECT_ERR alone it ends the call, also where it could try again on a new
 * connection. */
static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct wire *wire = (struct wire *)poll;
    int mask = 0;

    if (status < 0) {
        wire->watched = 0; /* libuv has stopped it */
        events = wire->wanted;
    }
    if (wire->wanted == 0) {
        wire_watch(wire, 0);
        wire_count(wire, false);
        return;
    }
    if ((events & UV_READABLE) != 0)
        mask |= CURL_CSELECT_IN;
    if ((events & UV_WRITABLE) != 0)
        mask |= CURL_CSELECT_OUT;
    drive(wire->shard, wire->descriptor, mask);
}

/* ---- time ---- */

/* CURLMOPT_TIMERFUNCTION.  0 comes with every new call: put off, so that the calls that
 * are started in one tick are driven at once, and never from inside call_start(). */
static int on_timeout_wish(CURLM *multi, long timeout_ms, void *context)
{
    struct shard *shard = context;

    (void)multi;
    if (timeout_ms > 0)
        must(uv_timer_start(shard->timer, on_timer, (uint64_t)timeout_ms, 0));
    else
        uv_timer_stop(shard->timer); /* -1: delete the timer */

    if (timeout_ms == 0 && !shard->is_kicked) {
        shard->is_kicked = true;
        loop_later(shard->pool->loop, kick, shard);
    }
    return 0;
}

static void kick(void *context)
{
    struct shard *shard = context;

    shard->is_kicked = false;
    drive(shard, CURL_SOCKET_TIMEOUT, 0);
}

static void on_timer(uv_timer_t *timer)
{
    drive(timer->data, CURL_SOCKET_TIMEOUT, 0);
}
