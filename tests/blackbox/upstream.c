/*
 * listen > accept > upstream_read > record > choose > answer, one thread for each
 * connection.
 */
#include "upstream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http.h"
#include "upstream_answer.h"
#include "upstream_request.h"

#define MOST_CALLS       8192
#define MOST_CONNECTIONS 4096

struct queue {
    struct saying *sayings; /* owned, and their texts */
    size_t count;
    size_t taken;
};

struct upstream {
    int listener; /* owned */
    int port;
    char base_url[64];
    pthread_t accepting;
    pthread_t threads[MOST_CONNECTIONS];
    int descriptors[MOST_CONNECTIONS]; /* -1 once its thread has closed it */
    size_t connections;

    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t changed;
    struct queue queues[ROLE_COUNT];
    struct call *calls[MOST_CALLS]; /* owned */
    size_t call_count;
    size_t question_count;
    bool keeps_asking;
    bool has_refrain[ROLE_COUNT];
    struct saying refrains[ROLE_COUNT]; /* owned texts: said when nothing is scripted */
    bool is_held[ROLE_COUNT];
    atomic_bool is_closing;
    char *complaint; /* owned; the first thing that went wrong */
};

struct seat {
    struct upstream *upstream; /* borrowed */
    size_t index;              /* of the connection */
};

static void *accept_connections(void *context);
static void *serve_connection(void *context);
static struct saying choose(struct upstream *upstream, struct call *call);

struct upstream *upstream_open(void)
{
    struct upstream *upstream = calloc(1, sizeof *upstream);

    if (!upstream)
        abort();
    pthread_mutex_init(&upstream->lock, NULL);
    pthread_cond_init(&upstream->changed, NULL);
    upstream->listener = listen_on_free_port(&upstream->port);
    snprintf(upstream->base_url, sizeof upstream->base_url,
             "http://127.0.0.1:%d/openai/v1", upstream->port);
    pthread_create(&upstream->accepting, NULL, accept_connections, upstream);
    return upstream;
}

static void *accept_connections(void *context)
{
    struct upstream *upstream = context;

    for (;;) {
        int descriptor = accept4(upstream->listener, NULL, NULL, SOCK_CLOEXEC);
        pthread_mutex_lock(&upstream->lock);
        bool is_closing = upstream->is_closing;
        if (is_closing || descriptor < 0 || upstream->connections == MOST_CONNECTIONS) {
            pthread_mutex_unlock(&upstream->lock);
            if (descriptor >= 0)
                close(descriptor);
            if (is_closing)
                return NULL;
            continue;
        }
        int yes = 1; /* or a reply in two writes waits for the other side's delayed ACK */
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        struct seat *seat = calloc(1, sizeof *seat);
        if (!seat)
            abort();
        seat->upstream = upstream;
        seat->index = upstream->connections++;
        upstream->descriptors[seat->index] = descriptor;
        pthread_create(&upstream->threads[seat->index], NULL, serve_connection, seat);
        pthread_mutex_unlock(&upstream->lock);
    }
}

static void free_texts(struct saying *saying)
{
    free((char *)saying->body);
    free((char *)saying->headers);
}

static void *serve_connection(void *context)
{
    struct seat *seat = context;
    struct upstream *upstream = seat->upstream;
    int descriptor = upstream->descriptors[seat->index];
    struct bytes received = {0};
    struct call *call;

    while ((call = upstream_read(descriptor, &received)) != NULL) {
        struct saying saying = choose(upstream, call);
        bool goes_on = upstream_answer(descriptor, &saying, &upstream->is_closing);
        free_texts(&saying);
        if (!goes_on)
            break;
    }
    bytes_free(&received);
    pthread_mutex_lock(&upstream->lock);
    close(descriptor);
    upstream->descriptors[seat->index] = -1;
    pthread_mutex_unlock(&upstream->lock);
    free(seat);
    return NULL;
}

static char *copy(const char *text)
{
    char *result = text ? strdup(text) : NULL;

    if (text && !result)
        abort();
    return result;
}

static struct saying copy_saying(struct saying saying)
{
    if (saying.body && saying.body_size == 0)
        saying.body_size = strlen(saying.body);
    if (saying.body) {
        struct bytes body = {0};
        bytes_add(&body, saying.body, saying.body_size);
        saying.body = body.data;
    }
    saying.headers = copy(saying.headers);
    return saying;
}

static struct saying next_question(struct upstream *upstream, const struct call *call)
{
    char question[128];

    snprintf(question, sizeof question,
             "Question %zu " MODEL_CANARY ": what did you do then?",
             ++upstream->question_count);
    char *content = call->is_summary ? good_summary() : good_reply(question);
    char *body = completion(content, "stop");
    free(content);
    return (struct saying){.body = body, .body_size = strlen(body)};
}

static void complain(struct upstream *upstream, const char *what, const struct call *call)
{
    if (upstream->complaint)
        return;
    if (asprintf(&upstream->complaint, "%s%s%s", what, call ? ":\n" : "",
                 call ? call->body.data : "") < 0)
        abort();
}

/* Records the call and takes what the script says next, once the upstream is not held. */
static struct saying choose(struct upstream *upstream, struct call *call)
{
    struct saying saying = {.status = 500};

    pthread_mutex_lock(&upstream->lock);
    struct queue *queue = &upstream->queues[call->role];
    bool asks = call->role == ROLE_ANSWER || call->role == ROLE_SUMMARY;
    if (upstream->call_count == MOST_CALLS)
        abort();
    upstream->calls[upstream->call_count++] = call;
    if (queue->taken < queue->count) {
        saying = queue->sayings[queue->taken++];
    } else if (upstream->keeps_asking && asks) {
        saying = next_question(upstream, call);
    } else if (upstream->has_refrain[call->role]) {
        saying = copy_saying(upstream->refrains[call->role]);
    } else {
        complain(upstream, "a call to the provider that the story did not expect", call);
        saying = copy_saying((struct saying){.status = 500, .body = "{}"});
    }
    pthread_cond_broadcast(&upstream->changed);
    while (upstream->is_held[call->role] && !upstream->is_closing)
        pthread_cond_wait(&upstream->changed, &upstream->lock);
    pthread_mutex_unlock(&upstream->lock);
    return saying;
}

static void enqueue(struct upstream *upstream, struct queue *queue, struct saying saying)
{
    saying = copy_saying(saying);
    pthread_mutex_lock(&upstream->lock);
    queue->sayings = realloc(queue->sayings, (queue->count + 1) * sizeof *queue->sayings);
    if (!queue->sayings)
        abort();
    queue->sayings[queue->count++] = saying;
    pthread_mutex_unlock(&upstream->lock);
}

void upstream_will(struct upstream *upstream, struct saying saying)
{
    enqueue(upstream, &upstream->queues[ROLE_ANSWER], saying);
}

void upstream_will_summarise(struct upstream *upstream, struct saying saying)
{
    enqueue(upstream, &upstream->queues[ROLE_SUMMARY], saying);
}

void upstream_will_hear(struct upstream *upstream, struct saying saying)
{
    enqueue(upstream, &upstream->queues[ROLE_HEARING], saying);
}

void upstream_will_speak(struct upstream *upstream, struct saying saying)
{
    enqueue(upstream, &upstream->queues[ROLE_SPEAKING], saying);
}

void upstream_always_as(struct upstream *upstream, enum role role, struct saying saying)
{
    saying = copy_saying(saying);
    pthread_mutex_lock(&upstream->lock);
    free_texts(&upstream->refrains[role]);
    upstream->refrains[role] = saying;
    upstream->has_refrain[role] = true;
    pthread_mutex_unlock(&upstream->lock);
}

void upstream_always(struct upstream *upstream, struct saying saying)
{
    for (enum role role = 0; role < ROLE_COUNT; role++)
        upstream_always_as(upstream, role, saying);
}

static void set_flag(struct upstream *upstream, bool *flag, bool value)
{
    pthread_mutex_lock(&upstream->lock);
    *flag = value;
    pthread_cond_broadcast(&upstream->changed);
    pthread_mutex_unlock(&upstream->lock);
}

void upstream_keeps_asking(struct upstream *upstream)
{
    set_flag(upstream, &upstream->keeps_asking, true);
}

void upstream_hold(struct upstream *upstream)
{
    for (enum role role = 0; role < ROLE_COUNT; role++)
        upstream_hold_as(upstream, role);
}

void upstream_hold_as(struct upstream *upstream, enum role role)
{
    set_flag(upstream, &upstream->is_held[role], true);
}

void upstream_release(struct upstream *upstream)
{
    for (enum role role = 0; role < ROLE_COUNT; role++)
        set_flag(upstream, &upstream->is_held[role], false);
}

void upstream_await_calls(struct upstream *upstream, size_t count)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += LONGEST_WAIT_S;
    pthread_mutex_lock(&upstream->lock);
    while (upstream->call_count < count) {
        if (pthread_cond_timedwait(&upstream->changed, &upstream->lock, &limit) != 0) {
            complain(upstream,
                     "the call to the provider that the story awaits never came", NULL);
            break;
        }
    }
    pthread_mutex_unlock(&upstream->lock);
}

size_t upstream_call_count(struct upstream *upstream)
{
    pthread_mutex_lock(&upstream->lock);
    size_t count = upstream->call_count;
    pthread_mutex_unlock(&upstream->lock);
    return count;
}

size_t upstream_connection_count(struct upstream *upstream)
{
    pthread_mutex_lock(&upstream->lock);
    size_t count = upstream->connections;
    pthread_mutex_unlock(&upstream->lock);
    return count;
}

const struct call *upstream_call(struct upstream *upstream, size_t index)
{
    static const struct call none;

    upstream_await_calls(upstream, index + 1);
    pthread_mutex_lock(&upstream->lock);
    const struct call *call =
        index < upstream->call_count ? upstream->calls[index] : &none;
    pthread_mutex_unlock(&upstream->lock);
    return call;
}

const struct call *upstream_call_as(struct upstream *upstream, enum role role,
                                    size_t index)
{
    const struct call *found = NULL;

    pthread_mutex_lock(&upstream->lock);
    for (size_t i = 0; i < upstream->call_count && !found; i++) {
        if (upstream->calls[i]->role == role && index-- == 0)
            found = upstream->calls[i];
    }
    pthread_mutex_unlock(&upstream->lock);
    return found;
}

size_t upstream_call_count_as(struct upstream *upstream, enum role role)
{
    size_t count = 0;

    while (upstream_call_as(upstream, role, count))
        count++;
    return count;
}

const char *upstream_base_url(const struct upstream *upstream)
{
    return upstream->base_url;
}

int upstream_port(const struct upstream *upstream)
{
    return upstream->port;
}

static void queue_free(struct upstream *upstream, struct queue *queue)
{
    if (queue->taken < queue->count)
        complain(upstream, "a scripted call to the provider never came", NULL);
    for (size_t i = queue->taken; i < queue->count; i++)
        free_texts(&queue->sayings[i]);
    free(queue->sayings);
}

char *upstream_close(struct upstream *upstream)
{
    if (!upstream)
        return NULL;
    upstream->is_closing = true;
    upstream_release(upstream);
    shutdown(upstream->listener, SHUT_RDWR);
    pthread_join(upstream->accepting, NULL);
    pthread_mutex_lock(&upstream->lock);
    for (size_t i = 0; i < upstream->connections; i++) {
        if (upstream->descriptors[i] >= 0)
            shutdown(upstream->descriptors[i], SHUT_RDWR);
    }
    pthread_mutex_unlock(&upstream->lock);
    for (size_t i = 0; i < upstream->connections; i++)
        pthread_join(upstream->threads[i], NULL);
    close(upstream->listener);
    for (enum role role = 0; role < ROLE_COUNT; role++) {
        queue_free(upstream, &upstream->queues[role]);
        free_texts(&upstream->refrains[role]);
    }
    for (size_t i = 0; i < upstream->call_count; i++)
        upstream_call_free(upstream->calls[i]);
    char *complaint = upstream->complaint;
    free(upstream);
    return complaint;
}
