/*
 * The tables: made and brought up to date, once, however many processes start at the same time.
 * All are called poise_..., so that the database may be shared with others.
 */
#ifndef POSTGRES_SCHEMA_INTERNAL_H
#define POSTGRES_SCHEMA_INTERNAL_H

#include <libpq-fe.h>
#include <stdbool.h>

enum postgres_schema {
    SCHEMA_CURRENT,
    SCHEMA_NONE,   /* there are no tables yet */
    SCHEMA_OLDER,  /* an earlier version of the program made them */
    SCHEMA_NEWER,  /* a later one did: hands off */
    SCHEMA_TROUBLE /* the server did not answer; the SQLSTATE is in `ret_sqlstate` */
};

/* Blocks, like the other.  On a connection that is not in pipeline mode. */
enum postgres_schema postgres_schema_look(PGconn *conn, char ret_sqlstate[6]);

/* Brings the tables up to date where they are not. */
enum postgres_schema postgres_schema_migrate(PGconn *conn, char ret_sqlstate[6]);

#endif
