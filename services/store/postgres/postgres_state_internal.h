/*
 * What a server's SQLSTATE (appendix A of PostgreSQL's manual) means for what was asked, and what is
 * told of it to whoever runs the service.
 */
#ifndef POSTGRES_STATE_INTERNAL_H
#define POSTGRES_STATE_INTERNAL_H

#include "store_trouble_internal.h"

#include <libpq-fe.h>

/* Nobody could be asked (sqlclient_unable_to_establish_sqlconnection). */
#define POSTGRES_UNCONNECTED "08001"

/* No answer, or none that has a SQLSTATE: the connection (connection_failure). */
#define POSTGRES_NO_ANSWER "08006"

/* The server may not write: it is no primary, or not any more (read_only_sql_transaction). */
#define POSTGRES_READ_ONLY "25006"

/* An answer that makes no sense (data_corrupted). */
#define POSTGRES_DAMAGED "XX001"

enum postgres_meaning {
    MEANS_AGAIN, /* nothing was done; ask again, and it may succeed */
    MEANS_LEAVE, /* the same, on another connection: this server is going, or may not write */
    MEANS_FAILED /* asking again will not help */
};

/* The SQLSTATE of a result that is an error. */
void postgres_state_of(const PGresult *result, char ret_sqlstate[6]);

enum postgres_meaning postgres_state_meaning(const char *sqlstate);

/* Notes that `conn` (NULL: none) had trouble.  The sentence of `result` (NULL: there is none) is told
 * where PostgreSQL speaks of itself in it: others quote what was sent. */
void postgres_state_note(struct store_health *health, const PGconn *conn,
                         const char *sqlstate, const PGresult *result);

/* Notes that no connection could be made; nothing of ours was sent on it yet. */
void postgres_state_note_unconnected(struct store_health *health, const PGconn *conn);

#endif
