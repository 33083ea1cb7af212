/*
 * How the subcommands read: a file or standard input, whole or line by line; and the `--jsonl`
 * that they share: one JSON text a line, answered by one line each, in order.
 */
#ifndef LINES_INTERNAL_H
#define LINES_INTERNAL_H

#include "buffer.h"
#include "json.h"
#include "span.h"

#include <stdbool.h>

/* NULL and "-" are standard input.  -1, and it says on standard error why. */
int input_open(const char *command, const char *path);
void input_close(int file);

/* Appends all that is left in the file, or as much as the buffer may hold.  false: it cannot be read. */
bool input_read(int file, struct buffer *text);

enum lines_outcome {
    LINES_GOOD,
    LINES_SOME_BAD, /* at least one line had no good answer */
    LINES_FAILED    /* the input could not be read, or the output written: it is said on
                       standard error */
};

/* Appends one line, its end included.  false: it says that there is no good answer. */
typedef bool line_fn(void *context, struct span line, struct buffer *out);

/* Repeats the "id" of a line: a string or a number; anything else is null. */
void line_write_id(struct json_writer *writer, struct json_object *line);

/* Every line of a file to a line on standard output, with a progress line on standard error
 * where it is a terminal.  Nothing written is held back while the input is waited for. */
enum lines_outcome lines_answer(const char *command, int file, line_fn *answer,
                                void *context);

/* One line of a file at a time.  The bytes are wiped at the end. */
struct line_reader {
    int file; /* borrowed */
    struct buffer buffer;
    size_t at;
    bool is_at_end;
    bool has_failed; /* the file could not be read, or a line is too long */
};

void line_reader_init(struct line_reader *reader, int file);

/* The next line without its end, borrowed until the next call; false: no more, or failed.
 */
bool line_reader_next(struct line_reader *reader, struct span *ret_line);
void line_reader_done(struct line_reader *reader);

#endif
