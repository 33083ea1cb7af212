/*
 * The words that the built-in coach listens for, ready for looking up: phrases by the
 * hash of their words, and vocabularies by the hash of a word's stem.  Read-only once
 * built.
 */
#ifndef LEXICON_INTERNAL_H
#define LEXICON_INTERNAL_H

#include "coach_tables_internal.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>

struct lexicon;

struct lexicon *lexicon_new(void);

/* NULL is fine. */
void lexicon_free(struct lexicon *lexicon);

/* Hash of a phrase, built word by word, ASCII case folded. */
uint64_t lexicon_hash(uint64_t phrase_so_far, struct span word);

/* A phrase so far that has no words. */
uint64_t lexicon_hash_start(void);

/* The groups (CUE_BIT(CUE_...)) that a phrase belongs to.  false: it is neither in the
 * lexicon nor the beginning of anything in it. */
bool lexicon_find(const struct lexicon *lexicon, uint64_t phrase, uint64_t *ret_cues);

/* What is left of a word without its ending, so that "planning", "planned" and "plans"
 * agree. */
uint64_t lexicon_stem(struct span word);

/* Bits 0 to ROLE_COUNT - 1: families of roles in which the stem is at home;
 * VOCABULARY_WORK: working life of any kind. */
#define VOCABULARY_WORK BIT(31)
uint32_t lexicon_vocabularies(const struct lexicon *lexicon, uint64_t stem);

/* The redirect patterns that begin with a word, a bit for each: those of
 * redirect_rules.commands from bit LEXICON_COMMANDS on, and so forth.  NULL: none. */
enum {
    LEXICON_COMMANDS = 0,
    LEXICON_ANYWHERE = 160,
    LEXICON_OPENERS = 192,
    LEXICON_WHEN_BRIEF = 288,
    LEXICON_PATTERNS = 384
};
struct pattern_set {
    uint64_t words[LEXICON_PATTERNS / 64];
};
const struct pattern_set *lexicon_patterns(const struct lexicon *lexicon, uint64_t word);

#endif
