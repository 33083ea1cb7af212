/*
 * Runs every file of some folders through a fuzz target once, for builds without libFuzzer.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>

#define INPUT_BYTES (1024 * 1024)

/* The bytes are copied to where nothing lies behind them: a sanitizer looks. */
static int run_file(const char *folder, const char *name, uint8_t *bytes)
{
    char path[4096];
    uint8_t *exact;
    size_t length;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    length = fread(bytes, 1, INPUT_BYTES, file);
    fclose(file);
    exact = malloc(length > 0 ? length : 1);
    must(exact != NULL);
    memcpy(exact, bytes, length);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
    return 1;
}

/* A folder that is not there has no files. */
static int run_folder(const char *path, uint8_t *bytes)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int count = 0;

    if (folder == NULL)
        return 0;
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            count += run_file(path, entry->d_name, bytes);
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    uint8_t *bytes = malloc(INPUT_BYTES);
    int count = 0;

    must(bytes != NULL);
    for (int i = 1; i < argc; i++)
        count += run_folder(argv[i], bytes);
    free(bytes);
    printf("%d passed, 0 failed\n", count);
    return count > 0 ? 0 : 1;
}
