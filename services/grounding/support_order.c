/*
 * Who does what to whom: names that belong together, and words in each other's place.
 */
#include "support_internal.h"

/* Words of a claim that are looked at for two in each other's place, and how many there must be. */
#define TRANSPOSED_WORDS 64
#define TRANSPOSED_LEAST 5
/* How many are enough where both are names, or both numbers. */
#define TRANSPOSED_NAMES 3

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

/* A word that both have, or a name of several. */
struct placed {
    int place;     /* in the sentence */
    uint32_t kind; /* TERM_NAME, TERM_NUMBER or 0 */
};

/* The places rise but for two that are each in the other's, with others between them. */
static bool is_swap(struct placed *words, size_t count)
{
    size_t first = count, last = count;
    struct placed held;

    for (size_t i = 0; i + 1 < count; i++)
        if (words[i].place > words[i + 1].place) {
            if (first == count)
                first = i;
            last = i + 1;
        }
    if (first == count ||
        (last < first + 2 && !(words[first].kind & words[last].kind & TERM_NUMBER)))
        return false; /* "red and blue" */
    if (count < TRANSPOSED_LEAST &&
        (words[first].kind == 0 || words[first].kind != words[last].kind))
        return false;
    held = words[first];
    words[first] = words[last];
    words[last] = held;
    for (size_t i = 0; i + 1 < count; i++)
        if (words[i].place > words[i + 1].place)
            return false;
    return true;
}

bool support_is_transposed(const struct support *support,
                           const struct support_sentence *claim,
                           const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);
    struct placed placed[TRANSPOSED_WORDS];
    size_t count = 0;
    int before = -3;
    uint32_t at = 0;

    if (has_by(support, claim) != has_by(support, sentence))
        return false; /* active and passive */
    for (uint32_t i = 0; i < claim->count && count < TRANSPOSED_WORDS; i++) {
        int place = place_of(support, claim, sentence, i);
        /* "William of Normandy" is one name. */
        bool goes_on = i > 0 && i - at <= 2 && place - before == (int)(i - at) &&
                       words[i].flags & words[at].flags & TERM_NAME;

        if (place < 0)
            continue;
        if (!goes_on)
            placed[count++] =
                (struct placed){place, words[i].flags & (TERM_NAME | TERM_NUMBER)};
        at = i;
        before = place;
    }
    return count >= TRANSPOSED_NAMES && is_swap(placed, count);
}
