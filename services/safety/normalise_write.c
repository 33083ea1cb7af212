/*
 * Writing the normalised text: word after word, each of which may be left out, taken back, or turn
 * out to be one letter of a row that spells another.
 */
#include "normalise_walk_internal.h"

#include "mem.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

void walk_write(struct walk *walk, size_t start, size_t end)
{
    struct normal_text *normal = walk->normal;
    size_t length = end - start;
    struct place place;
    size_t last_start, last_end;
    char gap, *bytes;
    bool is_again;

    if (length > 1)
        walk_row_end(walk);
    place = walk_here(walk);
    if (walk_is_filler(walk->text + start, length)) {
        walk->gap = walk->gap == ',' ? ' ' : walk->gap;
        walk->after_filler = true;
        return;
    }
    if (walk_is_clitic(walk, start, length)) {
        walk->gap = walk->text[start] == '\'' || walk->text[start] == 'n' ? 1 : '\'';
    } else if (walk->text[start] == '\'') {
        start++;
        length--;
    }

    last_start = walk->word_start;
    last_end = normal->length;
    gap = walk->gap;
    walk_put(walk, walk->text + start, length, start);

    bytes = normal->bytes;
    is_again = last_end - last_start == length && (gap == ' ' || gap == ',') &&
               (length > 1 || bytes[last_start] == 'i' || bytes[last_start] == 'a') &&
               memcmp(bytes + last_start, bytes + walk->word_start, length) == 0;
    if (is_again)
        walk_go_back(walk, &place);
    else if (length == 1)
        walk_row_add(walk, bytes[walk->word_start], start, &place);
    else if (walk->is_lookalike)
        walk_note_disguise(walk);
    walk->gap = 0;
    walk->after_filler = false;
}

bool walk_is_clitic(const struct walk *walk, size_t start, size_t length)
{
    static const bool starts_one[256] = {
        ['\''] = true, ['s'] = true, ['m'] = true, ['t'] = true,
        ['l'] = true,  ['r'] = true, ['v'] = true, ['n'] = true};
    const char *word = walk->text + start;
    const char *before = walk->normal->bytes + walk->word_start;
    size_t before_length = walk->normal->length - walk->word_start;

    if (!starts_one[(unsigned char)word[0]] || walk->gap != ' ' || length > 3 ||
        before_length == 0 || walk->row.count > 1)
        return false;
    if (word[0] == '\'')
        return (length == 2 && strchr("smdt", word[1]) != NULL) ||
               (length == 3 &&
                (memcmp(word, "'ll", 3) == 0 || memcmp(word, "'re", 3) == 0 ||
                 memcmp(word, "'ve", 3) == 0));
    if (length == 3)
        return memcmp(word, "n't", 3) == 0;
    if (length == 1 && word[0] == 't')
        return before_length >= 3 && before[before_length - 1] == 'n' &&
               (memcmp(before, "don", 3) == 0 || memcmp(before, "can", 3) == 0 ||
                memcmp(before, "won", 3) == 0 || before[before_length - 2] == 's' ||
                before[before_length - 2] == 'd');
    if (length == 1 && word[0] == 's')
        return (before_length == 4 &&
                (memcmp(before, "what", 4) == 0 || memcmp(before, "that", 4) == 0)) ||
               (before_length == 3 && memcmp(before, "let", 3) == 0) ||
               (before_length == 2 && memcmp(before, "it", 2) == 0);
    if (length == 1 && word[0] == 'm')
        return before_length == 1 && before[0] == 'i';
    if (length == 2 && memcmp(word, "ll", 2) == 0)
        return before_length <= 4;
    return length == 2 && (memcmp(word, "re", 2) == 0 || memcmp(word, "ve", 2) == 0) &&
           ((before_length == 1 && before[0] == 'i') ||
            (before_length == 2 && memcmp(before, "we", 2) == 0) ||
            (before_length == 3 && memcmp(before, "you", 3) == 0) ||
            (before_length == 4 && memcmp(before, "they", 4) == 0));
}

#define SHORT_WORD(a, b, c)                                             \
    ((uint32_t)(unsigned char)(a) | (uint32_t)(unsigned char)(b) << 8 | \
     (uint32_t)(unsigned char)(c) << 16)

/* Asked of every short word of every text: one comparison of all its letters at once. */
bool walk_is_filler(const char *word, size_t length)
{
    if (length < 2 || length > 3)
        return false;
    switch (SHORT_WORD(walk_lower(word[0]), walk_lower(word[1]),
                       length == 3 ? walk_lower(word[2]) : 0)) {
    case SHORT_WORD('u', 'h', 0):
    case SHORT_WORD('u', 'm', 0):
    case SHORT_WORD('u', 'h', 'm'):
    case SHORT_WORD('u', 'm', 'm'):
    case SHORT_WORD('u', 'h', 'h'):
    case SHORT_WORD('e', 'r', 0):
    case SHORT_WORD('e', 'r', 'm'):
    case SHORT_WORD('h', 'm', 0):
    case SHORT_WORD('h', 'm', 'm'):
    case SHORT_WORD('m', 'm', 0):
    case SHORT_WORD('m', 'h', 'm'):
    case SHORT_WORD('a', 'h', 0):
    case SHORT_WORD('e', 'h', 0): return true;
    }
    return false;
}

void walk_put(struct walk *walk, const char *word, size_t length, size_t from)
{
    struct normal_text *normal = walk->normal;
    bool is_joined = walk->gap == 1 || walk->gap == '\'';

    if (normal->length > 0 && walk->gap != 1) {
        if (from > 0)
            offsets_add(&normal->offsets, normal->length, from - 1);
        normal->bytes[normal->length++] = walk->gap != 0 ? walk->gap : ' ';
    }
    if (!is_joined)
        walk->word_start = normal->length;
    offsets_add(&normal->offsets, normal->length, from);
    for (size_t i = 0; i < length; i++)
        normal->bytes[normal->length + i] = walk_lower(word[i]);
    normal->length += length;
    walk->gap = 0;
}

void walk_note_disguise(struct walk *walk)
{
    struct disguised_words *words = &walk->normal->disguised;
    size_t length = walk->normal->length - walk->word_start;

    if (words->capacity - words->length < length + 1) {
        size_t capacity = (words->capacity + length + 1) * 2;
        char *larger = mem_zalloc(capacity);
        if (words->bytes != NULL) {
            memcpy(larger, words->bytes, words->length);
            sodium_memzero(words->bytes, words->capacity);
            free(words->bytes);
        }
        words->bytes = larger;
        words->capacity = capacity;
    }
    offsets_add(&words->offsets, words->length, walk->word_start);
    memcpy(words->bytes + words->length, walk->normal->bytes + walk->word_start, length);
    words->bytes[words->length + length] = ' ';
    words->length += length + 1;
}

void walk_go_back(struct walk *walk, const struct place *place)
{
    walk->normal->length = place->out;
    offsets_cut(&walk->normal->offsets, place->out);
    walk->gap = place->gap;
    walk->word_start = place->word_start;
    walk->row.count = place->row_count;
}

void walk_row_add(struct walk *walk, char letter, size_t from, const struct place *place)
{
    struct row *row = &walk->row;

    if (row->count == ROW_LONGEST) {
        walk_row_end(walk);
        if (walk->rewrites != place->rewrites)
            return;
    }
    if (row->count == 0) {
        row->out_start = place->out;
        row->text_start = from;
        row->gap = place->gap;
    }
    row->letters[row->count++] = letter;
}

void walk_row_end(struct walk *walk)
{
    struct row *row = &walk->row;
    const char *words[ROW_LONGEST];
    size_t count = row->count;
    size_t letters = 0;
    size_t found;
    char gap;
    struct place place;

    row->count = 0;
    if (count < ROW_SHORTEST)
        return;
    for (size_t i = 0; i < count; i++)
        letters += (normalise_classes[(unsigned char)row->letters[i]] & LETTER) != 0;
    if (count < ROW_SHORTEST || letters < 2)
        return;

    found = wordbook_spell(walk->book, row->letters, count, words, ROW_LONGEST);
    if (found == 0)
        return;
    gap = walk->gap;
    place = (struct place){.out = row->out_start, .gap = row->gap};
    walk_go_back(walk, &place);
    walk->rewrites++;
    for (size_t i = 0; i < found; i++) {
        if (words[i][0] == '\0') /* a digit or sign that stands for no letter */
            continue;
        walk_put(walk, words[i], strlen(words[i]), row->text_start);
        if (found == 1) /* a longer row may spell a name: Dick in so n */
            walk_note_disguise(walk);
        walk->gap = ' ';
    }
    walk->gap = gap;
}
