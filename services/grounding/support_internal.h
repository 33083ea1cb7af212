/*
 * What the parts of the check for support share: a text as words with their stems interned, and
 * the comparison of a claim's sentence with one sentence of a passage.
 */
#ifndef SUPPORT_INTERNAL_H
#define SUPPORT_INTERNAL_H

#include "intern_internal.h"
#include "span.h"
#include "support.h"
#include "terms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUPPORT_PASSAGES_MOST 64

/* What a word is, past enum term_flag. */
enum support_flag {
    SUPPORT_BREAK = 1 << 8,   /* a clause begins with it */
    SUPPORT_LIGHT = 1 << 9,   /* says little: "he", "also", "about" */
    SUPPORT_SMALL = 1 << 10,  /* "one" and "two", which the reader takes for words */
    SUPPORT_DENIAL = 1 << 11, /* says no without a negation: "forbidden", "except" */
    SUPPORT_MARKER = 1 << 12, /* "[1]": a mark of ours, and nothing that is claimed */
    SUPPORT_BEGINS = 1 << 13, /* a capital where a sentence begins, which says nothing */
    SUPPORT_CAPITALS = 1 << 14,   /* all capitals: it may be an abbreviation */
    SUPPORT_LEAD = 1 << 15,       /* a noun follows it, and no verb: "the", "of" */
    SUPPORT_PLAIN = 1 << 16,      /* what an answer is phrased with: "kind", "called" */
    SUPPORT_ASKED = 1 << 17,      /* of the question, which takes it for given */
    SUPPORT_PARTICLE = 1 << 18,   /* plain whatever was asked: "again", "nearly" */
    SUPPORT_ASKED_NAME = 1 << 19, /* which has it as a name */
    SUPPORT_WEAK_FLAGS = TERM_STOP | TERM_NEGATION | SUPPORT_LIGHT | SUPPORT_MARKER,
    /* What is no claim by itself. */
    SUPPORT_STRANGE_FLAGS =
        SUPPORT_WEAK_FLAGS | SUPPORT_PLAIN | SUPPORT_SMALL | SUPPORT_ASKED,
};

struct support_word {
    uint32_t stem; /* interned */
    uint32_t flags;
    uint32_t start, end; /* bytes of its text */
};

struct support_sentence {
    uint32_t passage;
    uint32_t first, count; /* of the words */
};

/* What is known of a stem. */
struct support_stem {
    uint32_t length;         /* of its text */
    uint32_t flags;          /* of the lists */
    uint16_t unit, quantity; /* 0: it is no unit */
    uint32_t passages_with;  /* sentences of the passages that have it */
    /* For the claim's sentence at hand: */
    uint32_t item;    /* the number of the claim's word that it is, + 1 */
    uint32_t against; /* the number of the claim's word that it is the opposite of, + 1 */
    float credit;     /* how well it is that word */
};

/* A distinct word of the claim's sentence. */
struct support_item {
    uint32_t stem;
    uint32_t flags;
    double weight;
    bool is_in_passages;
    /* In the sentence of a passage at hand: */
    float credit;
    bool is_opposed;
};

/* Two stems, or a stem and the number of a family. */
struct support_pair {
    uint32_t one, other;
};

struct support {
    struct terms_reader *reader; /* owned, like every pointer here */
    struct terms terms;          /* of the text that was read last */
    struct support_stem *stems;
    size_t stem_capacity;
    struct intern texts; /* of the stems, by their numbers */
    size_t list_stems;   /* how many of them are the lists', and stay */
    uint32_t and_stem, by_stem, from_stem, to_stem;
    struct support_pair *pairs; /* opposites */
    size_t pair_count, pair_capacity;
    struct support_pair *members; /* of families, in their order */
    size_t member_count, member_capacity;
    uint32_t family_count;
    uint16_t unit_count, quantity_count;
    struct support_word *words;
    size_t word_count, word_capacity;
    struct support_sentence *sentences;
    size_t sentence_count, sentence_capacity;
    size_t passage_words, passage_sentences; /* those before the claim's */
    bool is_restated; /* the claim's sentence says what the question asks */
    struct support_item *items;
    size_t item_count, item_capacity;
};

/* The lists, read into the stems of a new check. */
void support_read_lists(struct support *support);

uint32_t support_intern(struct support *support, const char *stem, size_t length);

/* Adds the sentences of a text to those that are read. */
void support_add_text(struct support *support, struct span text, uint32_t passage);

/* Makes the items of a claim's sentence and links them to the stems; to be ended. */
void support_begin_claim(struct support *support, const struct support_sentence *claim,
                         uint64_t cited);
void support_end_claim(struct support *support);

/* Of a claim that is begun: */

/* A word that could be held to anything. */
bool support_has_content(const struct support *support);

/* A number, a name, or a word that no answer is just phrased with, that no cited passage has. */
bool support_has_strangers(const struct support *support);

/* Words of weight at its end, of which no passage has any: a detail that was made up. */
bool support_ends_in_strangers(const struct support *support,
                               const struct support_sentence *claim);

/* Notes in the items what a sentence of a passage has of the claim; what follows asks of that one. */
void support_compare(struct support *support, const struct support_sentence *sentence);

/* The numbers, names and polarity of the claim's sentence are that sentence's own. */
bool support_is_own(const struct support *support, const struct support_sentence *claim,
                    const struct support_sentence *sentence);

/* Of support_denial.c: no word of the claim stands where the sentence has its opposite, unless the claim denies it. */
bool support_opposites_agree(const struct support *support,
                             const struct support_sentence *claim,
                             const struct support_sentence *sentence);

/* Both of the next two hold, and the claim denies nothing twice. */
bool support_polarity_agrees(const struct support *support,
                             const struct support_sentence *claim,
                             const struct support_sentence *sentence);

/* What the claim denies, the sentence denies too. */
bool support_may_deny(const struct support *support, const struct support_sentence *claim,
                      const struct support_sentence *sentence);

/* What the sentence denies, the claim does not say. */
bool support_says_nothing_denied(const struct support *support,
                                 const struct support_sentence *claim,
                                 const struct support_sentence *sentence);

/* A word of the claim stands where the sentence, which has `share` of the claim, has another word. */
bool support_has_swapped(const struct support *support,
                         const struct support_sentence *claim,
                         const struct support_sentence *sentence, double share);

/* A clause begins with the word: behind a comma, at "and", "but", ... */
bool support_is_clause_end(const struct support *support,
                           const struct support_word *word);

/* The next word of content from `at` on, by `step`, as a place; -1: there is none. */
int support_next_content(const struct support *support,
                         const struct support_sentence *sentence, int at, int step);

/* One of the sentences that stand just before has the word. */
bool support_stands_before(const struct support *support,
                           const struct support_sentence *sentence, uint32_t stem);

static inline bool support_is_content(const struct support_word *word)
{
    return !(word->flags & SUPPORT_WEAK_FLAGS);
}

static inline const struct support_word *support_words_of(
    const struct support *support, const struct support_sentence *sentence)
{
    return &support->words[sentence->first];
}

/* The claim's word that this word is; NULL: none. */
static inline const struct support_item *support_item_of(const struct support *support,
                                                         const struct support_word *word)
{
    uint32_t item = support->stems[word->stem].item;

    return item == 0 ? NULL : &support->items[item - 1];
}

#endif
