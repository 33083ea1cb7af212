/*
 * Is what a claim says that sentence's own?  Its numbers with their units, its names, its polarity,
 * and who does what to whom.
 */
#include "support_internal.h"

#include <string.h>

/* Words that a negation reaches, to its right and to its left. */
#define REACH_RIGHT 3
#define REACH_LEFT  2
/* Sentences before one that a pronoun in it may look back to. */
#define LOOK_BACK 2

static bool numbers_are_own(const struct support *support,
                            const struct support_sentence *claim,
                            const struct support_sentence *sentence);
static bool opposites_agree(const struct support *support,
                            const struct support_sentence *claim);

static const struct support_word *words_of(const struct support *support,
                                           const struct support_sentence *sentence)
{
    return &support->words[sentence->first];
}

static const struct support_item *item_of(const struct support *support,
                                          const struct support_word *word)
{
    uint32_t item = support->stems[word->stem].item;

    return item == 0 ? NULL : &support->items[item - 1];
}

static bool has_stem(const struct support *support,
                     const struct support_sentence *sentence, uint32_t stem)
{
    const struct support_word *words = words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++)
        if (words[i].stem == stem)
            return true;
    return false;
}

/* One of the sentences that stand just before has the word. */
static bool stands_before(const struct support *support,
                          const struct support_sentence *sentence, uint32_t stem)
{
    size_t at = (size_t)(sentence - support->sentences);

    for (size_t i = 1; i <= LOOK_BACK && i <= at; i++)
        if (sentence[-(ptrdiff_t)i].passage == sentence->passage &&
            has_stem(support, &sentence[-(ptrdiff_t)i], stem))
            return true;
    return false;
}

/* Has the sentence a word of this kind that the claim left out? */
static bool has_more(const struct support *support,
                     const struct support_sentence *sentence, uint32_t flag)
{
    const struct support_word *words = words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++)
        if (words[i].flags & flag && item_of(support, &words[i]) == NULL)
            return true;
    return false;
}

/* Names or numbers: each is the sentence's own, or fills in for what it refers back to and replaces
 * none of its own. */
static bool has_own(const struct support *support,
                    const struct support_sentence *sentence, uint32_t flag)
{
    for (size_t i = 0; i < support->item_count; i++) {
        const struct support_item *item = &support->items[i];

        if (!(item->flags & flag) || item->flags & SUPPORT_MARKER || item->credit > 0 ||
            !item->is_in_passages)
            continue;
        if (item->is_opposed)
            continue; /* judged as an opposite */
        if (!stands_before(support, sentence, item->stem) ||
            has_more(support, sentence, flag))
            return false;
    }
    return true;
}

bool support_is_own(const struct support *support, const struct support_sentence *claim,
                    const struct support_sentence *sentence)
{
    return has_own(support, sentence, TERM_NAME) &&
           has_own(support, sentence, TERM_NUMBER) &&
           numbers_are_own(support, claim, sentence) && opposites_agree(support, claim) &&
           support_polarity_agrees(support, claim, sentence) &&
           !support_is_transposed(support, claim, sentence);
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
        if (stem->unit != 0)
            return stem;
    }
    return NULL;
}

/* A number of the claim stands in the sentence with its unit, or without any. */
static bool number_is_own(const struct support *support,
                          const struct support_sentence *claim, uint32_t at,
                          const struct support_sentence *sentence)
{
    const struct support_word *words = words_of(support, sentence);
    const struct support_word *number = words_of(support, claim) + at;
    const struct support_stem *unit =
        unit_at(support, words_of(support, claim), claim->count, at);
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
    const struct support_word *words = words_of(support, sentence);
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
    const struct support_word *words = words_of(support, claim);

    for (uint32_t i = 0; i < claim->count; i++) {
        bool is_number = words[i].flags & TERM_NUMBER;
        const struct support_item *item = item_of(support, &words[i]);

        if (words[i].flags & SUPPORT_MARKER)
            continue;
        if (is_number && !number_is_own(support, claim, i, sentence))
            return false;
        if (!is_number && support->stems[words[i].stem].unit != 0 && item != NULL &&
            item->credit <= 0 && unit_is_changed(support, sentence, item))
            return false;
    }
    return true;
}

static bool is_negated_near(const struct support *support,
                            const struct support_sentence *sentence, uint32_t at)
{
    const struct support_word *words = words_of(support, sentence);
    uint32_t from = at > REACH_RIGHT ? at - REACH_RIGHT : 0;

    for (uint32_t i = from; i < at + REACH_LEFT && i < sentence->count; i++)
        if (words[i].flags & TERM_NEGATION)
            return true;
    return false;
}

/* No word of the claim stands where the sentence has its opposite, unless the claim denies it. */
static bool opposites_agree(const struct support *support,
                            const struct support_sentence *claim)
{
    const struct support_word *words = words_of(support, claim);

    for (uint32_t i = 0; i < claim->count; i++) {
        const struct support_item *item = item_of(support, &words[i]);

        if (item != NULL && item->is_opposed && !is_negated_near(support, claim, i))
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
    const struct support_word *words = words_of(support, sentence);

    *reach = (struct reach){.count = 0};
    for (uint32_t i = at + 1; i < sentence->count && reach->count < REACH_RIGHT; i++) {
        if (words[i].flags & SUPPORT_BREAK)
            break;
        if (support_is_content(&words[i]))
            reach->words[reach->count++] = &words[i];
    }
    reach->right = reach->count;
    for (uint32_t i = at; i > 0 && reach->count < reach->right + REACH_LEFT; i--) {
        if (words[i].flags & SUPPORT_BREAK)
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

static bool overlap(const struct support *support, const struct reach *one,
                    const struct reach *other)
{
    if (one->count == 0 || other->count == 0)
        return true;
    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < other->count; k++)
            if (are_alike(support, one->words[i], other->words[k]))
                return true;
    return false;
}

/* A negation of the sentence that denies one of these words. */
static bool denies(const struct support *support, const struct support_sentence *sentence,
                   const struct reach *reach)
{
    const struct support_word *words = words_of(support, sentence);
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

static bool has_denial(const struct support *support,
                       const struct support_sentence *sentence)
{
    const struct support_word *words = words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++)
        if (words[i].flags & SUPPORT_DENIAL)
            return true;
    return false;
}

/* What the claim denies the sentence denies too, by a negation, an opposite or a word that says no. */
static bool claim_is_right_to_deny(const struct support *support,
                                   const struct support_sentence *claim,
                                   const struct support_sentence *sentence)
{
    const struct support_word *words = words_of(support, claim);

    for (uint32_t i = 0; i < claim->count; i++) {
        struct reach reach;
        bool is_opposed = false;

        if (!(words[i].flags & TERM_NEGATION))
            continue;
        find_reach(support, claim, i, &reach);
        for (size_t k = 0; k < reach.count; k++) {
            const struct support_item *item = item_of(support, reach.words[k]);

            is_opposed |= item != NULL && item->is_opposed;
        }
        if (!is_opposed && !denies(support, sentence, &reach) &&
            !has_denial(support, sentence))
            return false;
    }
    return true;
}

/* What the sentence denies, the claim does not say. */
static bool claim_says_nothing_denied(const struct support *support,
                                      const struct support_sentence *claim,
                                      const struct support_sentence *sentence)
{
    const struct support_word *words = words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++) {
        struct reach reach;
        size_t said = 0, count;

        if (!(words[i].flags & TERM_NEGATION))
            continue;
        find_reach(support, sentence, i, &reach);
        count = reach.right > 0 ? reach.right : reach.count;
        for (size_t k = 0; k < count; k++)
            said += item_of(support, reach.words[k]) != NULL;
        if (count > 0 && said * 2 > count && !denies(support, claim, &reach) &&
            !has_denial(support, claim))
            return false;
    }
    return true;
}

bool support_polarity_agrees(const struct support *support,
                             const struct support_sentence *claim,
                             const struct support_sentence *sentence)
{
    return claim_is_right_to_deny(support, claim, sentence) &&
           claim_says_nothing_denied(support, claim, sentence);
}

bool support_is_transposed(const struct support *support,
                           const struct support_sentence *claim,
                           const struct support_sentence *sentence)
{
    (void)support;
    (void)claim;
    (void)sentence;
    return false;
}
