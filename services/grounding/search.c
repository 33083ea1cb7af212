#include "search.h"

#include "index.h"
#include "mem.h"
#include "relevance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Words that are searched for, and passages that are read: 98 to 99 % of the right ones. */
enum { SEARCH_STEMS = 6, SEARCH_CANDIDATES = 50 };

/* Passages that full text has to rank for that: a millisecond for every few thousand. */
enum { SEARCH_ROWS_MOST = 20000 };

struct search {
    char *path;                    /* owned; NULL: the handbook */
    struct search_version version; /* as it was last opened, or could not be opened */
    struct index_reader *reader;   /* owned; NULL: not open */
    struct relevance *relevance;   /* owned */
    struct relevance_corpus corpus;
};

struct search *search_new(const char *path)
{
    struct search *search = MEM_NEW(struct search);

    search->path = path != NULL ? mem_copy_string(path) : NULL;
    search->relevance = relevance_new();
    return search;
}

void search_free(struct search *search)
{
    if (search == NULL)
        return;
    index_reader_free(search->reader);
    relevance_free(search->relevance);
    free(search->path);
    free(search);
}

/* ---- the index behind it ---- */

static int64_t passages_with(void *context, const char *stem)
{
    return index_stem_passages(context, stem);
}

static bool stem_like(void *context, const char *stem, char *ret_stem, size_t size,
                      int64_t *ret_passages)
{
    return index_stem_like(context, stem, ret_stem, size, ret_passages);
}

/* All zeroes where there is no file. */
static struct search_version version_of(const char *path)
{
    struct search_version version = {0};
    struct stat file;

    if (path == NULL || stat(path, &file) != 0)
        return version;
    version.device = (uint64_t)file.st_dev;
    version.inode = (uint64_t)file.st_ino;
    version.bytes = (uint64_t)file.st_size;
    version.modified_ns = (uint64_t)file.st_mtim.tv_sec * UINT64_C(1000000000) +
                          (uint64_t)file.st_mtim.tv_nsec;
    return version;
}

bool search_refresh(struct search *search, struct buffer *problem)
{
    struct search_version version = version_of(search->path);
    struct index_reader *reader;

    if (search->reader != NULL && search_version_equals(version, search->version))
        return true;
    reader = index_reader_open(search->path, problem);
    if (reader == NULL)
        return search->reader != NULL;
    index_reader_free(search->reader);
    search->reader = reader;
    search->version = version;
    search->corpus = (struct relevance_corpus){
        .passages = index_passage_count(reader),
        .mean_words = index_mean_words(reader),
        .passages_with = passages_with,
        .stem_like = stem_like,
        .context = reader,
    };
    return true;
}

struct search_version search_version(const struct search *search)
{
    return search->version;
}

bool search_version_equals(struct search_version one, struct search_version other)
{
    return one.device == other.device && one.inode == other.inode &&
           one.bytes == other.bytes && one.modified_ns == other.modified_ns;
}

struct span search_corpus_json(const struct search *search)
{
    return index_corpus_json(search->reader);
}

/* ---- a question ---- */

static void add_scored(struct search *search, const struct relevance_question *question,
                       int64_t row, struct passages *passages)
{
    struct passage *passage = &passages->all[passages->count];
    struct relevance_features features;

    if (!index_load(search->reader, row, passage))
        return;
    features = relevance_read(search->relevance, question, &search->corpus, passage);
    passage->score = relevance_score(&features);
    passages->count++;
}

/* What a broken index told is not to be trusted. */
static bool is_whole(struct search *search)
{
    if (!index_is_broken(search->reader))
        return true;
    index_reader_free(search->reader);
    search->reader = NULL;
    return false;
}

bool search_find(struct search *search, struct span question, size_t limit,
                 struct passages *ret_passages)
{
    struct passages passages = {0};
    struct relevance_question asked;
    const char *stems[SEARCH_STEMS];
    int64_t rows[SEARCH_CANDIDATES];
    size_t stem_count, row_count = 0;

    relevance_ask(search->relevance, question, &search->corpus, &asked);
    stem_count = relevance_rarest(&asked, SEARCH_STEMS, SEARCH_ROWS_MOST, stems);
    if (stem_count > 0)
        row_count =
            index_find(search->reader, stems, stem_count, SEARCH_CANDIDATES, rows);
    passages.all = mem_zalloc(SEARCH_CANDIDATES * sizeof(*passages.all));
    for (size_t i = 0; i < row_count; i++)
        add_scored(search, &asked, rows[i], &passages);
    relevance_question_done(&asked);
    if (!is_whole(search)) {
        passages_done(&passages);
        return false;
    }
    passages_keep_best(&passages, limit);
    *ret_passages = passages;
    return true;
}

bool search_coverage(struct search *search, struct span question, struct span selection,
                     double *ret_coverage)
{
    struct relevance_question asked;
    double coverage;

    relevance_ask(search->relevance, question, &search->corpus, &asked);
    coverage = relevance_coverage(search->relevance, &asked, selection);
    relevance_question_done(&asked);
    if (!is_whole(search))
        return false;
    *ret_coverage = coverage;
    return true;
}
