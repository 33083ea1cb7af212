/*
 * Whole connections to the real service, on a thread of this process and over loopback: several
 * requests, in any pieces, and every way to leave.
 *
 * The first byte of an input says how the client leaves, and how often it sends all before; pieces stand between lines of dashes, and each
 * is sent by itself.  In them @S and @T stand for a session that there is and its token.
 *
 * Whatever comes: the next client is answered, and what is answered begins as HTTP does.
 */
#include "fuzz.h"

#include "serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECES_MOST 64
#define TIMES_MOST  8
#define REPLY_BYTES (256 * 1024)
#define PATIENCE_MS 20000 /* with the next client's answer, on a busy machine */

/* How long a connection that is kept open is watched: what is no whole request waits for more. */
#define LINGER_MS 4

static const char HEALTHZ[] =
    "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
static const char START[] =
    "POST /session/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    "Connection: close\r\nContent-Length: 91\r\n\r\n"
    "{\"role\":\"nurse\",\"interview_type\":\"general\",\"difficulty\":\"easy\","
    "\"question_count\":10        }";

static struct {
    in_port_t port; /* network order; 0: not started */
    char directory[32];
    char session_id[64], token[256];
    unsigned long inputs, replies;
} here;

static int open_connection(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = here.port,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in own = {.sin_family = AF_INET,
                              .sin_addr.s_addr =
                                  htonl(INADDR_LOOPBACK + (uint32_t)(here.inputs % 100))};
    int yes = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(descriptor >= 0);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof(yes));
    must(bind(descriptor, (struct sockaddr *)&own, sizeof(own)) == 0);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof(address)) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Tries again: libFuzzer's own timer interrupts, and all ports of an address may be taken by connections
 * that have ended, so each is from another. */
static int reach(void)
{
    for (int tries = 0; tries < 1000; tries++) {
        int descriptor = open_connection();

        if (descriptor >= 0)
            return descriptor;
        poll(NULL, 0, 10);
    }
    abort();
}

/* libFuzzer's own timer interrupts. */
static bool is_ready(int descriptor, short events, int wait_ms)
{
    struct pollfd wanted = {.fd = descriptor, .events = events};
    int ready;

    do {
        ready = poll(&wanted, 1, wait_ms);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* false: the other side takes no more. */
static bool send_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EAGAIN && is_ready(descriptor, POLLOUT, LINGER_MS))
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

/* Reads until the end, or until nothing comes for so long; returns how much. */
static size_t read_replies(int descriptor, char *replies, int silence_ms)
{
    size_t length = 0;

    while (length < REPLY_BYTES - 1 && is_ready(descriptor, POLLIN, silence_ms)) {
        ssize_t got = recv(descriptor, replies + length, REPLY_BYTES - 1 - length, 0);

        if (got <= 0)
            break;
        length += (size_t)got;
    }
    replies[length] = '\0';
    return length;
}

static void exchange(const char *request, char *replies)
{
    int descriptor = reach();

    must(send_all(descriptor, request, strlen(request)));
    must(read_replies(descriptor, replies, PATIENCE_MS) > 0);
    close(descriptor);
}

/* ---- the service ---- */

static void *run_service(void *context)
{
    (void)context;
    serve(0, NULL);
    abort(); /* nobody told it to end */
}

static in_port_t find_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(bind(descriptor, (struct sockaddr *)&address, size) == 0);
    must(getsockname(descriptor, (struct sockaddr *)&address, &size) == 0);
    close(descriptor);
    return address.sin_port;
}

static void copy_member(const char *json, const char *name, char *value, size_t room)
{
    const char *at = strstr(json, name);
    size_t length;

    must(at != NULL);
    at += strlen(name);
    length = strcspn(at, "\"");
    must(length > 0 && length < room);
    memcpy(value, at, length);
    value[length] = '\0';
}

/* At the end: the service is still there, and its files go. */
static void say_counts(void)
{
    static const char *const files[] = {"poise.db", "poise.db-wal", "poise.db-shm"};
    char path[128];

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        snprintf(path, sizeof(path), "%s/%s", here.directory, files[i]);
        unlink(path);
    }
    rmdir(here.directory);
    fprintf(stderr, "%lu connections, %lu replies\n", here.inputs, here.replies);
}

/* Its log goes to standard output, and from there nowhere. */
static void start_service(char *replies)
{
    static const char *const settings[][2] = {
        {"HOST", "127.0.0.1"},
        {"WORKERS", "1"},
        {"STT_PROVIDER", "none"},
        {"TTS_PROVIDER", "none"},
        {"OVERLOAD_LAG_MS", "0"},
        {"OVERLOAD_STORE_MS", "0"},
        {"SAFETY_ENABLED", "false"},
        {"UPLOAD_TIMEOUT_SECONDS", "60"},
        {"MAX_AUDIO_BYTES", "20000"},
        {"CORS_ALLOWED_ORIGINS", "https://a.example"},
        {"ADMIN_KEY", "an-admin-key"},
        {"MAX_CONNECTIONS", "2000"},
        {"SECRET_KEY", "a-secret-of-the-fuzzer-that-signs-tokens-0123456789"},
    };
    char url[128], port[16];
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pthread_t thread;

    must(mkdtemp(strcpy(here.directory, "/tmp/poise-fuzz-XXXXXX")) != NULL &&
         dup2(nowhere, STDOUT_FILENO) >= 0);
    close(nowhere);
    here.port = find_port();
    snprintf(url, sizeof(url), "sqlite:///%s/poise.db", here.directory);
    snprintf(port, sizeof(port), "%u", ntohs(here.port));
    for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
        setenv(settings[i][0], settings[i][1], 1);
    setenv("STORE_URL", url, 1);
    setenv("PORT", port, 1);
    must(pthread_create(&thread, NULL, run_service, NULL) == 0);
    close(reach());
    exchange(START, replies);
    copy_member(replies, "\"session_id\":\"", here.session_id, sizeof(here.session_id));
    copy_member(replies, "\"session_token\":\"", here.token, sizeof(here.token));
    atexit(say_counts);
}

/* ---- one connection ---- */

/* The piece with @S and @T written out, for the caller to free. */
static char *written_out(struct span piece, size_t *ret_length)
{
    char *text = malloc(piece.length * (sizeof(here.token) / 2) + 1);
    size_t length = 0;

    must(text != NULL);
    for (size_t i = 0; i < piece.length; i++) {
        char next = i + 1 < piece.length ? piece.bytes[i + 1] : '\0';
        const char *value = next == 'S' ? here.session_id : here.token;

        if (piece.bytes[i] == '@' && (next == 'S' || next == 'T')) {
            memcpy(text + length, value, strlen(value));
            length += strlen(value);
            i++;
        } else {
            text[length++] = piece.bytes[i];
        }
    }
    *ret_length = length;
    return text;
}

static void send_pieces(int descriptor, struct span input)
{
    struct span piece;

    for (int i = 0; i < PIECES_MOST && fuzz_next(&input, FUZZ_LINE, &piece); i++) {
        size_t length;
        char *text = written_out(piece, &length);
        bool is_taken = send_all(descriptor, text, length);

        free(text);
        if (!is_taken)
            return;
    }
}

enum leaving { HALF_CLOSES, CLOSES, RESETS, WAITS, WAYS };

static void leave(int descriptor, enum leaving way, char *replies)
{
    struct linger at_once = {.l_onoff = 1};
    size_t length = 0;

    if (way == HALF_CLOSES)
        shutdown(descriptor, SHUT_WR);
    if (way == HALF_CLOSES || way == WAITS)
        length = read_replies(descriptor, replies, LINGER_MS);
    must(length < 9 || memcmp(replies, "HTTP/1.", 7) == 0);
    for (const char *at = replies; length > 0 && (at = strstr(at, "HTTP/1.1 ")); at++)
        here.replies++;
    if (way == RESETS)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length);
    unsigned choice = fuzz_choice(&input);
    char *replies = malloc(REPLY_BYTES);
    int descriptor;

    must(replies != NULL);
    if (here.port == 0)
        start_service(replies);
    here.inputs++;
    descriptor = reach();
    for (unsigned times = choice / WAYS % TIMES_MOST + 1; times > 0; times--)
        send_pieces(descriptor, input);
    leave(descriptor, (enum leaving)(choice % WAYS), replies);
    exchange(HEALTHZ, replies);
    must(strncmp(replies, "HTTP/1.1 200", 12) == 0);
    here.replies++;
    free(replies);
    return 0;
}
