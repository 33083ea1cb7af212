/*
 * How many passages each stem is in, as passages come and go.
 *
 * Writing every stem of every passage into the database would be most of the work of indexing.  They are
 * added up here first, in a table that is written out, in the order of the stems, when it is full.
 */
#include "index_internal.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 18, STEMS_MOST = SLOTS / 2, TEXT_BYTES_MOST = 4 << 20 };

struct counted {
    uint32_t text; /* in `texts`, behind it a NUL; 0: the slot is free */
    int32_t change;
    int64_t row; /* the last passage that it was told of */
};

struct index_stems {
    sqlite3_stmt *add;     /* owned, like all here */
    struct counted *slots; /* SLOTS */
    size_t count;
    char *texts; /* TEXT_BYTES_MOST and room for one more; 0 is no stem's place */
    size_t length;
};

static void forget(struct index_stems *stems)
{
    memset(stems->slots, 0, SLOTS * sizeof(*stems->slots));
    stems->count = 0;
    stems->length = 1;
}

struct index_stems *index_stems_new(sqlite3 *database)
{
    struct index_stems *stems = MEM_NEW(struct index_stems);

    stems->add = index_statement(
        database, "INSERT INTO stem VALUES (?1, ?2) ON CONFLICT (stem)"
                  " DO UPDATE SET passages = passages + excluded.passages");
    stems->slots = mem_zalloc(SLOTS * sizeof(*stems->slots));
    stems->texts = mem_zalloc(2 * TEXT_BYTES_MOST);
    stems->length = 1;
    return stems;
}

void index_stems_free(struct index_stems *stems)
{
    if (stems == NULL)
        return;
    sqlite3_finalize(stems->add);
    free(stems->slots);
    free(stems->texts);
    free(stems);
}

void index_stems_count(struct index_stems *stems, const char *stem, size_t length,
                       int64_t row, int change)
{
    uint32_t hash = 2166136261u;
    size_t at;
    struct counted *slot;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)stem[i]) * 16777619u;
    for (at = hash % SLOTS;; at = (at + 1) % SLOTS) {
        slot = &stems->slots[at];
        if (slot->text == 0 || strcmp(stems->texts + slot->text, stem) == 0)
            break;
    }
    if (slot->text == 0) {
        /* A passage is bounded, and index_stems_flush() runs behind each: neither fills up. */
        if (stems->count + 1 >= SLOTS || stems->length + length + 1 > 2 * TEXT_BYTES_MOST)
            return;
        *slot = (struct counted){.text = (uint32_t)stems->length, .row = -1};
        memcpy(stems->texts + stems->length, stem, length + 1);
        stems->length += length + 1;
        stems->count++;
    }
    if (slot->row == row)
        return;
    slot->row = row;
    slot->change += change;
}

static int compare_counted(const void *one, const void *other, void *texts)
{
    const struct counted *first = one, *second = other;

    return strcmp((const char *)texts + first->text, (const char *)texts + second->text);
}

bool index_stems_flush(struct index_stems *stems, bool is_all)
{
    size_t count = 0;
    bool is_good = stems->add != NULL;

    if (!is_all && stems->count < STEMS_MOST && stems->length < TEXT_BYTES_MOST)
        return true;
    for (size_t i = 0; i < SLOTS; i++)
        if (stems->slots[i].text != 0 && stems->slots[i].change != 0)
            stems->slots[count++] = stems->slots[i];
    qsort_r(stems->slots, count, sizeof(*stems->slots), compare_counted, stems->texts);
    for (size_t i = 0; i < count && is_good; i++) {
        const char *stem = stems->texts + stems->slots[i].text;

        is_good = index_bind_text(stems->add, 1, stem, strlen(stem)) &&
                  sqlite3_bind_int(stems->add, 2, stems->slots[i].change) == SQLITE_OK &&
                  index_step(stems->add);
    }
    forget(stems);
    return is_good;
}
