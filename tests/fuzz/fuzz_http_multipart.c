/*
 * The parser of forms: no input may crash it, and what it gives on depends on the bytes,
 * not on where they were split.
 *
 * The first byte of an input chooses the size of the pieces; the rest is the body.
 */
#include "digest.h"
#include "multipart.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

struct record {
    struct digest_state state;
    bool is_in_part;
};

static const struct digest_key key = {{1}};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void on_begin(void *context, const struct multipart_part *part)
{
    struct record *record = context;

    must(!record->is_in_part && part->name[MULTIPART_MAX_NAME_BYTES] == '\0');
    record->is_in_part = true;
    digest_add_field(&record->state, part->name, strlen(part->name));
    digest_add_field(&record->state, part->file_name, strlen(part->file_name));
    digest_add_field(&record->state, part->content_type, strlen(part->content_type));
}

static void on_bytes(void *context, struct span bytes)
{
    struct record *record = context;

    must(record->is_in_part && bytes.length > 0);
    digest_add(&record->state, bytes.bytes, bytes.length);
}

static void on_end(void *context)
{
    struct record *record = context;

    must(record->is_in_part);
    record->is_in_part = false;
    digest_add_field(&record->state, "end", 3);
}

static const struct multipart_events events = {on_begin, on_bytes, on_end};

static enum multipart_problem parse(const uint8_t *bytes, size_t length, size_t step,
                                    struct digest *ret_digest)
{
    struct record record = {.is_in_part = false};
    struct multipart multipart;

    digest_begin(&record.state, &key);
    multipart_init(&multipart, span_of("B"), &events, &record);
    for (size_t at = 0; at < length; at += step) {
        size_t piece = step < length - at ? step : length - at;

        multipart_take(&multipart, (struct span){(const char *)bytes + at, piece});
    }
    *ret_digest = digest_end(&record.state);
    return multipart_finish(&multipart);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct digest whole;
    struct digest split;
    enum multipart_problem problem;
    struct span boundary;

    if (length == 0)
        return 0;
    problem = parse(bytes + 1, length - 1, length, &whole);
    must(problem == parse(bytes + 1, length - 1, (size_t)bytes[0] % 64 + 1, &split));
    if (problem == MULTIPART_GOOD || problem == MULTIPART_TRUNCATED)
        must(digest_equals(&whole, &split));
    if (multipart_boundary((struct span){(const char *)bytes, length}, &boundary))
        must(boundary.length > 0 && boundary.length <= MULTIPART_MAX_BOUNDARY);
    return 0;
}
