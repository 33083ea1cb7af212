/*
 * Refusals: noted one at a time, removed when they are old.
 */
#include "sqlite_operation_internal.h"

/* Refusals that one transaction of the sweep removes. */
#define SWEEP_AT_ONCE 256

enum operation_step operation_note_refusal(struct sqlite_operation *operation,
                                           struct operation_ground *ground)
{
    return rows_insert_refusal(ground->rows, &operation->base.request.refusal,
                               &ground->has_evicted)
               ? STEP_DONE
               : STEP_FAILED;
}

enum operation_step operation_sweep_refusals(struct sqlite_operation *operation,
                                             struct operation_ground *ground)
{
    int64_t before_ms = operation->base.request.refusals_before_ms;
    int count;

    if (!ground->is_writing) {
        switch (rows_has_old_refusal(ground->rows, before_ms)) {
        case ROW_FAILED: return STEP_FAILED;
        case ROW_NONE: return STEP_DONE;
        case ROW_FOUND: return STEP_WRITE;
        }
    }
    if (!rows_delete_old_refusals(ground->rows, before_ms, SWEEP_AT_ONCE, &count))
        return STEP_FAILED;
    operation->has_swept |= count > 0;
    return count == SWEEP_AT_ONCE ? STEP_AGAIN : STEP_DONE;
}
