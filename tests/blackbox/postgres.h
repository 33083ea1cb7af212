/*
 * A PostgreSQL of one story's own, which it may stop and start as it likes: a copy of what
 * tests/postgres/cluster made.  Other stories do not notice.
 */
#ifndef BLACKBOX_POSTGRES_H
#define BLACKBOX_POSTGRES_H

#include "bytes.h"

struct postgres;

/* Listens on a Unix socket and on a free port of 127.0.0.1. */
struct postgres *postgres_start(void);

/* "STORE_URL=postgresql://..."; borrowed. */
const char *postgres_setting(const struct postgres *postgres);
int postgres_port(const struct postgres *postgres);

/* Immediate mode, as if the machine lost its power; returns when it is gone. */
void postgres_stop_at_once(struct postgres *postgres);

/* Returns when it takes connections again. */
void postgres_start_again(struct postgres *postgres);

/* From now on, or no more, nothing may be written (default_transaction_read_only), as on a
 * standby.  Takes effect on new connections and on old ones alike. */
void postgres_be_read_only(struct postgres *postgres, bool is_read_only);

/* What it has logged since its first start; to be freed by the caller. */
struct bytes postgres_log(const struct postgres *postgres);

/* The number that this query says, over a connection of its own. */
long postgres_number(struct postgres *postgres, const char *sql);

void postgres_end(struct postgres *postgres);

#endif
