#include "replies.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void request_line_copy(const void *data, size_t size, char *ret_line)
{
    const char *end = memchr(data, '\r', size);
    size_t length = end ? (size_t)(end - (const char *)data) : 0;

    if (length >= REQUEST_LINE)
        length = 0;
    memcpy(ret_line, data, length);
    ret_line[length] = '\0';
}

/* As a JSON string; bytes that are no text become '?'. */
static void add_string(struct bytes *out, const char *text)
{
    struct json_object *string;
    char *copy = strdup(text);

    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            *at = *at == '\n' ? '\n' : '?';
    string = json_object_new_string(copy);
    bytes_add_text(out, json_object_to_json_string(string));
    json_object_put(string);
    free(copy);
}

static void add_header_names(struct bytes *out, const struct reply *reply)
{
    const char *line = strstr(reply->head.data, "\r\n");

    bytes_add_text(out, "[");
    for (bool is_first = true; line && line[2]; line = strstr(line + 2, "\r\n")) {
        int length = (int)strcspn(line + 2, ":\r");

        if (line[2 + length] != ':')
            continue;
        bytes_addf(out, "%s\"%.*s\"", is_first ? "" : ",", length, line + 2);
        is_first = false;
    }
    bytes_add_text(out, "]");
}

/* A story may also call its own scripted provider. */
static bool reply_is_a_providers(const char *request_line)
{
    return strstr(request_line, " /openai/") != NULL;
}

void replies_note(const char *request_line, const struct reply *reply)
{
    const char *directory = getenv("POISE_REPLIES");
    char path[512], type[128] = "";
    struct bytes out = {0};

    if (!directory || !*request_line || reply_is_a_providers(request_line))
        return;
    reply_header(reply, "Content-Type", type, sizeof type);
    bytes_add_text(&out, "{\"line\":");
    add_string(&out, request_line);
    bytes_addf(&out, ",\"status\":%d,\"type\":", reply->status);
    add_string(&out, type);
    bytes_add_text(&out, ",\"headers\":");
    add_header_names(&out, reply);
    bytes_add_text(&out, ",\"body\":");
    if (reply->json)
        bytes_add_text(&out, json_object_to_json_string(reply->json));
    else if (strcmp(type, "text/event-stream") == 0 && reply->body.size)
        add_string(&out, reply->body.data);
    else
        bytes_add_text(&out, "null");
    bytes_add_text(&out, "}\n");

    snprintf(path, sizeof path, "%s/%ld.jsonl", directory, (long)getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        (void)!write(file, out.data, out.size);
        close(file);
    }
    bytes_free(&out);
}
