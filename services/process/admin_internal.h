/*
 * Metrics, readiness in detail and the admin's requests on a listener of their own, where ADMIN_PORT says so.
 */
#ifndef ADMIN_INTERNAL_H
#define ADMIN_INTERNAL_H

#include "filter.h"
#include "services.h"

struct admin;

/* Listens on ADMIN_HOST and ADMIN_PORT and serves on the main thread's loop.  All is borrowed; of a worker's
 * services what the process has once.  NULL and true: no port is set; false, with a line in `problem`: it
 * cannot listen, and what is there is for admin_free(). */
bool admin_new(const struct services *services, struct loop *loop, struct log *log,
               struct ruleset *ruleset, struct admin **ret_admin, struct buffer *problem);

/* The patterns whose hits are shown.  NULL is fine for both. */
void admin_reload(struct admin *admin, struct ruleset *ruleset);

/* As with a worker's: before the store is closed, and after.  NULL is fine. */
void admin_close(struct admin *admin);
void admin_free(struct admin *admin);

#endif
