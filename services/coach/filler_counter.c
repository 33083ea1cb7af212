/*
 * Counts fillers for who has a text and no built-in coach.
 *
 * Every turn is counted, so the words are not looked up in the coach's lexicon, which
 * costs more than all the rest: two letters and a length tell most of them from the few
 * words with which a filler begins.
 */
#include "fillers_internal.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

struct filler_counter {
    uint32_t lengths[32][32]; /* a bit for each length, by the first two letters */
};

/* Where the lengths are of words that begin like this one. */
static size_t row_of(struct span word)
{
    return letter_number(word.bytes[0]);
}

static size_t column_of(struct span word)
{
    return word.length > 1 ? letter_number(word.bytes[1]) : 0;
}

static uint32_t length_bit(size_t length)
{
    return BIT(length < 31 ? length : 31);
}

static void add_first_word(struct filler_counter *counter, const char *phrase)
{
    struct span word = {phrase, strcspn(phrase, " ")};

    counter->lengths[row_of(word)][column_of(word)] |= length_bit(word.length);
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
    uint32_t lengths = counter->lengths[row_of(word)][column_of(word)];

    return (lengths & length_bit(word.length)) != 0;
}

void filler_counter_count(const struct filler_counter *counter, struct span text,
                          struct fillers *ret_fillers)
{
    struct answer answer;

    answer_cut(&answer, text);
    for (size_t i = 0; i < answer.word_count; i++)
        if (may_begin_filler(counter, answer.words[i].text))
            answer.words[i].cues = CUE_BIT(CUE_FILLER);
    *ret_fillers = fillers_count(&answer);
    answer_done(&answer);
}
