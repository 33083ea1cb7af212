/*
 * Retry-After (RFC 9110, 10.2.3): a number of seconds, or a date in one of the three
 * forms of HTTP (5.6.7), which all mean GMT.
 */
#include "call_internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

/* ---- x-ratelimit-... ---- */

int64_t duration_parse(const char *value, size_t length)
{
    double seconds = 0;
    size_t i = 0;

    while (i < length) {
        double number = 0, place = 0;
        size_t from = i;

        for (; i < length && (isdigit((unsigned char)value[i]) ||
                              (value[i] == '.' && place == 0 && i > from));
             i++) {
            if (value[i] == '.')
                place = 1;
            else if (place == 0)
                number = number * 10 + (value[i] - '0');
            else
                number += (value[i] - '0') * (place /= 10);
        }
        if (i == from || i == length || number > LONGEST_WAIT)
            return -1;
        if (value[i] == 'm' && i + 1 < length && value[i + 1] == 's')
            seconds += number / 1000, i++;
        else if (value[i] == 'h' || value[i] == 'm' || value[i] == 's')
            seconds += number * (value[i] == 'h' ? 3600 : value[i] == 'm' ? 60 : 1);
        else
            return -1;
        i++;
    }
    if (length == 0)
        return -1;
    return seconds < LONGEST_WAIT ? (int64_t)(seconds + 0.999999) : LONGEST_WAIT;
}

struct span call_header_value(const char *line, size_t length, const char *name)
{
    size_t from = strlen(name);

    if (length <= from || strncasecmp(line, name, from) != 0 || line[from] != ':')
        return (struct span){NULL, 0};
    from++;
    while (from < length && (line[from] == ' ' || line[from] == '\t'))
        from++;
    while (length > from && (unsigned char)line[length - 1] <= ' ')
        length--;
    return (struct span){line + from, length - from};
}

void rate_limits_read(struct rate_limits *limits, const char *line, size_t length)
{
    static const char *const names[][2] = {
        {"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
        {"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
    };

    for (size_t i = 0; i < RATE_LIMITS; i++) {
        struct span left = call_header_value(line, length, names[i][0]);
        struct span reset = call_header_value(line, length, names[i][1]);
        int64_t seconds;

        if (left.bytes != NULL)
            limits->is_spent[i] = span_equals(left, "0");
        if (reset.bytes == NULL)
            continue;
        seconds = duration_parse(reset.bytes, reset.length);
        limits->reset_s[i] = seconds > 0 ? seconds : 0;
    }
}

int64_t rate_limits_wait_s(const struct rate_limits *limits)
{
    int64_t wait_s = -1;

    for (size_t i = 0; i < RATE_LIMITS; i++)
        if (limits->is_spent[i] && limits->reset_s[i] > 0 && limits->reset_s[i] > wait_s)
            wait_s = limits->reset_s[i];
    return wait_s;
}
