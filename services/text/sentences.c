/*
 * Where sentences end.
 */
#include "sentences.h"

#include "terms_internal.h"
#include "utf8.h"
#include "words.h"

#include <ctype.h>
#include <string.h>

void sentences_init(struct sentences *sentences, struct span text)
{
    *sentences = (struct sentences){.text = text, .is_line_start = true};
}

/* At the start of a line: gives the line where it is a sentence by itself, else moves to where its prose
 * begins, or past it. */
static bool next_of_line(struct sentences *sentences, struct span *ret_sentence)
{
    struct markdown_line line = markdown_line(sentences->text, sentences->at);

    if (sentences->fence.kind == MARKDOWN_FENCE) {
        sentences->at = line.next;
        if (markdown_closes(&line, &sentences->fence)) {
            sentences->fence.kind = MARKDOWN_BLANK;
            return false;
        }
        sentences->place = TERM_CODE;
        *ret_sentence =
            (struct span){sentences->text.bytes + line.start, line.end - line.start};
        return line.kind != MARKDOWN_BLANK;
    }
    switch (line.kind) {
    case MARKDOWN_FENCE: sentences->fence = line; break;
    case MARKDOWN_BLANK:
    case MARKDOWN_UNDERLINE:
    case MARKDOWN_RULE: sentences->is_item = false; break;
    case MARKDOWN_HEADING:
    case MARKDOWN_TABLE:
        sentences->at = line.next;
        sentences->place = line.kind == MARKDOWN_TABLE ? TERM_TABLE : TERM_HEADING;
        *ret_sentence = markdown_content(sentences->text, &line);
        return ret_sentence->length > 0;
    case MARKDOWN_ITEM:
    case MARKDOWN_QUOTE:
        sentences->is_item |= line.kind == MARKDOWN_ITEM;
        /* What it holds may be an item, a quotation or a heading again. */
        sentences->at = line.content;
        sentences->is_line_start = line.content < line.end;
        return false;
    case MARKDOWN_TEXT:
        sentences->at = line.content;
        sentences->is_line_start = false;
        return false;
    }
    sentences->at = line.next;
    return false;
}

/* Does the paragraph go on in the line that starts at `at`? */
static bool goes_on(struct span text, size_t at, bool is_item)
{
    struct markdown_line line;

    if (at >= text.length || text.bytes[at] == '\f')
        return false;
    line = markdown_line(text, at);
    return line.kind == MARKDOWN_TEXT ||
           (line.kind == MARKDOWN_ITEM && !is_item && !line.may_interrupt) ||
           (line.kind == MARKDOWN_QUOTE && line.content < line.end &&
            markdown_line(text, line.content).kind == MARKDOWN_TEXT);
}

static bool starts_with(struct span text, size_t at, const char *what)
{
    size_t length = strlen(what);

    return text.length - at >= length && memcmp(text.bytes + at, what, length) == 0;
}

#define WIDE_SIGNS 5

/* Past all of these signs: `narrow` has those of ASCII, `wide` the others. */
static size_t skip_signs(struct span text, size_t at, const char *narrow,
                         const char *const wide[WIDE_SIGNS])
{
    size_t before;

    do {
        before = at;
        while (at < text.length && text.bytes[at] != '\0' &&
               strchr(narrow, text.bytes[at]) != NULL)
            at++;
        for (size_t i = 0; i < WIDE_SIGNS; i++)
            if (starts_with(text, at, wide[i]))
                at += strlen(wide[i]);
    } while (at != before);
    return at;
}

/* Past quotation marks, brackets and the signs that close emphasis. */
static size_t skip_closers(struct span text, size_t at)
{
    static const char *const wide[WIDE_SIGNS] = {"”", "’", "»", "」", "』"};

    return skip_signs(text, at, "\"')]*_`.!?", wide);
}

/* Past white space and what may stand before the first letter of a sentence. */
static size_t skip_openers(struct span text, size_t at)
{
    static const char *const wide[WIDE_SIGNS] = {"“", "‘", "«", "「", "『"};

    return skip_signs(text, at, " \t\r\n\"'([*_`>", wide);
}

static bool is_lower(struct span text, size_t at)
{
    size_t offset = at;

    return at < text.length &&
           terms_letter(utf8_next(text.bytes, text.length, &offset)) == LETTER_LOWER;
}

/* Words with which a sentence begins far more often than a name goes on. */
static bool starts_like_sentence(struct span text, size_t at)
{
    static const char starts[] =
        "the a an it in this that these those he she they we you but and if when for "
        "there at on as so then his her its their what how why to i is do not after "
        "before";
    size_t end = at;

    while (end < text.length && isalpha((unsigned char)text.bytes[end]))
        end++;
    return words_is_on(starts, (struct span){text.bytes + at, end - at});
}

/* The full stop at `stop` belongs to the word before it, and what follows is at `next`. */
static bool is_abbreviation(struct span text, size_t from, size_t stop, size_t next)
{
    static const char always[] =
        "e.g i.e mr mrs ms dr prof gen sen rep gov capt lt col sgt rev hon mt st vs cf eg ie "
        "viz approx";
    static const char before_number[] =
        "no nos fig figs p pp vol ch sec eq art ca tab app ver nr";
    static const char maybe_last[] =
        "inc ltd co corp jr sr etc al dept est min max ave blvd univ jan feb mar apr "
        "jun jul aug sep sept oct nov dec phd am pm";
    struct span word;
    size_t start = stop;
    bool has_dot, is_initial;

    while (start > from &&
           (isalpha((unsigned char)text.bytes[start - 1]) ||
            (text.bytes[start - 1] == '.' && start - 1 > from && start < stop)))
        start--;
    word = (struct span){text.bytes + start, stop - start};
    if (word.length == 0 ||
        (start > from && (unsigned char)text.bytes[start - 1] >= 0x80))
        return false;
    has_dot = memchr(word.bytes, '.', word.length) != NULL;
    if (words_is_on(always, word))
        return true;
    if (words_is_on(before_number, word) && next < text.length &&
        isdigit((unsigned char)text.bytes[next]))
        return true;
    /* An initial; "I" ends many sentences.  A stop inside: U.S., p.m., Ph.D. */
    is_initial =
        word.length == 1 && isupper((unsigned char)*word.bytes) && *word.bytes != 'I';
    if (is_initial || has_dot || words_is_on(maybe_last, word))
        return next < text.length && !starts_like_sentence(text, next) &&
               (has_dot || word.length == 1 || isdigit((unsigned char)text.bytes[next]));
    return false;
}

/* Does a sentence that began at `from` end with the sign at `stop`?  Then where. */
static bool ends_sentence(struct span text, size_t from, size_t stop, size_t *ret_end)
{
    size_t end, next;

    if ((unsigned char)text.bytes[stop] >= 0x80) {
        if (!starts_with(text, stop, "。") && !starts_with(text, stop, "！") &&
            !starts_with(text, stop, "？"))
            return false;
        *ret_end = skip_closers(text, stop + 3);
        return true;
    }
    end = skip_closers(text, stop + 1);
    if (end < text.length && !isspace((unsigned char)text.bytes[end]))
        return false;
    next = skip_openers(text, end);
    if (next < text.length && is_lower(text, next))
        return false;
    if (text.bytes[stop] == '.' && end == stop + 1 &&
        is_abbreviation(text, from, stop, next))
        return false;
    *ret_end = end;
    return true;
}

static void next_of_prose(struct sentences *sentences, struct span *ret_sentence)
{
    struct span text = sentences->text;
    size_t from = sentences->at, at = from, end;

    for (; at < text.length; at++) {
        char c = text.bytes[at];

        if (c == '\f' || (c == '\n' && !goes_on(text, at + 1, sentences->is_item)))
            break;
        if ((c == '.' || c == '!' || c == '?' || (unsigned char)c >= 0xe3) &&
            ends_sentence(text, from, at, &end)) {
            at = end;
            break;
        }
    }
    sentences->at = at;
    sentences->place = TERM_PROSE;
    while (at > from && isspace((unsigned char)text.bytes[at - 1]))
        at--;
    *ret_sentence = (struct span){text.bytes + from, at - from};
}

bool sentences_next(struct sentences *sentences, struct span *ret_sentence)
{
    struct span text = sentences->text;

    while (sentences->at < text.length) {
        if (sentences->is_line_start) {
            if (next_of_line(sentences, ret_sentence))
                return true;
            continue;
        }
        if (text.bytes[sentences->at] == '\n') {
            sentences->at++;
            sentences->is_line_start = true;
        } else if (strchr(" \t\r\f\v", text.bytes[sentences->at]) != NULL &&
                   text.bytes[sentences->at] != '\0') {
            sentences->at++;
        } else {
            next_of_prose(sentences, ret_sentence);
            return true;
        }
    }
    return false;
}
