/*
 * accept > read_request > tell or speak, one thread for each connection.
 */
#include "upstream_stream.h"

#include <json-c/json.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http.h"

#define MOST_CONNECTIONS 64
#define WAV_BYTES        (44 + 1600)

struct streamer {
    int listener; /* owned */
    char coach_url[64];
    char speaker_url[64];
    pthread_t accepting;
    pthread_t threads[MOST_CONNECTIONS];
    int descriptors[MOST_CONNECTIONS]; /* -1 once its thread has closed it */
    size_t connections;

    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t changed;
    const struct stream_piece *pieces; /* borrowed from the story */
    int speech_ms;
    bool is_cued;
    bool is_closing;
    size_t speech_calls;
    struct bytes asked;  /* owned: the body of the last call for an answer */
    struct bytes spoken; /* owned: the same, for speech */
};

struct place {
    struct streamer *streamer; /* borrowed */
    size_t index;              /* of the connection */
};

static void *accept_connections(void *context);
static void *serve_connection(void *context);
static bool read_request(int descriptor, struct bytes *head, struct bytes *body);
static bool tell(struct streamer *streamer, int descriptor,
                 const struct stream_piece *piece);
static bool await_moment(struct streamer *streamer, const struct stream_piece *piece);
static bool speak(struct streamer *streamer, int descriptor);

struct streamer *streamer_open(void)
{
    struct streamer *streamer = calloc(1, sizeof *streamer);
    int port;

    if (!streamer)
        abort();
    pthread_mutex_init(&streamer->lock, NULL);
    pthread_cond_init(&streamer->changed, NULL);
    streamer->listener = listen_on_free_port(&port);
    snprintf(streamer->coach_url, sizeof streamer->coach_url,
             "http://127.0.0.1:%d/openai/v1", port);
    snprintf(streamer->speaker_url, sizeof streamer->speaker_url, "http://127.0.0.1:%d",
             port);
    pthread_create(&streamer->accepting, NULL, accept_connections, streamer);
    return streamer;
}

static void *accept_connections(void *context)
{
    struct streamer *streamer = context;

    for (;;) {
        int descriptor = accept4(streamer->listener, NULL, NULL, SOCK_CLOEXEC);
        if (descriptor < 0)
            return NULL;
        struct place *place = calloc(1, sizeof *place);
        if (!place || streamer->connections == MOST_CONNECTIONS)
            abort();
        pthread_mutex_lock(&streamer->lock);
        *place = (struct place){streamer, streamer->connections++};
        streamer->descriptors[place->index] = descriptor;
        pthread_create(&streamer->threads[place->index], NULL, serve_connection, place);
        pthread_mutex_unlock(&streamer->lock);
    }
}

/* Keeps the body of a request.  The pieces of its reply; NULL: it was for speech. */
static const struct stream_piece *record(struct streamer *streamer,
                                         const struct bytes *head, struct bytes *body)
{
    const struct stream_piece *pieces;
    bool is_speech = bytes_has(head, "POST /v1/speak");
    struct bytes *last = is_speech ? &streamer->spoken : &streamer->asked;

    pthread_mutex_lock(&streamer->lock);
    bytes_free(last);
    *last = *body;
    *body = (struct bytes){0};
    streamer->speech_calls += is_speech;
    pieces = is_speech ? NULL : streamer->pieces;
    pthread_cond_broadcast(&streamer->changed);
    pthread_mutex_unlock(&streamer->lock);
    return pieces;
}

static void *serve_connection(void *context)
{
    struct place place = *(struct place *)context;
    struct streamer *streamer = place.streamer;
    struct bytes head = {0}, body = {0};
    int descriptor = streamer->descriptors[place.index];
    bool goes_on = true;

    free(context);
    while (goes_on && read_request(descriptor, &head, &body)) {
        const struct stream_piece *pieces = record(streamer, &head, &body);

        goes_on =
            pieces ? tell(streamer, descriptor, pieces) : speak(streamer, descriptor);
    }
    bytes_free(&head);
    bytes_free(&body);
    pthread_mutex_lock(&streamer->lock);
    close(descriptor);
    streamer->descriptors[place.index] = -1;
    pthread_mutex_unlock(&streamer->lock);
    return NULL;
}

/* Nobody pipelines: a request ends where its bytes do. */
static bool read_request(int descriptor, struct bytes *head, struct bytes *body)
{
    char block[65536], length[32];
    size_t wanted = 0;

    bytes_free(head);
    bytes_free(body);
    do {
        ssize_t size = recv(descriptor, block, sizeof block, 0);
        if (size <= 0)
            return false;
        bytes_add(wanted ? body : head, block, (size_t)size);
        char *end = wanted ? NULL : strstr(head->data, "\r\n\r\n");
        if (end) {
            size_t head_size = (size_t)(end - head->data) + 4;
            if (head_header(head, "Content-Length", length, sizeof length))
                wanted = strtoul(length, NULL, 10);
            bytes_add(body, head->data + head_size, head->size - head_size);
        }
    } while (wanted == 0 || body->size < wanted);
    return true;
}

static bool send_bytes(int descriptor, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(descriptor, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        data += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* One event as one chunk of HTTP's chunked coding. */
static bool send_event(int descriptor, const char *data)
{
    struct bytes event = {0};

    bytes_addf(&event, "%zx\r\ndata: %s\n\n\r\n", strlen("data: \n\n") + strlen(data),
               data);
    bool is_sent = send_bytes(descriptor, event.data, event.size);
    bytes_free(&event);
    return is_sent;
}

static bool send_text(int descriptor, const char *text)
{
    struct json_object *json = json_object_new_string(text);
    struct bytes chunk = {0};

    bytes_addf(
        &chunk,
        "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
        "\"model\":\"openai/gpt-oss-120b\",\"choices\":[{\"index\":0,\"delta\":"
        "{\"content\":%s},\"logprobs\":null,\"finish_reason\":null}]}",
        json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
    bool is_sent = send_event(descriptor, chunk.data);
    bytes_free(&chunk);
    json_object_put(json);
    return is_sent;
}

/* A reply in pieces; false: the connection is to be closed. */
static bool tell(struct streamer *streamer, int descriptor,
                 const struct stream_piece *piece)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";

    if (!send_bytes(descriptor, head, sizeof head - 1))
        return false;
    for (; piece->text || piece->event || piece->cuts; piece++) {
        if (!await_moment(streamer, piece) || piece->cuts)
            return false;
        if (!(piece->text ? send_text(descriptor, piece->text)
                          : send_event(descriptor, piece->event)))
            return false;
    }
    return send_bytes(descriptor, "0\r\n\r\n", 5);
}

static void wait_ms(int ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&time, NULL);
}

/* false: the story is over, or has waited too long. */
static bool await_moment(struct streamer *streamer, const struct stream_piece *piece)
{
    struct timespec limit;
    bool has_come;

    if (piece->moment == AFTER_MS)
        wait_ms(piece->ms);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += LONGEST_WAIT_S;
    pthread_mutex_lock(&streamer->lock);
    for (;;) {
        has_come = (piece->moment != AFTER_SPEECH || streamer->speech_calls > 0) &&
                   (piece->moment != AFTER_CUE || streamer->is_cued);
        if (has_come || streamer->is_closing ||
            pthread_cond_timedwait(&streamer->changed, &streamer->lock, &limit) != 0)
            break;
    }
    pthread_mutex_unlock(&streamer->lock);
    return has_come;
}

/* A tenth of a second of silence: RIFF WAVE, 16 bits, one channel, 8 kHz. */
static bool speak(struct streamer *streamer, int descriptor)
{
    static const char wav[WAV_BYTES] = "RIFF\x64\x06\0\0WAVEfmt \x10\0\0\0\1\0\1\0"
                                       "\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"
                                       "data\x40\x06\0";
    struct bytes head = {0};

    pthread_mutex_lock(&streamer->lock);
    int ms = streamer->speech_ms;
    pthread_mutex_unlock(&streamer->lock);
    wait_ms(ms);
    bytes_addf(&head,
               "HTTP/1.1 200 OK\r\nContent-Type: audio/wav\r\nContent-Length: %d\r\n\r\n",
               WAV_BYTES);
    bool is_sent = send_bytes(descriptor, head.data, head.size) &&
                   send_bytes(descriptor, wav, sizeof wav);
    bytes_free(&head);
    return is_sent;
}

/* ---- for the story ---- */

void streamer_will(struct streamer *streamer, const struct stream_piece *pieces)
{
    pthread_mutex_lock(&streamer->lock);
    streamer->pieces = pieces;
    pthread_mutex_unlock(&streamer->lock);
}

void streamer_speaks_for(struct streamer *streamer, int ms)
{
    pthread_mutex_lock(&streamer->lock);
    streamer->speech_ms = ms;
    pthread_mutex_unlock(&streamer->lock);
}

static void set_flag(struct streamer *streamer, bool *flag)
{
    pthread_mutex_lock(&streamer->lock);
    *flag = true;
    pthread_cond_broadcast(&streamer->changed);
    pthread_mutex_unlock(&streamer->lock);
}

void streamer_cue(struct streamer *streamer)
{
    set_flag(streamer, &streamer->is_cued);
}

const char *streamer_coach_url(const struct streamer *streamer)
{
    return streamer->coach_url;
}

const char *streamer_speaker_url(const struct streamer *streamer)
{
    return streamer->speaker_url;
}

size_t streamer_speech_calls(struct streamer *streamer)
{
    pthread_mutex_lock(&streamer->lock);
    size_t calls = streamer->speech_calls;
    pthread_mutex_unlock(&streamer->lock);
    return calls;
}

static bool has(struct streamer *streamer, const struct bytes *bytes, const char *part)
{
    pthread_mutex_lock(&streamer->lock);
    bool is_there = bytes->size > 0 && bytes_has(bytes, part);
    pthread_mutex_unlock(&streamer->lock);
    return is_there;
}

bool streamer_was_asked_for_an_answer_with(struct streamer *streamer, const char *part)
{
    return has(streamer, &streamer->asked, part);
}

bool streamer_was_asked_to_speak(struct streamer *streamer, const char *part)
{
    return has(streamer, &streamer->spoken, part);
}

void streamer_close(struct streamer *streamer)
{
    set_flag(streamer, &streamer->is_closing);
    shutdown(streamer->listener, SHUT_RDWR);
    pthread_join(streamer->accepting, NULL);
    close(streamer->listener);
    pthread_mutex_lock(&streamer->lock);
    for (size_t i = 0; i < streamer->connections; i++)
        if (streamer->descriptors[i] >= 0)
            shutdown(streamer->descriptors[i], SHUT_RDWR);
    pthread_mutex_unlock(&streamer->lock);
    for (size_t i = 0; i < streamer->connections; i++)
        pthread_join(streamer->threads[i], NULL);
    bytes_free(&streamer->asked);
    bytes_free(&streamer->spoken);
    free(streamer);
}
