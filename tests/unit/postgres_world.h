/*
 * A world in PostgreSQL: its tables, and other processes on them.
 */
#ifndef POSTGRES_WORLD_H
#define POSTGRES_WORLD_H

#include "store_world.h"

static struct world world;

static inline void set_up(void)
{
    if (postgres_url() == NULL)
        cr_skip_test("only on PostgreSQL");
    world = world_new();
}

static inline void tear_down(void)
{
    if (postgres_url() != NULL)
        world_free(&world);
}

/* One command on the tables of this world. */
static inline void run_sql(const char *sql)
{
    struct buffer command;

    buffer_init(&command, 4096);
    buffer_append_string(&command,
                         "SET client_min_messages = error; SET search_path = \"");
    buffer_append_string(&command, schema_of(&world.place));
    buffer_append_string(&command, "\";");
    buffer_append_string(&command, sql);
    run_in_postgres(command.bytes);
    buffer_done(&command);
}

/* Another process on the same tables. */
static inline struct world beside(void)
{
    return world_beside(&world);
}

static inline void beside_free(struct world *other)
{
    world_end(other);
}

#endif
