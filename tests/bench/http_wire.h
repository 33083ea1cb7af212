/*
 * Just enough of HTTP/1.1 (RFC 9112) for both ends of a benchmark: where a message's head
 * ends and how long its body is.  Bodies have a Content-Length here; one that is chunked
 * counts as broken, because none of the programs measured sends one.
 */
#ifndef HTTP_WIRE_H
#define HTTP_WIRE_H

#include <stddef.h>

enum http_wire_state { HTTP_WIRE_PARTIAL, HTTP_WIRE_HEAD, HTTP_WIRE_BROKEN };

struct http_wire_head {
    size_t head_bytes; /* with the blank line that ends it */
    size_t body_bytes;
    int status; /* of a response; 0 in a request */
    const char
        *target; /* of a request, borrowed from the bytes read; NULL in a response */
    size_t target_bytes;
};

/*
 * Reads the head of the message that `bytes` begins with.  HTTP_WIRE_HEAD: it is complete
 * and in *ret_head.  HTTP_WIRE_PARTIAL: more bytes are needed.
 */
enum http_wire_state http_wire_read_head(const char *bytes, size_t length,
                                         struct http_wire_head *ret_head);

#endif
