/*
 * Measures the flow of an answer in one pass over its words, by their hashes.
 *
 * Hesitations are passed over, so that "the um the" is a restart and "um um" is none.
 */
#include "reading_internal.h"

#include "coach_hash_internal.h"
#include "mem.h"
#include "words.h"

#include <sodium.h>
#include <stdlib.h>

#define ROW_WORDS 4

/* How often something was seen, by its hash: open addressing, at most half full. */
struct seen {
    uint64_t hash;
    size_t count;
};

struct tally {
    struct seen *slots; /* owned */
    size_t slot_count;  /* a power of two */
};

static struct tally tally_for(size_t entries)
{
    struct tally tally = {.slot_count = 16};

    while (tally.slot_count < 2 * entries)
        tally.slot_count *= 2;
    tally.slots = mem_zalloc(tally.slot_count * sizeof(*tally.slots));
    return tally;
}

static void tally_done(struct tally *tally)
{
    sodium_memzero(tally->slots, tally->slot_count * sizeof(*tally->slots));
    free(tally->slots);
}

/* How often it was seen with this time. */
static size_t see(struct tally *tally, uint64_t hash)
{
    size_t at = (size_t)(hash ^ hash >> 32) & (tally->slot_count - 1);

    while (tally->slots[at].count != 0 && tally->slots[at].hash != hash)
        at = (at + 1) & (tally->slot_count - 1);
    tally->slots[at].hash = hash;
    return ++tally->slots[at].count;
}

/* "I had had enough", "very very": said twice on purpose. */
static bool may_be_doubled(const struct answer *answer, size_t index)
{
    return words_is_on("that had very really no yes so bye again many far long",
                       answer->words[index].text);
}

void flow_measure(struct flow *flow, const struct answer *answer)
{
    struct tally words = tally_for(answer->word_count);
    struct tally rows = tally_for(answer->word_count);
    uint64_t last[ROW_WORDS] = {0}; /* the newest first */
    size_t indexes[ROW_WORDS] = {0};

    *flow = (struct flow){0};
    for (size_t i = 0; i < answer->word_count; i++) {
        const struct word *word = &answer->words[i];
        uint64_t row = word->hash;

        if (word->cues & CUE_BIT(CUE_HESITATION))
            continue;
        flow->different += see(&words, word->hash) == 1;
        if ((word->hash == last[0] && !may_be_doubled(answer, i)) ||
            (word->hash == last[1] && last[0] == last[2] && last[0] != last[1])) {
            if (flow->restarts++ == 0)
                flow->first_restart = indexes[0];
        }
        for (size_t k = 0; k < ROW_WORDS - 1; k++)
            row = coach_hash(row, (const char *)&last[k], sizeof(last[k]));
        for (size_t k = ROW_WORDS - 1; k > 0; k--) {
            last[k] = last[k - 1];
            indexes[k] = indexes[k - 1];
        }
        last[0] = word->hash;
        indexes[0] = i;
        if (++flow->words >= ROW_WORDS) {
            size_t times = see(&rows, row);

            flow->rows++;
            flow->said_again += times > 1;
            if (times > flow->most_times) {
                flow->most_times = times;
                flow->most_first = indexes[ROW_WORDS - 1];
            }
        }
    }
    tally_done(&words);
    tally_done(&rows);
}
