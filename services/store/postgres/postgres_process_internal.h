/*
 * This process in the table of processes, whose claims last as long as it is seen alive; and those
 * beside it on the same machine, of which it can see that they have ended.
 *
 * A process that was killed leaves its row behind, and with it the claims of the turns that it was
 * at.  Others wait five seconds for its next beat.  The process that is started in its place need
 * not: what ended on the same machine, under the same kernel, is looked up there.
 */
#ifndef POSTGRES_PROCESS_INTERNAL_H
#define POSTGRES_PROCESS_INTERNAL_H

#include "store_rules_internal.h"

#include <libpq-fe.h>

struct postgres_process {
    struct store_id id;  /* random, for each store that is opened */
    struct digest place; /* of the boot and the namespace of process numbers */
    int64_t number;      /* there */
    int64_t born; /* when it was started, in the kernel's ticks: numbers are used again */
};

struct postgres_process postgres_process_here(void);

struct postgres_values;

/* The values of a beat. */
void postgres_process_values(struct postgres_values *values,
                             const struct postgres_process *process);

/* Takes those out of the table that have ended on this machine.  Blocks.  false: trouble with the
 * connection. */
bool postgres_process_bury(PGconn *conn, const struct postgres_process *process);

/* Takes this one out. */
void postgres_process_leave(PGconn *conn, const struct store_id *id);

#endif
