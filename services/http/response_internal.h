/*
 * A reply as it goes over the wire: status, headers, body.
 */
#ifndef RESPONSE_INTERNAL_H
#define RESPONSE_INTERNAL_H

#include "server_internal.h"

#define RESPONSE_MAX_HEADERS 20
#define RESPONSE_TEXT_BYTES  448

struct response {
    unsigned status;
    struct {
        const char *name;  /* static */
        const char *value; /* borrowed: static, the request's, or in `text` */
    } headers[RESPONSE_MAX_HEADERS];
    size_t header_count;
    char text[RESPONSE_TEXT_BYTES]; /* values that were composed */
    size_t text_length;
    struct buffer body;
    struct span borrowed; /* a body that the endpoint keeps, in place of `body`; bytes
                             NULL: there is none */
};

void response_init(struct response *response, unsigned status, size_t max_body_bytes);

/* Adds a header.  The value is borrowed until the reply is sent. */
void response_header(struct response *response, const char *name, const char *value);

/* The same with a value that is copied. */
void response_header_copy(struct response *response, const char *name, struct span value);
void response_header_number(struct response *response, const char *name, int64_t number);

/* The body, wherever it is; never without bytes. */
struct span response_body(const struct response *response);

/* Hands it to libmicrohttpd, which borrows the body until the request is completed. */
enum MHD_Result response_queue(struct response *response,
                               struct MHD_Connection *connection);

/* The same for a reply whose body comes from `read` bit by bit, of a length that nobody
 * knows. */
enum MHD_Result response_queue_stream(struct response *response,
                                      struct MHD_Connection *connection,
                                      MHD_ContentReaderCallback read, void *context);

/* Wipes and frees the body.  A zeroed response is fine. */
void response_done(struct response *response);

#endif
