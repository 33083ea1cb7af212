/*
 * The parser of forms: no input may crash it, what it gives on keeps its bounds, and depends on the
 * bytes, not on where they were split: in pieces of one size, and of a short body in two at every
 * place.
 *
 * The first byte of an input chooses the size of the pieces; the rest is the body, whose boundary is
 * "B".  The whole input is also read as a Content-Type.
 */
#include "fuzz.h"
#include "multipart_internal.h"

enum { PIECE_MOST = 64, SPLIT_MOST = 512 }; /* at every place: it costs the square */

struct record {
    uint64_t hash; /* of what was told */
    bool is_in_part;
    unsigned parts;
    size_t bytes; /* of all parts */
};

/* FNV-1a: a digest proper would take most of the time. */
static void add(struct record *record, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        record->hash = (record->hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
}

/* A text, and then what no text has. */
static void add_text(struct record *record, const char *text)
{
    add(record, text, strlen(text) + 1);
}

static void on_begin(void *context, const struct multipart_part *part)
{
    struct record *record = context;

    must(!record->is_in_part && ++record->parts <= MULTIPART_MAX_PARTS);
    must(strlen(part->name) <= MULTIPART_MAX_NAME_BYTES);
    must(strlen(part->file_name) <= MULTIPART_MAX_FILE_NAME);
    must(strlen(part->content_type) <= MULTIPART_MAX_TYPE_BYTES);
    must(part->has_file_name || part->file_name[0] == '\0');
    record->is_in_part = true;
    add_text(record, part->name);
    add_text(record, part->file_name);
    add_text(record, part->content_type);
}

static void on_bytes(void *context, struct span bytes)
{
    struct record *record = context;

    must(record->is_in_part && bytes.length > 0);
    record->bytes += bytes.length;
    add(record, bytes.bytes, bytes.length);
}

static void on_end(void *context)
{
    struct record *record = context;

    must(record->is_in_part);
    record->is_in_part = false;
    add_text(record, "end of part");
}

static const struct multipart_events events = {on_begin, on_bytes, on_end};

struct parsed {
    enum multipart_problem problem;
    uint64_t hash;
};

/* `first` bytes, then pieces of `step`. */
static struct parsed parse(struct span body, size_t first, size_t step)
{
    struct record record = {.is_in_part = false};
    struct multipart multipart;
    struct parsed parsed;
    struct span rest = body, piece;

    multipart_init(&multipart, span_of("B"), &events, &record);
    for (size_t next = first > 0 ? first : step; fuzz_piece(&rest, next, &piece);
         next = step)
        multipart_take(&multipart, piece);
    parsed.hash = record.hash;
    parsed.problem = multipart_finish(&multipart);
    must(record.bytes <= body.length);
    must(parsed.problem != MULTIPART_GOOD || !record.is_in_part);
    return parsed;
}

/* What came before a problem may have been told, or not yet. */
static void compare(struct parsed one, struct parsed other)
{
    must(one.problem == other.problem);
    if (one.problem == MULTIPART_GOOD || one.problem == MULTIPART_TRUNCATED)
        must(one.hash == other.hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span body = fuzz_input(bytes, length), boundary;
    size_t choice = fuzz_choice(&body);
    struct parsed whole;

    if (length == 0)
        return 0;
    whole = parse(body, 0, length);
    compare(whole, parse(body, 0, choice % PIECE_MOST + 1));
    for (size_t at = 1; at < body.length; at++)
        if (choice < PIECE_MOST && body.length <= SPLIT_MOST)
            compare(whole, parse(body, at, length));
    if (multipart_boundary(fuzz_input(bytes, length), &boundary))
        must(boundary.length > 0 && boundary.length <= MULTIPART_MAX_BOUNDARY);
    return 0;
}
