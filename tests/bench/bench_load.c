/*
 * bench_load: keeps N requests under way at a server and measures what becomes of them.
 *
 *   make_sessions > start the clients one by one (ramp) > warm up > measure the window >
 * report
 *
 * One thread, one epoll descriptor, N keep-alive connections; a client sends its next
 * request when it has its reply, so N is also the number in flight.  The ramp spreads the
 * clients over time: without it all N would ask, wait and ask again as one herd.
 *
 * Usage: bench_load --port N [options]; see the table below.  Prints one JSON object.
 * Exit status 1: it could not measure.  A reply other than 200 is an error; the first one
 * is printed.
 */
#include "clock_ns.h"
#include "load_client.h"
#include "process_usage.h"
#include "samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define EVENTS_PER_WAIT 256
#define SESSION_MAKERS  64
#define ERRORS_MAX      100

struct options {
    unsigned long port;
    unsigned long connections;
    unsigned long
        sessions; /* made before the window; 0: the server does not look at them */
    unsigned long ramp_ms, warm_ms, window_ms;
};

struct load {
    struct options options;
    struct process_group servers; /* whose CPU and memory are read */
    struct sockaddr_in address;
    int epoll_fd;
    struct load_client *clients; /* owned */
    size_t clients_started;
    struct load_session *sessions; /* owned */
    size_t sessions_made, sessions_asked, sessions_used;
    bool is_making_sessions;
    bool is_measuring;
    bool ran_dry;    /* no fresh session was left: the window ended early */
    unsigned number; /* of the last answer */
    unsigned long requests, errors;
    int64_t window_began_ns, window_ended_ns;
    struct process_usage idle, before, after;
    struct samples latency, held, added;
};

static void make_sessions(struct load *load);
static void start_client(struct load *load, struct load_client *client);
static void wait_for_events(struct load *load, int64_t until_ns);
static void on_reply(struct load *load, struct load_client *client,
                     const struct load_reply *reply);
static void ask_next(struct load *load, struct load_client *client);
static void measure(struct load *load, const struct load_reply *reply);
static void report(struct load *load);

static void die(const char *what)
{
    fprintf(stderr, "bench_load: %s\n", what);
    exit(1);
}

static void count_error(struct load *load, const char *what, const char *body,
                        size_t body_bytes)
{
    if (load->errors++ == 0)
        fprintf(stderr, "bench_load: first error: %s %.*s\n", what, (int)body_bytes,
                body);
    if (load->errors > ERRORS_MAX)
        die("too many errors");
}

static void send_request(struct load *load, struct load_client *client)
{
    if (load_client_send(client))
        return;
    count_error(load, "connection lost while sending", "", 0);
    if (!load_client_connect(client, &load->address) || !load_client_send(client))
        die("cannot connect again");
}

static void ask_for_session(struct load *load, struct load_client *client)
{
    if (load->sessions_asked == load->options.sessions)
        return;
    load->sessions_asked++;
    client->out_bytes = load_request_write_start(client->out);
    send_request(load, client);
}

static void make_sessions(struct load *load)
{
    load->is_making_sessions = true;
    for (size_t i = 0; i < SESSION_MAKERS && i < load->options.connections; i++) {
        if (!load_client_connect(&load->clients[i], &load->address))
            die("cannot connect");
        ask_for_session(load, &load->clients[i]);
    }
    while (load->sessions_made < load->options.sessions)
        wait_for_events(load, clock_ns() + 1000000000);
    load->is_making_sessions = false;
}

static void start_client(struct load *load, struct load_client *client)
{
    if (client->fd < 0 && !load_client_connect(client, &load->address))
        die(strerror(errno));
    ask_next(load, client);
}

/* Handles what happens up to `until_ns`, which may be nothing. */
static void wait_for_events(struct load *load, int64_t until_ns)
{
    struct epoll_event events[EVENTS_PER_WAIT];
    int64_t left_ns = until_ns - clock_ns();
    struct timespec pause = clock_ns_to_timespec(left_ns < 0 ? 0 : left_ns);

    int count = epoll_pwait2(load->epoll_fd, events, EVENTS_PER_WAIT, &pause, NULL);
    if (count < 0 && errno != EINTR)
        die(strerror(errno));
    for (int i = 0; i < count; i++) {
        struct load_client *client = events[i].data.ptr;
        struct load_reply reply;
        switch (load_client_on_event(client, &reply)) {
        case LOAD_WAITING: break;
        case LOAD_REPLIED: on_reply(load, client, &reply); break;
        case LOAD_LOST:
            count_error(load, "connection lost while waiting", "", 0);
            if (!load_client_connect(client, &load->address))
                die("cannot connect again");
            client->turns_left = 0;
            ask_next(load, client);
            break;
        }
    }
}

static void on_reply(struct load *load, struct load_client *client,
                     const struct load_reply *reply)
{
    if (reply->status != 200) {
        char what[32];
        snprintf(what, sizeof what, "status %d", reply->status);
        count_error(load, what, reply->body, reply->body_bytes);
        client->turns_left = 0;
    } else if (load->is_making_sessions) {
        if (!load_session_read(reply->body, reply->body_bytes,
                               &load->sessions[load->sessions_made++]))
            die("a session/start reply without a session");
    } else if (load->is_measuring) {
        measure(load, reply);
    }
    ask_next(load, client);
}

static void ask_next(struct load *load, struct load_client *client)
{
    if (load->is_making_sessions) {
        ask_for_session(load, client);
        return;
    }
    if (client->turns_left == 0 && load->options.sessions > 0) {
        if (load->sessions_used == load->sessions_made) {
            load->ran_dry = true;
            return;
        }
        client->session = load->sessions[load->sessions_used++];
        client->turns_left = LOAD_TURNS_PER_SESSION;
    }
    if (client->turns_left > 0)
        client->turns_left--;
    client->out_bytes =
        load_request_write_turn(&client->session, ++load->number, client->out);
    send_request(load, client);
}

/* The scripted upstream writes into its reply for how long it held the request. */
static int64_t read_held_us(const struct load_reply *reply)
{
    static const char mark[] = "held=";
    const char *at = memmem(reply->body, reply->body_bytes, mark, sizeof mark - 1);
    return at == NULL ? -1 : strtol(at + sizeof mark - 1, NULL, 10);
}

static void measure(struct load *load, const struct load_reply *reply)
{
    int64_t latency_us = reply->latency_ns / 1000;
    int64_t held_us = read_held_us(reply);

    load->requests++;
    samples_add(&load->latency, latency_us);
    if (held_us < 0)
        return;
    samples_add(&load->held, held_us);
    samples_add(&load->added, latency_us - held_us);
}

static void read_usage(const struct load *load, struct process_usage *usage)
{
    if (!process_group_read(&load->servers, usage))
        die("a watched process has gone");
}

static void run(struct load *load)
{
    const struct options *options = &load->options;
    int64_t begin_ns = clock_ns();
    int64_t step_ns = (int64_t)(options->ramp_ms * 1000000 / options->connections);
    int64_t window_ns =
        begin_ns + (int64_t)(options->ramp_ms + options->warm_ms) * 1000000;
    int64_t end_ns = window_ns + (int64_t)options->window_ms * 1000000;

    while (clock_ns() < end_ns && !load->ran_dry) {
        int64_t until_ns = load->is_measuring ? end_ns : window_ns;
        while (load->clients_started < options->connections) {
            int64_t start_ns = begin_ns + (int64_t)load->clients_started * step_ns;
            if (clock_ns() < start_ns) {
                until_ns = start_ns < until_ns ? start_ns : until_ns;
                break;
            }
            start_client(load, &load->clients[load->clients_started++]);
        }
        wait_for_events(load, until_ns);
        if (!load->is_measuring && clock_ns() >= window_ns) {
            read_usage(load, &load->before);
            load->is_measuring = true;
            load->window_began_ns = clock_ns();
        }
    }
    if (!load->is_measuring)
        die("too few sessions to warm up with");
    load->window_ended_ns = clock_ns();
    read_usage(load, &load->after);
}

static void report(struct load *load)
{
    struct rusage self;
    double seconds = (double)(load->window_ended_ns - load->window_began_ns) / 1e9;
    int64_t resident_bytes = load->after.resident_bytes > load->before.resident_bytes
                                 ? load->after.resident_bytes
                                 : load->before.resident_bytes;

    getrusage(RUSAGE_SELF, &self);
    printf(
        "{\"connections\": %lu, \"requests\": %lu, \"errors\": %lu, \"seconds\": %.6f, "
        "\"ran_dry\": %s, \"server_cpu_us\": %lld, \"resident_idle_bytes\": %lld, "
        "\"resident_load_bytes\": %lld, \"load_cpu_us\": %lld, ",
        load->options.connections, load->requests, load->errors, seconds,
        load->ran_dry ? "true" : "false",
        (long long)(load->after.cpu_us - load->before.cpu_us),
        (long long)load->idle.resident_bytes, (long long)resident_bytes,
        (long long)(self.ru_utime.tv_sec + self.ru_stime.tv_sec) * 1000000 +
            self.ru_utime.tv_usec + self.ru_stime.tv_usec);
    samples_print(&load->latency, "latency_us", stdout);
    printf(", ");
    samples_print(&load->held, "held_us", stdout);
    printf(", ");
    samples_print(&load->added, "added_us", stdout);
    printf("}\n");
}

static void read_options(struct load *load, int argc, char **argv)
{
    struct options *options = &load->options;
    const struct {
        const char *name;
        unsigned long *value;
    } table[] = {
        {"--port", &options->port},         {"--connections", &options->connections},
        {"--sessions", &options->sessions}, {"--ramp-ms", &options->ramp_ms},
        {"--warm-ms", &options->warm_ms},   {"--window-ms", &options->window_ms},
    };

    *options = (struct options){.connections = 64, .warm_ms = 500, .window_ms = 3000};
    for (int i = 1; i < argc; i += 2) {
        bool known = false;
        if (i + 1 == argc)
            die("an option without a value");
        unsigned long value = strtoul(argv[i + 1], NULL, 10);
        for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
            if (strcmp(argv[i], table[k].name) == 0) {
                *table[k].value = value;
                known = true;
            }
        }
        if (strcmp(argv[i], "--watch") == 0)
            known = process_group_add(&load->servers, (pid_t)value);
        if (!known)
            die(argv[i]);
    }
}

static void prepare(struct load *load)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    load->address = (struct sockaddr_in){.sin_family = AF_INET,
                                         .sin_port = htons((uint16_t)load->options.port),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    load->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    load->clients = calloc(load->options.connections, sizeof *load->clients);
    load->sessions = calloc(load->options.sessions + 1, sizeof *load->sessions);
    if (load->epoll_fd < 0 || load->clients == NULL || load->sessions == NULL)
        die("out of memory");
    for (size_t i = 0; i < load->options.connections; i++) {
        load->clients[i].fd = -1;
        load->clients[i].epoll_fd = load->epoll_fd;
        load->clients[i].session = load_session_fixed();
    }
}

int main(int argc, char **argv)
{
    struct load load = {0};

    read_options(&load, argc, argv);
    if (load.options.connections == 0)
        die("--connections 0");
    prepare(&load);
    read_usage(&load, &load.idle);
    if (load.options.sessions > 0)
        make_sessions(&load);
    run(&load);
    report(&load);

    for (size_t i = 0; i < load.options.connections; i++)
        if (load.clients[i].fd >= 0)
            close(load.clients[i].fd);
    free(load.clients);
    free(load.sessions);
    samples_done(&load.latency);
    samples_done(&load.held);
    samples_done(&load.added);
    return 0;
}
