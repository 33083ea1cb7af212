/*
 * attempt all > (undo > attempt each alone) > settle
 */
#include "sqlite_batch_internal.h"

static bool write_delivered(struct operation_ground *ground)
{
    for (size_t i = 0; i < ground->delivered_count; i++) {
        const struct delivered *delivered = &ground->delivered[i];

        if (delivered->commit_number > 0 &&
            !rows_mark_delivered(&ground->rows, &delivered->session_id,
                                 delivered->commit_number))
            return false;
    }
    return true;
}

/* Runs the batch in one transaction.  false: it was undone, and no operation has a result. */
static bool attempt(struct operation_ground *ground, struct store_list *batch)
{
    struct store_operation *each;
    bool is_good = true;

    ground->usage.day = 0;
    for (each = batch->first; each != NULL; each = each->next)
        if (each->kind == STORE_BEGIN)
            ((struct sqlite_operation *)each)->seen =
                claims_look(ground->claims, &each->session_id);
    if (!rows_begin(&ground->rows, ground->is_writing))
        return false;
    for (each = batch->first; each != NULL && is_good; each = each->next) {
        struct sqlite_operation *operation = (struct sqlite_operation *)each;

        operation->step = operation_run(operation, ground);
        is_good = operation->step != STEP_FAILED;
    }
    if (is_good && write_delivered(ground) && rows_commit(&ground->rows)) {
        ground->delivered_count = 0;
        if (ground->usage.day != 0)
            store_usage_note(ground->board, &ground->usage);
        return true;
    }
    rows_roll_back(&ground->rows);
    for (struct store_operation *run = batch->first; run != each; run = run->next)
        operation_undo((struct sqlite_operation *)run, ground);
    return false;
}

/* Trouble with one row leaves hope for the others; trouble with the disk does not. */
static bool is_trouble_of_one(int error)
{
    switch (error & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_NOTADB: return false;
    default: return true; /* SQLite's codes, not ours */
    }
}

static void attempt_each(struct operation_ground *ground, struct store_list *batch)
{
    bool has_hope = is_trouble_of_one(ground->rows.last_error) && batch->count > 1;
    struct store_list all = *batch;
    struct sqlite_operation *operation;

    *batch = (struct store_list){0};
    while ((operation = sqlite_pop(&all)) != NULL) {
        struct store_list alone = {0};

        store_list_push(&alone, &operation->base);
        if (!has_hope || !attempt(ground, &alone))
            operation_fail(operation, ground);
        store_list_append(batch, &alone);
    }
}

void sqlite_batch_run(struct operation_ground *ground, struct store_list *batch)
{
    if (batch->first == NULL && ground->delivered_count == 0)
        return;
    if (!attempt(ground, batch))
        attempt_each(ground, batch);
    for (struct store_operation *each = batch->first; each != NULL; each = each->next) {
        struct sqlite_operation *operation = (struct sqlite_operation *)each;

        if (operation->step == STEP_DONE)
            operation_settle(operation, ground);
    }
}
