/*
 * Headings and titles: what stands over a chunk.
 */
#include "chunk_internal.h"

#include <string.h>

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

void chunk_title(struct chunker *chunker, struct span title)
{
    while (title.length > 0 && strchr(" \t\"'", title.bytes[0]) != NULL)
        title = (struct span){title.bytes + 1, title.length - 1};
    while (title.length > 0 && strchr(" \t\"'", title.bytes[title.length - 1]) != NULL)
        title.length--;
    if (title.length > 0)
        copy_heading(chunker->file_title, title);
}

/* Under a heading that has nothing below it, the heading is what is told: somebody may look for it. */
static void close_levels(struct chunker *chunker, int level)
{
    for (int at = CHUNK_LEVELS - 1; at >= level - 1; at--) {
        char heading[CHUNK_HEADING_BYTES + 1];

        if (chunker->heading[at][0] != '\0' && !chunker->has_chunk[at]) {
            strcpy(heading, chunker->heading[at]);
            chunk_tell(chunker, span_of(heading), chunker->page);
        }
        chunker->heading[at][0] = '\0';
        chunker->has_chunk[at] = false;
    }
}

void chunk_head(struct chunker *chunker, int level, struct span heading)
{
    chunk_pack(chunker, true);
    close_levels(chunker, level);
    copy_heading(chunker->heading[level - 1], heading);
}

void chunk_head_end(struct chunker *chunker)
{
    chunk_pack(chunker, true);
    close_levels(chunker, 1);
}

void chunk_tell(struct chunker *chunker, struct span text, int64_t page)
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
