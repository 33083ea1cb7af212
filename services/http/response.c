#include "response.h"

#include "wire.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#define HEAD_BYTES         4096
#define STREAM_BLOCK_BYTES 1024 /* at once, to a client of HTTP/1.0 */

/* Browsers that were here by TLS once come by nothing else for a year (RFC 6797). */
#define HSTS       "Strict-Transport-Security"
#define HSTS_VALUE "max-age=31536000"

static enum MHD_Result queue(const struct response *response, struct server *server,
                             struct MHD_Connection *connection,
                             struct MHD_Response *library_response);
static struct MHD_Response *add_headers(const struct response *response, bool is_tls,
                                        struct MHD_Response *library_response);
static void write_date(struct buffer *head);

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

enum MHD_Result response_queue(struct response *response, struct server *server,
                               struct MHD_Connection *connection)
{
    struct span body = response_body(response);

    /* The parameter is not const for historical reasons; a persistent body is only read.
     */
    return queue(response, server, connection,
                 MHD_create_response_from_buffer(
                     body.length, (void *)(uintptr_t)body.bytes, MHD_RESPMEM_PERSISTENT));
}

enum MHD_Result response_queue_stream(struct response *response, struct server *server,
                                      struct MHD_Connection *connection,
                                      MHD_ContentReaderCallback read, void *context)
{
    return queue(response, server, connection,
                 MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
                                                   read, context, NULL));
}

static enum MHD_Result queue(const struct response *response, struct server *server,
                             struct MHD_Connection *connection,
                             struct MHD_Response *library_response)
{
    enum MHD_Result result;

    if (add_headers(response, server->tls != NULL, library_response) == NULL)
        return MHD_NO;
    result = server->queue_response(connection, response->status, library_response);
    MHD_destroy_response(library_response);
    return result;
}

struct span response_body(const struct response *response)
{
    if (response->borrowed.bytes != NULL)
        return response->borrowed;
    if (response->body.bytes != NULL)
        return (struct span){response->body.bytes, response->body.length};
    return (struct span){"", 0};
}

static struct MHD_Response *add_headers(const struct response *response, bool is_tls,
                                        struct MHD_Response *library_response)
{
    if (library_response == NULL)
        return NULL;
    for (size_t i = 0; i < response->header_count; i++)
        MHD_add_response_header(library_response, response->headers[i].name,
                                response->headers[i].value);
    if (is_tls)
        MHD_add_response_header(library_response, HSTS, HSTS_VALUE);
    return library_response;
}

bool response_write(const struct response *response, struct connection *connection)
{
    struct span body = response_body(response);
    struct buffer bytes;
    bool went;

    buffer_init(&bytes, HEAD_BYTES + body.length);
    buffer_append_string(&bytes, "HTTP/1.1 ");
    buffer_append_number(&bytes, response->status);
    buffer_append_char(&bytes, ' ');
    buffer_append_string(&bytes, MHD_get_reason_phrase_for(response->status));
    buffer_append_string(&bytes, "\r\nConnection: close\r\n");
    write_date(&bytes);
    for (size_t i = 0; i < response->header_count; i++) {
        buffer_append_string(&bytes, response->headers[i].name);
        buffer_append_string(&bytes, ": ");
        buffer_append_string(&bytes, response->headers[i].value);
        buffer_append_string(&bytes, "\r\n");
    }
    if (connection->language == LANGUAGE_TLS)
        buffer_append_string(&bytes, HSTS ": " HSTS_VALUE "\r\n");
    buffer_append_string(&bytes, "Content-Length: ");
    buffer_append_number(&bytes, (int64_t)body.length);
    buffer_append_string(&bytes, "\r\n\r\n");
    buffer_append(&bytes, body.bytes, body.length);
    assert(!bytes.is_over);
    went = wire_write(connection, (struct span){bytes.bytes, bytes.length});
    buffer_done(&bytes);
    return went;
}

/* IMF-fixdate (RFC 9110 5.6.7), whose names are English in every locale. */
static void write_date(struct buffer *head)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t now = time(NULL);
    char clock[32];
    struct tm utc;

    gmtime_r(&now, &utc);
    buffer_append_string(head, "Date: ");
    buffer_append(head, days + (size_t)utc.tm_wday * 3, 3);
    buffer_append_string(head, ", ");
    strftime(clock, sizeof(clock), "%d ", &utc);
    buffer_append_string(head, clock);
    buffer_append(head, months + (size_t)utc.tm_mon * 3, 3);
    strftime(clock, sizeof(clock), " %Y %H:%M:%S GMT\r\n", &utc);
    buffer_append_string(head, clock);
}

void response_done(struct response *response)
{
    buffer_done(&response->body);
}
