/*
 * When a provider says to come back: Retry-After and x-ratelimit-*.  What is read is a time that
 * can be waited for, and a back-off keeps to it.
 *
 * The input is header lines; each one's value is also read by itself.
 */
#include "breaker.h"
#include "call_internal.h"
#include "fuzz.h"

#define WEEK_S 604800
#define NOW_S  1800000000 /* some day in 2027 */

static void check_value(struct span value)
{
    char *copy = malloc(value.length + 1); /* with a NUL behind, as curl gives it */
    int64_t wait_s, duration_s;

    must(copy != NULL);
    memcpy(copy, value.bytes, value.length);
    copy[value.length] = '\0';
    wait_s = retry_after_parse(copy, value.length, NOW_S);
    must(wait_s >= -1 && wait_s <= WEEK_S);
    must(retry_after_parse(copy, value.length, NOW_S) == wait_s);
    duration_s = duration_parse(copy, value.length);
    must(duration_s >= -1 && duration_s <= WEEK_S);
    if (wait_s >= 0 && wait_s < 1000) {
        must(backoff_ms(1, wait_s) >= wait_s * 1000);
        must(backoff_ms(20, wait_s) >= wait_s * 1000);
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), line;
    struct rate_limits limits = {.is_spent = {false}};
    int64_t wait_s;

    while (fuzz_next(&input, "\n", &line)) {
        const char *colon = memchr(line.bytes, ':', line.length);

        rate_limits_read(&limits, line.bytes, line.length);
        check_value(line);
        if (colon != NULL)
            check_value(
                (struct span){colon + 1, line.length - (size_t)(colon + 1 - line.bytes)});
    }
    for (int i = 0; i < 2; i++)
        must(limits.reset_s[i] >= 0 && limits.reset_s[i] <= WEEK_S);
    wait_s = rate_limits_wait_s(&limits);
    must(wait_s >= -1 && wait_s <= WEEK_S && wait_s != 0);
    must(wait_s == -1 || limits.is_spent[0] || limits.is_spent[1]);
    return 0;
}
