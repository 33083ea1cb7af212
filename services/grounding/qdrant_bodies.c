/*
 * Requests to Qdrant written, and its replies read.
 */
#include "qdrant_bodies_internal.h"

#include "json.h"
#include "mem.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 64 points of 4,096 numbers and a long passage each are 6 MB. */
#define BODY_MAX_BYTES (64 * 1024 * 1024)
#define FLOAT_BYTES    24
#define FOUND_MOST     1000

/* ---- points ---- */

static void add_field(crypto_generichash_state *state, const char *text)
{
    const char *bytes = text != NULL ? text : "";

    crypto_generichash_update(state, (const unsigned char *)bytes, strlen(bytes) + 1);
}

/* A UUID of version 8 (RFC 9562, 5.8), which is a name's digest. */
static struct id id_of(const char *name)
{
    unsigned char bytes[crypto_generichash_BYTES_MIN];
    struct id id;

    crypto_generichash(bytes, sizeof(bytes), (const unsigned char *)name, strlen(name),
                       NULL, 0);
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x80);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    snprintf(id.text, sizeof(id.text),
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6],
             bytes[7], bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13],
             bytes[14], bytes[15]);
    return id;
}

struct qdrant_point qdrant_point_of(struct passage *passage, const char *model)
{
    struct qdrant_point point = {.id = id_of(passage->id), .passage = passage};
    unsigned char bytes[(QDRANT_DIGEST_BYTES - 1) / 2];
    crypto_generichash_state state;
    char page[FLOAT_BYTES];

    snprintf(page, sizeof(page), "%lld", (long long)passage->page);
    crypto_generichash_init(&state, NULL, 0, sizeof(bytes));
    add_field(&state, model);
    add_field(&state, passage->id);
    add_field(&state, passage->chapter);
    add_field(&state, passage->section);
    add_field(&state, page);
    add_field(&state, passage->text);
    crypto_generichash_final(&state, bytes, sizeof(bytes));
    sodium_bin2hex(point.digest, sizeof(point.digest), bytes, sizeof(bytes));
    return point;
}

void qdrant_append_text(const struct passage *passage, struct buffer *out)
{
    const char *parts[] = {passage->chapter, passage->section};

    for (size_t i = 0; i < 2; i++) {
        if (parts[i] == NULL || *parts[i] == '\0')
            continue;
        buffer_append_string(out, parts[i]);
        buffer_append_char(out, '\n');
    }
    buffer_append_string(out, passage->text);
}

/* ---- requests ---- */

struct body {
    struct buffer out;
    struct json_writer json;
};

static void begin(struct body *body)
{
    buffer_init(&body->out, BODY_MAX_BYTES);
    json_writer_init(&body->json, &body->out);
    json_begin_object(&body->json);
}

static struct private_text end(struct body *body)
{
    json_end_object(&body->json);
    return private_text_take(&body->out);
}

/* Nine digits give a float back as it was. */
static void write_vector(struct json_writer *json, const float *vector, size_t dimensions)
{
    char number[FLOAT_BYTES];

    json_begin_array(json);
    for (size_t i = 0; i < dimensions; i++) {
        int length = snprintf(number, sizeof(number), "%.9g", (double)vector[i]);

        json_raw(json, number, (size_t)length);
    }
    json_end_array(json);
}

struct private_text qdrant_collection_body(size_t dimensions)
{
    struct body body;

    begin(&body);
    json_put_object(&body.json, "vectors");
    json_put_integer(&body.json, "size", (int64_t)dimensions);
    json_put_string(&body.json, "distance", "Cosine");
    json_end_object(&body.json);
    return end(&body);
}

struct private_text qdrant_retrieve_body(const struct qdrant_point *points, size_t count)
{
    struct body body;

    begin(&body);
    json_put_array(&body.json, "ids");
    for (size_t i = 0; i < count; i++)
        json_string(&body.json, points[i].id.text);
    json_end_array(&body.json);
    json_put_array(&body.json, "with_payload");
    json_string(&body.json, "digest");
    json_end_array(&body.json);
    json_put_boolean(&body.json, "with_vector", false);
    return end(&body);
}

static void write_payload(struct json_writer *json, const struct qdrant_point *point)
{
    const struct passage *passage = point->passage;

    json_begin_object(json);
    json_put_string(json, "digest", point->digest);
    passage_write_place(json, passage);
    json_put_string(json, "text", passage->text);
    json_end_object(json);
}

struct private_text qdrant_upsert_body(const struct qdrant_point *points, size_t count,
                                       const struct embeddings *embeddings)
{
    const float *vector = embeddings->values;
    struct body body;

    begin(&body);
    json_put_array(&body.json, "points");
    for (size_t i = 0; i < count; i++) {
        if (points[i].is_known)
            continue;
        json_begin_object(&body.json);
        json_put_string(&body.json, "id", points[i].id.text);
        json_key(&body.json, "vector");
        write_vector(&body.json, vector, embeddings->dimensions);
        json_key(&body.json, "payload");
        write_payload(&body.json, &points[i]);
        json_end_object(&body.json);
        vector += embeddings->dimensions;
    }
    json_end_array(&body.json);
    return end(&body);
}

struct private_text qdrant_query_body(const float *vector, size_t dimensions,
                                      size_t limit)
{
    struct body body;

    begin(&body);
    json_key(&body.json, "query");
    write_vector(&body.json, vector, dimensions);
    json_put_integer(&body.json, "limit", (int64_t)limit);
    json_put_boolean(&body.json, "with_payload", true);
    return end(&body);
}

struct private_text qdrant_scroll_body(const char *offset, size_t limit)
{
    struct body body;

    begin(&body);
    if (offset != NULL) {
        json_key(&body.json, "offset");
        json_raw(&body.json, offset, strlen(offset));
    }
    json_put_integer(&body.json, "limit", (int64_t)limit);
    json_put_array(&body.json, "with_payload");
    json_string(&body.json, "passage_id");
    json_end_array(&body.json);
    json_put_boolean(&body.json, "with_vector", false);
    return end(&body);
}

struct private_text qdrant_delete_body(const struct id *ids, size_t count)
{
    struct body body;

    begin(&body);
    json_put_array(&body.json, "points");
    for (size_t i = 0; i < count; i++)
        json_string(&body.json, ids[i].text);
    json_end_array(&body.json);
    return end(&body);
}

/* ---- replies ---- */

void qdrant_read_known(struct json_object *result, struct qdrant_point *points,
                       size_t count)
{
    size_t found = json_object_is_type(result, json_type_array)
                       ? json_object_array_length(result)
                       : 0;

    for (size_t i = 0; i < found; i++) {
        struct json_object *item = json_object_array_get_idx(result, i);
        struct span id = json_member_string(item, "id");
        struct span digest = json_member_string(json_member(item, "payload"), "digest");

        for (size_t j = 0; j < count; j++)
            if (span_equals(id, points[j].id.text) &&
                span_equals(digest, points[j].digest))
                points[j].is_known = true;
    }
}

size_t qdrant_read_dimensions(struct json_object *result)
{
    struct json_object *parameters = json_member(json_member(result, "config"), "params");
    struct json_object *vectors = json_member(parameters, "vectors");
    struct json_object *size = json_member(vectors, "size");

    if (!json_object_is_type(size, json_type_int) ||
        !span_equals(json_member_string(vectors, "distance"), "Cosine") ||
        json_object_get_int64(size) <= 0)
        return 0;
    return (size_t)json_object_get_int64(size);
}

static char *copy(struct span text)
{
    return mem_copy(text.bytes != NULL ? text.bytes : "", text.length);
}

static bool read_passage(struct json_object *item, struct passage *passage)
{
    struct json_object *payload = json_member(item, "payload");
    struct json_object *score = json_member(item, "score");
    struct json_object *page = json_member(payload, "page");
    struct span id = json_member_string(payload, "passage_id");
    struct span text = json_member_string(payload, "text");

    if (id.length == 0 || text.length == 0 || score == NULL)
        return false;
    passage->id = copy(id);
    passage->chapter = copy(json_member_string(payload, "chapter"));
    passage->section = copy(json_member_string(payload, "section"));
    passage->text = copy(text);
    passage->page = page != NULL ? json_object_get_int64(page) : -1;
    passage->score = fmin(1, fmax(0, json_object_get_double(score)));
    return true;
}

/* "<file>#<number>": by file, then by number, which is the order of the corpus. */
static bool stands_before(const char *one, const char *other)
{
    size_t length = strcspn(one, "#"), other_length = strcspn(other, "#");
    size_t common = length < other_length ? length : other_length;
    int files = memcmp(one, other, common);

    if (files != 0 || length != other_length)
        return files != 0 ? files < 0 : length < other_length;
    return strtoll(one[length] != '\0' ? one + length + 1 : "0", NULL, 10) <
           strtoll(other[length] != '\0' ? other + length + 1 : "0", NULL, 10);
}

static void number(struct passages *passages)
{
    for (size_t i = 0; i < passages->count; i++) {
        passages->all[i].order = 0;
        for (size_t j = 0; j < passages->count; j++)
            if (stands_before(passages->all[j].id, passages->all[i].id))
                passages->all[i].order++;
    }
}

bool qdrant_read_found(struct json_object *result, struct passages *ret_passages)
{
    struct json_object *points = json_member(result, "points");
    size_t count;

    if (!json_object_is_type(points, json_type_array))
        return false;
    count = json_object_array_length(points);
    if (count > FOUND_MOST)
        return false;
    ret_passages->all = mem_zalloc(count * sizeof(*ret_passages->all));
    for (size_t i = 0; i < count; i++)
        if (read_passage(json_object_array_get_idx(points, i),
                         &ret_passages->all[ret_passages->count]))
            ret_passages->count++;
    number(ret_passages);
    return true;
}
