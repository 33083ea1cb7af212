/*
 * Accept and Accept-Encoding: what a client would rather have, by weight (RFC 9110 12.5).
 */
#include "accept_internal.h"

#include "parameters_internal.h"

#define FULL_WEIGHT 1000

static void add_type(struct accept *accept, struct span range);
static void add_encoding(struct accept *accept, struct span range);

/* A comma inside a quoted parameter splits a range that is none of ours. */
static void for_each_range(struct accept *accept, struct span value,
                           void (*add)(struct accept *accept, struct span range))
{
    size_t start = 0;

    for (size_t at = 0; at <= value.length; at++) {
        if (at < value.length && value.bytes[at] != ',')
            continue;
        add(accept, (struct span){value.bytes + start, at - start});
        start = at + 1;
    }
}

void accept_add(struct accept *accept, struct span value)
{
    for_each_range(accept, value, add_type);
}

void accept_add_encoding(struct accept *accept, struct span value)
{
    for_each_range(accept, value, add_encoding);
}

static void raise(int *weight, int wanted)
{
    if (wanted > *weight)
        *weight = wanted;
}

/* qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ) */
static int parse_weight(struct span text)
{
    int weight;
    int unit = FULL_WEIGHT / 10;

    if (text.length == 0 || text.length > 5 ||
        (text.bytes[0] != '0' && text.bytes[0] != '1') ||
        (text.length > 1 && text.bytes[1] != '.'))
        return 0;
    weight = (text.bytes[0] - '0') * FULL_WEIGHT;
    for (size_t at = 2; at < text.length; at++) {
        if (text.bytes[at] < '0' || text.bytes[at] > '9')
            return 0;
        weight += (text.bytes[at] - '0') * unit;
        unit /= 10;
    }
    return weight <= FULL_WEIGHT ? weight : 0;
}

/* A malformed range has none. */
static int weight_of(struct span range)
{
    struct parameter parameter;
    size_t offset = 0;

    while (parameters_next(range, &offset, &parameter)) {
        if (span_equals_ignoring_case(parameter.name, "q"))
            return parameter.is_quoted ? 0 : parse_weight(parameter.value);
    }
    return offset == range.length ? FULL_WEIGHT : 0;
}

static void add_type(struct accept *accept, struct span range)
{
    struct span type = parameters_value(range);

    if (span_equals_ignoring_case(type, "text/event-stream"))
        raise(&accept->events, weight_of(range));
    else if (span_equals_ignoring_case(type, "application/json"))
        raise(&accept->json, weight_of(range));
    else if (span_equals_ignoring_case(type, "text/markdown"))
        raise(&accept->markdown, weight_of(range));
}

/* x-gzip is the same (RFC 9110 8.4.1.3), but nobody has sent it for long. */
static void add_encoding(struct accept *accept, struct span range)
{
    if (span_equals_ignoring_case(parameters_value(range), "gzip"))
        raise(&accept->gzip, weight_of(range));
}

bool accept_wants_events(const struct accept *accept)
{
    return accept->events > 0 && accept->events >= accept->json;
}

bool accept_wants_markdown(const struct accept *accept)
{
    return accept->markdown > 0 && accept->markdown >= accept->json;
}

bool accept_takes_gzip(const struct accept *accept)
{
    return accept->gzip > 0;
}
