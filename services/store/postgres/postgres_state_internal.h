/*
 * What a server's SQLSTATE (appendix A of PostgreSQL's manual) means for what was asked, and how
 * it is told in one number.
 */
#ifndef POSTGRES_STATE_INTERNAL_H
#define POSTGRES_STATE_INTERNAL_H

#include <libpq-fe.h>

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

/* The five characters, of which each is one of 0-9 and A-Z, as the digits of a number to the base
 * 36: "08006" is 373254, and 36 in printf's `bc <<< 'obase=36; ibase=10; 373254'` its digits. */
int postgres_state_pack(const char *sqlstate);

#endif
