/*
 * Requests of every length around what a connection's memory holds.
 *
 * A request is what stands before a piece, so many of these pieces, and what stands behind
 * them; it is whole, so that an answer or the connection's end is due.  After each the next
 * client must be answered.  The lengths go in steps, but one by one around each at which the
 * outcome changes; with POISE_EVERY_LENGTH=1 in the environment every one is tried, and of chunk lines
 * every eighth.
 *
 * Nobody may keep a core busy afterwards: CPU time is taken while an unfinished head waits
 * for its end.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "play.h"
#include "program.h"

TestSuite(parser_edge, .timeout = 900);

/* Twice the connection's memory, as it is and as it may become (http/server.c). */
#define LONGEST_BYTES (2 * 12 * 1024)
#define STEP_BYTES    384  /* and then a sixteenth of that, and then one */
#define AROUND        64   /* pieces on either side of a change */
#define AT_ONCE       2000 /* connections */

#define UNFINISHED "GET / HTTP/1.1\r\n"
#define HEALTHZ    "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

/* --- One request -------------------------------------------------------------------------- */

/* A row's request without a body; with one the method is another and a length comes in. */
struct row {
    const char *name;
    const char *before, *piece, *after; /* the target, or header lines */
    enum {
        IN_METHOD,
        IN_TARGET,
        IN_HEADERS,
        IN_EXTENSION,
        IN_SIZE,
        IN_END,
        IN_TRAILERS
    } place;
};

enum shape { ALONE, WITH_BODY, BEHIND_ANOTHER, CHUNKED };

static const struct row ROWS[] = {
    {"methods", "", "G", "", IN_METHOD},
    {"paths", "/", "a", "", IN_TARGET},
    {"values of an argument", "/?a=", "b", "", IN_TARGET},
    {"escaped values of an argument", "/?a=", "%00", "", IN_TARGET},
    {"arguments with nothing", "/?", "&", "", IN_TARGET},
    {"arguments with a name", "/?", "a&", "", IN_TARGET},
    {"arguments with a value", "/?", "a=b&", "", IN_TARGET},
    {"arguments with an equals sign", "/?", "&=", "", IN_TARGET},
    {"arguments of zeros", "/?", "%00=%00&", "", IN_TARGET},
    {"names of a header", "X", "a", ": b\r\n", IN_HEADERS},
    {"values of a header", "X: ", "b", "\r\n", IN_HEADERS},
    {"blanks before a value", "X:", " ", "b\r\n", IN_HEADERS},
    {"ranges", "Range: bytes=", "0-1,", "2-3\r\n", IN_HEADERS},
    {"headers", "", "a: b\r\n", "", IN_HEADERS},
    {"cookies in a line", "Cookie: ", "a=b; ", "c=d\r\n", IN_HEADERS},
    {"cookies with nothing", "Cookie: ", ";", "\r\n", IN_HEADERS},
    {"lines of cookies", "", "Cookie: a=b\r\n", "", IN_HEADERS},
};

/* Chunked bodies: a library may need a time limit to be rid of a line that does not fit. */
static const struct row CHUNKS[] = {
    {"extensions of a chunk", ";", "x", "", IN_EXTENSION},
    {"a chunk's many extensions", "", ";a=b", "", IN_EXTENSION},
    {"zeros before a size", "", "0", "", IN_SIZE},
    {"extensions of the last chunk", ";", "e", "", IN_END},
    {"zeros of the last chunk", "", "0", "", IN_END},
    {"trailers", "", "a: b\r\n", "", IN_TRAILERS},
    {"names of a trailer", "X", "a", ": b\r\n", IN_TRAILERS},
    {"values of a trailer", "X: ", "b", "\r\n", IN_TRAILERS},
};
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void add_run(struct bytes *bytes, const struct row *row, size_t pieces)
{
    bytes_add_text(bytes, row->before);
    for (size_t i = 0; i < pieces; i++)
        bytes_add_text(bytes, row->piece);
    bytes_add_text(bytes, row->after);
}

static void add_where(struct bytes *bytes, const struct row *row, size_t pieces,
                      int place, const char *otherwise)
{
    if ((int)row->place == place)
        add_run(bytes, row, pieces);
    else
        bytes_add_text(bytes, otherwise);
}

static struct bytes plain_request_of(const struct row *row, size_t pieces,
                                     enum shape shape)
{
    bool has_body = shape == WITH_BODY;
    struct bytes bytes = {0};

    if (shape == BEHIND_ANOTHER)
        bytes_add_text(&bytes, HEALTHZ);
    add_where(&bytes, row, pieces, IN_METHOD, has_body ? "POST" : "GET");
    bytes_add_text(&bytes, " ");
    add_where(&bytes, row, pieces, IN_TARGET, has_body ? "/ask" : "/");
    bytes_add_text(&bytes, " HTTP/1.1\r\nHost: x\r\n");
    add_where(&bytes, row, pieces, IN_HEADERS, "");
    if (has_body)
        bytes_add_text(&bytes, "Content-Type: application/json\r\nContent-Length: 2\r\n");
    bytes_add_text(&bytes, has_body ? "\r\n{}" : "\r\n");
    return bytes;
}

static struct bytes chunked_request_of(const struct row *row, size_t pieces)
{
    struct bytes bytes = {0};

    bytes_add_text(&bytes,
                   "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n");
    add_where(&bytes, row, pieces, IN_SIZE, "");
    bytes_add_text(&bytes, "2");
    add_where(&bytes, row, pieces, IN_EXTENSION, "");
    bytes_add_text(&bytes, "\r\n{}\r\n0");
    add_where(&bytes, row, pieces, IN_END, "");
    bytes_add_text(&bytes, "\r\n");
    add_where(&bytes, row, pieces, IN_TRAILERS, "");
    bytes_add_text(&bytes, "\r\n");
    return bytes;
}

/* --- What comes of it --------------------------------------------------------------------- */

/* The status of the first reply; 0: the connection ended without; -1: silence. */
static int read_status(struct connection *connection)
{
    char block[16384];
    size_t length = 0;

    while (length < strlen("HTTP/1.1 200")) {
        ssize_t size =
            connection_read(connection, block + length, sizeof block - 1 - length);
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return -1;
        if (size <= 0)
            return 0;
        length += (size_t)size;
    }
    block[length] = '\0';
    return atoi(block + strlen("HTTP/1.1 "));
}

static void expect_the_next_is_answered(struct world *world, const char *what,
                                        size_t pieces)
{
    struct connection *next = connection_open(world->port);

    cr_assert_not_null(next, "%zu of %s: nobody listens any more", pieces, what);
    connection_send_text(next, HEALTHZ);
    int status = read_status(next);
    cr_assert(status == 200, "%zu of %s: the next client got %d", pieces, what, status);
    connection_close(next);
}

static struct connection *open_and_send(struct world *world, const void *bytes,
                                        size_t size)
{
    struct connection *connection = connection_open(world->port);

    cr_assert_not_null(connection);
    connection_send(connection, bytes, size);
    return connection;
}

/* One request, and what came of it. */
struct probe {
    const struct row *row; /* borrowed */
    size_t pieces;
    int status; /* of the reply; 0: the connection ended without */
    struct connection *connection;
};

struct probes {
    struct probe *list;
    size_t count, room;
};

static void add_probe(struct probes *probes, const struct row *row, size_t pieces)
{
    if (probes->count == probes->room) {
        probes->room = probes->room ? 2 * probes->room : 1024;
        probes->list = realloc(probes->list, probes->room * sizeof *probes->list);
        cr_assert_not_null(probes->list);
    }
    probes->list[probes->count++] = (struct probe){.row = row, .pieces = pieces};
}

static void send_probe(struct world *world, struct probe *probe, enum shape shape)
{
    struct bytes request = shape == CHUNKED
                               ? chunked_request_of(probe->row, probe->pieces)
                               : plain_request_of(probe->row, probe->pieces, shape);

    probe->connection = open_and_send(world, request.data, request.size);
    bytes_free(&request);
    expect_the_next_is_answered(world, probe->row->name, probe->pieces);
}

/* What does not fit into a chunk line may be ended by the time limit, and nothing else.  (Of two
 * requests only the first's reply is awaited: where the second nearly fills the connection's memory the
 * library waits for more, at no cost, until the time limit for connections that rest.) */
static void await_outcome(struct probe *probe, enum shape shape)
{
    const char *name = probe->row->name;

    probe->status = read_status(probe->connection);
    connection_close(probe->connection);
    cr_assert(probe->status >= 0, "%zu of %s: silence", probe->pieces, name);
    cr_assert(shape == CHUNKED || probe->status != 408,
              "%zu of %s: only the time limit ended it", probe->pieces, name);
    cr_assert(probe->status < 500, "%zu of %s: status %d", probe->pieces, name,
              probe->status);
}

/* Many at once: a request may take a while to end, and nobody else may notice. */
static void run_probes(struct world *world, struct probes *probes, enum shape shape)
{
    for (size_t from = 0; from < probes->count; from += AT_ONCE) {
        size_t to = from + AT_ONCE < probes->count ? from + AT_ONCE : probes->count;

        for (size_t i = from; i < to; i++)
            send_probe(world, &probes->list[i], shape);
        for (size_t i = from; i < to; i++)
            await_outcome(&probes->list[i], shape);
    }
}

static size_t step_of(const struct row *row, size_t bytes)
{
    size_t step = bytes / strlen(row->piece);

    return step == 0 ? 1 : step;
}

static size_t most_pieces(const struct row *row)
{
    return LONGEST_BYTES / strlen(row->piece);
}

/* Adds what lies between two neighbours with different outcomes, and so much around. */
static void refine(const struct probes *rough, struct probes *ret_fine, size_t step_bytes,
                   size_t around)
{
    for (size_t i = 1; i < rough->count; i++) {
        const struct probe *one = &rough->list[i - 1], *other = &rough->list[i];
        size_t from = one->pieces > around ? one->pieces - around : 1;
        size_t to = other->pieces + around;

        if (one->row != other->row || one->status == other->status)
            continue;
        for (; from < to; from += step_of(one->row, step_bytes))
            add_probe(ret_fine, one->row, from);
        add_probe(ret_fine, one->row, to);
    }
}

/* In bytes.  What does not fit into a chunk line ends by a time limit, so these are never all tried. */
static size_t first_step(enum shape shape)
{
    if (getenv("POISE_EVERY_LENGTH"))
        return shape == CHUNKED ? 8 : 1;
    return shape == BEHIND_ANOTHER ? STEP_BYTES / 8 : STEP_BYTES;
}

static void sweep(struct world *world, const struct row *rows, size_t count,
                  enum shape shape)
{
    struct probes rough = {0}, finer = {0}, fine = {0};

    for (const struct row *row = rows; row < rows + count; row++)
        for (size_t pieces = 1; pieces <= most_pieces(row);
             pieces += step_of(row, first_step(shape)))
            add_probe(&rough, row, pieces);
    run_probes(world, &rough, shape);
    refine(&rough, &finer, STEP_BYTES / 16, 0);
    run_probes(world, &finer, shape);
    refine(&finer, &fine, 1, AROUND);
    run_probes(world, &fine, shape);
    free(rough.list);
    free(finer.list);
    free(fine.list);
}

/* --- Cores -------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* While these end, which takes the time limit of a second or more, hardly any CPU time may
 * pass.  They are closed. */
static void expect_idle_until_they_end(struct world *world,
                                       struct connection **connections, size_t count,
                                       const char *after)
{
    char block[4096];
    int64_t since = now_ms();
    int64_t busy = program_cpu_ms(world->program);

    for (size_t i = 0; i < count; i++) {
        while (connection_read(connections[i], block, sizeof block) > 0)
            continue;
        connection_close(connections[i]);
    }
    since = now_ms() - since;
    busy = program_cpu_ms(world->program) - busy;
    cr_assert(since >= 500, "after %s: the head was ended at once", after);
    cr_assert(busy <= since / 4, "after %s: a core was busy for %lld of %lld ms", after,
              (long long)busy, (long long)since);
}

static void expect_idle(struct world *world, const char *after)
{
    struct connection *unfinished = open_and_send(world, UNFINISHED, strlen(UNFINISHED));

    expect_idle_until_they_end(world, &unfinished, 1, after);
}

/* --- The stories -------------------------------------------------------------------------- */

/* Connections of the story's own: more than an ordinary limit of files allows. */
static void raise_own_limit(void)
{
    struct rlimit limit;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void sweep_all(const struct row *rows, size_t count, enum shape shape,
                      const char *time_limit)
{
    raise_own_limit();
    struct world *world = world_with_builtin_coach(time_limit);

    sweep(world, rows, count, shape);
    expect_idle(world, "all rows");
    world_end(world);
}

Test(parser_edge, a_head_of_any_length_leaves_the_next_client_its_answer)
{
    sweep_all(ROWS, COUNT(ROWS), ALONE, "UPLOAD_TIMEOUT_SECONDS=4");
}

Test(parser_edge, a_head_of_any_length_with_a_body_leaves_the_next_client_its_answer)
{
    sweep_all(ROWS, COUNT(ROWS), WITH_BODY, "UPLOAD_TIMEOUT_SECONDS=4");
}

Test(parser_edge, a_head_of_any_length_behind_another_leaves_the_next_client_its_answer)
{
    sweep_all(ROWS, COUNT(ROWS), BEHIND_ANOTHER, "UPLOAD_TIMEOUT_SECONDS=4");
}

Test(parser_edge,
     many_requests_with_arguments_in_a_pipeline_leave_the_next_client_its_answer)
{
    enum { REQUESTS = 40 };
    static const char *const PIECES[] = {"&", "&=", "a&", "a=b&", "%00=%00&"};
    static const size_t NUMBERS[] = {16, 32, 48,  60,  63,  64, 65,
                                     80, 96, 123, 124, 128, 192};
    struct world *world = world_with_builtin_coach();

    struct connection *connections[COUNT(PIECES) * COUNT(NUMBERS)];
    size_t count = 0;
    char block[65536];
    for (size_t piece = 0; piece < COUNT(PIECES); piece++)
        for (size_t number = 0; number < COUNT(NUMBERS); number++) {
            const char *run = repeated(world, PIECES[piece], NUMBERS[number]);
            const char *one = words(world, "GET /?%s HTTP/1.1\r\nHost: x\r\n\r\n", run);
            const char *all = repeated(world, one, REQUESTS);

            connections[count] = open_and_send(world, all, strlen(all));
            connection_half_close(connections[count++]);
            expect_the_next_is_answered(world, PIECES[piece], NUMBERS[number]);
        }

    for (size_t i = 0; i < count; i++) {
        while (connection_read(connections[i], block, sizeof block) > 0)
            continue;
        connection_close(connections[i]);
        expect_the_next_is_answered(world, "pipelines", i);
    }
    world_end(world);
}

Test(parser_edge, chunk_lines_of_any_length_leave_the_next_client_its_answer)
{
    sweep_all(CHUNKS, COUNT(CHUNKS), CHUNKED, "UPLOAD_TIMEOUT_SECONDS=1");
}

/* --- A chunk line that cannot fit --------------------------------------------------------- */

static const char *chunk_line_too_long(struct world *world, int which)
{
    static const char *const BEFORE[] = {"5;", "", "0;"}, *const PIECE[] = {"x", "0",
                                                                            "e"};

    return words(world,
                 "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                 "Transfer-Encoding: chunked\r\n\r\n%s%s",
                 BEFORE[which], repeated(world, PIECE[which], 20000));
}

Test(parser_edge, a_chunk_line_that_does_not_fit_costs_no_core_and_its_connection_ends)
{
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=1");

    struct connection *connections[4];
    for (int which = 0; which < 3; which++) {
        const char *request = chunk_line_too_long(world, which);
        connections[which] = open_and_send(world, request, strlen(request));
    }
    connections[3] = open_and_send(world, UNFINISHED, strlen(UNFINISHED));

    expect_idle_until_they_end(world, connections, 4, "chunk lines that do not fit");
    world_end(world);
}

Test(parser_edge, a_client_that_leaves_behind_its_chunk_line_costs_no_core)
{
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=1");

    for (int which = 0; which < 3; which++) {
        const char *request = chunk_line_too_long(world, which);

        connection_close(open_and_send(world, request, strlen(request)));
        connection_reset(open_and_send(world, request, strlen(request)));
    }
    expect_idle(world, "clients that have left");
    world_end(world);
}

Test(parser_edge, a_drain_ends_whatever_state_strangers_leave_their_connections_in)
{
    enum { DEADLINE_MS = 1000, A_LITTLE_MS = 4000 };
    struct world *world =
        world_with_builtin_coach("TURN_DEADLINE_SECONDS=1", "UPLOAD_TIMEOUT_SECONDS=600");
    static const char *const OTHERS[] = {
        "", "GET /he", "GET / HTTP/1.1\r\nHost: x\r\n",
        "POST /session/start HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        "POST /ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5"};
    struct connection *strangers[3 + COUNT(OTHERS)];
    for (size_t i = 0; i < COUNT(strangers); i++) {
        const char *text = i < 3 ? chunk_line_too_long(world, (int)i) : OTHERS[i - 3];
        strangers[i] = open_and_send(world, text, strlen(text));
    }
    expect_the_next_is_answered(world, "strangers", COUNT(strangers));

    int64_t since = now_ms();
    world_signal(world, SIGTERM);
    int status = world_await_exit(world);

    since = now_ms() - since;
    cr_assert_eq(status, 0);
    cr_assert(since <= DEADLINE_MS + A_LITTLE_MS, "the drain took %lld ms",
              (long long)since);
    for (size_t i = 0; i < COUNT(strangers); i++)
        connection_close(strangers[i]);
    world_end(world);
}

/* --- Headers that say what the body is ---------------------------------------------------- */

static struct connection *post_with(struct world *world, const char *headers)
{
    const char *text = words(world,
                             "POST /session/start HTTP/1.1\r\nHost: x\r\n"
                             "Content-Type: application/json\r\n%s\r\n",
                             headers);

    return open_and_send(world, text, strlen(text));
}

Test(parser_edge, a_transfer_encoding_that_is_not_understood_is_a_400_and_a_close)
{
    static const char *const ENCODINGS[] = {
        "chunked ", "chunked\t",     "chunked, ", "gzip",          "gzip, chunked",
        "identity", "chunked;q=0.5", "xchunked",  "chunked, gzip", "",
    };
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=600");

    for (size_t i = 0; i < COUNT(ENCODINGS); i++) {
        struct connection *connection =
            post_with(world, words(world, "Transfer-Encoding: %s\r\n", ENCODINGS[i]));
        const struct reply *reply = receive(world, connection, "POST");

        cr_assert(reply && reply->status == 400, "%d to \"%s\"",
                  reply ? reply->status : 0, ENCODINGS[i]);
        cr_assert(connection_ends(connection), "goes on after \"%s\"", ENCODINGS[i]);
        connection_close(connection);
    }
    world_end(world);
}

Test(parser_edge, a_length_beyond_all_measure_is_refused_before_the_body)
{
    static const char *const LENGTHS[] = {"100000000000", "4611686018427387903",
                                          "4611686018427387904", "9223372036854775806",
                                          "9223372036854775807"};
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=600");

    for (size_t i = 0; i < COUNT(LENGTHS); i++) {
        struct connection *connection =
            post_with(world, words(world, "Content-Length: %s\r\n", LENGTHS[i]));
        const struct reply *reply = receive(world, connection, "POST");

        cr_assert(reply && reply->status == 413, "%d to %s", reply ? reply->status : 0,
                  LENGTHS[i]);
        expect_error(reply, ERROR_FILE_TOO_LARGE);
        connection_close(connection);
    }
    world_end(world);
}

/* A 400, the connection's end, or, where the library reads over it, the answer: never silence, and
 * never a second answer for what was hidden behind. */
Test(parser_edge, bare_line_ends_and_zeros_in_a_head_are_never_met_with_silence)
{
    static const struct {
        const char *bytes;
        size_t size;
    } HEADS[] = {
#define HEAD(text) {text, sizeof text - 1}
        HEAD("GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n"),
        HEAD("GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\nY: b\r\n\r\n"),
        HEAD("GET /healthz HTTP/1.1\nHost: x\n\n"),
        HEAD("GET /healthz HTTP/1.1\rHost: x\r\r\r\n\r\n"),
        HEAD("GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n"),
        HEAD("GET /healthz HTTP/1.1\r\nHost: x\r\nX\0Y: b\r\n\r\n"),
        HEAD("GET /hea\0lthz HTTP/1.1\r\nHost: x\r\n\r\n"),
        HEAD("GET\0 /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
        HEAD("GET /healthz?\0 HTTP/1.1\r\nHost: x\r\n\r\n"),
        HEAD("\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
        HEAD("GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\0\r\n\r\n"),
        HEAD("GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \0chunked\r\n\r\n"),
        HEAD("GET /healthz HTTP/1.1\r\nHost: x\r\n: no name\r\n\r\n"),
    };
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=600");

    for (size_t i = 0; i < COUNT(HEADS); i++) {
        struct connection *connection =
            open_and_send(world, HEADS[i].bytes, HEADS[i].size);

        connection_half_close(connection);
        int status = read_status(connection);
        cr_assert(status == 0 || status == 200 || (status >= 400 && status < 500),
                  "head %zu: status %d", i, status);
        connection_close(connection);
        expect_the_next_is_answered(world, "odd heads", i);
    }
    world_end(world);
}
