#include "support.h"

#include "mem.h"
#include "sentences_internal.h"
#include "support_internal.h"
#include "terms_internal.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* So much of a claim's weight in three sentences in a row, or it is unsupported. */
#define COVERED_LEAST 0.5
/* So much of it in one sentence makes that sentence the one that it repeats. */
#define REPEATED_LEAST 0.7
/* Letters that two words begin with, to be of one family ("describe", "description"). */
#define FAMILY_LETTERS 5
#define FAMILY_CREDIT  0.8f
/* Unseen words of a claim that a family is looked for. */
#define FAMILY_SEARCHES 64
/* So many words in a row that no passage has, at the end of a claim. */
#define STRANGERS_MOST 3
/* Words of weight that a part of a sentence has, to be held to the passages alone. */
#define PART_WORDS 4

static void add_text(struct support *support, struct span text, uint32_t passage);
static void mark_title_names(struct support *support, struct support_sentence *claim);
static void begin_claim(struct support *support, const struct support_sentence *claim,
                        uint64_t cited);
static void end_claim(struct support *support);
static bool has_strangers(const struct support *support);
static bool ends_in_strangers(const struct support *support,
                              const struct support_sentence *claim);
static bool stands_in_passages(struct support *support,
                               const struct support_sentence *claim, uint64_t cited,
                               bool must_repeat);
static bool parts_stand(struct support *support, const struct support_sentence *claim,
                        uint64_t cited);

void *support_room(void *array, size_t count, size_t *capacity, size_t size)
{
    size_t larger = *capacity == 0 ? 64 : *capacity * 2;
    void *room;

    if (count < *capacity)
        return array;
    room = mem_zalloc(larger * size);
    if (array != NULL) {
        memcpy(room, array, count * size);
        sodium_memzero(array, count * size);
        free(array);
    }
    *capacity = larger;
    return room;
}

struct support *support_new(void)
{
    struct support *support = MEM_NEW(struct support);

    support->reader = terms_reader_new();
    support_read_lists(support);
    support->and_stem = support_intern(support, "and", 3);
    support->by_stem = support_intern(support, "by", 2);
    support->list_stems = support->stem_count;
    support->list_pool = support->pool_length;
    return support;
}

static void wipe_and_free(void *memory, size_t bytes)
{
    if (memory != NULL)
        sodium_memzero(memory, bytes);
    free(memory);
}

void support_free(struct support *support)
{
    if (support == NULL)
        return;
    terms_reader_free(support->reader);
    terms_done(&support->terms);
    wipe_and_free(support->pool, support->pool_capacity);
    free(support->stems);
    free(support->slots);
    free(support->pairs);
    free(support->words);
    free(support->sentences);
    free(support->items);
    free(support);
}

static uint32_t *slot_of(struct support *support, const char *stem, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)stem[i]) * 16777619u;
    for (size_t at = hash % support->slot_count;; at = (at + 1) % support->slot_count) {
        uint32_t held = support->slots[at];
        const struct support_stem *other;

        if (held == 0)
            return &support->slots[at];
        other = &support->stems[held - 1];
        if (other->length == length &&
            memcmp(support->pool + other->offset, stem, length) == 0)
            return &support->slots[at];
    }
}

static void fill_slots(struct support *support, size_t slot_count)
{
    if (slot_count != support->slot_count) {
        free(support->slots);
        support->slots = mem_zalloc(slot_count * sizeof(*support->slots));
        support->slot_count = slot_count;
    } else {
        memset(support->slots, 0, slot_count * sizeof(*support->slots));
    }
    for (size_t i = 0; i < support->stem_count; i++)
        *slot_of(support, support->pool + support->stems[i].offset,
                 support->stems[i].length) = (uint32_t)i + 1;
}

uint32_t support_intern(struct support *support, const char *stem, size_t length)
{
    uint32_t *slot;

    if (support->stem_count * 2 >= support->slot_count)
        fill_slots(support, support->slot_count == 0 ? 1024 : support->slot_count * 2);
    slot = slot_of(support, stem, length);
    if (*slot != 0)
        return *slot - 1;
    support->stems = support_room(support->stems, support->stem_count,
                                  &support->stem_capacity, sizeof(*support->stems));
    while (support->pool_capacity - support->pool_length < length)
        support->pool = support_room(support->pool, support->pool_capacity,
                                     &support->pool_capacity, 1);
    memcpy(support->pool + support->pool_length, stem, length);
    support->stems[support->stem_count] = (struct support_stem){
        .offset = (uint32_t)support->pool_length, .length = (uint32_t)length};
    support->pool_length += length;
    *slot = (uint32_t)++support->stem_count;
    return *slot - 1;
}

/* Back to what the lists hold. */
static void forget(struct support *support)
{
    support->word_count = support->sentence_count = 0;
    support->stem_count = support->list_stems;
    sodium_memzero(support->pool + support->list_pool,
                   support->pool_length - support->list_pool);
    support->pool_length = support->list_pool;
    for (size_t i = 0; i < support->stem_count; i++)
        support->stems[i].passages_with = 0;
    fill_slots(support, support->slot_count);
}

void support_read(struct support *support, const struct span *passages, size_t count)
{
    forget(support);
    for (size_t i = 0; i < count && i < SUPPORT_PASSAGES_MOST; i++)
        add_text(support, passages[i], (uint32_t)i);
    support->passage_words = support->word_count;
    support->passage_sentences = support->sentence_count;
    for (size_t i = 0; i < support->sentence_count; i++) {
        const struct support_sentence *sentence = &support->sentences[i];

        for (uint32_t at = 0; at < sentence->count; at++)
            support->stems[support->words[sentence->first + at].stem].passages_with++;
    }
}

/* What stands between two words ends a clause. */
static bool is_broken(struct span text, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (text.bytes[at] != '\0' && strchr(",;:()", text.bytes[at]) != NULL)
            return true;
    return to - from >= 4 && memchr(text.bytes + from, '-', to - from) != NULL;
}

static bool is_bracketed(struct span text, const struct term *term)
{
    return term->flags & TERM_NUMBER && term->start > 0 && term->end < text.length &&
           text.bytes[term->start - 1] == '[' && text.bytes[term->end] == ']';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static uint32_t flags_of(const struct support *support, struct span text, size_t at,
                         const struct term_sentence *sentence, uint32_t stem)
{
    const struct term *term = &support->terms.all[at];
    uint32_t flags = term->flags | support->stems[stem].flags;
    size_t capitals = 0;

    if (at > sentence->first_term && is_broken(text, term[-1].end, term->start))
        flags |= SUPPORT_BREAK;
    if (term->flags & TERM_NAME)
        flags &= ~(uint32_t)SUPPORT_LIGHT; /* May */
    if (is_bracketed(text, term))
        flags |= SUPPORT_MARKER;
    if (at == sentence->first_term && is_upper(text.bytes[term->start]))
        flags |= SUPPORT_BEGINS;
    while (term->start + capitals < term->end &&
           is_upper(text.bytes[term->start + capitals]))
        capitals++;
    if (capitals >= 2 && capitals == term->end - term->start)
        flags |= SUPPORT_CAPITALS;
    return flags;
}

/* "one" and "on" have one stem, and are not one word here. */
static uint32_t intern_term(struct support *support, struct span text,
                            const struct term *term)
{
    if (term->end - term->start == 3 &&
        strncasecmp(text.bytes + term->start, "one", 3) == 0)
        return support_intern(support, "one", 3);
    return support_intern(support, term_stem(&support->terms, term), term->stem_length);
}

static void add_text(struct support *support, struct span text, uint32_t passage)
{
    const struct terms *terms = &support->terms;

    terms_read(support->reader, text, &support->terms);
    for (size_t i = 0; i < terms->sentence_count; i++) {
        const struct term_sentence *read = &terms->sentences[i];

        support->sentences =
            support_room(support->sentences, support->sentence_count,
                         &support->sentence_capacity, sizeof(*support->sentences));
        support->sentences[support->sentence_count++] = (struct support_sentence){
            passage, (uint32_t)support->word_count, read->term_count};
        for (size_t at = read->first_term; at < read->first_term + read->term_count;
             at++) {
            const struct term *term = &terms->all[at];
            uint32_t stem = intern_term(support, text, term);

            support->words =
                support_room(support->words, support->word_count, &support->word_capacity,
                             sizeof(*support->words));
            support->words[support->word_count++] = (struct support_word){
                stem, flags_of(support, text, at, read, stem), term->start, term->end};
        }
    }
}

/* Sentences without a word ("...") are none. */
static bool has_word(struct span sentence)
{
    struct word word;
    size_t offset = 0;

    return word_next(sentence, sentence, &offset, &word);
}

bool support_next_sentence(struct support *support, struct span answer, size_t *offset,
                           struct span *ret_sentence)
{
    struct sentences sentences;
    struct span sentence;

    (void)support;
    sentences_init(&sentences,
                   (struct span){answer.bytes + *offset, answer.length - *offset});
    while (sentences_next(&sentences, &sentence)) {
        if (!has_word(sentence))
            continue;
        *offset = (size_t)(sentence.bytes + sentence.length - answer.bytes);
        *ret_sentence = sentence;
        return true;
    }
    *offset = answer.length;
    return false;
}

static bool has_content(const struct support *support);

bool support_holds(struct support *support, struct span claim, uint64_t cited)
{
    bool holds = true;
    size_t count;

    support->word_count = support->passage_words;
    support->sentence_count = support->passage_sentences;
    add_text(support, claim, SUPPORT_PASSAGES_MOST);
    count = support->sentence_count;
    for (size_t i = support->passage_sentences; i < count && holds; i++) {
        struct support_sentence sentence = support->sentences[i];

        mark_title_names(support, &sentence);
        begin_claim(support, &sentence, cited);
        if (!has_content(support)) {
            end_claim(support);
            continue; /* no word that could be held to anything */
        }
        holds = !has_strangers(support) && !ends_in_strangers(support, &sentence);
        if (holds && !stands_in_passages(support, &sentence, cited, false)) {
            end_claim(support);
            holds = parts_stand(support, &sentence, cited);
        }
        end_claim(support);
    }
    return holds;
}

static bool has_content(const struct support *support)
{
    for (size_t i = 0; i < support->item_count; i++)
        if (!(support->items[i].flags & SUPPORT_WEAK_FLAGS))
            return true;
    return false;
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

/* A sentence that sums up several: each of its parts repeats one. */
static bool parts_stand(struct support *support, const struct support_sentence *claim,
                        uint64_t cited)
{
    uint32_t end = part_end(support, claim, 0);
    bool holds = end < claim->count;

    for (uint32_t from = 0; from < claim->count && holds; from = end) {
        struct support_sentence part = {claim->passage, claim->first + from, 0};

        end = part_end(support, claim, from);
        part.count = end - from;
        begin_claim(support, &part, cited);
        holds = stands_in_passages(support, &part, cited, true);
        end_claim(support);
    }
    return holds;
}

/* A capital at the beginning of a claim makes a name where the passages have it as one. */
static void mark_title_names(struct support *support, struct support_sentence *claim)
{
    struct support_word *word = &support->words[claim->first];

    if (!(word->flags & SUPPORT_BEGINS) || !support_is_content(word))
        return;
    for (size_t i = 0; i < support->passage_words; i++)
        if (support->words[i].stem == word->stem) {
            if (support->words[i].flags & TERM_NAME)
                word->flags |= TERM_NAME;
            else
                return;
        }
}

static double weight_of(const struct support *support, const struct support_word *word)
{
    const struct support_stem *stem = &support->stems[word->stem];
    double sentences = (double)support->passage_sentences + 1;
    double rarity = log(1 + sentences / (1 + stem->passages_with)) / log(1 + sentences);
    double length = stem->length < 8 ? stem->length : 8;

    if (word->flags & (TERM_STOP | TERM_NEGATION | SUPPORT_MARKER))
        return 0;
    if (word->flags & SUPPORT_LIGHT)
        return 0.2;
    if (word->flags & (TERM_NUMBER | TERM_NAME))
        return 1.6;
    return (0.5 + 0.07 * length) * (0.6 + 0.4 * rarity);
}

static void add_item(struct support *support, const struct support_word *word)
{
    struct support_stem *stem = &support->stems[word->stem];

    if (stem->item != 0) {
        support->items[stem->item - 1].flags |= word->flags;
        return;
    }
    support->items = support_room(support->items, support->item_count,
                                  &support->item_capacity, sizeof(*support->items));
    support->items[support->item_count++] = (struct support_item){
        .stem = word->stem, .flags = word->flags, .weight = weight_of(support, word)};
    stem->item = (uint32_t)support->item_count;
    stem->credit = 1;
}

static bool is_family(const struct support *support, const struct support_stem *one,
                      const struct support_stem *other)
{
    const char *first = support->pool + one->offset,
               *second = support->pool + other->offset;
    uint32_t longer = one->length > other->length ? one->length : other->length;
    uint32_t same = 0;

    while (same < one->length && same < other->length && first[same] == second[same])
        same++;
    return same >= FAMILY_LETTERS && same * 5 >= longer * 3;
}

/* Joins a number's digits to the few words that mean the same and are no numbers to the reader. */
static void join_small_numbers(struct support *support, size_t item)
{
    static const char *const names[][2] = {{"one", "1"},  {"first", "1"}, {"second", "2"},
                                           {"1", "one"},  {"1", "first"}, {"singl", "1"},
                                           {"half", "50"}};
    const struct support_stem *stem = &support->stems[support->items[item].stem];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t other;

        if (stem->length != strlen(names[i][1]) ||
            memcmp(support->pool + stem->offset, names[i][1], stem->length) != 0)
            continue;
        other = support_intern(support, names[i][0], strlen(names[i][0]));
        stem = &support->stems[support->items[item].stem]; /* it may have moved */
        if (support->stems[other].item == 0) {
            support->stems[other].item = (uint32_t)item + 1;
            support->stems[other].credit = 1;
        }
    }
}

static void join_families(struct support *support)
{
    size_t searches = 0;

    for (size_t i = 0; i < support->item_count; i++) {
        const struct support_item *item = &support->items[i];
        const struct support_stem *stem = &support->stems[item->stem];

        if (item->flags & (TERM_NUMBER | TERM_STOP | TERM_NEGATION) ||
            stem->passages_with > 0 || stem->length < FAMILY_LETTERS ||
            searches++ >= FAMILY_SEARCHES)
            continue;
        for (size_t other = 0; other < support->stem_count; other++)
            if (support->stems[other].passages_with > 0 &&
                support->stems[other].item == 0 &&
                is_family(support, stem, &support->stems[other])) {
                support->stems[other].item = (uint32_t)i + 1;
                support->stems[other].credit = FAMILY_CREDIT;
            }
    }
}

static void set_against(struct support *support, uint32_t one, uint32_t other)
{
    if (support->stems[one].item != 0 && support->stems[other].item == 0 &&
        support->stems[one].credit >= 1)
        support->stems[other].against = support->stems[one].item;
}

static void begin_claim(struct support *support, const struct support_sentence *claim,
                        uint64_t cited)
{
    support->item_count = 0;
    for (uint32_t at = 0; at < claim->count; at++)
        add_item(support, &support->words[claim->first + at]);
    for (size_t i = 0, count = support->item_count; i < count; i++)
        join_small_numbers(support, i);
    for (size_t i = 0; i < support->pair_count; i++) {
        set_against(support, support->pairs[i].one, support->pairs[i].other);
        set_against(support, support->pairs[i].other, support->pairs[i].one);
    }
    join_families(support);
    for (size_t i = 0; i < support->passage_sentences; i++) {
        const struct support_sentence *sentence = &support->sentences[i];

        for (uint32_t at = 0; at < sentence->count && cited >> sentence->passage & 1;
             at++) {
            uint32_t item =
                support->stems[support->words[sentence->first + at].stem].item;

            if (item != 0)
                support->items[item - 1].is_in_passages = true;
        }
    }
}

static void end_claim(struct support *support)
{
    for (size_t i = 0; i < support->stem_count; i++)
        support->stems[i].item = support->stems[i].against = 0;
}

/* Do words in a row begin with the letters of an abbreviation, or is it the other way round? */
static bool is_abbreviated(const struct support *support, const struct support_item *item)
{
    const struct support_stem *stem = &support->stems[item->stem];
    const char *letters = support->pool + stem->offset;

    if (!(item->flags & SUPPORT_CAPITALS) || stem->length < 2)
        return false;
    for (size_t i = 0; i + stem->length <= support->passage_words; i++) {
        uint32_t at = 0;

        while (at < stem->length &&
               support->pool[support->stems[support->words[i + at].stem].offset] ==
                   letters[at])
            at++;
        if (at == stem->length)
            return true;
    }
    return false;
}

/* A number or a name that no cited passage has. */
static bool has_strangers(const struct support *support)
{
    for (size_t i = 0; i < support->item_count; i++) {
        const struct support_item *item = &support->items[i];

        if (item->is_in_passages || item->flags & SUPPORT_MARKER)
            continue;
        if (item->flags & TERM_NUMBER)
            return true;
        if (item->flags & TERM_NAME && !is_abbreviated(support, item))
            return true;
    }
    return false;
}

/* Words of weight at its end, of which no passage has any: a detail that was made up. */
static bool ends_in_strangers(const struct support *support,
                              const struct support_sentence *claim)
{
    const struct support_word *words = &support->words[claim->first];
    size_t strangers = 0, known = 0;

    for (uint32_t i = claim->count; i-- > 0;) {
        const struct support_item *item;

        if (!support_is_content(&words[i]))
            continue;
        item = &support->items[support->stems[words[i].stem].item - 1];
        if (item->is_in_passages)
            known++;
        else if (known == 0)
            strangers++;
    }
    return strangers >= STRANGERS_MOST && known >= strangers;
}

/* Notes in the items what a sentence has of the claim. */
static void compare(struct support *support, const struct support_sentence *sentence)
{
    for (size_t i = 0; i < support->item_count; i++) {
        support->items[i].credit = 0;
        support->items[i].is_opposed = false;
    }
    for (uint32_t at = 0; at < sentence->count; at++) {
        const struct support_stem *stem =
            &support->stems[support->words[sentence->first + at].stem];

        if (stem->item != 0 && stem->credit > support->items[stem->item - 1].credit)
            support->items[stem->item - 1].credit = stem->credit;
        if (stem->against != 0)
            support->items[stem->against - 1].is_opposed = true;
    }
    for (size_t i = 0; i < support->item_count; i++)
        support->items[i].is_opposed &= support->items[i].credit <= 0;
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
    best->is_own = best->is_own || are_same(support, claim, sentence) ||
                   support_is_own(support, claim, sentence);
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
        compare(support, &support->sentences[i]);
        may_deny = support_may_deny(support, claim, &support->sentences[i]);
    }
    compare(support, best);
    return may_deny && support_says_nothing_denied(support, claim, best);
}

/* `must_repeat`: three sentences together are not enough, one must say it. */
static bool stands_in_passages(struct support *support,
                               const struct support_sentence *claim, uint64_t cited,
                               bool must_repeat)
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
        compare(support, sentence);
        row = rows + (row_count % 3) * support->item_count;
        for (size_t item = 0; item < support->item_count; item++)
            row[item] = support->items[item].is_opposed ? 1 : support->items[item].credit;
        row_count++;
        look_at(support, claim, sentence, row, &best);
        share = window_share(support, rows, row_count < 3 ? row_count : 3,
                             rows + 3 * support->item_count);
        if (share > best.window)
            best.window = share;
    }
    free(rows);
    holds =
        best.window >= COVERED_LEAST && (best.is_repeated ? best.is_own : !must_repeat);
    if (holds && !best.is_repeated && best.sentence != NULL)
        holds = polarity_agrees(support, claim, best.sentence);
    return holds;
}
