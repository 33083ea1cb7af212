/*
 * Counts fillers for who has a text and no built-in coach.
 *
 * Every turn is counted, so the words are not looked up in the coach's lexicon, which
 * costs more than all the rest: a first letter and a length tell most of them from the
 * few words with which a filler begins.
 */
#include "fillers_internal.h"

#include "mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct filler_counter {
    uint32_t lengths[256]; /* by first letter, in lower case: a bit for each length */
};

static uint32_t length_bit(size_t length)
{
    return BIT(length < 31 ? length : 31);
}

static void add_first_word(struct filler_counter *counter, const char *phrase)
{
    counter->lengths[(unsigned char)*phrase] |= length_bit(strcspn(phrase, " "));
}

struct filler_counter *filler_counter_new(void)
{
    struct filler_counter *counter = MEM_NEW(struct filler_counter);

    for (size_t i = 0; i < hesitations.count; i++)
        add_first_word(counter, hesitations.items[i]);
    for (size_t i = 0; i < filler_rule_count; i++)
        add_first_word(counter, filler_rules[i].phrase);
    return counter;
}

void filler_counter_free(struct filler_counter *counter)
{
    free(counter);
}

static bool may_begin_filler(const struct filler_counter *counter, struct span word)
{
    int first = tolower((unsigned char)*word.bytes);

    return (counter->lengths[first] & length_bit(word.length)) != 0;
}

void filler_counter_count(const struct filler_counter *counter, struct span text,
                          struct fillers *ret_fillers)
{
    struct answer answer;

    answer_cut(&answer, text);
    for (size_t i = 0; i < answer.word_count; i++)
        if (may_begin_filler(counter, answer.words[i].text))
            answer.words[i].cues = BIT(CUE_FILLER);
    *ret_fillers = fillers_count(&answer);
    answer_done(&answer);
}
