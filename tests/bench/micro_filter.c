/* Screening one ordinary answer of about 1,500 characters with the built-in patterns. */
#include "filter.h"
#include "load_request.h"
#include "micro.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct screening {
    struct filter *filter;              /* owned */
    char bytes[LOAD_REQUEST_MAX_BYTES]; /* a whole request; zeros behind it */
    const char *answer;                 /* borrowed from the bytes */
    size_t answer_bytes;
};

void *micro_prepare(void)
{
    static const char before[] = "name=\"transcript\"\r\n\r\n";
    struct load_session session = load_session_fixed();
    struct ruleset_problem problem;
    struct ruleset *ruleset;
    struct screening *screening = calloc(1, sizeof *screening);
    assert(screening != NULL);

    load_request_write_turn(&session, 1, screening->bytes);
    screening->answer = strstr(screening->bytes, before) + sizeof before - 1;
    screening->answer_bytes = strcspn(screening->answer, "\r");

    if (!ruleset_load_default(&ruleset, &problem))
        abort();
    screening->filter = filter_new(ruleset);
    ruleset_unref(ruleset);
    return screening;
}

void micro_operation(void *state)
{
    struct screening *screening = state;
    struct filter_verdict verdict =
        filter_check(screening->filter, screening->answer, screening->answer_bytes);

    if (verdict.outcome != FILTER_PASS)
        abort();
}

void micro_finish(void *state)
{
    struct screening *screening = state;
    filter_free(screening->filter);
    free(screening);
}
