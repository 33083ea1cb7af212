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
    if (words[first].kind != words[last].kind ||
        (count < TRANSPOSED_LEAST && words[first].kind == 0))
        return false; /* like is taken for like */
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

/* ---- one word in the place of another ---- */

/* So much of the claim has to be the sentence's before a word that is not may be held to have taken a place in
 * it: one that the passages have elsewhere, and one that they have near by or nowhere. */
#define SWAPPED_SHARE       0.5
#define SWAPPED_SHARE_DOUBT 0.65

/* Where the sentence first has the claim's word; -1: nowhere. */
static int first_place(const struct support *support,
                       const struct support_sentence *sentence,
                       const struct support_word *word)
{
    const struct support_word *words = support_words_of(support, sentence);
    uint32_t item = support->stems[word->stem].item;

    for (uint32_t i = 0; i < sentence->count && item != 0; i++)
        if (support->stems[words[i].stem].item == item)
            return (int)i;
    return -1;
}

/* The next word of content from `at` on, by `step`, as a place; -1: there is none. */
static int next_content(const struct support *support,
                        const struct support_sentence *sentence, int at, int step)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (at += step; at >= 0 && at < (int)sentence->count; at += step)
        if (support_is_content(&words[at]))
            return at;
    return -1;
}

/* Is a word of the sentence one that the claim has not? */
static bool is_left_out(const struct support *support,
                        const struct support_sentence *sentence, int at)
{
    return at >= 0 &&
           support_item_of(support, &support_words_of(support, sentence)[at]) == NULL;
}

enum fit { FIT_NONE, FIT_ONE_SIDE, FIT_EDGE, FIT_BOTH_SIDES };

/* Does a word that the claim left out stand between the same neighbours, or beside the same one?  Then where. */
static enum fit fit_of(const struct support *support,
                       const struct support_sentence *claim, int at,
                       const struct support_sentence *sentence, int *ret_held)
{
    const struct support_word *words = support_words_of(support, claim);
    int left = next_content(support, claim, at, -1),
        right = next_content(support, claim, at, 1);
    int from = left >= 0 ? first_place(support, sentence, &words[left]) : -1;
    int to = right >= 0 ? first_place(support, sentence, &words[right]) : -1;
    int behind = from >= 0 ? next_content(support, sentence, from, 1) : -1;
    int before = to >= 0 ? next_content(support, sentence, to, -1) : -1;
    bool fits_left = is_left_out(support, sentence, behind),
         fits_right = is_left_out(support, sentence, before);

    *ret_held = fits_left ? behind : before;
    if (from >= 0 && to > from) {
        if (behind == to)
            return FIT_NONE; /* it was put in */
        if (fits_left && fits_right &&
            (behind == before || next_content(support, sentence, behind, 1) == before))
            return FIT_BOTH_SIDES;
    }
    if ((left < 0 && fits_right) || (right < 0 && fits_left))
        return FIT_EDGE; /* there is but one */
    return fits_left || fits_right ? FIT_ONE_SIDE : FIT_NONE;
}

bool support_takes_place(const struct support *support,
                         const struct support_sentence *claim,
                         const struct support_item *item,
                         const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);
    int held;

    for (uint32_t i = 0; i < claim->count; i++)
        if (support_item_of(support, &words[i]) == item &&
            fit_of(support, claim, (int)i, sentence, &held) != FIT_NONE &&
            support_words_of(support, sentence)[held].flags & TERM_NAME)
            return true;
    return false;
}

static bool is_near(const struct support *support,
                    const struct support_sentence *sentence,
                    const struct support_word *word)
{
    size_t at = (size_t)(sentence - support->sentences);

    for (size_t i = at > 0 ? at - 1 : 0; i <= at + 1 && i < support->passage_sentences;
         i++)
        if (support->sentences[i].passage == sentence->passage &&
            first_place(support, &support->sentences[i], word) >= 0)
            return true;
    return false;
}

/* Behind "the" or "of", or between two other words of weight, seldom a verb stands. */
static bool is_noun(const struct support_sentence *claim,
                    const struct support_word *words, uint32_t at)
{
    return at > 0 && (words[at - 1].flags & SUPPORT_LEAD ||
                      (at + 1 < claim->count && support_is_content(&words[at - 1]) &&
                       support_is_content(&words[at + 1])));
}

/* Has what is counted changed, "40 years" to "40 rivers"? */
static bool is_counted_otherwise(const struct support *support,
                                 const struct support_sentence *claim, uint32_t at,
                                 const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim), *counted;
    int place = -1;

    if (at >= 2 && words[at - 1].flags & TERM_NUMBER)
        place = first_place(support, sentence, &words[at - 1]);
    if (place < 0 || place + 1 >= (int)sentence->count ||
        !is_left_out(support, sentence, place + 1))
        return false;
    counted = &support_words_of(support, sentence)[place + 1];
    return support->stems[counted->stem].unit != 0 ||
           (support_is_content(counted) &&
            support_item_of(support, &words[at])->is_in_passages);
}

/* Is a word of the claim, which the sentence has not, held to have taken the place of one of its own? */
static bool is_swapped(const struct support *support,
                       const struct support_sentence *claim, uint32_t at,
                       const struct support_sentence *sentence, double share,
                       size_t missing)
{
    const struct support_word *words = support_words_of(support, claim);
    const struct support_item *item = support_item_of(support, &words[at]);
    uint32_t other;
    int held;
    enum fit fit = fit_of(support, claim, (int)at, sentence, &held);

    if (is_counted_otherwise(support, claim, at, sentence))
        return true;
    if (fit == FIT_NONE)
        return false;
    other = support_words_of(support, sentence)[held].flags;
    if ((words[at].flags & TERM_NAME && !(other & (TERM_NAME | SUPPORT_BEGINS))) ||
        (!(words[at].flags & TERM_NUMBER) && other & (TERM_NUMBER | SUPPORT_SMALL)))
        return false; /* it fills in for what is meant */
    if (item->is_in_passages && !is_near(support, sentence, &words[at]))
        return share >= SWAPPED_SHARE;
    if (share < SWAPPED_SHARE_DOUBT)
        return false;
    if (!item->is_in_passages)
        return fit >= FIT_EDGE && is_noun(claim, words, at) && missing == 1;
    return (fit == FIT_BOTH_SIDES && missing <= 2) ||
           (fit == FIT_ONE_SIDE && is_noun(claim, words, at) && missing == 1);
}

bool support_has_swapped(const struct support *support,
                         const struct support_sentence *claim,
                         const struct support_sentence *sentence, double share)
{
    const struct support_word *words = support_words_of(support, claim);
    size_t missing = 0;

    for (size_t i = 0; i < support->item_count; i++)
        missing += !(support->items[i].flags & SUPPORT_WEAK_FLAGS) &&
                   support->items[i].credit <= 0;
    for (uint32_t i = 0; i < claim->count; i++) {
        const struct support_item *item = support_item_of(support, &words[i]);

        if (support_is_content(&words[i]) && item != NULL && item->credit <= 0 &&
            is_swapped(support, claim, i, sentence, share, missing))
            return true;
    }
    return false;
}
