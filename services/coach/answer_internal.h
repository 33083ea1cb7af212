/*
 * An answer as the built-in coach reads it: its words, its sentences, and where it found
 * what it listens for.
 */
#ifndef ANSWER_INTERNAL_H
#define ANSWER_INTERNAL_H

#include "lexicon_internal.h"

/* What stands between a word and the one before it. */
enum gap { GAP_NONE, GAP_PAUSE /* a comma, dash, colon, bracket */, GAP_SENTENCE };

struct word {
    struct span text; /* into answer.text */
    uint64_t hash;    /* of the word as a phrase; 0 while it is only cut */
    uint64_t cues;    /* CUE_BIT(CUE_...) of the word by itself; the same */
    enum gap gap;     /* the first word's is GAP_SENTENCE */
    bool is_quoted;   /* inside double quotation marks */
};

struct cue_hits {
    size_t count;
    size_t first, last; /* index of the first word of the first, and of the last, hit */
};

/* Who did something in the answer: "I called the supplier", "we rolled it out". */
struct deeds {
    size_t count;
    size_t first; /* index of the word that names who */
    size_t last;
};

struct answer {
    char *text; /* owned, wiped; the words with curly apostrophes made straight */
    size_t text_length;
    struct word *words; /* owned, wiped */
    size_t word_count;
    size_t sentence_count;
    size_t last_first;   /* index of the last sentence's first word */
    size_t number_count; /* digits and number words from two up */
    size_t last_figure;  /* index of the last in digits, or that measures; 0: none */
    size_t ascii_letters, other_letters;
    struct cue_hits cues[CUE_COUNT];
    size_t tells[THEME_COUNT]; /* different phrases of CUE_TELLS_... */
    size_t hints[THEME_COUNT]; /* and of CUE_HINTS_... */
    struct deeds own, shared;  /* by "I", by "we" */
};

void answer_read(struct answer *answer, const struct lexicon *lexicon, struct span text);

/* Only its text and words, not looked up: a small part of that. */
void answer_cut(struct answer *answer, struct span text);

/* Wipes and frees; a zeroed answer is fine. */
void answer_done(struct answer *answer);

/* Is the word at `index` (which may be past the end) this one?  `word` is in lower case.
 */
bool answer_word_is(const struct answer *answer, size_t index, const char *word);

/* Another language than English, as far as its small words and its letters tell. */
bool answer_is_foreign(const struct answer *answer);

/* Copies up to `most` words from the one at `first` up to the next pause, without small
 * words at the end, as something that may be quoted.  false: nothing is fit for that
 * (fewer than three words, anything but letters, digits, apostrophes and hyphens in it,
 * or too long). */
bool answer_quote(const struct answer *answer, size_t first, size_t most, char *ret_quote,
                  size_t size);

#endif
