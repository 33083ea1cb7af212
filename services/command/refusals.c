/*
 * `poise refusals`: the questions that were refused, for those who keep the study material.  It reads the
 * store, or the file that REFUSAL_LOG names, beside a running service, and changes nothing.
 *
 *   --jsonl        one JSON object a line, as it is kept: the export
 *   --since WHEN   only from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 7d for the last seven days
 */
#include "command.h"

#include "clock.h"
#include "lines.h"
#include "private_reveal.h"
#include "settings.h"
#include "store_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DAY_MS     INT64_C(86400000)
#define LINE_BYTES 65536

struct printing {
    bool is_jsonl;
    int64_t since_ms;
    size_t count;
    size_t bad_lines;
    bool has_failed; /* standard output takes no more */
};

static bool read_since(const char *text, int64_t *ret_ms)
{
    struct tm time = {0};
    const char *rest = strptime(text, "%Y-%m-%d", &time);
    long days;
    char *end;

    if (rest != NULL && *rest == 'T')
        rest = strptime(rest, "T%H:%M:%S", &time);
    if (rest != NULL && (*rest == '\0' || strcmp(rest, "Z") == 0)) {
        *ret_ms = (int64_t)timegm(&time) * 1000;
        return true;
    }
    errno = 0;
    days = strtol(text, &end, 10);
    if (errno != 0 || end == text || strcmp(end, "d") != 0 || days < 0 || days > 36500)
        return false;
    *ret_ms = clock_wall_ms() - days * DAY_MS;
    return true;
}

/* Where it is read by a person: nothing in it moves the cursor. */
static void print_question(const struct private_text *question)
{
    struct span text = private_reveal(question);

    for (size_t at = 0; at < text.length; at++)
        putchar((unsigned char)text.bytes[at] < 0x20 || text.bytes[at] == 0x7f
                    ? ' '
                    : text.bytes[at]);
    putchar('\n');
}

static bool print_refusal(void *context, const struct refusal *refusal)
{
    struct printing *printing = context;
    char timestamp[CLOCK_ISO8601_BYTES];

    if (refusal->at_ms < printing->since_ms)
        return true;
    printing->count++;
    if (printing->is_jsonl) {
        struct buffer line;

        buffer_init(&line, LINE_BYTES);
        refusal_write(refusal, &line);
        fwrite(line.bytes, 1, line.length, stdout);
        buffer_done(&line);
    } else {
        clock_iso8601(refusal->at_ms, timestamp);
        printf("%s  %-26s  ", timestamp, refusal->reason);
        if (refusal->max_score < 0)
            printf("   -  ");
        else
            printf("%.2f  ", refusal->max_score);
        print_question(&refusal->question);
    }
    printing->has_failed = ferror(stdout) != 0;
    return !printing->has_failed;
}

static bool print_file(const char *path, struct printing *printing)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct line_reader reader;
    bool goes_on = true;
    struct span line;

    if (file < 0) {
        fprintf(stderr, "poise refusals: %s: %s\n", path, strerror(errno));
        return false;
    }
    line_reader_init(&reader, file);
    while (goes_on && line_reader_next(&reader, &line)) {
        struct refusal refusal;

        if (refusal_read(line, &refusal))
            goes_on = print_refusal(printing, &refusal);
        else
            printing->bad_lines++;
        refusal_done(&refusal);
    }
    if (reader.has_failed)
        fprintf(stderr, "poise refusals: %s: cannot be read\n", path);
    goes_on = !reader.has_failed;
    line_reader_done(&reader);
    close(file);
    return goes_on;
}

static bool print_all(const struct settings *settings, struct printing *printing)
{
    struct buffer problem;
    bool is_good;

    if (*settings->refusal_log != '\0')
        return print_file(settings->refusal_log, printing);
    buffer_init(&problem, 4096);
    is_good = store_refusals(settings->store_url, printing->since_ms, print_refusal,
                             printing, &problem);
    if (!is_good)
        fprintf(stderr, "poise refusals: %s", problem.bytes);
    buffer_done(&problem);
    return is_good;
}

static bool parse_options(int argc, char **argv, struct printing *printing)
{
    for (int at = 0; at < argc; at++) {
        if (strcmp(argv[at], "--jsonl") == 0)
            printing->is_jsonl = true;
        else if (strcmp(argv[at], "--since") != 0 || ++at == argc ||
                 !read_since(argv[at], &printing->since_ms))
            return false;
    }
    return true;
}

int command_refusals(int argc, char **argv)
{
    struct printing printing = {.count = 0};
    struct settings settings;
    int status = 2;

    if (!parse_options(argc, argv, &printing)) {
        fprintf(stderr, "usage: poise refusals [--jsonl] [--since DATE|DAYSd]\n");
        return status;
    }
    if (settings_open(&settings)) {
        status = print_all(&settings, &printing) ? 0 : 1;
        if (printing.bad_lines > 0)
            fprintf(stderr, "poise refusals: %zu lines are no refusals\n",
                    printing.bad_lines);
        if (printing.count == 0 && status == 0 && !printing.is_jsonl)
            fprintf(stderr, "poise refusals: none\n");
        if (printing.has_failed || fflush(stdout) != 0)
            status = 1;
    }
    settings_free(&settings);
    return status;
}
