/*
 * bench_idle: what idle keep-alive connections cost a server, and those who come after them.
 *
 *   open all, one request each > wait until they rest > read memory > time newcomers, and resting ones
 *
 * One request after the other, so that the server is never busy.  Connections come from sixteen
 * loopback addresses, for one address has too few ports.  What the kernel keeps is apart: the
 * growth of its slabs, in which both ends of each connection are, with whatever else happens on
 * the machine.
 *
 * Usage: bench_idle --port N --watch PID [--connections N] [--rest-ms N].  Prints one JSON
 * object.  As many connections are opened as the limit of descriptors allows.
 */
#include "clock_ns.h"
#include "http_wire.h"
#include "process_usage.h"
#include "samples.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define ADDRESSES         16
#define TIMED             1000
#define WARM_UP           64
#define SPARE_DESCRIPTORS 100 /* the server's files, and the newcomers' */
#define REPLY_MAX_BYTES   16384

struct idle {
    unsigned long port, connections, rest_ms;
    struct process_group servers;
    int *descriptors; /* owned */
};

static const char request[] = "GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n";

static void die(const char *what)
{
    fprintf(stderr, "bench_idle: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_from(const struct idle *idle, size_t number)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    struct sockaddr_in there = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)idle->port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;

    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + (uint32_t)(number % ADDRESSES));
    if (descriptor < 0 ||
        setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) !=
            0 ||
        bind(descriptor, (struct sockaddr *)&here, sizeof here) != 0 ||
        connect(descriptor, (struct sockaddr *)&there, sizeof there) != 0)
        die("cannot connect");
    return descriptor;
}

/* One request and its whole reply, whatever its status. */
static void ask(int descriptor)
{
    char bytes[REPLY_MAX_BYTES];
    struct http_wire_head head;
    size_t length = 0;

    if (send(descriptor, request, sizeof request - 1, MSG_NOSIGNAL) < 0)
        die("cannot send");
    for (;;) {
        ssize_t got = recv(descriptor, bytes + length, sizeof bytes - length, 0);
        if (got <= 0)
            die("no reply");
        length += (size_t)got;
        if (http_wire_read_head(bytes, length, &head) == HTTP_WIRE_HEAD &&
            length >= head.head_bytes + head.body_bytes)
            return;
    }
}

static void rest(unsigned long ms)
{
    struct timespec pause = clock_ns_to_timespec((int64_t)ms * 1000000);
    nanosleep(&pause, NULL);
}

static int64_t kernel_bytes(void)
{
    char line[128];
    long kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "re");

    if (file == NULL)
        die("/proc/meminfo");
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Slab: %ld", &kilobytes) == 1)
            break;
    fclose(file);
    return (int64_t)kilobytes * 1024;
}

static int64_t resident_bytes(const struct idle *idle)
{
    struct process_usage usage;

    if (!process_group_read(&idle->servers, &usage))
        die("the server has gone");
    return usage.resident_bytes;
}

static void time_newcomers(const struct idle *idle, struct samples *samples)
{
    for (size_t i = 0; i < TIMED; i++) {
        int64_t begun_ns = clock_ns();
        int descriptor = open_from(idle, i);
        ask(descriptor);
        samples_add(samples, (clock_ns() - begun_ns) / 1000);
        close(descriptor);
    }
}

static void time_resting(const struct idle *idle, struct samples *samples)
{
    for (size_t i = 0; i < TIMED && i < idle->connections; i++) {
        int64_t begun_ns = clock_ns();
        ask(idle->descriptors[i]);
        samples_add(samples, (clock_ns() - begun_ns) / 1000);
    }
}

static void measure(struct idle *idle)
{
    struct samples before = {0}, newcomers = {0}, resting = {0};
    int64_t resident, kernel;

    for (size_t i = 0; i < WARM_UP; i++) {
        int descriptor = open_from(idle, i);
        ask(descriptor);
        close(descriptor);
    }
    time_newcomers(idle, &before);
    resident = resident_bytes(idle);
    kernel = kernel_bytes();
    for (size_t i = 0; i < idle->connections; i++) {
        idle->descriptors[i] = open_from(idle, i);
        ask(idle->descriptors[i]);
    }
    rest(idle->rest_ms);
    resident = resident_bytes(idle) - resident;
    kernel = kernel_bytes() - kernel;
    time_newcomers(idle, &newcomers);
    time_resting(idle, &resting);

    printf("{\"connections\": %lu, \"resident_bytes\": %lld, \"kernel_bytes\": %lld, ",
           idle->connections, (long long)resident, (long long)kernel);
    samples_print(&before, "alone_us", stdout);
    printf(", ");
    samples_print(&newcomers, "newcomer_us", stdout);
    printf(", ");
    samples_print(&resting, "resting_us", stdout);
    printf("}\n");
}

static void read_options(struct idle *idle, int argc, char **argv)
{
    *idle = (struct idle){.connections = 20000, .rest_ms = 10000};
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long value = strtoul(argv[i + 1], NULL, 10);
        bool is_known = true;

        if (strcmp(argv[i], "--port") == 0)
            idle->port = value;
        else if (strcmp(argv[i], "--connections") == 0)
            idle->connections = value;
        else if (strcmp(argv[i], "--rest-ms") == 0)
            idle->rest_ms = value;
        else
            is_known = strcmp(argv[i], "--watch") == 0 &&
                       process_group_add(&idle->servers, (pid_t)value);
        if (!is_known)
            die(argv[i]);
    }
}

int main(int argc, char **argv)
{
    struct idle idle;
    struct rlimit files;

    read_options(&idle, argc, argv);
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        die("getrlimit");
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max < idle.connections + SPARE_DESCRIPTORS)
        idle.connections = (unsigned long)files.rlim_max - SPARE_DESCRIPTORS;
    idle.descriptors = calloc(idle.connections, sizeof *idle.descriptors);
    if (idle.descriptors == NULL)
        die("calloc");
    measure(&idle);
    return 0;
}
