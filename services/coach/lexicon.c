/*
 * Builds the lexicon from the constant tables.  Two hash tables with open addressing,
 * keyed by 64-bit hashes alone: of the few thousand entries no two collide (a unit test
 * looks), and a word that somebody makes up to collide only misleads the coach about that
 * word.
 */
#include "lexicon_internal.h"

#include "coach_hash_internal.h"
#include "mem.h"
#include "words.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PHRASE_SLOTS = 8192, STEM_SLOTS = 8192 }; /* powers of two */
#define PATTERN_SLOTS 1024
#define STEM_LETTERS  6 /* stems are cut off here */

struct slot {
    uint64_t hash; /* 0: free */
    uint64_t bits;
};

struct pattern_slot {
    uint64_t hash; /* 0: free */
    struct pattern_set patterns;
};

struct lexicon {
    struct slot phrases[PHRASE_SLOTS];
    struct slot stems[STEM_SLOTS];
    struct pattern_slot patterns[PATTERN_SLOTS];
};

/* Else a search could be long, and in a full table without end. */
static bool is_at_most_half_full(const struct slot *slots, size_t slot_count)
{
    size_t used = 0;

    for (size_t i = 0; i < slot_count; i++)
        used += slots[i].hash != 0;
    return used * 2 <= slot_count;
}

static size_t slot_for(const struct slot *slots, size_t slot_count, uint64_t hash)
{
    size_t at = coach_choose(hash, 0, slot_count);

    while (slots[at].hash != 0 && slots[at].hash != hash)
        at = (at + 1) & (slot_count - 1);
    return at;
}

static void set_bits(struct slot *slots, size_t slot_count, uint64_t hash, uint64_t bits)
{
    struct slot *slot = &slots[slot_for(slots, slot_count, hash)];

    slot->hash = hash;
    slot->bits |= bits;
}

/* The phrase, and all that it begins with, so that a search knows when to give up. */
static void add_words(struct lexicon *lexicon, const char *phrase, enum cue cue)
{
    uint64_t hash = lexicon_hash_start();

    while (*phrase) {
        size_t length = strcspn(phrase, " ");

        hash = lexicon_hash(hash, (struct span){phrase, length});
        phrase += length + strspn(phrase + length, " ");
        set_bits(lexicon->phrases, PHRASE_SLOTS, hash, *phrase ? 0 : CUE_BIT(cue));
    }
}

/* Some transcripts have no apostrophes: "im", "didnt"; "well" and "were" are other words. */
static void add_phrase(struct lexicon *lexicon, const char *phrase, enum cue cue)
{
    static const char *const others[] = {"we're", "we'll", "she'll", "he'll", "i'll",
                                         "we'd",  "she'd", "i'd",    "it's"};
    char plain[64];
    size_t length = 0;

    add_words(lexicon, phrase, cue);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strstr(phrase, others[i]) != NULL)
            return;
    for (const char *at = phrase; *at && length + 1 < sizeof(plain); at++)
        if (*at != '\'')
            plain[length++] = *at;
    plain[length] = '\0';
    if (length < strlen(phrase) && length + 1 < sizeof(plain))
        add_words(lexicon, plain, cue);
}

/* The next of the words with which a pattern may begin, "write/compose me a poem". false:
 * that was the last. */
static bool next_choice(const char **pattern, uint64_t *ret_hash)
{
    size_t length = strcspn(*pattern, "/ ");

    if (length == 0)
        return false;
    *ret_hash = lexicon_hash(lexicon_hash_start(), (struct span){*pattern, length});
    *pattern = (*pattern)[length] == '/' ? *pattern + length + 1 : "";
    return true;
}

static void add_choices(struct lexicon *lexicon, const char *pattern, enum cue cue)
{
    uint64_t hash;

    while (next_choice(&pattern, &hash))
        set_bits(lexicon->phrases, PHRASE_SLOTS, hash, CUE_BIT(cue));
}

static size_t pattern_slot_for(const struct pattern_slot *slots, uint64_t hash)
{
    size_t at = coach_choose(hash, 0, PATTERN_SLOTS);

    while (slots[at].hash != 0 && slots[at].hash != hash)
        at = (at + 1) & (PATTERN_SLOTS - 1);
    return at;
}

static void add_patterns(struct lexicon *lexicon, const struct string_list *patterns,
                         size_t first_bit)
{
    for (size_t i = 0; i < patterns->count; i++) {
        const char *pattern = patterns->items[i];
        size_t bit = first_bit + i;
        uint64_t hash;

        assert(bit < LEXICON_PATTERNS);
        assert(first_bit >= LEXICON_ANYWHERE || bit < LEXICON_ANYWHERE);
        assert(first_bit >= LEXICON_OPENERS || bit < LEXICON_OPENERS);
        assert(first_bit >= LEXICON_WHEN_BRIEF || bit < LEXICON_WHEN_BRIEF);
        while (next_choice(&pattern, &hash)) {
            size_t at = pattern_slot_for(lexicon->patterns, hash);

            lexicon->patterns[at].hash = hash;
            lexicon->patterns[at].patterns.words[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

static void add_stems(struct lexicon *lexicon, const char *text, uint64_t bit)
{
    struct span word, all = span_of(text);
    size_t offset = 0;
    uint64_t cues;

    while (words_next(all, &offset, &word)) {
        uint64_t hash = lexicon_hash(lexicon_hash_start(), word);

        if (word.length < 3)
            continue;
        if (lexicon_find(lexicon, hash, &cues) && cues & CUE_BIT(CUE_STOP))
            continue;
        set_bits(lexicon->stems, STEM_SLOTS, lexicon_stem(word), bit);
    }
}

struct lexicon *lexicon_new(void)
{
    struct lexicon *lexicon = MEM_NEW(struct lexicon);

    for (size_t i = 0; i < cue_phrase_count; i++) {
        add_phrase(lexicon, cue_phrases[i].phrase, cue_phrases[i].cue);
        if (cue_phrases[i].cue == CUE_WORK)
            add_stems(lexicon, cue_phrases[i].phrase, VOCABULARY_WORK);
    }
    for (size_t i = 0; i < hesitations.count; i++) {
        add_phrase(lexicon, hesitations.items[i], CUE_FILLER);
        add_phrase(lexicon, hesitations.items[i], CUE_HESITATION);
    }
    for (size_t i = 0; i < filler_rule_count; i++)
        add_choices(lexicon, filler_rules[i].phrase, CUE_FILLER);
    add_patterns(lexicon, &redirect_rules.openers, LEXICON_OPENERS);
    add_patterns(lexicon, &redirect_rules.commands, LEXICON_COMMANDS);
    add_patterns(lexicon, &redirect_rules.when_brief, LEXICON_WHEN_BRIEF);
    add_patterns(lexicon, &redirect_rules.anywhere, LEXICON_ANYWHERE);
    for (enum role_family role = 0; role < ROLE_COUNT; role++) {
        for (size_t i = 0; i < bank_roles[role].keywords.count; i++)
            add_stems(lexicon, bank_roles[role].keywords.items[i], BIT(role));
        for (size_t i = 0; i < bank_roles[role].vocabulary.count; i++)
            add_stems(lexicon, bank_roles[role].vocabulary.items[i], BIT(role));
    }
    assert(is_at_most_half_full(lexicon->phrases, PHRASE_SLOTS));
    assert(is_at_most_half_full(lexicon->stems, STEM_SLOTS));
    return lexicon;
}

void lexicon_free(struct lexicon *lexicon)
{
    free(lexicon);
}

static const struct slot *find(const struct slot *slots, size_t slot_count, uint64_t hash)
{
    const struct slot *slot = &slots[slot_for(slots, slot_count, hash)];

    return slot->hash == hash ? slot : NULL;
}

const struct pattern_set *lexicon_patterns(const struct lexicon *lexicon, uint64_t word)
{
    const struct pattern_slot *slot =
        &lexicon->patterns[pattern_slot_for(lexicon->patterns, word)];

    return slot->hash == word ? &slot->patterns : NULL;
}

uint64_t lexicon_hash_start(void)
{
    return COACH_HASH_START;
}

uint64_t lexicon_hash(uint64_t phrase_so_far, struct span word)
{
    uint64_t hash = coach_hash_byte(phrase_so_far, ' ');

    for (size_t i = 0; i < word.length; i++)
        hash = coach_hash_byte(hash, (char)tolower((unsigned char)word.bytes[i]));
    return hash;
}

bool lexicon_find(const struct lexicon *lexicon, uint64_t phrase, uint64_t *ret_cues)
{
    const struct slot *slot = find(lexicon->phrases, PHRASE_SLOTS, phrase);

    if (!slot)
        return false;
    *ret_cues = slot->bits;
    return true;
}

uint32_t lexicon_vocabularies(const struct lexicon *lexicon, uint64_t stem)
{
    const struct slot *slot = find(lexicon->stems, STEM_SLOTS, stem);

    return slot ? (uint32_t)slot->bits : 0;
}

static bool ends_with(struct span word, const char *ending)
{
    size_t length = strlen(ending);

    return word.length >= length + 3 &&
           memcmp(word.bytes + word.length - length, ending, length) == 0;
}

uint64_t lexicon_stem(struct span word)
{
    static const char *const endings[] = {
        "'s",  "ations", "ation", "ments", "ment", "ingly", "ings", "ing", "edly",
        "ed",  "ies",    "iest",  "ier",   "es",   "ers",   "er",   "ors", "or",
        "ily", "ly",     "ions",  "ion",   "s",    "e",     "y"};
    char letters[32];
    struct span stem = {letters,
                        word.length < sizeof(letters) ? word.length : sizeof(letters)};

    for (size_t i = 0; i < stem.length; i++)
        letters[i] = (char)tolower((unsigned char)word.bytes[i]);
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        if (ends_with(stem, endings[i])) {
            stem.length -= strlen(endings[i]);
            break;
        }
    }
    /* "planned", "planning": one n too many */
    if (stem.length >= 4 && letters[stem.length - 1] == letters[stem.length - 2] &&
        letters[stem.length - 1] != 's' && letters[stem.length - 1] != 'l')
        stem.length--;
    if (stem.length > STEM_LETTERS)
        stem.length = STEM_LETTERS;
    return coach_hash(COACH_HASH_START, stem.bytes, stem.length);
}
