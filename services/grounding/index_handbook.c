/*
 * The handbook that is compiled in, indexed in memory in a few milliseconds: what Poise answers from where no
 * other corpus is given.
 */
#include "index_internal.h"

#include <string.h>

struct chapter {
    const char *name, *label, *start, *end;
};

#define CHAPTER(symbol, name) \
    extern const char embedded_##symbol[], embedded_##symbol##_end[];
#include "handbook.def"
extern const char embedded_handbook_corpus[], embedded_handbook_corpus_end[];

bool index_handbook(sqlite3 *database)
{
    static const struct chapter chapters[] = {
#define CHAPTER(symbol, name) \
    {name ".md", name, embedded_##symbol, embedded_##symbol##_end},
#include "handbook.def"
    };
    struct index_writer *writer;
    struct digest none = {{0}};
    bool is_good;

    if (!index_run(database, "BEGIN") || !index_make_tables(database))
        return false;
    writer = index_writer_new(database);
    is_good = true;
    for (size_t i = 0; i < sizeof(chapters) / sizeof(chapters[0]) && is_good; i++) {
        const struct chapter *chapter = &chapters[i];

        is_good = index_writer_begin(writer, chapter->name, chapter->label) &&
                  index_writer_add(
                      writer, (struct span){chapter->start,
                                            (size_t)(chapter->end - chapter->start)}) &&
                  index_writer_end(writer, &none);
    }
    is_good = is_good &&
              index_writer_finish(writer,
                                  (struct span){embedded_handbook_corpus,
                                                (size_t)(embedded_handbook_corpus_end -
                                                         embedded_handbook_corpus)},
                                  true);
    index_writer_free(writer);
    return is_good && index_run(database, "COMMIT");
}
