/*
 * A claim's sentence as its distinct words, each with its weight, linked to what stands for it in the passages.
 */
#include "support_internal.h"

#include "mem.h"

#include <math.h>
#include <string.h>

/* What a word of one family counts for ("describe", "description"). */
#define FAMILY_CREDIT 0.8f
/* Unseen words of a claim that a family is looked for. */
#define FAMILY_SEARCHES 64
/* A long answer is seldom said in the passages' words alone: one in so many of weight may be another. */
#define WORDS_PER_STRANGER 8
/* One in so many of its words of weight is the question's, where a claim restates it. */
#define RESTATED_SHARE 3
/* So many words in a row that no passage has, at the end of a claim. */
#define STRANGERS_MOST 3

static double weight_of(const struct support *support, const struct support_word *word)
{
    const struct support_stem *stem = &support->stems[word->stem];
    double sentences = (double)support->passage_sentences + 1;
    double rarity = log(1 + sentences / (1 + stem->passages_with)) / log(1 + sentences);
    double length = stem->length < 8 ? stem->length : 8;

    if (word->flags & (TERM_STOP | TERM_NEGATION | SUPPORT_MARKER))
        return 0;
    if (word->flags & SUPPORT_LIGHT ||
        (word->flags & (SUPPORT_PLAIN | SUPPORT_ASKED) && stem->passages_with == 0))
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
    MEM_ROOM(support->items, support->item_count, support->item_capacity, 1);
    support->items[support->item_count++] = (struct support_item){
        .stem = word->stem, .flags = word->flags, .weight = weight_of(support, word)};
    stem->item = (uint32_t)support->item_count;
    stem->credit = 1;
}

/* Joins a number's digits to the few words that mean the same and are no numbers to the reader. */
static void join_small_numbers(struct support *support, size_t item)
{
    static const char *const names[][2] = {{"one", "1"},  {"first", "1"}, {"second", "2"},
                                           {"1", "one"},  {"1", "first"}, {"singl", "1"},
                                           {"half", "50"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t other;

        if (!span_equals(intern_text(&support->texts, support->items[item].stem),
                         names[i][1]))
            continue;
        other = support_intern(support, names[i][0], strlen(names[i][0]));
        if (support->stems[other].item == 0) {
            support->stems[other].item = (uint32_t)item + 1;
            support->stems[other].credit = 1;
        }
    }
}

/* Letters of a word that may be told from another by one, and that one may go on from. */
#define MISSPELT_LETTERS 5
#define PREFIX_LETTERS   4
#define PREFIX_MORE      5

static bool goes_on(struct span shorter, struct span longer)
{
    return shorter.length >= PREFIX_LETTERS &&
           longer.length - shorter.length <= PREFIX_MORE &&
           memcmp(shorter.bytes, longer.bytes, shorter.length) == 0;
}

/* One letter more or other, or two in each other's place, behind the first. */
static bool is_misspelt(struct span shorter, struct span longer)
{
    const char *one = shorter.bytes, *other = longer.bytes;
    size_t from = 0, ends = 0, left;

    if (longer.length < MISSPELT_LETTERS || longer.length - shorter.length > 1)
        return false;
    while (from < shorter.length && one[from] == other[from])
        from++;
    while (ends < shorter.length - from &&
           one[shorter.length - 1 - ends] == other[longer.length - 1 - ends])
        ends++;
    left = longer.length - from - ends;
    return from > 0 &&
           (left <= 1 || (left == 2 && shorter.length == longer.length &&
                          one[from] == other[from + 1] && one[from + 1] == other[from]));
}

/* Forms of one word, as far as letters tell. */
static bool are_kin(struct span one, struct span other)
{
    if (one.length > other.length)
        return are_kin(other, one);
    return stems_share(one, other) > 0 || goes_on(one, other) || is_misspelt(one, other);
}

/* A word of the passages that may stand for one of the claim that they do not have. */
static void link_stem(struct support *support, uint32_t stem, size_t item)
{
    struct support_stem *other = &support->stems[stem];

    if (other->passages_with == 0 || other->item != 0)
        return;
    other->item = (uint32_t)item + 1;
    other->credit = FAMILY_CREDIT;
}

/* The words of the families of the list that it is in. */
static void join_members(struct support *support, size_t item)
{
    const struct support_pair *members = support->members;

    for (size_t i = 0, first = 0; i < support->member_count; i++) {
        if (members[i].other != members[first].other)
            first = i;
        if (members[i].one != support->items[item].stem)
            continue;
        for (size_t k = first;
             k < support->member_count && members[k].other == members[i].other; k++)
            link_stem(support, members[k].one, item);
    }
}

static void join_families(struct support *support)
{
    size_t searches = 0;

    for (size_t i = 0; i < support->item_count; i++) {
        const struct support_item *item = &support->items[i];
        struct span text = intern_text(&support->texts, item->stem);

        if (item->flags & (TERM_NUMBER | TERM_STOP | TERM_NEGATION) ||
            support->stems[item->stem].passages_with > 0 || searches++ >= FAMILY_SEARCHES)
            continue;
        for (uint32_t other = 0; other < support->texts.count; other++)
            if (support->stems[other].passages_with > 0 &&
                are_kin(text, intern_text(&support->texts, other)))
                link_stem(support, other, i);
        join_members(support, i);
    }
}

static void set_against(struct support *support, uint32_t one, uint32_t other)
{
    if (support->stems[one].item != 0 && support->stems[other].item == 0 &&
        support->stems[one].credit >= 1)
        support->stems[other].against = support->stems[one].item;
}

/* A claim that restates the question is phrased in its words, and needs no plain ones for it. */
static void find_restated(struct support *support, const struct support_sentence *claim)
{
    struct support_word *words = &support->words[claim->first];
    size_t content = 0, asked = 0;

    for (uint32_t i = 0; i < claim->count; i++) {
        content += support_is_content(&words[i]);
        asked += support_is_content(&words[i]) && words[i].flags & SUPPORT_ASKED;
    }
    support->is_restated = asked > 0 && asked * RESTATED_SHARE >= content;
    for (uint32_t i = 0; i < claim->count && support->is_restated; i++)
        if (!(words[i].flags & SUPPORT_PARTICLE))
            words[i].flags &= ~(uint32_t)SUPPORT_PLAIN;
}

void support_begin_claim(struct support *support, const struct support_sentence *claim,
                         uint64_t cited)
{
    support->item_count = 0;
    find_restated(support, claim);
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

void support_end_claim(struct support *support)
{
    for (size_t i = 0; i < support->texts.count; i++)
        support->stems[i].item = support->stems[i].against = 0;
}

/* Do words in a row begin with the letters of an abbreviation, or is it the other way round? */
static bool is_abbreviated(const struct support *support, const struct support_item *item)
{
    struct span letters = intern_text(&support->texts, item->stem);

    if (!(item->flags & SUPPORT_CAPITALS) || letters.length < 2)
        return false;
    for (size_t i = 0; i + letters.length <= support->passage_words; i++) {
        size_t at = 0;

        while (at < letters.length &&
               *intern_text(&support->texts, support->words[i + at].stem).bytes ==
                   letters.bytes[at])
            at++;
        if (at == letters.length)
            return true;
    }
    return false;
}

/* A number or a name that no cited passage has, or too many words that no answer is just phrased with. */
bool support_has_strangers(const struct support *support)
{
    size_t content = 0, strangers = 0;

    for (size_t i = 0; i < support->item_count; i++) {
        const struct support_item *item = &support->items[i];

        content += !(item->flags & SUPPORT_WEAK_FLAGS);
        if (item->is_in_passages || item->flags & SUPPORT_MARKER)
            continue;
        if (item->flags & TERM_NUMBER ||
            (item->flags & TERM_NAME && !is_abbreviated(support, item)))
            return true;
        strangers += !(item->flags & (TERM_NAME | SUPPORT_STRANGE_FLAGS));
    }
    return strangers * WORDS_PER_STRANGER > content;
}

/* Words of weight at its end, of which no passage has any: a detail that was made up. */
bool support_ends_in_strangers(const struct support *support,
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
void support_compare(struct support *support, const struct support_sentence *sentence)
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

bool support_has_content(const struct support *support)
{
    for (size_t i = 0; i < support->item_count; i++)
        if (!(support->items[i].flags & SUPPORT_WEAK_FLAGS))
            return true;
    return false;
}
