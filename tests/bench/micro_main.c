/*
 * Runs one micro-benchmark: prepares it, warms it up, repeats its operation and prints
 * how often.
 *
 * Usage: micro_<name> [operations]
 */
#include "micro.h"

#include <stdio.h>
#include <stdlib.h>

#define OPERATIONS 100UL

int main(int argc, char **argv)
{
    unsigned long operations = argc > 1 ? strtoul(argv[1], NULL, 10) : OPERATIONS;
    void *state = micro_prepare();

    for (unsigned long i = 0; i < operations; i++)
        micro_operation(state);
    micro_finish(state);
    printf("operations %lu\n", operations);
    return 0;
}
