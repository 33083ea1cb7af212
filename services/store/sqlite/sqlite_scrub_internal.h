/*
 * The operating system's files as SQLite sees them, with two differences: what a page of
 * the database does not use is written as zeros, and writes to the log are gathered.
 *
 * PRAGMA secure_delete overwrites deleted cells, but where SQLite spreads the cells of a
 * full page over its neighbours (rebuildPage() in its btree.c), the old bytes stay in the
 * unused middle of the page.  Of 300 sessions deleted out of a crowd, ten left text
 * behind that way.  With a write-ahead log every page reaches the database file through
 * one place, the checkpoint, and there it is cleaned.  Copies of
 * pages in memory keep what was cleaned in the file, so that after a deletion they must
 * be dropped: sqlite_file_empty_log().
 */
#ifndef SQLITE_SCRUB_INTERNAL_H
#define SQLITE_SCRUB_INTERNAL_H

/* Pages that a database may have at most for this to be safe (PRAGMA max_page_count): up
 * to here no page of another kind begins like a page with cells. */
#define SQLITE_SCRUB_PAGES_MOST 0x01ffffff

/* The name of the VFS for sqlite3_open_v2(); NULL where it cannot be set up. */
const char *sqlite_scrub_vfs(void);

#endif
