/*
 * What the check for support knows of words: patterns/support.txt, which is compiled in.  A list begins with its
 * name in brackets; its words are stemmed as those of a claim are.
 */
#include "support_internal.h"

#include "mem.h"

#include <string.h>

extern const char embedded_support_words[], embedded_support_words_end[];

/* One line, read into `support->terms`. */
typedef void read_line_fn(struct support *support, struct span line, uint32_t flag);

static uint32_t stem_at(struct support *support, size_t at)
{
    const struct term *term = &support->terms.all[at];

    return support_intern(support, term_stem(&support->terms, term), term->stem_length);
}

static void read_flags(struct support *support, struct span line, uint32_t flag)
{
    (void)line;
    for (size_t i = 0; i < support->terms.count; i++) {
        uint32_t stem = stem_at(support, i);

        support->stems[stem].flags |= flag;
    }
}

static void read_pairs(struct support *support, struct span line, uint32_t flag)
{
    (void)line, (void)flag;
    for (size_t i = 0; i + 1 < support->terms.count; i += 2) {
        struct support_pair pair = {stem_at(support, i), stem_at(support, i + 1)};

        MEM_ROOM(support->pairs, support->pair_count, support->pair_capacity, 1);
        support->pairs[support->pair_count++] = pair;
    }
}

static void read_units(struct support *support, struct span line, uint32_t flag)
{
    (void)flag;
    support->quantity_count++;
    for (size_t i = 0; i < support->terms.count; i++) {
        const struct term *term = &support->terms.all[i];
        uint32_t stem = stem_at(support, i);

        if (i == 0 || line.bytes[term[-1].end] != '=')
            support->unit_count++;
        if (support->stems[stem].unit != 0)
            continue;
        support->stems[stem].unit = support->unit_count;
        support->stems[stem].quantity = support->quantity_count;
    }
}

static void read_family(struct support *support, struct span line, uint32_t flag)
{
    (void)line, (void)flag;
    support->family_count++;
    for (size_t i = 0; i < support->terms.count; i++) {
        struct support_pair member = {stem_at(support, i), support->family_count};

        MEM_ROOM(support->members, support->member_count, support->member_capacity, 1);
        support->members[support->member_count++] = member;
    }
}

static const struct list {
    const char *name;
    read_line_fn *read_line;
    uint32_t flag;
} lists[] = {
    {"[light]", read_flags, SUPPORT_LIGHT},
    {"[denials]", read_flags, SUPPORT_DENIAL},
    {"[breaks]", read_flags, SUPPORT_BREAK},
    {"[leads]", read_flags, SUPPORT_LEAD},
    {"[plain]", read_flags, SUPPORT_PLAIN},
    {"[particles]", read_flags, SUPPORT_PLAIN | SUPPORT_PARTICLE},
    {"[opposites]", read_pairs, 0},
    {"[units]", read_units, 0},
    {"[families]", read_family, 0},
};

void support_read_lists(struct support *support)
{
    const struct list *list = NULL;
    const char *next = NULL;

    for (const char *at = embedded_support_words; at < embedded_support_words_end;
         at = next + 1) {
        struct span line;

        next = memchr(at, '\n', (size_t)(embedded_support_words_end - at));
        line = (struct span){at, (size_t)(next - at)};
        if (*at == '[') {
            for (list = lists; !span_equals(line, list->name);)
                list++;
        } else if (*at != '#' && line.length > 0) {
            terms_read(support->reader, line, &support->terms);
            list->read_line(support, line, list->flag);
        }
    }
}
