/*
 * The verdict on a sentence, from the parts that judge its numbers, names, order and polarity.
 */
#include "support.h"

#include "mem.h"
#include "support_internal.h"

#include <stdlib.h>
#include <string.h>

/* So much of a claim's weight in three sentences in a row, or it is unsupported. */
#define COVERED_LEAST 0.5
/* So much of it in one sentence makes that sentence the one that it repeats. */
#define REPEATED_LEAST 0.7
/* Words of weight that a part of a sentence has, to be held to the passages alone. */
#define PART_WORDS 4

struct support *support_new(void)
{
    struct support *support = MEM_NEW(struct support);

    support->reader = terms_reader_new();
    support_read_lists(support);
    support->and_stem = support_intern(support, "and", 3);
    support->by_stem = support_intern(support, "by", 2);
    support->from_stem = support_intern(support, "from", 4);
    support->to_stem = support_intern(support, "to", 2);
    support->list_stems = support->texts.count;
    return support;
}

void support_free(struct support *support)
{
    if (support == NULL)
        return;
    terms_reader_free(support->reader);
    terms_done(&support->terms);
    intern_done(&support->texts);
    free(support->stems);
    free(support->pairs);
    free(support->members);
    free(support->words);
    free(support->sentences);
    free(support->items);
    free(support);
}

/* Where a sentence falls into two that can be said alone, from `from` on; its end: nowhere. */
static uint32_t part_end(const struct support *support,
                         const struct support_sentence *claim, uint32_t from)
{
    const struct support_word *words = &support->words[claim->first];
    size_t content = 0, rest = 0;

    for (uint32_t i = from; i < claim->count; i++)
        rest += support_is_content(&words[i]);
    for (uint32_t i = from; i < claim->count; i++) {
        if (words[i].flags & SUPPORT_BREAK && content >= PART_WORDS &&
            rest - content >= PART_WORDS)
            return i;
        content += support_is_content(&words[i]);
    }
    return claim->count;
}

/* The share of the claim's weight in words without any of `flags`. */
static double covered(const struct support *support, const float *credits, uint32_t flags)
{
    double all = 0, found = 0;

    for (size_t i = 0; i < support->item_count; i++) {
        if (support->items[i].flags & flags)
            continue;
        all += support->items[i].weight;
        found += support->items[i].weight * (double)credits[i];
    }
    return all > 0 ? found / all : 1;
}

/* The best share of the claim's weight in three sentences of one passage in a row, from what each
 * of them has: three rows of credits, of which `row` is the newest. */
static double window_share(const struct support *support, const float *rows,
                           size_t row_count, float *room)
{
    for (size_t i = 0; i < support->item_count; i++) {
        room[i] = 0;
        for (size_t row = 0; row < row_count; row++)
            if (rows[row * support->item_count + i] > room[i])
                room[i] = rows[row * support->item_count + i];
    }
    return covered(support, room, 0);
}

struct best {
    double window, single;
    const struct support_sentence *sentence;
    bool is_repeated; /* a sentence covers enough to be the one that is repeated */
    bool is_own;      /* and one of these has its numbers, names and polarity */
    bool is_same;     /* word for word */
};

/* The same words in the same order. */
static bool are_same(const struct support *support, const struct support_sentence *one,
                     const struct support_sentence *other)
{
    bool are_same = one->count == other->count;

    for (uint32_t i = 0; i < one->count && are_same; i++)
        are_same =
            support->words[one->first + i].stem == support->words[other->first + i].stem;
    return are_same;
}

static void look_at(struct support *support, const struct support_sentence *claim,
                    const struct support_sentence *sentence, const float *row,
                    struct best *best)
{
    double share = covered(support, row, 0);

    if (share > best->single) {
        best->single = share;
        best->sentence = sentence;
    }
    if (share < REPEATED_LEAST &&
        (share < COVERED_LEAST ||
         covered(support, row, TERM_NUMBER | TERM_NAME) < REPEATED_LEAST))
        return;
    best->is_repeated = true;
    if (best->is_own)
        return;
    best->is_same = are_same(support, claim, sentence);
    best->is_own = best->is_same || support_is_own(support, claim, sentence);
}

/* Of a claim that is gathered from a few sentences, of which `best` has the most: one of them denies what
 * it denies, and it says nothing that the best denies. */
static bool polarity_agrees(struct support *support, const struct support_sentence *claim,
                            const struct support_sentence *best)
{
    size_t at = (size_t)(best - support->sentences);
    size_t from = at > 2 ? at - 2 : 0;
    bool may_deny = false;

    for (size_t i = from; i <= at + 2 && i < support->passage_sentences && !may_deny;
         i++) {
        if (support->sentences[i].passage != best->passage)
            continue;
        support_compare(support, &support->sentences[i]);
        may_deny = support_may_deny(support, claim, &support->sentences[i]);
    }
    support_compare(support, best);
    return may_deny && support_says_nothing_denied(support, claim, best);
}

/* How a claim stands in the passages: a sentence has most of it, but says another thing; not at all; gathered from
 * three sentences in a row; or said by one. */
enum standing { STANDS_OTHERWISE, STANDS_NOT, STANDS_GATHERED, STANDS_REPEATED };

static enum standing find_standing(struct support *support,
                                   const struct support_sentence *claim, uint64_t cited)
{
    float *rows = mem_zalloc((support->item_count * 4 + 1) * sizeof(*rows));
    struct best best = {0};
    uint32_t passage = SUPPORT_PASSAGES_MOST;
    size_t row_count = 0;
    bool holds;

    for (size_t i = 0; i < support->passage_sentences; i++) {
        const struct support_sentence *sentence = &support->sentences[i];
        float *row = rows;
        double share;

        if (!(cited >> sentence->passage & 1))
            continue;
        if (sentence->passage != passage)
            row_count = 0;
        passage = sentence->passage;
        support_compare(support, sentence);
        row = rows + (row_count % 3) * support->item_count;
        for (size_t item = 0; item < support->item_count; item++)
            row[item] = support->items[item].is_opposed   ? 1
                        : support->items[item].credit > 0 ? support->items[item].credit
                        : support->items[item].flags & TERM_NAME &&
                                support_stands_before(support, sentence,
                                                      support->items[item].stem)
                            ? 0.5f
                            : 0;
        row_count++;
        look_at(support, claim, sentence, row, &best);
        share = window_share(support, rows, row_count < 3 ? row_count : 3,
                             rows + 3 * support->item_count);
        if (share > best.window)
            best.window = share;
    }
    free(rows);
    holds = best.window >= COVERED_LEAST && (!best.is_repeated || best.is_own);
    if (holds && !best.is_repeated && best.sentence != NULL)
        holds = polarity_agrees(support, claim, best.sentence);
    if (holds && best.sentence != NULL && !best.is_same) {
        support_compare(support, best.sentence);
        holds = !support_has_swapped(support, claim, best.sentence, best.single);
    }
    if (holds)
        return best.is_repeated ? STANDS_REPEATED : STANDS_GATHERED;
    return best.is_repeated && !best.is_own ? STANDS_OTHERWISE : STANDS_NOT;
}

/* A sentence that sums up several: each of its parts stands so well at least. */
static bool parts_stand(struct support *support, const struct support_sentence *claim,
                        uint64_t cited, enum standing least)
{
    uint32_t end;
    bool holds = true;

    for (uint32_t from = 0; from < claim->count && holds; from = end) {
        struct support_sentence part = {claim->passage, claim->first + from, 0};

        end = part_end(support, claim, from);
        part.count = end - from;
        support_begin_claim(support, &part, cited);
        holds = find_standing(support, &part, cited) >= least;
        support_end_claim(support);
    }
    return holds;
}

/* Of a claim's sentence that is begun, which is ended here. */
static bool stands_in_passages(struct support *support,
                               const struct support_sentence *claim, uint64_t cited)
{
    enum standing standing = find_standing(support, claim, cited);
    bool is_one = part_end(support, claim, 0) == claim->count;

    support_end_claim(support);
    if (standing == STANDS_REPEATED || is_one)
        return standing >= STANDS_GATHERED;
    return parts_stand(support, claim, cited,
                       standing == STANDS_GATHERED ? STANDS_NOT : STANDS_REPEATED);
}

/* A capital at the beginning of a claim makes a name where the question or the passages have it as one. */
static void mark_title_names(struct support *support, struct support_sentence *claim)
{
    struct support_word *word = &support->words[claim->first];

    if (!(word->flags & SUPPORT_BEGINS) || !support_is_content(word))
        return;
    if (word->flags & SUPPORT_ASKED_NAME)
        word->flags |= TERM_NAME;
    for (size_t i = 0; i < support->passage_words; i++)
        if (support->words[i].stem == word->stem) {
            if (support->words[i].flags & TERM_NAME)
                word->flags |= TERM_NAME;
            else
                return;
        }
}

bool support_holds(struct support *support, struct span claim, uint64_t cited)
{
    bool holds = true;
    size_t count;

    support->word_count = support->passage_words;
    support->sentence_count = support->passage_sentences;
    support_add_text(support, claim, SUPPORT_PASSAGES_MOST);
    count = support->sentence_count;
    for (size_t i = support->passage_sentences; i < count && holds; i++) {
        struct support_sentence sentence = support->sentences[i];

        mark_title_names(support, &sentence);
        support_begin_claim(support, &sentence, cited);
        if (!support_has_content(support)) {
            support_end_claim(support);
            continue; /* no word that could be held to anything */
        }
        holds = !support_has_strangers(support) &&
                !support_ends_in_strangers(support, &sentence);
        if (holds)
            holds = stands_in_passages(support, &sentence, cited);
        else
            support_end_claim(support);
    }
    return holds;
}
