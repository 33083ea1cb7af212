/*
 * A refusal as one line of JSON.
 */
#include "refusal.h"

#include "clock.h"
#include "json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_DEPTH 2
#define EVENT     "refusal"

void refusal_done(struct refusal *refusal)
{
    private_text_free(&refusal->question);
}

void refusal_write(const struct refusal *refusal, struct buffer *out)
{
    struct json_writer json;

    json_writer_init(&json, out);
    json_begin_object(&json);
    json_put_string(&json, "event", EVENT);
    json_put_time(&json, "timestamp", refusal->at_ms);
    json_put_string(&json, "session_id",
                    *refusal->session_id.text != '\0' ? refusal->session_id.text : NULL);
    json_key(&json, "question");
    if (private_text_is_empty(&refusal->question))
        json_null(&json);
    else
        json_private(&json, &refusal->question);
    json_put_string(&json, "refusal_reason", refusal->reason);
    json_put_integer(&json, "chunks_retrieved", refusal->chunks_retrieved);
    json_key(&json, "max_score");
    if (refusal->max_score < 0)
        json_null(&json);
    else
        json_decimal(&json, refusal->max_score, 4);
    json_end_object(&json);
    buffer_append_char(out, '\n');
}

/* What clock_iso8601() writes. */
static bool read_timestamp(struct span text, int64_t *ret_ms)
{
    char copy[CLOCK_ISO8601_BYTES];
    struct tm time = {0};
    const char *rest;
    int ms = 0;

    if (text.length != sizeof(copy) - 1)
        return false;
    memcpy(copy, text.bytes, sizeof(copy) - 1);
    copy[sizeof(copy) - 1] = '\0';
    rest = strptime(copy, "%Y-%m-%dT%H:%M:%S", &time);
    if (rest == NULL || sscanf(rest, ".%3dZ", &ms) != 1)
        return false;
    *ret_ms = (int64_t)timegm(&time) * 1000 + ms;
    return true;
}

static bool read_members(struct json_object *object, struct refusal *ret_refusal)
{
    struct span session_id = json_member_string(object, "session_id");
    struct span question = json_member_string(object, "question");
    struct span reason = json_member_string(object, "refusal_reason");
    struct json_object *max_score = json_member(object, "max_score");

    if (!span_equals(json_member_string(object, "event"), EVENT) ||
        !read_timestamp(json_member_string(object, "timestamp"), &ret_refusal->at_ms) ||
        reason.length >= sizeof(ret_refusal->reason))
        return false;
    if (session_id.length > 0 &&
        !id_parse(session_id.bytes, session_id.length, &ret_refusal->session_id))
        return false;
    memcpy(ret_refusal->reason, reason.bytes, reason.length);
    ret_refusal->chunks_retrieved =
        json_object_get_int64(json_member(object, "chunks_retrieved"));
    ret_refusal->max_score = max_score != NULL ? json_object_get_double(max_score) : -1;
    if (question.length > 0)
        ret_refusal->question = private_text_copy(question.bytes, question.length);
    return true;
}

bool refusal_read(struct span line, struct refusal *ret_refusal)
{
    struct json_object *object = json_parse(line.bytes, line.length, MAX_DEPTH);
    bool is_good;

    *ret_refusal = (struct refusal){.max_score = -1};
    is_good = read_members(object, ret_refusal);
    json_wipe_and_put(object);
    return is_good;
}
