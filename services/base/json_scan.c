/*
 * One pass over JSON, byte by byte, with the place that it has come to in a few numbers; and on
 * top of it the values at chosen places, told as they come.
 */
#include "json_scan.h"

#include "json.h"
#include "utf8.h"

#include <string.h>

/* What may come next. */
enum expected {
    EXPECT_VALUE,
    EXPECT_VALUE_OR_END, /* behind [ */
    EXPECT_KEY,
    EXPECT_KEY_OR_END, /* behind { */
    EXPECT_COLON,
    EXPECT_COMMA_OR_END,
    EXPECT_NOTHING, /* all is closed */
    EXPECT_WRONG
};

/* An escape that has begun: at its letter, or so many hexadecimal digits are to come. */
#define AT_ESCAPE_LETTER 5
#define ESCAPE_DIGITS    4

#define NOWHERE UINT8_MAX

#define WORD_MOST 64 /* no number is longer that anybody wrote */

/* Of a string: what is looked through twice where a backslash stands in it. */
#define STRETCH_MOST 256

static enum json_token be_wrong(struct json_scan *scan)
{
    scan->expects = EXPECT_WRONG;
    scan->is_in_string = false;
    return JSON_WRONG;
}

static bool is_in_object(const struct json_scan *scan)
{
    return scan->depth > 0 && (scan->objects >> (scan->depth - 1) & 1) != 0;
}

static void value_ended(struct json_scan *scan)
{
    scan->expects = scan->depth > 0 ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static bool may_be_value(const struct json_scan *scan)
{
    return scan->expects == EXPECT_VALUE || scan->expects == EXPECT_VALUE_OR_END;
}

static bool may_be_key(const struct json_scan *scan)
{
    return scan->expects == EXPECT_KEY || scan->expects == EXPECT_KEY_OR_END;
}

static enum json_token open_container(struct json_scan *scan, bool is_object)
{
    if (!may_be_value(scan) || scan->depth == JSON_SCAN_DEPTH)
        return be_wrong(scan);
    scan->objects &= ~(UINT32_C(1) << scan->depth);
    scan->objects |= (uint32_t)is_object << scan->depth;
    scan->depth++;
    scan->at++;
    scan->expects = is_object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
    return JSON_OPEN;
}

static enum json_token close_container(struct json_scan *scan, bool is_object)
{
    bool may_end = scan->expects == EXPECT_COMMA_OR_END ||
                   scan->expects == EXPECT_KEY_OR_END ||
                   scan->expects == EXPECT_VALUE_OR_END;

    if (!may_end || scan->depth == 0 || is_in_object(scan) != is_object)
        return be_wrong(scan);
    scan->depth--;
    scan->at++;
    value_ended(scan);
    return JSON_CLOSE;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_hex_digit(char byte)
{
    return is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f');
}

static bool take_escape(struct json_scan *scan, char byte)
{
    if (scan->escape == AT_ESCAPE_LETTER) {
        scan->escape = byte == 'u' ? ESCAPE_DIGITS : 0;
        return byte != '\0' && strchr("\"\\/bfnrtu", byte) != NULL;
    }
    scan->escape--;
    return is_hex_digit(byte);
}

static enum json_token end_string(struct json_scan *scan, size_t end)
{
    scan->end = end;
    scan->at = end + 1;
    scan->is_in_string = false;
    if (may_be_key(scan)) {
        scan->expects = EXPECT_COLON;
        return JSON_KEY;
    }
    value_ended(scan);
    return JSON_STRING;
}

/* A stretch at a time, up to the next quote or backslash. */
static enum json_token go_on_in_string(struct json_scan *scan, struct span text)
{
    while (scan->at < text.length) {
        const char *from = text.bytes + scan->at, *quote, *backslash;
        size_t left = text.length - scan->at;

        if (scan->escape > 0) {
            if (!take_escape(scan, *from))
                return be_wrong(scan);
            scan->at++;
            continue;
        }
        if (left > STRETCH_MOST)
            left = STRETCH_MOST;
        quote = memchr(from, '"', left);
        if (quote != NULL)
            left = (size_t)(quote - from);
        backslash = memchr(from, '\\', left);
        if (backslash != NULL) {
            scan->escape = AT_ESCAPE_LETTER;
            scan->at += (size_t)(backslash - from) + 1;
        } else if (quote != NULL) {
            return end_string(scan, scan->at + left);
        } else {
            scan->at += left;
        }
    }
    return JSON_MORE;
}

static size_t count_digits(struct span word, size_t at)
{
    size_t count = 0;

    while (at + count < word.length && is_digit(word.bytes[at + count]))
        count++;
    return count;
}

/* RFC 8259, 6 */
static bool is_number(struct span word)
{
    size_t at = word.length > 0 && word.bytes[0] == '-', digits = count_digits(word, at);

    if (digits > 1 && word.bytes[at] == '0')
        return false;
    at += digits;
    if (digits > 0 && at < word.length && word.bytes[at] == '.') {
        digits = count_digits(word, at + 1);
        at += 1 + digits;
    }
    if (digits > 0 && at < word.length && (word.bytes[at] | 0x20) == 'e') {
        at++;
        at += at < word.length && (word.bytes[at] == '+' || word.bytes[at] == '-');
        digits = count_digits(word, at);
        at += digits;
    }
    return digits > 0 && at == word.length;
}

static bool is_literal(struct span word)
{
    return span_equals(word, "null") || span_equals(word, "false") ||
           span_equals(word, "true") || span_equals(word, "NaN") ||
           span_equals(word, "Infinity") || span_equals(word, "-Infinity");
}

static bool ends_word(char byte)
{
    switch (byte) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case ':':
    case '"':
    case '[':
    case ']':
    case '{':
    case '}': return true;
    }
    return false;
}

/* A word that goes on to the end of the text may go on behind it. */
static enum json_token take_word(struct json_scan *scan, struct span text)
{
    struct span word = {text.bytes + scan->at, 0};
    size_t left = text.length - scan->at;

    while (word.length < left && word.length <= WORD_MOST &&
           !ends_word(word.bytes[word.length]))
        word.length++;
    if (!may_be_value(scan) || word.length > WORD_MOST)
        return be_wrong(scan);
    if (word.length == left)
        return JSON_MORE;
    if (!is_number(word) && !is_literal(word))
        return be_wrong(scan);
    scan->start = scan->at;
    scan->at = scan->end = scan->start + word.length;
    value_ended(scan);
    return JSON_WORD;
}

enum json_token json_scan_next(struct json_scan *scan, struct span text)
{
    if (scan->is_in_string)
        return go_on_in_string(scan, text);
    for (; scan->at < text.length; scan->at++) {
        switch (text.bytes[scan->at]) {
        case ' ':
        case '\t':
        case '\r':
        case '\n': break;
        case ':':
            if (scan->expects != EXPECT_COLON)
                return be_wrong(scan);
            scan->expects = EXPECT_VALUE;
            break;
        case ',':
            if (scan->expects != EXPECT_COMMA_OR_END)
                return be_wrong(scan);
            scan->expects = is_in_object(scan) ? EXPECT_KEY : EXPECT_VALUE;
            break;
        case '{': return open_container(scan, true);
        case '[': return open_container(scan, false);
        case '}': return close_container(scan, true);
        case ']': return close_container(scan, false);
        case '"':
            if (!may_be_value(scan) && !may_be_key(scan))
                return be_wrong(scan);
            scan->start = ++scan->at;
            scan->is_in_string = true;
            return go_on_in_string(scan, text);
        default: return take_word(scan, text);
        }
    }
    return scan->expects == EXPECT_WRONG ? JSON_WRONG : JSON_MORE;
}

struct span json_scan_token(const struct json_scan *scan, struct span text)
{
    return (struct span){text.bytes + scan->start, scan->end - scan->start};
}

/* ---- strings ---- */

/* What stands behind a backslash (RFC 8259, 7); 0: a code point. */
static char unescape(char letter)
{
    switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': return '\0';
    default: return letter;
    }
}

/* Code points are json-c's business: there are pairs of them. */
static bool unescape_with_care(struct span written, struct buffer *out)
{
    struct json_object *string;
    struct buffer quoted;
    bool is_good;

    buffer_init(&quoted, written.length + 2);
    buffer_append_char(&quoted, '"');
    buffer_append(&quoted, written.bytes, written.length);
    buffer_append_char(&quoted, '"');
    string = json_parse(quoted.bytes, quoted.length, 1);
    is_good = json_object_is_type(string, json_type_string) &&
              buffer_append(out, json_object_get_string(string),
                            (size_t)json_object_get_string_len(string));
    json_wipe_and_put(string);
    buffer_done(&quoted);
    return is_good;
}

bool json_unescape(struct span written, struct buffer *out)
{
    char *room = buffer_reserve(out, written.length);
    size_t at = 0, length = 0;

    if (room == NULL || !utf8_is_valid(written.bytes, written.length))
        return false;
    while (at < written.length) {
        const char *from = written.bytes + at;
        const char *backslash = memchr(from, '\\', written.length - at);
        size_t plain =
            backslash != NULL ? (size_t)(backslash - from) : written.length - at;

        memcpy(room + length, from, plain);
        length += plain;
        at += plain;
        if (backslash == NULL)
            break;
        room[length] = at + 1 < written.length ? unescape(backslash[1]) : '\0';
        if (room[length++] == '\0')
            return unescape_with_care(written, out);
        at += 2;
    }
    buffer_advance(out, length);
    return true;
}

/* ---- doubled members ---- */

static size_t find_name(struct span key, const char *const names[], size_t count)
{
    struct buffer room;
    size_t at = 0;

    buffer_init(&room, key.length);
    if (memchr(key.bytes, '\\', key.length) != NULL && json_unescape(key, &room))
        key = (struct span){room.bytes, room.length};
    while (at < count && !span_equals(key, names[at]))
        at++;
    buffer_done(&room);
    return at;
}

uint32_t json_doubled_members(struct span text, const char *const names[], size_t count)
{
    struct json_scan scan = {.at = 0};
    uint32_t seen = 0, doubled = 0;
    enum json_token token;

    do {
        token = json_scan_next(&scan, text);
        if (token == JSON_KEY && scan.depth == 1) {
            size_t at = find_name(json_scan_token(&scan, text), names, count);
            uint32_t bit = at < count ? UINT32_C(1) << at : 0;

            doubled |= seen & bit;
            seen |= bit;
        }
    } while (token != JSON_MORE && token != JSON_WRONG && scan.depth > 0);
    return doubled;
}

/* ---- what stands at chosen places ---- */

void json_pick_init(struct json_pick *pick, const struct json_place *places, size_t count,
                    size_t at, json_pick_fn *tell, void *context)
{
    pick->scan = (struct json_scan){.at = at};
    pick->places = places;
    pick->count = (uint8_t)count;
    pick->tell = tell;
    pick->context = context;
    pick->coming = 0;
}

static bool is_name(const char *name, struct span key)
{
    return key.length > 0 && *name == *key.bytes && span_equals(key, name);
}

/* The place of that name in another one; NOWHERE: there is none that anybody wants. */
static uint8_t find_place(const struct json_pick *pick, uint8_t inside, struct span name)
{
    const struct json_place *place = pick->places + inside + 1;
    const struct json_place *end = pick->places + pick->count;

    for (; place < end && place->inside <= inside; place++)
        if (place->inside == inside && is_name(place->name, name))
            return (uint8_t)(place - pick->places);
    return NOWHERE;
}

/* Elements of an array have a name too. */
static void find_element(struct json_pick *pick, unsigned level)
{
    uint8_t inside = pick->inside[level];

    if (inside == NOWHERE)
        return;
    pick->coming = find_place(pick, inside, (struct span){"*", 1});
    if (pick->coming == NOWHERE && pick->is_first[level])
        pick->coming = find_place(pick, inside, (struct span){"0", 1});
    pick->is_first[level] = false;
}

/* A value that is `level` containers deep. */
static void take_value(struct json_pick *pick, unsigned level, enum json_token kind,
                       struct span value)
{
    if (level > JSON_PLACES_DEEP)
        return;
    if (level > 0 && (pick->scan.objects >> (level - 1) & 1) == 0)
        find_element(pick, level - 1);
    if (kind == JSON_OPEN && level < JSON_PLACES_DEEP) {
        pick->inside[level] = pick->coming;
        pick->is_first[level] = true;
    }
    if (pick->coming != NOWHERE)
        pick->tell(pick->context, pick->coming, kind, value);
    pick->coming = NOWHERE;
}

enum json_token json_pick_more(struct json_pick *pick, struct span text)
{
    struct json_scan *scan = &pick->scan;

    for (;;) {
        enum json_token token = json_scan_next(scan, text);
        unsigned level = scan->depth;

        switch (token) {
        case JSON_KEY:
            if (level <= JSON_PLACES_DEEP && pick->inside[level - 1] != NOWHERE)
                pick->coming = find_place(pick, pick->inside[level - 1],
                                          json_scan_token(scan, text));
            break;
        case JSON_OPEN: take_value(pick, level - 1, token, (struct span){NULL, 0}); break;
        case JSON_STRING:
        case JSON_WORD:
            if (level == 0)
                return be_wrong(scan);
            take_value(pick, level, token, json_scan_token(scan, text));
            break;
        case JSON_CLOSE:
            if (level == 0)
                return token;
            break;
        case JSON_MORE:
        case JSON_WRONG: return token;
        }
    }
}
