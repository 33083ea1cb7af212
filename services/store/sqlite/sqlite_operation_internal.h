/*
 * What the operations do, for operation_run(): sqlite_operation_session.c,
 * sqlite_operation_turn.c, sqlite_operation_speech.c and sqlite_operation_refusal.c.
 */
#ifndef SQLITE_OPERATION_INTERNAL_H
#define SQLITE_OPERATION_INTERNAL_H

#include "sqlite_operation.h"

enum operation_step operation_create(struct operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_load(struct operation *operation,
                                   struct operation_ground *ground);
enum operation_step operation_delete(struct operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_sweep(struct operation *operation,
                                    struct operation_ground *ground);

enum operation_step operation_begin(struct operation *operation,
                                    struct operation_ground *ground);
enum operation_step operation_commit(struct operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_end(struct operation *operation,
                                  struct operation_ground *ground);

enum operation_step operation_remember(struct operation *operation,
                                       struct operation_ground *ground);
enum operation_step operation_speech(struct operation *operation,
                                     struct operation_ground *ground);

/* The part of a sweep that removes expired speech. */
enum operation_step operation_sweep_speech(struct operation *operation,
                                           struct operation_ground *ground);

enum operation_step operation_note_refusal(struct operation *operation,
                                           struct operation_ground *ground);

/* The part of a sweep that removes old refusals. */
enum operation_step operation_sweep_refusals(struct operation *operation,
                                             struct operation_ground *ground);

/* The operation has this result. */
enum operation_step operation_done(struct operation *operation, enum error error);

bool operation_is_live(const struct session *session, int64_t now_ms);

/* Is there something to be remembered under the end's key? */
bool operation_is_remembered(const struct store_end *end);

/* The session of the operation's request, if it is there and alive. */
enum row_result operation_find_live(struct operation *operation,
                                    struct operation_ground *ground,
                                    struct stored_session *ret_stored);

#endif
