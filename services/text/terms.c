/*
 * Words of a text, stemmed, and told apart by how they are written.
 */
#include "terms.h"

#include "mem.h"
#include "sentences.h"
#include "terms_internal.h"

#include <libstemmer.h>
#include <stdlib.h>
#include <string.h>

struct terms_reader {
    struct sb_stemmer *stemmer; /* owned */
    struct word *words;         /* owned; those of the sentence that is read */
    size_t count, capacity;
    uint32_t *slots; /* owned; a table of the names of a text, by their stems: term + 1 */
    size_t slot_count, slot_capacity;
    struct terms *terms;   /* borrowed while one is read */
    unsigned char *shapes; /* owned; how each term is written; parallel to terms->all */
    size_t shape_capacity;
};

struct terms_reader *terms_reader_new(void)
{
    struct terms_reader *reader = MEM_NEW(struct terms_reader);

    reader->stemmer = sb_stemmer_new("porter", "UTF_8");
    if (reader->stemmer == NULL)
        abort(); /* out of memory: the algorithm is in every build of the library */
    return reader;
}

void terms_reader_free(struct terms_reader *reader)
{
    if (reader == NULL)
        return;
    sb_stemmer_delete(reader->stemmer);
    mem_wipe_and_free(reader->words, reader->capacity * sizeof(*reader->words));
    free(reader->slots);
    free(reader->shapes);
    free(reader);
}

static void read_words(struct terms_reader *reader, struct span text,
                       struct span sentence)
{
    size_t offset = 0;

    reader->count = 0;
    do {
        MEM_ROOM(reader->words, reader->count, reader->capacity, 1);
    } while (word_next(text, sentence, &offset, &reader->words[reader->count]) &&
             ++reader->count > 0);
}

/* Words that stay small in a title. */
static bool stays_small(const struct word *word)
{
    return word->length <= 2 || (word_flags(word->folded) & TERM_STOP) ||
           strcmp(word->folded, "into") == 0 || strcmp(word->folded, "over") == 0 ||
           strcmp(word->folded, "but") == 0 || strcmp(word->folded, "per") == 0;
}

/* Is every word of the sentence written with a capital, as in a title?  Then capitals mean nothing. */
static bool is_title(const struct terms_reader *reader)
{
    size_t capitals = 0;

    for (size_t i = 0; i < reader->count; i++) {
        const struct word *word = &reader->words[i];

        if (word->shape & WORD_SMALL && !stays_small(word))
            return false;
        if (word->shape & WORD_SMALL &&
            (strcmp(word->folded, "was") == 0 || strcmp(word->folded, "is") == 0 ||
             strcmp(word->folded, "did") == 0))
            return false;
        capitals += (word->shape & WORD_CAPITAL) != 0;
    }
    return capitals >= 3;
}

/* Is it all in capitals, so that a word in capitals means nothing either? */
static bool is_shouted(const struct terms_reader *reader)
{
    size_t words = 0;

    for (size_t i = 0; i < reader->count; i++) {
        if (reader->words[i].shape & WORD_SMALL)
            return false;
        words += (reader->words[i].shape & WORD_CAPITALS) != 0;
    }
    return words >= 3;
}

static bool is_plain(const struct word *word)
{
    for (size_t i = 0; i < word->length; i++)
        if (word->folded[i] < 'a' || word->folded[i] > 'z')
            return false;
    return word->length >= 3;
}

static void add_term(struct terms_reader *reader, const struct word *first,
                     const struct word *last, const char *stem, size_t length,
                     uint32_t flags)
{
    struct terms *terms = reader->terms;

    MEM_ROOM(terms->all, terms->count, terms->capacity, 1);
    if (terms->capacity > reader->shape_capacity) {
        reader->shape_capacity = terms->capacity;
        reader->shapes = mem_realloc(reader->shapes, reader->shape_capacity);
    }
    MEM_ROOM(terms->stems, terms->stems_length, terms->stems_capacity, length + 1);
    terms->all[terms->count] = (struct term){.start = (uint32_t)first->start,
                                             .end = (uint32_t)last->end,
                                             .stem = (uint32_t)terms->stems_length,
                                             .stem_length = (uint32_t)length,
                                             .sentence = (uint32_t)terms->sentence_count,
                                             .flags = flags};
    reader->shapes[terms->count++] = (unsigned char)first->shape;
    memcpy(terms->stems + terms->stems_length, stem, length);
    terms->stems_length += length;
    terms->stems[terms->stems_length++] = '\0';
}

/* What a word's shape and the lists say of it, before the whole text has been seen. */
static uint32_t flags_of(const struct word *words, size_t at, size_t count,
                         bool is_name_free, bool is_shouting)
{
    const struct word *word = &words[at];
    uint32_t flags = word_flags(word->folded);

    if (word->shape & WORD_NOT)
        flags |= TERM_STOP | TERM_NEGATION;
    if ((flags & TERM_NEGATION) && at + 1 < count &&
        ((strcmp(word->folded, "not") == 0 &&
          strcmp(words[at + 1].folded, "only") == 0) ||
         (strcmp(word->folded, "no") == 0 && (words[at + 1].shape & WORD_DIGITS))))
        flags &= ~(uint32_t)TERM_NEGATION; /* "not only", "No. 5" */
    if ((word->shape & (WORD_CAPITALS | WORD_MIXED)) && !is_shouting &&
        !(flags & TERM_NEGATION))
        return (flags & ~(uint32_t)TERM_STOP) | TERM_NAME;
    if ((word->shape & (WORD_CAPITAL | WORD_FIRST)) == WORD_CAPITAL && !is_name_free &&
        !flags)
        flags |= TERM_NAME;
    return flags;
}

static void add_terms(struct terms_reader *reader, struct span text, struct span sentence,
                      enum term_place place)
{
    struct terms *terms = reader->terms;
    size_t first_term = terms->count, step;
    bool is_shouting = is_shouted(reader), is_name_free = is_shouting || is_title(reader);
    char digits[STEM_BYTES_MOST + 1];
    bool is_number;

    for (size_t i = 0; i < reader->count; i += step) {
        struct word *word = &reader->words[i];

        step = number_of_words(text, word, reader->count - i, digits, &is_number);
        if (step > 0) {
            add_term(reader, word, word + step - 1, digits, strlen(digits),
                     is_number ? TERM_NUMBER : 0);
            continue;
        }
        step = 1;
        if (word->length == 0)
            continue;
        if (is_plain(word)) {
            const char *plain = word_plain_form(word->folded);
            const sb_symbol *stem = sb_stemmer_stem(
                reader->stemmer, (const sb_symbol *)plain, (int)strlen(plain));

            add_term(
                reader, word, word, (const char *)stem,
                (size_t)sb_stemmer_length(reader->stemmer),
                flags_of(reader->words, i, reader->count, is_name_free, is_shouting));
        } else {
            add_term(
                reader, word, word, word->folded, word->length,
                flags_of(reader->words, i, reader->count, is_name_free, is_shouting));
        }
    }
    if (terms->count == first_term)
        return;
    MEM_ROOM(terms->sentences, terms->sentence_count, terms->sentence_capacity, 1);
    terms->sentences[terms->sentence_count++] = (struct term_sentence){
        .start = (uint32_t)(sentence.bytes - text.bytes),
        .end = (uint32_t)(sentence.bytes - text.bytes + (ptrdiff_t)sentence.length),
        .first_term = (uint32_t)first_term,
        .term_count = (uint32_t)(terms->count - first_term),
        .place = place};
}

enum { SEEN_AS_NAME = 1, SEEN_SMALL = 2 };

static uint32_t *slot_of(struct terms_reader *reader, const struct term *term)
{
    const struct terms *terms = reader->terms;
    const char *stem = term_stem(terms, term);
    uint32_t hash = 2166136261u;
    size_t at;

    for (size_t i = 0; i < term->stem_length; i++)
        hash = (hash ^ (unsigned char)stem[i]) * 16777619u;
    for (at = hash % reader->slot_count;; at = (at + 1) % reader->slot_count) {
        uint32_t held = reader->slots[2 * at];

        if (held == 0 || term_equals(terms, &terms->all[held - 1], terms, term))
            return &reader->slots[2 * at];
    }
}

/* A capital where a sentence begins makes a name only where the word is a name elsewhere in the text; and
 * a word that is written small elsewhere is none anywhere. */
static void settle_names(struct terms_reader *reader)
{
    struct terms *terms = reader->terms;
    size_t needed = terms->count * 2 + 1;

    reader->slot_count = needed;
    if (needed > reader->slot_capacity) {
        reader->slot_capacity = needed;
        reader->slots = mem_realloc(reader->slots, needed * 2 * sizeof(*reader->slots));
    }
    memset(reader->slots, 0, reader->slot_count * 2 * sizeof(*reader->slots));
    for (size_t i = 0; i < terms->count; i++) {
        struct term *term = &terms->all[i];
        uint32_t *slot;

        if (term->flags & (TERM_NUMBER | TERM_STOP))
            continue;
        slot = slot_of(reader, term);
        slot[0] = slot[0] == 0 ? (uint32_t)i + 1 : slot[0];
        if (term->flags & TERM_NAME)
            slot[1] |= SEEN_AS_NAME;
        else if (reader->shapes[i] & WORD_SMALL)
            slot[1] |= SEEN_SMALL;
    }
    for (size_t i = 0; i < terms->count; i++) {
        struct term *term = &terms->all[i];
        uint32_t seen;

        if (term->flags & (TERM_NUMBER | TERM_STOP | TERM_NEGATION) ||
            !(reader->shapes[i] & WORD_CAPITAL) ||
            (reader->shapes[i] & (WORD_CAPITALS | WORD_MIXED)))
            continue;
        seen = slot_of(reader, term)[1];
        if (seen & SEEN_SMALL)
            term->flags &= ~(uint32_t)TERM_NAME;
        else if (seen & SEEN_AS_NAME)
            term->flags |= TERM_NAME;
    }
}

void terms_read(struct terms_reader *reader, struct span text, struct terms *terms)
{
    struct sentences sentences;
    struct span sentence;

    terms->count = terms->sentence_count = terms->stems_length = 0;
    reader->terms = terms;
    sentences_init(&sentences, text);
    while (sentences_next(&sentences, &sentence)) {
        read_words(reader, text, sentence);
        if (reader->count > 0)
            add_terms(reader, text, sentence, sentences.place);
    }
    settle_names(reader);
    reader->terms = NULL;
}

void terms_done(struct terms *terms)
{
    free(terms->all);
    free(terms->sentences);
    mem_wipe_and_free(terms->stems, terms->stems_capacity);
    *terms = (struct terms){0};
}

size_t stems_share(struct span one, struct span other)
{
    size_t longer = one.length > other.length ? one.length : other.length, same = 0;

    while (same < one.length && same < other.length &&
           one.bytes[same] == other.bytes[same])
        same++;
    return same >= STEMS_SHARED_LEAST && same * 5 >= longer * 3 ? same : 0;
}

bool term_equals(const struct terms *one, const struct term *first,
                 const struct terms *other, const struct term *second)
{
    return first->stem_length == second->stem_length &&
           memcmp(term_stem(one, first), term_stem(other, second), first->stem_length) ==
               0;
}
