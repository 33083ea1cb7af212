/*
 * The kinds of lines of CommonMark, each told by the line alone.
 */
#include "markdown.h"

#include <string.h>

/* Length of the run of `sign` at `at`. */
static size_t run_of(struct span text, size_t at, size_t end, char sign)
{
    size_t from = at;

    while (at < end && text.bytes[at] == sign)
        at++;
    return at - from;
}

static bool is_blank_at(struct span text, size_t at, size_t end)
{
    return at == end || text.bytes[at] == ' ' || text.bytes[at] == '\t';
}

/* Nothing from `at` on but these characters, `least` times one of `counted`. */
static bool is_made_of(struct span text, size_t at, size_t end, const char *allowed,
                       const char *counted, size_t least)
{
    size_t count = 0;

    for (; at < end; at++) {
        if (text.bytes[at] == '\0' || strchr(allowed, text.bytes[at]) == NULL)
            return false;
        count += strchr(counted, text.bytes[at]) != NULL;
    }
    return count >= least;
}

static bool is_heading(struct span text, struct markdown_line *line)
{
    size_t run = run_of(text, line->content, line->end, '#');

    if (run < 1 || run > 6 || line->indent >= 4 ||
        !is_blank_at(text, line->content + run, line->end))
        return false;
    line->level = (int)run;
    line->content += run;
    return true;
}

static bool is_fence(struct span text, struct markdown_line *line)
{
    char sign = text.bytes[line->content];
    size_t run;

    if (sign != '`' && sign != '~')
        return false;
    run = run_of(text, line->content, line->end, sign);
    if (run < 3 || (sign == '`' && memchr(text.bytes + line->content + run, '`',
                                          line->end - line->content - run) != NULL))
        return false;
    line->sign = sign;
    line->run = run;
    line->content += run;
    return true;
}

static bool is_item(struct span text, struct markdown_line *line)
{
    size_t at = line->content;

    if (strchr("-*+", text.bytes[at]) != NULL) {
        at++;
    } else {
        while (at < line->end && at - line->content < 3 && text.bytes[at] >= '0' &&
               text.bytes[at] <= '9')
            at++;
        if (at == line->content || at == line->end ||
            (text.bytes[at] != '.' && text.bytes[at] != ')'))
            return false;
        at++;
    }
    if (!is_blank_at(text, at, line->end))
        return false;
    line->may_interrupt = at < line->end &&
                          (text.bytes[line->content] == '1' || at - line->content == 1) &&
                          at - line->content <= 2;
    line->content = at;
    return true;
}

/* A row starts with a bar, or has one between blanks, or is the row of dashes below the first. */
static bool is_table_row(struct span text, const struct markdown_line *line)
{
    const char *content = text.bytes + line->content;
    size_t length = line->end - line->content;

    return content[0] == '|' || memmem(content, length, " | ", 3) != NULL ||
           (memchr(content, '|', length) != NULL &&
            is_made_of(text, line->content, line->end, "-:| \t", "-", 3));
}

static enum markdown_kind kind_of(struct span text, struct markdown_line *line)
{
    char sign;

    if (line->content == line->end)
        return MARKDOWN_BLANK;
    sign = text.bytes[line->content];
    if (sign == '\0')
        return MARKDOWN_TEXT;
    if (sign == '#' && is_heading(text, line))
        return MARKDOWN_HEADING;
    if (is_fence(text, line))
        return MARKDOWN_FENCE;
    if ((sign == '=' && is_made_of(text, line->content, line->end, "= \t\r", "=", 2)) ||
        (sign == '-' && is_made_of(text, line->content, line->end, "-\r", "-", 2))) {
        line->level = sign == '=' ? 1 : 2;
        return MARKDOWN_UNDERLINE;
    }
    if ((sign == '-' && is_made_of(text, line->content, line->end, "- \t", "-", 3)) ||
        (sign == '*' && is_made_of(text, line->content, line->end, "* \t", "*", 3)) ||
        (sign == '_' && is_made_of(text, line->content, line->end, "_ \t", "_", 3)))
        return MARKDOWN_RULE;
    if (sign == '>') {
        line->content++;
        return MARKDOWN_QUOTE;
    }
    if (is_item(text, line))
        return MARKDOWN_ITEM;
    return is_table_row(text, line) ? MARKDOWN_TABLE : MARKDOWN_TEXT;
}

struct markdown_line markdown_line(struct span text, size_t at)
{
    const char *newline = memchr(text.bytes + at, '\n', text.length - at);
    struct markdown_line line = {.start = at};

    line.end = newline != NULL ? (size_t)(newline - text.bytes) : text.length;
    line.next = newline != NULL ? line.end + 1 : text.length;
    while (line.end > at && strchr(" \t\r\f\v", text.bytes[line.end - 1]) != NULL &&
           text.bytes[line.end - 1] != '\0')
        line.end--;
    for (line.content = at; line.content < line.end; line.content++) {
        if (text.bytes[line.content] == '\t')
            line.indent += 4 - line.indent % 4;
        else if (text.bytes[line.content] == ' ')
            line.indent++;
        else if (text.bytes[line.content] != '\f' && text.bytes[line.content] != '\v')
            break;
    }
    line.kind = kind_of(text, &line);
    while (line.content < line.end &&
           (text.bytes[line.content] == ' ' || text.bytes[line.content] == '\t'))
        line.content++;
    return line;
}

bool markdown_closes(const struct markdown_line *line, const struct markdown_line *fence)
{
    return line->kind == MARKDOWN_FENCE && line->sign == fence->sign &&
           line->run >= fence->run && line->content == line->end;
}

struct span markdown_content(struct span text, const struct markdown_line *line)
{
    size_t end = line->end;

    if (line->kind == MARKDOWN_HEADING) {
        while (end > line->content && text.bytes[end - 1] == '#')
            end--;
        if (end > line->content && text.bytes[end - 1] != ' ' &&
            text.bytes[end - 1] != '\t')
            end = line->end;
        while (end > line->content &&
               (text.bytes[end - 1] == ' ' || text.bytes[end - 1] == '\t'))
            end--;
    }
    return (struct span){text.bytes + line->content, end - line->content};
}
