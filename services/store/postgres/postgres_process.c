/*
 * Which processes are alive: this one by its beats, those beside it by what the kernel knows.
 */
#include "postgres_process_internal.h"

#include "postgres_values_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* proc(5): the 22nd field of /proc/PID/stat; the second is a name in parentheses, which may have
 * anything in it. */
#define FIELDS_BEFORE_BORN 19 /* behind the name and the state */

/* false: there is no such process, or it has ended. */
static bool find_born(int64_t number, int64_t *ret_born)
{
    char path[64];
    char text[1024];
    FILE *file;
    size_t length;
    const char *rest;
    char state;

    snprintf(path, sizeof(path), "/proc/%" PRId64 "/stat", number);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    rest = strrchr(text, ')');
    if (rest == NULL || rest[1] != ' ')
        return false;
    state = rest[2];
    rest += 2;
    for (int field = 0; field < FIELDS_BEFORE_BORN && rest != NULL; field++) {
        rest = strchr(rest, ' ');
        rest = rest == NULL ? NULL : rest + 1;
    }
    return rest != NULL && state != 'Z' && state != 'X' &&
           sscanf(rest, "%" SCNd64, ret_born) == 1;
}

/* Where numbers of processes mean the same. */
static struct digest find_place(void)
{
    struct digest_key key = {{0}}; /* nothing secret: it is to be the same everywhere */
    struct digest_state state;
    char boot[64];
    char space[64];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    size_t boot_length = file == NULL ? 0 : fread(boot, 1, sizeof(boot), file);
    ssize_t space_length = readlink("/proc/self/ns/pid", space, sizeof(space));

    if (file != NULL)
        fclose(file);
    digest_begin(&state, &key);
    digest_add_field(&state, boot, boot_length);
    digest_add_field(&state, space, space_length < 0 ? 0 : (size_t)space_length);
    return digest_end(&state);
}

struct postgres_process postgres_process_here(void)
{
    struct id id = id_random();
    struct postgres_process process = {
        .id = store_id_of(&id), .place = find_place(), .number = getpid()};

    find_born(process.number, &process.born);
    return process;
}

void postgres_process_values(struct postgres_values *values,
                             const struct postgres_process *process)
{
    postgres_value_id(values, &process->id);
    postgres_value_digest(values, true, &process->place);
    postgres_value_number(values, process->number);
    postgres_value_number(values, process->born);
}

void postgres_process_leave(PGconn *conn, const struct store_id *id)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, id);
    PQclear(postgres_ask(conn, POSTGRES_LEAVE, &values));
}

bool postgres_process_bury(PGconn *conn, const struct postgres_process *process)
{
    struct postgres_values values = {0};
    PGresult *result;
    bool is_good;

    postgres_value_digest(&values, true, &process->place);
    result = postgres_ask(conn, POSTGRES_FIND_NEIGHBOURS, &values);
    is_good = PQresultStatus(result) == PGRES_TUPLES_OK;
    for (int at = 0; at < PQntuples(result); at++) {
        struct postgres_row row = postgres_row_of(result, at);
        struct store_id id = postgres_row_id(&row);
        int64_t number = postgres_row_number(&row);
        int64_t born = postgres_row_number(&row);
        int64_t born_now;

        if (!find_born(number, &born_now) || born_now != born)
            postgres_process_leave(conn, &id);
    }
    PQclear(result);
    return is_good;
}
