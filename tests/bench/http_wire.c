/* The head of an HTTP/1.1 message, read line by line.  See http_wire.h. */
#include "http_wire.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool read_request_line(const char *line, size_t length,
                              struct http_wire_head *head)
{
    const char *space = memchr(line, ' ', length);
    if (space == NULL)
        return false;
    const char *target = space + 1;
    const char *end = memchr(target, ' ', length - (size_t)(target - line));
    if (end == NULL)
        return false;
    head->target = target;
    head->target_bytes = (size_t)(end - target);
    return true;
}

/* Digits up to the end of the line; the caller has seen a CR behind them. */
static bool read_number(const char *text, unsigned long limit, unsigned long *ret_number)
{
    while (*text == ' ')
        text++;
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (end == text || number > limit)
        return false;
    *ret_number = number;
    return true;
}

static bool read_start_line(const char *line, size_t length, struct http_wire_head *head)
{
    static const char version[] = "HTTP/1.1 ";
    unsigned long status;

    if (length < sizeof version + 2 || memcmp(line, version, sizeof version - 1) != 0)
        return read_request_line(line, length, head);
    if (!read_number(line + sizeof version - 1, 999, &status))
        return false;
    head->status = (int)status;
    return true;
}

static bool read_field(const char *line, struct http_wire_head *head)
{
    static const char length_name[] = "Content-Length:";
    static const char coding_name[] = "Transfer-Encoding:";
    unsigned long length;

    if (strncasecmp(line, coding_name, sizeof coding_name - 1) == 0)
        return false;
    if (strncasecmp(line, length_name, sizeof length_name - 1) != 0)
        return true;
    if (!read_number(line + sizeof length_name - 1, 64UL << 20, &length))
        return false;
    head->body_bytes = length;
    return true;
}

enum http_wire_state http_wire_read_head(const char *bytes, size_t length,
                                         struct http_wire_head *ret_head)
{
    const char *blank = memmem(bytes, length, "\r\n\r\n", 4);
    if (blank == NULL)
        return HTTP_WIRE_PARTIAL;

    struct http_wire_head head = {.head_bytes = (size_t)(blank - bytes) + 4};
    const char *line = bytes;
    while (line <= blank) {
        const char *end = memchr(line, '\r', (size_t)(blank + 1 - line));
        bool read = line == bytes ? read_start_line(line, (size_t)(end - line), &head)
                                  : read_field(line, &head);
        if (!read)
            return HTTP_WIRE_BROKEN;
        line = end + 2;
    }
    *ret_head = head;
    return HTTP_WIRE_HEAD;
}
