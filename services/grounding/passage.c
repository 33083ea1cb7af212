/*
 * A passage as JSON.
 */
#include "passage.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

void passage_write_place(struct json_writer *json, const struct passage *passage)
{
    json_put_string(json, "passage_id", passage->id);
    json_put_string(json, "chapter", passage->chapter);
    json_put_string(json, "section", passage->section);
    json_key(json, "page");
    if (passage->page < 0)
        json_null(json);
    else
        json_integer(json, passage->page);
}

void passage_done(struct passage *passage)
{
    free(passage->id);
    free(passage->chapter);
    free(passage->section);
    free(passage->text);
    *passage = (struct passage){0};
}

void passages_done(struct passages *passages)
{
    for (size_t i = 0; i < passages->count; i++)
        passage_done(&passages->all[i]);
    free(passages->all);
    *passages = (struct passages){0};
}

static int compare(const void *one, const void *other)
{
    const struct passage *first = one, *second = other;

    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return (first->order > second->order) - (first->order < second->order);
}

void passages_keep_best(struct passages *passages, size_t limit)
{
    struct passages rest;

    if (passages->count > 0)
        qsort(passages->all, passages->count, sizeof(*passages->all), compare);
    if (passages->count <= limit)
        return;
    rest.count = passages->count - limit;
    rest.all = mem_zalloc(rest.count * sizeof(*rest.all));
    memcpy(rest.all, passages->all + limit, rest.count * sizeof(*rest.all));
    passages->count = limit;
    passages_done(&rest);
}
