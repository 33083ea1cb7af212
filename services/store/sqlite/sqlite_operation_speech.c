/*
 * What was heard, and what was spoken.  (Speech is stored with its turn:
 * operation_commit().)
 */
#include "sqlite_operation_internal.h"

/* As much speech as one transaction of the sweep removes: all of it is overwritten. */
#define SWEEP_BYTES (1 << 20)

enum operation_step operation_remember(struct sqlite_operation *operation,
                                       struct operation_ground *ground)
{
    const struct store_hearing *remember = &operation->base.request.remember;

    return rows_keep_heard(ground->rows, &operation->base.session_id, &remember->audio,
                           &remember->heard)
               ? STEP_DONE
               : STEP_FAILED;
}

enum operation_step operation_speech(struct sqlite_operation *operation,
                                     struct operation_ground *ground)
{
    struct store_id request_id = store_id_of(&operation->base.request.speech_of);

    switch (rows_read_speech(ground->rows, &operation->base.session_id, &request_id,
                             operation->base.now_ms, &operation->base.speech)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_TTS_AUDIO_NOT_FOUND);
    case ROW_FOUND: break;
    }
    return STEP_DONE;
}

enum operation_step operation_sweep_speech(struct sqlite_operation *operation,
                                           struct operation_ground *ground)
{
    struct stored_speech first;

    for (int64_t bytes = 0; bytes < SWEEP_BYTES; bytes += first.length_bytes) {
        enum row_result result = rows_find_speech_to_expire(ground->rows, &first);

        if (result == ROW_FAILED)
            return STEP_FAILED;
        if (result == ROW_NONE || first.expires_ms > operation->base.now_ms)
            return STEP_DONE;
        if (!ground->is_writing)
            return STEP_WRITE;
        if (!rows_delete_speech(ground->rows, &first))
            return STEP_FAILED;
        operation->has_swept = true;
    }
    return STEP_AGAIN;
}
