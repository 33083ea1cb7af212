#include "passage.h"

#include <stdlib.h>

void passages_done(struct passages *passages)
{
    for (size_t i = 0; i < passages->count; i++) {
        struct passage *passage = &passages->all[i];

        free(passage->id);
        free(passage->chapter);
        free(passage->section);
        free(passage->text);
    }
    free(passages->all);
    *passages = (struct passages){0};
}
