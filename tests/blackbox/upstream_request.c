/*
 * One request, byte for byte.
 */
#include "upstream_request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "http.h"

void upstream_call_free(struct call *call)
{
    bytes_free(&call->head);
    bytes_free(&call->body);
    json_object_put(call->json);
    free(call);
}

/* Paths: https://platform.openai.com/docs/api-reference/audio,
 * https://developers.deepgram.com/reference */
static enum role role_of(const struct call *call)
{
    static const struct {
        const char *path;
        enum role role;
    } ROLES[] = {{"/audio/transcriptions ", ROLE_HEARING},
                 {"/v1/listen?", ROLE_HEARING},
                 {"/audio/speech ", ROLE_SPEAKING},
                 {"/v1/speak?", ROLE_SPEAKING}};
    size_t line_size = strcspn(call->head.data, "\r");

    for (size_t i = 0; i < sizeof ROLES / sizeof *ROLES; i++) {
        if (memmem(call->head.data, line_size, ROLES[i].path, strlen(ROLES[i].path)))
            return ROLES[i].role;
    }
    return bytes_has(&call->body, "overall_assessment") ? ROLE_SUMMARY : ROLE_ANSWER;
}

struct call *upstream_read(int descriptor, struct bytes *received)
{
    struct call *call = calloc(1, sizeof *call);
    char block[65536];

    if (!call)
        abort();
    for (;;) {
        char *end =
            received->size ? memmem(received->data, received->size, "\r\n\r\n", 4) : NULL;
        if (end) {
            size_t head_size = (size_t)(end - received->data) + 4;
            char length[32] = "0";
            call->head.size = 0;
            bytes_add(&call->head, received->data, head_size - 2);
            head_header(&call->head, "Content-Length", length, sizeof length);
            size_t body_size = strtoul(length, NULL, 10);
            if (received->size >= head_size + body_size) {
                bytes_add(&call->body, received->data + head_size, body_size);
                bytes_drop(received, head_size + body_size);
                call->json = json_tokener_parse(call->body.data);
                call->role = role_of(call);
                call->is_summary = call->role == ROLE_SUMMARY;
                return call;
            }
        }
        ssize_t size = recv(descriptor, block, sizeof block, 0);
        if (size <= 0)
            break;
        bytes_add(received, block, (size_t)size);
    }
    upstream_call_free(call);
    return NULL;
}
