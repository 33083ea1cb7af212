/*
 * Cutting a document into passages.  Bytes go in as they are read, and chunks come out:
 *
 *   bytes > lines > blocks (paragraphs, lists, tables, code) > units (sentences, whole blocks) > chunks
 *
 * The parts of the file stand in the other order, each above the one that uses it.  What is kept is the chunk that
 * is being filled and the block that is open, so that memory does not grow with the document: at most 150 KB,
 * whatever it holds.
 */
#include "chunk_internal.h"

#include "buffer.h"
#include "markdown.h"
#include "mem.h"
#include "sentences.h"
#include "utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_LINE_BYTES    32768 /* a longer line is read in pieces */
#define CHUNK_HEADING_BYTES 240
#define CHUNK_LEVELS        6

#define CHARACTERS_MOST  (CHUNK_TOKENS * CHARACTERS_A_TOKEN)
#define CHARACTERS_OVER  (CHUNK_TOKENS_OVER * CHARACTERS_A_TOKEN)
#define CHARACTERS_BLOCK (CHARACTERS_MOST * CHUNK_BLOCK_TIMES)

/* What is never cut inside, but between two of them. */
struct chunk_unit {
    size_t start, end; /* in the text */
    size_t characters;
    int64_t page;
    bool is_prose; /* a sentence, which may stand in two chunks */
};

enum chunk_block { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_LIST, BLOCK_TABLE, BLOCK_CODE };

enum chunk_front { FRONT_NOT_YET, FRONT_OPENED, FRONT_INSIDE, FRONT_PAST };

struct chunker {
    enum chunk_format format;
    chunk_fn *tell;
    void *context;   /* borrowed, for tell */
    bool is_stopped; /* tell returned false */
    int64_t page;    /* from 1; -1: the document has none */

    /* lines */
    struct buffer held;  /* the line that has not ended */
    struct buffer clean; /* a line in valid UTF-8 */
    bool is_mid_line;    /* the start of this line was read as a line of its own */
    bool has_begun;

    /* blocks */
    enum chunk_front front;
    enum chunk_block block;
    bool has_blank;     /* blank lines since the block's last */
    bool is_quote;      /* the last line was quoted */
    bool is_long_block; /* it has been cut already */
    size_t block_start;
    struct markdown_line fence; /* its kind is MARKDOWN_FENCE inside one */

    /* units and chunks */
    struct buffer text;       /* what has not been told, and what the next chunk shares */
    struct chunk_unit *units; /* owned */
    size_t unit_count, unit_capacity;
    size_t fresh; /* the first unit that no chunk has told */

    /* headings */
    char heading[CHUNK_LEVELS][CHUNK_HEADING_BYTES + 1]; /* "": none */
    bool has_chunk[CHUNK_LEVELS];                        /* something was told below it */
    char file_title[CHUNK_HEADING_BYTES + 1];
};

/* ---- headings and titles: what stands over a chunk ---- */

/* The longest part of `length` bytes that has room and does not cut a character. */
static size_t fitting(const char *bytes, size_t length)
{
    if (length <= CHUNK_HEADING_BYTES)
        return length;
    length = CHUNK_HEADING_BYTES;
    while (length > 0 && ((unsigned char)bytes[length] & 0xc0) == 0x80)
        length--;
    return length;
}

/* A heading without the signs of emphasis, links' addresses, "{#anchors}" and line ends. */
static void copy_heading(char *to, struct span from)
{
    size_t length = 0;
    char text[CHUNK_HEADING_BYTES + 1];

    from.length = fitting(from.bytes, from.length);
    for (size_t at = 0; at < from.length; at++) {
        char c = from.bytes[at];
        const char *close = NULL;

        if (c == ']' && at + 1 < from.length && from.bytes[at + 1] == '(')
            close = memchr(from.bytes + at, ')', from.length - at);
        else if (c == '{' && at + 1 < from.length && from.bytes[at + 1] == '#')
            close = memchr(from.bytes + at, '}', from.length - at);
        if (close != NULL)
            at = (size_t)(close - from.bytes);
        else if (c == '\n' || c == '\t' || c == '\r')
            text[length++] = ' ';
        else if (c != '*' && c != '`' && c != '[' && c != ']' && c != '\0')
            text[length++] = c;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

static void set_title(struct chunker *chunker, struct span title)
{
    while (title.length > 0 && strchr(" \t\"'", title.bytes[0]) != NULL)
        title = (struct span){title.bytes + 1, title.length - 1};
    while (title.length > 0 && strchr(" \t\"'", title.bytes[title.length - 1]) != NULL)
        title.length--;
    if (title.length > 0)
        copy_heading(chunker->file_title, title);
}

static void tell_chunk(struct chunker *chunker, struct span text, int64_t page)
{
    char section[CHUNK_LEVELS * (CHUNK_HEADING_BYTES + 3) + 1];
    size_t length = 0;
    bool has_top = chunker->heading[0][0] != '\0';

    if (chunker->is_stopped || text.length == 0)
        return;
    section[0] = '\0';
    for (int at = 1; at < CHUNK_LEVELS; at++) {
        const char *heading = chunker->heading[at];

        if (heading[0] == '\0')
            continue;
        if (length > 0)
            length += (size_t)(stpcpy(section + length, " > ") - (section + length));
        length += (size_t)(stpcpy(section + length, heading) - (section + length));
    }
    memset(chunker->has_chunk, true, sizeof(chunker->has_chunk));
    chunker->is_stopped = !chunker->tell(
        chunker->context, &(struct chunk){.title = span_of(has_top ? chunker->heading[0]
                                                                   : chunker->file_title),
                                          .section = {section, length},
                                          .text = text,
                                          .page = page});
}

/* Under a heading that has nothing below it, the heading is what is told: somebody may look for it. */
static void close_levels(struct chunker *chunker, int level)
{
    for (int at = CHUNK_LEVELS - 1; at >= level - 1; at--) {
        char heading[CHUNK_HEADING_BYTES + 1];

        if (chunker->heading[at][0] != '\0' && !chunker->has_chunk[at]) {
            strcpy(heading, chunker->heading[at]);
            tell_chunk(chunker, span_of(heading), chunker->page);
        }
        chunker->heading[at][0] = '\0';
        chunker->has_chunk[at] = false;
    }
}

/* ---- units into chunks ---- */

/* A chunk is a stretch of the text from one unit to another; the next one begins with its last sentences. */

static void add_unit(struct chunker *chunker, size_t start, size_t end, bool is_prose)
{
    MEM_ROOM(chunker->units, chunker->unit_count, chunker->unit_capacity, 1);
    chunker->units[chunker->unit_count++] = (struct chunk_unit){
        .start = start,
        .end = end,
        .characters = utf8_count(chunker->text.bytes + start, end - start),
        .page = chunker->page,
        .is_prose = is_prose};
}

/* How much of what is too long stands before the best cut: behind a blank, else between two characters. */
static size_t cut_of(const char *bytes, size_t length)
{
    size_t at = length;

    while (at > length / 2 && bytes[at - 1] != ' ' && bytes[at - 1] != '\n')
        at--;
    if (at > length / 2)
        return at;
    for (at = length; at > length - 4 && ((unsigned char)bytes[at - 1] & 0xc0) == 0x80;
         at--)
        ;
    return at > length - 4 && at > 1 && (unsigned char)bytes[at - 1] >= 0xc0 ? at - 1
                                                                             : length;
}

/* Adds a stretch as one unit, or cut behind blanks where it is longer than `most` characters. */
static void add_bounded(struct chunker *chunker, size_t start, size_t end, size_t most,
                        bool is_prose)
{
    while (end - start > most) { /* bytes: never fewer than characters */
        size_t cut = start + cut_of(chunker->text.bytes + start, most);

        add_unit(chunker, start, cut, is_prose);
        start = cut;
    }
    if (end > start)
        add_unit(chunker, start, end, is_prose);
}

/* Units end where sentences do; what is between two goes with the one before it. */
static void settle_prose(struct chunker *chunker, bool is_open)
{
    struct span text = {chunker->text.bytes + chunker->block_start,
                        chunker->text.length - chunker->block_start};
    struct sentences sentences;
    struct span sentence, next;
    size_t start = chunker->block_start;

    sentences_init(&sentences, text);
    if (sentences_next(&sentences, &sentence)) {
        while (sentences_next(&sentences, &next)) {
            size_t end = (size_t)(next.bytes - chunker->text.bytes);

            add_bounded(chunker, start, end, CHARACTERS_MOST, true);
            start = end;
        }
    }
    if (!is_open || chunker->text.length - start > CHARACTERS_BLOCK) {
        add_bounded(chunker, start, chunker->text.length, CHARACTERS_MOST, true);
        start = chunker->text.length;
    }
    chunker->block_start = start;
}

/* May a long block be cut in front of this line?  A list only in front of an item. */
static bool is_cut(const struct chunker *chunker, struct span text, size_t at,
                   size_t indent, size_t length)
{
    struct markdown_line line;

    if (chunker->block != BLOCK_LIST || length > CHARACTERS_MOST)
        return true;
    line = markdown_line(text, at);
    return line.kind == MARKDOWN_ITEM && line.indent <= indent + 1;
}

static void settle_lines(struct chunker *chunker, bool is_open)
{
    struct span text = {chunker->text.bytes, chunker->text.length};
    size_t start = chunker->block_start, at = start;
    size_t indent = markdown_line(text, start).indent;

    while (at < text.length) {
        size_t next = markdown_line(text, at).next;

        if (at > start && is_cut(chunker, text, at, indent, at - start)) {
            add_bounded(chunker, start, at, CHARACTERS_BLOCK, false);
            start = at;
        }
        at = next;
    }
    if (!is_open || text.length - start > CHARACTERS_BLOCK) {
        add_bounded(chunker, start, text.length, CHARACTERS_BLOCK, false);
        start = text.length;
    }
    chunker->block_start = start;
}

static size_t characters(const struct chunker *chunker, size_t from, size_t to)
{
    size_t sum = 0;

    for (size_t i = from; i < to; i++)
        sum += chunker->units[i].characters;
    return sum;
}

static void tell_units(struct chunker *chunker, size_t count)
{
    const char *bytes = chunker->text.bytes;
    size_t start = chunker->units[0].start, end = chunker->units[count - 1].end;

    while (start < end && (bytes[start] == '\n' || bytes[start] == ' '))
        start++;
    while (end > start && strchr(" \t\n", bytes[end - 1]) != NULL)
        end--;
    /* Indentation is part of a line of code. */
    while (start > chunker->units[0].start && bytes[start - 1] == ' ')
        start--;
    tell_chunk(chunker, (struct span){bytes + start, end - start},
               chunker->units[0].page);
}

/* Forgets the units in front of `from`, and their text. */
static void drop_units(struct chunker *chunker, size_t from)
{
    size_t bytes = from < chunker->unit_count     ? chunker->units[from].start
                   : chunker->block != BLOCK_NONE ? chunker->block_start
                                                  : chunker->text.length;

    if (bytes > chunker->text.length)
        bytes = chunker->text.length;
    if (bytes == 0 && from == 0)
        return;
    memmove(chunker->text.bytes, chunker->text.bytes + bytes,
            chunker->text.length - bytes);
    chunker->text.length -= bytes;
    chunker->block_start -= chunker->block_start < bytes ? chunker->block_start : bytes;
    chunker->unit_count -= from;
    memmove(chunker->units, chunker->units + from,
            chunker->unit_count * sizeof(*chunker->units));
    for (size_t i = 0; i < chunker->unit_count; i++) {
        chunker->units[i].start -= bytes;
        chunker->units[i].end -= bytes;
    }
}

/* How many units the next chunk takes. */
static size_t full_count(const struct chunker *chunker)
{
    size_t count = chunker->fresh + 1;
    size_t sum = characters(chunker, 0, count);

    while (
        count < chunker->unit_count &&
        (sum + chunker->units[count].characters <= CHARACTERS_MOST ||
         sum <= CHARACTERS_OVER)) /* a line that introduces a long list stays with it */
        sum += chunker->units[count++].characters;
    return count;
}

static void pack(struct chunker *chunker, bool is_end)
{
    while (chunker->fresh < chunker->unit_count) {
        size_t all = characters(chunker, 0, chunker->unit_count);
        size_t count = full_count(chunker), shared = count;

        if (all <= CHARACTERS_MOST + CHARACTERS_OVER) {
            if (!is_end)
                return;
            count = shared = chunker->unit_count;
        }
        if (!is_end && count == chunker->unit_count &&
            characters(chunker, 0, count) <= CHARACTERS_MOST)
            return;
        tell_units(chunker, count);
        while (shared > 1 && chunker->units[shared - 1].is_prose &&
               characters(chunker, shared - 1, count) <= CHARACTERS_OVER)
            shared--;
        drop_units(chunker, shared);
        chunker->fresh = count - shared;
    }
    if (is_end) {
        drop_units(chunker, chunker->unit_count);
        chunker->fresh = 0;
    }
}

static void settle(struct chunker *chunker, bool is_open)
{
    size_t length = chunker->text.length - chunker->block_start;

    if (chunker->block == BLOCK_PARAGRAPH) {
        chunker->is_long_block |= is_open;
        settle_prose(chunker, is_open);
    } else if (chunker->is_long_block || length > CHARACTERS_BLOCK) {
        chunker->is_long_block = true;
        settle_lines(chunker, is_open);
    } else if (!is_open && length > 0) {
        add_unit(chunker, chunker->block_start, chunker->text.length, false);
        chunker->block_start = chunker->text.length;
    }
    pack(chunker, false);
}

static void begin_section(struct chunker *chunker, int level, struct span heading)
{
    pack(chunker, true);
    close_levels(chunker, level);
    copy_heading(chunker->heading[level - 1], heading);
}

static void end_sections(struct chunker *chunker)
{
    pack(chunker, true);
    close_levels(chunker, 1);
}

/* ---- lines into blocks, under the headings that they stand below ---- */

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
    if (chunker->text.length - chunker->block_start > CHARACTERS_BLOCK)
        settle(chunker, true);
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
        set_title(chunker, (struct span){colon + 1, line.length - 6});
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
    begin_section(chunker, level, (struct span){heading, length});
    return true;
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

static void close_block(struct chunker *chunker)
{
    int level;

    if (chunker->block == BLOCK_NONE)
        return;
    level = chapter_level(chunker);
    if (level == 0 || !make_heading(chunker, level))
        settle(chunker, false);
    chunker->block = BLOCK_NONE;
    chunker->has_blank = false;
    chunker->fence.kind = MARKDOWN_BLANK;
}

static void open_block(struct chunker *chunker, enum chunk_block block)
{
    close_block(chunker);
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
        close_block(chunker);
    if (chunker->block == BLOCK_NONE) {
        open_block(chunker, chunker->format == CHUNK_MARKDOWN && line->indent >= 4
                                ? BLOCK_CODE
                                : BLOCK_PARAGRAPH);
    }
    append_line(chunker, text);
}

/* A line that belongs to no list and no indented code. */
static void take_block_line(struct chunker *chunker, struct span text,
                            const struct markdown_line *line)
{
    switch (line->kind) {
    case MARKDOWN_HEADING:
        close_block(chunker);
        begin_section(chunker, line->level, markdown_content(text, line));
        break;
    case MARKDOWN_UNDERLINE:
        if (make_heading(chunker, line->level))
            break;
        close_block(chunker);
        break;
    case MARKDOWN_BLANK:
    case MARKDOWN_RULE: close_block(chunker); break;
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
            close_block(chunker);
        return;
    }
    if (belongs(chunker, &line)) {
        append_line(chunker, text);
        if (line.kind == MARKDOWN_FENCE && chunker->block == BLOCK_LIST)
            chunker->fence = line;
        return;
    }
    if (chunker->block == BLOCK_LIST || chunker->block == BLOCK_CODE)
        close_block(chunker);
    take_block_line(chunker, text, &line);
}

static void take_whole_line(struct chunker *chunker, struct span line)
{
    bool is_quoted;
    struct span said = line;

    if (chunker->front != FRONT_PAST && take_front_matter(chunker, line))
        return;
    is_quoted = unquote(chunker, &said);
    if (chunker->fence.kind == MARKDOWN_FENCE && chunker->is_quote && !is_quoted)
        close_block(chunker);
    if (chunker->fence.kind == MARKDOWN_FENCE) {
        struct markdown_line read;

        line = chunker->is_quote ? said : line;
        read = markdown_line(line, 0);
        append_line(chunker, line);
        if (!markdown_closes(&read, &chunker->fence))
            return;
        chunker->fence.kind = MARKDOWN_BLANK;
        if (chunker->block == BLOCK_CODE)
            close_block(chunker);
        return;
    }
    if (is_quoted != chunker->is_quote)
        close_block(chunker);
    chunker->is_quote = is_quoted;
    take_markdown(chunker, said);
}

/* ---- bytes into lines ---- */

/* A line in valid UTF-8: bytes that are none become U+FFFD. */
static struct span clean_line(struct chunker *chunker, struct span bytes)
{
    if (utf8_is_valid(bytes.bytes, bytes.length))
        return bytes;
    chunker->clean.length = 0;
    for (size_t at = 0, step; at < bytes.length; at += step) {
        size_t most = bytes.length - at < 4 ? bytes.length - at : 4;

        for (step = 1; step <= most && !utf8_is_valid(bytes.bytes + at, step);)
            step++;
        if (step > most) {
            buffer_append_string(&chunker->clean, "\xef\xbf\xbd");
            step = 1;
        } else {
            buffer_append(&chunker->clean, bytes.bytes + at, step);
        }
    }
    return (struct span){chunker->clean.bytes, chunker->clean.length};
}

/* A line, or where it is too long a part of one, without its end. */
static void take_line(struct chunker *chunker, struct span bytes, bool is_ended)
{
    struct span line = clean_line(chunker, bytes);
    bool was_mid_line = chunker->is_mid_line;
    const char *feed;

    if (!chunker->has_begun && line.length >= 3 &&
        memcmp(line.bytes, "\xef\xbb\xbf", 3) == 0)
        line = (struct span){line.bytes + 3, line.length - 3}; /* a byte order mark */
    chunker->is_mid_line = !is_ended;
    chunker->has_begun = true;
    if (line.length > 0 && line.bytes[line.length - 1] == '\r')
        line.length--;
    if (was_mid_line && chunker->block != BLOCK_NONE) {
        buffer_append(&chunker->text, line.bytes, line.length);
        settle(chunker, true);
        return;
    }
    while ((feed = memchr(line.bytes, '\f', line.length)) != NULL) {
        take_whole_line(chunker, (struct span){line.bytes, (size_t)(feed - line.bytes)});
        if (chunker->fence.kind != MARKDOWN_FENCE)
            close_block(chunker);
        chunker->page = chunker->page < 0 ? 2 : chunker->page + 1;
        line.length -= (size_t)(feed - line.bytes) + 1;
        line.bytes = feed + 1;
    }
    take_whole_line(chunker, line);
}

/* Reads what is held as a line that has not ended yet, but for its last, cut word. */
static void take_held_part(struct chunker *chunker)
{
    size_t cut = cut_of(chunker->held.bytes, chunker->held.length);
    size_t rest = chunker->held.length - cut;

    take_line(chunker, (struct span){chunker->held.bytes, cut}, false);
    memmove(chunker->held.bytes, chunker->held.bytes + cut, rest);
    chunker->held.length = rest;
}

bool chunker_add(struct chunker *chunker, struct span bytes)
{
    size_t at = 0;

    if (!chunker->has_begun && chunker->held.length == 0 && bytes.length > 0 &&
        memchr(bytes.bytes, '\f', bytes.length) != NULL)
        chunker->page = 1;
    while (at < bytes.length && !chunker->is_stopped) {
        const char *newline = memchr(bytes.bytes + at, '\n', bytes.length - at);
        size_t end = newline != NULL ? (size_t)(newline - bytes.bytes) : bytes.length;
        size_t room = CHUNK_LINE_BYTES - chunker->held.length;
        size_t part = end - at < room ? end - at : room;

        buffer_append(&chunker->held, bytes.bytes + at, part);
        at += part;
        if (at < end) {
            take_held_part(chunker);
        } else if (newline != NULL) {
            take_line(chunker, (struct span){chunker->held.bytes, chunker->held.length},
                      true);
            chunker->held.length = 0;
            at++;
        }
    }
    return !chunker->is_stopped;
}

bool chunker_end(struct chunker *chunker)
{
    if (chunker->held.length > 0 && !chunker->is_stopped)
        take_line(chunker, (struct span){chunker->held.bytes, chunker->held.length},
                  true);
    chunker->held.length = 0;
    close_block(chunker);
    end_sections(chunker);
    return !chunker->is_stopped;
}

/* ---- a document ---- */

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
    buffer_reserve(&chunker->held, 1); /* no line is nowhere, however short */
    buffer_init(&chunker->clean, 3 * CHUNK_LINE_BYTES);
    buffer_init(&chunker->text, 16 * CHUNK_LINE_BYTES);
    set_title(chunker,
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
