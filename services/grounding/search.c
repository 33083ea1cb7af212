/*
 * Candidates by full text, read and scored; the index, opened and changed for a newer one.
 */
#include "search_internal.h"

#include "index.h"
#include "mem.h"
#include "relevance_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Words that are searched for, and passages that are read: 98 to 99 % of the right ones. */
enum { SEARCH_STEMS = 6, SEARCH_CANDIDATES = 50 };

/* Which of the other files a passage is compared with, and which of the other passages where there are no so
 * many files. */
enum { FILES_COMPARED = 2, PASSAGES_COMPARED = 5 };

/* Passages that full text has to rank for that: a millisecond for every few thousand. */
#define SEARCH_ROWS_MOST 20000

struct search {
    char *path;                    /* owned; NULL: the handbook */
    struct search_version version; /* as it was last opened, or could not be opened */
    struct index_reader *reader;   /* owned; NULL: not open */
    struct relevance *relevance;   /* owned */
    struct relevance_corpus corpus;
    int64_t files; /* with passages */
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
    search->files = index_file_count(reader);
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

/* A passage that was read for a question. */
struct candidate {
    struct passage passage; /* owned */
    struct relevance_features features;
    double rank;
    bool is_best_of_file;
};

static size_t read_candidates(struct search *search,
                              const struct relevance_question *question,
                              const int64_t *rows, size_t row_count,
                              struct candidate *ret_candidates)
{
    size_t count = 0;

    for (size_t i = 0; i < row_count; i++) {
        struct candidate *candidate = &ret_candidates[count];

        if (!index_load(search->reader, rows[i], &candidate->passage))
            continue;
        candidate->features = relevance_read(search->relevance, question, &search->corpus,
                                             &candidate->passage);
        candidate->rank = relevance_rank(&candidate->features);
        count++;
    }
    return count;
}

/* The id's part before its number. */
static bool are_of_one_file(const struct candidate *one, const struct candidate *other)
{
    const char *first = one->passage.id, *second = other->passage.id;
    size_t length = (size_t)(strrchr(first, '#') - first);

    return strncmp(first, second, length + 1) == 0 &&
           strrchr(second, '#') == second + length;
}

static void mark_best_of_files(struct candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        candidates[i].is_best_of_file = true;
        for (size_t other = 0; other < count && candidates[i].is_best_of_file; other++)
            candidates[i].is_best_of_file =
                other == i || !are_of_one_file(&candidates[i], &candidates[other]) ||
                candidates[other].rank < candidates[i].rank ||
                (candidates[other].rank <= candidates[i].rank && other > i);
    }
}

/* How far a passage is ahead of the best of the second other file: of the second, because a twin of a file
 * must not hide it.  Where there are no two other files, it is held to the fifth other passage. */
static double margin_of(const struct search *search, const struct candidate *candidates,
                        size_t count, size_t at)
{
    bool has_files = search->files >= FILES_COMPARED + 1;
    size_t place = has_files ? FILES_COMPARED : PASSAGES_COMPARED;
    double best[PASSAGES_COMPARED] = {0};

    for (size_t i = 0; i < count; i++) {
        double rank = candidates[i].rank;

        if (i == at || (has_files && (!candidates[i].is_best_of_file ||
                                      are_of_one_file(&candidates[i], &candidates[at]))))
            continue;
        for (size_t k = 0; k < place; k++)
            if (rank > best[k]) {
                double worse = best[k];

                best[k] = rank;
                rank = worse;
            }
    }
    return candidates[at].rank - best[place - 1];
}

static void score(const struct search *search, struct candidate *candidates, size_t count,
                  struct passages *ret_passages)
{
    ret_passages->all = mem_zalloc((count + 1) * sizeof(*ret_passages->all));
    mark_best_of_files(candidates, count);
    for (size_t i = 0; i < count; i++) {
        candidates[i].features.margin = margin_of(search, candidates, count, i);
        candidates[i].passage.score = relevance_score(&candidates[i].features);
        ret_passages->all[ret_passages->count++] = candidates[i].passage;
    }
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
    struct candidate candidates[SEARCH_CANDIDATES];
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
    row_count = read_candidates(search, &asked, rows, row_count, candidates);
    score(search, candidates, row_count, &passages);
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
