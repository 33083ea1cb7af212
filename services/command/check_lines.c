/*
 * `poise check --jsonl`: a stream of texts to a stream of verdicts, in order, and the
 * progress line.
 */
#include "check_internal.h"

#include "clock.h"
#include "json.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    READ_BYTES = 1 << 18,
    MAX_LINE_BYTES = 1 << 28,
    WRITE_BYTES = 1 << 16,
    PROGRESS_AFTER_US = 2000000,
    PROGRESS_EVERY_US = 250000,
};

static bool verdict_line(struct filter *filter, struct span line, struct buffer *scratch,
                         struct buffer *out);
static bool flush(struct buffer *out);

int check_lines(struct filter *filter, int file)
{
    struct line_reader reader;
    struct progress progress;
    struct buffer scratch;
    struct buffer out;
    struct span line;
    int status = CHECK_SAFE;

    line_reader_init(&reader, file);
    progress_start(&progress);
    buffer_init(&scratch, MAX_LINE_BYTES);
    buffer_init(&out, WRITE_BYTES * 2);
    while (line_reader_next(&reader, &line)) {
        if (!verdict_line(filter, line, &scratch, &out))
            status = CHECK_NO_VERDICT;
        if (out.length >= WRITE_BYTES && !flush(&out))
            break;
        progress_add(&progress, line.length + 1, 1);
    }
    if (!flush(&out)) {
        fprintf(stderr, "poise check: cannot write: %s\n", strerror(errno));
        status = CHECK_BAD_USAGE;
    }
    progress_end(&progress);
    if (reader.has_failed) {
        fprintf(stderr, "poise check: cannot read line %llu\n",
                (unsigned long long)progress.texts + 1);
        status = CHECK_BAD_USAGE;
    }
    buffer_done(&scratch);
    buffer_done(&out);
    line_reader_done(&reader);
    return status;
}

/* false where there is no verdict; the line then says unsafe, for no reason. */
static bool verdict_line(struct filter *filter, struct span line, struct buffer *scratch,
                         struct buffer *out)
{
    struct filter_verdict verdict = {.outcome = FILTER_UNAVAILABLE};
    struct span text;

    if (json_line_text(line.bytes, line.length, scratch, &text))
        verdict = filter_check(filter, text.bytes, text.length);

    switch (verdict.outcome) {
    case FILTER_PASS:
        buffer_append_string(out,
                             "{\"safe\": true, \"reason\": null, \"entry\": null}\n");
        break;
    case FILTER_HIT:
        buffer_append_string(out, "{\"safe\": false, \"reason\": \"");
        buffer_append_string(out, verdict.category);
        buffer_append_string(out, "\", \"entry\": \"");
        buffer_append_string(out, verdict.entry);
        buffer_append_string(out, "\"}\n");
        break;
    case FILTER_UNAVAILABLE:
        buffer_append_string(out,
                             "{\"safe\": false, \"reason\": null, \"entry\": null}\n");
        return false;
    }
    return true;
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
        char *room = buffer_reserve(buffer, READ_BYTES);
        ssize_t got = room != NULL ? read(reader->file, room, READ_BYTES) : -1;
        if (got < 0 && room != NULL && errno == EINTR)
            continue;
        if (got < 0) {
            reader->has_failed = true;
            return false;
        }
        buffer_advance(buffer, (size_t)got);
        reader->is_at_end = got == 0;
    }
}

void line_reader_done(struct line_reader *reader)
{
    buffer_done(&reader->buffer);
}

void progress_start(struct progress *progress)
{
    *progress = (struct progress){.started_us = clock_monotonic_us()};
    progress->shown_us = progress->started_us + PROGRESS_AFTER_US;
}

void progress_add(struct progress *progress, size_t bytes, size_t texts)
{
    uint64_t before = progress->bytes;

    progress->bytes += bytes;
    progress->texts += texts;
    if (before >> 20 == progress->bytes >> 20) /* the clock is read once a megabyte */
        return;
    int64_t now_us = clock_monotonic_us();
    if (now_us - progress->shown_us < PROGRESS_EVERY_US || isatty(STDERR_FILENO) == 0)
        return;
    progress->shown_us = now_us;
    progress->is_shown = true;
    fprintf(stderr, "\r%llu texts, %llu MB, %.0f MB/s ",
            (unsigned long long)progress->texts,
            (unsigned long long)(progress->bytes / 1000000),
            (double)progress->bytes / (double)(now_us - progress->started_us));
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown)
        fputc('\n', stderr);
}
