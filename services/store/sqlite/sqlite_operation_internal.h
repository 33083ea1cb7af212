/*
 * What the operations do, for operation_run(): sqlite_operation_session.c,
 * sqlite_operation_turn.c, sqlite_operation_speech.c and sqlite_operation_refusal.c.
 */
#ifndef SQLITE_OPERATION_INTERNAL_H
#define SQLITE_OPERATION_INTERNAL_H

#include "sqlite_operation.h"

enum operation_step operation_create(struct sqlite_operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_load(struct sqlite_operation *operation,
                                   struct operation_ground *ground);
enum operation_step operation_delete(struct sqlite_operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_sweep(struct sqlite_operation *operation,
                                    struct operation_ground *ground);

enum operation_step operation_begin(struct sqlite_operation *operation,
                                    struct operation_ground *ground);
enum operation_step operation_commit(struct sqlite_operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_end(struct sqlite_operation *operation,
                                  struct operation_ground *ground);

enum operation_step operation_remember(struct sqlite_operation *operation,
                                       struct operation_ground *ground);
enum operation_step operation_speech(struct sqlite_operation *operation,
                                     struct operation_ground *ground);

/* The part of a sweep that removes expired speech. */
enum operation_step operation_sweep_speech(struct sqlite_operation *operation,
                                           struct operation_ground *ground);

enum operation_step operation_note_refusal(struct sqlite_operation *operation,
                                           struct operation_ground *ground);

/* The part of a sweep that removes old refusals. */
enum operation_step operation_sweep_refusals(struct sqlite_operation *operation,
                                             struct operation_ground *ground);

/* The operation has this result. */
enum operation_step operation_done(struct sqlite_operation *operation, enum error error);

bool operation_is_live(const struct session *session, int64_t now_ms);

/* The session of the operation's request, if it is there and alive. */
enum row_result operation_find_live(struct sqlite_operation *operation,
                                    struct operation_ground *ground,
                                    struct stored_session *ret_stored);

#endif
