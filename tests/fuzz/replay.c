/*
 * Runs every file of a folder through a fuzz target once, for builds without libFuzzer.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INPUT_BYTES (1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static int run_file(const char *folder, const char *name, uint8_t *bytes)
{
    char path[4096];
    size_t length;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    length = fread(bytes, 1, INPUT_BYTES, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, length);
    return 1;
}

int main(int argc, char **argv)
{
    DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
    uint8_t *bytes = malloc(INPUT_BYTES);
    struct dirent *entry;
    int count = 0;

    if (folder == NULL || bytes == NULL) {
        fprintf(stderr, "no such folder of inputs\n");
        return 1;
    }
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            count += run_file(argv[1], entry->d_name, bytes);
    closedir(folder);
    free(bytes);
    printf("%d passed, 0 failed\n", count);
    return count > 0 ? 0 : 1;
}
