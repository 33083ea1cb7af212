/*
 * The log: lines are made of allowed fields, gather, and are written as far as standard
 * output takes them without blocking.
 */
#include "log.h"

#include "buffer.h"
#include "clock.h"
#include "mem.h"
#include "span.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAITING_BYTES (256 * 1024) /* of lines that have not been written yet */
#define LINE_BYTES    2048
#define WORD_BYTES    160

/* A pipe that poll(2) calls writable takes this much without blocking (pipe(7),
 * PIPE_BUF). */
#define PIECE_BYTES 4096

struct log_line {
    struct log *log; /* borrowed */
    char bytes[LINE_BYTES];
    size_t length;
    bool is_wanted;
};

struct log {
    int descriptor; /* borrowed */
    enum log_level lowest;
    struct log_line line; /* the one that is being made */
    int64_t time_s;       /* what `time` shows, but for the milliseconds in it */
    char time[CLOCK_ISO8601_BYTES];
    struct buffer waiting;
    _Atomic uint64_t dropped;
};

enum kind { WORD, NUMBER, ID, SENTENCE };

static const struct {
    const char *name;
    enum kind kind;
} fields[LOG_FIELD_COUNT] = {
#define LOG_FIELD(symbol, name, kind) [LOG_##symbol] = {name, kind},
#include "log_fields.def"
};

struct log *log_new(int descriptor, enum log_level lowest)
{
    struct log *log = MEM_NEW(struct log);

    log->descriptor = descriptor;
    log->lowest = lowest;
    log->line.log = log;
    buffer_init(&log->waiting, WAITING_BYTES);
    return log;
}

void log_free(struct log *log)
{
    if (log == NULL)
        return;
    log_flush(log);
    buffer_done(&log->waiting);
    free(log);
}

/* A field that does not fit is left out whole: a line is always one JSON object. */
static void append(struct log_line *line, const char *name, const char *open,
                   const char *value, size_t length, const char *close)
{
    size_t room = LINE_BYTES - line->length;
    size_t name_length = strlen(name);

    if (name_length + length + 16 > room)
        return;
    line->bytes[line->length] = line->length > 0 ? ',' : '{';
    line->bytes[++line->length] = '"';
    line->length++;
    memcpy(line->bytes + line->length, name, name_length);
    line->length += name_length;
    line->bytes[line->length++] = '"';
    line->bytes[line->length++] = ':';
    if (*open != '\0')
        line->bytes[line->length++] = *open;
    memcpy(line->bytes + line->length, value, length);
    line->length += length;
    if (*close != '\0')
        line->bytes[line->length++] = *close;
}

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           (byte >= 'A' && byte <= 'Z') || strchr("_.:/+-", byte) != NULL;
}

static bool is_word(const char *word)
{
    size_t length = 0;

    while (word[length] != '\0' && is_word_byte(word[length]))
        length++;
    return word[length] == '\0' && length <= WORD_BYTES;
}

static void append_word(struct log_line *line, const char *name, const char *word)
{
    const char *shown = word != NULL && is_word(word) ? word : "?";

    append(line, name, "\"", shown, strlen(shown), "\"");
}

/* A turn makes two lines, and a second has thousands: the calendar is asked once a second.
 */
static const char *time_now(struct log *log)
{
    int64_t now_ms = clock_wall_ms();
    unsigned rest_ms = (unsigned)(now_ms % 1000);
    char *digits = log->time + CLOCK_ISO8601_BYTES - sizeof("000Z");

    if (log->time[0] == '\0' || now_ms / 1000 != log->time_s)
        clock_iso8601(now_ms, log->time);
    log->time_s = now_ms / 1000;
    digits[0] = (char)('0' + rest_ms / 100);
    digits[1] = (char)('0' + rest_ms / 10 % 10);
    digits[2] = (char)('0' + rest_ms % 10);
    return log->time;
}

enum log_level log_level_of(enum error error)
{
    unsigned status = error != OK ? error_info(error)->http_status : 200;

    if (error == OK || error == ERROR_CONTENT_REFUSED)
        return LOG_INFO;
    return status == 500 || status == 502 || status == 504 ||
                   error == ERROR_STORE_UNAVAILABLE
               ? LOG_ERROR
               : LOG_WARNING;
}

struct log_line *log_begin(struct log *log, enum log_level level, const char *event)
{
    static const char *const levels[] = {"debug", "info", "warning", "error"};
    struct log_line *line = &log->line;

    line->length = 0;
    line->is_wanted = level >= log->lowest;
    if (!line->is_wanted)
        return line;

    append_word(line, "time", time_now(log));
    append_word(line, "level", levels[level]);
    append_word(line, "event", event);
    return line;
}

void log_word(struct log_line *line, enum log_field field, const char *word)
{
    if (line->is_wanted && fields[field].kind == WORD)
        append_word(line, fields[field].name, word);
}

void log_number(struct log_line *line, enum log_field field, int64_t number)
{
    char digits[SPAN_NUMBER_BYTES];
    struct span text;

    if (!line->is_wanted || fields[field].kind != NUMBER)
        return;
    text = span_of_number(number, digits);
    append(line, fields[field].name, "", text.bytes, text.length, "");
}

void log_id(struct log_line *line, enum log_field field, const struct id *id)
{
    if (line->is_wanted && fields[field].kind == ID)
        append_word(line, fields[field].name, id->text);
}

void log_request(struct log_line *line, const struct id *request_id,
                 const struct trace *trace)
{
    log_id(line, LOG_REQUEST_ID, request_id);
    if (trace->id[0] == '\0')
        return;
    log_word(line, LOG_TRACE_ID, trace->id);
    log_word(line, LOG_SPAN_ID, trace->span);
}

void log_sentence(struct log_line *line, enum log_field field,
                  const struct sentence *sentence)
{
    if (line->is_wanted && fields[field].kind == SENTENCE && *sentence->text != '\0')
        append(line, fields[field].name, "\"", sentence->text, strlen(sentence->text),
               "\"");
}

void log_end(struct log_line *line)
{
    struct log *log = line->log;

    if (!line->is_wanted)
        return;
    line->bytes[line->length++] = '}';
    line->bytes[line->length++] = '\n';
    if (!buffer_append(&log->waiting, line->bytes, line->length))
        atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
}

static bool is_writable(int descriptor)
{
    struct pollfd poll_for = {.fd = descriptor, .events = POLLOUT};

    /* Of a pipe without a reader poll(2) says POLLERR: write(2) has the reason. */
    return poll(&poll_for, 1, 0) == 1 && poll_for.revents != 0;
}

/* The end of the last whole line within a piece, so that processes which share a
 * descriptor do not tear each other's lines. */
static size_t piece_length(const char *bytes, size_t length)
{
    const char *newline;

    if (length <= PIECE_BYTES)
        return length;
    newline = memrchr(bytes, '\n', PIECE_BYTES);
    return newline != NULL ? (size_t)(newline - bytes) + 1 : PIECE_BYTES;
}

/* The reader has gone, or the disk is full: what waits will never be read. */
static void drop_waiting(struct log *log, size_t from)
{
    for (size_t at = from; at < log->waiting.length; at++)
        if (log->waiting.bytes[at] == '\n')
            atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
    buffer_clear(&log->waiting);
}

void log_flush(struct log *log)
{
    struct buffer *waiting = &log->waiting;
    size_t written = 0;

    while (written < waiting->length && is_writable(log->descriptor)) {
        size_t length = piece_length(waiting->bytes + written, waiting->length - written);
        ssize_t count = write(log->descriptor, waiting->bytes + written, length);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno != EAGAIN) {
            drop_waiting(log, written);
            return;
        }
        if (count < 0)
            break;
        written += (size_t)count;
    }
    if (written == 0)
        return;
    if (written < waiting->length)
        memmove(waiting->bytes, waiting->bytes + written, waiting->length - written);
    waiting->length -= written;
}

uint64_t log_dropped(const struct log *log)
{
    return atomic_load_explicit(&log->dropped, memory_order_relaxed);
}
