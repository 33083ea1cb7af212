/*
 * A reply, put together, and handed to libmicrohttpd.
 */
#include "response_internal.h"

#include <assert.h>
#include <string.h>

#define STREAM_BLOCK_BYTES 1024 /* at once, to a client of HTTP/1.0 */

void response_init(struct response *response, unsigned status, size_t max_body_bytes)
{
    response->status = status;
    response->header_count = 0;
    response->text_length = 0;
    response->borrowed = (struct span){NULL, 0};
    buffer_init(&response->body, max_body_bytes);
}

void response_header(struct response *response, const char *name, const char *value)
{
    assert(response->header_count < RESPONSE_MAX_HEADERS);
    response->headers[response->header_count].name = name;
    response->headers[response->header_count].value = value;
    response->header_count++;
}

void response_header_copy(struct response *response, const char *name, struct span value)
{
    char *copy = response->text + response->text_length;

    if (value.length >= sizeof(response->text) - response->text_length)
        return;
    memcpy(copy, value.bytes, value.length);
    copy[value.length] = '\0';
    response->text_length += value.length + 1;
    response_header(response, name, copy);
}

void response_header_number(struct response *response, const char *name, int64_t number)
{
    char digits[24];
    char *first = digits + sizeof(digits);
    uint64_t rest = number > 0 ? (uint64_t)number : 0;

    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    response_header_copy(response, name,
                         (struct span){first, (size_t)(digits + sizeof(digits) - first)});
}

struct span response_body(const struct response *response)
{
    if (response->borrowed.bytes != NULL)
        return response->borrowed;
    if (response->body.bytes != NULL)
        return (struct span){response->body.bytes, response->body.length};
    return (struct span){"", 0};
}

static enum MHD_Result queue(const struct response *response,
                             struct MHD_Connection *connection,
                             struct MHD_Response *library_response)
{
    enum MHD_Result result;

    if (library_response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < response->header_count; i++)
        MHD_add_response_header(library_response, response->headers[i].name,
                                response->headers[i].value);
    result = MHD_queue_response(connection, response->status, library_response);
    MHD_destroy_response(library_response);
    return result;
}

enum MHD_Result response_queue(struct response *response,
                               struct MHD_Connection *connection)
{
    struct span body = response_body(response);

    /* The parameter is not const for historical reasons; a persistent body is only read. */
    return queue(response, connection,
                 MHD_create_response_from_buffer(
                     body.length, (void *)(uintptr_t)body.bytes, MHD_RESPMEM_PERSISTENT));
}

enum MHD_Result response_queue_stream(struct response *response,
                                      struct MHD_Connection *connection,
                                      MHD_ContentReaderCallback read, void *context)
{
    return queue(response, connection,
                 MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
                                                   read, context, NULL));
}

void response_done(struct response *response)
{
    buffer_done(&response->body);
}
