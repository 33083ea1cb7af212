/*
 * Values on their way to PostgreSQL and back, in its binary forms: numbers of eight bytes, big
 * endian (bigint), uuids of sixteen, bytes and texts as they are.
 *
 * libpq copies what it is given into buffers of its own, and what arrives lies in others.
 * postgres_rows_wipe() wipes what can be reached; libpq's buffers for
 * its sockets cannot, and are written over by what comes next.
 */
#ifndef POSTGRES_VALUES_INTERNAL_H
#define POSTGRES_VALUES_INTERNAL_H

#include "store_rules_internal.h"

#include <libpq-fe.h>

#define POSTGRES_VALUES_MOST 21

enum postgres_statement {
#define STATEMENT(symbol, types, sql) POSTGRES_##symbol,
#include "postgres_statements.def"
    POSTGRES_STATEMENT_COUNT
};

/* The parameters of one statement, in their order.  What they point to belongs to the caller. */
struct postgres_values {
    int count;
    const char *bytes[POSTGRES_VALUES_MOST];
    int lengths[POSTGRES_VALUES_MOST];
    int formats[POSTGRES_VALUES_MOST];
    char numbers[POSTGRES_VALUES_MOST]
                [16]; /* numbers and uuids, which have no place else */
};

void postgres_value_null(struct postgres_values *values);
void postgres_value_number(struct postgres_values *values, int64_t number);
void postgres_value_double(struct postgres_values *values, double number);
void postgres_value_id(struct postgres_values *values, const struct store_id *id);
void postgres_value_string(struct postgres_values *values, const char *string);
void postgres_value_bytes(struct postgres_values *values, const void *bytes,
                          size_t length);

/* NULL where there is none. */
void postgres_value_digest(struct postgres_values *values, bool is_there,
                           const struct digest *digest);

/* A text, or sound; an empty one is NULL where `is_optional`. */
void postgres_value_text(struct postgres_values *values, const struct private_text *text,
                         bool is_optional);

/* Queues the statement in the connection's pipeline.  false: the connection is broken. */
bool postgres_send(PGconn *conn, enum postgres_statement which,
                   const struct postgres_values *values);

/* Queues the preparation of all statements.  false likewise. */
bool postgres_send_prepare(PGconn *conn);

/* The same in one go, waiting for the answer, on a connection that is not in pipeline mode.
 * PQclear() by the caller.  NULL, which libpq takes for a failure, where a server that has fallen
 * silent gives none for ten seconds; then the connection is of no further use. */
PGresult *postgres_ask(PGconn *conn, enum postgres_statement which,
                       const struct postgres_values *values);

/* One row of a result, read from its first column to its last.  Values that make no sense make it
 * damaged, and are zeros. */
struct postgres_row {
    const PGresult *result; /* borrowed */
    int row;
    int column;
    bool is_damaged;
};

struct postgres_row postgres_row_of(const PGresult *result, int row);

/* Steps over the value if it is NULL. */
bool postgres_row_is_null(struct postgres_row *row);

int64_t postgres_row_number(struct postgres_row *row);
double postgres_row_double(struct postgres_row *row);
bool postgres_row_flag(struct postgres_row *row);
struct store_id postgres_row_id(struct postgres_row *row);

/* false, and nothing written, for NULL. */
bool postgres_row_digest(struct postgres_row *row, struct digest *ret_digest);
bool postgres_row_bytes(struct postgres_row *row, void *bytes, size_t length);

/* A copy, owned by the caller; empty for NULL. */
struct private_text postgres_row_text(struct postgres_row *row);

/* An array of texts, each a copy that is owned by the caller; at most `most`, and their number. */
size_t postgres_row_texts(struct postgres_row *row, struct private_text *texts,
                          size_t most);

/* A short word, NUL-terminated, cut at `size`. */
void postgres_row_word(struct postgres_row *row, char *word, size_t size);

/* Overwrites all values of a result that is about to be cleared. */
void postgres_rows_wipe(PGresult *result);

#endif
