/*
 * Is what a claim says that sentence's own?  Its numbers with their units and its names here, the rest by
 * support_polarity.c and support_order.c.
 */
#include "support_internal.h"

#include <string.h>

/* Sentences before one that a pronoun in it may look back to. */
#define LOOK_BACK 6
/* So much of the claim in one clause makes that clause the one that it repeats. */
#define CLAUSE_SHARE 0.6

bool support_has_stem(const struct support *support,
                      const struct support_sentence *sentence, uint32_t stem)
{
    const struct support_word *words = support_words_of(support, sentence);

    for (uint32_t i = 0; i < sentence->count; i++)
        if (words[i].stem == stem)
            return true;
    return false;
}

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
static bool stands_before(const struct support *support,
                          const struct support_sentence *sentence, uint32_t stem)
{
    size_t at = (size_t)(sentence - support->sentences);

    for (size_t i = 1; i <= LOOK_BACK && i <= at; i++)
        if (sentence[-(ptrdiff_t)i].passage == sentence->passage &&
            support_has_stem(support, &sentence[-(ptrdiff_t)i], stem))
            return true;
    return false;
}

bool support_is_clause_end(const struct support *support, const struct support_word *word)
{
    return word->flags & SUPPORT_BREAK || word->stem == support->and_stem;
}

/* Has the clause every plain word, neither name nor number nor unit, that the whole sentence has of the claim,
 * and enough of the claim? */
static bool has_all_plain(const struct support *support,
                          const struct support_sentence *clause)
{
    double all = 0, found = 0;

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
    }
    return all > 0 && found >= all * CLAUSE_SHARE;
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

/* Is a name beside one that the claim has: a part of it that the claim leaves out? */
static bool is_part_of_name(const struct support *support,
                            const struct support_sentence *clause, uint32_t at)
{
    const struct support_word *words = support_words_of(support, clause);

    return (at > 0 && words[at - 1].flags & TERM_NAME &&
            support_item_of(support, &words[at - 1]) != NULL) ||
           (at + 1 < clause->count && words[at + 1].flags & TERM_NAME &&
            support_item_of(support, &words[at + 1]) != NULL);
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
            support_item_of(support, &words[i]) == NULL &&
            !(flag & TERM_NAME && is_part_of_name(support, clause, i)))
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
            stands_before(support, sentence, item->stem) &&
            !support_takes_place(support, claim, item, sentence))
            continue;
        if (has_more(support, clause, flag) ||
            (item->credit <= 0 && !stands_before(support, sentence, item->stem)))
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
            !(words[i].flags & TERM_STOP) && /* "in" is seldom inches */
            item->credit <= 0 && unit_is_changed(support, sentence, item))
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
           support_names_are_joined(support, claim, sentence) &&
           numbers_are_own(support, claim, sentence) &&
           support_opposites_agree(support, claim) &&
           support_polarity_agrees(support, claim, sentence) &&
           !support_is_transposed(support, claim, sentence);
}

bool support_part_is_own(const struct support *support,
                         const struct support_sentence *sentence)
{
    struct support_sentence clause = find_clause(support, sentence);

    return clause.count == sentence->count ||
           has_own(support, sentence, sentence, &clause, TERM_NUMBER);
}
