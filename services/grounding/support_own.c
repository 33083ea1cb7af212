/*
 * Is what a claim says that sentence's own?  Its numbers with their units, its names, and who does what to whom: no
 * word stands in the place of another.
 */
#include "support_internal.h"

static bool has_stem(const struct support *support,
                     const struct support_sentence *sentence, uint32_t stem)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++)
        if (words[i].stem == stem)
            return true;
    return false;
}

int support_next_content(const struct support *support,
                         const struct support_sentence *sentence, int at, int step)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (at += step; at >= 0 && at < (int)sentence->count; at += step)
        if (support_is_content(&words[at]))
            return at;
    return -1;
}

bool support_is_clause_end(const struct support *support, const struct support_word *word)
{
    return word->flags & SUPPORT_BREAK ||
           (word->stem == support->and_stem &&
            !(word[-1].flags & word[1].flags & (TERM_NAME | TERM_NUMBER)));
}

/* ---- names and words in their places ---- */

/* Words of a claim that are looked at for two in each other's place. */
#define TRANSPOSED_WORDS 64

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
static bool names_are_joined(const struct support *support,
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

/* Where a word that the claim has once first stands in the sentence; -1: nowhere. */
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
        if (support->stems[words[i].stem].item == item && place < 0)
            place = (int)i;
    return place;
}

static bool has_by(const struct support *support, const struct support_sentence *sentence)
{
    return has_stem(support, sentence, support->by_stem);
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
    if (words[first].kind != words[last].kind)
        return false; /* like is taken for like */
    held = words[first];
    words[first] = words[last];
    words[last] = held;
    for (size_t i = 0; i + 1 < count; i++)
        if (words[i].place > words[i + 1].place)
            return false;
    return true;
}

/* Two words of the claim are in each other's place. */
static bool is_transposed(const struct support *support,
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
    return is_swap(placed, count);
}

/* Words that "from" and "to" have behind them. */
#define WAY_WORDS 6

/* Has the sentence a word of the claim shortly behind one with this stem? */
static bool stands_behind(const struct support *support,
                          const struct support_sentence *sentence, uint32_t stem,
                          uint32_t item)
{
    const struct support_word *words = support_words_of(support, sentence);
    bool is_behind = false;

    for (uint32_t i = 0, from = sentence->count; i < sentence->count && !is_behind; i++) {
        if (words[i].stem == support->from_stem || words[i].stem == support->to_stem)
            from = words[i].stem == stem ? i : sentence->count;
        is_behind = i > from && i - from <= WAY_WORDS &&
                    support->stems[words[i].stem].item == item;
    }
    return is_behind;
}

/* Does the claim go from where the sentence goes to, and to where that comes from? */
static bool is_turned_round(const struct support *support,
                            const struct support_sentence *claim,
                            const struct support_sentence *sentence)
{
    uint32_t ways[] = {support->from_stem, support->to_stem};
    bool is_turned[2] = {false, false};

    for (uint32_t item = 1; item <= support->item_count; item++)
        for (size_t i = 0; i < 2; i++)
            is_turned[i] |= !(support->items[item - 1].flags & SUPPORT_WEAK_FLAGS) &&
                            stands_behind(support, claim, ways[i], item) &&
                            !stands_behind(support, sentence, ways[i], item) &&
                            stands_behind(support, sentence, ways[1 - i], item);
    return is_turned[0] && is_turned[1];
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
    int left = support_next_content(support, claim, at, -1),
        right = support_next_content(support, claim, at, 1);
    int from = left >= 0 ? first_place(support, sentence, &words[left]) : -1;
    int to = right >= 0 ? first_place(support, sentence, &words[right]) : -1;
    int behind = from >= 0 ? support_next_content(support, sentence, from, 1) : -1;
    int before = to >= 0 ? support_next_content(support, sentence, to, -1) : -1;
    bool fits_left = is_left_out(support, sentence, behind),
         fits_right = is_left_out(support, sentence, before);

    *ret_held = fits_left ? behind : before;
    if (from >= 0 && to > from) {
        if (behind == to)
            return FIT_NONE; /* it was put in */
        if (fits_left && fits_right &&
            (behind == before ||
             support_next_content(support, sentence, behind, 1) == before))
            return FIT_BOTH_SIDES;
    }
    if ((left < 0 && fits_right) || (right < 0 && fits_left))
        return FIT_EDGE; /* there is but one */
    return fits_left || fits_right ? FIT_ONE_SIDE : FIT_NONE;
}

/* The claim's name stands where the sentence has a word, or beside where it has a name, that the claim left out. */
static bool takes_place(const struct support *support,
                        const struct support_sentence *claim,
                        const struct support_item *item,
                        const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);
    const struct support_word *others = support_words_of(support, sentence);
    int held;

    for (uint32_t i = 0; i < claim->count; i++) {
        enum fit fit = support_item_of(support, &words[i]) == item
                           ? fit_of(support, claim, (int)i, sentence, &held)
                           : FIT_NONE;

        if (fit == FIT_BOTH_SIDES || (fit != FIT_NONE && others[held].flags & TERM_NAME))
            return true;
    }
    return false;
}

/* What the passage speaks of may fill in anywhere: what its first sentence has, which is often a heading, and
 * what several have. */
#define TOPIC_SENTENCES 3

static bool is_topic(const struct support *support,
                     const struct support_sentence *sentence,
                     const struct support_word *word)
{
    while (sentence > support->sentences && sentence[-1].passage == sentence->passage)
        sentence--;
    return support->stems[word->stem].passages_with >= TOPIC_SENTENCES ||
           first_place(support, sentence, word) >= 0;
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

/* Is a word of the claim, which the sentence has not, held to have taken the place of one of its own?  `missing`
 * counts those that it has not. */
static bool is_swapped(const struct support *support,
                       const struct support_sentence *claim, uint32_t at,
                       const struct support_sentence *sentence, double share,
                       size_t missing)
{
    const struct support_word *words = support_words_of(support, claim);
    bool is_in_passages = support->stems[words[at].stem].passages_with > 0;
    bool opens = support_next_content(support, claim, (int)at, -1) < 0;
    uint32_t other;
    int held;
    enum fit fit = fit_of(support, claim, (int)at, sentence, &held);

    if (is_counted_otherwise(support, claim, at, sentence))
        return true;
    if (fit == FIT_NONE ||
        (words[at].flags & SUPPORT_ASKED && (is_in_passages || fit != FIT_BOTH_SIDES)) ||
        (!support->is_restated && is_topic(support, sentence, &words[at])))
        return false;
    other = support_words_of(support, sentence)[held].flags;
    if ((words[at].flags & TERM_NAME && !(other & (TERM_NAME | SUPPORT_BEGINS))) ||
        (!(words[at].flags & TERM_NUMBER) && other & (TERM_NUMBER | SUPPORT_SMALL)))
        return false; /* it fills in for what is meant */
    if (is_in_passages && !is_near(support, sentence, &words[at]))
        return share >= SWAPPED_SHARE;
    if (share < SWAPPED_SHARE_DOUBT || missing > 2)
        return false;
    if (is_in_passages)
        return fit != FIT_EDGE || missing <= 1;
    /* A plain word for one that is not. */
    if (opens || other & SUPPORT_PLAIN)
        return false;
    if (words[at - 1].flags & SUPPORT_LEAD)
        return missing <= 1 || fit >= FIT_EDGE;
    return missing <= 1 && fit == FIT_BOTH_SIDES;
}

bool support_has_swapped(const struct support *support,
                         const struct support_sentence *claim,
                         const struct support_sentence *sentence, double share)
{
    const struct support_word *words = support_words_of(support, claim);
    size_t missing = 0;

    for (size_t i = 0; i < support->item_count; i++)
        missing += !(support->items[i].flags & (SUPPORT_WEAK_FLAGS | SUPPORT_ASKED)) &&
                   support->items[i].credit <= 0;
    for (uint32_t i = 0; i < claim->count; i++) {
        const struct support_item *item = support_item_of(support, &words[i]);

        if (support_is_content(&words[i]) && item != NULL && item->credit <= 0 &&
            is_swapped(support, claim, i, sentence, share, missing))
            return true;
    }
    return false;
}

/* ---- numbers and names ---- */

/* Sentences before one that a pronoun in it may look back to. */
#define LOOK_BACK 6
/* So much of the claim, and so many words, in one clause make that clause the one that it repeats. */
#define CLAUSE_SHARE 0.6
#define CLAUSE_WORDS 3

static bool has_item(const struct support *support,
                     const struct support_sentence *sentence, size_t item)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++)
        if (support->stems[words[i].stem].item == item + 1)
            return true;
    return false;
}

/* One of the sentences that stand just before has the word. */
bool support_stands_before(const struct support *support,
                           const struct support_sentence *sentence, uint32_t stem)
{
    size_t at = (size_t)(sentence - support->sentences);

    for (size_t i = 1; i <= LOOK_BACK && i <= at; i++)
        if (sentence[-(ptrdiff_t)i].passage == sentence->passage &&
            has_stem(support, &sentence[-(ptrdiff_t)i], stem))
            return true;
    return false;
}

/* Has the clause every plain word, neither name nor number nor unit, that the whole sentence has of the claim,
 * and enough of the claim? */
static bool has_all_plain(const struct support *support,
                          const struct support_sentence *clause)
{
    double all = 0, found = 0;
    size_t count = 0;

    for (size_t i = 0; i < support->item_count; i++) {
        const struct support_item *item = &support->items[i];

        if (item->flags & (TERM_NAME | TERM_NUMBER | SUPPORT_WEAK_FLAGS) ||
            support->stems[item->stem].unit != 0)
            continue;
        all += item->weight;
        if (item->credit <= 0)
            continue;
        if (!has_item(support, clause, i))
            return false;
        found += item->weight;
        count++;
    }
    return count >= CLAUSE_WORDS && found >= all * CLAUSE_SHARE;
}

static size_t count_shared(const struct support *support,
                           const struct support_sentence *clause)
{
    size_t count = 0;

    for (size_t i = 0; i < support->item_count; i++)
        count += !(support->items[i].flags & SUPPORT_WEAK_FLAGS) &&
                 has_item(support, clause, i);
    return count;
}

/* The clause that the claim repeats, of several the one with most of its words; the whole sentence where it is
 * none of them alone. */
static struct support_sentence find_clause(const struct support *support,
                                           const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, sentence);
    struct support_sentence clause = *sentence, best = *sentence;
    size_t most = 0;

    for (uint32_t from = 0, to; from < sentence->count; from = to) {
        for (to = from + 1; to < sentence->count; to++)
            if (support_is_clause_end(support, &words[to]))
                break;
        clause.first = sentence->first + from;
        clause.count = to - from;
        if (has_all_plain(support, &clause) && count_shared(support, &clause) > most) {
            most = count_shared(support, &clause);
            best = clause;
        }
    }
    return best;
}

/* Has the clause a word of this kind that the claim left out? */
static bool has_more(const struct support *support, const struct support_sentence *clause,
                     uint32_t flag)
{
    const struct support_word *words = support_words_of(support, clause);

    if (flag == TERM_NAME)
        flag |= SUPPORT_BEGINS; /* it may be one */
    for (uint32_t i = 0; i < clause->count; i++)
        if (words[i].flags & flag && support_is_content(&words[i]) &&
            support_item_of(support, &words[i]) == NULL)
            return true;
    return false;
}

/* Names or numbers: each is the clause's own, or fills in for what it refers back to and replaces
 * none of its own. */
static bool has_own(const struct support *support, const struct support_sentence *claim,
                    const struct support_sentence *sentence,
                    const struct support_sentence *clause, uint32_t flag)
{
    for (size_t i = 0; i < support->item_count; i++) {
        const struct support_item *item = &support->items[i];

        if (!(item->flags & flag) || item->flags & SUPPORT_MARKER ||
            !item->is_in_passages || item->is_opposed || has_item(support, clause, i))
            continue;
        if (flag == TERM_NAME && item->credit <= 0 &&
            support_stands_before(support, sentence, item->stem)) {
            if (takes_place(support, claim, item, sentence))
                return false;
            continue; /* it fills in for a pronoun */
        }
        if (has_more(support, clause, flag) ||
            (item->credit <= 0 && !support_stands_before(support, sentence, item->stem)))
            return false;
    }
    return true;
}

/* "One" and "two" are words more often than numbers: one that the clause has not is wrong where the clause has
 * another number that the claim has not. */
static bool small_numbers_are_own(const struct support *support,
                                  const struct support_sentence *claim,
                                  const struct support_sentence *clause)
{
    const struct support_word *words = support_words_of(support, claim);

    for (uint32_t i = 0; i + 1 < claim->count; i++)
        if (words[i].flags & SUPPORT_SMALL && !(words[i + 1].flags & TERM_STOP) &&
            support_item_of(support, &words[i])->credit <= 0 &&
            (has_more(support, clause, TERM_NUMBER) ||
             has_more(support, clause, SUPPORT_SMALL)))
            return false;
    return true;
}

/* The unit of the number at `at`: the first within two words behind it; 0: there is none. */
static const struct support_stem *unit_at(const struct support *support,
                                          const struct support_word *words,
                                          uint32_t count, uint32_t at)
{
    for (uint32_t next = at + 1; next < count && next <= at + 2; next++) {
        const struct support_stem *stem = &support->stems[words[next].stem];

        if (words[next].flags & (TERM_NUMBER | SUPPORT_BREAK))
            return NULL;
        if (stem->unit != 0 &&
            !(words[next].flags & TERM_STOP)) /* "in" is seldom inches */
            return stem;
    }
    return NULL;
}

/* A number of the claim stands in the sentence with its unit, or without any. */
static bool number_is_own(const struct support *support,
                          const struct support_sentence *claim, uint32_t at,
                          const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, sentence);
    const struct support_word *number = support_words_of(support, claim) + at;
    const struct support_stem *unit =
        unit_at(support, support_words_of(support, claim), claim->count, at);
    bool is_there = false;

    for (uint32_t i = 0; i < sentence->count; i++) {
        const struct support_stem *other;

        if (support->stems[words[i].stem].item != support->stems[number->stem].item)
            continue;
        is_there = true;
        other = unit_at(support, words, sentence->count, i);
        if (unit == NULL || other == NULL || unit->unit == other->unit)
            return true;
    }
    return !is_there;
}

/* A unit that the claim has and the sentence has not stands for another of its kind, which the sentence
 * has and the claim has not: "once a week", "once a month". */
static bool unit_is_changed(const struct support *support,
                            const struct support_sentence *sentence,
                            const struct support_item *item)
{
    const struct support_word *words = support_words_of(support, sentence);
    const struct support_stem *unit = &support->stems[item->stem];
    bool is_changed = false;

    for (uint32_t i = 0; i < sentence->count; i++) {
        const struct support_stem *other = &support->stems[words[i].stem];

        if (other->unit == unit->unit)
            return false;
        if (other->quantity == unit->quantity && other->item == 0)
            is_changed = true;
    }
    return is_changed;
}

static bool numbers_are_own(const struct support *support,
                            const struct support_sentence *claim,
                            const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);

    for (uint32_t i = 0; i < claim->count; i++) {
        bool is_number = words[i].flags & TERM_NUMBER;
        const struct support_item *item = support_item_of(support, &words[i]);

        if (words[i].flags & SUPPORT_MARKER)
            continue;
        if (is_number && !number_is_own(support, claim, i, sentence))
            return false;
        if (!is_number && support->stems[words[i].stem].unit != 0 && item != NULL &&
            !(words[i].flags & TERM_STOP) && item->credit <= 0 &&
            unit_is_changed(support, sentence, item))
            return false;
    }
    return true;
}

bool support_is_own(const struct support *support, const struct support_sentence *claim,
                    const struct support_sentence *sentence)
{
    struct support_sentence clause = find_clause(support, sentence);

    return has_own(support, claim, sentence, &clause, TERM_NAME) &&
           small_numbers_are_own(support, claim, &clause) &&
           has_own(support, claim, sentence, &clause, TERM_NUMBER) &&
           names_are_joined(support, claim, sentence) &&
           numbers_are_own(support, claim, sentence) &&
           support_opposites_agree(support, claim, sentence) &&
           support_polarity_agrees(support, claim, sentence) &&
           !is_transposed(support, claim, sentence) &&
           !is_turned_round(support, claim, sentence);
}
