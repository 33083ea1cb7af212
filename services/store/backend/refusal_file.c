/*
 * The refusal log as a file: one line at a time at its end, and old ones taken off its beginning.
 */
#include "refusal.h"

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

#define LINE_BYTES 65536
#define COPY_BYTES (1 << 20)
#define DAY_MS     INT64_C(86400000)

/* Opens and locks what stands at the path now: while we waited for the lock another process may have put a new
 * file there. */
static int open_locked(const char *path, int flags)
{
    for (;;) {
        int file = open(path, flags | O_CLOEXEC, 0600);
        struct stat ours, theirs;

        if (file < 0)
            return -1;
        while (flock(file, LOCK_EX) != 0 && errno == EINTR)
            ;
        if (fstat(file, &ours) == 0 && stat(path, &theirs) == 0 &&
            ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev)
            return file;
        close(file);
    }
}

bool refusal_can_append(const char *path, struct buffer *problem)
{
    char *directory = mem_copy_string(path);
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    int reason = file >= 0 ? 0 : errno;

    if (reason == ENOENT)
        reason = access(dirname(directory), W_OK | X_OK) == 0 ? 0 : errno;
    if (file >= 0)
        close(file);
    free(directory);
    if (reason == 0)
        return true;
    buffer_append_string(problem, "REFUSAL_LOG ");
    buffer_append_string(problem, path);
    buffer_append_string(problem, ": ");
    buffer_append_string(problem, strerror(reason));
    buffer_append_char(problem, '\n');
    return false;
}

/* Who was killed while it wrote left half a line. */
static bool ends_in_half_a_line(int file, off_t length)
{
    char last = '\n';

    return length > 0 && pread(file, &last, 1, length - 1) == 1 && last != '\n';
}

/* All of it, or on a full disk nothing. */
bool refusal_append(const char *path, const struct refusal *refusal)
{
    int file = open_locked(path, O_RDWR | O_APPEND | O_CREAT);
    struct stat before;
    struct buffer line;
    ssize_t written = -1;
    bool is_whole;

    if (file < 0)
        return false;
    if (fstat(file, &before) != 0) {
        close(file);
        return false;
    }
    buffer_init(&line, LINE_BYTES);
    if (ends_in_half_a_line(file, before.st_size))
        buffer_append_char(&line, '\n');
    refusal_write(refusal, &line);
    while (!line.is_over && (written = write(file, line.bytes, line.length)) < 0 &&
           errno == EINTR)
        ;
    is_whole = written == (ssize_t)line.length;
    if (written > 0 && !is_whole && ftruncate(file, before.st_size) != 0)
        written = -1; /* half a line stays */
    is_whole &= close(file) == 0;
    buffer_done(&line);
    return is_whole;
}

enum line_age { LINE_NEW, LINE_OLD, LINE_STRANGE };

/* Is the line at the offset a refusal from before a time?  And where does the next one begin?  What is no
 * whole line counts as new. */
static enum line_age age_of(int file, off_t offset, int64_t before_ms, char *bytes,
                            off_t *ret_next)
{
    ssize_t got = pread(file, bytes, LINE_BYTES, offset);
    const char *end = got > 0 ? memchr(bytes, '\n', (size_t)got) : NULL;
    struct refusal refusal;
    enum line_age age = LINE_STRANGE;

    if (end == NULL)
        return LINE_NEW;
    *ret_next = offset + (end - bytes) + 1;
    if (refusal_read((struct span){bytes, (size_t)(end - bytes)}, &refusal))
        age = refusal.at_ms < before_ms ? LINE_OLD : LINE_NEW;
    refusal_done(&refusal);
    return age;
}

static bool copy_rest(int from, off_t offset, int to)
{
    ssize_t copied;

    do
        copied = copy_file_range(from, &offset, to, NULL, COPY_BYTES, 0);
    while (copied > 0 || (copied < 0 && errno == EINTR));
    return copied == 0 && fsync(to) == 0;
}

/* What stands behind the offset becomes the file. */
static bool keep_from(const char *path, int file, off_t offset)
{
    size_t length = strlen(path) + sizeof(".new");
    char *beside = mem_zalloc(length);
    bool is_good = false;
    int copy;

    snprintf(beside, length, "%s.new", path);
    unlink(beside);
    copy = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (copy >= 0) {
        is_good = copy_rest(file, offset, copy);
        is_good = close(copy) == 0 && is_good && rename(beside, path) == 0;
        if (!is_good)
            unlink(beside);
    }
    free(beside);
    return is_good;
}

/* A file that does not begin with a refusal is left alone; what is none behind an old one goes with it, or it
 * would stand at the beginning and keep all behind it for ever. */
bool refusal_prune(const char *path, int64_t before_ms)
{
    struct stat status;
    bool is_good = true;
    off_t offset = 0;
    char *bytes;
    int file;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    file = open_locked(path, O_RDONLY);
    if (file < 0)
        return false;
    bytes = mem_zalloc(LINE_BYTES);
    if (age_of(file, 0, before_ms - DAY_MS, bytes, &offset) == LINE_OLD) {
        off_t next = offset;

        while (age_of(file, next, before_ms, bytes, &next) != LINE_NEW)
            offset = next;
        is_good = keep_from(path, file, offset);
    }
    explicit_bzero(bytes, LINE_BYTES);
    free(bytes);
    close(file);
    return is_good;
}
