/*
 * The admin's own listener: a server on the main thread, which no turn waits for and which answers while
 * all loops are busy.
 */
#include "admin_internal.h"

#include "mem.h"
#include "server.h"
#include "store.h"

#include <stdlib.h>

struct admin {
    struct services services; /* borrows from what is below, and from the process */
    struct metrics
        *metrics; /* owned, like all below; of this listener alone, and not shown */
    struct store *store;
    struct filter *filter; /* NULL: no filter */
    struct server *server;
};

bool admin_new(const struct services *services, struct loop *loop, struct log *log,
               struct ruleset *ruleset, struct admin **ret_admin, struct buffer *problem)
{
    const struct settings *settings = services->settings;
    struct admin *admin;
    int64_t port = settings->admin_port;
    int listener;

    *ret_admin = NULL;
    if (port == 0)
        return true;
    listener = server_listen_socket(settings->admin_host, port, false, &port, problem);
    if (listener < 0)
        return false;
    admin = MEM_NEW(struct admin);
    admin->metrics = MEM_NEW(struct metrics);
    admin->store = store_new(services->shared->store, loop, admin->metrics, log);
    admin->services = *services;
    admin->services.loop = loop;
    admin->services.store = admin->store;
    admin->services.log = log;
    admin->services.metrics = admin->metrics;
    admin->services.is_admin = true;
    admin_reload(admin, ruleset);
    admin->server = server_new(&admin->services, NULL, listener);
    *ret_admin = admin;
    return admin->server != NULL;
}

void admin_reload(struct admin *admin, struct ruleset *ruleset)
{
    if (admin == NULL)
        return;
    filter_free(admin->filter);
    admin->filter = ruleset != NULL ? filter_new(ruleset) : NULL;
    admin->services.filter = admin->filter;
}

void admin_close(struct admin *admin)
{
    if (admin == NULL)
        return;
    server_free(admin->server);
    admin->server = NULL;
}

void admin_free(struct admin *admin)
{
    if (admin == NULL)
        return;
    admin_close(admin);
    store_free(admin->store);
    filter_free(admin->filter);
    free(admin->metrics);
    free(admin);
}
