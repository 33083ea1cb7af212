/*
 * Makes one connection, from the name of the server to the last prepared statement.  Blocks: for a
 * thread that may, as libpq asks for addresses and goes through several hosts in no other way.
 */
#ifndef POSTGRES_CONNECT_INTERNAL_H
#define POSTGRES_CONNECT_INTERNAL_H

#include "buffer.h"
#include "postgres_process_internal.h"
#include "store_trouble_internal.h"

#include <libpq-fe.h>

enum postgres_use {
    USE_BLOCKING, /* no pipeline: postgres_ask() */
    USE_QUICK,    /* for a loop; a commit does not wait until it is durable */
    USE_DURABLE   /* for a loop; it does */
};

enum postgres_trouble {
    TROUBLE_NONE,
    TROUBLE_AWAY,   /* nobody answers, or who answers may not write: it may come */
    TROUBLE_REFUSED /* it will not get better by itself */
};

/* Is it a URL, or a connection string, that libpq understands?  If not, a line in `problem`. */
bool postgres_connect_check(const char *url, struct buffer *problem);

/* NULL with trouble, which is noted, and then a line in `problem` where that is not NULL: it never
 * has the password.  Beats for the process, and brings the tables up to date.  With a `problem` it is
 * also found out whether a pooler in between gives each transaction another session. */
PGconn *postgres_connect(const char *url, enum postgres_use use,
                         const struct postgres_process *process,
                         struct store_health *health, enum postgres_trouble *ret_trouble,
                         struct buffer *problem);

/* Only to read: nothing is set up, and nothing made. */
PGconn *postgres_connect_to_read(const char *url, struct buffer *problem);

#endif
