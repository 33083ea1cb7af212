/*
 * Normalising, in one walk over the text:
 *
 *   token     what stands between white space, commas, brackets ...      (f-u-c-k you,)
 *   piece     what stands in a token between dashes and dots              f  u  c  k
 *   word      letters, digits and apostrophes in a piece
 *
 * Words are written out as they come.  A piece that does not look like plain words is
 * then held against the wordbook, and so is a token of several pieces, and so is a row of
 * single letters; where one is a disguise, what was written for it is taken back and the
 * word put in its place.
 */
#include "normalise_walk_internal.h"

#include "mem.h"
#include "prefilter_internal.h"

#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
enum { CO = SPACE, SP = SPACE, LE = LETTER, DI = DIGIT, HI = HIGH, QU = QUOTE, SY = SYMBOL,
       JO = JOINER, BR = BREAK };
#define HI16 HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI
const uint8_t normalise_classes[256] = {
    CO, CO, CO, CO, CO, CO, CO, CO, CO, SP, SP, SP, SP, SP, CO, CO, /* control */
    CO, CO, CO, CO, CO, CO, CO, CO, CO, CO, CO, CO, CO, CO, CO, CO, /* control */
    SP, SY, BR, SY, SY, SY, SY, QU, BR, BR, SY, SY, BR, JO, JO, BR, /*   ! " # $ % & ' ( ) * + , - . / */
    DI, DI, DI, DI, DI, DI, DI, DI, DI, DI, BR, BR, BR, BR, BR, BR, /* 0-9 : ; < = > ? */
    SY, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, /* @ A-O */
    LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, BR, BR, BR, SY, JO, /* P-Z [ \ ] ^ _ */
    BR, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, /* ` a-o */
    LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, BR, SY, BR, JO, CO, /* p-z { | } ~ */
    HI16, HI16, HI16, HI16, HI16, HI16, HI16, HI16,
};
/* clang-format on */

#define BLOCK_BYTES  32
#define BOLD_LONGEST 80 /* bytes of bold text before its last word */

/* Written for the compiler, which makes a few vector instructions of the loop.  Two bytes behind the block
 * are read too. */
static bool is_block_even(const char *block)
{
    unsigned char found = 0;

    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        unsigned char one = (unsigned char)block[i];
        unsigned char two = (unsigned char)block[i + 1];
        unsigned char three = (unsigned char)block[i + 2];
        found |= (unsigned char)(((one | 0x20) == (two | 0x20)) &
                                 ((two | 0x20) == (three | 0x20)));
        found |= (unsigned char)((two == 'I') & (one >= 'a'));
        found |= (unsigned char)(one >= 0x80);
    }
    return found == 0;
}

/* Short texts and the ends of others are looked at in a copy. */
bool normalise_is_even(const char *text, size_t length)
{
    char rest[BLOCK_BYTES + 2] = ". . . . . . . . . . . . . . . . .";
    size_t at = 0;

    for (; length - at >= sizeof(rest); at += BLOCK_BYTES) {
        if (!is_block_even(text + at))
            return false;
    }
    memcpy(rest, text + at, length - at);
    return is_block_even(rest);
}

/* A filler, or the end of a word that stands apart: two or three letters, and rarely with other first
 * letters than a, e, h, l, m, r, u and v. */
static bool may_be_no_word(const char *word, size_t length)
{
    static const uint32_t firsts =
        1U << ('a' - 'a') | 1U << ('e' - 'a') | 1U << ('h' - 'a') | 1U << ('l' - 'a') |
        1U << ('m' - 'a') | 1U << ('r' - 'a') | 1U << ('u' - 'a') | 1U << ('v' - 'a');

    return length <= 3 && (firsts >> (word[0] - 'a') & 1) != 0 &&
           (walk_is_filler(word, length) || word[0] == 'l' || word[0] == 'r' ||
            word[0] == 'v');
}

/*
 * Words of two letters and more between spaces, also with a comma or a stop before the space, as far as
 * they go.  Nothing is done here that take_token() would not do in the same way, only with less ado.
 */
static void take_even_words(struct walk *walk)
{
    struct normal_text *normal = walk->normal;
    const char *text = walk->text;
    size_t last = walk->length - 1;
    size_t before = normal->length - walk->word_start;
    size_t at = walk->at;

    if (walk->gap != 0 || walk->row.count > 0 || normal->length == 0)
        return;
    for (;;) {
        char *word = normal->bytes + normal->length + 1;
        char *out = word;
        char gap = text[at];
        size_t start, length;

        if (gap != ' ') {
            if ((gap != ',' && gap != '.' && gap != '?') || at == last ||
                text[++at] != ' ')
                return;
        }
        start = ++at;
        while (at < last && normalise_classes[(unsigned char)text[at]] == LETTER)
            *out++ = (char)(text[at++] | 0x20);
        length = at - start;
        if (length < 2 || at == last ||
            ((normalise_classes[(unsigned char)text[at]] & (SPACE | BREAK)) == 0 &&
             (text[at] != '.' || text[at + 1] != ' ')) ||
            may_be_no_word(word, length) ||
            (length == before && memcmp(word, word - 1 - length, length) == 0))
            return;
        offsets_add(&normal->offsets, normal->length, start - 1);
        word[-1] = gap;
        walk->word_start = normal->length + 1;
        normal->length += length + 1;
        walk->at = at;
        walk->after_filler = false;
        before = length;
    }
}

/* The strongest of what stands between two words stays. */
static void widen_gap(struct walk *walk, char gap)
{
    switch (gap) {
    case '.':
    case '!':
    case ';': gap = '.'; break;
    case ':': /* what follows is what somebody says */
    case ',':
        gap = walk->after_filler ? ' ' : ',';
        walk->after_filler = false;
        break;
    case '?': break;
    default: gap = ' '; break;
    }
    if (gap > walk->gap)
        walk->gap = gap;
}

/* Dots in a row, behind which the sentence goes on: "I ... will", "I...Will". */
static bool skip_pause(struct walk *walk)
{
    size_t end = walk->at;
    size_t next;

    while (end < walk->length && walk->text[end] == '.')
        end++;
    if (end - walk->at < 2)
        return false;
    next = end;
    while (next < walk->length && walk->text[next] == ' ')
        next++;
    if (next < walk->length && (walk->text[next] < 'a' || walk->text[next] > 'z') &&
        (next > end || (walk_class_at(walk, next) & WORD) == 0))
        return false;
    walk->at = end;
    widen_gap(walk, ' ');
    return true;
}

/* White space, a break, or a stop before one of those. */
static bool ends_token(const struct walk *walk, size_t at)
{
    unsigned class = walk_class_at(walk, at);

    if (class == JOINER && walk->text[at] == '.')
        class = walk_class_at(walk, at + 1);
    return (class & (SPACE | BREAK)) != 0;
}

/* The token in small letters, and its length; 0 where it is not a plain word. */
static size_t copy_plain_word(const struct walk *walk, char *out)
{
    const char *text = walk->text;
    size_t start = walk->at;
    size_t at = start;
    unsigned char before = 0;
    unsigned char before_that = 0;

    for (; at < walk->length; at++) {
        unsigned char c = (unsigned char)text[at];
        unsigned char small = c | 0x20;
        if (normalise_classes[c] != LETTER) {
            if (normalise_classes[c] != QUOTE || at == start ||
                walk_class_at(walk, at + 1) != LETTER)
                break;
            small = c;
        }
        if ((small == before && small == before_that) ||
            (c == 'I' && before >= 'a' && text[at - 1] >= 'a'))
            return 0;
        *out++ = (char)small;
        before_that = before;
        before = small;
    }
    return ends_token(walk, at) ? at - start : 0;
}

/* The same as copy_plain_word() where nothing in the whole text is drawn out. */
static size_t copy_even_word(const struct walk *walk, char *out)
{
    const char *text = walk->text;
    size_t start = walk->at;
    size_t length = walk->length;
    size_t at = start;

    for (;; at++) {
        while (at < length && normalise_classes[(unsigned char)text[at]] == LETTER) {
            *out++ = (char)(text[at] | 0x20);
            at++;
        }
        if (at == start || at == length || text[at] != '\'' ||
            walk_class_at(walk, at + 1) != LETTER)
            break;
        *out++ = '\'';
    }
    return ends_token(walk, at) ? at - start : 0;
}

/*
 * Most words: letters, and apostrophes between them, with white space or a break behind and nothing
 * odd about them.  They are written out as they are read.  false, and nothing done, for any other
 * token.
 */
static bool take_plain_word(struct walk *walk)
{
    struct normal_text *normal = walk->normal;
    size_t start = walk->at;
    char *out = normal->bytes + normal->length + (normal->length > 0);
    size_t length =
        walk->is_even ? copy_even_word(walk, out) : copy_plain_word(walk, out);
    bool may_be_in_row;
    struct place place;
    char gap;
    bool is_again;

    if (length == 0 || walk->is_lookalike)
        return false;
    if (length <= 3 && (walk_is_filler(walk->text + start, length) ||
                        walk_is_clitic(walk, start, length)))
        return false;
    may_be_in_row = length == 1 || (walk->row.count > 0 && length == 2 &&
                                    memcmp(out, "ss", 2) == 0); /* a sharp s */
    if (!may_be_in_row && walk->row.count > 0) {
        bool is_row = walk->row.count >= ROW_SHORTEST;
        walk_row_end(walk);
        if (is_row) /* what was written may have moved */
            return false;
    }

    place = may_be_in_row ? walk_here(walk) : (struct place){0};
    gap = walk->gap != 0 ? walk->gap : ' ';
    is_again = normal->length - walk->word_start == length &&
               (gap == ' ' || gap == ',') && *out == normal->bytes[walk->word_start] &&
               (length > 1 || *out == 'i' || *out == 'a') &&
               memcmp(out, normal->bytes + walk->word_start, length) == 0;
    if (!is_again) {
        if (normal->length > 0) {
            if (start > 0)
                offsets_add(&normal->offsets, normal->length, start - 1);
            normal->bytes[normal->length++] = gap;
        }
        offsets_add(&normal->offsets, normal->length, start);
        walk->word_start = normal->length;
        normal->length += length;
        for (size_t i = 0; may_be_in_row && i < length; i++)
            walk_row_add(walk, out[i], start, &place);
    }
    walk->gap = 0;
    walk->after_filler = false;
    walk->at = start + length;
    return true;
}

/* A word of two letters or more ends a row, and ends it before a place to go back to is noted. */
static void end_row_before_word(struct walk *walk)
{
    if ((walk_class_at(walk, walk->at) & WORD) != 0 &&
        (walk_class_at(walk, walk->at + 1) & WORD) != 0)
        walk_row_end(walk);
}

/* Letters, digits, and apostrophes between them. */
static unsigned take_word(struct walk *walk)
{
    const char *text = walk->text;
    size_t start = walk->at;
    size_t at = start;
    unsigned seen = 0;

    for (;; at++) {
        unsigned class = walk_class_at(walk, at);
        if ((class & WORD) == 0) {
            if (class == QUOTE && (walk_class_at(walk, at + 1) & WORD) != 0)
                continue;
            break;
        }
        seen |= class;
        if (at >= start + 2 && walk_lower(text[at]) == walk_lower(text[at - 1]) &&
            walk_lower(text[at]) == walk_lower(text[at - 2]))
            seen |= DRAWN_OUT;
        if (text[at] == 'I' && at > start && text[at - 1] >= 'a' && text[at - 1] <= 'z')
            seen |= CAPITAL_I;
    }
    walk->at = at;
    walk_write(walk, start, at);
    return seen;
}

/* A sign between words; alone, it may be a letter of a row. */
static void take_symbol(struct walk *walk)
{
    size_t at = walk->at++;
    bool is_alone = (at == 0 || (normalise_classes[(unsigned char)walk->text[at - 1]] &
                                 SPACE) != 0) &&
                    (walk_class_at(walk, at + 1) & SPACE) != 0;
    struct place place = walk_here(walk);

    if (is_alone && strchr("@$!|", walk->text[at]) != NULL && walk->row.count > 0)
        walk_row_add(walk, walk->text[at], at, &place);
    widen_gap(walk, walk->text[at] == '!' ? '.' : ' ');
}

/* The word that the text stands for; NULL: none.  Who says one says it again. */
static const char *read_disguise(struct walk *walk, size_t start, size_t end)
{
    size_t length = end - start;

    if (walk->read_length != length || length == 0 ||
        memcmp(walk->text + walk->read_start, walk->text + start, length) != 0) {
        walk->read_word = wordbook_read(walk->book, walk->text + start, length);
        walk->read_start = start;
        walk->read_length = length;
    }
    return walk->read_word;
}

/* Where a piece ends without the stars of Markdown's bold type: "**Who** you are", "**Built in Go**" have
 * as many before as behind, and mask nothing. */
static size_t end_of_bold(const struct walk *walk, size_t start, size_t end)
{
    const char *text = walk->text;
    size_t last = end, at = start, open;

    while (last > start && text[last - 1] == '*')
        last--;
    if (end - last < 2 || memchr(text + start, '*', last - start) != NULL)
        return end;
    while (at > 0 && start - at < BOLD_LONGEST && text[at - 1] != '*')
        at--;
    for (open = at; open > 0 && text[open - 1] == '*';)
        open--;
    return at - open == end - last && (walk_class_at(walk, at) & SPACE) == 0 &&
                   (open == 0 || (walk_class_at(walk, open - 1) & WORD) == 0)
               ? last
               : end;
}

static void unmask_piece(struct walk *walk, const struct place *place, size_t start,
                         size_t end, unsigned seen)
{
    const char *text = walk->text;
    char gap = walk->gap;
    size_t bold = 0;
    const char *word;

    if ((seen & SYMBOL) != 0) {
        size_t last;

        while (start < end &&
               (text[start] == '#' || text[start] == '*' || text[start] == '+' ||
                text[start] == '!' || text[start] == '|'))
            bold += text[start++] == '*';
        end = end_of_bold(walk, start, end);
        last = end;
        while (last > start && text[last - 1] == '!')
            last--;
        if (last < end && last > start && read_disguise(walk, start, last) != NULL)
            end = last;
    }
    word = read_disguise(walk, start, end);
    if (word == NULL && bold > 1 && end - start > bold &&
        memcmp(text + end - bold, "****", bold < 4 ? bold : 4) == 0)
        word = read_disguise(walk, start, end - bold); /* masked in bold type */
    if (word == NULL)
        return;
    walk_go_back(walk, place);
    walk_put(walk, word, strlen(word), start);
    walk->row.count = 0;
    walk_note_disguise(walk);
    walk->gap = gap;
}

static unsigned take_piece(struct walk *walk, size_t *ret_words)
{
    struct place place;
    size_t start;
    unsigned seen = 0;
    bool is_mixed, is_odd, is_signs;

    end_row_before_word(walk);
    place = walk_here(walk);
    start = walk->at;

    for (;;) {
        unsigned class = walk_class_at(walk, walk->at);
        if ((class & WORD) != 0) {
            seen |= take_word(walk);
            *ret_words += 1;
        } else if (class == SYMBOL) {
            seen |= SYMBOL;
            take_symbol(walk);
        } else if (class == QUOTE) {
            if ((walk_class_at(walk, walk->at + 1) & WORD) != 0 &&
                walk->at + 1 < walk->length)
                seen |= take_word(walk);
            else
                walk->at++;
        } else {
            break;
        }
    }
    is_mixed = (seen & (LETTER | HIGH)) != 0 && (seen & (DIGIT | SYMBOL)) != 0;
    is_odd = (seen & LETTER) != 0 && (seen & (DRAWN_OUT | CAPITAL_I)) != 0;
    is_signs = (seen & SYMBOL) != 0 && walk->at - start >= 3 &&
               (walk->text[start] == '@' || walk->text[start] == '$');
    if ((is_mixed || is_odd || is_signs) && place.rewrites == walk->rewrites)
        unmask_piece(walk, &place, start, walk->at, seen);
    return seen;
}

/* White space and breaks up to the next token, and the token. */
static void take_token(struct walk *walk)
{
    struct place place;
    size_t start;
    size_t pieces = 0;
    size_t words = 0;
    size_t end;
    bool has_digits;
    const char *word;

    while (walk->at < walk->length) {
        char c = walk->text[walk->at];
        unsigned class = normalise_classes[(unsigned char)c];
        if ((class & (SPACE | BREAK)) == 0)
            break;
        walk->at++;
        walk->is_lookalike = c == FOLD_LOOKALIKE_MARK;
        if (c == ' ') {
            walk->gap = walk->gap > ' ' ? walk->gap : ' ';
            continue;
        }
        walk->has_odd_byte |= !prefilter_is_plain((unsigned char)c);
        if (!walk->is_lookalike)
            widen_gap(walk, c);
    }

    if (take_plain_word(walk))
        return;

    end_row_before_word(walk);
    place = walk_here(walk);
    start = walk->at;
    end = start;
    has_digits = false;

    while (walk->at < walk->length) {
        unsigned class = walk_class_at(walk, walk->at);
        if ((class & (SPACE | BREAK)) != 0)
            break;
        if (skip_pause(walk))
            continue;
        if (class == JOINER) {
            bool is_double = walk_class_at(walk, walk->at + 1) == JOINER;
            bool is_stop = walk->text[walk->at] == '.' &&
                           (walk_class_at(walk, walk->at + 1) & WORD) == 0;
            widen_gap(walk, is_stop ? '.' : is_double ? ',' : ' ');
            walk->at++;
            continue;
        }
        has_digits = (take_piece(walk, &words) & DIGIT) != 0 || has_digits;
        end = walk->at;
        pieces++;
    }
    for (size_t i = start; i < walk->at; i++)
        walk->has_odd_byte |= !prefilter_is_plain((unsigned char)walk->text[i]);
    if (pieces < 2 || words < 2 || (has_digits && pieces < end - start - pieces + 1))
        return; /* digits only stand for letters in a row of single ones */
    if (place.rewrites != walk->rewrites)
        return;

    word = read_disguise(walk, start, end);
    if (word != NULL) {
        char gap = walk->gap;
        walk_go_back(walk, &place);
        walk_put(walk, word, strlen(word), start);
        walk->row.count = 0;
        walk_note_disguise(walk);
        walk->gap = gap;
    }
}

void normalise(struct normal_text *normal, const struct wordbook *book, const char *text,
               size_t length, bool is_even)
{
    struct walk walk = {.book = book,
                        .normal = normal,
                        .text = text,
                        .length = length,
                        .is_even = is_even};
    size_t most;

    normal->is_folded = !is_even && fold_is_needed(text, length);
    if (normal->is_folded) {
        fold_text(&normal->folded, text, length);
        walk.text = normal->folded.bytes;
        walk.length = normal->folded.length;
    }

    /* A disguise of n bytes stands for a word of at most 2n. */
    most = walk.length * 2 + WORDBOOK_LONGEST + 2;
    if (normal->capacity < most) {
        if (normal->bytes != NULL)
            sodium_memzero(normal->bytes, normal->capacity);
        free(normal->bytes);
        normal->bytes = mem_zalloc(most);
        normal->capacity = most;
    }
    normal->length = 0;
    normal->disguised.length = 0;
    offsets_clear(&normal->disguised.offsets);
    offsets_clear(&normal->offsets);

    while (walk.at < walk.length) {
        if (walk.is_even)
            take_even_words(&walk);
        take_token(&walk);
    }
    walk_row_end(&walk);
    normal->is_plain = !normal->is_folded && !walk.has_odd_byte;
    offsets_add(&normal->offsets, normal->length, walk.length);
    normal->bytes[normal->length] = '\0';
}

size_t normal_text_origin(const struct normal_text *normal, size_t offset)
{
    size_t origin = offsets_origin(&normal->offsets, offset);

    return normal->is_folded ? offsets_origin(&normal->folded.offsets, origin) : origin;
}

void normal_text_done(struct normal_text *normal)
{
    if (normal->bytes != NULL)
        sodium_memzero(normal->bytes, normal->capacity);
    free(normal->bytes);
    offsets_done(&normal->offsets);
    if (normal->disguised.bytes != NULL)
        sodium_memzero(normal->disguised.bytes, normal->disguised.capacity);
    free(normal->disguised.bytes);
    offsets_done(&normal->disguised.offsets);
    folded_text_done(&normal->folded);
    *normal = (struct normal_text){0};
}
