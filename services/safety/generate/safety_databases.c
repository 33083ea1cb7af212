/*
 * Compiles the built-in list for Vectorscan: run by the build, not part of the program.
 *
 *   safety_databases <file to write>
 */
#include "prebuilt.h"
#include "ruleset.h"

#include <stdio.h>
#include <stdlib.h>

/* In the place of that of prebuilt.c: here nothing is prebuilt. */
hs_database_t *prebuilt_find(const unsigned char *key)
{
    (void)key;
    return NULL;
}

static bool write_database(const struct prefilter *prefilter, FILE *file)
{
    static const char zeros[16];
    struct prebuilt_header header = {.length = 0};
    char *bytes;
    size_t length;

    if (!prefilter_serialise(prefilter, header.key, &bytes, &length))
        return false;
    header.length = length;
    size_t padding = (16 - length % 16) % 16;
    bool is_written = fwrite(&header, sizeof header, 1, file) == 1 &&
                      fwrite(bytes, length, 1, file) == 1 &&
                      fwrite(zeros, 1, padding, file) == padding;
    free(bytes);
    return is_written;
}

int main(int argc, char **argv)
{
    struct ruleset_problem problem;
    struct ruleset *ruleset;

    if (argc != 2) {
        fprintf(stderr, "usage: safety_databases OUTPUT\n");
        return 2;
    }
    if (!ruleset_load_default(&ruleset, &problem)) {
        fprintf(stderr, "%s\n", problem.text);
        return 1;
    }
    FILE *file = fopen(argv[1], "wb");
    bool is_written = file != NULL;
    for (int surface = 0; surface < SURFACE_COUNT; surface++)
        is_written = is_written && write_database(ruleset->prefilters[surface], file);
    if (file == NULL || fclose(file) != 0 || !is_written) {
        perror(argv[1]);
        return 1;
    }
    ruleset_unref(ruleset);
    return 0;
}
