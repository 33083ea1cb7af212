/*
 * Reports that a reply arrived.  They are facts at once, in the claims; on disk they may
 * come some milliseconds later, with the next batch that writes.  Lost in a crash, they
 * make a delivered reply count as undelivered, which costs a replay of the same words at
 * most.
 */
#ifndef SQLITE_REPORTS_H
#define SQLITE_REPORTS_H

#include "sqlite_operation.h"

struct sqlite_reports {
    struct store_claims *claims; /* borrowed */
    struct claim *first;         /* borrowed from `claims`: delivered, to be written */
    int64_t due_us;              /* INT64_MAX: there are none */
};

struct sqlite_reports sqlite_reports_new(struct store_claims *claims);

/* Takes the reports out of what has come: what they say is so for all the others. */
void sqlite_reports_note(struct sqlite_reports *reports, struct store_list *come,
                         int64_t now_us);

/* Into the transaction, but for those that a next turn has overtaken. */
bool sqlite_reports_write(const struct sqlite_reports *reports, struct sqlite_rows *rows);

/* They are written. */
void sqlite_reports_forget(struct sqlite_reports *reports);

#endif
