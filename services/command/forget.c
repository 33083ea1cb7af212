/*
 * `poise forget SESSION_ID`: removes every trace of an interview from the store, as the candidate's own
 * DELETE does, beside a running service or without one.
 */
#include "command.h"

#include "mem.h"
#include "settings.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char forget_usage[] = "usage: poise forget SESSION_ID\n";

struct forgetting {
    struct loop *loop; /* owned */
    enum error error;
};

static void on_deleted(void *context, enum error error)
{
    struct forgetting *forgetting = context;

    forgetting->error = error;
    loop_stop(forgetting->loop);
}

/* By a clock that stands at the beginning nothing has expired: what waits to be swept goes too. */
static enum error forget(struct store_backend *backend, const struct id *id)
{
    struct forgetting forgetting = {.loop = loop_new(), .error = ERROR_STORE_UNAVAILABLE};
    struct metrics *metrics = MEM_NEW(struct metrics);
    struct store *store = store_new(backend, forgetting.loop, metrics, NULL);

    store_delete_session(store, id, 0, on_deleted, &forgetting);
    loop_run(forgetting.loop);
    store_close(backend);
    store_free(store);
    free(metrics);
    loop_free(forgetting.loop);
    return forgetting.error;
}

static int run(const struct settings *settings, const struct id *id)
{
    struct store_backend *backend;
    struct buffer problem;
    enum error error = ERROR_STORE_UNAVAILABLE;

    if (store_presence(settings->store_url) == STORE_ABSENT) {
        fputs("poise forget: there is no store at STORE_URL\n", stderr);
        return 1;
    }
    buffer_init(&problem, 4096);
    backend = store_open(settings->store_url, &problem);
    if (problem.length > 0)
        fprintf(stderr, "poise forget: %s", problem.bytes);
    buffer_done(&problem);
    if (backend != NULL)
        error = forget(backend, id);
    if (error == OK)
        printf("poise forget: %s is deleted\n", id->text);
    else
        fprintf(stderr, "poise forget: %s\n", error_info(error)->code);
    return error == OK ? 0 : 1;
}

int command_forget(int argc, char **argv)
{
    struct settings settings;
    struct id id;
    int status = 2;

    if (argc != 1 || !id_parse(argv[0], strlen(argv[0]), &id)) {
        fputs(forget_usage, stderr);
        return 2;
    }
    id = id_lower(&id);
    if (settings_open(&settings))
        status = run(&settings, &id);
    settings_free(&settings);
    return status;
}
