/*
 * multipart/form-data (RFC 7578), in pieces of any size, without keeping any.
 */
#include "multipart_internal.h"

#include "parameters_internal.h"

#include <assert.h>
#include <string.h>

/* RFC 2046 5.1.1, bchars; a space may not be the last. */
static bool is_boundary(struct span boundary)
{
    static const char others[] = "'()+_,-./:=? ";

    if (boundary.length == 0 || boundary.length > MULTIPART_MAX_BOUNDARY ||
        boundary.bytes[boundary.length - 1] == ' ')
        return false;
    for (size_t i = 0; i < boundary.length; i++) {
        char character = boundary.bytes[i];
        bool is_alphanumeric = (character >= '0' && character <= '9') ||
                               (character >= 'A' && character <= 'Z') ||
                               (character >= 'a' && character <= 'z');

        if (!is_alphanumeric && (character == '\0' || strchr(others, character) == NULL))
            return false;
    }
    return true;
}

bool multipart_boundary(struct span content_type, struct span *ret_boundary)
{
    struct span boundary = {NULL, 0};
    struct parameter parameter;
    size_t offset = 0;

    if (!span_equals_ignoring_case(parameters_value(content_type), "multipart/form-data"))
        return false;
    while (parameters_next(content_type, &offset, &parameter)) {
        if (!span_equals_ignoring_case(parameter.name, "boundary"))
            continue;
        if (boundary.bytes != NULL)
            return false;
        boundary = parameter.value;
    }
    if (offset != content_type.length || boundary.bytes == NULL || !is_boundary(boundary))
        return false;
    *ret_boundary = boundary;
    return true;
}

/* What follows stands at the start of a line: a delimiter has its CR LF already. */
static void begin_line(struct multipart *multipart)
{
    multipart->matched = 2;
    multipart->lent = 2;
}

void multipart_init(struct multipart *multipart, struct span boundary,
                    const struct multipart_events *events, void *context)
{
    assert(boundary.length > 0 && boundary.length <= MULTIPART_MAX_BOUNDARY);
    memset(multipart, 0, sizeof(*multipart));
    multipart->events = events;
    multipart->context = context;
    multipart->step = MULTIPART_PREAMBLE;
    memcpy(multipart->delimiter, "\r\n--", 4);
    memcpy(multipart->delimiter + 4, boundary.bytes, boundary.length);
    multipart->delimiter_length = boundary.length + 4;
    begin_line(multipart);
}

static void give(struct multipart *multipart, const char *bytes, size_t length)
{
    if (multipart->step == MULTIPART_BODY && length > 0)
        multipart->events->bytes(multipart->context, (struct span){bytes, length});
}

/* Gives on what comes before the next CR, and takes that. */
static size_t scan_body(struct multipart *multipart, struct span bytes)
{
    const char *cr = memchr(bytes.bytes, '\r', bytes.length);
    size_t length = cr != NULL ? (size_t)(cr - bytes.bytes) : bytes.length;

    give(multipart, bytes.bytes, length);
    if (cr == NULL)
        return length;
    multipart->matched = 1;
    return length + 1;
}

static void on_delimiter(struct multipart *multipart)
{
    if (multipart->step == MULTIPART_BODY)
        multipart->events->end(multipart->context);
    multipart->matched = 0;
    multipart->lent = 0;
    multipart->step = MULTIPART_BOUNDARY;
}

/*
 * Bytes of a part, or of the preamble, up to the delimiter.  The delimiter begins with a
 * CR and has no other, so where a match breaks off, no part of it can be the start of
 * another match but the byte at hand.
 */
static size_t take_body(struct multipart *multipart, struct span bytes)
{
    size_t taken = 0;

    if (multipart->matched == 0)
        taken = scan_body(multipart, bytes);
    while (taken < bytes.length && multipart->matched < multipart->delimiter_length) {
        if (bytes.bytes[taken] != multipart->delimiter[multipart->matched]) {
            give(multipart, multipart->delimiter + multipart->lent,
                 multipart->matched - multipart->lent);
            multipart->matched = 0;
            multipart->lent = 0;
            return taken;
        }
        multipart->matched++;
        taken++;
    }
    if (multipart->matched == multipart->delimiter_length)
        on_delimiter(multipart);
    return taken;
}

static void fail(struct multipart *multipart, enum multipart_problem problem)
{
    multipart->problem = problem;
}

static void begin_part(struct multipart *multipart)
{
    if (++multipart->part_count > MULTIPART_MAX_PARTS) {
        fail(multipart, MULTIPART_TOO_MANY_PARTS);
        return;
    }
    memset(&multipart->part, 0, sizeof(multipart->part));
    multipart->header_count = 0;
    multipart->has_disposition = false;
    multipart->has_part_type = false;
    multipart->line_length = 0;
    multipart->step = MULTIPART_HEADER;
}

static void take_boundary_end(struct multipart *multipart, char character)
{
    enum multipart_step step = multipart->step;

    if (step == MULTIPART_BOUNDARY_DASH && character == '-')
        multipart->step = MULTIPART_EPILOGUE;
    else if (step == MULTIPART_BOUNDARY && character == '-')
        multipart->step = MULTIPART_BOUNDARY_DASH;
    else if (step == MULTIPART_BOUNDARY_CR && character == '\n')
        begin_part(multipart);
    else if ((step == MULTIPART_BOUNDARY || step == MULTIPART_BOUNDARY_SPACE) &&
             character == '\r')
        multipart->step = MULTIPART_BOUNDARY_CR;
    else if ((step == MULTIPART_BOUNDARY || step == MULTIPART_BOUNDARY_SPACE) &&
             (character == ' ' || character == '\t'))
        multipart->step = MULTIPART_BOUNDARY_SPACE;
    else
        fail(multipart, MULTIPART_BAD_BOUNDARY);
}

static void take_part_type(struct multipart *multipart, struct span type)
{
    if (multipart->has_part_type || type.length > MULTIPART_MAX_TYPE_BYTES)
        fail(multipart, MULTIPART_BAD_HEADER);
    else
        memcpy(multipart->part.content_type, type.bytes, type.length);
    multipart->has_part_type = true;
}

/* RFC 7578 4.7: forms have none that would have to be decoded. */
static void check_encoding(struct multipart *multipart, struct span encoding)
{
    if (!span_equals_ignoring_case(encoding, "binary") &&
        !span_equals_ignoring_case(encoding, "8bit") &&
        !span_equals_ignoring_case(encoding, "7bit"))
        fail(multipart, MULTIPART_BAD_HEADER);
}

/* form-data; name="..."; filename="..." (RFC 7578 4.2).  filename* is not for forms. */
static void take_disposition(struct multipart *multipart, struct span value)
{
    struct multipart_part *part = &multipart->part;
    struct parameter parameter;
    bool has_name = false;
    bool is_good = !multipart->has_disposition &&
                   span_equals_ignoring_case(parameters_value(value), "form-data");
    size_t offset = 0;

    multipart->has_disposition = true;
    while (is_good && parameters_next(value, &offset, &parameter)) {
        if (span_equals_ignoring_case(parameter.name, "name")) {
            is_good = !has_name &&
                      parameters_unquote(&parameter, part->name, sizeof(part->name));
            has_name = true;
        } else if (span_equals_ignoring_case(parameter.name, "filename")) {
            is_good =
                !part->has_file_name &&
                parameters_unquote(&parameter, part->file_name, sizeof(part->file_name));
            part->has_file_name = true;
        }
    }
    if (!is_good || !has_name || offset != value.length)
        fail(multipart, MULTIPART_BAD_HEADER);
}

/* Wrong: a line without a colon, with an empty name, or that continues the one before it.
 */
static void take_header_line(struct multipart *multipart, struct span line)
{
    const char *colon = memchr(line.bytes, ':', line.length);
    struct span name;
    struct span value;

    if (colon == NULL || colon == line.bytes || *line.bytes == ' ' ||
        *line.bytes == '\t' || ++multipart->header_count > MULTIPART_MAX_HEADERS) {
        fail(multipart, MULTIPART_BAD_HEADER);
        return;
    }
    name = (struct span){line.bytes, (size_t)(colon - line.bytes)};
    value = (struct span){colon + 1, line.length - name.length - 1};
    if (span_equals_ignoring_case(name, "content-disposition"))
        take_disposition(multipart, value);
    else if (span_equals_ignoring_case(name, "content-type"))
        take_part_type(multipart, parameters_value(value));
    else if (span_equals_ignoring_case(name, "content-transfer-encoding"))
        check_encoding(multipart, parameters_value(value));
}

static void on_header_line(struct multipart *multipart)
{
    struct span line = {multipart->line, multipart->line_length};

    multipart->step = MULTIPART_HEADER;
    multipart->line_length = 0;
    if (line.length > 0) {
        take_header_line(multipart, line);
    } else if (!multipart->has_disposition) {
        fail(multipart, MULTIPART_BAD_HEADER);
    } else {
        multipart->step = MULTIPART_BODY;
        begin_line(multipart); /* a part may be empty to the point of having no CR LF of
                                  its own */
        multipart->events->begin(multipart->context, &multipart->part);
    }
}

/* Collects a header line up to its CR LF. */
static size_t take_header(struct multipart *multipart, struct span bytes)
{
    size_t length = 0;

    if (multipart->step == MULTIPART_HEADER_CR) {
        if (bytes.bytes[0] == '\n')
            on_header_line(multipart);
        else
            fail(multipart, MULTIPART_BAD_HEADER);
        return 1;
    }
    while (length < bytes.length && bytes.bytes[length] != '\r' &&
           bytes.bytes[length] != '\n' && bytes.bytes[length] != '\0')
        length++;
    if (length > sizeof(multipart->line) - multipart->line_length ||
        (length < bytes.length && bytes.bytes[length] != '\r')) {
        fail(multipart, MULTIPART_BAD_HEADER);
        return length;
    }
    memcpy(multipart->line + multipart->line_length, bytes.bytes, length);
    multipart->line_length += length;
    if (length == bytes.length)
        return length;
    multipart->step = MULTIPART_HEADER_CR;
    return length + 1;
}

enum multipart_problem multipart_take(struct multipart *multipart, struct span bytes)
{
    while (bytes.length > 0 && multipart->problem == MULTIPART_GOOD) {
        size_t taken = 1;

        switch (multipart->step) {
        case MULTIPART_PREAMBLE:
        case MULTIPART_BODY: taken = take_body(multipart, bytes); break;
        case MULTIPART_BOUNDARY:
        case MULTIPART_BOUNDARY_DASH:
        case MULTIPART_BOUNDARY_SPACE:
        case MULTIPART_BOUNDARY_CR: take_boundary_end(multipart, bytes.bytes[0]); break;
        case MULTIPART_HEADER:
        case MULTIPART_HEADER_CR: taken = take_header(multipart, bytes); break;
        case MULTIPART_EPILOGUE: taken = bytes.length; break;
        }
        bytes.bytes += taken;
        bytes.length -= taken;
    }
    return multipart->problem;
}

enum multipart_problem multipart_finish(const struct multipart *multipart)
{
    if (multipart->problem != MULTIPART_GOOD)
        return multipart->problem;
    return multipart->step == MULTIPART_EPILOGUE ? MULTIPART_GOOD : MULTIPART_TRUNCATED;
}
