/*
 * The reader of server-sent events, and the scanner of the JSON in them: no input may crash them,
 * what they tell depends on the bytes, not on where they were split, and the scanner never says
 * anything else than json-c: what is whole to it is JSON to json-c too, and means the same.
 *
 * The first byte of an input chooses the size of the pieces; the rest is the stream.
 */
#include "fuzz.h"
#include "json.h"
#include "json_scan.h"
#include "sse_internal.h"
#include "utf8.h"

#define TEXT_BYTES (1024 * 1024)

enum place { WHOLE, CHOICES, CONTENT, CHOICE, BLOCK, DELTA, TEXT, DELTA_CONTENT };

static const struct json_place places[] = {
    [WHOLE] = {WHOLE, ""},          [CHOICES] = {WHOLE, "choices"},
    [CONTENT] = {WHOLE, "content"}, [CHOICE] = {CHOICES, "0"},
    [BLOCK] = {CONTENT, "*"},       [DELTA] = {CHOICE, "delta"},
    [TEXT] = {BLOCK, "text"},       [DELTA_CONTENT] = {DELTA, "content"},
};

/* What was told: the last content of a delta, and everything in a row. */
struct told {
    bool is_string;
    struct buffer content, all;
};

static void on_value(void *context, size_t place, enum json_token kind, struct span value)
{
    struct told *told = context;

    buffer_append_number(&told->all, (int64_t)(place * 16 + (size_t)kind));
    buffer_append(&told->all, value.bytes, value.length);
    if (place != DELTA_CONTENT)
        return;
    buffer_clear(&told->content);
    told->is_string = kind == JSON_STRING && json_unescape(value, &told->content);
}

/* The event, as pieces of `step` bytes. */
static enum json_token pick(struct span data, size_t step, struct told *told)
{
    enum json_token token = JSON_MORE;
    struct json_pick pick;

    *told = (struct told){.is_string = false};
    buffer_init(&told->content, TEXT_BYTES);
    buffer_init(&told->all, 16 * TEXT_BYTES);
    json_pick_init(&pick, places, sizeof(places) / sizeof(*places), 0, on_value, told);
    for (size_t come = 0; token == JSON_MORE && come < data.length;) {
        come = step < data.length - come ? come + step : data.length;
        token = json_pick_more(&pick, (struct span){data.bytes, come});
    }
    if (token == JSON_CLOSE && json_scan_next(&pick.scan, data) != JSON_MORE)
        token = JSON_WRONG; /* something stands behind it */
    return token;
}

static void told_done(struct told *told)
{
    buffer_done(&told->content);
    buffer_done(&told->all);
}

/* json-c keeps the last of members that have one name, with all that is in it; the scanner tells
 * of all of them.  Only where it told of one can the two be held to each other. */
static void compare(struct span data, const struct told *told)
{
    struct json_object *root = json_parse(data.bytes, data.length, JSON_SCAN_DEPTH);
    struct json_object *choices = json_member(root, "choices"), *content = NULL;

    must(root != NULL || !utf8_is_valid(data.bytes, data.length));
    if (json_object_is_type(choices, json_type_array))
        content = json_member(json_member(json_object_array_get_idx(choices, 0), "delta"),
                              "content");
    if (json_object_is_type(content, json_type_string) && told->is_string)
        must((size_t)json_object_get_string_len(content) == told->content.length &&
             memcmp(json_object_get_string(content),
                    told->content.length > 0 ? told->content.bytes : "",
                    told->content.length) == 0);
    json_object_put(root);
}

struct stream {
    struct buffer events; /* all of them in a row */
    size_t step;
};

static void on_event(void *context, struct span data)
{
    struct stream *stream = context;
    struct told whole, split;
    enum json_token token = pick(data, data.length, &whole);

    must(pick(data, stream->step, &split) == token);
    must(whole.all.length == split.all.length &&
         (whole.all.length == 0 ||
          memcmp(whole.all.bytes, split.all.bytes, whole.all.length) == 0));
    if (token == JSON_CLOSE)
        compare(data, &whole);
    told_done(&whole);
    told_done(&split);
    buffer_append(&stream->events, data.bytes, data.length);
    buffer_append_char(&stream->events, '\0');
}

static void read_stream(struct span bytes, size_t step, struct stream *stream)
{
    struct span piece;
    struct sse sse;

    buffer_init(&stream->events, 4 * TEXT_BYTES);
    stream->step = step;
    sse_init(&sse, TEXT_BYTES, on_event, stream);
    while (fuzz_piece(&bytes, step, &piece))
        sse_feed(&sse, piece);
    sse_done(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length);
    struct stream whole, split;
    size_t step;

    if (length < 2)
        return 0;
    step = fuzz_choice(&input) % 64 + 1;
    read_stream(input, input.length, &whole);
    read_stream(input, step, &split);
    must(whole.events.length == split.events.length &&
         (whole.events.length == 0 ||
          memcmp(whole.events.bytes, split.events.bytes, whole.events.length) == 0));
    buffer_done(&whole.events);
    buffer_done(&split.events);
    return 0;
}
