/*
 * Reading adverts and CVs: lines as people meant them, whatever a copy made of them, and phrases
 * short enough to be spoken.  What the words mean is data: patterns/papers.json.
 */
#include "paper_internal.h"

#include "mem.h"
#include "utf8.h"
#include "words.h"

#include <ctype.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADING_WORDS = 8,
    LEAST_LEFT = 3,
    WRAPPED_BYTES = 50 /* of a line that was wrapped */
};

/* ---- a plain copy: curly quotes and dashes as ASCII has them, signs of lists as '*' ---- */

static char plain_sign(uint32_t code_point)
{
    switch (code_point) {
    case 0x2018:
    case 0x2019:
    case 0x02bc: return '\'';
    case 0x201c:
    case 0x201d: return '"';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212: return '-';
    case 0x2022: /* bullets, ticks, arrows */
    case 0x2023:
    case 0x2043:
    case 0x204c:
    case 0x204d:
    case 0x2219:
    case 0x25cb:
    case 0x25cf:
    case 0x25e6:
    case 0x00b7:
    case 0x2192:
    case 0x27a4:
    case 0x27a2:
    case 0xf0b7:
    case 0xf0a7: return '*';
    default: break;
    }
    if (code_point >= 0x25a0 && code_point <= 0x25ff)
        return '*';
    if ((code_point >= 0x2700 && code_point <= 0x27bf) ||
        (code_point >= 0x1f300 && code_point <= 0x1faff)) /* emoji */
        return '*';
    if (code_point == 0x2028 || code_point == 0x2029 || code_point == 0x85)
        return '\n';
    return utf8_is_space(code_point) ? ' ' : '\0';
}

/* At most as long as the text. */
static struct span plain_copy(struct span text)
{
    char *plain = mem_zalloc(text.length + 1);
    size_t at = 0, length = 0;

    while (at < text.length) {
        size_t start = at;
        uint32_t code_point = utf8_next(text.bytes, text.length, &at);
        char sign = code_point < 0x80 ? '\0' : plain_sign(code_point);

        if (code_point == '\r' || code_point == '\t')
            sign = code_point == '\t' || (at < text.length && text.bytes[at] == '\n')
                       ? ' '
                       : '\n';
        if (sign != '\0') {
            plain[length++] = sign;
        } else if (!utf8_is_invisible(code_point)) {
            memmove(plain + length, text.bytes + start, at - start);
            length += at - start;
        }
    }
    return (struct span){plain, length};
}

/* ---- lines ---- */

struct reader {
    struct span text;     /* the plain copy, owned, wiped */
    struct token *tokens; /* owned: of one line */
    size_t at;
};

static bool is_sign(char byte)
{
    return strchr(".,;:!?()[]{}\"'*_#|", byte) != NULL;
}

static struct span core_of(struct span raw)
{
    struct span core = raw;

    while (core.length > 0 && is_sign(core.bytes[0])) {
        if (core.length > 1 && core.bytes[0] == '.' &&
            isalpha((unsigned char)core.bytes[1]))
            break; /* ".NET" */
        core.bytes++;
        core.length--;
    }
    while (core.length > 0 && is_sign(core.bytes[core.length - 1])) {
        if (core.bytes[core.length - 1] == '#') /* "C#" */
            break;
        core.length--;
    }
    return core;
}

static size_t skip_of(struct span line, size_t at, size_t most, const char *list)
{
    size_t end = at;

    while (end < line.length && end < at + most && strchr(list, line.bytes[end]) != NULL)
        end++;
    return end;
}

/* The sign of a list's item at the beginning of a line: "- ", "* ", "1. ", "2) ", "(a) ", "iv. "; its
 * length. */
static size_t item_sign(struct span line)
{
    size_t at = skip_of(line, 0, 3, "*-+>");
    bool is_bracketed = line.length > 0 && line.bytes[0] == '(';

    if (at > 0 && at < line.length)
        return line.bytes[at] == ' ' || isalpha((unsigned char)line.bytes[at]) ? at : 0;
    if (line.length > 1 && line.bytes[0] == 'o' && line.bytes[1] == ' ')
        return 1;
    at = skip_of(line, is_bracketed, 2, "0123456789");
    if (at == is_bracketed)
        at = skip_of(line, is_bracketed, 4, "ivx");
    if (at == is_bracketed && line.length > at && islower((unsigned char)line.bytes[at]))
        at++;
    if (at > is_bracketed && at + 1 < line.length && line.bytes[at + 1] == ' ' &&
        (line.bytes[at] == ')' || (line.bytes[at] == '.' && !is_bracketed)))
        return at + 1;
    return 0;
}

static struct span trim(struct span text)
{
    while (text.length > 0 && text.bytes[0] == ' ') {
        text.bytes++;
        text.length--;
    }
    while (text.length > 0 && text.bytes[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* A bullet inside of a line, where a copy lost the line breaks: " * ". */
static size_t line_length(struct span rest)
{
    for (size_t at = 0; at < rest.length; at++) {
        if (rest.bytes[at] == '\n')
            return at;
        if (at > 1 && rest.bytes[at] == '*' && rest.bytes[at - 1] == ' ' &&
            at + 1 < rest.length && rest.bytes[at + 1] == ' ')
            return at;
    }
    return rest.length;
}

static struct span peek_line(const struct reader *reader, size_t *ret_next)
{
    struct span rest = {reader->text.bytes + reader->at,
                        reader->text.length - reader->at};
    size_t length = line_length(rest);

    *ret_next = reader->at + length;
    if (length < rest.length && rest.bytes[length] == '\n')
        ++*ret_next;
    return trim((struct span){rest.bytes, length});
}

static size_t add_tokens(struct reader *reader, size_t count, struct span line)
{
    size_t at = 0;

    while (at < line.length) {
        size_t start = at;
        struct span raw, core;

        while (at < line.length && line.bytes[at] != ' ')
            at++;
        raw = (struct span){line.bytes + start, at - start};
        core = span_equals(raw, "&") ? span_of("and") : core_of(raw);
        if (core.length > 0 && (core.length > 1 || core.bytes[0] != '-'))
            reader->tokens[count++] = (struct token){raw, core};
        while (at < line.length && line.bytes[at] == ' ')
            at++;
    }
    return count;
}

static bool is_in_capitals(struct span line)
{
    size_t capitals = 0;

    for (size_t at = 0; at < line.length; at++) {
        if (islower((unsigned char)line.bytes[at]))
            return false;
        capitals += isupper((unsigned char)line.bytes[at]) != 0;
    }
    return capitals >= 4;
}

static bool is_marked(struct span line)
{
    return line.length > 2 &&
           (line.bytes[0] == '#' || strncmp(line.bytes, "**", 2) == 0 ||
            strncmp(line.bytes, "__", 2) == 0);
}

/* Does the next line go on with this one? */
static bool goes_on(struct span line, struct span next, bool is_item)
{
    char last;

    if (line.length == 0 || next.length == 0 || item_sign(next) > 0)
        return false;
    last = line.bytes[line.length - 1];
    return islower((unsigned char)next.bytes[0]) && strchr(".:;!?", last) == NULL &&
           (is_item || line.length > WRAPPED_BYTES);
}

static void tell_line(struct reader *reader, bool is_after_blank, paper_line_fn *on_line,
                      void *context)
{
    size_t next, count = 0;
    struct span line = peek_line(reader, &next), following;
    size_t sign = is_marked(line) ? 0 : item_sign(line);
    struct paper_line told = {.is_item = sign > 0};
    struct span body = trim((struct span){line.bytes + sign, line.length - sign});

    count = add_tokens(reader, 0, body);
    reader->at = next;
    following = peek_line(reader, &next);
    told.is_heading = is_marked(line) || is_in_capitals(body) ||
                      (is_after_blank && sign == 0 && following.length > 0);
    while (reader->at < reader->text.length && goes_on(body, following, sign > 0)) {
        told.is_heading = false;
        count = add_tokens(reader, count, following);
        body = following;
        reader->at = next;
        following = peek_line(reader, &next);
    }
    told.row = (struct row){reader->tokens, count};
    told.is_heading &= count <= HEADING_WORDS;
    if (count > 0)
        on_line(context, &told);
}

void paper_read(struct span text, paper_line_fn *on_line, void *context)
{
    struct reader reader = {.text = plain_copy(text)};
    bool is_after_blank = true;

    reader.tokens = mem_zalloc((text.length / 2 + 1) * sizeof(*reader.tokens));
    while (reader.at < reader.text.length) {
        size_t next;
        bool is_blank = peek_line(&reader, &next).length == 0;

        if (is_blank)
            reader.at = next;
        else
            tell_line(&reader, is_after_blank, on_line, context);
        is_after_blank = is_blank;
    }
    sodium_memzero((char *)(uintptr_t)reader.text.bytes, reader.text.length);
    free((char *)(uintptr_t)reader.text.bytes);
    free(reader.tokens);
}

/* ---- rows ---- */

struct row row_from(const struct row *row, size_t first)
{
    size_t start = first < row->count ? first : row->count;

    return (struct row){row->tokens + start, row->count - start};
}

struct row row_until(const struct row *row, size_t end)
{
    return (struct row){row->tokens, end < row->count ? end : row->count};
}

static char last_of(const struct token *token)
{
    return token->raw.bytes[token->raw.length - 1];
}

bool row_ends_with(const struct row *row, char mark)
{
    return row->count > 0 && last_of(&row->tokens[row->count - 1]) == mark;
}

/* "e.g.", "Sr.", "B.": no end of a sentence. */
static bool is_abbreviation(const struct token *token)
{
    return token->core.length == 1 ||
           words_is_on(
               "e.g i.e etc mr mrs ms dr sr jr vs no inc ltd co st approx min max incl",
               token->core);
}

bool row_sentence(const struct row *row, size_t *at, struct row *ret_sentence)
{
    size_t start = *at;

    if (start >= row->count)
        return false;
    while (++*at < row->count) {
        const struct token *token = &row->tokens[*at - 1];
        char mark = last_of(token);

        if (mark == '!' || mark == '?' || mark == ';' ||
            (mark == '.' && !is_abbreviation(token) &&
             !islower((unsigned char)row->tokens[*at].raw.bytes[0])))
            break;
    }
    *ret_sentence = (struct row){row->tokens + start, *at - start};
    return true;
}

static bool equals(struct span word, const char *other, size_t length)
{
    if (word.length != length || tolower((unsigned char)*word.bytes) != *other)
        return false;
    for (size_t at = 1; at < length; at++)
        if (tolower((unsigned char)word.bytes[at]) != other[at])
            return false;
    return true;
}

/* The first of a list, which is in order, that begins with this letter, if any does. */
static size_t first_of(const struct string_list *list, char letter)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if ((unsigned char)*list->items[middle] < (unsigned char)letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool list_has(const struct string_list *list, struct span word)
{
    char letter = (char)(word.length > 0 ? tolower((unsigned char)*word.bytes) : 0);

    for (size_t i = first_of(list, letter); i < list->count && *list->items[i] == letter;
         i++)
        if (equals(word, list->items[i], strlen(list->items[i])))
            return true;
    return false;
}

/* Words of the phrase where it stands at `at`; 0: it does not. */
static size_t stands_at(const struct row *row, size_t at, const char *phrase)
{
    size_t words = 0;

    while (*phrase != '\0') {
        size_t length = strcspn(phrase, " ");
        struct span word;

        if (at + words == row->count)
            return 0;
        word =
            *phrase == '[' ? row->tokens[at + words].raw : row->tokens[at + words].core;
        if (*phrase == '[' && word.length > length)
            word.length = length; /* "[email]," */
        if (!equals(word, phrase, length))
            return 0;
        words++;
        phrase += length + (phrase[length] == ' ');
    }
    return words;
}

/* Words of the longest phrase at `at` among those that begin with this letter. */
static size_t match(const struct row *row, size_t at, const struct string_list *phrases,
                    char letter)
{
    size_t longest = 0;

    for (size_t i = first_of(phrases, letter);
         i < phrases->count && *phrases->items[i] == letter; i++) {
        size_t words = stands_at(row, at, phrases->items[i]);

        if (words > longest)
            longest = words;
    }
    return longest;
}

size_t row_match(const struct row *row, size_t at, const struct string_list *phrases)
{
    const struct token *token = &row->tokens[at];
    size_t longest =
        match(row, at, phrases, (char)tolower((unsigned char)*token->core.bytes));

    if (longest == 0 && *token->raw.bytes == '[') /* a mask, which has its brackets */
        longest = match(row, at, phrases, '[');
    return longest;
}

size_t row_find(const struct row *row, const struct string_list *phrases, size_t *ret_at)
{
    for (size_t at = 0; at < row->count; at++) {
        size_t words = row_match(row, at, phrases);

        if (words > 0) {
            *ret_at = at;
            return words;
        }
    }
    return 0;
}

bool is_gerund(struct span word)
{
    return word.length >= 5 && strncasecmp(word.bytes + word.length - 3, "ing", 3) == 0 &&
           !list_has(&paper_words.nouns_ing, word) &&
           !words_is_on(
               "during bring spring string thing king everything anything "
               "something nothing morning evening building ceiling following "
               "ongoing outstanding exciting interesting leading growing upcoming "
               "outgoing willing hardworking caring welcoming demanding "
               "challenging understanding driving sewing clothing wedding "
               "rewarding loving charming existing underlying incoming",
               word);
}

/* ---- phrases ---- */

/* The tokens that stay, in their order. */
struct draft {
    struct token tokens[PHRASE_TOKENS];
    size_t count;
};

static struct row row_of(const struct draft *draft)
{
    return (struct row){draft->tokens, draft->count};
}

static void drop_first(struct draft *draft, size_t count)
{
    draft->count -= count;
    memmove(draft->tokens, draft->tokens + count, draft->count * sizeof(*draft->tokens));
}

/* Without what stands in brackets. */
static void take_tokens(struct draft *draft, const struct row *row)
{
    size_t depth = 0;

    for (size_t i = 0; i < row->count && draft->count < PHRASE_TOKENS; i++) {
        struct span raw = row->tokens[i].raw;
        bool opens = memchr(raw.bytes, '(', raw.length) != NULL;
        bool closes = memchr(raw.bytes, ')', raw.length) != NULL;

        depth += opens && raw.bytes[0] == '(';
        if (depth == 0)
            draft->tokens[draft->count++] = row->tokens[i];
        if (closes && depth > 0)
            depth--;
    }
}

static void strip_front(struct draft *draft)
{
    for (size_t i = 0; i < 4 && i + 1 < draft->count; i++) {
        if (last_of(&draft->tokens[i]) == ':') { /* "Leadership: lead a team" */
            drop_first(draft, i + 1);
            break;
        }
    }
    while (draft->count > 1) {
        struct row row = row_of(draft);
        size_t words = row_match(&row, 0, &paper_words.leading);

        if (words == 0 || words >= draft->count)
            break;
        drop_first(draft, words);
    }
}

/* "German, a third language is a plus": only that was weighed. */
static void strip_weighed(struct draft *draft)
{
    for (size_t back = 1; back <= 4 && back < draft->count; back++) {
        if (last_of(&draft->tokens[draft->count - 1 - back]) == ',') {
            draft->count -= back;
            return;
        }
    }
}

/* "... is essential" and what goes on behind it. */
static void strip_weights(struct draft *draft)
{
    for (size_t at = 1; at < draft->count; at++) {
        struct row row = row_of(draft);
        size_t words = row_match(&row, at, &paper_words.closes);

        if (words > 1 || (words == 1 && at + words == draft->count)) {
            draft->count = at;
            strip_weighed(draft);
            return;
        }
    }
}

static bool is_boundary(const struct draft *draft, size_t at)
{
    return strchr(",;:/-", last_of(&draft->tokens[at - 1])) != NULL ||
           draft->tokens[at].raw.bytes[0] == '-' ||
           list_has(&paper_words.cuts, draft->tokens[at].core);
}

static void strip_back(struct draft *draft)
{
    while (draft->count > 1 &&
           list_has(&paper_words.trailing, draft->tokens[draft->count - 1].core))
        draft->count--;
}

/* "lead a team and delegate", where what is delegated was cut off. */
static void drop_lone_verb(struct draft *draft)
{
    size_t count = draft->count;

    if (count > LEAST_LEFT && words_is_on("and or", draft->tokens[count - 2].core) &&
        list_has(&paper_words.verbs, draft->tokens[count - 1].core) &&
        !list_has(&paper_words.verbs, draft->tokens[count - 3].core))
        draft->count -= 2;
}

static void shorten(struct draft *draft, size_t most)
{
    size_t at = most;

    if (draft->count <= most)
        return;
    while (3 * at > 2 * most && last_of(&draft->tokens[at - 1]) != ',')
        at--;
    if (3 * at > 2 * most) {
        draft->count = at;
        return;
    }
    at = most;
    while (at > LEAST_LEFT && !is_boundary(draft, at))
        at--;
    draft->count = at > LEAST_LEFT ? at : most;
    drop_lone_verb(draft);
}

/* "shape our brand and the way we work": what they say of themselves is left out. */
static void cut_ours(struct draft *draft)
{
    for (size_t at = 0; at < draft->count; at++) {
        if (!words_is_on("we we're we'll we've", draft->tokens[at].core))
            continue;
        while (at > 0 && !is_boundary(draft, at))
            at--;
        draft->count = at;
        strip_back(draft);
        return;
    }
}

/* What an advert says of its own people is said of others' by whoever speaks of it. */
static struct span spoken(struct span core)
{
    return words_is_on("our", core)  ? span_of("the")
           : span_equals(core, "us") ? span_of("the team")
                                     : core;
}

/* The token's text, without brackets; without what ends a phrase where it is the last. */
static struct span shown(const struct token *token, bool is_last)
{
    struct span raw = spoken(token->raw);

    if (is_last || memchr(raw.bytes, '*', raw.length) != NULL)
        return spoken(token->core);
    while (raw.length > 0 && memchr("\"[({", raw.bytes[0], 4) != NULL &&
           raw.bytes[0] != '[') {
        raw.bytes++;
        raw.length--;
    }
    while (raw.length > 0 && memchr("\");", raw.bytes[raw.length - 1], 3) != NULL)
        raw.length--;
    return raw;
}

bool row_phrase(const struct row *row, size_t most_words, char ret_phrase[PHRASE_BYTES])
{
    struct draft draft = {.count = 0};
    size_t length = 0;

    take_tokens(&draft, row);
    strip_front(&draft);
    strip_weights(&draft);
    shorten(&draft, most_words);
    strip_back(&draft);
    cut_ours(&draft);
    for (size_t i = 0; i < draft.count; i++) {
        struct span word = shown(&draft.tokens[i], i + 1 == draft.count);

        if (length + word.length + 2 > PHRASE_BYTES)
            return false;
        if (length > 0 && word.length > 0)
            ret_phrase[length++] = ' ';
        memcpy(ret_phrase + length, word.bytes, word.length);
        length += word.length;
    }
    ret_phrase[length] = '\0';
    sodium_memzero(&draft, sizeof(draft));
    return length >= 2 && words_count((struct span){ret_phrase, length}) <= most_words;
}

/* Is it a word that every sentence writes small? */
static bool is_ordinary(struct span word)
{
    if (list_has(&paper_words.names, word))
        return false;
    if (word.length > 4 && memcmp(word.bytes + word.length - 2, "ed", 2) == 0)
        return true;
    return list_has(&paper_words.ordinary, word) || list_has(&paper_words.verbs, word) ||
           list_has(&paper_words.adjectives, word) ||
           list_has(&paper_words.nouns_ing, word) || is_gerund(word) ||
           list_has(&paper_words.quality, word);
}

void phrase_lower(char *phrase)
{
    size_t length = strcspn(phrase, " ,;:.");

    for (size_t at = 1; at < length; at++)
        if (isupper((unsigned char)phrase[at]))
            return;
    if (phrase[length] == ' ' && isupper((unsigned char)phrase[length + 1]) &&
        words_is_on("qualified registered certified chartered licensed first class",
                    (struct span){phrase, length}))
        return; /* "Registered Nurse" */
    if (is_ordinary((struct span){phrase, length}))
        phrase[0] = (char)tolower((unsigned char)phrase[0]);
}
