/*
 * Backups of the database file, and the way back.  A copy is made under another name, checked there, and
 * only then has the name it is to have: whatever happens, a name stands for a whole database.
 *
 *   backup:   open the store beside the service > copy > check > name
 *   restore:  open the backup > copy > check > nobody has the store open > name
 */
#include "sqlite_file_internal.h"
#include "sqlite_place_internal.h"
#include "sqlite_scrub_internal.h"
#include "store_sqlite_internal.h"

#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever has a database open in WAL mode holds a lock in these bytes of the file (sections 1.3.1, "The
 * Lock-Byte Page", of "Database File Format" and 2.2 of "Write-Ahead Logging", sqlite.org). */
#define LOCK_BYTES_AT    0x40000000
#define LOCK_BYTES_COUNT 512

#define PATH_BYTES 4096

/* A copy on its way: the file under its first name, open and ours alone. */
struct copy {
    const char *target; /* borrowed */
    char partial[PATH_BYTES];
    int file; /* owned; -1: none */
    struct buffer *problem;
};

static bool fail(struct copy *copy, const char *path, const char *what, int number)
{
    sqlite_place_explain(copy->problem, path, what, number);
    return false;
}

/* A program that died may have left the name; one that lives holds its lock. */
static bool copy_begin(struct copy *copy)
{
    struct stat opened, named;

    if ((size_t)snprintf(copy->partial, sizeof(copy->partial), "%s.partial",
                         copy->target) >= sizeof(copy->partial))
        return fail(copy, copy->target, "cannot be made", ENAMETOOLONG);
    copy->file =
        open(copy->partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (copy->file < 0)
        return fail(copy, copy->partial, "cannot be made", errno);
    if (flock(copy->file, LOCK_EX | LOCK_NB) != 0 || fstat(copy->file, &opened) != 0 ||
        stat(copy->partial, &named) != 0 || opened.st_ino != named.st_ino) {
        close(copy->file);
        copy->file = -1;
        return fail(copy, copy->partial, "is being written by another program", 0);
    }
    if (ftruncate(copy->file, 0) != 0 || fchmod(copy->file, S_IRUSR | S_IWUSR) != 0)
        return fail(copy, copy->partial, "cannot be written", errno);
    return true;
}

static void copy_end(struct copy *copy, bool is_good)
{
    if (copy->file < 0)
        return;
    if (!is_good)
        unlink(copy->partial);
    close(copy->file);
}

/* In one step, which sees one moment of the source and keeps nobody from writing it.  What is written
 * comes out of the log's mode, so that the copy is one file. */
static int fill(sqlite3 *from, sqlite3 *into)
{
    sqlite3_backup *backup;
    int status;

    sqlite3_exec(into, "PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY", NULL, NULL,
                 NULL);
    backup = sqlite3_backup_init(into, "main", from, "main");
    if (backup == NULL)
        return sqlite3_errcode(into);
    status = sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
    if (status != SQLITE_DONE)
        return status == SQLITE_OK ? SQLITE_ERROR : status;
    return sqlite3_exec(into, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
}

static bool copy_fill(struct copy *copy, sqlite3 *from, int version,
                      struct store_copy *ret_copy)
{
    sqlite3 *into = NULL;
    bool is_good = false;
    int found;
    int status =
        sqlite3_open_v2(copy->partial, &into, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        sqlite_scrub_vfs());

    if (status == SQLITE_OK)
        status = fill(from, into);
    if (status != SQLITE_OK)
        fail(copy, copy->partial, sqlite3_errstr(status), sqlite3_system_errno(into));
    else
        is_good =
            sqlite_file_is_whole(into, copy->partial, &found, &ret_copy->sessions,
                                 copy->problem) &&
            (found == version || fail(copy, copy->partial, "is not what was copied", 0));
    sqlite3_close(into);
    return is_good;
}

static bool sync_directory(const char *path)
{
    char *copied = mem_copy_string(path);
    int directory = open(dirname(copied), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_good = directory >= 0 && fsync(directory) == 0;

    if (directory >= 0)
        close(directory);
    free(copied);
    return is_good;
}

/* Not every file system knows how to rename without replacing: there the look before has to do. */
static bool copy_name(struct copy *copy, bool may_replace, struct store_copy *ret_copy)
{
    struct stat status;
    int result;

    if (fsync(copy->file) != 0 || fstat(copy->file, &status) != 0)
        return fail(copy, copy->partial, "cannot be written", errno);
    ret_copy->bytes = status.st_size;
    result = renameat2(AT_FDCWD, copy->partial, AT_FDCWD, copy->target,
                       may_replace ? 0 : RENAME_NOREPLACE);
    if (result != 0 && errno == EINVAL && access(copy->target, F_OK) != 0)
        result = rename(copy->partial, copy->target);
    if (result != 0)
        return fail(copy, copy->target, "cannot be made", errno);
    if (!sync_directory(copy->target))
        return fail(copy, copy->target, "may not outlive a loss of power", errno);
    return true;
}

static bool may_have_name(struct copy *copy, bool may_replace)
{
    return may_replace || access(copy->target, F_OK) != 0 ||
           fail(copy, copy->target, "exists; --replace overwrites it", 0);
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat first, second;

    return stat(one, &first) == 0 && stat(other, &second) == 0 &&
           first.st_ino == second.st_ino && first.st_dev == second.st_dev;
}

static sqlite3 *open_source(struct copy *copy, const char *path, int *ret_version)
{
    if (is_same_file(path, copy->target))
        fail(copy, path, "is the same file", 0);
    else if (access(path, R_OK) != 0)
        fail(copy, path, "cannot be read", errno);
    else
        return sqlite_file_open_to_read(path, ret_version, copy->problem);
    return NULL;
}

bool store_sqlite_backup(const char *url, const char *file, bool may_replace,
                         struct store_copy *ret_copy, struct buffer *problem)
{
    struct copy copy = {.target = file, .file = -1, .problem = problem};
    char *path = sqlite_place_path(url, problem);
    sqlite3 *source = NULL;
    bool is_good = false;
    int version;

    if (path != NULL && may_have_name(&copy, may_replace))
        source = open_source(&copy, path, &version);
    if (source != NULL)
        is_good = copy_begin(&copy) && copy_fill(&copy, source, version, ret_copy) &&
                  copy_name(&copy, may_replace, ret_copy);
    copy_end(&copy, is_good);
    sqlite3_close(source);
    free(path);
    return is_good;
}

/* What the log of the present database has goes into it, so that a crash from here on leaves it whole;
 * what cannot be opened is left as it is. */
static void tidy_present(const char *path)
{
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        sqlite_scrub_vfs()) == SQLITE_OK)
        sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    sqlite3_close(db);
}

static struct flock all_locks(void)
{
    return (struct flock){.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = LOCK_BYTES_AT,
                          .l_len = LOCK_BYTES_COUNT};
}

/* What keeps it from being opened is for others to say. */
enum store_presence store_sqlite_presence(const char *url)
{
    enum store_presence presence = STORE_PRESENT;
    struct flock held = all_locks();
    struct buffer problem;
    char *path;
    int file;

    buffer_init(&problem, 1024);
    path = sqlite_place_path(url, &problem);
    buffer_done(&problem);
    file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (path != NULL && file < 0 && errno == ENOENT)
        presence = STORE_ABSENT;
    if (file >= 0 && fcntl(file, F_GETLK, &held) == 0 && held.l_type != F_UNLCK)
        presence = STORE_IN_USE;
    if (file >= 0)
        close(file);
    free(path);
    return presence;
}

bool store_sqlite_is_older(const char *url)
{
    struct buffer problem;
    sqlite3 *db = NULL;
    int version = 0;
    char *path;

    buffer_init(&problem, 1024);
    path = sqlite_place_path(url, &problem);
    if (path != NULL && access(path, F_OK) == 0)
        db = sqlite_file_open_to_read(path, &version, &problem);
    buffer_done(&problem);
    sqlite3_close(db);
    free(path);
    return db != NULL && sqlite_file_is_older(version);
}

/* A descriptor that keeps everybody from opening the present database; -2: there is none. */
static int lock_present(struct copy *copy)
{
    struct flock all = all_locks();
    int file;

    if (access(copy->target, F_OK) != 0)
        return -2;
    tidy_present(copy->target);
    file = open(copy->target, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        fail(copy, copy->target, "cannot be opened", errno);
    } else if (fcntl(file, F_SETLK, &all) != 0) {
        fail(copy, copy->target, "is open in another process: stop the service first", 0);
        close(file);
        file = -1;
    }
    return file;
}

/* Whoever restores as root leaves the file to the service. */
static bool give_to_owner(struct copy *copy)
{
    char *copied = mem_copy_string(copy->target);
    struct stat owner;
    bool is_good =
        geteuid() != 0 ||
        ((stat(copy->target, &owner) == 0 || stat(dirname(copied), &owner) == 0) &&
         fchown(copy->file, owner.st_uid, owner.st_gid) == 0);

    free(copied);
    return is_good || fail(copy, copy->partial, "cannot be given to its owner", errno);
}

/* The log of a database that was here would be taken for the new one's. */
static bool remove_log(struct copy *copy)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    char path[PATH_BYTES + 16];

    for (size_t at = 0; at < sizeof(ends) / sizeof(ends[0]); at++) {
        snprintf(path, sizeof(path), "%s%s", copy->target, ends[at]);
        if (unlink(path) != 0 && errno != ENOENT)
            return fail(copy, path, "cannot be removed", errno);
    }
    return true;
}

static bool restore(struct copy *copy, const char *file, bool may_replace,
                    struct store_copy *ret_copy)
{
    int version, present;
    bool is_good = false;
    sqlite3 *source = open_source(copy, file, &version);

    if (source == NULL)
        return false;
    present = lock_present(copy);
    if (present != -1)
        is_good = copy_begin(copy) && copy_fill(copy, source, version, ret_copy) &&
                  give_to_owner(copy) && remove_log(copy) &&
                  copy_name(copy, may_replace, ret_copy);
    copy_end(copy, is_good);
    if (present >= 0)
        close(present);
    sqlite3_close(source);
    return is_good;
}

bool store_sqlite_restore(const char *url, const char *file, bool may_replace,
                          struct store_copy *ret_copy, struct buffer *problem)
{
    char *path = sqlite_place_path(url, problem);
    struct copy copy = {.target = path, .file = -1, .problem = problem};
    bool is_good = path != NULL && may_have_name(&copy, may_replace) &&
                   restore(&copy, file, may_replace, ret_copy);

    free(path);
    return is_good;
}
