/*
 * systemd's side of the service: its socket, its notices, its watchdog.
 */
#include "supervisor_internal.h"

#include "clock.h"
#include "mem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

/*
 *   beat > (a ping on each worker's loop) > on_pong ... > WATCHDOG=1
 *
 * A loop that hangs never answers its ping, and the next beat finds pings out: nothing is
 * said then, until systemd loses its patience.
 */
struct watchdog {
    struct loop *loop; /* borrowed, like the workers */
    struct worker *const *workers;
    size_t count;
    size_t pings_out;
    int64_t every_ms;
    struct loop_timer *timer; /* owned */
};

static void beat(void *context);
static void on_pong(void *context);

bool supervisor_listener(int *ret_descriptor, int64_t *ret_port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address = {0};
    socklen_t length = sizeof(address);
    int descriptor = SD_LISTEN_FDS_START, count = sd_listen_fds(1);

    *ret_descriptor = -1;
    if (count == 0)
        return true;
    if (count != 1 || sd_is_socket(descriptor, AF_UNSPEC, SOCK_STREAM, 1) <= 0 ||
        getsockname(descriptor, &address.any, &length) != 0 ||
        (address.any.sa_family != AF_INET && address.any.sa_family != AF_INET6))
        return false;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    *ret_port = ntohs(address.any.sa_family == AF_INET6 ? address.six.sin6_port
                                                        : address.four.sin_port);
    *ret_descriptor = descriptor;
    return true;
}

void supervisor_ready(void)
{
    sd_notify(0, "READY=1");
}

void supervisor_reloading(void)
{
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, clock_monotonic_us());
}

void supervisor_ending(void)
{
    sd_notify(0, "STOPPING=1");
    supervisor_status("Turns under way are being finished.");
}

void supervisor_status(const char *words)
{
    sd_notifyf(0, "STATUS=%s", words);
}

struct watchdog *watchdog_start(struct loop *loop, struct worker *const *workers,
                                size_t count)
{
    struct watchdog *watchdog;
    uint64_t limit_us;

    if (sd_watchdog_enabled(0, &limit_us) <= 0)
        return NULL;
    watchdog = MEM_NEW(struct watchdog);
    watchdog->loop = loop;
    watchdog->workers = workers;
    watchdog->count = count;
    watchdog->every_ms = (int64_t)(limit_us / 3000); /* a beat may come late */
    beat(watchdog);
    return watchdog;
}

static void beat(void *context)
{
    struct watchdog *watchdog = context;

    watchdog->timer =
        loop_timer_start(watchdog->loop, watchdog->every_ms, beat, watchdog);
    if (watchdog->pings_out > 0)
        return;
    watchdog->pings_out = watchdog->count;
    for (size_t at = 0; at < watchdog->count; at++)
        worker_ping(watchdog->workers[at], watchdog->loop, on_pong, watchdog);
}

static void on_pong(void *context)
{
    struct watchdog *watchdog = context;

    if (--watchdog->pings_out == 0)
        sd_notify(0, "WATCHDOG=1");
}

void watchdog_free(struct watchdog *watchdog)
{
    if (watchdog == NULL)
        return;
    loop_timer_cancel(watchdog->timer);
    free(watchdog);
}
