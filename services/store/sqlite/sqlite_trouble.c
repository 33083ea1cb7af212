/*
 * SQLite's result codes in words (https://www.sqlite.org/rescode.html).
 */
#include "sqlite_trouble_internal.h"

#include <errno.h>
#include <stdio.h>
#include <sys/statvfs.h>

#define ROOM_BYTES \
    8388608 /* what a crowd of turns adds to the log before it is looked at again */
#define ROOM_SHARE 16

static const struct {
    int code;
    const char *name;
} names[] = {
#define NAME(code)  \
    {               \
        code, #code \
    }
    NAME(SQLITE_BUSY),
    NAME(SQLITE_CANTOPEN),
    NAME(SQLITE_CONSTRAINT),
    NAME(SQLITE_CORRUPT),
    NAME(SQLITE_ERROR),
    NAME(SQLITE_FULL),
    NAME(SQLITE_INTERNAL),
    NAME(SQLITE_INTERRUPT),
    NAME(SQLITE_IOERR),
    NAME(SQLITE_IOERR_DELETE),
    NAME(SQLITE_IOERR_FSTAT),
    NAME(SQLITE_IOERR_FSYNC),
    NAME(SQLITE_IOERR_LOCK),
    NAME(SQLITE_IOERR_READ),
    NAME(SQLITE_IOERR_SHMMAP),
    NAME(SQLITE_IOERR_SHMOPEN),
    NAME(SQLITE_IOERR_SHMSIZE),
    NAME(SQLITE_IOERR_SHORT_READ),
    NAME(SQLITE_IOERR_TRUNCATE),
    NAME(SQLITE_IOERR_WRITE),
    NAME(SQLITE_LOCKED),
    NAME(SQLITE_NOMEM),
    NAME(SQLITE_NOTADB),
    NAME(SQLITE_PERM),
    NAME(SQLITE_PROTOCOL),
    NAME(SQLITE_READONLY),
    NAME(SQLITE_READONLY_DBMOVED),
    NAME(SQLITE_SCHEMA),
    NAME(SQLITE_TOOBIG),
#undef NAME
};

/* An extended code that has no name here goes by that of its primary one. */
static const char *name_of(int code)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].code == code)
            return names[i].name;
    return code == (code & 0xff) ? "SQLITE_ERROR" : name_of(code & 0xff);
}

/* SQLite's own for a file that was moved away is that of any file that is read-only. */
static const char *words_of(int code)
{
    return code == SQLITE_READONLY_DBMOVED ? "the database file was removed or replaced"
                                           : sqlite3_errstr(code);
}

struct store_trouble sqlite_trouble_of(int code, int number)
{
    struct store_trouble trouble = {.said = sentence_quote(words_of(code))};
    int primary = code & 0xff;

    snprintf(trouble.code, sizeof(trouble.code), "%s", name_of(code));
    if (primary == SQLITE_FULL) /* which SQLite takes for no error of the system's */
        trouble.number = ENOSPC;
    else if (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN)
        trouble.number = number;
    return trouble;
}
