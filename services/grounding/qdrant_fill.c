/*
 * The filling of a collection, one call after the other on a loop of its own.
 *
 *   for 64 passages at a time:  which are known?  embed the others  (make the collection)  upsert
 *   for a page of points at a time:  is the passage in the index?  delete the others
 *
 * The collection is made when the first vectors have come, since it needs their size.
 */
#include "qdrant_fill.h"

#include "embedder.h"
#include "json.h"
#include "mem.h"
#include "qdrant.h"
#include "qdrant_bodies_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL_TIMEOUT_MS 60000
#define TRIES           6
#define WAIT_MAX_S      60
#define TEXTS_MAX_BYTES (16 * 1024 * 1024)

enum { BATCH = EMBEDDER_TEXTS_MOST, PAGE = 256 };

struct fill {
    const struct settings *settings; /* borrowed, like the next three */
    struct index_reader *reader;
    struct buffer *problem;
    struct qdrant_fill_report *report;
    struct loop *loop; /* owned, like the next five */
    struct call_pool *pool;
    struct log *log;
    struct embedder *embedder;
    struct qdrant *qdrant;
    struct metrics metrics;
    struct id id;      /* of the run, in every request */
    size_t dimensions; /* of the collection; 0: it is not there yet */

    enum error error; /* of the call that has just ended, and what came of it */
    long status;
    struct json_object *result;   /* owned */
    struct embeddings embeddings; /* owned */
};

static bool say(struct fill *fill, const char *who, const char *url, const char *what)
{
    char status[48] = "";

    if (fill->status > 0)
        snprintf(status, sizeof(status), " (HTTP status %ld)", fill->status);
    buffer_append_string(fill->problem, who);
    buffer_append_string(fill->problem, " at ");
    buffer_append_string(fill->problem, url);
    buffer_append_string(fill->problem, ": ");
    buffer_append_string(fill->problem, what);
    buffer_append_string(fill->problem, status);
    buffer_append_char(fill->problem, '\n');
    return false;
}

/* ---- one call of Qdrant's ---- */

static void on_told(void *context, enum error error, long status,
                    struct json_object *result)
{
    struct fill *fill = context;

    fill->error = error;
    fill->status = status;
    fill->result = json_object_get(result);
    loop_stop(fill->loop);
}

static void tell(struct fill *fill, const char *method, const char *path,
                 struct private_text body)
{
    json_object_put(fill->result);
    fill->result = NULL;
    qdrant_start(fill->qdrant, method, path, body, &fill->id, NULL, CALL_TIMEOUT_MS,
                 on_told, fill);
    loop_run(fill->loop);
}

static bool told(struct fill *fill)
{
    if (fill->error == OK)
        return true;
    if (fill->status == 401 || fill->status == 403)
        return say(fill, "Qdrant", fill->settings->qdrant_url,
                   "it refuses QDRANT_API_KEY");
    return say(fill, "Qdrant", fill->settings->qdrant_url,
               fill->status > 0 ? "no good reply" : "no reply");
}

/* ---- the collection ---- */

static bool look_at_collection(struct fill *fill)
{
    tell(fill, "GET", "", (struct private_text){NULL, 0});
    if (fill->error == ERROR_NOT_FOUND)
        return true;
    if (!told(fill))
        return false;
    fill->dimensions = qdrant_read_dimensions(fill->result);
    return fill->dimensions > 0 ||
           say(fill, "Qdrant", fill->settings->qdrant_url,
               "the collection has no single cosine vector; set QDRANT_COLLECTION to "
               "another name");
}

static bool make_collection(struct fill *fill)
{
    size_t dimensions = fill->embeddings.dimensions;

    if (fill->dimensions == dimensions)
        return true;
    if (fill->dimensions > 0)
        return say(fill, "Qdrant", fill->settings->qdrant_url,
                   "the collection is of another size than the vectors of "
                   "EMBEDDINGS_MODEL; set QDRANT_COLLECTION to another name");
    tell(fill, "PUT", "", qdrant_collection_body(dimensions));
    fill->dimensions = dimensions;
    return told(fill);
}

/* ---- what is new or has changed ---- */

static void on_embedded(void *context, enum error error, struct embeddings embeddings)
{
    struct fill *fill = context;

    fill->error = error;
    fill->embeddings = embeddings;
    loop_stop(fill->loop);
}

static void on_waited(void *context)
{
    struct fill *fill = context;

    loop_stop(fill->loop);
}

/* A limit of so many calls a minute is met by waiting, as long as the server says. */
static void wait_for_turn(struct fill *fill, int tries)
{
    int64_t wait_s = fill->embeddings.retry_after_s;

    if (wait_s < 0)
        wait_s = INT64_C(1) << tries;
    if (wait_s > WAIT_MAX_S)
        wait_s = WAIT_MAX_S;
    loop_timer_start(fill->loop, wait_s * 1000, on_waited, fill);
    loop_run(fill->loop);
}

static bool embed(struct fill *fill, const struct span *texts, size_t count)
{
    for (int tries = 0; tries < TRIES; tries++) {
        if (tries > 0)
            wait_for_turn(fill, tries);
        embeddings_done(&fill->embeddings);
        embedder_start(fill->embedder, texts, count, &fill->id, NULL, CALL_TIMEOUT_MS,
                       on_embedded, fill);
        loop_run(fill->loop);
        if (fill->error != ERROR_LLM_RATE_LIMIT)
            break;
    }
    fill->status = 0;
    return fill->error == OK ||
           say(fill, "embeddings", fill->settings->embeddings_base_url,
               error_info(fill->error)->code);
}

/* Embeds the points that are not known. */
static bool embed_unknown(struct fill *fill, const struct qdrant_point *points,
                          size_t count)
{
    struct span texts[BATCH];
    size_t ends[BATCH], text_count = 0, start = 0;
    struct buffer out;
    bool is_good;

    buffer_init(&out, TEXTS_MAX_BYTES);
    for (size_t i = 0; i < count; i++) {
        if (points[i].is_known)
            continue;
        qdrant_append_text(points[i].passage, &out);
        ends[text_count++] = out.length;
    }
    for (size_t i = 0; i < text_count; start = ends[i++])
        texts[i] = (struct span){out.bytes + start, ends[i] - start};
    is_good =
        text_count == 0 || (embed(fill, texts, text_count) && make_collection(fill));
    if (is_good && text_count > 0) {
        tell(fill, "PUT", "/points?wait=true",
             qdrant_upsert_body(points, count, &fill->embeddings));
        is_good = told(fill);
    }
    if (is_good)
        fill->report->embedded += (int64_t)text_count;
    embeddings_done(&fill->embeddings);
    buffer_done(&out);
    return is_good;
}

static bool send_batch(struct fill *fill, struct passages *batch)
{
    struct qdrant_point points[BATCH];

    for (size_t i = 0; i < batch->count; i++)
        points[i] = qdrant_point_of(&batch->all[i], fill->settings->embeddings_model);
    if (fill->dimensions > 0) {
        tell(fill, "POST", "/points", qdrant_retrieve_body(points, batch->count));
        if (!told(fill))
            return false;
        qdrant_read_known(fill->result, points, batch->count);
    }
    return embed_unknown(fill, points, batch->count);
}

static bool send_passages(struct fill *fill, qdrant_fill_progress_fn *progress,
                          void *context)
{
    int64_t total = index_passage_count(fill->reader), row = -1;
    bool is_good = true;

    while (is_good) {
        struct passage room[BATCH] = {0};
        struct passages batch = {room, 0};

        while (batch.count < BATCH && (row = index_next_row(fill->reader, row)) >= 0)
            batch.count += index_load(fill->reader, row, &room[batch.count]) ? 1 : 0;
        if (batch.count == 0)
            break;
        is_good = send_batch(fill, &batch);
        fill->report->passages += (int64_t)batch.count;
        for (size_t i = 0; i < batch.count; i++)
            passage_done(&room[i]);
        if (is_good && progress != NULL)
            progress(context, fill->report->passages, total);
        if (row < 0)
            break;
    }
    return is_good;
}

/* ---- what the index no longer has ---- */

static size_t find_stale(struct fill *fill, struct json_object *points,
                         struct id *ret_ids)
{
    size_t found = json_object_is_type(points, json_type_array)
                       ? json_object_array_length(points)
                       : 0;
    size_t count = 0;

    for (size_t i = 0; i < found && count < PAGE; i++) {
        struct json_object *point = json_object_array_get_idx(points, i);
        struct span id = json_member_string(point, "id");
        struct span passage =
            json_member_string(json_member(point, "payload"), "passage_id");

        if (passage.bytes != NULL && index_row_of(fill->reader, passage.bytes) < 0 &&
            id_parse(id.bytes, id.length, &ret_ids[count]))
            count++;
    }
    return count;
}

/* What others have put into the collection has no passage id, and stays. */
static bool remove_stale(struct fill *fill)
{
    char *offset = NULL;
    bool is_good = true;

    while (is_good && fill->dimensions > 0) {
        struct id stale[PAGE];
        struct json_object *next;
        size_t count;

        tell(fill, "POST", "/points/scroll", qdrant_scroll_body(offset, PAGE));
        free(offset);
        offset = NULL;
        if (!told(fill))
            return false;
        count = find_stale(fill, json_member(fill->result, "points"), stale);
        next = json_member(fill->result, "next_page_offset");
        if (next != NULL)
            offset = mem_copy_string(json_object_to_json_string(next));
        if (count > 0) {
            tell(fill, "POST", "/points/delete?wait=true",
                 qdrant_delete_body(stale, count));
            is_good = told(fill);
            fill->report->removed += (int64_t)count;
        }
        if (offset == NULL)
            break;
    }
    free(offset);
    return is_good;
}

/* ---- all of it ---- */

static void fill_open(struct fill *fill, const struct settings *settings)
{
    struct provider_tools tools;

    fill->id = id_random();
    fill->loop = loop_new();
    fill->pool = call_pool_new(fill->loop);
    fill->log = log_new(STDOUT_FILENO, LOG_ERROR); /* what fails is said to the caller */
    tools =
        (struct provider_tools){settings, fill->pool, fill->log, &fill->metrics, NULL};
    fill->embedder = embedder_new(&tools);
    fill->qdrant = qdrant_new(&tools);
}

static void fill_close(struct fill *fill)
{
    json_object_put(fill->result);
    embeddings_done(&fill->embeddings);
    embedder_free(fill->embedder);
    qdrant_free(fill->qdrant);
    call_pool_free(fill->pool);
    log_free(fill->log);
    loop_free(fill->loop);
    free(fill);
}

bool qdrant_fill(const struct settings *settings, struct index_reader *reader,
                 qdrant_fill_progress_fn *progress, void *context,
                 struct qdrant_fill_report *ret_report, struct buffer *problem)
{
    struct fill *fill = MEM_NEW(struct fill);
    struct qdrant_fill_report report = {0};
    bool is_good;

    fill->settings = settings;
    fill->reader = reader;
    fill->problem = problem;
    fill->report = &report;
    fill_open(fill, settings);
    is_good = look_at_collection(fill) && send_passages(fill, progress, context) &&
              remove_stale(fill);
    fill_close(fill);
    if (is_good)
        *ret_report = report;
    return is_good;
}
