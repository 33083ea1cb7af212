/*
 * Counts fillers for who has a text and no built-in coach.
 */
#include "fillers_internal.h"

#include "mem.h"

#include <stdlib.h>

struct filler_counter {
    struct lexicon *lexicon; /* owned */
};

struct filler_counter *filler_counter_new(void)
{
    struct filler_counter *counter = MEM_NEW(struct filler_counter);

    counter->lexicon = lexicon_new();
    return counter;
}

void filler_counter_free(struct filler_counter *counter)
{
    if (counter == NULL)
        return;
    lexicon_free(counter->lexicon);
    free(counter);
}

void filler_counter_count(const struct filler_counter *counter, struct span text,
                          struct fillers *ret_fillers)
{
    struct answer answer;

    answer_read_words(&answer, counter->lexicon, text);
    *ret_fillers = fillers_count(&answer);
    answer_done(&answer);
}
