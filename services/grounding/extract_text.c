/*
 * What a reader is shown of a sentence of the passages: its words, without the signs of Markdown and of citation,
 * and without a heading that stands in front of it.
 */
#include "extract_internal.h"

#include "words.h"

#include <ctype.h>
#include <string.h>

#define HEADING_WORDS_MOST 9
#define MARK_BYTES_MOST    24
#define CITED_BYTES_MOST   80
#define TAG_BYTES_MOST     80

/* The first word that is written, behind quotation marks and the signs of emphasis. */
static struct span first_word(struct span text)
{
    struct span word = {text.bytes, 0};
    size_t offset = 0;

    words_next(text, &offset, &word);
    return word;
}

/* Does a pronoun come before anything that it could stand for?  "Today it is ...", "In 1502 he ..." */
static bool begins_with_pronoun(struct span sentence)
{
    static const char pronouns[] =
        "it its it's they their them he him his she her hers this these";
    static const char light[] =
        "a an and the in on at of by to as for from with only even just also now then today "
        "here there soon once still again already often usually sometimes always never "
        "later earlier before after since until during about when while where because "
        "although january february march april may june july august september october "
        "november december year years month months week weeks day days time age first last same "
        "one two three four five six seven eight nine ten some many most part all nearly";
    struct span word;
    size_t offset = 0;

    while (words_next(sentence, &offset, &word)) {
        if (words_is_on(pronouns, word))
            return true;
        if (!words_is_on(light, word) && !isdigit((unsigned char)word.bytes[0]))
            return false;
    }
    return false;
}

bool extract_hangs(struct span sentence)
{
    static const char hanging[] =
        "that such and but or nor yet so however thus hence then therefore also instead "
        "besides similarly likewise otherwise moreover furthermore nevertheless "
        "consequently both here those";
    /* "In that case", "For example", "The latter" */
    static const char joints[] =
        "in for at on by as from with of after because when if like unlike to the";
    static const char backward[] =
        "that those each such other others example contrast addition result instance "
        "former latter rest";
    struct span first = {NULL, 0}, second = {NULL, 0};
    size_t offset = 0;

    words_next(sentence, &offset, &first);
    words_next(sentence, &offset, &second);
    return words_is_on(hanging, first) ||
           (words_is_on(joints, first) && words_is_on(backward, second)) ||
           begins_with_pronoun(sentence);
}

bool extract_is_caption(struct span sentence)
{
    static const char captions[] =
        "figure fig table listing plate photo image diagram source credit";
    struct span word = first_word(sentence);
    size_t at = (size_t)(word.bytes + word.length - sentence.bytes);
    const char *newline = memchr(sentence.bytes, '\n', sentence.length);

    /* a line of emphasis below that of a picture */
    if (sentence.length > 2 && memcmp(sentence.bytes, "![", 2) == 0)
        return newline != NULL && strchr("*_", newline[1]) != NULL;
    if (!words_is_on(captions, word))
        return false;
    while (at < sentence.length && strchr(". *_", sentence.bytes[at]) != NULL)
        at++;
    return at < sentence.length &&
           (isdigit((unsigned char)sentence.bytes[at]) || sentence.bytes[at] == ':');
}

/* Does a line look like a heading above the next: short, begun with a capital or a number, ended with nothing,
 * and far shorter than what is wrapped below it? */
static bool is_heading_line(struct span line, struct span next)
{
    const char *rest = line.bytes;
    size_t length = line.length;

    while (length > 0 && isspace((unsigned char)rest[length - 1]))
        length--;
    if (length == 0 || words_count(line) > HEADING_WORDS_MOST ||
        (!isupper((unsigned char)rest[0]) && !isdigit((unsigned char)rest[0])) ||
        strchr(".,;:!?-(", rest[length - 1]) != NULL)
        return false;
    while (next.length > 0 && isspace((unsigned char)next.bytes[0])) {
        next.bytes++;
        next.length--;
    }
    return next.length > 0 && isupper((unsigned char)next.bytes[0]) &&
           length * 5 < next.length * 3;
}

struct span extract_without_heading(struct span sentence)
{
    for (;;) {
        const char *newline = memchr(sentence.bytes, '\n', sentence.length);
        const char *end = sentence.bytes + sentence.length, *behind;
        struct span line, next;

        if (newline == NULL)
            return sentence;
        line = (struct span){sentence.bytes, (size_t)(newline - sentence.bytes)};
        behind = memchr(newline + 1, '\n', (size_t)(end - newline - 1));
        next = (struct span){newline + 1,
                             (size_t)((behind != NULL ? behind : end) - newline - 1)};
        if (!is_heading_line(line, next))
            return sentence;
        sentence = (struct span){newline + 1, (size_t)(end - newline - 1)};
    }
}

/* ---- the signs that are taken out ---- */

struct cleaning {
    struct span text;
    size_t at;
    struct buffer *out; /* borrowed */
    bool is_inside;     /* of brackets that may be a reference, which holds no other */
};

static void clean(struct span text, bool is_inside, struct buffer *out);

static char peek(const struct cleaning *cleaning, size_t ahead)
{
    size_t at = cleaning->at + ahead;

    return at < cleaning->text.length ? cleaning->text.bytes[at] : '\0';
}

/* Length of what is in brackets from here on, both included, with brackets inside it; 0: they do not close soon. */
static size_t bracketed(const struct cleaning *cleaning, size_t from, char close,
                        size_t most)
{
    char open = peek(cleaning, from);
    size_t depth = 1;

    for (size_t length = 1; length <= most && peek(cleaning, from + length) != '\0';
         length++) {
        char c = peek(cleaning, from + length);

        depth += c == open && open != close;
        if (c == close && --depth == 0)
            return length + 1;
    }
    return 0;
}

/* "[3]", "[12, 13]", "[^note]", "[citation needed]", "[note 1]" */
static bool is_citation(struct span inside)
{
    static const char words[] = "citation note ref clarification who when sic";
    bool is_numbers = true;

    if (inside.length == 0 || inside.bytes[0] == '^' ||
        words_is_on(words, first_word(inside)))
        return true;
    for (size_t i = 0; i < inside.length; i++)
        is_numbers &= isdigit((unsigned char)inside.bytes[i]) ||
                      strchr(" ,;-", inside.bytes[i]) != NULL;
    return is_numbers || (inside.length == 1 && islower((unsigned char)inside.bytes[0]));
}

/* "Smith, 2010", "Smith and Jones 2010; Lee et al., 2012", "Smith 2010, pp. 3-9" */
static bool is_author_and_year(struct span inside)
{
    const char *pages = memmem(inside.bytes, inside.length, ", p", 3);
    size_t digits = 0, at = pages != NULL && strchr("p.", pages[3]) != NULL
                                ? (size_t)(pages - inside.bytes)
                                : inside.length;
    bool has_pages = at < inside.length;

    if (at > 0 && islower((unsigned char)inside.bytes[at - 1]))
        at--;
    for (; at > 0 && isdigit((unsigned char)inside.bytes[at - 1]); at--)
        digits++;
    return digits == 4 && at >= 4 && isupper((unsigned char)inside.bytes[0]) &&
           inside.bytes[at - 1] == ' ' &&
           (has_pages || inside.bytes[at - 2] == ',' ||
            memmem(inside.bytes, inside.length, "et al", 5));
}

/* "see below", "Fig. 3": to what is not there. */
static bool points_elsewhere(struct span inside)
{
    return words_is_on("see cf fig figure figs figures table eq ibid",
                       first_word(inside));
}

static void drop_blank(struct buffer *out)
{
    while (out->length > 0 && out->bytes[out->length - 1] == ' ')
        out->bytes[--out->length] = '\0';
}

static bool skip_brackets(struct cleaning *cleaning)
{
    bool is_image = peek(cleaning, 0) == '!' && peek(cleaning, 1) == '[', is_mark;
    size_t length = bracketed(cleaning, is_image, ']', cleaning->text.length);
    struct span inside = {cleaning->text.bytes + cleaning->at + is_image + 1,
                          length < 2 ? 0 : length - 2};
    size_t target = 0;

    if (length == 0 || (peek(cleaning, 0) != '[' && !is_image))
        return false;
    is_mark = !is_image && ((length <= MARK_BYTES_MOST && is_citation(inside)) ||
                            (length <= CITED_BYTES_MOST && is_author_and_year(inside)));
    if (peek(cleaning, is_image + length) == '(')
        target = bracketed(cleaning, is_image + length, ')', cleaning->text.length);
    else if (peek(cleaning, is_image + length) == '[' && !is_mark)
        target = bracketed(cleaning, is_image + length, ']', cleaning->text.length);
    if (target == 0 && !is_mark)
        return false;
    if (is_image || is_mark)
        drop_blank(cleaning->out);
    else
        clean(inside, cleaning->is_inside, cleaning->out);
    cleaning->at += is_image + length + target;
    return true;
}

/* "(Smith, 2010)", "(see below)"; what is in it may be a link. */
static bool skip_reference(struct cleaning *cleaning)
{
    size_t length = bracketed(cleaning, 0, ')', CITED_BYTES_MOST);
    struct buffer text;
    struct span inside;
    bool is_reference;

    if (cleaning->is_inside || peek(cleaning, 0) != '(' || length < 2)
        return false;
    buffer_init(&text, 8 * CITED_BYTES_MOST);
    clean((struct span){cleaning->text.bytes + cleaning->at + 1, length - 2}, true,
          &text);
    while (text.length > 0 && strchr(" ,;", text.bytes[text.length - 1]) != NULL)
        text.length--;
    inside = (struct span){text.length > 0 ? text.bytes : "", text.length};
    is_reference = is_author_and_year(inside) || points_elsewhere(inside);
    buffer_done(&text);
    if (!is_reference)
        return false;
    drop_blank(cleaning->out);
    cleaning->at += length;
    return true;
}

/* From here to behind `end`, if it begins with `start`. */
static bool skip_between(struct cleaning *cleaning, const char *start, const char *end)
{
    const char *here = cleaning->text.bytes + cleaning->at, *last;
    size_t left = cleaning->text.length - cleaning->at, length = strlen(start);

    if (left < length || memcmp(here, start, length) != 0)
        return false;
    last = memmem(here + length, left - length, end, strlen(end));
    if (last == NULL)
        return false;
    cleaning->at += (size_t)(last - here) + strlen(end);
    return true;
}

/* "&nbsp;", "&amp;" */
static bool take_entity(struct cleaning *cleaning)
{
    static const struct {
        const char *name, *text;
    } entities[] = {{"&nbsp;", " "},       {"&amp;", "&"},   {"&lt;", "<"},
                    {"&gt;", ">"},         {"&quot;", "\""}, {"&mdash;", "\u2014"},
                    {"&ndash;", "\u2013"}, {"&deg;", "°"},   {"&pound;", "£"},
                    {"&euro;", "€"},       {"&times;", "×"}, {"&hellip;", "…"}};
    struct span left = {cleaning->text.bytes + cleaning->at,
                        cleaning->text.length - cleaning->at};

    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
        size_t length = strlen(entities[i].name);

        if (left.length < length || memcmp(left.bytes, entities[i].name, length) != 0)
            continue;
        buffer_append_string(cleaning->out, entities[i].text);
        cleaning->at += length;
        return true;
    }
    return false;
}

static bool skip_tag(struct cleaning *cleaning)
{
    static const char tags[] = "br sub sup em strong b i u a code kbd span p img div ref";
    size_t length = bracketed(cleaning, 0, '>', TAG_BYTES_MOST);
    struct span inside = {cleaning->text.bytes + cleaning->at + 1, length};

    if (peek(cleaning, 0) != '<' || length == 0 || !words_is_on(tags, first_word(inside)))
        return false;
    cleaning->at += length;
    return true;
}

/* A star or a low line beside a blank on one side alone, or a run of them, is emphasis. */
static bool skip_emphasis(struct cleaning *cleaning)
{
    char sign = peek(cleaning, 0);
    size_t run = 1;
    bool has_left, has_right;

    if (sign != '*' && sign != '_')
        return false;
    while (peek(cleaning, run) == sign)
        run++;
    has_left = cleaning->at > 0 &&
               isalnum((unsigned char)cleaning->text.bytes[cleaning->at - 1]) != 0;
    has_right = isalnum((unsigned char)peek(cleaning, run)) != 0;
    if (run > 3 || (run == 1 && sign == '*' && peek(cleaning, run) == ' ' &&
                    (cleaning->at == 0 || cleaning->text.bytes[cleaning->at - 1] == ' ')))
        return false;
    if (sign == '_' && has_left && has_right)
        return false; /* snake_case */
    cleaning->at += run;
    return true;
}

/* What stands between back-quotes is shown as it is. */
static bool take_code(struct cleaning *cleaning)
{
    size_t run = 0, close;

    while (peek(cleaning, run) == '`')
        run++;
    if (run == 0)
        return false;
    cleaning->at += run;
    for (close = 0; peek(cleaning, close) != '\0' && peek(cleaning, close) != '`';)
        close++;
    if (peek(cleaning, close) == '\0')
        return true; /* it opens nothing */
    for (; close > 0; close--) {
        char c = peek(cleaning, 0);

        buffer_append_char(cleaning->out, isspace((unsigned char)c) ? ' ' : c);
        cleaning->at++;
    }
    while (peek(cleaning, 0) == '`')
        cleaning->at++;
    return true;
}

static void take_blank(struct cleaning *cleaning)
{
    bool is_new_line = false;

    while (isspace((unsigned char)peek(cleaning, 0)) ||
           (is_new_line && peek(cleaning, 0) == '>')) {
        is_new_line |= peek(cleaning, 0) == '\n';
        cleaning->at++;
    }
    if (cleaning->out->length > 0 &&
        cleaning->out->bytes[cleaning->out->length - 1] != ' ')
        buffer_append_char(cleaning->out, ' ');
}

/* Notes, templates and what is struck through, signs and all. */
static bool skip_whole(struct cleaning *cleaning)
{
    return skip_between(cleaning, "<!--", "-->") ||
           skip_between(cleaning, "<ref>", "</ref>") ||
           skip_between(cleaning, "<ref ", "</ref>") ||
           skip_between(cleaning, "{{", "}}") || skip_between(cleaning, "~~", "~~");
}

static void clean(struct span text, bool is_inside, struct buffer *out)
{
    struct cleaning cleaning = {.text = text, .out = out, .is_inside = is_inside};

    while (cleaning.at < text.length) {
        char c = peek(&cleaning, 0);

        if (isspace((unsigned char)c))
            take_blank(&cleaning);
        else if (c == '\\' && ispunct((unsigned char)peek(&cleaning, 1))) {
            buffer_append_char(out, peek(&cleaning, 1));
            cleaning.at += 2;
        } else if (!skip_whole(&cleaning) && !skip_brackets(&cleaning) &&
                   !skip_reference(&cleaning) && !skip_tag(&cleaning) &&
                   !skip_emphasis(&cleaning) && !take_code(&cleaning) &&
                   !take_entity(&cleaning)) {
            buffer_append_char(out, c);
            cleaning.at++;
        }
    }
}

void extract_clean(struct span text, struct buffer *out)
{
    clean(text, false, out);
}

void extract_clean_row(struct span row, struct buffer *out)
{
    size_t cells = 0, at = 0;

    while (at < row.length) {
        const char *bar = memchr(row.bytes + at, '|', row.length - at);
        size_t end = bar != NULL ? (size_t)(bar - row.bytes) : row.length;
        struct span cell = {row.bytes + at, end - at};

        at = end + 1;
        if (words_count(cell) == 0)
            continue;
        if (cells > 0)
            buffer_append_string(out, cells == 1 ? ": " : ", ");
        extract_clean(cell, out);
        drop_blank(out);
        cells++;
    }
}
