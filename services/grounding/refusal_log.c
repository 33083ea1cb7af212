/*
 * A refusal, noted where the settings say.
 */
#include "refusal_log_internal.h"

#include "mem.h"

#include <stdlib.h>

/* A line on its way to the file. */
struct note {
    uv_work_t work;
    const char *path;       /* borrowed from the settings */
    struct refusal refusal; /* owned */
    bool is_kept;
    store_done_fn *done;
    void *context; /* borrowed */
};

static void write_note(uv_work_t *work)
{
    struct note *note = work->data;

    note->is_kept = refusal_append(note->path, &note->refusal);
}

static void on_written(uv_work_t *work, int status)
{
    struct note *note = work->data;
    bool is_kept = status == 0 && note->is_kept;

    note->done(note->context, is_kept ? OK : ERROR_STORE_UNAVAILABLE);
    refusal_done(&note->refusal);
    free(note);
}

static void tell_dropped(void *context)
{
    struct note *note = context;

    note->done(note->context, OK);
    free(note);
}

void refusal_log_note(const struct settings *settings, struct store *store,
                      struct loop *loop, struct refusal *refusal, store_done_fn *done,
                      void *context)
{
    struct note *note;

    if (!settings->refusal_log_questions)
        refusal_done(refusal);
    if (store != NULL && *settings->refusal_log == '\0') {
        store_note_refusal(store, refusal, done, context);
        return;
    }
    note = MEM_NEW(struct note);
    note->done = done;
    note->context = context;
    if (store == NULL) {
        refusal_done(refusal);
        loop_later(loop, tell_dropped, note);
        return;
    }
    note->work.data = note;
    note->path = settings->refusal_log;
    note->refusal = *refusal;
    refusal->question = (struct private_text){NULL, 0};
    uv_queue_work(loop_uv(loop), &note->work, write_note, on_written);
}
