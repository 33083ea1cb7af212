#include "postgres.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http.h"
#include "program.h"
#include "world.h"

struct postgres {
    char *directory; /* owned: of the socket, and data below it */
    int port;
    unsigned user, group;    /* who owns the data, and so who runs it; 0: we do */
    struct program *program; /* owned */
    struct bytes setting;    /* owned */
};

/* The newest that is installed, as Debian places it. */
static void add_server_path(struct bytes *path)
{
    glob_t found;

    cr_assert(glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found) == 0);
    bytes_add_text(path, found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
}

static void copy_data(const struct postgres *postgres)
{
    struct bytes pristine = {0};
    struct bytes copy = {0};

    bytes_addf(&pristine, "%s/pristine", getenv("POISE_TEST_CLUSTER"));
    bytes_addf(&copy, "%s/data", postgres->directory);
    struct program *cp = program_start(
        &(struct launch){.path = "/bin/cp",
                         .directory = "/",
                         .arguments = ARGUMENTS("-a", pristine.data, copy.data),
                         .user = postgres->user,
                         .group = postgres->group},
        NULL);
    cr_assert(program_await_exit(cp) == 0);
    program_free(cp);
    bytes_free(&pristine);
    bytes_free(&copy);
}

/* PostgreSQL does not run as root: it runs as whoever owns the pristine data. */
static void take_over_owner(struct postgres *postgres)
{
    struct bytes pristine = {0};
    struct stat status;

    cr_assert_not_null(getenv("POISE_TEST_CLUSTER"));
    bytes_addf(&pristine, "%s/pristine", getenv("POISE_TEST_CLUSTER"));
    cr_assert(stat(pristine.data, &status) == 0, "there is no %s", pristine.data);
    if (status.st_uid != getuid()) {
        postgres->user = status.st_uid;
        postgres->group = status.st_gid;
        cr_assert(chown(postgres->directory, postgres->user, postgres->group) == 0);
    }
    cr_assert(chmod(postgres->directory, 0755) == 0);
    bytes_free(&pristine);
}

static int free_port(void)
{
    int port;

    close(listen_on_free_port(&port));
    return port;
}

struct postgres *postgres_start(void)
{
    struct postgres *postgres = calloc(1, sizeof *postgres);

    cr_assert_not_null(postgres);
    postgres->directory = directory_make();
    postgres->port = free_port();
    bytes_addf(&postgres->setting, "STORE_URL=postgresql://poise@127.0.0.1:%d/postgres",
               postgres->port);
    take_over_owner(postgres);
    copy_data(postgres);
    postgres_start_again(postgres);
    return postgres;
}

void postgres_start_again(struct postgres *postgres)
{
    struct bytes path = {0}, data = {0}, port = {0};

    add_server_path(&path);
    bytes_addf(&data, "%s/data", postgres->directory);
    bytes_addf(&port, "%d", postgres->port);
    postgres->program = program_start(
        &(struct launch){.path = path.data,
                         .directory = postgres->directory,
                         .arguments =
                             ARGUMENTS("-D", data.data, "-k", postgres->directory, "-h",
                                       "127.0.0.1", "-p", port.data),
                         .user = postgres->user,
                         .group = postgres->group,
                         .when_orphaned = SIGQUIT},
        postgres->program);
    if (!program_await_output(postgres->program, "ready to accept connections")) {
        struct bytes output = program_output(postgres->program, true);
        cr_assert_fail("PostgreSQL did not start; it wrote:\n%s", output.data);
    }
    bytes_free(&path);
    bytes_free(&data);
    bytes_free(&port);
}

const char *postgres_setting(const struct postgres *postgres)
{
    return postgres->setting.data;
}

int postgres_port(const struct postgres *postgres)
{
    return postgres->port;
}

void postgres_stop_at_once(struct postgres *postgres)
{
    program_signal(postgres->program, SIGQUIT);
    cr_assert(program_await_exit(postgres->program) >= 0);
}

static PGresult *run_sql(struct postgres *postgres, const char *sql)
{
    struct bytes url = {0};

    bytes_addf(&url, "postgresql://poise@/postgres?host=%s&port=%d", postgres->directory,
               postgres->port);
    PGconn *database = PQconnectdb(url.data);
    PGresult *result = PQexec(database, sql);
    ExecStatusType status = PQresultStatus(result);
    cr_assert(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, "%s: %s", sql,
              PQerrorMessage(database));
    PQfinish(database);
    bytes_free(&url);
    return result;
}

void postgres_be_read_only(struct postgres *postgres, bool is_read_only)
{
    PQclear(run_sql(postgres, is_read_only
                                  ? "ALTER SYSTEM SET default_transaction_read_only = on"
                                  : "ALTER SYSTEM RESET default_transaction_read_only"));
    PQclear(run_sql(postgres, "SELECT pg_reload_conf()"));
}

struct bytes postgres_log(const struct postgres *postgres)
{
    return program_output(postgres->program, false);
}

long postgres_number(struct postgres *postgres, const char *sql)
{
    PGresult *result = run_sql(postgres, sql);

    cr_assert(PQntuples(result) == 1);
    long number = strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return number;
}

void postgres_end(struct postgres *postgres)
{
    if (program_is_running(postgres->program))
        postgres_stop_at_once(postgres);
    program_free(postgres->program);
    directory_remove(postgres->directory);
    free(postgres->directory);
    bytes_free(&postgres->setting);
    free(postgres);
}
