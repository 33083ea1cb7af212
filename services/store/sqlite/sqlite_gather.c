/*
 * Pages of the log in memory, until they are written together.
 */
#include "sqlite_gather_internal.h"

#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of a length SQLite's own unixWrite() takes 17 bits, and writes what these say. */
#define GATHERED_BYTES_MOST ((size_t)120 * 1024)

static int gather_write(sqlite3_file *file, const void *bytes, int length,
                        sqlite3_int64 offset);
static int gather_sync(sqlite3_file *file, int flags);
static int gather_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset);
static int gather_truncate(sqlite3_file *file, sqlite3_int64 length);
static int gather_size(sqlite3_file *file, sqlite3_int64 *ret_length);
static int gather_control(sqlite3_file *file, int operation, void *argument);
static int gather_close(sqlite3_file *file);

void sqlite_gather_begin(struct sqlite_gather *gather, sqlite3_file *file,
                         sqlite3_file **place)
{
    *gather = (struct sqlite_gather){
        .methods = *file->pMethods, .original = file->pMethods, .place = place};
    gather->methods.xWrite = gather_write;
    gather->methods.xSync = gather_sync;
    gather->methods.xRead = gather_read;
    gather->methods.xTruncate = gather_truncate;
    gather->methods.xFileSize = gather_size;
    gather->methods.xFileControl = gather_control;
    gather->methods.xClose = gather_close;
    file->pMethods = &gather->methods;
    *place = file;
}

/* `methods` is the first member. */
static struct sqlite_gather *gather_of(sqlite3_file *file)
{
    return (struct sqlite_gather *)(uintptr_t)file->pMethods;
}

/* Whether it succeeds or not, nothing is kept. */
int sqlite_gather_put(sqlite3_file *file)
{
    struct sqlite_gather *gather = file == NULL ? NULL : gather_of(file);
    size_t length = gather == NULL ? 0 : gather->length;
    int status;

    if (length == 0)
        return SQLITE_OK;
    status = gather->original->xWrite(file, gather->bytes, (int)length, gather->offset);
    explicit_bzero(gather->bytes, length);
    gather->length = 0;
    return status;
}

static int gather_write(sqlite3_file *file, const void *bytes, int length,
                        sqlite3_int64 offset)
{
    struct sqlite_gather *gather = gather_of(file);
    size_t wanted = (size_t)length;
    int status = SQLITE_OK;

    if (offset != gather->offset + (sqlite3_int64)gather->length ||
        wanted > GATHERED_BYTES_MOST - gather->length)
        status = sqlite_gather_put(file);
    if (status != SQLITE_OK)
        return status;
    if (wanted > GATHERED_BYTES_MOST)
        return gather->original->xWrite(file, bytes, length, offset);
    if (gather->bytes == NULL)
        gather->bytes = mem_realloc(NULL, GATHERED_BYTES_MOST);
    if (gather->length == 0)
        gather->offset = offset;
    memcpy(gather->bytes + gather->length, bytes, wanted);
    gather->length += wanted;
    return SQLITE_OK;
}

static int gather_sync(sqlite3_file *file, int flags)
{
    int status = sqlite_gather_put(file);

    return status != SQLITE_OK ? status : gather_of(file)->original->xSync(file, flags);
}

static int gather_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset)
{
    int status = sqlite_gather_put(file);

    return status != SQLITE_OK
               ? status
               : gather_of(file)->original->xRead(file, bytes, length, offset);
}

static int gather_truncate(sqlite3_file *file, sqlite3_int64 length)
{
    int status = sqlite_gather_put(file);

    return status != SQLITE_OK ? status
                               : gather_of(file)->original->xTruncate(file, length);
}

static int gather_size(sqlite3_file *file, sqlite3_int64 *ret_length)
{
    int status = sqlite_gather_put(file);

    return status != SQLITE_OK ? status
                               : gather_of(file)->original->xFileSize(file, ret_length);
}

static int gather_control(sqlite3_file *file, int operation, void *argument)
{
    int status = sqlite_gather_put(file);

    return status != SQLITE_OK
               ? status
               : gather_of(file)->original->xFileControl(file, operation, argument);
}

static int gather_close(sqlite3_file *file)
{
    struct sqlite_gather *gather = gather_of(file);
    int status = sqlite_gather_put(file);
    int closed;

    *gather->place = NULL;
    free(gather->bytes);
    gather->bytes = NULL;
    closed = gather->original->xClose(file);
    return status != SQLITE_OK ? status : closed;
}
