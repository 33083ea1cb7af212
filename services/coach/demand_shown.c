/*
 * Where an answer shows what a demand asks for.
 *
 * It does where, within a few words of each other, most of the words that say what the demand is about
 * stand in it, or words that belong to them ("led" to "manage"), where somebody tells of something that he
 * or she did, and nothing denies it.  Of an answer to a question about that demand less is needed.  What is
 * doubtful is not shown: better than to praise what nobody said.
 */
#include "advert.h"

#include "lexicon_internal.h"
#include "mem.h"
#include "paper_internal.h"
#include "private_reveal.h"
#include "words.h"

#include <sodium.h>
#include <stdlib.h>

enum {
    WINDOW_WORDS = 25,
    QUOTE_WORDS = 28,
    LEAD_WORDS = 10,   /* of the sentence, before the first word that counts */
    DEED_WITHIN = 4,   /* words behind "I" */
    DENIED_WITHIN = 4, /* words before what is denied */
    LEAST_WORDS = 12   /* of an answer that shows anything */
};

/* What a demand is about, word by word. */
struct keys {
    uint64_t stems[ADVERT_DEMAND_WORDS];
    uint64_t groups[ADVERT_DEMAND_WORDS]; /* of synonyms, a bit each */
    uint64_t all_groups;
    size_t count;
};

struct heard {
    struct span text;
    uint32_t exact, akin; /* a bit for each key that it is, or belongs to */
    bool is_deed;         /* of whoever speaks */
    bool is_denied;
    bool ends_sentence;
};

/* Only those among `wanted`. */
static uint64_t groups_of(struct span word, uint64_t wanted)
{
    uint64_t groups = 0;

    for (size_t i = 0; i < paper_words.synonyms.count && i < 64; i++)
        if ((wanted >> i & 1) != 0 && words_is_on(paper_words.synonyms.items[i], word))
            groups |= UINT64_C(1) << i;
    return groups;
}

static void read_keys(struct span demand, struct keys *keys)
{
    struct span word;
    size_t offset = 0;

    *keys = (struct keys){.count = 0};
    while (keys->count < ADVERT_DEMAND_WORDS && words_next(demand, &offset, &word)) {
        if (demand_stems(word, &keys->stems[keys->count]) == 0)
            continue;
        keys->groups[keys->count] = groups_of(word, UINT64_MAX);
        keys->all_groups |= keys->groups[keys->count++];
    }
}

static bool is_past_verb(struct span word)
{
    return (word.length >= 4 &&
            strncasecmp(word.bytes + word.length - 2, "ed", 2) == 0) ||
           list_has(&paper_words.past, word);
}

static void match(struct heard *heard, const struct keys *keys)
{
    uint64_t stem = lexicon_stem(heard->text),
             groups = groups_of(heard->text, keys->all_groups);

    for (size_t i = 0; i < keys->count; i++) {
        if (stem == keys->stems[i])
            heard->exact |= 1U << i;
        if (stem == keys->stems[i] || (groups & keys->groups[i]) != 0)
            heard->akin |= 1U << i;
    }
}

/* Marks the verbs behind "I" or "we", and what stands close behind a denial. */
static void mark(struct heard *all, size_t count)
{
    size_t doer = SIZE_MAX, denial = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && all[i - 1].ends_sentence)
            doer = denial = SIZE_MAX;
        all[i].is_deed =
            doer != SIZE_MAX && i - doer <= DEED_WITHIN && is_past_verb(all[i].text);
        all[i].is_denied = denial != SIZE_MAX && i - denial <= DENIED_WITHIN;
        if (words_is_on("i we i've we've i'd", all[i].text))
            doer = i;
        if (words_is_on("not never no don't didn't haven't hasn't can't couldn't without "
                        "wasn't weren't isn't hardly nobody nothing lack lacked",
                        all[i].text))
            denial = i;
    }
}

static size_t hear(struct span transcript, const struct keys *keys, struct heard *all)
{
    size_t offset = 0, count = 0;
    struct span word;

    while (words_next(transcript, &offset, &word)) {
        all[count] = (struct heard){.text = word};
        all[count].ends_sentence = offset < transcript.length &&
                                   memchr(".!?;\n", transcript.bytes[offset], 5) != NULL;
        match(&all[count++], keys);
    }
    mark(all, count);
    return count;
}

/* Words from `first` on, as few as hold what counts. */
struct window {
    size_t first, last;
    size_t exact, akin; /* keys */
    bool has_deed;
};

static struct window look(const struct heard *all, size_t count, size_t first)
{
    struct window window = {.first = first, .last = first};
    uint32_t exact = 0, akin = 0;
    size_t start = first;

    while (start > 0 && first - start < LEAD_WORDS && !all[start - 1].ends_sentence)
        start--;
    for (size_t i = start; i < count && i < first + WINDOW_WORDS; i++) {
        window.has_deed |= all[i].is_deed;
        if (i < first || all[i].is_denied)
            continue;
        /* A word stands for one key that no other stands for yet. */
        for (uint32_t left = all[i].akin & ~akin; left != 0; left = 0) {
            uint32_t own = all[i].exact & left;
            uint32_t key = own != 0 ? own & -own : left & -left;

            akin |= key;
            exact |= own & key;
            window.last = i;
        }
    }
    window.exact = (size_t)__builtin_popcount(exact);
    window.akin = (size_t)__builtin_popcount(akin);
    return window;
}

static bool is_enough(const struct window *window, size_t keys, bool was_asked)
{
    if (!window->has_deed || window->akin == 0)
        return false;
    if (was_asked)
        return window->exact > 0 || 2 * window->akin >= keys;
    if (keys <= 2)
        return window->exact == keys;
    return window->exact > 0 && window->akin >= 2 && 2 * window->akin >= keys;
}

/* The sentence around the window, as far as it is short enough. */
static struct span quote_of(const struct heard *all, size_t count,
                            const struct window *window)
{
    size_t first = window->first, last = window->last;

    while (first > 0 && window->first - first < LEAD_WORDS &&
           !all[first - 1].ends_sentence)
        first--;
    while (last > first && last - first + 1 > QUOTE_WORDS)
        last--;
    while (last + 1 < count && last - first + 1 < QUOTE_WORDS && !all[last].ends_sentence)
        last++;
    return (struct span){
        all[first].text.bytes,
        (size_t)(all[last].text.bytes + all[last].text.length - all[first].text.bytes)};
}

/* The best place in one answer; its quote is empty where there is none. */
static size_t search(const struct keys *keys, const struct coach_turn *turn,
                     bool was_asked, struct span *ret_quote)
{
    struct span transcript = private_reveal(turn->transcript);
    struct heard *all = mem_zalloc((transcript.length + 1) * sizeof(*all));
    size_t count = hear(transcript, keys, all), best = 0;

    for (size_t first = 0; first < count && count >= LEAST_WORDS; first++) {
        struct window window;

        if (all[first].akin == 0)
            continue;
        window = look(all, count, first);
        if (!is_enough(&window, keys->count, was_asked) ||
            2 * window.exact + window.akin <= best)
            continue;
        best = 2 * window.exact + window.akin;
        *ret_quote = quote_of(all, count, &window);
    }
    sodium_memzero(all, count * sizeof(*all));
    free(all);
    return best;
}

struct demand_shown demand_find_shown(struct span demand, const struct coach_turn *turns,
                                      size_t count)
{
    struct demand_shown shown = {0};
    size_t best = 0;
    struct keys keys;

    read_keys(demand, &keys);
    for (size_t i = 0; i < count; i++) {
        struct span quote = {NULL, 0};
        bool was_asked = demand_is_asked(demand, private_reveal(turns[i].question));
        size_t score = 2 * search(&keys, &turns[i], was_asked, &quote) + was_asked;

        if (quote.length == 0 || score <= best)
            continue;
        best = score;
        shown = (struct demand_shown){(unsigned)i + 1, quote};
    }
    return shown;
}
