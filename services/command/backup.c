/*
 * `poise backup FILE`: a copy of the store, made while the service runs.  `poise restore FILE`: the way
 * back, while it does not.  Both check what they have made, and take the place of nothing unless --replace
 * says so.
 */
#include "command.h"

#include "settings.h"
#include "store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef bool copy_fn(const char *url, const char *file, bool may_replace,
                     struct store_copy *ret_copy, struct buffer *problem);

const char backup_usage[] = "usage: poise backup [--replace] FILE\n";
const char restore_usage[] = "usage: poise restore [--replace] FILE\n";

static int run(copy_fn *copy, const char *name, const char *file, bool may_replace)
{
    struct store_copy made = {0};
    struct settings settings;
    struct buffer problem;
    int status = 2;

    buffer_init(&problem, 4096);
    if (settings_open(&settings)) {
        status = copy(settings.store_url, file, may_replace, &made, &problem) ? 0 : 1;
        if (status == 0)
            printf("poise %s: %s: %" PRId64 " sessions, %" PRId64 " bytes, checked\n",
                   name, file, made.sessions, made.bytes);
        if (problem.length > 0)
            fprintf(stderr, "poise %s: %s", name, problem.bytes);
    }
    settings_free(&settings);
    buffer_done(&problem);
    return status;
}

static int command(copy_fn *copy, const char *name, const char *usage, int argc,
                   char **argv)
{
    bool may_replace = argc > 0 && strcmp(argv[0], "--replace") == 0;
    const char *file = argc == 1 + may_replace ? argv[may_replace] : "-";

    if (*file != '-' && *file != '\0')
        return run(copy, name, file, may_replace);
    fputs(usage, stderr);
    return 2;
}

int command_backup(int argc, char **argv)
{
    return command(store_backup, "backup", backup_usage, argc, argv);
}

int command_restore(int argc, char **argv)
{
    return command(store_restore, "restore", restore_usage, argc, argv);
}
