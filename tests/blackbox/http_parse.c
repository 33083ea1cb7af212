/*
 * Reading one HTTP/1.1 response out of bytes (RFC 9112): status line, header lines, and a
 * body by Content-Length, by chunks, or up to the end of the connection.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http.h"

/* The line of the name'th header from *at on, or NULL; *at moves behind it. */
static const char *find_line(const struct bytes *head, const char *name, const char **at)
{
    size_t length = strlen(name);
    const char *line = *at ? *at : head->data;

    while (line && (line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            *at = line;
            return line + length + 1;
        }
    }
    return NULL;
}

bool head_header(const struct bytes *head, const char *name, char *ret_value, size_t room)
{
    const char *at = NULL;
    const char *value = find_line(head, name, &at);

    if (!value)
        return false;
    while (*value == ' ' || *value == '\t')
        value++;
    size_t size = strcspn(value, "\r\n");
    snprintf(ret_value, room, "%.*s", (int)size, value);
    return true;
}

int head_header_count(const struct bytes *head, const char *name)
{
    const char *at = NULL;
    int count = 0;

    while (find_line(head, name, &at))
        count++;
    return count;
}

bool reply_header(const struct reply *reply, const char *name, char *ret_value,
                  size_t room)
{
    return head_header(&reply->head, name, ret_value, room);
}

int reply_header_count(const struct reply *reply, const char *name)
{
    return head_header_count(&reply->head, name);
}

/* Undoes chunked coding: 1 with the size taken, 0 for more bytes, -1 for nonsense. */
static int take_chunks(const char *data, size_t size, struct bytes *body,
                       size_t *ret_taken)
{
    size_t at = 0;

    for (;;) {
        char *digits_end;
        const char *line_end = memmem(data + at, size - at, "\r\n", 2);
        if (!line_end)
            return 0;
        size_t chunk = strtoul(data + at, &digits_end, 16);
        if (digits_end == data + at)
            return -1;
        at = (size_t)(line_end - data) + 2;
        if (size - at < chunk + 2)
            return 0;
        bytes_add(body, data + at, chunk);
        at += chunk + 2;
        if (chunk == 0) {
            *ret_taken = at;
            return 1;
        }
    }
}

static int take_body(struct reply *reply, const char *data, size_t size, bool has_body,
                     bool ended, size_t *ret_taken)
{
    char value[64];

    *ret_taken = 0;
    if (!has_body || reply->status == 204 || reply->status == 304 || reply->status < 200)
        return 1;
    if (reply_header(reply, "Transfer-Encoding", value, sizeof value))
        return take_chunks(data, size, &reply->body, ret_taken);
    if (reply_header(reply, "Content-Length", value, sizeof value)) {
        size_t length = strtoul(value, NULL, 10);
        if (size < length)
            return 0;
        bytes_add(&reply->body, data, length);
        *ret_taken = length;
        return 1;
    }
    if (!ended)
        return 0;
    bytes_add(&reply->body, data, size);
    *ret_taken = size;
    return 1;
}

/* The body as JSON, only when every byte of it belongs to one strict document. */
static struct json_object *strict_json(const struct bytes *body)
{
    struct json_tokener *tokener = json_tokener_new();
    struct json_object *json;

    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json =
        json_tokener_parse_ex(tokener, body->data ? body->data : "", (int)body->size + 1);
    if (json && json_tokener_get_parse_end(tokener) != body->size) {
        json_object_put(json);
        json = NULL;
    }
    json_tokener_free(tokener);
    return json;
}

int reply_parse(const struct bytes *bytes, bool has_body, bool ended,
                struct reply **ret_reply, size_t *ret_size)
{
    if (bytes->size == 0)
        return 0;
    if (strncmp(bytes->data, "HTTP/1.", bytes->size < 7 ? bytes->size : 7) != 0)
        return -1;
    const char *end = memmem(bytes->data, bytes->size, "\r\n\r\n", 4);
    if (!end)
        return 0;

    struct reply *reply = calloc(1, sizeof *reply);
    size_t head_size = (size_t)(end - bytes->data) + 4;
    size_t body_size = 0;
    if (!reply)
        abort();
    bytes_add(&reply->head, bytes->data, head_size - 2);
    int result = -1;
    if (sscanf(reply->head.data, "HTTP/1.%*1[01] %d", &reply->status) == 1)
        result = take_body(reply, end + 4, bytes->size - head_size, has_body, ended,
                           &body_size);
    if (result != 1) {
        reply_free(reply);
        return result;
    }
    reply->json = strict_json(&reply->body);
    *ret_reply = reply;
    *ret_size = head_size + body_size;
    return 1;
}

void reply_free(struct reply *reply)
{
    if (!reply)
        return;
    bytes_free(&reply->head);
    bytes_free(&reply->body);
    json_object_put(reply->json);
    free(reply);
}
