/*
 * The headers of a request: what is believed of them is well formed, what must be there once is not
 * believed twice, and what is made of each (a range, a token, an id, weights, a trace, tags) keeps
 * its bounds.
 *
 * The input is header lines.  They are laid out as libmicrohttpd does: a NUL where the colon was, and
 * behind the value.
 */
#include "byte_range_internal.h"
#include "form_internal.h"
#include "fuzz.h"
#include "headers_internal.h"
#include "parameters_internal.h"
#include "trace.h"
#include "web_file_internal.h"

enum { LINES_MOST = 64 };

struct counts { /* of lines with these names */
    unsigned authorization, request_id, length, host;
};

static bool is_visible(struct span text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] <= ' ' || text.bytes[i] > '~')
            return false;
    return true;
}

static void add_line(struct headers *headers, struct counts *counts, char *line,
                     size_t length)
{
    char *colon = memchr(line, ':', length);
    struct span name, value;

    if (colon == NULL || memchr(line, '\0', length) != NULL)
        return; /* libmicrohttpd passes on no such line */
    *colon = '\0';
    name = span_of(line);
    value = (struct span){colon + 1, length - name.length - 1};
    for (; value.length > 0 && (*value.bytes == ' ' || *value.bytes == '\t');
         value.length--)
        value.bytes++;
    headers_add(headers, name, value);
    counts->authorization += span_equals_ignoring_case(name, "authorization");
    counts->request_id += span_equals_ignoring_case(name, "x-request-id");
    counts->length += span_equals_ignoring_case(name, "content-length");
    counts->host += span_equals_ignoring_case(name, "host");
}

static void check_range(const struct headers *headers, int64_t length)
{
    struct byte_range range = byte_range_of(headers->range, length);

    switch (range.kind) {
    case BYTE_RANGE_WHOLE: break;
    case BYTE_RANGE_PART:
        must(range.first >= 0 && range.first <= range.last && range.last < length);
        break;
    case BYTE_RANGE_UNSATISFIABLE: must(headers->range.length >= 8); break;
    }
}

static void check_key(const struct headers *headers)
{
    static const struct digest_key secret = {{3}};
    struct field_errors errors = {.count = 0};
    struct store_key key = {.is_there = false};

    idempotency_read(headers, &secret, IDEMPOTENCY_SECRET_BYTES, &key, &errors);
    if (key.is_there)
        must(errors.count == 0 && headers->idempotency_key.length >= 1 &&
             headers->idempotency_key.length <= 255 &&
             is_visible(headers->idempotency_key) && !headers->has_two_idempotency_keys);
    else
        must((headers->idempotency_key.bytes != NULL) == (errors.count == 1));
}

static void check_parameters(struct span header)
{
    struct parameter parameter;
    size_t offset = 0, before = 0;
    char text[64];

    while (parameters_next(header, &offset, &parameter)) {
        must(offset > before && offset <= header.length && parameter.name.length > 0);
        if (parameters_unquote(&parameter, text, sizeof(text)))
            must(strlen(text) <= parameter.value.length);
        before = offset;
    }
    must(offset <= header.length);
    must(parameters_value(header).length <= header.length);
}

static void check_accept(const struct accept *accept)
{
    must(accept->events >= 0 && accept->events <= 1000);
    must(accept->json >= 0 && accept->json <= 1000);
    must(accept->gzip >= 0 && accept->gzip <= 1000);
    must(!accept_wants_events(accept) || accept->events > 0);
}

static void check_identity(const struct headers *headers, const struct counts *counts)
{
    struct span token = headers_bearer_token(headers);
    struct id id = headers_request_id(headers), parsed;
    struct trace trace;

    must(id_parse(id.text, strlen(id.text), &parsed));
    if (counts->request_id == 1 &&
        id_parse(headers->request_id.bytes, headers->request_id.length, &parsed))
        must(id_equals(&id, &parsed));
    if (token.bytes != NULL)
        must(counts->authorization == 1 && token.length <= headers->authorization.length);
    if (!headers->has_two_traceparents && headers->traceparent.bytes != NULL)
        trace_read(headers->traceparent, &trace);
}

static void check_sound(const struct headers *headers, const struct counts *counts)
{
    bool is_sound = headers_are_sound(headers, true);

    must(!is_sound || headers_are_sound(headers, false));
    if (!is_sound)
        return;
    must(counts->host == 1 && counts->length <= 1);
    must(counts->length == 0 || headers->transfer_encoding.bytes == NULL);
    must(counts->length == 0 || headers_body_length(headers) >= 0);
    must(headers->forwarded_count <= HEADERS_FORWARDED_MOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char allowed[] = "https://a.example, https://b.example";
    struct span input = fuzz_input(bytes, length), line;
    struct entity_tag tag = entity_tag_of(span_of("the page"));
    struct headers headers = {.host = {NULL, 0}};
    struct counts counts = {0};
    char *copy = malloc(length + 1); /* the lines point into it */

    must(copy != NULL);
    memcpy(copy, length > 0 ? input.bytes : "", length);
    copy[length] = '\0';
    input.bytes = copy;
    for (int i = 0; i < LINES_MOST && fuzz_next(&input, "\n", &line); i++) {
        copy[line.bytes + line.length - copy] = '\0';
        add_line(&headers, &counts, copy + (line.bytes - copy), line.length);
        check_parameters(line);
    }
    check_sound(&headers, &counts);
    check_identity(&headers, &counts);
    check_range(&headers, 0);
    check_range(&headers, 1000);
    byte_range_holds(headers.if_range, tag.text);
    check_key(&headers);
    check_accept(&headers.accept);
    if (headers.origin.bytes != NULL && headers_allow_origin(allowed, headers.origin))
        must(span_equals(headers.origin, "https://a.example") ||
             span_equals(headers.origin, "https://b.example"));
    if (entity_tag_is_in(&tag, headers.if_none_match))
        must(headers.if_none_match.length >= 1);
    free(copy);
    return 0;
}
