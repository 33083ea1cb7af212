/*
 * What the contract promises of every reply, and looking into one.
 *
 * A path is names and array indices joined by dots:
 * "data.coaching_feedback.dimensions.0.label".
 */
#ifndef BLACKBOX_EXPECT_H
#define BLACKBOX_EXPECT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "http.h"

/* The rows of tables/errors.def, under the names that the contract's table gives them. */
enum expected_error {
#define ERROR(symbol, stage, code, status, retry, message) ERROR_##symbol,
#include "errors.def"
    EXPECTED_ERROR_COUNT
};

struct error_row {
    const char *symbol;
    const char *stage;
    const char *code;
    int status;
    bool is_retryable;
    const char *message;
};
const struct error_row *error_row(enum expected_error error);

/* Fails the test unless the reply is an envelope by every rule that holds for all of
 * them: exactly three keys, exactly one of data and error, the id in body and header, the
 * status to match, and none of the candidate's words or of the server's secrets in an
 * error. */
void expect_envelope(const struct reply *reply);

/* expect_envelope(), without failing: what is wrong, or NULL.  A static string. */
const char *envelope_fault(const struct reply *reply);

/* This row of the table, with every field and header that goes with it. */
void expect_error(const struct reply *reply, enum expected_error error);

/* content_refused: by "filter" (with its own message, category and rule set) or by
 * "model". */
void expect_filter_refusal(const struct reply *reply, const char *category);
void expect_model_refusal(const struct reply *reply, const char *message);
#define FALLBACK_REFUSAL \
    "Let's stay focused on the interview. Please try answering the question again."

/* usage_cap_reached: of "turns", of "audio" or of "sessions". */
void expect_usage_cap(const struct reply *reply, const char *cap);

/* A 200 with data. */
void expect_success(const struct reply *reply);

/* validation_error whose details.errors names exactly these fields, in any order:
 * "role:reason", or "role" where any reason will do.  NULL-terminated. */
void expect_bad_fields(const struct reply *reply, const char *const *fields);
#define FIELDS_NAMED(...) ((const char *const[]){__VA_ARGS__, NULL})

/* NULL where the path leads nowhere or to null. */
struct json_object *json_at(struct json_object *json, const char *path);
bool json_has(struct json_object *json, const char *path); /* there, even if null */

const char *text_at(const struct reply *reply, const char *path);
double number_at(const struct reply *reply, const char *path);
size_t length_at(const struct reply *reply, const char *path);

void expect_text(const struct reply *reply, const char *path, const char *expected);
void expect_number(const struct reply *reply, const char *path, double expected);
void expect_flag(const struct reply *reply, const char *path, bool expected);
void expect_null(const struct reply *reply, const char *path); /* there, and null */
void expect_header(const struct reply *reply, const char *name, const char *expected);
void expect_no_header(const struct reply *reply, const char *name);
void expect_keys(struct json_object *json, const char *const *keys); /* exactly these */

/* `warnings` has exactly this one, or none for NULL. */
void expect_warning(const struct reply *reply, const char *code);

#endif
