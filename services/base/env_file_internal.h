/*
 * A .env file: NAME=value lines, read whole.
 */
#ifndef ENV_FILE_INTERNAL_H
#define ENV_FILE_INTERNAL_H

#include "buffer.h"

#include <stdbool.h>

struct env_file {
    struct buffer text; /* owned; NAME NUL value NUL ... */
};

/* A missing file is an empty one.  false: it is there but cannot be read, or has a line that is no
 * NAME=value, a name that is no setting, or one a second time; a line about each is appended to
 * `problems`. */
bool env_file_read(struct env_file *file, const char *path, struct buffer *problems);

/* The name behind `*name`, borrowed; NULL: the first.  false: no more. */
bool env_file_next(const struct env_file *file, const char **name);

/* The value that stands behind a name of the file's own. */
static inline const char *env_file_value(const char *name)
{
    return name + strlen(name) + 1;
}

/* The value of a name, borrowed.  NULL: not there. */
const char *env_file_get(const struct env_file *file, const char *name);

void env_file_done(struct env_file *file);

#endif
