/*
 * The headers of a request that anybody here asks for, and whether they are fit to be
 * believed.
 *
 * libmicrohttpd passes on what a strict reading of RFC 9112 refuses because two programs
 * in a row could understand it differently (request smuggling): two Content-Length, one
 * together with Transfer-Encoding, two Hosts.  Those are found here.  Folded lines it joins, as RFC
 * 9112 5.2 allows; a line without a name it drops, and a value it ends at a NUL: neither can be
 * seen from here.
 */
#ifndef HEADERS_INTERNAL_H
#define HEADERS_INTERNAL_H

#include "accept_internal.h"
#include "id.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>

#define HEADERS_NO_LENGTH      (-1)
#define HEADERS_FORWARDED_MOST 4 /* proxies in a row may each add a line */

struct headers {
    struct span host; /* all spans are borrowed from the request; {NULL, 0}: not there */
    struct span authorization;
    struct span content_type;
    struct span content_length;
    struct span transfer_encoding;
    struct span request_id;
    struct span idempotency_key;
    struct span origin;
    struct span range;
    struct span if_range;
    struct span if_none_match;
    struct span traceparent;                           /* none where there are two */
    struct span tracestate;                            /* likewise */
    struct span forwarded_for[HEADERS_FORWARDED_MOST]; /* the last lines of
                                                          X-Forwarded-For, in order */
    size_t forwarded_count;
    struct accept accept; /* of all Accept and Accept-Encoding lines */
    bool is_suspicious;   /* a header that must be one is there twice, or no name */
    bool has_connection_close;
    bool has_two_authorizations;
    bool has_two_request_ids;
    bool has_two_traceparents;
    bool has_two_tracestates;
    bool has_two_idempotency_keys;
    bool has_two_ranges; /* or two If-Range: neither is to be believed */
};

/* Takes note of one header line.  The spans stay borrowed. */
void headers_add(struct headers *headers, struct span name, struct span value);

/* After the last one: may the request be answered?  `is_http_1_1`: a Host is required. */
bool headers_are_sound(const struct headers *headers, bool is_http_1_1);

/* What can be a header's name, or a method (a token: RFC 9110 5.6.2). */
bool headers_is_token(struct span name);

/* The length that Content-Length announces, at most INT64_MAX; HEADERS_NO_LENGTH where it does not. */
int64_t headers_body_length(const struct headers *headers);

/* Will a body follow?  Also true of one with an unknown length. */
bool headers_announce_body(const struct headers *headers);

/* Is the body application/json, whatever parameters the type has? */
bool headers_are_json(const struct headers *headers);

/* The client's X-Request-ID where it is exactly one and a UUID, else a new one. */
struct id headers_request_id(const struct headers *headers);

/* The token of `Authorization: Bearer <token>` (RFC 6750 2.1), the scheme in any case,
 * where there is exactly one such header; else {NULL, 0}. */
struct span headers_bearer_token(const struct headers *headers);

/* Which browser pages may talk to the service (CORS, fetch.spec.whatwg.org 3.2): is this one of the
 * allowed origins, which are separated by commas and compared byte for byte?  {NULL, 0} is not. */
bool headers_allow_origin(const char *allowed, struct span origin);

#endif
