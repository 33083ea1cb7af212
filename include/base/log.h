/*
 * The log: one JSON object a line on standard output, of fields that
 * tables/log_fields.def allows.
 *
 *     struct log_line *line = log_begin(log, LOG_INFO, "turn");
 *     log_id(line, LOG_REQUEST_ID, &id);
 *     log_word(line, LOG_CODE, error_info(error)->code);
 *     log_number(line, LOG_TOTAL_MS, total_ms);
 *     log_end(line);
 *
 * There is no format string and no free text: a word is a literal or a name out of a
 * table, and what is not made of [A-Za-z0-9_.:/+-] is written as "?"; what a server says of
 * itself is a sentence (sentence.h).  Each thread has a
 * log of its own; lines gather in it until log_flush(), which never blocks: while nobody
 * reads standard output lines wait, then are dropped and counted; when its reader has gone, at once.
 */
#ifndef LOG_H
#define LOG_H

#include "errors.h"
#include "id.h"
#include "sentence.h"
#include "trace.h"

#include <stdbool.h>
#include <stdint.h>

enum log_field {
#define LOG_FIELD(symbol, name, kind) LOG_##symbol,
#include "log_fields.def"
    LOG_FIELD_COUNT
};

enum log_level { LOG_DEBUG_LEVEL, LOG_INFO, LOG_WARNING, LOG_ERROR };

/* How loud a line about this is: info for what went well and for refusals, which are an outcome
 * like others; a warning for what the client or the load brought about; an error for the rest. */
enum log_level log_level_of(enum error error);

struct log;
struct log_line;

/* A log that writes to a descriptor (borrowed), from `lowest` level up. */
struct log *log_new(int descriptor, enum log_level lowest);

/* Writes what it can without blocking, then frees.  NULL is fine. */
void log_free(struct log *log);

/* One line at a time; `event` is a word. */
struct log_line *log_begin(struct log *log, enum log_level level, const char *event);
void log_word(struct log_line *line, enum log_field field, const char *word);
void log_number(struct log_line *line, enum log_field field, int64_t number);
void log_id(struct log_line *line, enum log_field field, const struct id *id);
/* Of one that is empty there is no field. */
void log_sentence(struct log_line *line, enum log_field field,
                  const struct sentence *sentence);
void log_end(struct log_line *line);

/* Of which request a line tells, and of which trace, where it is part of one: every line of a request. */
void log_request(struct log_line *line, const struct id *request_id,
                 const struct trace *trace);

/* Writes what has gathered, as far as standard output takes it now. */
void log_flush(struct log *log);

/* Lines dropped so far. */
uint64_t log_dropped(const struct log *log);

#endif
