/*
 * Units into chunks.  A chunk is a stretch of the text from one unit to another; the next one begins with
 * the last sentences of it.
 */
#include "chunk_internal.h"

#include "mem.h"
#include "sentences.h"
#include "utf8.h"

#include <string.h>

#define CHARACTERS_MOST  (CHUNK_TOKENS * CHARACTERS_A_TOKEN)
#define CHARACTERS_OVER  (CHUNK_TOKENS_OVER * CHARACTERS_A_TOKEN)
#define CHARACTERS_BLOCK (CHARACTERS_MOST * CHUNK_BLOCK_TIMES)

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

/* Adds a stretch as one unit, or cut behind blanks where it is longer than `most` characters. */
static void add_bounded(struct chunker *chunker, size_t start, size_t end, size_t most,
                        bool is_prose)
{
    const char *bytes = chunker->text.bytes;

    while (end - start > most) { /* bytes: never fewer than characters */
        size_t cut = start + most;

        while (cut > start + most / 2 && bytes[cut] != ' ' && bytes[cut] != '\n')
            cut--;
        if (cut == start + most / 2) {
            cut = start + most;
            while (((unsigned char)bytes[cut] & 0xc0) == 0x80)
                cut--;
        }
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

void chunk_settle(struct chunker *chunker, bool is_open)
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
    chunk_pack(chunker, false);
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
    chunk_tell(chunker, (struct span){bytes + start, end - start},
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

void chunk_pack(struct chunker *chunker, bool is_end)
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
