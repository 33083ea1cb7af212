/*
 * `poise check`: texts through the safety filter, from the shell.
 *
 *   poise check [--explain] TEXT...           the arguments, as one text
 *   poise check [--explain] [--file FILE]     a file or standard input, as one text
 *   poise check --jsonl [--file FILE]         {"text": ...} lines in, a verdict a line
 *   poise check [--explain] --corpus DIR      labelled files, and a table of what went wrong
 *
 * --patterns FILE stands in for SAFETY_PATTERNS_FILE.
 */
#include "check_internal.h"
#include "command.h"

#include "json.h"
#include "lines_internal.h"
#include "mem.h"
#include "private_reveal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT_BYTES (1 << 28)
#define MAX_DEPTH      16
#define AROUND_BYTES   60 /* shown on both sides of what was hit */

struct options {
    const char *patterns; /* borrowed from argv or the environment, like all below */
    const char *file;
    const char *corpus;
    bool is_jsonl;
    bool is_examples;
    bool is_explained;
    int first_text; /* index in argv */
};

const char check_usage[] =
    "usage: poise check [--patterns FILE] [--explain] [--file FILE | TEXT...]\n"
    "       poise check [--patterns FILE] --jsonl [--file FILE]\n"
    "       poise check [--patterns FILE] [--explain] --corpus DIR\n"
    "       poise check [--patterns FILE] --examples\n"
    "\n"
    "Without TEXT and FILE, standard input is read.  Exit status: 0 all is safe (with --jsonl:\n"
    "every line has its verdict), 1 something was refused (with --corpus: wrongly judged),\n"
    "2 bad usage, patterns or input, 3 no verdict.\n";

static bool parse_options(int argc, char **argv, struct options *options)
{
    int at = 0, sources;

    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        const char **value = NULL;

        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (strcmp(argv[at], "--jsonl") == 0)
            options->is_jsonl = true;
        else if (strcmp(argv[at], "--examples") == 0)
            options->is_examples = true;
        else if (strcmp(argv[at], "--explain") == 0)
            options->is_explained = true;
        else if (strcmp(argv[at], "--patterns") == 0)
            value = &options->patterns;
        else if (strcmp(argv[at], "--file") == 0)
            value = &options->file;
        else if (strcmp(argv[at], "--corpus") == 0)
            value = &options->corpus;
        else
            return false;
        if (value != NULL && ++at == argc)
            return false;
        if (value != NULL)
            *value = argv[at];
    }
    options->first_text = at;

    sources = (options->file != NULL) + (options->corpus != NULL) + (at < argc);
    return sources <= 1 &&
           !(options->is_jsonl && (at < argc || options->corpus != NULL)) &&
           !(options->is_jsonl && options->is_explained);
}

static struct filter *open_filter(const char *patterns)
{
    struct ruleset_problem problem;
    struct ruleset *ruleset;
    struct filter *filter;
    bool is_loaded = patterns != NULL && patterns[0] != '\0'
                         ? ruleset_load_file(patterns, &ruleset, &problem)
                         : ruleset_load_default(&ruleset, &problem);

    if (!is_loaded) {
        fprintf(stderr, "poise check: %s\n", problem.text);
        return NULL;
    }
    for (size_t at = 0; ruleset_next_warning(ruleset, &at, &problem);)
        fprintf(stderr, "poise check: warning: %s\n", problem.text);

    filter = filter_new(ruleset);
    ruleset_unref(ruleset);
    return filter;
}

static int check_examples(struct filter *filter)
{
    struct ruleset_problem problem;
    int status = CHECK_SAFE;
    size_t at = 0;

    while (!ruleset_check_examples(filter_ruleset(filter), &at, &problem)) {
        fprintf(stderr, "poise check: %s\n", problem.text);
        status = CHECK_FINDING;
    }
    return status;
}

struct filter_verdict check_admit(struct filter *filter, struct span text,
                                  struct private_text *ret_visible)
{
    *ret_visible = private_text_copy(text.bytes, text.length);
    return filter_admit(filter, ret_visible);
}

static int check_text(struct filter *filter, struct span text, bool is_explained)
{
    struct private_text visible;
    struct filter_verdict verdict = check_admit(filter, text, &visible);
    int status = CHECK_FINDING;

    switch (verdict.outcome) {
    case FILTER_PASS:
        puts("safe");
        status = CHECK_SAFE;
        break;
    case FILTER_UNAVAILABLE:
        puts("no verdict");
        status = CHECK_NO_VERDICT;
        break;
    case FILTER_HIT:
        printf("refused: %s\n", verdict.category);
        if (is_explained)
            check_explain(stdout, verdict, &visible);
        break;
    }
    private_text_free(&visible);
    return status;
}

static int check_arguments(struct filter *filter, int argc, char **argv,
                           bool is_explained)
{
    struct buffer text;
    int status;

    buffer_init(&text, MAX_TEXT_BYTES);
    for (int i = 0; i < argc; i++) {
        if (i > 0)
            buffer_append_char(&text, ' ');
        buffer_append_string(&text, argv[i]);
    }
    status = check_text(filter, (struct span){text.bytes, text.length}, is_explained);
    buffer_done(&text);
    return status;
}

static int check_file(struct filter *filter, int file, bool is_explained)
{
    int status = CHECK_BAD_USAGE;
    struct buffer text;

    buffer_init(&text, MAX_TEXT_BYTES);
    if (!input_read(file, &text))
        fprintf(stderr, "poise check: cannot read: %s\n", strerror(errno));
    else if (text.is_over)
        fprintf(stderr, "poise check: more than %d bytes of text\n", MAX_TEXT_BYTES);
    else
        status = check_text(filter, (struct span){text.bytes, text.length}, is_explained);
    buffer_done(&text);
    return status;
}

/* One line of `--jsonl`.  false where there is no verdict; the line then says unsafe, for no
 * reason. */
static bool verdict_line(void *context, struct span line, struct buffer *out)
{
    struct json_object *object = json_parse(line.bytes, line.length, MAX_DEPTH);
    struct span text = json_member_string(object, "text");
    struct filter_verdict verdict = {.outcome = FILTER_UNAVAILABLE};
    struct private_text visible = {NULL, 0};

    if (text.bytes != NULL)
        verdict = check_admit(context, text, &visible);
    private_text_free(&visible);
    json_wipe_and_put(object);

    if (verdict.outcome == FILTER_HIT) {
        buffer_append_string(out, "{\"safe\": false, \"reason\": \"");
        buffer_append_string(out, verdict.category);
        buffer_append_string(out, "\", \"entry\": \"");
        buffer_append_string(out, verdict.entry);
        buffer_append_string(out, "\"}\n");
    } else {
        buffer_append_string(out, verdict.outcome == FILTER_PASS ? "{\"safe\": true"
                                                                 : "{\"safe\": false");
        buffer_append_string(out, ", \"reason\": null, \"entry\": null}\n");
    }
    return verdict.outcome != FILTER_UNAVAILABLE;
}

static int check_lines(struct filter *filter, int file)
{
    static const int statuses[] = {
        [LINES_GOOD] = CHECK_SAFE,
        [LINES_SOME_BAD] = CHECK_NO_VERDICT,
        [LINES_FAILED] = CHECK_BAD_USAGE,
    };

    return statuses[lines_answer("check", file, verdict_line, filter)];
}

int command_check(int argc, char **argv)
{
    struct options options = {.patterns = getenv("SAFETY_PATTERNS_FILE")};
    struct filter *filter = NULL;
    int status = CHECK_BAD_USAGE, file;

    if (!parse_options(argc, argv, &options)) {
        fputs(check_usage, stderr);
        return CHECK_BAD_USAGE;
    }
    file = input_open("check", options.file);
    if (file < 0)
        return CHECK_BAD_USAGE;

    filter = open_filter(options.patterns);
    if (filter == NULL)
        status = CHECK_BAD_USAGE;
    else if (options.is_examples)
        status = check_examples(filter);
    else if (options.corpus != NULL)
        status = check_corpus(filter, options.corpus, options.is_explained);
    else if (options.is_jsonl)
        status = check_lines(filter, file);
    else if (options.first_text < argc)
        status = check_arguments(filter, argc - options.first_text,
                                 argv + options.first_text, options.is_explained);
    else
        status = check_file(filter, file, options.is_explained);

    filter_free(filter);
    input_close(file);
    if (fflush(stdout) != 0)
        status = CHECK_BAD_USAGE;
    return status;
}

void check_explain(FILE *out, struct filter_verdict verdict,
                   const struct private_text *visible)
{
    struct span text = private_reveal(visible);
    size_t left = verdict.start > AROUND_BYTES ? verdict.start - AROUND_BYTES : 0;
    size_t right = text.length - verdict.end > AROUND_BYTES ? verdict.end + AROUND_BYTES
                                                            : text.length;

    fprintf(out, "  %s, bytes %zu to %zu: ", verdict.entry, verdict.start, verdict.end);
    for (size_t i = left; i < right; i++) {
        unsigned char c = (unsigned char)text.bytes[i];

        if (i == verdict.start)
            fputs("[[", out);
        fputc(c < ' ' || c == 0x7f ? ' ' : c, out);
        if (i + 1 == verdict.end)
            fputs("]]", out);
    }
    fputc('\n', out);
}
