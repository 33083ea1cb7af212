/*
 * Retry-After (RFC 9110, 10.2.3): a number of seconds, or a date in one of the three
 * forms of HTTP (5.6.7), which all mean GMT.
 */
#include "call_internal.h"

#include <ctype.h>
#include <string.h>

#define LONGEST_DATE 48
#define LONGEST_WAIT 604800 /* a week: more is an error of the sender's, not a wish */

static bool parse_seconds(const char *value, size_t length, int64_t *ret_seconds)
{
    int64_t seconds = 0;

    for (size_t i = 0; i < length; i++) {
        if (value[i] < '0' || value[i] > '9')
            return false;
        if (seconds <= LONGEST_WAIT)
            seconds = seconds * 10 + (value[i] - '0');
    }
    *ret_seconds = seconds;
    return length > 0;
}

static bool parse_date(const char *value, size_t length, int64_t now_s,
                       int64_t *ret_seconds)
{
    char text[LONGEST_DATE + 1];
    time_t date;

    if (length > LONGEST_DATE || !isalpha((unsigned char)value[0]))
        return false; /* every form begins with the day of the week */
    memcpy(text, value, length);
    text[length] = '\0';

    date = curl_getdate(text, NULL);
    if (date == -1)
        return false;
    *ret_seconds = date > now_s ? date - now_s : 0;
    return true;
}

int64_t retry_after_parse(const char *value, size_t length, int64_t now_s)
{
    int64_t seconds;

    if (length == 0)
        return -1;
    if (!parse_seconds(value, length, &seconds) &&
        !parse_date(value, length, now_s, &seconds))
        return -1;
    return seconds < LONGEST_WAIT ? seconds : LONGEST_WAIT;
}
