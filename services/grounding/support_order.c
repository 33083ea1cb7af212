/*
 * Who does what to whom: names that belong together, and words in each other's place.
 */
#include "support_internal.h"

/* Words of a claim that are looked at for two in each other's place, and how many there must be. */
#define TRANSPOSED_WORDS 64
#define TRANSPOSED_LEAST 5

/* Beside which name a name stands in the sentence, by `step`; NULL: beside none, or it is not there. */
static const struct support_word *neighbour(const struct support *support,
                                            const struct support_sentence *sentence,
                                            uint32_t stem, int step)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++) {
        uint32_t at = i + (uint32_t)step;

        if (words[i].stem == stem && at < sentence->count &&
            words[at].flags & TERM_NAME &&
            !(words[step > 0 ? at : i].flags & SUPPORT_BREAK))
            return &words[at];
    }
    return NULL;
}

/* No name of two words is put together from two others: "John Burns" and "Cardinal Manning" make no
 * "Cardinal Burns". */
bool support_names_are_joined(const struct support *support,
                              const struct support_sentence *claim,
                              const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);

    for (uint32_t i = 0; i + 1 < claim->count; i++) {
        const struct support_word *behind, *before;

        if (!(words[i].flags & words[i + 1].flags & TERM_NAME) ||
            words[i + 1].flags & SUPPORT_BREAK || words[i + 1].start > words[i].end + 1)
            continue;
        behind = neighbour(support, sentence, words[i].stem, 1);
        before = neighbour(support, sentence, words[i + 1].stem, -1);
        if ((behind != NULL && behind->stem != words[i + 1].stem && before == NULL) ||
            (before != NULL && before->stem != words[i].stem && behind == NULL) ||
            (behind != NULL && before != NULL && behind->stem != words[i + 1].stem &&
             before->stem != words[i].stem))
            return false;
    }
    return true;
}

/* Where a word of the claim stands in the sentence, as long as it stands once in each; -1. */
static int place_of(const struct support *support, const struct support_sentence *claim,
                    const struct support_sentence *sentence, uint32_t at)
{
    const struct support_word *words = support_words_of(support, sentence);
    uint32_t item = support->stems[support_words_of(support, claim)[at].stem].item;
    int place = -1;

    if (!support_is_content(&support_words_of(support, claim)[at]) || item == 0)
        return -1;
    for (uint32_t i = 0; i < claim->count; i++)
        if (i != at &&
            support->stems[support_words_of(support, claim)[i].stem].item == item)
            return -1;
    for (uint32_t i = 0; i < sentence->count; i++)
        if (support->stems[words[i].stem].item == item) {
            if (place >= 0)
                return -1;
            place = (int)i;
        }
    return place;
}

static bool has_by(const struct support *support, const struct support_sentence *sentence)
{
    return support_has_stem(support, sentence, support->by_stem);
}

/* The places rise but for two that are each in the other's, with others between them. */
static bool is_swap(int *places, size_t count)
{
    size_t first = count, last = count;
    int held;

    for (size_t i = 0; i + 1 < count; i++)
        if (places[i] > places[i + 1]) {
            if (first == count)
                first = i;
            last = i + 1;
        }
    if (first == count || last < first + 2)
        return false;
    held = places[first];
    places[first] = places[last];
    places[last] = held;
    for (size_t i = 0; i + 1 < count; i++)
        if (places[i] > places[i + 1])
            return false;
    return true;
}

bool support_is_transposed(const struct support *support,
                           const struct support_sentence *claim,
                           const struct support_sentence *sentence)
{
    int places[TRANSPOSED_WORDS];
    size_t count = 0;

    if (has_by(support, claim) != has_by(support, sentence))
        return false; /* active and passive */
    for (uint32_t i = 0; i < claim->count && count < TRANSPOSED_WORDS; i++) {
        int place = place_of(support, claim, sentence, i);

        if (place >= 0)
            places[count++] = place;
    }
    return count >= TRANSPOSED_LEAST && is_swap(places, count);
}
