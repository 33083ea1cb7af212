/*
 * A thread that copies the write-ahead log into the database when it is told to.
 */
#include "sqlite_checkpointer_internal.h"

#include "mem.h"
#include "sqlite_file_internal.h"

#include <pthread.h>
#include <stdlib.h>

struct sqlite_checkpointer {
    sqlite3 *db; /* owned; the thread's alone */
    pthread_t thread;

    pthread_mutex_t lock; /* over what follows */
    pthread_cond_t has_changed;
    bool is_busy;
    bool is_ending;
};

static void *live(void *context)
{
    struct sqlite_checkpointer *checkpointer = context;

    pthread_mutex_lock(&checkpointer->lock);
    for (;;) {
        while (!checkpointer->is_busy && !checkpointer->is_ending)
            pthread_cond_wait(&checkpointer->has_changed, &checkpointer->lock);
        if (checkpointer->is_ending)
            break;
        pthread_mutex_unlock(&checkpointer->lock);
        sqlite_file_checkpoint(checkpointer->db);
        pthread_mutex_lock(&checkpointer->lock);
        checkpointer->is_busy = false;
    }
    pthread_mutex_unlock(&checkpointer->lock);
    return NULL;
}

struct sqlite_checkpointer *sqlite_checkpointer_new(const char *path,
                                                    struct buffer *problem)
{
    sqlite3 *db = sqlite_file_open_again(path, problem);
    struct sqlite_checkpointer *checkpointer;

    if (db == NULL)
        return NULL;
    checkpointer = MEM_NEW(struct sqlite_checkpointer);
    checkpointer->db = db;
    pthread_mutex_init(&checkpointer->lock, NULL);
    pthread_cond_init(&checkpointer->has_changed, NULL);
    if (pthread_create(&checkpointer->thread, NULL, live, checkpointer) == 0) {
        pthread_setname_np(checkpointer->thread, "checkpoint");
        return checkpointer;
    }
    buffer_append_string(problem, "store: its thread cannot be started\n");
    pthread_cond_destroy(&checkpointer->has_changed);
    pthread_mutex_destroy(&checkpointer->lock);
    sqlite3_close(db);
    free(checkpointer);
    return NULL;
}

void sqlite_checkpointer_free(struct sqlite_checkpointer *checkpointer)
{
    if (checkpointer == NULL)
        return;
    pthread_mutex_lock(&checkpointer->lock);
    checkpointer->is_ending = true;
    pthread_cond_signal(&checkpointer->has_changed);
    pthread_mutex_unlock(&checkpointer->lock);
    pthread_join(checkpointer->thread, NULL);
    pthread_cond_destroy(&checkpointer->has_changed);
    pthread_mutex_destroy(&checkpointer->lock);
    sqlite3_close(checkpointer->db);
    free(checkpointer);
}

void sqlite_checkpointer_start(struct sqlite_checkpointer *checkpointer)
{
    pthread_mutex_lock(&checkpointer->lock);
    checkpointer->is_busy = true;
    pthread_cond_signal(&checkpointer->has_changed);
    pthread_mutex_unlock(&checkpointer->lock);
}

bool sqlite_checkpointer_is_busy(struct sqlite_checkpointer *checkpointer)
{
    bool is_busy;

    pthread_mutex_lock(&checkpointer->lock);
    is_busy = checkpointer->is_busy;
    pthread_mutex_unlock(&checkpointer->lock);
    return is_busy;
}
