/*
 * Reading a pattern item by item.
 */
#include "pattern_syntax_internal.h"

#include "mem.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

void char_set_add(struct char_set *set, unsigned c)
{
    if (c >= 'A' && c <= 'Z')
        c |= 0x20;
    if (c > PAST_ASCII)
        c = PAST_ASCII;
    set->bits[c / 64] |= 1ULL << (c % 64);
}

void char_set_add_all(struct char_set *set)
{
    set->bits[0] = set->bits[1] = ~0ULL;
    set->bits[2] = 1;
}

/* Behind the opening bracket. */
static void parse_group(struct pattern_parser *parser, struct pattern_item *item)
{
    const char *rest = parser->pattern + parser->at;
    size_t skip = 0;

    item->is_group = true;
    if (rest[0] == '*' || strncmp(rest, "?#", 2) == 0) { /* a verb, a comment */
        parser->is_odd = parser->is_odd || rest[0] == '*';
        parser->at += strcspn(rest, ")") + (strchr(rest, ')') != NULL);
        return;
    }
    if (rest[0] == '?') {
        if (strncmp(rest, "?<=", 3) == 0 || strncmp(rest, "?<!", 3) == 0) {
            item->is_look = true;
            skip = 3;
        } else if (rest[1] == '=' || rest[1] == '!') {
            item->is_look = item->may_end = true;
            skip = 2;
        } else if (rest[1] == '>') {
            item->gives_nothing_back = true;
            skip = 2;
        } else if (rest[1] == '|') {
            skip = 2;
        } else if (rest[1] == '<' || rest[1] == '\'' || strncmp(rest, "?P<", 3) == 0) {
            skip = rest[1] == 'P' ? 3 : 2;
            skip += strcspn(rest + skip, ">'") + 1;
        } else {
            skip = 1 + strspn(rest + 1, "imsxnJU^-");
            parser->is_odd = parser->is_odd || memchr(rest, 'x', skip) != NULL ||
                             memchr(rest, 'm', skip) != NULL;
            if (rest[skip] == ':')
                skip++;
            else if (rest[skip] != ')')
                parser->is_unreadable = true; /* recursion, a condition */
        }
    }
    if (strlen(rest) < skip) {
        parser->is_unreadable = true;
        return;
    }
    parser->at += skip;
    item->alternatives = pattern_syntax_parse(parser);
    if (parser->pattern[parser->at] == ')')
        parser->at++;
}

static void add_range(struct char_set *set, unsigned from, unsigned to)
{
    for (unsigned c = from; c <= to && c <= PAST_ASCII; c++)
        char_set_add(set, c);
    if (to > PAST_ASCII)
        char_set_add(set, PAST_ASCII);
}

/* \d, \w, \s and their like; capitals are taken for anything at all.  false: no such
 * escape. */
static bool add_shorthand(struct char_set *set, char c)
{
    switch (c) {
    case 'd': add_range(set, '0', '9'); break;
    case 'w':
        add_range(set, '0', '9');
        add_range(set, 'a', 'z');
        char_set_add(set, '_');
        break;
    case 's':
    case 'h':
    case 'v':
    case 'R':
        add_range(set, '\t', '\r');
        char_set_add(set, ' ');
        break;
    case 'p':
    case 'P':
    case 'N':
    case 'X':
    case 'D':
    case 'W':
    case 'S':
    case 'H':
    case 'V': char_set_add_all(set); return true;
    default: return false;
    }
    char_set_add(set, PAST_ASCII);
    return true;
}

/* The character that an escape stands for, parser->at behind its letter. */
static unsigned escaped_char(struct pattern_parser *parser, char c)
{
    const char *rest = parser->pattern + parser->at;
    char digits[3] = {0}, *end;
    unsigned long value;

    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'f': return '\f';
    case 'a': return '\a';
    case 'e': return 27;
    case 'c': parser->at += rest[0] != '\0'; return PAST_ASCII;
    case 'x':
    case 'o':
        if (rest[0] == '{') {
            value = strtoul(rest + 1, NULL, c == 'x' ? 16 : 8);
            parser->at += strcspn(rest, "}") + (strchr(rest, '}') != NULL);
            return value < PAST_ASCII ? (unsigned)value : PAST_ASCII;
        }
        strncpy(digits, rest, 2);
        value = strtoul(digits, &end, 16);
        parser->at += (size_t)(end - digits);
        return value < PAST_ASCII ? (unsigned)value : PAST_ASCII;
    }
    return (unsigned char)c < 0x80 ? (unsigned char)c : PAST_ASCII;
}

/* \p{L}, \pL: behind the letter. */
static void skip_property(struct pattern_parser *parser)
{
    const char *rest = parser->pattern + parser->at;

    if (rest[0] == '{')
        parser->at += strcspn(rest, "}") + (strchr(rest, '}') != NULL);
    else
        parser->at += rest[0] != '\0';
}

static void parse_escape(struct pattern_parser *parser, struct pattern_item *item)
{
    char c = parser->pattern[parser->at];

    if (c == '\0')
        return;
    parser->at++;
    if (strchr("bBAGKE", c) != NULL) {
        item->is_look = true;
        item->is_boundary = c == 'b';
    } else if (c == 'z' || c == 'Z') {
        item->is_look = item->may_end = true;
    } else if ((c >= '1' && c <= '9') || c == 'k' || c == 'g') {
        parser->is_unreadable = true;
    } else if (c == 'Q') {
        const char *end = strstr(parser->pattern + parser->at, "\\E");
        item->is_vague = true;
        for (; parser->pattern[parser->at] != '\0' && parser->pattern + parser->at != end;
             parser->at++)
            char_set_add(&item->set, (unsigned char)parser->pattern[parser->at]);
    } else if (add_shorthand(&item->set, c)) {
        item->is_vague = c == 'R' || c == 'X';
        if (c == 'p' || c == 'P')
            skip_property(parser);
    } else {
        char_set_add(&item->set, escaped_char(parser, c));
    }
}

/* Behind the opening square bracket. */
static void parse_class(struct pattern_parser *parser, struct pattern_item *item)
{
    const char *pattern = parser->pattern;
    bool is_negated = pattern[parser->at] == '^';
    bool is_first = true;
    unsigned last = PAST_ASCII;

    parser->at += is_negated;
    while (pattern[parser->at] != '\0' && (is_first || pattern[parser->at] != ']')) {
        unsigned char c = (unsigned char)pattern[parser->at++];
        const char *end;

        is_first = false;
        if (c == '[' && pattern[parser->at] == ':') { /* [:alpha:] */
            char_set_add_all(&item->set);
            end = strstr(pattern + parser->at, ":]");
            parser->at = end != NULL ? (size_t)(end - pattern) + 2 : strlen(pattern);
        } else if (c == '-' && pattern[parser->at] != ']' && last != PAST_ASCII &&
                   pattern[parser->at] != '\0') {
            unsigned char to = (unsigned char)pattern[parser->at++];
            add_range(&item->set, last, to == '\\' ? PAST_ASCII + 1U : to);
        } else if (c == '\\' && pattern[parser->at] != '\0') {
            char escape = pattern[parser->at++];
            if (add_shorthand(&item->set, escape)) {
                if (escape == 'p' || escape == 'P')
                    skip_property(parser);
            } else {
                last = escaped_char(parser, escape);
                char_set_add(&item->set, last);
            }
        } else {
            last = c < 0x80 ? c : PAST_ASCII;
            char_set_add(&item->set, last);
        }
    }
    parser->at += pattern[parser->at] == ']';
    if (is_negated) {
        for (int i = 0; i < 3; i++)
            item->set.bits[i] = ~item->set.bits[i];
        item->set.bits[2] = 1;
    }
}

static void parse_repeat(struct pattern_parser *parser, struct pattern_item *item)
{
    const char *rest = parser->pattern + parser->at;
    size_t length = 0;

    if (rest[0] == '*' || rest[0] == '+' || rest[0] == '?') {
        item->is_repeated = rest[0] != '?';
        item->most = rest[0] != '?' ? MANY : 1;
        item->is_optional = rest[0] != '+';
        length = 1;
    } else if (rest[0] == '{') {
        size_t digits = strspn(rest + 1, "0123456789");
        size_t more =
            rest[1 + digits] == ',' ? strspn(rest + 2 + digits, "0123456789") : 0;
        bool has_comma = rest[1 + digits] == ',';
        long least, most;

        length = 1 + digits + (has_comma ? 1 + more : 0);
        if (digits == 0 || rest[length] != '}')
            return;
        length++;
        least = strtol(rest + 1, NULL, 10);
        most =
            has_comma ? (more > 0 ? strtol(rest + 2 + digits, NULL, 10) : MANY) : least;
        item->is_optional = least == 0;
        item->is_repeated = most >= MANY;
        item->most = most < MANY ? (unsigned)most : MANY;
    } else {
        return;
    }
    if (rest[length] == '+') {
        item->gives_nothing_back = true;
        length++;
    } else if (rest[length] == '?') {
        length++;
    }
    parser->at += length;
}

static struct pattern_item *parse_item(struct pattern_parser *parser)
{
    struct pattern_item *item = MEM_NEW(struct pattern_item);
    unsigned char c = (unsigned char)parser->pattern[parser->at++];

    switch (c) {
    case '(': parse_group(parser, item); break;
    case '[': parse_class(parser, item); break;
    case '\\': parse_escape(parser, item); break;
    case '.': char_set_add_all(&item->set); break;
    case '^': item->is_look = true; break;
    case '$': item->is_look = item->may_end = item->is_end = true; break;
    default:
        parser->at--;
        item->code_point =
            utf8_next(parser->pattern, strlen(parser->pattern), &parser->at);
        char_set_add(&item->set, item->code_point);
        break;
    }
    parse_repeat(parser, item);
    item->end = parser->at;
    return item;
}

/* Up to the bracket that closes the group, or the end. */
struct pattern_item *pattern_syntax_parse(struct pattern_parser *parser)
{
    struct pattern_item *first = MEM_NEW(struct pattern_item);
    struct pattern_item *head = first;
    struct pattern_item **place = &head->inner;

    if (++parser->nesting > MAX_NESTING)
        parser->is_unreadable = true;
    while (!parser->is_unreadable && parser->pattern[parser->at] != '\0' &&
           parser->pattern[parser->at] != ')') {
        if (parser->pattern[parser->at] == '|') {
            parser->at++;
            head->next = MEM_NEW(struct pattern_item);
            head = head->next;
            place = &head->inner;
            continue;
        }
        *place = parse_item(parser);
        if (*place != NULL)
            place = &(*place)->next;
    }
    parser->nesting--;
    return first;
}

void pattern_syntax_free(struct pattern_item *item)
{
    while (item != NULL) {
        struct pattern_item *next = item->next;
        pattern_syntax_free(item->alternatives);
        pattern_syntax_free(item->inner);
        free(item);
        item = next;
    }
}
