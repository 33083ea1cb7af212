/*
 * Lines into blocks: paragraphs, lists, tables, code, under the headings that they stand below.
 */
#include "chunk_internal.h"

#include "mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES_MOST (CHUNK_TOKENS * CHARACTERS_A_TOKEN * CHUNK_BLOCK_TIMES)

bool chunk_document(const char *file_name, enum chunk_format format, struct span text,
                    chunk_fn *tell, void *context)
{
    struct chunker *chunker = chunker_new(file_name, format, tell, context);
    bool is_told = chunker_add(chunker, text) && chunker_end(chunker);

    chunker_free(chunker);
    return is_told;
}

struct chunker *chunker_new(const char *file_name, enum chunk_format format,
                            chunk_fn *tell, void *context)
{
    struct chunker *chunker = MEM_NEW(struct chunker);
    const char *slash = strrchr(file_name, '/');
    const char *name = slash != NULL ? slash + 1 : file_name, *dot = strrchr(name, '.');

    chunker->format = format;
    chunker->tell = tell;
    chunker->context = context;
    chunker->page = -1;
    chunker->front = format == CHUNK_MARKDOWN ? FRONT_NOT_YET : FRONT_PAST;
    buffer_init(&chunker->held, CHUNK_LINE_BYTES);
    buffer_init(&chunker->clean, 3 * CHUNK_LINE_BYTES);
    buffer_init(&chunker->text, 16 * CHUNK_LINE_BYTES);
    chunk_title(chunker,
                (struct span){name, dot != NULL && dot > name ? (size_t)(dot - name)
                                                              : strlen(name)});
    return chunker;
}

void chunker_free(struct chunker *chunker)
{
    if (chunker == NULL)
        return;
    buffer_done(&chunker->held);
    buffer_done(&chunker->clean);
    buffer_done(&chunker->text);
    free(chunker->units);
    free(chunker);
}

/* Takes the signs of quotation off a line.  In a list they are the list's. */
static bool unquote(const struct chunker *chunker, struct span *line)
{
    bool is_quoted = false;

    if (chunker->format != CHUNK_MARKDOWN ||
        (chunker->block == BLOCK_LIST && line->length > 0 && line->bytes[0] == ' '))
        return false;
    for (;;) {
        struct markdown_line quote = markdown_line(*line, 0);

        if (quote.kind != MARKDOWN_QUOTE || quote.indent >= 4)
            return is_quoted;
        is_quoted = true;
        *line = (struct span){line->bytes + quote.content, line->length - quote.content};
    }
}

static void append_line(struct chunker *chunker, struct span line)
{
    if (chunker->text.length > chunker->block_start) {
        buffer_append_string(&chunker->text, chunker->has_blank ? "\n\n" : "\n");
        chunker->has_blank = false;
    }
    buffer_append(&chunker->text, line.bytes, line.length);
    if (chunker->text.length - chunker->block_start > BLOCK_BYTES_MOST)
        chunk_settle(chunker, true);
}

/* "---", lines of "key: value", "---" at the very beginning: only the title is of use. */
static bool take_front_matter(struct chunker *chunker, struct span line)
{
    bool is_rule = line.length >= 3 && memcmp(line.bytes, "---", 3) == 0 &&
                   markdown_line(line, 0).end == 3;
    const char *colon = memchr(line.bytes, ':', line.length);

    if (chunker->front == FRONT_NOT_YET) {
        chunker->front = is_rule ? FRONT_OPENED : FRONT_PAST;
        return is_rule;
    }
    if ((chunker->front == FRONT_INSIDE && is_rule) ||
        (chunker->front == FRONT_OPENED &&
         (colon == NULL || !isalpha((unsigned char)line.bytes[0]))) ||
        (colon == NULL && line.length > 0 && strchr(" -#\t", line.bytes[0]) == NULL)) {
        chunker->front = FRONT_PAST;
        return is_rule;
    }
    chunker->front = FRONT_INSIDE;
    if (colon == line.bytes + 5 && strncasecmp(line.bytes, "title", 5) == 0)
        chunk_title(chunker, (struct span){colon + 1, line.length - 6});
    return true;
}

/* Is the line a part of the list or of the indented code that is open? */
static bool belongs(const struct chunker *chunker, const struct markdown_line *line)
{
    if (chunker->block == BLOCK_CODE)
        return line->indent >= 4;
    if (chunker->block != BLOCK_LIST)
        return false;
    if (line->kind == MARKDOWN_ITEM || line->indent >= 2)
        return true;
    return !chunker->has_blank &&
           (line->kind == MARKDOWN_TEXT || line->kind == MARKDOWN_TABLE);
}

/* The line of signs below a paragraph makes it a heading. */
static bool make_heading(struct chunker *chunker, int level)
{
    char heading[CHUNK_HEADING_BYTES];
    size_t length = chunker->text.length - chunker->block_start;

    if (chunker->block != BLOCK_PARAGRAPH || chunker->is_long_block || length == 0 ||
        length > sizeof(heading) ||
        (chunker->format == CHUNK_PLAIN_TEXT &&
         memchr(chunker->text.bytes + chunker->block_start, '\n', length) != NULL))
        return false;
    memcpy(heading, chunker->text.bytes + chunker->block_start, length);
    chunker->text.length = chunker->block_start;
    chunker->block = BLOCK_NONE;
    chunk_head(chunker, level, (struct span){heading, length});
    return true;
}

static void open_block(struct chunker *chunker, enum chunk_block block)
{
    chunk_close_block(chunker);
    if (chunker->text.length > 0)
        buffer_append_string(&chunker->text, "\n\n");
    chunker->block = block;
    chunker->block_start = chunker->text.length;
    chunker->has_blank = false;
    chunker->is_long_block = false;
}

static void take_text(struct chunker *chunker, struct span text,
                      const struct markdown_line *line)
{
    if (chunker->block == BLOCK_TABLE)
        chunk_close_block(chunker);
    if (chunker->block == BLOCK_NONE) {
        chunker->is_indented_code =
            chunker->format == CHUNK_MARKDOWN && line->indent >= 4;
        open_block(chunker, chunker->is_indented_code ? BLOCK_CODE : BLOCK_PARAGRAPH);
    }
    append_line(chunker, text);
}

/* A line that belongs to no list and no indented code. */
static void take_block_line(struct chunker *chunker, struct span text,
                            const struct markdown_line *line)
{
    switch (line->kind) {
    case MARKDOWN_HEADING:
        chunk_close_block(chunker);
        chunk_head(chunker, line->level, markdown_content(text, line));
        break;
    case MARKDOWN_UNDERLINE:
        if (make_heading(chunker, line->level))
            break;
        chunk_close_block(chunker);
        break;
    case MARKDOWN_BLANK:
    case MARKDOWN_RULE: chunk_close_block(chunker); break;
    case MARKDOWN_FENCE:
        open_block(chunker, BLOCK_CODE);
        chunker->fence = *line;
        append_line(chunker, text);
        break;
    case MARKDOWN_TABLE:
        if (chunker->block != BLOCK_TABLE)
            open_block(chunker, BLOCK_TABLE);
        append_line(chunker, text);
        break;
    case MARKDOWN_ITEM:
        open_block(chunker, BLOCK_LIST);
        append_line(chunker, text);
        break;
    case MARKDOWN_QUOTE:
    case MARKDOWN_TEXT: take_text(chunker, text, line); break;
    }
}

static void take_markdown(struct chunker *chunker, struct span text)
{
    struct markdown_line line = markdown_line(text, 0);

    if (chunker->format == CHUNK_PLAIN_TEXT &&
        (line.kind == MARKDOWN_HEADING || line.kind == MARKDOWN_QUOTE ||
         line.kind == MARKDOWN_FENCE))
        line.kind = MARKDOWN_TEXT;
    if (line.kind == MARKDOWN_ITEM && chunker->block == BLOCK_PARAGRAPH &&
        !line.may_interrupt)
        line.kind = MARKDOWN_TEXT;
    text.length = line.end;
    if (line.kind == MARKDOWN_BLANK) {
        if (chunker->block == BLOCK_LIST || chunker->block == BLOCK_CODE)
            chunker->has_blank = true;
        else
            chunk_close_block(chunker);
        return;
    }
    if (belongs(chunker, &line)) {
        append_line(chunker, text);
        if (line.kind == MARKDOWN_FENCE && chunker->block == BLOCK_LIST)
            chunker->fence = line;
        return;
    }
    if (chunker->block == BLOCK_LIST || chunker->block == BLOCK_CODE)
        chunk_close_block(chunker);
    take_block_line(chunker, text, &line);
}

void chunk_take_line(struct chunker *chunker, struct span line)
{
    bool is_quoted;
    struct span said = line;

    if (chunker->front != FRONT_PAST && take_front_matter(chunker, line))
        return;
    is_quoted = unquote(chunker, &said);
    if (chunker->fence.kind == MARKDOWN_FENCE && chunker->is_quote && !is_quoted)
        chunk_close_block(chunker);
    if (chunker->fence.kind == MARKDOWN_FENCE) {
        struct markdown_line read;

        line = chunker->is_quote ? said : line;
        read = markdown_line(line, 0);
        append_line(chunker, line);
        if (!markdown_closes(&read, &chunker->fence))
            return;
        chunker->fence.kind = MARKDOWN_BLANK;
        if (chunker->block == BLOCK_CODE)
            chunk_close_block(chunker);
        return;
    }
    if (is_quoted != chunker->is_quote)
        chunk_close_block(chunker);
    chunker->is_quote = is_quoted;
    take_markdown(chunker, said);
}

/* "Chapter 3", "PART II": what heads a chapter of a plain text stands in a paragraph of its own. */
static int chapter_level(const struct chunker *chunker)
{
    static const struct {
        const char *word;
        int level;
    } words[] = {{"chapter ", 1}, {"part ", 1}, {"appendix ", 1}, {"section ", 2}};
    const char *text = chunker->text.bytes + chunker->block_start;
    size_t length = chunker->text.length - chunker->block_start;

    if (chunker->format != CHUNK_PLAIN_TEXT || chunker->block != BLOCK_PARAGRAPH ||
        length > 80 || memchr(text, '\n', length) != NULL ||
        (length > 20 && strchr(".?!", text[length - 1]) != NULL)) /* a sentence */
        return 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t word = strlen(words[i].word);

        if (length > word && strncasecmp(text, words[i].word, word) == 0 &&
            strchr("0123456789IVXLCDM", text[word]) != NULL)
            return words[i].level;
    }
    return 0;
}

void chunk_close_block(struct chunker *chunker)
{
    int level;

    if (chunker->block == BLOCK_NONE)
        return;
    level = chapter_level(chunker);
    if (level == 0 || !make_heading(chunker, level))
        chunk_settle(chunker, false);
    chunker->block = BLOCK_NONE;
    chunker->has_blank = false;
    chunker->fence.kind = MARKDOWN_BLANK;
}
