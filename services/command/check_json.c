/*
 * The "text" of a JSON line.  A flat object with strings, numbers and words is read here,
 * in one pass and without copying; anything else is left to the JSON library.
 */
#include "check_internal.h"

#include "json.h"

#include <string.h>

enum { MAX_DEPTH = 16 };

/* Where the reading of a line stands. */
struct scan {
    const char *at;  /* borrowed */
    const char *end; /* borrowed */
};

static void skip_space(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' ||
                                    *scan->at == '\r' || *scan->at == '\n'))
        scan->at++;
}

static bool skip_char(struct scan *scan, char c)
{
    skip_space(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

static bool scan_string(struct scan *scan, struct span *ret_string, bool *ret_is_escaped)
{
    if (!skip_char(scan, '"'))
        return false;
    const char *start = scan->at;
    const char *end = memchr(start, '"', (size_t)(scan->end - start));
    *ret_is_escaped = end != NULL && memchr(start, '\\', (size_t)(end - start)) != NULL;
    if (*ret_is_escaped) {
        for (end = start; end < scan->end && *end != '"'; end++)
            end += *end == '\\';
        if (end >= scan->end)
            end = NULL;
    }
    if (end == NULL)
        return false;
    for (const char *at = start; at < end; at++) {
        if ((unsigned char)*at < ' ')
            return false;
    }
    *ret_string = (struct span){start, (size_t)(end - start)};
    scan->at = end + 1;
    return true;
}

/* A number, true, false or null; what exactly is of no interest as long as it cannot hide
 * text. */
static bool scan_plain_value(struct scan *scan)
{
    const char *start = scan->at;

    while (scan->at < scan->end && strchr("+-.0123456789Eaeflnrstu", *scan->at) != NULL &&
           *scan->at != '\0')
        scan->at++;
    return scan->at > start;
}

static bool scan_object(struct scan *scan, struct span *ret_text, bool *ret_is_escaped)
{
    if (!skip_char(scan, '{'))
        return false;
    do {
        struct span key;
        struct span value;
        bool is_escaped;
        if (!scan_string(scan, &key, &is_escaped) || is_escaped || !skip_char(scan, ':'))
            return false;
        skip_space(scan);
        bool is_text = key.length == 4 && memcmp(key.bytes, "text", 4) == 0;
        if (scan->at < scan->end && *scan->at == '"') {
            if (!scan_string(scan, &value, &is_escaped))
                return false;
            if (is_text) {
                *ret_text = value;
                *ret_is_escaped = is_escaped;
            }
        } else if (is_text || !scan_plain_value(scan)) {
            return false;
        }
    } while (skip_char(scan, ','));
    if (!skip_char(scan, '}'))
        return false;
    skip_space(scan);
    return scan->at == scan->end;
}

static bool hex4(const char *at, const char *end, uint32_t *ret_value)
{
    uint32_t value = 0;

    if (end - at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        if (c >= '0' && c <= '9')
            value = value << 4 | (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            value = value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return false;
    }
    *ret_value = value;
    return true;
}

/* \uXXXX, two of them for what is past U+FFFF.  A lone surrogate is U+FFFD. */
static bool unescape_unicode(const char **at, const char *end, struct buffer *out)
{
    uint32_t code_point;
    uint32_t low;
    char utf8[4];
    size_t count = 0;

    if (!hex4(*at, end, &code_point))
        return false;
    *at += 4;
    if (code_point >= 0xd800 && code_point <= 0xdbff && end - *at >= 6 &&
        (*at)[0] == '\\' && (*at)[1] == 'u' && hex4(*at + 2, end, &low) &&
        low >= 0xdc00 && low <= 0xdfff) {
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
        *at += 6;
    } else if (code_point >= 0xd800 && code_point <= 0xdfff) {
        code_point = 0xfffd;
    }

    if (code_point < 0x80) {
        utf8[count++] = (char)code_point;
    } else if (code_point < 0x800) {
        utf8[count++] = (char)(0xc0 | code_point >> 6);
        utf8[count++] = (char)(0x80 | (code_point & 0x3f));
    } else if (code_point < 0x10000) {
        utf8[count++] = (char)(0xe0 | code_point >> 12);
        utf8[count++] = (char)(0x80 | (code_point >> 6 & 0x3f));
        utf8[count++] = (char)(0x80 | (code_point & 0x3f));
    } else {
        utf8[count++] = (char)(0xf0 | code_point >> 18);
        utf8[count++] = (char)(0x80 | (code_point >> 12 & 0x3f));
        utf8[count++] = (char)(0x80 | (code_point >> 6 & 0x3f));
        utf8[count++] = (char)(0x80 | (code_point & 0x3f));
    }
    return buffer_append(out, utf8, count);
}

static bool unescape(struct span string, struct buffer *out)
{
    const char *at = string.bytes;
    const char *end = at + string.length;

    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        const char *stop = escape != NULL ? escape : end;
        if (!buffer_append(out, at, (size_t)(stop - at)))
            return false;
        if (escape == NULL)
            return true;
        at = escape + 2;
        bool is_fine = true;
        switch (escape[1]) {
        case '"':
        case '\\':
        case '/': is_fine = buffer_append_char(out, escape[1]); break;
        case 'b': is_fine = buffer_append_char(out, '\b'); break;
        case 'f': is_fine = buffer_append_char(out, '\f'); break;
        case 'n': is_fine = buffer_append_char(out, '\n'); break;
        case 'r': is_fine = buffer_append_char(out, '\r'); break;
        case 't': is_fine = buffer_append_char(out, '\t'); break;
        case 'u': is_fine = unescape_unicode(&at, end, out); break;
        default: return false;
        }
        if (!is_fine)
            return false;
    }
    return true;
}

bool json_line_text(const char *line, size_t length, struct buffer *scratch,
                    struct span *ret_text)
{
    struct scan scan = {line, line + length};
    struct span text = {NULL, 0};
    bool is_escaped = false;

    buffer_clear(scratch);
    if (scan_object(&scan, &text, &is_escaped) && text.bytes != NULL) {
        if (!is_escaped) {
            *ret_text = text;
            return true;
        }
        if (unescape(text, scratch)) {
            *ret_text =
                (struct span){scratch->length > 0 ? scratch->bytes : "", scratch->length};
            return true;
        }
        buffer_clear(scratch);
    }

    struct json_object *object = json_parse(line, length, MAX_DEPTH);
    struct span member = json_member_string(object, "text");
    bool is_text =
        member.bytes != NULL && buffer_append(scratch, member.bytes, member.length);
    if (is_text)
        *ret_text =
            (struct span){scratch->length > 0 ? scratch->bytes : "", scratch->length};
    json_wipe_and_put(object);
    return is_text;
}
