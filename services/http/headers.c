/*
 * Request headers: those that are asked for, picked out of all lines.
 */
#include "headers_internal.h"

#include "parameters_internal.h"

#include <string.h>
#include <strings.h>

/* The first of its name is kept.  Returns whether there was one before. */
static bool note(struct span *header, struct span value)
{
    if (header->bytes != NULL)
        return true;
    *header = value;
    return false;
}

/* What the nearest proxies wrote is below what a client may have made up. */
static void note_last(struct headers *headers, struct span value)
{
    struct span *lines = headers->forwarded_for;

    if (headers->forwarded_count == HEADERS_FORWARDED_MOST) {
        memmove(lines, lines + 1, (HEADERS_FORWARDED_MOST - 1) * sizeof(*lines));
        headers->forwarded_count--;
    }
    lines[headers->forwarded_count++] = value;
}

static bool has_word(struct span value, const char *word)
{
    size_t length = strlen(word);

    for (size_t at = 0; at + length <= value.length; at++) {
        if (strncasecmp(value.bytes + at, word, length) == 0)
            return true;
    }
    return false;
}

static bool is_named(struct span name, const char *wanted, size_t length)
{
    return name.length == length && strncasecmp(name.bytes, wanted, length) == 0;
}

/* White space before a header's colon, above all, must be refused. */
bool headers_is_token(struct span name)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    for (size_t at = 0; at < name.length; at++) {
        char character = name.bytes[at];
        bool is_alphanumeric = (character >= 'a' && character <= 'z') ||
                               (character >= 'A' && character <= 'Z') ||
                               (character >= '0' && character <= '9');

        if (!is_alphanumeric && (character == '\0' || strchr(others, character) == NULL))
            return false;
    }
    return name.length > 0;
}

#define IS(literal) is_named(name, literal, sizeof(literal) - 1)

void headers_add(struct headers *headers, struct span name, struct span value)
{
    struct span raw = value;

    if (value.bytes == NULL)
        value.bytes = "";
    if (!headers_is_token(name))
        headers->is_suspicious = true;
    /* White space around a value is none of it (RFC 9110 5.5); libmicrohttpd leaves what is behind, and
     * then does not know "chunked" again: that one stays as it is, and is refused. */
    while (value.length > 0 && (value.bytes[value.length - 1] == ' ' ||
                                value.bytes[value.length - 1] == '\t'))
        value.length--;

    if (IS("host"))
        headers->is_suspicious |= note(&headers->host, value);
    else if (IS("content-length"))
        headers->is_suspicious |= note(&headers->content_length, value);
    else if (IS("transfer-encoding"))
        headers->is_suspicious |= note(&headers->transfer_encoding, raw);
    else if (IS("content-type"))
        headers->is_suspicious |= note(&headers->content_type, value);
    else if (IS("authorization"))
        headers->has_two_authorizations |= note(&headers->authorization, value);
    else if (IS("connection"))
        headers->has_connection_close |= has_word(value, "close");
    else if (IS("x-request-id"))
        headers->has_two_request_ids |= note(&headers->request_id, value);
    else if (IS("idempotency-key"))
        headers->has_two_idempotency_keys |= note(&headers->idempotency_key, value);
    else if (IS("range"))
        headers->has_two_ranges |= note(&headers->range, value);
    else if (IS("if-range"))
        headers->has_two_ranges |= note(&headers->if_range, value);
    else if (IS("accept"))
        accept_add(&headers->accept, value);
    else if (IS("accept-encoding"))
        accept_add_encoding(&headers->accept, value);
    else if (IS("if-none-match"))
        note(&headers->if_none_match, value);
    else if (IS("traceparent"))
        headers->has_two_traceparents |= note(&headers->traceparent, value);
    else if (IS("tracestate"))
        headers->has_two_tracestates |= note(&headers->tracestate, value);
    else if (IS("x-forwarded-for"))
        note_last(headers, value);
    else if (IS("origin"))
        note(&headers->origin, value);
}

bool headers_are_sound(const struct headers *headers, bool is_http_1_1)
{
    if (headers->is_suspicious || (is_http_1_1 && headers->host.bytes == NULL))
        return false;
    if (headers->transfer_encoding.bytes != NULL)
        return headers->content_length.bytes == NULL &&
               span_equals_ignoring_case(headers->transfer_encoding, "chunked");
    return headers->content_length.bytes == NULL || headers_body_length(headers) >= 0;
}

int64_t headers_body_length(const struct headers *headers)
{
    struct span text = headers->content_length;
    int64_t length = 0;

    if (text.length == 0)
        return HEADERS_NO_LENGTH;
    for (size_t i = 0; i < text.length; i++) {
        int digit = text.bytes[i] - '0';

        if (digit < 0 || digit > 9)
            return HEADERS_NO_LENGTH;
        length = length <= (INT64_MAX - digit) / 10 ? length * 10 + digit : INT64_MAX;
    }
    return length;
}

bool headers_announce_body(const struct headers *headers)
{
    return headers->transfer_encoding.bytes != NULL || headers_body_length(headers) > 0;
}

bool headers_are_json(const struct headers *headers)
{
    return span_equals_ignoring_case(parameters_value(headers->content_type),
                                     "application/json");
}

struct id headers_request_id(const struct headers *headers)
{
    struct id id;

    if (!headers->has_two_request_ids &&
        id_parse(headers->request_id.bytes, headers->request_id.length, &id))
        return id;
    return id_random();
}

struct span headers_bearer_token(const struct headers *headers)
{
    static const char scheme[] = "bearer ";
    struct span token = headers->authorization;
    size_t skip = sizeof(scheme) - 1;

    if (headers->has_two_authorizations || token.length <= skip ||
        strncasecmp(token.bytes, scheme, skip) != 0)
        return (struct span){NULL, 0};
    while (skip < token.length && token.bytes[skip] == ' ')
        skip++;
    return (struct span){token.bytes + skip, token.length - skip};
}

bool headers_allow_origin(const char *allowed, struct span origin)
{
    const char *rest = allowed;

    if (origin.length == 0 || rest == NULL)
        return false;
    if (strcmp(allowed, "*") == 0)
        return true;
    while (*rest != '\0') {
        size_t length;

        rest += strspn(rest, ", \t");
        length = strcspn(rest, ", \t");
        if (length == origin.length && memcmp(rest, origin.bytes, length) == 0)
            return true;
        rest += length;
    }
    return false;
}
