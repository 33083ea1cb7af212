/*
 * The errors that a client can see, from tables/errors.def; OK is 0.
 */
#ifndef ERRORS_H
#define ERRORS_H

#include <stdbool.h>
#include <stddef.h>

enum stage {
#define STAGE(symbol, name) STAGE_##symbol,
#include "stages.def"
    STAGE_COUNT
};

enum error {
    OK,
#define ERROR(symbol, stage, code, http, retry, message) ERROR_##symbol,
#include "errors.def"
    ERROR_COUNT
};

enum warning {
#define WARNING(symbol, stage, code, doc) WARNING_##symbol,
#include "warnings.def"
    WARNING_COUNT
};

struct error_info {
    enum stage stage;
    const char *code;
    unsigned http_status; /* 0: only ever a warning */
    bool retryable;
    const char *message_safe;
};

struct warning_info {
    enum stage stage;
    const char *code;
    const char *doc;
};

const char *stage_name(enum stage stage);
const struct error_info *error_info(enum error error); /* not of OK */
const struct warning_info *warning_info(enum warning warning);

#endif
