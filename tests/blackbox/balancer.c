#include "balancer.h"

#include <unistd.h>

#include "http.h"
#include "play.h"
#include "program.h"

static void end_program(void *program)
{
    program_free(program);
}

/* HAProxy gets the listening socket as its descriptor 3, so that its port is surely free. */
struct world *balancer_start(struct world *one, struct world *two)
{
    int port;
    int listening = listen_on_free_port(&port);
    struct world *front = world_in_front(one, port);
    const char *const environment[] = {
        "POISE_BIND=fd@3",
        words(front, "POISE_ONE=127.0.0.1:%d", one->port),
        words(front, "POISE_TWO=127.0.0.1:%d", two->port),
        NULL,
    };

    world_keep(front,
               program_start(
                   &(struct launch){.path = "/usr/sbin/haproxy",
                                    .directory = "/",
                                    .arguments = ARGUMENTS("-f", BALANCER_CONFIGURATION),
                                    .environment = environment,
                                    .lent = listening},
                   NULL),
               end_program);
    close(listening);
    return front;
}
