/*
 * `poise check --corpus`: every JSONL file of a directory, judged by what its name says
 * of it: pass_<topic> must pass, refuse_<kind> and evasion_<kind> must be refused.
 */
#include "check_internal.h"

#include "json.h"
#include "lines_internal.h"
#include "mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { KIND_PASS, KIND_REFUSE, KIND_EVASION, KIND_COUNT, KIND_NONE = KIND_COUNT };

/* What became of the texts of a file, or of a kind of files. */
struct tally {
    size_t texts;
    size_t wrong;          /* false alarms, or misses */
    size_t other_category; /* refused, but not for what the line says */
    size_t files;
    double rates; /* the sum of the files' shares of right verdicts */
};

static enum kind kind_of(const char *name)
{
    size_t length = strlen(name);

    if (length < 6 || strcmp(name + length - 6, ".jsonl") != 0)
        return KIND_NONE;
    if (strncmp(name, "pass_", 5) == 0)
        return KIND_PASS;
    if (strncmp(name, "refuse_", 7) == 0)
        return KIND_REFUSE;
    return strncmp(name, "evasion_", 8) == 0 ? KIND_EVASION : KIND_NONE;
}

static int keep_known(const struct dirent *entry)
{
    return kind_of(entry->d_name) != KIND_NONE;
}

static bool judge_line(struct filter *filter, struct span line, enum kind kind,
                       bool is_explained, struct tally *tally)
{
    struct json_object *object = json_parse(line.bytes, line.length, 8);
    struct span text = json_member_string(object, "text");
    struct span category = json_member_string(object, "category");
    struct filter_verdict verdict;
    struct private_text visible;
    bool is_wrong;

    if (text.bytes == NULL) {
        json_wipe_and_put(object);
        return false;
    }
    verdict = check_admit(filter, text, &visible);
    is_wrong = (verdict.outcome != FILTER_PASS) == (kind == KIND_PASS);
    tally->texts++;
    tally->wrong += is_wrong;
    if (verdict.outcome == FILTER_HIT && !is_wrong && category.bytes != NULL &&
        !span_equals(category, verdict.category))
        tally->other_category++;
    if (is_explained && is_wrong) {
        printf("  %s: %.*s\n", kind == KIND_PASS ? "false alarm" : "missed",
               (int)text.length, text.bytes);
        if (verdict.outcome == FILTER_HIT)
            check_explain(stdout, verdict, &visible);
    }
    private_text_free(&visible);
    json_wipe_and_put(object);
    return true;
}

static double percent(size_t part, size_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void print_row(const char *name, enum kind kind, const struct tally *tally)
{
    printf("%-34s %6zu %6zu %7.2f%%  %s", name, tally->texts, tally->wrong,
           100 - percent(tally->wrong, tally->texts),
           tally->wrong == 0   ? ""
           : kind == KIND_PASS ? "false alarms"
                               : "missed");
    if (tally->other_category > 0)
        printf("%s%zu refused as another category", tally->wrong > 0 ? ", " : "",
               tally->other_category);
    putchar('\n');
}

static int judge_file(struct filter *filter, int directory, const char *name,
                      enum kind kind, bool is_explained, struct tally *tally)
{
    struct line_reader reader;
    struct span line;
    int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
    bool is_fine = true;

    if (file < 0) {
        fprintf(stderr, "poise check: %s: %s\n", name, strerror(errno));
        return CHECK_BAD_USAGE;
    }
    line_reader_init(&reader, file);
    while (is_fine && line_reader_next(&reader, &line)) {
        if (line.length == 0)
            continue;
        is_fine = judge_line(filter, line, kind, is_explained, tally);
        if (!is_fine)
            fprintf(stderr, "poise check: %s: text %zu is no {\"text\": ...}\n", name,
                    tally->texts + 1);
    }
    is_fine = is_fine && !reader.has_failed;
    line_reader_done(&reader);
    close(file);
    print_row(name, kind, tally);
    if (!is_fine)
        return CHECK_BAD_USAGE;
    return tally->wrong > 0 ? CHECK_FINDING : CHECK_SAFE;
}

static void print_totals(const struct tally *totals)
{
    static const char *const labels[KIND_COUNT] = {
        [KIND_PASS] = "harmless texts refused",
        [KIND_REFUSE] = "texts to refuse that passed",
        [KIND_EVASION] = "evasions that passed",
    };

    putchar('\n');
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (totals[kind].files == 0)
            continue;
        printf("%-34s %6zu of %6zu  %7.3f%%   mean over files right %.2f%%\n",
               labels[kind], totals[kind].wrong, totals[kind].texts,
               percent(totals[kind].wrong, totals[kind].texts),
               100 * totals[kind].rates / (double)totals[kind].files);
    }
}

int check_corpus(struct filter *filter, const char *directory, bool is_explained)
{
    struct tally totals[KIND_COUNT] = {0};
    struct dirent **names = NULL;
    int status = CHECK_SAFE;
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = descriptor < 0 ? -1 : scandir(directory, &names, keep_known, alphasort);

    if (count <= 0) {
        fprintf(stderr, "poise check: %s: %s\n", directory,
                count < 0 ? strerror(errno) : "no pass_, refuse_ or evasion_ files");
        status = CHECK_BAD_USAGE;
    } else {
        printf("%-34s %6s %6s %8s  %s\n", "file", "texts", "wrong", "right", "");
    }
    for (int i = 0; i < count; i++) {
        enum kind kind = kind_of(names[i]->d_name);
        struct tally tally = {.files = 1};
        int file_status =
            judge_file(filter, descriptor, names[i]->d_name, kind, is_explained, &tally);

        totals[kind].texts += tally.texts;
        totals[kind].wrong += tally.wrong;
        totals[kind].other_category += tally.other_category;
        totals[kind].files++;
        totals[kind].rates +=
            tally.texts > 0 ? 1 - (double)tally.wrong / (double)tally.texts : 1;
        if (file_status > status)
            status = file_status;
        free(names[i]);
    }
    free(names);
    if (descriptor >= 0)
        close(descriptor);
    if (count > 0)
        print_totals(totals);
    return status;
}
