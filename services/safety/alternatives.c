/*
 * A pattern's alternatives are those of the whole, a|b|c, or else those of its first long group: \b(?:a|b|c)$.
 * What stands before and behind that group goes with each.  Short ones stay together.
 */
#include "alternatives_internal.h"

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
        for (size_t i = 0; i < sizeof plain_groups / sizeof *plain_groups; i++)
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
    texts->texts = mem_realloc(texts->texts, (texts->count + 1) * sizeof *texts->texts);
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
