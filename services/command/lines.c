/*
 * Input by lines and as a whole, and the loop of `--jsonl`.
 */
#include "lines_internal.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES        (1 << 18)
#define MAX_LINE_BYTES    (1 << 28)
#define WRITE_BYTES       (1 << 16)
#define PROGRESS_AFTER_US 2000000
#define PROGRESS_EVERY_US 250000

/* A line on standard error, kept up to date while long input is read. */
struct progress {
    int64_t started_us;
    int64_t shown_us;
    uint64_t bytes;
    uint64_t texts;
    bool is_shown;
};

int input_open(const char *command, const char *path)
{
    int file = STDIN_FILENO;

    if (path != NULL && strcmp(path, "-") != 0)
        file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fprintf(stderr, "poise %s: %s: %s\n", command, path, strerror(errno));
    return file;
}

void input_close(int file)
{
    if (file != STDIN_FILENO)
        close(file);
}

/* What read(2) says; 0, and it is over, where the buffer is full. */
static ssize_t read_some(int file, struct buffer *buffer, size_t most)
{
    size_t left = buffer->ceiling - buffer->length;
    ssize_t got;
    char *room;

    buffer->is_over = left == 0;
    if (left == 0)
        return 0;
    most = most < left ? most : left;
    room = buffer_reserve(buffer, most);
    do {
        got = read(file, room, most);
    } while (got < 0 && errno == EINTR);
    if (got > 0)
        buffer_advance(buffer, (size_t)got);
    return got;
}

bool input_read(int file, struct buffer *text)
{
    ssize_t got;

    do {
        got = read_some(file, text, WRITE_BYTES);
    } while (got > 0);
    return got == 0;
}

static bool has_whole_line(const struct line_reader *reader)
{
    size_t left = reader->buffer.length - reader->at;

    return left > 0 && memchr(reader->buffer.bytes + reader->at, '\n', left) != NULL;
}

static bool flush(struct buffer *out)
{
    size_t written = 0;

    while (written < out->length) {
        ssize_t count = write(STDOUT_FILENO, out->bytes + written, out->length - written);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        written += (size_t)count;
    }
    out->length = 0;
    return true;
}

static void progress_start(struct progress *progress)
{
    *progress = (struct progress){.started_us = clock_monotonic_us()};
    progress->shown_us = progress->started_us + PROGRESS_AFTER_US;
}

static void progress_add(struct progress *progress, size_t bytes, size_t texts)
{
    uint64_t before = progress->bytes;
    int64_t now_us;

    progress->bytes += bytes;
    progress->texts += texts;
    if (before >> 20 == progress->bytes >> 20) /* the clock is read once a megabyte */
        return;
    now_us = clock_monotonic_us();
    if (now_us - progress->shown_us < PROGRESS_EVERY_US || isatty(STDERR_FILENO) == 0)
        return;
    progress->shown_us = now_us;
    progress->is_shown = true;
    fprintf(stderr, "\r%llu texts, %llu MB, %.0f MB/s ",
            (unsigned long long)progress->texts,
            (unsigned long long)(progress->bytes / 1000000),
            (double)progress->bytes / (double)(now_us - progress->started_us));
}

static void progress_end(struct progress *progress)
{
    if (progress->is_shown)
        fputc('\n', stderr);
}

enum lines_outcome lines_answer(const char *command, int file, line_fn *answer,
                                void *context)
{
    enum lines_outcome outcome = LINES_GOOD;
    struct line_reader reader;
    struct progress progress;
    struct buffer out;
    struct span line;
    bool is_written = true;

    line_reader_init(&reader, file);
    progress_start(&progress);
    buffer_init(&out, MAX_LINE_BYTES);
    while (is_written && line_reader_next(&reader, &line)) {
        if (!answer(context, line, &out))
            outcome = LINES_SOME_BAD;
        /* The next read may block until the writer of the input has seen the answers so far. */
        if (out.length >= WRITE_BYTES || !has_whole_line(&reader))
            is_written = flush(&out);
        progress_add(&progress, line.length + 1, 1);
    }
    if (!is_written || !flush(&out)) {
        fprintf(stderr, "poise %s: cannot write: %s\n", command, strerror(errno));
        outcome = LINES_FAILED;
    }
    progress_end(&progress);
    if (reader.has_failed) {
        fprintf(stderr, "poise %s: cannot read line %llu\n", command,
                (unsigned long long)progress.texts + 1);
        outcome = LINES_FAILED;
    }
    buffer_done(&out);
    line_reader_done(&reader);
    return outcome;
}

void line_reader_init(struct line_reader *reader, int file)
{
    *reader = (struct line_reader){.file = file};
    buffer_init(&reader->buffer, MAX_LINE_BYTES);
}

bool line_reader_next(struct line_reader *reader, struct span *ret_line)
{
    size_t searched = reader->at;

    for (;;) {
        struct buffer *buffer = &reader->buffer;
        char *end = buffer->length > searched ? memchr(buffer->bytes + searched, '\n',
                                                       buffer->length - searched)
                                              : NULL;
        ssize_t got;

        if (end != NULL || (reader->is_at_end && reader->at < buffer->length)) {
            size_t stop = end != NULL ? (size_t)(end - buffer->bytes) : buffer->length;

            *ret_line = (struct span){buffer->bytes + reader->at, stop - reader->at};
            reader->at = stop + (end != NULL);
            return true;
        }
        if (reader->is_at_end)
            return false;

        if (reader->at > 0)
            memmove(buffer->bytes, buffer->bytes + reader->at,
                    buffer->length - reader->at);
        buffer->length -= reader->at;
        reader->at = 0;
        searched = buffer->length;
        got = read_some(reader->file, buffer, READ_BYTES);
        reader->has_failed = got < 0 || buffer->is_over;
        if (reader->has_failed)
            return false;
        reader->is_at_end = got == 0;
    }
}

void line_reader_done(struct line_reader *reader)
{
    buffer_done(&reader->buffer);
}

void line_write_id(struct json_writer *writer, struct json_object *line)
{
    struct json_object *id = json_member(line, "id");

    json_key(writer, "id");
    if (json_object_is_type(id, json_type_string))
        json_span(writer, (struct span){json_object_get_string(id),
                                        (size_t)json_object_get_string_len(id)});
    else if (json_object_is_type(id, json_type_int) ||
             json_object_is_type(id, json_type_double))
        json_raw(writer, json_object_get_string(id), strlen(json_object_get_string(id)));
    else
        json_null(writer);
}
