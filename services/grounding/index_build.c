/*
 * Building an index: what has changed is read, beside the old index, and then takes its place.
 *
 *   index_build > list > compare > copy_old > update > put_in_place
 *
 * The new index is made in PATH.building, from a copy of the old one where there is one to update.  Nobody
 * reads that file, so it is written without a journal and without syncs until it is whole; a crash leaves it
 * behind, and the next run starts it anew.  A lock on it keeps a second run away.
 */
#include "index_internal.h"

#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

struct build {
    const char *directory, *path; /* borrowed, like the next four */
    index_progress_fn *progress;
    void *context;
    struct buffer *problem;
    struct index_report *report;
    struct index_progress at;
    char *building;     /* owned: the path of the new file */
    int lock;           /* the new file, locked; -1 */
    struct buffer json; /* corpus.json */
    struct index_files files;
    sqlite3 *old;                /* owned; NULL: there is none that could be updated */
    sqlite3 *new;                /* owned */
    struct index_writer *writer; /* owned */
    int64_t changed_bytes;
};

static bool fail(struct build *build, const char *name, const char *what)
{
    index_complain(build->problem, name, what);
    return false;
}

static bool lock_new(struct build *build)
{
    build->lock = open(build->building, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (build->lock < 0)
        return fail(build, build->building, strerror(errno));
    if (flock(build->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    fail(build, build->path,
         errno == EWOULDBLOCK ? "another poise index is at work on it" : strerror(errno));
    close(build->lock);
    build->lock = -1;
    return false;
}

/* A file of something else is left alone; an index of another version is built anew. */
static bool open_old(struct build *build)
{
    struct stat status;
    sqlite3 *old = NULL;
    int64_t application;

    if (stat(build->path, &status) != 0)
        return errno == ENOENT ? true : fail(build, build->path, strerror(errno));
    if (S_ISREG(status.st_mode) && status.st_size == 0)
        return true;
    application = -1;
    if (S_ISREG(status.st_mode) &&
        sqlite3_open_v2(build->path, &old, SQLITE_OPEN_READONLY, "unix-none") ==
            SQLITE_OK)
        application = index_number(old, "PRAGMA application_id", -1);
    if (application != INDEX_APPLICATION_ID) {
        sqlite3_close(old);
        return fail(build, build->path, "is there, and is no index of Poise");
    }
    if (index_number(old, "PRAGMA user_version", -1) != INDEX_VERSION ||
        index_number(old, "SELECT reading FROM corpus", -1) != INDEX_READING) {
        sqlite3_close(old);
        return true;
    }
    build->old = old;
    return true;
}

static bool fail_database(struct build *build, sqlite3 *database, const char *name)
{
    /* Where something has told what is wrong already, that was it. */
    return build->problem->length > 0 ? false
                                      : fail(build, name, sqlite3_errmsg(database));
}

static void show(struct build *build)
{
    if (build->progress != NULL)
        build->progress(build->context, &build->at);
}

static bool count_bytes(void *context, struct span bytes)
{
    struct build *build = context;

    build->report->bytes += (int64_t)bytes.length;
    build->at.bytes_done += (int64_t)bytes.length;
    show(build);
    return true;
}

/* Looks a file up in the old index, and reads it to see whether it has changed. */
static bool compare_file(struct build *build, sqlite3_stmt *find, struct index_file *file)
{
    struct digest digest;
    const char *label;
    bool is_same_label, is_good = true;

    if (!index_bind_text(find, 1, file->name, strlen(file->name)))
        return fail_database(build, build->old, build->path);
    if (sqlite3_step(find) == SQLITE_ROW) {
        file->old_row = sqlite3_column_int64(find, 0);
        label = (const char *)sqlite3_column_text(find, 2);
        is_same_label = label != NULL && strcmp(label, file->label) == 0;
        is_good = index_file_read(build->directory, file->name, count_bytes, build,
                                  &digest, build->problem);
        file->is_unchanged =
            is_good && is_same_label && sqlite3_column_bytes(find, 1) == DIGEST_BYTES &&
            memcmp(sqlite3_column_blob(find, 1), digest.bytes, DIGEST_BYTES) == 0;
    }
    sqlite3_reset(find);
    return is_good;
}

static bool compare(struct build *build)
{
    int64_t kept = 0;
    sqlite3_stmt *find;
    bool is_good = true;

    build->at.files_total = build->report->files = (int64_t)build->files.count;
    build->report->links_out = build->files.links_out;
    build->at.bytes_total = build->files.bytes;
    if (build->old == NULL)
        return true;
    find = index_statement(build->old,
                           "SELECT row, digest, label FROM file WHERE name = ?1");
    if (find == NULL)
        return fail_database(build, build->old, build->path);
    for (size_t i = 0; i < build->files.count && is_good; i++) {
        struct index_file *file = &build->files.all[i];
        int64_t done = build->at.bytes_done;

        is_good = compare_file(build, find, file);
        kept += file->old_row >= 0;
        build->report->unchanged_files += file->is_unchanged;
        build->at.files_done += file->is_unchanged;
        if (!file->is_unchanged)
            build->at.bytes_done = done; /* it is read once more */
    }
    sqlite3_finalize(find);
    build->report->removed_files =
        index_number(build->old, "SELECT count(*) FROM file", 0) - kept;
    return is_good;
}

/* Is the old index what a new one would be? */
static bool is_same(struct build *build)
{
    sqlite3_stmt *statement;
    bool is_same_json;

    if (build->old == NULL || build->report->removed_files > 0 ||
        build->report->unchanged_files < build->report->files)
        return false;
    statement = index_statement(build->old, "SELECT json, passages FROM corpus");
    is_same_json = statement != NULL && sqlite3_step(statement) == SQLITE_ROW &&
                   (size_t)sqlite3_column_bytes(statement, 0) == build->json.length &&
                   memcmp(sqlite3_column_text(statement, 0), build->json.bytes,
                          build->json.length) == 0;
    if (is_same_json)
        build->report->passages = sqlite3_column_int64(statement, 1);
    sqlite3_finalize(statement);
    return is_same_json;
}

/* The old index as the beginning of the new one, unless nothing of it stays. */
static bool copy_old(struct build *build)
{
    int old;
    ssize_t copied = 1;

    if (ftruncate(build->lock, 0) != 0)
        return fail(build, build->building, strerror(errno));
    if (build->report->unchanged_files == 0)
        return true;
    old = open(build->path, O_RDONLY | O_CLOEXEC);
    if (old < 0)
        return fail(build, build->path, strerror(errno));
    while (copied > 0)
        copied = sendfile(build->lock, old, NULL, 1 << 30);
    if (copied < 0)
        fail(build, build->building, strerror(errno));
    close(old);
    return copied == 0;
}

static bool open_new(struct build *build)
{
    static const char settings[] =
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
        "PRAGMA locking_mode = EXCLUSIVE;"
        "PRAGMA cache_size = -32768; PRAGMA temp_store = FILE;";
    bool is_fresh = build->report->unchanged_files == 0;

    if (sqlite3_open_v2(build->building, &build->new, SQLITE_OPEN_READWRITE,
                        "unix-none") != SQLITE_OK ||
        !index_run(build->new, settings) || !index_run(build->new, "BEGIN") ||
        (is_fresh && !index_make_tables(build->new)))
        return fail_database(build, build->new, build->building);
    build->writer = index_writer_new(build->new);
    return true;
}

static bool write_bytes(void *context, struct span bytes)
{
    struct build *build = context;

    count_bytes(build, bytes);
    return index_writer_add(build->writer, bytes);
}

/* Takes out what is gone or has changed. */
static bool remove_old(struct build *build)
{
    sqlite3_stmt *all;
    bool is_good;
    int step = SQLITE_DONE;

    if (!index_run(build->new, "CREATE TEMP TABLE kept (row INTEGER PRIMARY KEY)"))
        return false;
    all = index_statement(build->new, "INSERT INTO kept VALUES (?1)");
    is_good = all != NULL;
    for (size_t i = 0; i < build->files.count && is_good; i++)
        if (build->files.all[i].is_unchanged)
            is_good =
                sqlite3_bind_int64(all, 1, build->files.all[i].old_row) == SQLITE_OK &&
                index_step(all);
    sqlite3_finalize(all);
    all = index_statement(build->new,
                          "SELECT row FROM file WHERE row NOT IN (SELECT row FROM kept)");
    while (is_good && all != NULL && (step = sqlite3_step(all)) == SQLITE_ROW)
        is_good = index_writer_remove(build->writer, sqlite3_column_int64(all, 0));
    sqlite3_finalize(all);
    return is_good && all != NULL && step == SQLITE_DONE;
}

static bool update(struct build *build)
{
    struct digest digest;
    bool is_good = remove_old(build);

    for (size_t i = 0; i < build->files.count && is_good; i++) {
        const struct index_file *file = &build->files.all[i];

        if (file->is_unchanged)
            continue;
        build->changed_bytes += file->bytes;
        is_good = index_writer_begin(build->writer, file->name, file->label) &&
                  index_file_read(build->directory, file->name, write_bytes, build,
                                  &digest, build->problem) &&
                  index_writer_end(build->writer, &digest);
        build->at.files_done++;
        show(build);
    }
    /* Merging all segments pays where much of them is new. */
    is_good = is_good &&
              index_writer_finish(build->writer,
                                  (struct span){build->json.bytes, build->json.length},
                                  build->changed_bytes > build->files.bytes / 10);
    if (!is_good)
        return fail_database(build, build->new, build->building);
    build->report->passages = index_number(build->new, "SELECT passages FROM corpus", 0);
    if (build->report->passages == 0)
        return fail(build, build->directory,
                    "there is no text in it (.md, .markdown or .txt)");
    return true;
}

/* The new index is whole and on the disk before it gets its name, and the name is before we say so. */
static bool put_in_place(struct build *build)
{
    char *folder = mem_copy_string(build->path), *slash = strrchr(folder, '/');
    int directory;
    bool is_good;

    index_writer_free(build->writer);
    build->writer = NULL;
    is_good = index_run(build->new, "COMMIT");
    if (!is_good)
        fail_database(build, build->new, build->building);
    if (is_good && (fsync(build->lock) != 0 || rename(build->building, build->path) != 0))
        is_good = fail(build, build->path, strerror(errno));
    if (slash != NULL)
        slash[slash == folder] = '\0';
    directory = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        fsync(directory);
        close(directory);
    }
    free(folder);
    return is_good;
}

static void tear_down(struct build *build, bool is_good)
{
    index_writer_free(build->writer);
    sqlite3_close(build->new);
    sqlite3_close(build->old);
    if (build->lock >= 0) {
        if (!is_good)
            unlink(build->building);
        close(build->lock);
    }
    index_files_done(&build->files);
    buffer_done(&build->json);
    free(build->building);
}

bool index_build(const char *directory, const char *path, index_progress_fn *progress,
                 void *context, struct index_report *ret_report, struct buffer *problem)
{
    struct index_report report = {0};
    struct build build = {.directory = directory,
                          .path = path,
                          .progress = progress,
                          .context = context,
                          .problem = problem,
                          .report = &report,
                          .lock = -1};
    bool is_good, is_made;

    build.building = mem_zalloc(strlen(path) + sizeof(".building"));
    stpcpy(stpcpy(build.building, path), ".building");
    buffer_init(&build.json, 0);
    is_good = index_files_list(directory, &build.files, problem) &&
              index_corpus_read(directory, &build.json, problem) && lock_new(&build) &&
              open_old(&build) && compare(&build);
    is_made = is_good && !is_same(&build);
    if (is_made)
        is_good = copy_old(&build) && open_new(&build) && update(&build) &&
                  put_in_place(&build);
    tear_down(&build, is_made && is_good);
    if (is_good)
        *ret_report = report;
    return is_good;
}
