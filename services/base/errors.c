/*
 * The tables of stages, errors and warnings.
 */
#include "errors.h"

#include <assert.h>

#define RETRY true
#define FINAL false

static const char *const stage_names[STAGE_COUNT] = {
#define STAGE(symbol, name) [STAGE_##symbol] = name,
#include "stages.def"
};

static const struct error_info infos[ERROR_COUNT] = {
    [OK] = {STAGE_UNKNOWN, "ok", 200, false, ""},
#define ERROR(symbol, stage, code, http, retry, message) \
    [ERROR_##symbol] = {STAGE_##stage, code, http, retry, message},
#include "errors.def"
};

static const struct warning_info warnings[WARNING_COUNT] = {
#define WARNING(symbol, stage, code, doc) [WARNING_##symbol] = {STAGE_##stage, code, doc},
#include "warnings.def"
};

const char *stage_name(enum stage stage)
{
    return stage_names[stage];
}

const struct error_info *error_info(enum error error)
{
    assert(error > OK && error < ERROR_COUNT);
    return &infos[error];
}

const struct warning_info *warning_info(enum warning warning)
{
    return &warnings[warning];
}
