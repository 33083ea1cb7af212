/*
 * A walk from the end of a pattern to its start, in which every repeat is held against the
 * characters that may follow it.
 */
#include "backtracking_internal.h"
#include "pattern_syntax_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool first_of(const struct pattern_item *sequence, struct char_set *set);

static void set_join(struct char_set *set, const struct char_set *other)
{
    for (int i = 0; i < 3; i++)
        set->bits[i] |= other->bits[i];
}

static bool set_meets(const struct char_set *one, const struct char_set *other)
{
    return ((one->bits[0] & other->bits[0]) | (one->bits[1] & other->bits[1]) |
            (one->bits[2] & other->bits[2])) != 0;
}

/* What the item can begin with; true where it can be empty, so that what follows counts
 * too. */
static bool first_of_item(const struct pattern_item *item, struct char_set *set)
{
    bool can_be_empty = item->is_optional;

    if (item->is_look) {
        if (item->may_end)
            char_set_add_all(set);
        return true;
    }
    if (!item->is_group) {
        set_join(set, &item->set);
        return can_be_empty;
    }
    can_be_empty = can_be_empty || item->alternatives == NULL;
    for (const struct pattern_item *one = item->alternatives; one != NULL;
         one = one->next)
        can_be_empty = first_of(one->inner, set) || can_be_empty;
    return can_be_empty;
}

/* Notes the repeats of the sequence that can also match what follows them.  `times` is
 * how often the sequence itself is repeated at most. */
static void walk(const struct pattern_item *sequence, struct char_set follow,
                 unsigned times, struct backtracking *found)
{
    struct char_set after = {{0}};
    struct char_set first = {{0}};

    if (sequence == NULL)
        return;
    walk(sequence->next, follow, times, found);

    if (first_of(sequence->next, &after))
        set_join(&after, &follow);
    first_of_item(sequence, &first);
    if (!sequence->is_look && !sequence->gives_nothing_back &&
        set_meets(&first, &after)) {
        if (sequence->is_repeated && !found->is_unbounded) {
            found->is_unbounded = true;
            found->offset = sequence->end;
        } else if (sequence->most > 1 || sequence->is_optional) {
            found->choices += times;
        }
    }
    if (sequence->is_look || sequence->gives_nothing_back)
        after = (struct char_set){{0}};
    if (sequence->most > 1) {
        set_join(&after, &first);
        times *= sequence->most < MANY ? sequence->most : MANY;
    }
    for (const struct pattern_item *one = sequence->alternatives; one != NULL;
         one = one->next)
        walk(one->inner, after, times < MANY ? times : MANY, found);
}

struct backtracking backtracking_of(const char *pattern)
{
    struct pattern_parser parser = {.pattern = pattern};
    struct backtracking found = {0};
    struct pattern_item *alternatives = pattern_syntax_parse(&parser);
    struct char_set nothing = {{0}};

    for (struct pattern_item *one = alternatives; one != NULL; one = one->next)
        walk(one->inner, nothing, 1, &found);
    if (parser.is_unreadable) {
        found.is_unbounded = true;
        found.offset = parser.at;
    }
    pattern_syntax_free(alternatives);
    return found;
}

bool backtracking_is_costly(struct backtracking backtracking)
{
    return backtracking.is_unbounded || backtracking.choices > MOST_CHOICES;
}

static bool first_of(const struct pattern_item *sequence, struct char_set *set)
{
    for (; sequence != NULL; sequence = sequence->next) {
        if (!first_of_item(sequence, set))
            return false;
    }
    return true;
}
