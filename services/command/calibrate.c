/*
 * `poise calibrate`: labelled questions to the configured retriever, and how often the thresholds are
 * wrong.
 *
 *   {"question": "...", "answerable": true, "passage": "id" or ["id", ...] or null, "kind": "..."}
 *
 * A false refusal is an answerable question whose best passage scores below GROUND_ANSWER_SCORE, a false
 * answer an unanswerable one whose best does not.
 */
#include "calibrate_internal.h"
#include "command.h"
#include "lines_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Exit statuses. */
enum { CALIBRATE_MET = 0, CALIBRATE_MISSED = 1, CALIBRATE_BAD = 2 };

struct options {
    const char *svg; /* borrowed from argv */
    bool is_explained;
    int first_file; /* index in argv */
};

const char calibrate_usage[] =
    "usage: poise calibrate [--explain] [--svg PICTURE] FILE...\n"
    "\n"
    "FILE has a labelled question a line, \"-\" is standard input:\n"
    "  {\"question\": \"...\", \"answerable\": true, \"passage\": \"id of the right one\"}\n"
    "An optional \"kind\" gets a row of its own; --explain prints what is judged wrongly.\n"
    "Exit status: 0 the present thresholds keep false refusals within 10 % and false answers\n"
    "within 1 %, 1 they do not, 2 bad usage, settings or input.\n";

static bool parse_options(int argc, char **argv, struct options *options)
{
    int at = 0;

    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--explain") == 0)
            options->is_explained = true;
        else if (strcmp(argv[at], "--svg") == 0 && at + 1 < argc)
            options->svg = argv[++at];
        else
            return false;
    }
    options->first_file = at;
    return at < argc;
}

static bool read_file(struct labelled_set *set, const char *path)
{
    int file = input_open("calibrate", path);
    bool is_good = file >= 0 && labelled_read(set, path, file);

    if (file >= 0)
        input_close(file);
    return is_good;
}

static bool draw(const char *path, const struct settings *settings,
                 const struct labelled_set *set)
{
    FILE *out = fopen(path, "w");
    bool is_good = out != NULL;

    if (is_good)
        calibrate_draw(out, settings, set);
    if (out != NULL)
        is_good = ferror(out) == 0;
    if (out != NULL)
        is_good = fclose(out) == 0 && is_good;
    if (!is_good)
        fprintf(stderr, "poise calibrate: %s: cannot be written: %s\n", path,
                strerror(errno));
    return is_good;
}

static int calibrate(const struct settings *settings, const struct options *options,
                     char **files)
{
    struct labelled_set set = {0};
    int status = CALIBRATE_BAD;
    bool is_good = true;

    for (; *files != NULL && is_good; files++)
        is_good = read_file(&set, *files);
    if (is_good && set.count == 0) {
        fputs("poise calibrate: there are no questions\n", stderr);
        is_good = false;
    }
    if (is_good && calibrate_run(settings, &set)) {
        struct shares shares = shares_at(&set, settings->ground_answer_score, NULL);

        status = shares_meet(&shares) ? CALIBRATE_MET : CALIBRATE_MISSED;
        if (options->is_explained)
            calibrate_explain(settings, &set);
        calibrate_print(settings, &set);
        if (fflush(stdout) != 0 ||
            (options->svg != NULL && !draw(options->svg, settings, &set)))
            status = CALIBRATE_BAD;
    }
    labelled_done(&set);
    return status;
}

int command_calibrate(int argc, char **argv)
{
    struct options options = {0};
    struct settings settings;
    int status = CALIBRATE_BAD;

    signal(SIGPIPE, SIG_IGN);
    if (!parse_options(argc, argv, &options)) {
        fputs(calibrate_usage, stderr);
        return CALIBRATE_BAD;
    }
    if (settings_open(&settings))
        status = calibrate(&settings, &options, argv + options.first_file);
    settings_free(&settings);
    return status;
}
