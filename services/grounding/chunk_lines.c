/*
 * The lines of a document, out of bytes that come in any pieces.
 */
#include "chunk_internal.h"

#include "utf8.h"

#include <string.h>

static struct span held_span(const struct chunker *chunker)
{
    return chunker->held.length > 0
               ? (struct span){chunker->held.bytes, chunker->held.length}
               : (struct span){"", 0};
}

/* Where a line that is too long is best cut: behind a blank, else between two characters. */
static size_t cut_of(const char *bytes, size_t length)
{
    size_t at = length;

    while (at > length / 2 && bytes[at - 1] != ' ')
        at--;
    if (at > length / 2)
        return at;
    for (at = length; at > length - 4 && ((unsigned char)bytes[at - 1] & 0xc0) == 0x80;
         at--)
        ;
    return at > length - 4 && at > 1 && (unsigned char)bytes[at - 1] >= 0xc0 ? at - 1
                                                                             : length;
}

/* A line in valid UTF-8: bytes that are none become U+FFFD. */
static struct span clean_line(struct chunker *chunker, struct span bytes)
{
    size_t at = 0;

    if (utf8_is_valid(bytes.bytes, bytes.length))
        return bytes;
    chunker->clean.length = 0;
    while (at < bytes.length) {
        size_t step = 1;

        while (step < 4 && at + step < bytes.length &&
               ((unsigned char)bytes.bytes[at + step] & 0xc0) == 0x80)
            step++;
        if (!utf8_is_valid(bytes.bytes + at, step))
            step = utf8_is_valid(bytes.bytes + at, 1) ? 1 : 0;
        if (step == 0)
            buffer_append_string(&chunker->clean, "\xef\xbf\xbd");
        else
            buffer_append(&chunker->clean, bytes.bytes + at, step);
        at += step == 0 ? 1 : step;
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
        chunk_settle(chunker, true);
        return;
    }
    while ((feed = memchr(line.bytes, '\f', line.length)) != NULL) {
        chunk_take_line(chunker, (struct span){line.bytes, (size_t)(feed - line.bytes)});
        if (chunker->fence.kind != MARKDOWN_FENCE)
            chunk_close_block(chunker);
        chunker->page = chunker->page < 0 ? 2 : chunker->page + 1;
        line.length -= (size_t)(feed - line.bytes) + 1;
        line.bytes = feed + 1;
    }
    chunk_take_line(chunker, line);
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
            take_line(chunker, held_span(chunker), true);
            chunker->held.length = 0;
            at++;
        }
    }
    return !chunker->is_stopped;
}

bool chunker_end(struct chunker *chunker)
{
    if (chunker->held.length > 0 && !chunker->is_stopped)
        take_line(chunker, held_span(chunker), true);
    chunker->held.length = 0;
    chunk_close_block(chunker);
    chunk_head_end(chunker);
    return !chunker->is_stopped;
}
