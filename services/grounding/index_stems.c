/*
 * How many passages each stem is in, as passages come and go.
 *
 * Writing every stem of every passage into the database would be most of the work of indexing.  They are
 * added up here first, and written out, in the order of the stems, when they are many.
 */
#include "index_internal.h"

#include "intern_internal.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define STEMS_MOST      (1 << 17)
#define TEXT_BYTES_MOST (4 << 20)

/* Of the stem of the same number. */
struct counted {
    int32_t change;
    int64_t row; /* the last passage that it was told of */
};

struct index_stems {
    sqlite3_stmt *add; /* owned, like all here */
    struct intern stems;
    struct counted *counted;
    size_t capacity;
};

struct index_stems *index_stems_new(sqlite3 *database)
{
    struct index_stems *stems = MEM_NEW(struct index_stems);

    stems->add = index_statement(
        database, "INSERT INTO stem VALUES (?1, ?2) ON CONFLICT (stem)"
                  " DO UPDATE SET passages = passages + excluded.passages");
    return stems;
}

void index_stems_free(struct index_stems *stems)
{
    if (stems == NULL)
        return;
    sqlite3_finalize(stems->add);
    intern_done(&stems->stems);
    free(stems->counted);
    free(stems);
}

void index_stems_count(struct index_stems *stems, const char *stem, size_t length,
                       int64_t row, int change)
{
    size_t count = stems->stems.count;
    uint32_t number = intern_put(&stems->stems, stem, length);
    struct counted *counted;

    MEM_ROOM(stems->counted, count, stems->capacity, 1);
    counted = &stems->counted[number];
    if (number == count)
        *counted = (struct counted){.row = -1};
    if (counted->row == row)
        return;
    counted->row = row;
    counted->change += change;
}

static int compare_stems(const void *one, const void *other, void *context)
{
    const struct intern *stems = context;
    struct span first = intern_text(stems, *(const uint32_t *)one);
    struct span second = intern_text(stems, *(const uint32_t *)other);
    size_t shorter = first.length < second.length ? first.length : second.length;
    int order = memcmp(first.bytes, second.bytes, shorter);

    return order != 0 ? order
                      : (first.length > second.length) - (first.length < second.length);
}

/* A passage is bounded, and this runs behind each: they are never many more than these. */
bool index_stems_flush(struct index_stems *stems, bool is_all)
{
    bool is_good = stems->add != NULL;
    size_t count = 0;
    uint32_t *numbers;

    if (!is_all && stems->stems.count < STEMS_MOST &&
        stems->stems.length < TEXT_BYTES_MOST)
        return true;
    numbers = mem_zalloc(stems->stems.count * sizeof(*numbers));
    for (uint32_t number = 0; number < stems->stems.count; number++)
        if (stems->counted[number].change != 0)
            numbers[count++] = number;
    qsort_r(numbers, count, sizeof(*numbers), compare_stems, &stems->stems);
    for (size_t i = 0; i < count && is_good; i++) {
        struct span stem = intern_text(&stems->stems, numbers[i]);

        is_good = index_bind_text(stems->add, 1, stem.bytes, stem.length) &&
                  sqlite3_bind_int(stems->add, 2, stems->counted[numbers[i]].change) ==
                      SQLITE_OK &&
                  index_step(stems->add);
    }
    free(numbers);
    intern_keep(&stems->stems, 0);
    return is_good;
}
