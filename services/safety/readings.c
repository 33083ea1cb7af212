/*
 * The forms of all words stand in one table of hashes.  A word of a text that is one of them is written as
 * the word it stands for; a longer one that is made of known words throughout is written with spaces.
 */
#include "readings_internal.h"

#include "mem.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHORTEST_MISSPELT = 4,  /* letters of what may have two swapped */
    SHORTEST_SHORTENED = 5, /* and of what may have lost one: fck is FCK too often */
    SHORTEST_JOINED = 7,    /* letters of what runs together */
    LONGEST_JOINED = 64,
    LONGEST_WORD = 20,
    ROW_LETTERS = 3, /* single letters that are a word spaced out */
};

/* A form of a word, or another word: then there is nothing that it stands for. */
struct form {
    char *text; /* owned; NULL: the place is free */
    size_t length;
    const char *word; /* borrowed from the list; NULL: as it is */
    bool is_part;     /* may be part of what runs together */
    bool is_core;     /* and is worth looking for in it */
};

struct readings {
    struct form *forms; /* owned; a table of hashes */
    size_t room;        /* a power of two */
    size_t count;
};

static struct form *place_of(const struct readings *readings, const char *text,
                             size_t length)
{
    uint32_t hash = 2166136261U; /* Fowler, Noll and Vo */

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619U;
    for (size_t at = hash;; at++) {
        struct form *form = &readings->forms[at & (readings->room - 1)];
        if (form->text == NULL ||
            (form->length == length && memcmp(form->text, text, length) == 0))
            return form;
    }
}

/* The form; NULL: there is none. */
static const struct form *find(const struct readings *readings, const char *text,
                               size_t length)
{
    const struct form *form = place_of(readings, text, length);

    return form->text != NULL ? form : NULL;
}

static void grow(struct readings *readings)
{
    struct readings larger = {.room = readings->room > 0 ? readings->room * 2 : 256,
                              .count = readings->count};

    larger.forms = mem_zalloc(larger.room * sizeof *larger.forms);
    for (size_t i = 0; i < readings->room; i++) {
        const struct form *form = &readings->forms[i];
        if (form->text != NULL)
            *place_of(&larger, form->text, form->length) = *form;
    }
    free(readings->forms);
    *readings = larger;
}

/* The place of the text, which is added as itself where it is new. */
static struct form *add(struct readings *readings, const char *text)
{
    struct form *form;

    if (readings->count * 2 >= readings->room)
        grow(readings);
    form = place_of(readings, text, strlen(text));
    if (form->text == NULL) {
        form->text = mem_copy_string(text);
        form->length = strlen(text);
        readings->count++;
    }
    return form;
}

/* What is a word, or a form of an earlier one, stays that. */
static void add_form(struct readings *readings, const char *text, const char *word)
{
    size_t before = readings->count;
    struct form *form = add(readings, text);

    if (readings->count > before)
        form->word = word;
}

static void add_forms(struct readings *readings, const char *word)
{
    size_t length = strlen(word);
    char form[LONGEST_WORD + 1];

    for (size_t i = 0; i < length; i++) {
        memcpy(form, word, i);
        memcpy(form + i, word + i + 1, length - i);
        if (length >= SHORTEST_SHORTENED)
            add_form(readings, form, word);
        memcpy(form, word, length + 1);
        if (i + 1 == length)
            break;
        form[i] = word[i + 1];
        form[i + 1] = word[i];
        add_form(readings, form, word);
    }
}

struct readings *readings_new(const struct pattern_texts *words,
                              const struct pattern_texts *other_words,
                              const struct pattern_texts *small_words)
{
    struct readings *readings = MEM_NEW(struct readings);

    grow(readings);
    for (size_t i = 0; i < other_words->count; i++)
        (void)add(readings, other_words->texts[i]);
    for (size_t i = 0; words->count > 0 && i < small_words->count; i++)
        add(readings, small_words->texts[i])->is_part = true;
    for (size_t i = 0; i < words->count; i++) {
        struct form *form = add(readings, words->texts[i]);
        form->is_part = true;
        form->is_core = strlen(words->texts[i]) >= SHORTEST_MISSPELT;
    }
    for (size_t i = 0; i < words->count; i++) {
        size_t length = strlen(words->texts[i]);
        if (length >= SHORTEST_MISSPELT && length <= LONGEST_WORD)
            add_forms(readings, words->texts[i]);
    }
    return readings;
}

void readings_free(struct readings *readings)
{
    if (readings == NULL)
        return;
    for (size_t i = 0; i < readings->room; i++)
        free(readings->forms[i].text);
    free(readings->forms);
    free(readings);
}

struct phrases readings_phrases(const struct readings *readings)
{
    struct phrases phrases = {.count = 0};

    for (size_t i = 0; i < readings->room; i++) {
        const struct form *form = &readings->forms[i];
        size_t length = form->text != NULL ? strlen(form->text) : 0;
        struct phrase phrase = {.length = (unsigned char)length};
        if (length == 0 || length > PHRASE_BYTES ||
            (form->word == NULL && !form->is_core))
            continue;
        memcpy(phrase.bytes, form->text, length);
        phrase.starts_word = phrase.ends_word = form->word != NULL;
        phrase.is_inside = form->word == NULL;
        phrases_add(&phrases, &phrase);
    }
    return phrases;
}

/* The word's parts with spaces between them, as few as can be; false where it is not made of any. */
static bool part(const struct readings *readings, const char *word, size_t length,
                 struct buffer *out)
{
    unsigned char parts[LONGEST_JOINED + 1] = {0}; /* of the rest from there; 0: none */
    unsigned char first[LONGEST_JOINED + 1] = {0}; /* length of the first of them */
    bool has_core[LONGEST_JOINED + 1] = {false};

    if (length < SHORTEST_JOINED || length > LONGEST_JOINED)
        return false;
    for (size_t start = length; start-- > 0;) {
        for (size_t end = start + 1; end <= length && end - start <= LONGEST_WORD;
             end++) {
            const struct form *form;
            bool goes_on = end == length || parts[end] > 0;
            if (!goes_on || (parts[start] > 0 && parts[end] + 1 > parts[start]) ||
                (end - start == 1 && start > 0)) /* I and a, in front only */
                continue;
            form = find(readings, word + start, end - start);
            if (form == NULL || !form->is_part)
                continue;
            parts[start] = (unsigned char)(parts[end] + 1);
            first[start] = (unsigned char)(end - start);
            has_core[start] = form->is_core || has_core[end];
        }
    }
    if (parts[0] < 2 || !has_core[0])
        return false;
    for (size_t at = 0; at < length; at += first[at]) {
        if (at > 0)
            buffer_append_char(out, ' ');
        buffer_append(out, word + at, first[at]);
    }
    return true;
}

static bool is_gap(char c)
{
    return c == ' ' || c == ',' || c == '.' || c == '?';
}

bool readings_mend(const struct readings *readings, const char *text, size_t length,
                   struct buffer *out)
{
    bool is_other = false;

    for (size_t at = 0; at < length;) {
        size_t end = at;
        const struct form *form;

        while (end < length && !is_gap(text[end]))
            end++;
        form = find(readings, text + at, end - at);
        if (form != NULL && form->word != NULL) {
            buffer_append_string(out, form->word);
            is_other = true;
        } else if (form == NULL && part(readings, text + at, end - at, out)) {
            is_other = true;
        } else {
            buffer_append(out, text + at, end - at);
        }
        if (end < length)
            buffer_append_char(out, text[end]);
        at = end + 1;
    }
    return is_other && !out->is_over;
}

static bool is_cyrillic(uint32_t c)
{
    return c >= 0x400 && c <= 0x52f;
}

/* The Cyrillic letter that a Latin one or a digit passes for; 0: none. */
static uint32_t cyrillic_of(uint32_t c)
{
    static const struct {
        char latin;
        uint16_t cyrillic;
    } alike[] = {{'a', 0x430}, {'b', 0x432}, {'c', 0x441}, {'e', 0x435}, {'g', 0x434},
                 {'h', 0x43d}, {'k', 0x43a}, {'m', 0x43c}, {'n', 0x43f}, {'o', 0x43e},
                 {'p', 0x440}, {'r', 0x433}, {'t', 0x442}, {'u', 0x438}, {'x', 0x445},
                 {'y', 0x443}, {'z', 0x437}, {'0', 0x43e}, {'3', 0x437}, {'4', 0x447},
                 {'6', 0x431}};

    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        if ((uint32_t)alike[i].latin == (c >= 'A' && c <= 'Z' ? (c | 0x20) : c))
            return alike[i].cyrillic;
    }
    return 0;
}

/* One word of a text, from space to space. */
struct cyrillic_word {
    size_t start, end;
    bool is_cyrillic; /* has a letter that is */
    bool is_mixed;    /* and others, all of which pass for such */
    bool is_letter;   /* one letter alone */
};

static struct cyrillic_word next_word(const char *text, size_t length, size_t at)
{
    struct cyrillic_word word = {.start = at, .end = at};
    size_t letters = 0;
    bool passes = true;

    while (word.end < length && (unsigned char)text[word.end] > ' ') {
        uint32_t c = utf8_next(text, length, &word.end);
        bool is_one = is_cyrillic(c);
        word.is_cyrillic = word.is_cyrillic || is_one;
        word.is_mixed = word.is_mixed || (!is_one && cyrillic_of(c) != 0);
        passes = passes && (is_one || cyrillic_of(c) != 0 || c < '0');
        letters += is_one || cyrillic_of(c) != 0;
    }
    word.is_letter = passes && letters == 1;
    word.is_mixed = word.is_mixed && passes;
    return word;
}

static void append_cyrillic(struct buffer *out, const char *text, size_t start,
                            size_t end)
{
    for (size_t at = start; at < end;) {
        size_t from = at;
        uint32_t c = utf8_next(text, end, &at);
        uint32_t letter = is_cyrillic(c) ? 0 : cyrillic_of(c);
        if (letter == 0) {
            buffer_append(out, text + from, at - from);
        } else {
            buffer_append_char(out, (char)(0xc0 | letter >> 6));
            buffer_append_char(out, (char)(0x80 | (letter & 0x3f)));
        }
    }
}

bool readings_cyrillic(const char *text, size_t length, struct buffer *out)
{
    bool is_other = false;

    for (size_t at = 0; at < length;) {
        struct cyrillic_word word = next_word(text, length, at);
        size_t letters = 0;
        bool has_cyrillic = false;
        size_t end = at;

        for (struct cyrillic_word next = word; next.is_letter && next.end > next.start;
             next = next_word(text, length, end + 1)) {
            letters++;
            has_cyrillic = has_cyrillic || next.is_cyrillic;
            end = next.end;
            if (end >= length)
                break;
        }
        if (letters >= ROW_LETTERS && has_cyrillic) {
            for (size_t i = at; i < end; i++) {
                size_t letter_end = next_word(text, end, i).end;
                append_cyrillic(out, text, i, letter_end);
                i = letter_end;
            }
            is_other = true;
            word.end = end;
        } else if (word.is_cyrillic && word.is_mixed) {
            append_cyrillic(out, text, word.start, word.end);
            is_other = true;
        } else {
            /* The normalised text has letters that look like Latin ones as Latin. */
            is_other = is_other || word.is_cyrillic;
            buffer_append(out, text + word.start, word.end - word.start);
        }
        if (word.end < length)
            buffer_append_char(out, text[word.end]);
        at = word.end + 1;
    }
    return is_other && !out->is_over;
}
