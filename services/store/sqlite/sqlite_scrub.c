/*
 * SQLite's files: unused bytes of pages are written as zeros, writes to the log are gathered.
 */
#include "sqlite_scrub_internal.h"

#include "mem.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VFS_NAME "poise-scrub"

/* The file format's names for pages with cells, and the offsets in their headers
 * (section 1.6 of "Database File Format", sqlite.org). */
enum page_kind {
    INTERIOR_INDEX = 0x02,
    INTERIOR_TABLE = 0x05,
    LEAF_INDEX = 0x0a,
    LEAF_TABLE = 0x0d
};
#define FILE_HEADER_BYTES     100 /* at the start of the first page */
#define CELL_COUNT_AT         3
#define CELLS_START_AT        5
#define LEAF_HEADER_BYTES     8
#define INTERIOR_HEADER_BYTES 12
#define PAGE_BYTES_LEAST      512
#define PAGE_BYTES_MOST       65536

/*
 * Writes to SQLite's write-ahead log, gathered until they matter.
 *
 * SQLite appends to the log page by page, in two writes each, and only then asks for all
 * of it to be on the disk; a commit of a dozen turns makes fifty writes.  What was
 * written is kept here and goes to the file in one piece when SQLite wants it synced, or
 * looks at the file.
 *
 * Nobody else can miss it: other connections read only as far as the log's index says,
 * and the index is brought up to date behind the sync (walFrames() in SQLite's wal.c,
 * with PRAGMA synchronous=FULL).  A write that fails is told by the sync, as a disk does
 * that notices late, and the transaction is rolled back.  Nothing may be left when the
 * lock for writing is given up, though: after a rollback another process writes in the
 * same place.
 */
/* Stands in for the methods of one open log, in memory of the file object itself. */
struct gathered {
    sqlite3_io_methods methods;         /* the system's, but for some */
    const sqlite3_io_methods *original; /* borrowed from the system's VFS */
    char *bytes;                        /* owned, wiped; NULL: nothing was written yet */
    size_t length;
    sqlite3_int64 offset; /* of the bytes in the file */
    sqlite3_file **place; /* borrowed: where the database has its log; NULL when closed */
};

/* Of a length SQLite's own unixWrite() takes 17 bits, and writes what these say. */
#define GATHERED_BYTES_MOST ((size_t)120 * 1024)

/* `methods` is the first member. */
static struct gathered *gather_of(sqlite3_file *file)
{
    return (struct gathered *)(uintptr_t)file->pMethods;
}

/* Whether it succeeds or not, nothing is kept. */
static int gather_put(sqlite3_file *file)
{
    struct gathered *gather = file == NULL ? NULL : gather_of(file);
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
    struct gathered *gather = gather_of(file);
    size_t wanted = (size_t)length;
    int status = SQLITE_OK;

    if (offset != gather->offset + (sqlite3_int64)gather->length ||
        wanted > GATHERED_BYTES_MOST - gather->length)
        status = gather_put(file);
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
    int status = gather_put(file);

    return status != SQLITE_OK ? status : gather_of(file)->original->xSync(file, flags);
}

static int gather_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset)
{
    int status = gather_put(file);

    return status != SQLITE_OK
               ? status
               : gather_of(file)->original->xRead(file, bytes, length, offset);
}

static int gather_truncate(sqlite3_file *file, sqlite3_int64 length)
{
    int status = gather_put(file);

    return status != SQLITE_OK ? status
                               : gather_of(file)->original->xTruncate(file, length);
}

static int gather_size(sqlite3_file *file, sqlite3_int64 *ret_length)
{
    int status = gather_put(file);

    return status != SQLITE_OK ? status
                               : gather_of(file)->original->xFileSize(file, ret_length);
}

static int gather_control(sqlite3_file *file, int operation, void *argument)
{
    int status = gather_put(file);

    return status != SQLITE_OK
               ? status
               : gather_of(file)->original->xFileControl(file, operation, argument);
}

static int gather_close(sqlite3_file *file)
{
    struct gathered *gather = gather_of(file);
    int status = gather_put(file);
    int closed;

    *gather->place = NULL;
    free(gather->bytes);
    gather->bytes = NULL;
    closed = gather->original->xClose(file);
    return status != SQLITE_OK ? status : closed;
}

static void gather_begin(struct gathered *gather, sqlite3_file *file,
                         sqlite3_file **place)
{
    *gather = (struct gathered){
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

/* An open database file: what stands in for the system's methods. */
struct scrubbed {
    sqlite3_io_methods methods;         /* the system's, but for two */
    const sqlite3_io_methods *original; /* borrowed from the system's VFS */
    sqlite3_file *log;                  /* borrowed: the open log, or NULL */
};

/* Number of the lock for writing among those of the log's index (WAL_WRITE_LOCK in
 * SQLite's wal.c; section 2.3.1 of "WAL-mode File Format", sqlite.org). */
#define WRITE_LOCK 0

/* What lies behind the system's own object for an open file, whose size is the system's
 * affair. */
union behind {
    struct scrubbed scrubbed; /* of a database */
    struct gathered gather;   /* of a log */
};

static unsigned read_16(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

/* The unused middle of a page with cells: from behind the last cell pointer to the first
 * cell.  false for pages of other kinds, which use all of themselves or are zeros. */
static bool find_unused(const unsigned char *page, size_t length, bool is_first,
                        size_t *ret_start, size_t *ret_end)
{
    size_t header = is_first ? FILE_HEADER_BYTES : 0;
    size_t start = header;
    size_t end = read_16(page + header + CELLS_START_AT);

    switch (page[header]) {
    case INTERIOR_INDEX:
    case INTERIOR_TABLE: start += INTERIOR_HEADER_BYTES; break;
    case LEAF_INDEX:
    case LEAF_TABLE: start += LEAF_HEADER_BYTES; break;
    default: return false; /* SQLite's, not ours */
    }
    start += 2 * (size_t)read_16(page + header + CELL_COUNT_AT);
    if (end == 0)
        end = PAGE_BYTES_MOST;
    if (start > end || end > length)
        return false;
    *ret_start = start;
    *ret_end = end;
    return true;
}

static int write_scrubbed(sqlite3_file *file, const void *bytes, int length,
                          sqlite3_int64 offset)
{
    const struct scrubbed *scrubbed = (const struct scrubbed *)file->pMethods;
    unsigned char page[PAGE_BYTES_MOST];
    size_t start;
    size_t end;

    if (length >= PAGE_BYTES_LEAST && length <= PAGE_BYTES_MOST && offset % length == 0 &&
        find_unused(bytes, (size_t)length, offset == 0, &start, &end)) {
        memcpy(page, bytes, (size_t)length);
        memset(page + start, 0, end - start);
        bytes = page;
    }
    return scrubbed->original->xWrite(file, bytes, length, offset);
}

/* What is left of the log is not committed: its loss would be no error. */
static int lock_shared(sqlite3_file *file, int first, int count, int flags)
{
    const struct scrubbed *scrubbed = (const struct scrubbed *)file->pMethods;

    if (first == WRITE_LOCK && (flags & SQLITE_SHM_UNLOCK) != 0)
        gather_put(scrubbed->log);
    return scrubbed->original->xShmLock(file, first, count, flags);
}

static void scrub(struct scrubbed *scrubbed, sqlite3_file *file)
{
    scrubbed->original = file->pMethods;
    scrubbed->methods = *file->pMethods;
    scrubbed->methods.xWrite = write_scrubbed;
    scrubbed->methods.xShmLock = lock_shared;
    scrubbed->log = NULL;
    file->pMethods = &scrubbed->methods;
}

static void gather(struct gathered *gather, sqlite3_file *log, const char *name)
{
    sqlite3_file *database = sqlite3_database_file_object(name);

    gather_begin(gather, log, &((struct scrubbed *)(uintptr_t)database->pMethods)->log);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    sqlite3_vfs *system = vfs->pAppData;
    union behind *behind =
        (union behind *)((char *)file + (vfs->szOsFile - (int)sizeof(*behind)));
    int status = system->xOpen(system, name, file, flags, ret_flags);

    if (status != SQLITE_OK)
        return status;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0)
        scrub(&behind->scrubbed, file);
    else if ((flags & SQLITE_OPEN_WAL) != 0)
        gather(&behind->gather, file, name);
    return SQLITE_OK;
}

/* SQLite keeps it to the end of the process. */
static int set_up(void)
{
    sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    size_t alignment = _Alignof(max_align_t);
    sqlite3_vfs *vfs;

    if (system == NULL)
        return SQLITE_ERROR;
    vfs = MEM_NEW(sqlite3_vfs);
    *vfs = *system; /* its other methods do not look at the VFS they are called with */
    vfs->pNext = NULL;
    vfs->zName = VFS_NAME;
    vfs->pAppData = system;
    vfs->xOpen = open_file;
    vfs->szOsFile =
        (int)((((size_t)system->szOsFile + alignment - 1) & ~(alignment - 1)) +
              sizeof(union behind));
    return sqlite3_vfs_register(vfs, 0);
}

const char *sqlite_scrub_vfs(void)
{
    sqlite3_mutex *once = NULL;
    int status;

    /* Counting its memory takes SQLite a lock for each allocation, and nobody asks.  It
     * is too late for this, and does not matter, where SQLite has been set up already. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    status = sqlite3_initialize();
    if (status != SQLITE_OK)
        return NULL;
    once = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(once);
    if (sqlite3_vfs_find(VFS_NAME) == NULL)
        status = set_up();
    sqlite3_mutex_leave(once);
    return status == SQLITE_OK ? VFS_NAME : NULL;
}
