/*
 * A pattern's alternatives are those of the whole, a|b|c, or else those of its first long group: \b(?:a|b|c)$.
 * What stands before and behind that group goes with each.  Short ones stay together.
 *
 * Inside a pattern, alternatives are put together by their first letter: plum|pear|fig becomes p(?:lum|ear)|fig.
 * Those that begin with different letters never match at the same place, so that their order does not matter.
 */
#include "alternatives_internal.h"

#include "buffer.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_WHOLE = 1000, /* bytes of a pattern that is worth it */
    LEAST_BYTES = 400,  /* and of a part */
};

/* A group's inside, or the whole pattern. */
struct stretch_of_pattern {
    const char *start, *end;
};

/* Behind the escape, class or character at `at`. */
static const char *skip_one(const char *at)
{
    if (*at == '\\' && at[1] != '\0')
        return at + 2;
    if (*at != '[')
        return at + 1;
    at++;
    if (*at == '^')
        at++;
    do {
        at += *at == '\\' && at[1] != '\0' ? 2 : *at != '\0';
    } while (*at != '\0' && *at != ']');
    return at + (*at == ']');
}

/* Groups that count or are called, options, verbs and back references mean something else in a part. */
static bool can_be_parted(const char *pattern)
{
    static const char *const plain_groups[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!"};
    size_t depth = 0;

    for (const char *at = pattern; *at != '\0'; at = skip_one(at)) {
        bool is_plain = *at != '(';
        for (size_t i = 0; i < sizeof(plain_groups) / sizeof(*plain_groups); i++)
            is_plain =
                is_plain || strncmp(at, plain_groups[i], strlen(plain_groups[i])) == 0;
        if (!is_plain || (*at == ')' && depth == 0) ||
            (*at == '\\' && (at[1] == '\0' || strchr("123456789gkQEK", at[1]) != NULL)) ||
            strncmp(at, "[:", 2) == 0)
            return false;
        depth += *at == '(';
        depth -= *at == ')';
    }
    return depth == 0;
}

/* The next | of the stretch that is in no bracket, or its end. */
static const char *next_bar(const char *at, const char *end)
{
    size_t depth = 0;

    for (; at < end && (depth > 0 || *at != '|'); at = skip_one(at)) {
        depth += *at == '(';
        depth -= *at == ')';
    }
    return at;
}

/* Behind the bracket that closes the group whose inside begins at `at`. */
static const char *end_of_group(const char *at)
{
    size_t depth = 1;

    while (depth > 0) {
        depth += *at == '(';
        depth -= *at == ')';
        at = skip_one(at);
    }
    return at;
}

/* Where the alternatives are. */
static struct stretch_of_pattern find_alternatives(const char *pattern)
{
    const char *end = pattern + strlen(pattern);

    if (next_bar(pattern, end) < end)
        return (struct stretch_of_pattern){pattern, end};
    for (const char *at = pattern; at < end;) {
        const char *behind = *at == '(' ? end_of_group(at + 1) : skip_one(at);
        if (strncmp(at, "(?:", 3) == 0 && behind - at > LEAST_BYTES &&
            (*behind == '\0' || strchr("?*+{", *behind) == NULL))
            return (struct stretch_of_pattern){at + 3, behind - 1};
        at = behind;
    }
    return (struct stretch_of_pattern){pattern, end};
}

static void add(struct pattern_texts *texts, const char *pattern,
                struct stretch_of_pattern all, struct stretch_of_pattern part)
{
    size_t before = (size_t)(all.start - pattern);
    size_t length = (size_t)(part.end - part.start);
    size_t behind = strlen(all.end);
    char *text = mem_zalloc(before + length + behind + 1);

    memcpy(text, pattern, before);
    memcpy(text + before, part.start, length);
    memcpy(text + before + length, all.end, behind);
    texts->texts = mem_realloc(texts->texts, (texts->count + 1) * sizeof(*texts->texts));
    texts->texts[texts->count++] = text;
}

struct pattern_texts alternatives_of(const char *pattern)
{
    struct pattern_texts texts = {NULL, 0};
    struct stretch_of_pattern all = {pattern, pattern + strlen(pattern)};
    struct stretch_of_pattern part;

    if (strlen(pattern) < LEAST_WHOLE || !can_be_parted(pattern)) {
        add(&texts, pattern, all, all);
        return texts;
    }
    all = find_alternatives(pattern);
    for (part.start = all.start; part.start <= all.end; part.start = part.end + 1) {
        part.end = next_bar(part.start, all.end);
        while (part.end < all.end &&
               (part.end - part.start < LEAST_BYTES || all.end - part.end < LEAST_BYTES))
            part.end = next_bar(part.end + 1, all.end);
        add(&texts, pattern, all, part);
    }
    return texts;
}

static void append_sequence(struct buffer *out, const char *start, const char *end);

/* Begins with a letter that is there exactly once. */
static bool starts_with_letter(const char *at, const char *end)
{
    return at < end && *at >= 'a' && *at <= 'z' &&
           (at + 1 == end || strchr("?*+{", at[1]) == NULL);
}

static bool begin_alike(const struct stretch_of_pattern *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!starts_with_letter(parts[i].start, parts[i].end) ||
            *parts[i].start != *parts[0].start)
            return false;
    }
    return true;
}

/* Alternatives with their first letters before them, as far as those are the same; the first is written with all
 * that begin like it. */
static void append_alternatives(struct buffer *out, struct stretch_of_pattern *parts,
                                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char letter = '\0';
        size_t same = 1;

        if (i > 0)
            buffer_append_char(out, '|');
        if (starts_with_letter(parts[i].start, parts[i].end))
            letter = *parts[i].start;
        for (size_t j = i + 1; letter != '\0' && j < count &&
                               starts_with_letter(parts[j].start, parts[j].end);
             j++) {
            struct stretch_of_pattern part = parts[j];
            if (*part.start != letter)
                continue;
            memmove(parts + i + same + 1, parts + i + same,
                    (j - i - same) * sizeof(*parts));
            parts[i + same++] = part;
        }
        if (same == 1) {
            append_sequence(out, parts[i].start, parts[i].end);
            continue;
        }
        do {
            buffer_append_char(out, *parts[i].start);
            for (size_t j = i; j < i + same; j++)
                parts[j].start++;
        } while (begin_alike(parts + i, same));
        buffer_append_string(out, "(?:");
        append_alternatives(out, parts + i, same);
        buffer_append_char(out, ')');
        i += same - 1;
    }
}

static void append_inside(struct buffer *out, const char *start, const char *end)
{
    struct stretch_of_pattern *parts = NULL;
    size_t count = 0;

    for (const char *at = start; at <= end; at = parts[count++].end + 1) {
        parts = mem_realloc(parts, (count + 1) * sizeof(*parts));
        parts[count] = (struct stretch_of_pattern){at, next_bar(at, end)};
    }
    append_alternatives(out, parts, count);
    free(parts);
}

/* What is looked for behind the match stays as it is: there PCRE2 wants alternatives of a known length. */
static void append_sequence(struct buffer *out, const char *start, const char *end)
{
    while (start < end) {
        bool is_group = *start == '(';
        const char *behind = is_group ? end_of_group(start + 1) : skip_one(start);
        const char *inside = behind;

        if (is_group && start[2] != '<')
            inside = start + 3;
        buffer_append(out, start, (size_t)(inside - start));
        if (inside < behind) {
            append_inside(out, inside, behind - 1);
            buffer_append_char(out, ')');
        }
        start = behind;
    }
}

char *alternatives_by_letter(const char *pattern)
{
    struct buffer out;
    char *text;

    if (!can_be_parted(pattern))
        return mem_copy_string(pattern);
    buffer_init(&out, strlen(pattern) * 4 + 16);
    append_inside(&out, pattern, pattern + strlen(pattern));
    text = mem_copy(out.length > 0 ? out.bytes : "", out.length);
    buffer_done(&out);
    return text;
}
