/*
 * `poise coach --corpus`: how far the built-in coach agrees with people who labelled answers.
 *
 * Three figures for every file, and for all files whose names begin alike ("tuned_", "blind_"):
 * rank correlation of the scores with the labelled overall rating, the share of scores within
 * their labelled bounds, and how often an answer has more relevance under its own question than
 * under the other common ones.  tests/corpus/coach/README.md says what a line looks like.
 */
#include "coach_internal.h"

#include "lines_internal.h"
#include "mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROUP_BYTES = 32, COMMON_MOST = 16, ALL = DIMENSION_COUNT, COLUMNS };

static const double wanted_all = 0.40, wanted_each = 0.10, wanted_fillers = 0.35,
                    wanted_pairs = 0.90;

/* A labelled answer, judged. */
struct judged {
    char group[GROUP_BYTES];
    size_t file;
    double overall; /* 0: it was not rated */
    struct judgement judgement;
    bool is_kind_right;
    size_t bounds, in_bounds;  /* scores with labelled bounds, and how many keep them */
    int common;                /* which common question it answers; -1: none */
    double pairs, pairs_right; /* ties count half */
    char *role, *answer;       /* owned; of one that answers a common question */
};

struct common_question {
    char *name, *question; /* owned */
};

struct corpus {
    const struct coach_judge *judge; /* borrowed */
    struct judged *all;              /* owned */
    size_t count, room;
    struct common_question common[COMMON_MOST];
    int common_count;
    const char *file_name; /* borrowed: being read */
    size_t file;
};

static int common_number(struct corpus *corpus, struct span name, struct span question)
{
    if (name.bytes == NULL)
        return -1;
    for (int i = 0; i < corpus->common_count; i++)
        if (span_equals(name, corpus->common[i].name))
            return i;
    if (corpus->common_count == COMMON_MOST)
        return -1;
    corpus->common[corpus->common_count] = (struct common_question){
        mem_copy(name.bytes, name.length), mem_copy(question.bytes, question.length)};
    return corpus->common_count++;
}

/* A label like "clarity": [3, 5]. */
static void hold_to_bounds(struct json_object *labels, struct judged *judged)
{
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++) {
        struct json_object *bounds = json_member(labels, coach_dimension_keys[dimension]);
        int score = judged->judgement.scores[dimension];

        if (!json_object_is_type(bounds, json_type_array))
            continue;
        judged->bounds++;
        judged->in_bounds +=
            judged->judgement.is_scored &&
            score >= json_object_get_int(json_object_array_get_idx(bounds, 0)) &&
            score <= json_object_get_int(json_object_array_get_idx(bounds, 1));
    }
}

static bool is_kind_right(struct json_object *labels, const struct judgement *judgement)
{
    struct span kind = json_member_string(labels, "kind");
    struct json_object *scores;
    bool is_unscored =
        json_object_object_get_ex(labels, "scores", &scores) && scores == NULL;

    if (kind.bytes != NULL && !span_equals(kind, answer_kind_name(judgement->kind)))
        return false;
    return judgement->is_scored ==
           (!is_unscored && judgement->kind == ANSWER_KIND_ANSWER);
}

static bool add_line(struct corpus *corpus, struct span bytes)
{
    struct coach_line line;
    struct json_object *object = coach_line_parse(bytes, &line);
    struct judged *judged;

    if (line.problem != NULL) {
        fprintf(stderr, "poise coach: %s: %s\n", corpus->file_name, line.problem);
        json_wipe_and_put(object);
        return false;
    }
    MEM_ROOM(corpus->all, corpus->count, corpus->room, 1);
    judged = &corpus->all[corpus->count++];
    *judged = (struct judged){.file = corpus->file};
    snprintf(judged->group, GROUP_BYTES, "%.*s", (int)strcspn(corpus->file_name, "_."),
             corpus->file_name);
    coach_judge_answer(corpus->judge, line.role, line.question, line.answer,
                       &judged->judgement);
    judged->overall = json_object_get_double(json_member(object, "overall"));
    judged->is_kind_right = is_kind_right(object, &judged->judgement);
    hold_to_bounds(object, judged);
    judged->common =
        common_number(corpus, json_member_string(object, "pair"), line.question);
    if (judged->common >= 0) {
        judged->role = mem_copy(line.role.bytes, line.role.length);
        judged->answer = mem_copy(line.answer.bytes, line.answer.length);
    }
    json_wipe_and_put(object);
    return true;
}

static bool read_file(struct corpus *corpus, int directory)
{
    struct line_reader reader;
    struct span line;
    int file = openat(directory, corpus->file_name, O_RDONLY | O_CLOEXEC);
    bool is_good = file >= 0;

    if (file < 0) {
        fprintf(stderr, "poise coach: %s: %s\n", corpus->file_name, strerror(errno));
        return false;
    }
    line_reader_init(&reader, file);
    while (is_good && line_reader_next(&reader, &line))
        is_good = line.length == 0 || add_line(corpus, line);
    is_good = is_good && !reader.has_failed;
    line_reader_done(&reader);
    close(file);
    return is_good;
}

/* Its own question against each of the other common ones. */
static void compare_pairs(const struct corpus *corpus, struct judged *judged)
{
    int own = judged->judgement.scores[DIMENSION_RELEVANCE];

    for (int i = 0; judged->common >= 0 && i < corpus->common_count; i++) {
        struct judgement other;

        if (i == judged->common)
            continue;
        coach_judge_answer(corpus->judge, span_of(judged->role),
                           span_of(corpus->common[i].question), span_of(judged->answer),
                           &other);
        judged->pairs++;
        judged->pairs_right += own > other.scores[DIMENSION_RELEVANCE]    ? 1
                               : own == other.scores[DIMENSION_RELEVANCE] ? 0.5
                                                                          : 0;
        sodium_memzero(&other, sizeof(other));
    }
}

/* Which answers a row of the table is about: those of a file, or of a group of files. */
struct row {
    const char *name;
    const char *group; /* NULL: by file */
    size_t file;
};

static bool is_in(const struct row *row, const struct judged *judged)
{
    return row->group != NULL ? strcmp(row->group, judged->group) == 0
                              : row->file == judged->file;
}

static double value_of(const struct judged *judged, int column)
{
    double sum = 0;

    if (column < DIMENSION_COUNT)
        return judged->judgement.scores[column];
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        sum += judged->judgement.scores[dimension];
    return column == ALL ? sum : judged->overall;
}

/* Ranks from 1; equals share the mean of theirs. */
static double rank_of(const double *values, size_t count, size_t index)
{
    double below = 0, equal = 0;

    for (size_t i = 0; i < count; i++) {
        below += values[i] < values[index];
        equal += values[i] <= values[index] && values[i] >= values[index];
    }
    return below + (equal + 1) / 2;
}

static double correlation(const double *ones, const double *others, size_t count)
{
    double mean = ((double)count + 1) / 2, both = 0, one = 0, other = 0;

    for (size_t i = 0; i < count; i++) {
        double x = rank_of(ones, count, i) - mean, y = rank_of(others, count, i) - mean;

        both += x * y;
        one += x * x;
        other += y * y;
    }
    return one > 0 && other > 0 ? both / sqrt(one * other) : 0;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 1;
}

/* false: a figure is below what is wanted. */
static bool print_row(const struct corpus *corpus, const struct row *row)
{
    double *values[COLUMNS + 1], figures[COLUMNS];
    double bounds = 0, in_bounds = 0, pairs = 0, pairs_right = 0;
    size_t rated = 0, answers = 0, wrong_kinds = 0;
    bool is_good;

    for (int column = 0; column <= COLUMNS; column++)
        values[column] = mem_zalloc((corpus->count + 1) * sizeof(**values));
    for (size_t i = 0; i < corpus->count; i++) {
        const struct judged *judged = &corpus->all[i];

        if (!is_in(row, judged))
            continue;
        answers++;
        wrong_kinds += !judged->is_kind_right;
        bounds += (double)judged->bounds;
        in_bounds += (double)judged->in_bounds;
        pairs += judged->pairs;
        pairs_right += judged->pairs_right;
        if (judged->overall <= 0 || !judged->judgement.is_scored)
            continue;
        for (int column = 0; column <= COLUMNS; column++)
            values[column][rated] = value_of(judged, column);
        rated++;
    }
    printf("%-24s %7zu %6zu %8.1f%%", row->name, answers, wrong_kinds,
           100 * share(in_bounds, bounds));
    for (int column = 0; column < COLUMNS; column++) {
        figures[column] = correlation(values[column], values[COLUMNS], rated);
        printf(" %9.2f", figures[column]);
    }
    if (pairs > 0)
        printf(" %6.1f%%", 100 * pairs_right / pairs);
    printf("\n");
    for (int column = 0; column <= COLUMNS; column++)
        free(values[column]);
    is_good = wrong_kinds == 0 && share(pairs_right, pairs) >= wanted_pairs &&
              figures[ALL] >= wanted_all &&
              figures[DIMENSION_FILLER_WORDS] >= wanted_fillers;
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        is_good = is_good && figures[dimension] >= wanted_each;
    return is_good;
}

static int keep_lines(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 6 && strcmp(entry->d_name + length - 6, ".jsonl") == 0;
}

static int print_table(struct corpus *corpus, struct dirent **names, size_t name_count)
{
    int status = COACH_GOOD;

    for (size_t i = 0; i < corpus->count; i++)
        compare_pairs(corpus, &corpus->all[i]);
    printf("%-24s %7s %6s %9s %9s %9s %9s %9s %9s %7s\n", "", "", "wrong", "within",
           "rank corr", "elation", "with the", "overall", "rating", "right");
    printf("%-24s %7s %6s %9s %9s %9s %9s %9s %9s %7s\n", "file", "answers", "kind",
           "bounds", "clarity", "relevance", "structure", "fillers", "all four", "pairs");
    for (size_t i = 0; i < name_count; i++)
        print_row(corpus, &(struct row){.name = names[i]->d_name, .file = i});
    printf("\n");
    for (size_t i = 0; i < corpus->count; i++) {
        const char *group = corpus->all[i].group;

        if ((i == 0 || strcmp(group, corpus->all[i - 1].group) != 0) &&
            !print_row(corpus, &(struct row){.name = group, .group = group}))
            status = COACH_FINDING;
    }
    printf(
        "\nwanted of a group: all four %.2f, fillers %.2f, each %.2f, pairs %.0f%%, no wrong "
        "kind\n",
        wanted_all, wanted_fillers, wanted_each, 100 * wanted_pairs);
    return fflush(stdout) == 0 ? status : COACH_BAD_USAGE;
}

static void corpus_done(struct corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        free(corpus->all[i].role);
        free(corpus->all[i].answer);
    }
    free(corpus->all);
    for (int i = 0; i < corpus->common_count; i++) {
        free(corpus->common[i].name);
        free(corpus->common[i].question);
    }
}

int coach_corpus(const struct coach_judge *judge, const char *path)
{
    struct corpus corpus = {.judge = judge};
    struct dirent **names = NULL;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = directory < 0 ? -1 : scandir(path, &names, keep_lines, alphasort);
    int status = COACH_GOOD;

    if (count <= 0) {
        fprintf(stderr, "poise coach: %s: %s\n", path,
                count < 0 ? strerror(errno) : "no .jsonl files");
        status = COACH_BAD_USAGE;
    }
    for (int i = 0; i < count && status == COACH_GOOD; i++) {
        corpus.file_name = names[i]->d_name;
        corpus.file = (size_t)i;
        if (!read_file(&corpus, directory))
            status = COACH_BAD_USAGE;
    }
    if (status == COACH_GOOD)
        status = print_table(&corpus, names, (size_t)count);
    corpus_done(&corpus);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    if (directory >= 0)
        close(directory);
    return status;
}
