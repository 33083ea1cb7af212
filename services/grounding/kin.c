/*
 * Ordinary words: the lists [light], [plain], [everyday] and [families] of patterns/support.txt, stemmed.
 */
#include "kin_internal.h"

#include "intern_internal.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

extern const char embedded_support_words[], embedded_support_words_end[];

/* A word in a family. */
struct member {
    uint32_t stem; /* its number */
    uint32_t family;
};

struct kin {
    struct intern
        stems; /* owned, like the members; the plain ones have the first numbers */
    size_t plain_count;
    struct member *members; /* those of a family stand together */
    size_t member_count, member_capacity;
};

/* The lines of a list, which begins with its name and ends before the next one. */
static struct span list_named(const char *name)
{
    size_t length = (size_t)(embedded_support_words_end - embedded_support_words);
    const char *start = memmem(embedded_support_words, length, name, strlen(name)), *end;

    start += strlen(name);
    length = (size_t)(embedded_support_words_end - start);
    end = memmem(start, length, "\n[", 2);
    return (struct span){start, end != NULL ? (size_t)(end - start) : length};
}

static void read_list(struct kin *kin, struct terms_reader *reader, const char *name,
                      bool has_families)
{
    struct span list = list_named(name);
    struct terms terms = {0};
    const char *end = list.bytes + list.length, *next;
    uint32_t family = 0;

    for (const char *at = list.bytes; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next != NULL ? next : end;
        if (*at == '#')
            continue;
        family++;
        terms_read(reader, (struct span){at, (size_t)(next - at)}, &terms);
        for (size_t i = 0; i < terms.count; i++) {
            const struct term *term = &terms.all[i];
            uint32_t stem =
                intern_put(&kin->stems, term_stem(&terms, term), term->stem_length);

            if (!has_families)
                continue;
            MEM_ROOM(kin->members, kin->member_count, kin->member_capacity, 1);
            kin->members[kin->member_count++] = (struct member){stem, family};
        }
    }
    terms_done(&terms);
}

struct kin *kin_new(struct terms_reader *reader)
{
    struct kin *kin = MEM_NEW(struct kin);

    read_list(kin, reader, "\n[light]", false);
    read_list(kin, reader, "\n[plain]", false);
    read_list(kin, reader, "\n[everyday]", false);
    kin->plain_count = kin->stems.count;
    read_list(kin, reader, "\n[families]", true);
    return kin;
}

void kin_free(struct kin *kin)
{
    if (kin == NULL)
        return;
    intern_done(&kin->stems);
    free(kin->members);
    free(kin);
}

bool kin_is_plain(const struct kin *kin, struct span stem)
{
    uint32_t number;

    return intern_find(&kin->stems, stem.bytes, stem.length, &number) &&
           number < kin->plain_count;
}

size_t kin_of(const struct kin *kin, struct span stem, struct span ret_stems[KIN_MOST])
{
    const struct member *members = kin->members;
    size_t count = 0, first = 0; /* of the family that is walked through */
    uint32_t number;

    if (!intern_find(&kin->stems, stem.bytes, stem.length, &number))
        return 0;
    for (size_t i = 0; i < kin->member_count; i++) {
        if (members[i].family != members[first].family)
            first = i;
        if (members[i].stem != number)
            continue;
        for (size_t k = first; k < kin->member_count && count < KIN_MOST &&
                               members[k].family == members[i].family;
             k++)
            if (k != i)
                ret_stems[count++] = intern_text(&kin->stems, members[k].stem);
    }
    return count;
}
