/*
 * `poise refusals`: the questions that were refused, for those who keep the study material.  It reads the
 * store, or the file that REFUSAL_LOG names, beside a running service, and changes nothing.
 *
 *   --jsonl        one JSON object a line: the export
 *   --since WHEN   only from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 7d for the last seven days
 */
#include "command.h"

#include "clock.h"
#include "lines_internal.h"
#include "private_reveal.h"
#include "settings.h"
#include "store.h"
#include "utf8.h"

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

/* Moves the cursor, parts lines, turns text round or hides it.  Joiners and selectors of variants may
 * shape a letter. */
static bool is_treacherous(uint32_t code_point)
{
    bool may_shape = code_point == 0x200c || code_point == 0x200d ||
                     (code_point >= 0xfe00 && code_point <= 0xfe0f);

    return utf8_is_control(code_point) || (utf8_is_invisible(code_point) && !may_shape);
}

/* Prints a line without anything that would deceive its reader: an escape of JSON, or a blank, takes its place. */
static void print_line(struct span line, bool is_json)
{
    bool is_text = utf8_is_valid(line.bytes, line.length);
    size_t at = 0;

    while (at < line.length) {
        size_t start = at;
        uint32_t code_point = (unsigned char)line.bytes[at];

        if (is_text)
            code_point = utf8_next(line.bytes, line.length, &at);
        else
            at++;
        if (!is_treacherous(code_point) && (is_text || code_point < 0x80))
            fwrite(line.bytes + start, 1, at - start, stdout);
        else if (!is_json)
            putchar(' ');
        else if (code_point < 0x10000)
            printf("\\u%04x", code_point);
        else
            printf("\\u%04x\\u%04x", 0xd7c0 + (code_point >> 10),
                   0xdc00 + (code_point & 0x3ff));
    }
    putchar('\n');
}

static void write_row(const struct refusal *refusal, struct buffer *out)
{
    struct span question = private_reveal(&refusal->question);
    char columns[CLOCK_ISO8601_BYTES + REFUSAL_REASON_BYTES + 32];
    char timestamp[CLOCK_ISO8601_BYTES], score[16] = "   -";

    clock_iso8601(refusal->at_ms, timestamp);
    if (refusal->max_score >= 0)
        snprintf(score, sizeof(score), "%.2f", refusal->max_score);
    snprintf(columns, sizeof(columns), "%s  %-26s  %-4s  ", timestamp, refusal->reason,
             score);
    buffer_append_string(out, columns);
    buffer_append(out, question.bytes, question.length);
}

static bool print_refusal(void *context, const struct refusal *refusal)
{
    struct printing *printing = context;
    struct buffer line;

    if (refusal->at_ms < printing->since_ms)
        return true;
    printing->count++;
    buffer_init(&line, LINE_BYTES);
    if (printing->is_jsonl)
        refusal_write(refusal, &line);
    else
        write_row(refusal, &line);
    if (line.length > 0 && line.bytes[line.length - 1] == '\n')
        line.length--; /* print_line() ends it */
    print_line((struct span){line.bytes, line.length}, printing->is_jsonl);
    buffer_done(&line);
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

const char refusals_usage[] = "usage: poise refusals [--jsonl] [--since DATE|DAYSd]\n";

int command_refusals(int argc, char **argv)
{
    struct printing printing = {.count = 0};
    struct settings settings;
    int status = 2;

    if (!parse_options(argc, argv, &printing)) {
        fputs(refusals_usage, stderr);
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
