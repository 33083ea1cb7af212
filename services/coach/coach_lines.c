/*
 * The lines have a place for what is being spoken of, "{about}".  A spoken line is
 * recognised again by what stands before and behind that place.
 */
#include "coach_lines_internal.h"

#include "coach_hash_internal.h"
#include "private_reveal.h"

#include <string.h>

static const char about_place[] = "{about}";
static const char about_unknown[] = "what you just described";

/* A line with its place filled in, in three pieces. */
struct filled {
    struct span before, about, behind;
};

static struct filled fill(const char *line, const char *about)
{
    const char *place = strstr(line, about_place);

    if (!place)
        return (struct filled){.before = span_of(line)};
    return (struct filled){.before = {line, (size_t)(place - line)},
                           .about = span_of(about),
                           .behind = span_of(place + strlen(about_place))};
}

static bool starts_with(struct span text, struct span start)
{
    return start.length <= text.length &&
           (start.length == 0 || memcmp(text.bytes, start.bytes, start.length) == 0);
}

static struct span skip(struct span text, size_t length)
{
    return (struct span){text.bytes + length, text.length - length};
}

static bool is_spoken(struct span spoken, const struct filled *line)
{
    const struct span *pieces[] = {&line->before, &line->about, &line->behind};

    for (size_t i = 0; i < 3; i++) {
        if (!starts_with(spoken, *pieces[i]))
            return false;
        spoken = skip(spoken, pieces[i]->length);
    }
    return spoken.length == 0;
}

const struct bank_topic *coach_lines_topic(struct span name)
{
    for (size_t i = 0; i < bank_topic_count; i++)
        if (span_equals(name, bank_topics[i].topic))
            return &bank_topics[i];
    return NULL;
}

/* The topic with which the line was spoken: the index of a topic, bank_topic_count for
 * the unknown one, more: it is not this line. */
static size_t topic_of(struct span spoken, const char *line)
{
    for (size_t i = 0; i <= bank_topic_count; i++) {
        struct filled filled =
            fill(line, i < bank_topic_count ? bank_topics[i].about : about_unknown);

        if (!starts_with(spoken, filled.before))
            break;
        if (is_spoken(spoken, &filled))
            return filled.about.length ? i : bank_topic_count;
    }
    return bank_topic_count + 1;
}

enum line_kind coach_lines_kind(struct span spoken, const struct bank_topic **ret_topic)
{
    for (enum line_kind kind = LINE_OUTCOME; kind <= LINE_STUCK; kind++) {
        for (size_t i = 0; i < coach_lines[kind].count; i++) {
            size_t topic = topic_of(spoken, coach_lines[kind].items[i]);

            if (topic > bank_topic_count)
                continue;
            *ret_topic = topic < bank_topic_count ? &bank_topics[topic] : NULL;
            return kind;
        }
    }
    return LINE_KIND_COUNT;
}

static bool was_asked(const struct filled *line, const struct private_text *asked,
                      size_t asked_count)
{
    for (size_t i = 0; i < asked_count; i++)
        if (is_spoken(private_reveal(&asked[i]), line))
            return true;
    return false;
}

bool coach_lines_say(enum line_kind kind, const struct bank_topic *topic,
                     const struct private_text *asked, size_t asked_count, uint64_t seed,
                     struct buffer *out)
{
    size_t count = coach_lines[kind].count;
    size_t first = coach_choose(seed, (uint64_t)kind, count);

    for (size_t i = 0; i < count; i++) {
        struct filled line = fill(coach_lines[kind].items[(first + i) % count],
                                  topic ? topic->about : about_unknown);

        if (was_asked(&line, asked, asked_count))
            continue;
        buffer_append(out, line.before.bytes, line.before.length);
        buffer_append(out, line.about.bytes, line.about.length);
        buffer_append(out, line.behind.bytes, line.behind.length);
        return true;
    }
    return false;
}
