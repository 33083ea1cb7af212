/*
 * `poise health`: asks the service that runs with these settings on this machine whether it
 * lives; exit status 0 when it does.  For a container's health check, which has no other
 * program to ask with.
 */
#include "command.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define LIMIT_S 3 /* for each step */

/* Where it listens to everybody it listens to us. */
static const char *own_host(const char *host)
{
    if (strcmp(host, "0.0.0.0") == 0 || *host == '\0')
        return "127.0.0.1";
    return strcmp(host, "::") == 0 ? "::1" : host;
}

/* -1: nobody is there. */
static int connect_to(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    const struct timeval limit = {.tv_sec = LIMIT_S};
    struct addrinfo *addresses = NULL;
    int descriptor = -1;

    if (getaddrinfo(host, port, &hints, &addresses) != 0)
        return -1;
    for (struct addrinfo *next = addresses; next != NULL && descriptor < 0;
         next = next->ai_next) {
        descriptor = socket(next->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (descriptor < 0)
            continue;
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (connect(descriptor, next->ai_addr, next->ai_addrlen) != 0) {
            close(descriptor);
            descriptor = -1;
        }
    }
    freeaddrinfo(addresses);
    return descriptor;
}

static bool lives(int descriptor)
{
    static const char request[] =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    static const char wanted[] = "HTTP/1.1 200 ";
    char reply[sizeof(wanted) - 1];

    return send(descriptor, request, sizeof(request) - 1, MSG_NOSIGNAL) ==
               (ssize_t)sizeof(request) - 1 &&
           recv(descriptor, reply, sizeof(reply), MSG_WAITALL) ==
               (ssize_t)sizeof(reply) &&
           memcmp(reply, wanted, sizeof(reply)) == 0;
}

int command_health(int argc, char **argv)
{
    struct settings settings;
    char port[16];
    int descriptor = -1;
    int status = 2;

    (void)argv;
    if (argc > 0) {
        fputs("poise: health takes no arguments\n", stderr);
        return 2;
    }
    if (command_settings(&settings)) {
        snprintf(port, sizeof(port), "%d", (int)settings.port);
        descriptor = connect_to(own_host(settings.host), port);
        status = descriptor >= 0 && lives(descriptor) ? 0 : 1;
        if (status != 0)
            fputs("poise: the service does not answer\n", stderr);
        if (descriptor >= 0)
            close(descriptor);
    }
    settings_free(&settings);
    return status;
}
