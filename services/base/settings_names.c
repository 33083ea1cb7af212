/*
 * Which names are settings, and which were meant to be.
 */
#include "settings_names_internal.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define SLIPS_MOST       2
#define SHORT_NAME_BYTES 5 /* PORT is two slips from PATH, HOST from HOME */
#define NAME_BYTES_MOST  64

static const char *const names[] = {
#define SECTION(heading)
#define INT(field, env, standard, min, max, doc)     env,
#define DECIMAL(field, env, standard, min, max, doc) env,
#define TEXT(field, env, standard, doc)              env,
#define FLAG(field, env, standard, doc)              env,
#define CHOICE(field, env, standard, choices, doc)   env,
#define SECRET(field, env, doc)                      env, env "_FILE",
#include "settings.def"
};

static const struct {
    const char *name;
    const char *instead;
} formers[] = {
#define FORMER(name, instead) {name, instead},
#include "former_settings.def"
};

bool settings_is_name(struct span name)
{
    for (size_t at = 0; at < sizeof(names) / sizeof(names[0]); at++)
        if (span_equals(name, names[at]))
            return true;
    return false;
}

const char *settings_former(struct span name)
{
    for (size_t at = 0; at < sizeof(formers) / sizeof(formers[0]); at++)
        if (span_equals(name, formers[at].name))
            return formers[at].instead;
    return NULL;
}

static bool is_same(char one, char other)
{
    return toupper((unsigned char)one) == toupper((unsigned char)other);
}

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Slips from one name to the other: a character too many, too few, another one, or two neighbours
 * that changed places (the optimal string alignment distance).  More than `most` are some more. */
static size_t slips(struct span from, struct span to, size_t most)
{
    size_t rows[3][NAME_BYTES_MOST + 1];

    if (from.length > NAME_BYTES_MOST || to.length > NAME_BYTES_MOST ||
        from.length > to.length + most || to.length > from.length + most)
        return most + 1;
    for (size_t y = 0; y <= from.length; y++) {
        size_t *row = rows[y % 3], *above = rows[(y + 2) % 3],
               *two_above = rows[(y + 1) % 3];
        size_t best = row[0] = y;

        for (size_t x = 1; x <= to.length; x++) {
            if (y == 0) {
                row[x] = x;
                continue;
            }
            row[x] = least(above[x], row[x - 1]) + 1;
            row[x] = least(row[x],
                           above[x - 1] + !is_same(from.bytes[y - 1], to.bytes[x - 1]));
            if (y > 1 && x > 1 && is_same(from.bytes[y - 1], to.bytes[x - 2]) &&
                is_same(from.bytes[y - 2], to.bytes[x - 1]))
                row[x] = least(row[x], two_above[x - 2] + 1);
            best = least(best, row[x]);
        }
        if (y > 0 && best > most)
            return most + 1;
    }
    return rows[from.length % 3][to.length];
}

const char *settings_nearest(struct span name)
{
    const char *nearest = NULL;
    size_t nearest_slips = SLIPS_MOST + 1;

    for (size_t at = 0; at < sizeof(names) / sizeof(names[0]); at++) {
        size_t length = strlen(names[at]);
        size_t most = length <= SHORT_NAME_BYTES ? 1 : SLIPS_MOST;
        size_t count = slips(name, (struct span){names[at], length}, most);

        if (count <= most && count < nearest_slips) {
            nearest = names[at];
            nearest_slips = count;
        }
    }
    return nearest;
}
