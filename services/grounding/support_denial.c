/*
 * Does a claim deny what the sentence denies, and nothing else?  By negations and the words in their reach, by words
 * that say no ("forbidden"), and by opposites ("rose", "fell").
 */
#include "support_internal.h"

/* Words that a negation reaches, to its right and to its left. */
#define REACH_RIGHT 3
#define REACH_LEFT  2

static bool is_negated_near(const struct support *support,
                            const struct support_sentence *sentence, uint32_t at)
{
    const struct support_word *words = support_words_of(support, sentence);
    uint32_t from = at > REACH_RIGHT ? at - REACH_RIGHT : 0;

    for (uint32_t i = from; i < at + REACH_LEFT && i < sentence->count; i++)
        if (words[i].flags & TERM_NEGATION)
            return true;
    return false;
}

/* Does the word at `at` have the same neighbour on this side as one of the claim? */
static bool has_neighbour(const struct support *support,
                          const struct support_sentence *sentence, int at, int step,
                          const struct support_word *neighbour)
{
    int beside = support_next_content(support, sentence, at, step);

    return beside >= 0 &&
           support->stems[support_words_of(support, sentence)[beside].stem].item ==
               support->stems[neighbour->stem].item;
}

/* Of a word of the claim and its opposite, which the sentence has both, the opposite stands rather where the claim has
 * the word. */
static bool has_opposite_place(const struct support *support,
                               const struct support_sentence *claim, uint32_t at,
                               const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);
    const struct support_word *others = support_words_of(support, sentence);
    uint32_t item = support->stems[words[at].stem].item;
    int sides = 0;

    for (int step = -1; step <= 1; step += 2) {
        int beside = support_next_content(support, claim, (int)at, step);
        bool fits = false, opposite_fits = false;

        for (int i = 0; i < (int)sentence->count && beside >= 0; i++)
            if (has_neighbour(support, sentence, i, step, &words[beside])) {
                fits |= support->stems[others[i].stem].item == item;
                opposite_fits |= support->stems[others[i].stem].against == item;
            }
        sides += opposite_fits - fits;
    }
    return sides > 0;
}

/* No word of the claim stands where the sentence has its opposite, unless the claim denies it. */
bool support_opposites_agree(const struct support *support,
                             const struct support_sentence *claim,
                             const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);

    for (uint32_t i = 0; i < claim->count; i++) {
        const struct support_item *item = support_item_of(support, &words[i]);

        if (item == NULL)
            continue;
        if ((item->is_opposed && !is_negated_near(support, claim, i)) ||
            (item->credit > 0 && has_opposite_place(support, claim, i, sentence)))
            return false;
    }
    return true;
}

/* The words that a negation denies. */
struct reach {
    const struct support_word *words[REACH_RIGHT + REACH_LEFT];
    size_t right, count; /* the first `right` stand behind it */
};

static void find_reach(const struct support *support,
                       const struct support_sentence *sentence, uint32_t at,
                       struct reach *reach)
{
    const struct support_word *words = support_words_of(support, sentence);

    *reach = (struct reach){.count = 0};
    for (uint32_t i = at + 1; i < sentence->count && reach->count < REACH_RIGHT; i++) {
        if (support_is_clause_end(support, &words[i]))
            break;
        if (support_is_content(&words[i]))
            reach->words[reach->count++] = &words[i];
    }
    reach->right = reach->count;
    for (uint32_t i = at; i > 0 && reach->count < reach->right + REACH_LEFT; i--) {
        if (support_is_clause_end(support, &words[i]))
            break;
        if (support_is_content(&words[i - 1]))
            reach->words[reach->count++] = &words[i - 1];
    }
}

static bool are_alike(const struct support *support, const struct support_word *one,
                      const struct support_word *other)
{
    const struct support_stem *first = &support->stems[one->stem];
    const struct support_stem *second = &support->stems[other->stem];

    return one->stem == other->stem || (first->item != 0 && first->item == second->item);
}

/* They share a word, and it is not only what both speak of before they deny something of it. */
static bool overlap(const struct support *support, const struct reach *one,
                    const struct reach *other)
{
    if (one->count == 0 || other->count == 0)
        return true;
    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < other->count; k++)
            if ((i < one->right || k < other->right || one->right == 0 ||
                 other->right == 0) &&
                are_alike(support, one->words[i], other->words[k]))
                return true;
    return false;
}

/* A negation of the sentence that denies one of these words. */
static bool denies(const struct support *support, const struct support_sentence *sentence,
                   const struct reach *reach)
{
    const struct support_word *words = support_words_of(support, sentence);
    struct reach other;

    for (uint32_t i = 0; i < sentence->count; i++) {
        if (!(words[i].flags & TERM_NEGATION))
            continue;
        find_reach(support, sentence, i, &other);
        if (overlap(support, &other, reach))
            return true;
    }
    return false;
}

/* A word of the sentence that says no, and that the claim does not have too. */
static bool has_denial(const struct support *support,
                       const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++)
        if (words[i].flags & SUPPORT_DENIAL &&
            support_item_of(support, &words[i]) == NULL)
            return true;
    return false;
}

/* A word of the claim that says no, and that the sentence does not have too. */
static bool claim_has_denial(const struct support *support)
{
    for (size_t i = 0; i < support->item_count; i++)
        if (support->items[i].flags & SUPPORT_DENIAL && support->items[i].credit <= 0)
            return true;
    return false;
}

static size_t negations(const struct support *support,
                        const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, sentence);
    size_t count = 0;

    for (uint32_t i = 0; i < sentence->count; i++)
        count += (words[i].flags & TERM_NEGATION) != 0;
    return count;
}

/* What the claim denies the sentence denies too, by a negation, an opposite or a word that says no. */
bool support_may_deny(const struct support *support, const struct support_sentence *claim,
                      const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, claim);

    for (uint32_t i = 0; i < claim->count; i++) {
        struct reach reach;
        bool is_opposed = false;

        if (!(words[i].flags & TERM_NEGATION) || words[i].flags & SUPPORT_ASKED)
            continue;
        find_reach(support, claim, i, &reach);
        for (size_t k = 0; k < reach.count; k++) {
            const struct support_item *item = support_item_of(support, reach.words[k]);

            is_opposed |= item != NULL && item->is_opposed;
        }
        if (!is_opposed && !denies(support, sentence, &reach) &&
            !has_denial(support, sentence))
            return false;
    }
    return true;
}

/* What the sentence denies, the claim does not say. */
bool support_says_nothing_denied(const struct support *support,
                                 const struct support_sentence *claim,
                                 const struct support_sentence *sentence)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++) {
        struct reach reach;
        size_t said = 0, count;

        if (!(words[i].flags & TERM_NEGATION))
            continue;
        find_reach(support, sentence, i, &reach);
        count = reach.right > 0 ? reach.right : reach.count;
        for (size_t k = 0; k < count; k++)
            said += support_item_of(support, reach.words[k]) != NULL;
        if (count > 0 && said * 2 > count && !denies(support, claim, &reach) &&
            !claim_has_denial(support))
            return false;
    }
    return true;
}

static bool repeats_all(const struct support *support)
{
    for (size_t i = 0; i < support->item_count; i++)
        if (!(support->items[i].flags & SUPPORT_WEAK_FLAGS) &&
            support->items[i].credit <= 0)
            return false;
    return true;
}

/* Both, and the claim denies nothing twice. */
bool support_polarity_agrees(const struct support *support,
                             const struct support_sentence *claim,
                             const struct support_sentence *sentence)
{
    if (negations(support, claim) > negations(support, sentence) &&
        repeats_all(support) && !has_denial(support, sentence))
        return false; /* it denies once more than the sentence whose words it has */
    return support_may_deny(support, claim, sentence) &&
           support_says_nothing_denied(support, claim, sentence);
}
