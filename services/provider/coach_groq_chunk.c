/*
 * The ordinary chunk of a streamed completion, read without building objects: a reply of
 * 2 KB comes in some 500 chunks, each of which has a few letters of text in 200 bytes of
 * JSON.
 *
 * Whatever is not quite ordinary is left to json-c: any member that could change what the
 * chunk means, an escape that stands for a code point, anything that is no JSON.
 */
#include "coach_groq_internal.h"

#include "utf8.h"

#include <string.h>

/* Once something is odd, nothing is read any more. */
struct scan {
    const char *at, *end; /* borrowed */
    bool is_odd;
};

static char peek(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' ||
                                    *scan->at == '\r' || *scan->at == '\n'))
        scan->at++;
    return scan->at < scan->end && !scan->is_odd ? *scan->at : '\0';
}

static bool take(struct scan *scan, char character)
{
    if (peek(scan) != character)
        return false;
    scan->at++;
    return true;
}

static void need(struct scan *scan, char character)
{
    if (!take(scan, character))
        scan->is_odd = true;
}

/* A string as it is written, without its quotes. */
static struct span scan_string(struct scan *scan)
{
    struct span string = {NULL, 0};

    need(scan, '"');
    string.bytes = scan->at;
    while (!scan->is_odd && scan->at < scan->end && *scan->at != '"') {
        if ((unsigned char)*scan->at < ' ')
            scan->is_odd = true;
        scan->at += *scan->at == '\\' && scan->end - scan->at > 1 ? 2 : 1;
    }
    string.length = (size_t)(scan->at - string.bytes);
    need(scan, '"');
    return string;
}

static bool is_word(char character)
{
    return (character >= 'a' && character <= 'z') ||
           (character >= '0' && character <= '9') || character == '-' ||
           character == '+' || character == '.' || character == 'E';
}

/* null, true, a number */
static struct span scan_word(struct scan *scan)
{
    struct span word = {scan->at, 0};

    while (scan->at < scan->end && is_word(*scan->at))
        scan->at++;
    word.length = (size_t)(scan->at - word.bytes);
    if (word.length == 0)
        scan->is_odd = true;
    return word;
}

static void skip_value(struct scan *scan)
{
    size_t depth = 0;

    do {
        char character = peek(scan);

        if (character == '"') {
            scan_string(scan);
        } else if (character == '{' || character == '[') {
            depth++;
            scan->at++;
        } else if (depth > 0 && (character == '}' || character == ']')) {
            depth--;
            scan->at++;
        } else if (depth > 0 && (character == ',' || character == ':')) {
            scan->at++;
        } else {
            scan_word(scan);
        }
    } while (depth > 0 && !scan->is_odd);
}

static void need_null(struct scan *scan)
{
    peek(scan);
    if (!span_equals(scan_word(scan), "null"))
        scan->is_odd = true;
}

/* The next key of an object, behind its brace or a value.  false: there is none. */
static bool next_key(struct scan *scan, bool *is_first, struct span *ret_key)
{
    if (take(scan, '}') || scan->is_odd)
        return false;
    if (!*is_first)
        need(scan, ',');
    *is_first = false;
    *ret_key = scan_string(scan);
    if (memchr(ret_key->bytes, '\\', ret_key->length) != NULL)
        scan->is_odd = true;
    need(scan, ':');
    return !scan->is_odd;
}

/* A member named twice, whose last value would count, is odd. */
static struct span once(struct scan *scan, struct span found,
                        struct span (*read)(struct scan *scan))
{
    if (found.bytes != NULL)
        scan->is_odd = true;
    return read(scan);
}

static struct span scan_delta(struct scan *scan)
{
    struct span content = {NULL, 0}, key;
    bool is_first = true;

    need(scan, '{');
    while (next_key(scan, &is_first, &key)) {
        if (span_equals(key, "content"))
            content = once(scan, content, scan_string);
        else if (span_equals(key, "refusal"))
            need_null(scan);
        else
            skip_value(scan);
    }
    return content;
}

/* The one choice of a chunk. */
static struct span scan_choices(struct scan *scan)
{
    struct span content = {NULL, 0}, key;
    bool is_first = true;

    need(scan, '[');
    need(scan, '{');
    while (next_key(scan, &is_first, &key)) {
        if (span_equals(key, "delta"))
            content = once(scan, content, scan_delta);
        else if (span_equals(key, "finish_reason"))
            need_null(scan);
        else
            skip_value(scan);
    }
    need(scan, ']');
    return content;
}

static bool find_content(struct span chunk, struct span *ret_content)
{
    struct scan scan = {chunk.bytes, chunk.bytes + chunk.length, false};
    struct span content = {NULL, 0}, key;
    bool is_first = true;

    need(&scan, '{');
    while (next_key(&scan, &is_first, &key)) {
        if (span_equals(key, "choices"))
            content = once(&scan, content, scan_choices);
        else if (span_equals(key, "error") || span_equals(key, "x_groq"))
            need_null(&scan);
        else
            skip_value(&scan);
    }
    if (peek(&scan) != '\0' || scan.is_odd || scan.at != scan.end)
        return false;
    *ret_content = content;
    return content.bytes != NULL;
}

/* What stands behind a backslash (RFC 8259, 7); 0: nothing that is read here. */
static char unescape(char character)
{
    switch (character) {
    case '"':
    case '\\':
    case '/': return character;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
    }
}

/* All or nothing. */
static bool append_unescaped(struct buffer *out, struct span written)
{
    char *room = buffer_reserve(out, written.length);
    size_t length = 0;

    if (room == NULL)
        return false;
    for (size_t i = 0; i < written.length; i++) {
        char character = written.bytes[i];

        if (character == '\\') {
            character = i + 1 < written.length ? unescape(written.bytes[++i]) : '\0';
            if (character == '\0')
                return false;
        }
        room[length++] = character;
    }
    buffer_advance(out, length);
    return true;
}

bool groq_chunk_append(struct span chunk, struct buffer *out)
{
    struct span content;

    return find_content(chunk, &content) &&
           utf8_is_valid(content.bytes, content.length) && append_unescaped(out, content);
}
