/*
 * What the operations ask and make of the answers, for postgres_operation.c:
 * postgres_operation_session.c, postgres_operation_begin.c, postgres_operation_commit.c and
 * postgres_operation_rest.c.
 */
#ifndef POSTGRES_OPERATION_STEPS_INTERNAL_H
#define POSTGRES_OPERATION_STEPS_INTERNAL_H

#include "postgres_link_internal.h"
#include "postgres_operation_internal.h"

bool postgres_create_ask(struct postgres_operation *operation,
                         struct postgres_link *link);
void postgres_create_take(struct postgres_operation *operation,
                          enum postgres_statement which, const PGresult *result);
enum postgres_next postgres_create_next(struct postgres_operation *operation);

bool postgres_load_ask(struct postgres_operation *operation, struct postgres_link *link);
void postgres_load_take(struct postgres_operation *operation, const PGresult *result);

bool postgres_delete_ask(struct postgres_operation *operation,
                         struct postgres_link *link);
void postgres_delete_take(struct postgres_operation *operation, const PGresult *result);

bool postgres_begin_ask(struct postgres_operation *operation,
                        const struct postgres_ground *ground, struct postgres_link *link);
void postgres_begin_take(struct postgres_operation *operation,
                         enum postgres_statement which, const PGresult *result);
enum postgres_next postgres_begin_next(struct postgres_operation *operation);
void postgres_begin_forget(struct postgres_operation *operation);

bool postgres_commit_ask(struct postgres_operation *operation,
                         struct postgres_ground *ground, struct postgres_link *link);
void postgres_commit_take(struct postgres_operation *operation,
                          enum postgres_statement which, const PGresult *result);
enum postgres_next postgres_commit_next(struct postgres_operation *operation);

bool postgres_end_ask(struct postgres_operation *operation,
                      const struct postgres_ground *ground, struct postgres_link *link);
bool postgres_delivery_ask(struct postgres_operation *operation,
                           const struct postgres_ground *ground,
                           struct postgres_link *link);
bool postgres_remember_ask(struct postgres_operation *operation,
                           struct postgres_link *link);
bool postgres_refusal_ask(struct postgres_operation *operation,
                          struct postgres_link *link);
bool postgres_speech_ask(struct postgres_operation *operation,
                         struct postgres_link *link);
void postgres_speech_take(struct postgres_operation *operation, const PGresult *result);
bool postgres_rates_ask(struct postgres_operation *operation, struct postgres_link *link);
void postgres_rates_take(struct postgres_operation *operation,
                         enum postgres_statement which, const PGresult *result);
enum postgres_next postgres_rates_next(struct postgres_operation *operation);

/* The columns of SESSION_COLUMNS, in postgres_statements.def.  NULL where they make no sense. */
struct session *postgres_read_session(struct postgres_row *row,
                                      const struct store_id *id);

/* What is stored makes no sense: the operation fails. */
void postgres_damaged(struct postgres_operation *operation);

enum postgres_next postgres_done(struct postgres_operation *operation, enum error error);

#endif
