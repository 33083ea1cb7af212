/*
 * `poise index`: a directory of Markdown and plain text into the index that questions are answered from.
 *
 *   poise index DIR [--into FILE]      CORPUS_INDEX where no file is named
 *
 * With RETRIEVER=qdrant the collection is brought up to date with it.
 */
#include "command.h"

#include "clock.h"
#include "index.h"
#include "qdrant_fill.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Exit statuses. */
enum { INDEX_BUILT = 0, INDEX_FAILED = 1, INDEX_BAD_USAGE = 2 };

enum { BAR_CELLS = 30, BAR_EVERY_US = 50000, PROBLEM_BYTES = 8192 };

struct options {
    const char *directory; /* borrowed from argv, or from the settings, like the next */
    const char *path;
};

/* A bar on standard error, if that is a terminal. */
struct bar {
    const char *what;
    bool is_shown;
    int64_t started_us, drawn_us;
};

const char index_usage[] =
    "usage: poise index DIR [--into FILE]\n"
    "\n"
    "Reads every .md, .markdown and .txt file below DIR, and DIR/corpus.json, into FILE\n"
    "(default: CORPUS_INDEX).  What has not changed since is not read again.  Exit status:\n"
    "0 the index is up to date, 1 it could not be made and the old one is as it was, 2 bad\n"
    "usage or settings.\n";

static bool parse_options(int argc, char **argv, struct options *options)
{
    for (int at = 0; at < argc; at++) {
        if (strcmp(argv[at], "--into") == 0 || strcmp(argv[at], "--output") == 0) {
            if (++at == argc)
                return false;
            options->path = argv[at];
        } else if (argv[at][0] == '-' || options->directory != NULL) {
            return false;
        } else {
            options->directory = argv[at];
        }
    }
    return options->directory != NULL;
}

static void draw(struct bar *bar, int64_t done, int64_t total, const char *unit,
                 double count)
{
    int64_t now = clock_monotonic_us();
    int cells = total > 0 ? (int)(done * BAR_CELLS / total) : BAR_CELLS;

    if (!bar->is_shown || (done < total && now - bar->drawn_us < BAR_EVERY_US))
        return;
    bar->drawn_us = now;
    cells = cells > BAR_CELLS ? BAR_CELLS : cells;
    fprintf(stderr, "\r%s [%.*s%*s] %3d %%  %.0f %s\x1b[K", bar->what, cells,
            "##############################", BAR_CELLS - cells, "",
            cells * 100 / BAR_CELLS, count, unit);
    fflush(stderr);
}

static void clear(const struct bar *bar)
{
    if (bar->is_shown && bar->drawn_us > 0)
        fputs("\r\x1b[K", stderr);
}

static void show_files(void *context, const struct index_progress *progress)
{
    draw(context, progress->bytes_done, progress->bytes_total, "files",
         (double)progress->files_done);
}

static void show_passages(void *context, int64_t done, int64_t total)
{
    draw(context, done, total, "passages", (double)done);
}

static void complain(const struct buffer *problem)
{
    for (const char *line = problem->bytes; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");

        fprintf(stderr, "poise index: %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static bool build(const struct options *options, struct buffer *problem)
{
    struct bar bar = {.what = "indexing",
                      .is_shown = isatty(STDERR_FILENO) == 1,
                      .started_us = clock_monotonic_us()};
    struct index_report report;
    bool is_good = index_build(options->directory, options->path, show_files, &bar,
                               &report, problem);

    clear(&bar);
    if (!is_good)
        return false;
    printf("%s: %" PRId64 " passages of %" PRId64 " files (%" PRId64
           " unchanged, %" PRId64 " removed), %.1f MB read in %.1f s\n",
           options->path, report.passages, report.files, report.unchanged_files,
           report.removed_files, (double)report.bytes / 1e6,
           (double)(clock_monotonic_us() - bar.started_us) / 1e6);
    if (report.links_out > 0)
        printf("%s: %" PRId64 " links lead out of it and were left out\n",
               options->directory, report.links_out);
    return true;
}

static bool fill(const struct options *options, const struct settings *settings,
                 struct buffer *problem)
{
    struct bar bar = {.what = "embedding", .is_shown = isatty(STDERR_FILENO) == 1};
    struct index_reader *reader = index_reader_open(options->path, problem);
    struct qdrant_fill_report report;
    bool is_good = reader != NULL &&
                   qdrant_fill(settings, reader, show_passages, &bar, &report, problem);

    index_reader_free(reader);
    clear(&bar);
    if (is_good)
        printf("%s: %" PRId64 " passages (%" PRId64 " embedded, %" PRId64 " removed)\n",
               settings->qdrant_collection, report.passages, report.embedded,
               report.removed);
    return is_good;
}

static int run(const struct options *options, const struct settings *settings)
{
    struct buffer problem;
    struct stat status = {0};
    bool is_good;

    errno = 0;
    if (stat(options->directory, &status) != 0 || !S_ISDIR(status.st_mode)) {
        fprintf(stderr, "poise index: %s: %s\n", options->directory,
                errno != 0 ? strerror(errno) : "not a directory");
        return INDEX_BAD_USAGE;
    }
    buffer_init(&problem, PROBLEM_BYTES);
    is_good = build(options, &problem) && (settings->retriever != RETRIEVER_QDRANT ||
                                           fill(options, settings, &problem));
    if (!is_good)
        complain(&problem);
    buffer_done(&problem);
    return is_good && fflush(stdout) == 0 ? INDEX_BUILT : INDEX_FAILED;
}

int command_index(int argc, char **argv)
{
    struct options options = {0};
    struct settings settings;
    int status = INDEX_BAD_USAGE;

    if (!parse_options(argc, argv, &options)) {
        fputs(index_usage, stderr);
        return INDEX_BAD_USAGE;
    }
    if (settings_open(&settings)) {
        if (options.path == NULL)
            options.path = settings.corpus_index;
        if (options.path[0] == '\0')
            fputs("poise index: name a file, with --into FILE or CORPUS_INDEX\n", stderr);
        else
            status = run(&options, &settings);
    }
    settings_free(&settings);
    return status;
}
