/*
 * A trie of words, walked with what each byte of a disguise may stand for.
 */
#include "wordbook_internal.h"

#include "fold_internal.h"
#include "mem.h"
#include "utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum {
    LETTERS = 27, /* a to z and the apostrophe */
    APOSTROPHE = 26,
    MAX_NODES = 65535,
    MAX_STEPS =
        4000, /* of one reading: disguises are short, hostile ones get no further */
    SHORTEST_MASK = 4, /* f*** */
    LOOSE_ROW = 3,
    DRAWN_OUT = 3, /* equal letters in a row that no word has */
    MAX_LEFT_OVER = 2,
    LEFT_OVER_COST = 16,
};

#define ANY_LETTER 0x3ffffffU

struct node {
    uint16_t child[LETTERS]; /* 0: none */
    bool is_strong;
    char *word; /* owned; NULL where no word ends */
};

struct wordbook {
    struct node *nodes; /* owned; the first is the root */
    size_t count;
    size_t capacity;
};

/* One attempt at a disguise. */
struct reading {
    const struct wordbook *book;
    const char *bytes;
    size_t length;
    bool is_loose; /* a row of stars may stand for fewer or more letters than it has stars
                    */
    bool has_masks; /* '-' and '_' may stand for a letter */
    int steps;
    uint8_t runs[WORDBOOK_LONGEST]; /* how many equal bytes in a row each is part of */
};

static const char *read_on(struct reading *reading, size_t node, size_t at, int last,
                           bool needs_strong);

static int letter_index(char c)
{
    if (c >= 'a' && c <= 'z')
        return c - 'a';
    return c == '\'' ? APOSTROPHE : -1;
}

static uint32_t bits(const char *letters)
{
    uint32_t set = 0;

    for (; *letters != '\0'; letters++)
        set |= 1U << (*letters - 'a');
    return set;
}

struct wordbook *wordbook_new(void)
{
    struct wordbook *book = MEM_NEW(struct wordbook);

    book->capacity = 256;
    book->nodes = mem_zalloc(book->capacity * sizeof(*book->nodes));
    book->count = 1;
    return book;
}

void wordbook_free(struct wordbook *book)
{
    if (book == NULL)
        return;
    for (size_t i = 0; i < book->count; i++)
        free(book->nodes[i].word);
    free(book->nodes);
    free(book);
}

/* A word that is folded, of the trie's letters. */
static void add_folded(struct wordbook *book, const char *word, bool is_strong)
{
    size_t length = strlen(word);
    size_t node = 0;

    for (size_t i = 0; i < length; i++) {
        int letter = letter_index(word[i]);
        if (book->nodes[node].child[letter] == 0) {
            if (book->count == book->capacity) {
                book->nodes =
                    mem_realloc(book->nodes, book->capacity * 2 * sizeof(*book->nodes));
                memset(book->nodes + book->capacity, 0,
                       book->capacity * sizeof(*book->nodes));
                book->capacity *= 2;
            }
            book->nodes[node].child[letter] = (uint16_t)book->count++;
        }
        node = book->nodes[node].child[letter];
    }
    if (book->nodes[node].word == NULL)
        book->nodes[node].word = mem_copy_string(word);
    book->nodes[node].is_strong = book->nodes[node].is_strong || is_strong;
}

/* Nothing but letters, their marks, and apostrophes. */
static bool is_one_word(const char *word, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t c = utf8_next(word, length, &at);
        utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
        if (c != '\'' &&
            (category < UTF8PROC_CATEGORY_LU || category > UTF8PROC_CATEGORY_ME))
            return false;
    }
    return length > 0;
}

bool wordbook_add(struct wordbook *book, const char *word, bool is_strong)
{
    struct folded_text folded = {0};
    bool is_latin = true;
    bool is_added = false;

    if (!utf8_is_valid(word, strlen(word)) || !is_one_word(word, strlen(word)))
        return false;
    fold_text(&folded, word, strlen(word));
    for (size_t i = 0; i < folded.length; i++) {
        folded.bytes[i] = (char)(folded.bytes[i] >= 'A' && folded.bytes[i] <= 'Z'
                                     ? folded.bytes[i] | 0x20
                                     : folded.bytes[i]);
        is_latin = is_latin && letter_index(folded.bytes[i]) >= 0;
    }
    if (!is_latin) {
        is_added = true;
    } else if (folded.length > 0 && folded.length <= WORDBOOK_LONGEST &&
               book->count + folded.length <= MAX_NODES) {
        add_folded(book, folded.bytes, is_strong);
        is_added = true;
    }
    folded_text_done(&folded);
    return is_added;
}

/* Rows of more than three equal letters as rows of three; how long that is, and 0 where it is too
 * long for any word. */
static size_t squeeze(char *squeezed, const char *bytes, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < length; i++) {
        if (kept >= DRAWN_OUT && bytes[i] != '*' && bytes[i] == squeezed[kept - 1] &&
            bytes[i] == squeezed[kept - 2] && bytes[i] == squeezed[kept - 3])
            continue;
        if (kept == WORDBOOK_LONGEST)
            return 0;
        squeezed[kept++] = bytes[i];
    }
    return kept;
}

static void count_runs(struct reading *reading)
{
    size_t start = 0;

    for (size_t i = 1; i <= reading->length; i++) {
        if (i < reading->length &&
            (reading->bytes[i] | 0x20) == (reading->bytes[start] | 0x20))
            continue;
        memset(reading->runs + start, (int)(i - start), i - start);
        start = i;
    }
}

/* A strong word of which every letter is there, with stars thrown in: f**uck. */
static const char *read_between_stars(const struct reading *starred)
{
    char letters[WORDBOOK_LONGEST];
    struct reading reading = {.book = starred->book, .bytes = letters};

    for (size_t i = 0; i < starred->length; i++) {
        if (starred->bytes[i] != '*')
            letters[reading.length++] = starred->bytes[i];
    }
    count_runs(&reading);
    return reading.length > 0 ? read_on(&reading, 0, 0, -1, true) : NULL;
}

/* What a byte may stand for.  A capital I behind a small letter, or in a row behind one,
 * may be an l. */
static uint32_t letters_for(const char *bytes, size_t at)
{
    char c = bytes[at];

    if (c >= 'a' && c <= 'z')
        return 1U << (c - 'a');
    if (c == 'I') {
        size_t before = at;
        bool follows_small;

        while (before > 0 && bytes[before - 1] == 'I')
            before--;
        follows_small =
            before > 0 && bytes[before - 1] >= 'a' && bytes[before - 1] <= 'z';
        return follows_small ? bits("il") : bits("i");
    }
    if (c >= 'A' && c <= 'Z')
        return 1U << (c - 'A');
    switch (c) {
    case '\'': return 1U << APOSTROPHE;
    case '0': return bits("o");
    case '1':
    case '!':
    case '|': return bits("il");
    case '3': return bits("e");
    case '4':
    case '@': return bits("a");
    case '5':
    case '$': return bits("s");
    case '6': return bits("gb");
    case '7':
    case '+': return bits("t");
    case '8': return bits("b");
    case '9': return bits("g");
    }
    return 0;
}

const char *wordbook_read(const struct wordbook *book, const char *bytes, size_t length)
{
    char squeezed[WORDBOOK_LONGEST];
    size_t masks = 0;
    size_t digits = 0;
    bool may_mask;
    struct reading reading;
    const char *word;

    length = squeeze(squeezed, bytes, length);
    bytes = squeezed;
    if (length == 0 || length > WORDBOOK_LONGEST)
        return NULL;

    for (size_t i = 0; i < length; i++) {
        masks += bytes[i] == '-' || bytes[i] == '_';
        digits += bytes[i] >= '0' && bytes[i] <= '9';
    }
    if (digits * 2 > length) /* a part number */
        return NULL;
    if (bytes[length - 1] == '*' && (length < SHORTEST_MASK || bytes[length - 2] != '*'))
        return NULL; /* a footnote, a pointer */
    may_mask = masks > 0 && masks * 2 <= length && length >= SHORTEST_MASK &&
               letters_for(bytes, 0) != 0 && letters_for(bytes, length - 1) != 0;

    reading = (struct reading){.book = book, .bytes = bytes, .length = length};
    count_runs(&reading);
    word = read_on(&reading, 0, 0, -1, false);
    if (word == NULL && may_mask) {
        reading.has_masks = true;
        word = read_on(&reading, 0, 0, -1, false);
    }
    if (word == NULL && memchr(bytes, '*', length) != NULL) {
        reading.is_loose = true;
        word = read_on(&reading, 0, 0, -1, false);
        if (word == NULL)
            word = read_between_stars(&reading);
    }
    return word;
}

/* A masked letter: any letter, of strong words only. */
static const char *read_mask(struct reading *reading, size_t node, size_t at,
                             bool needs_strong)
{
    const struct node *here = &reading->book->nodes[node];
    bool is_row = reading->is_loose && reading->runs[at] >= LOOSE_ROW;
    const char *word = NULL;

    (void)needs_strong;
    if (node == 0)
        return NULL; /* the first letter is never masked */
    for (int letter = 0; letter < APOSTROPHE && word == NULL; letter++) {
        if (here->child[letter] == 0)
            continue;
        word = read_on(reading, here->child[letter], at + 1, -1, true);
        if (word == NULL && is_row)
            word = read_on(reading, here->child[letter], at, -1, true);
    }
    if (word == NULL && is_row && at > 1)
        word = read_on(reading, node, at + 1, -1, true);
    return word != NULL && strlen(word) <= 2 * reading->length ? word : NULL;
}

/* The rest of a disguise from `at`, where what came before led to `node` with the letter
 * `last`. */
static const char *read_on(struct reading *reading, size_t node, size_t at, int last,
                           bool needs_strong)
{
    const struct node *here = &reading->book->nodes[node];
    char c;
    uint32_t set;

    if (++reading->steps > MAX_STEPS)
        return NULL;
    if (at == reading->length)
        return needs_strong && !here->is_strong ? NULL : here->word;

    c = reading->bytes[at];
    if (c == '*' || (c == '#' && reading->runs[at] > 1))
        return read_mask(reading, node, at, needs_strong);
    if (c == '-' || c == '_' || c == '.' || c == '~') {
        const char *word = read_on(reading, node, at + 1, last, needs_strong);
        if (word == NULL && reading->has_masks && (c == '-' || c == '_'))
            word = read_mask(reading, node, at, needs_strong);
        return word;
    }

    set = letters_for(reading->bytes, at);
    for (uint32_t left = set; left != 0; left &= left - 1) {
        int letter = __builtin_ctz(left);
        const char *word;

        if (here->child[letter] == 0)
            continue;
        word = read_on(reading, here->child[letter], at + 1, letter, needs_strong);
        if (word != NULL)
            return word;
    }
    if (last >= 0 && (set >> last & 1) != 0) {
        bool is_drawn_out = reading->runs[at] >= DRAWN_OUT;
        return read_on(reading, node, at + 1, last, needs_strong || !is_drawn_out);
    }
    if (c == '@' || c == '#' || c == '%')
        return at > 0 && at + 1 < reading->length
                   ? read_mask(reading, node, at, needs_strong)
                   : NULL;
    return NULL;
}

/*
 * Spelling out: the cheapest way through the row, where a word costs one, and a letter
 * left over at either end costs more than any row of words.
 */
struct spelling {
    const struct wordbook *book;
    const char *bytes;
    size_t length;
    unsigned cost[WORDBOOK_LONGEST * 4 + 1];
    size_t from[WORDBOOK_LONGEST * 4 + 1];
    const char *word[WORDBOOK_LONGEST * 4 + 1]; /* NULL: a letter left over */
};

static void spell_from(struct spelling *spelling, size_t start, size_t at, size_t node)
{
    const struct node *here = &spelling->book->nodes[node];
    uint32_t set;

    if (here->word != NULL && spelling->cost[start] + 1 < spelling->cost[at]) {
        spelling->cost[at] = spelling->cost[start] + 1;
        spelling->from[at] = start;
        spelling->word[at] = here->word;
    }
    if (at == spelling->length)
        return;
    set = letters_for(spelling->bytes, at);
    for (int letter = 0; letter < LETTERS; letter++) {
        if ((set >> letter & 1) != 0 && here->child[letter] != 0)
            spell_from(spelling, start, at + 1, here->child[letter]);
    }
}

static void leave_over(struct spelling *spelling, size_t at)
{
    unsigned cost = spelling->cost[at] + LEFT_OVER_COST;

    if (cost < spelling->cost[at + 1]) {
        spelling->cost[at + 1] = cost;
        spelling->from[at + 1] = at;
        spelling->word[at + 1] = NULL;
    }
}

size_t wordbook_spell(const struct wordbook *book, const char *bytes, size_t length,
                      const char **ret_words, size_t capacity)
{
    struct spelling spelling = {.book = book, .bytes = bytes, .length = length};
    static const char one_letter[26][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                           "j", "k", "l", "m", "n", "o", "p", "q", "r",
                                           "s", "t", "u", "v", "w", "x", "y", "z"};
    size_t count = 0;
    bool has_word = false;
    size_t place;

    if (length == 0 || length > WORDBOOK_LONGEST * 4)
        return 0;
    for (size_t i = 1; i <= length; i++)
        spelling.cost[i] = 1U << 20;
    for (size_t i = 0; i < length; i++) {
        if (spelling.cost[i] >= 1U << 20)
            continue;
        spell_from(&spelling, i, i, 0);
        if (i < MAX_LEFT_OVER || i + MAX_LEFT_OVER >= length)
            leave_over(&spelling, i);
    }
    if (spelling.cost[length] >= 1U << 20)
        return 0;

    for (size_t at = length; at > 0; at = spelling.from[at])
        count++;
    if (count > capacity)
        return 0;
    place = count;
    for (size_t at = length; at > 0; at = spelling.from[at]) {
        const char *word = spelling.word[at];
        has_word = has_word || (word != NULL && strlen(word) >= 3);
        if (word == NULL) {
            uint32_t set = letters_for(bytes, at - 1) & ANY_LETTER;
            word = set == 0 ? "" : one_letter[__builtin_ctz(set)];
        }
        ret_words[--place] = word;
    }
    return has_word ? count : 0;
}
