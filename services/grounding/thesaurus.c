/*
 * Ordinary words: the lists [light], [plain], [particles] and [families] of patterns/support.txt, which is
 * compiled in, stemmed.
 */
#include "thesaurus_internal.h"

#include "mem.h"
#include "question_internal.h"

#include <stdlib.h>
#include <string.h>

extern const char embedded_support_words[], embedded_support_words_end[];

/* A word in a family. */
struct member {
    uint32_t stem; /* its number */
    uint32_t family;
};

struct thesaurus {
    struct terms_reader *reader; /* owned, like all below */
    struct intern stems;         /* the plain ones have the first numbers */
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

static void read_list(struct thesaurus *thesaurus, const char *name, bool has_families)
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
        terms_read(thesaurus->reader, (struct span){at, (size_t)(next - at)}, &terms);
        for (size_t i = 0; i < terms.count; i++) {
            const struct term *term = &terms.all[i];
            uint32_t stem =
                intern_put(&thesaurus->stems, term_stem(&terms, term), term->stem_length);

            if (!has_families)
                continue;
            MEM_ROOM(thesaurus->members, thesaurus->member_count,
                     thesaurus->member_capacity, 1);
            thesaurus->members[thesaurus->member_count++] = (struct member){stem, family};
        }
    }
    terms_done(&terms);
}

struct thesaurus *thesaurus_new(void)
{
    struct thesaurus *thesaurus = MEM_NEW(struct thesaurus);

    thesaurus->reader = terms_reader_new();
    read_list(thesaurus, "\n[light]", false);
    read_list(thesaurus, "\n[plain]", false);
    read_list(thesaurus, "\n[particles]", false);
    thesaurus->plain_count = thesaurus->stems.count;
    read_list(thesaurus, "\n[families]", true);
    return thesaurus;
}

void thesaurus_free(struct thesaurus *thesaurus)
{
    if (thesaurus == NULL)
        return;
    terms_reader_free(thesaurus->reader);
    intern_done(&thesaurus->stems);
    free(thesaurus->members);
    free(thesaurus);
}

struct terms_reader *thesaurus_reader(const struct thesaurus *thesaurus)
{
    return thesaurus->reader;
}

bool thesaurus_is_plain(const struct thesaurus *thesaurus, struct span stem)
{
    uint32_t number;

    return intern_find(&thesaurus->stems, stem.bytes, stem.length, &number) &&
           number < thesaurus->plain_count;
}

/* ---- what hits a question's words ---- */

static void add(struct word_hits *hits, struct span stem, struct word_hit hit)
{
    size_t count = hits->stems.count;

    if (intern_put(&hits->stems, stem.bytes, stem.length) < count)
        return;
    MEM_ROOM(hits->all, count, hits->capacity, 1);
    hits->all[count] = hit;
}

void word_hits_add(struct word_hits *hits, struct span stem, uint16_t word)
{
    add(hits, stem, (struct word_hit){word, false});
}

void word_hits_add_kin(struct word_hits *hits, const struct thesaurus *thesaurus,
                       struct span stem, uint16_t word)
{
    const struct member *members = thesaurus->members;
    size_t count = thesaurus->member_count, first = 0; /* of the family at hand */
    uint32_t number;

    if (!intern_find(&thesaurus->stems, stem.bytes, stem.length, &number))
        return;
    for (size_t i = 0; i < count; i++) {
        if (members[i].family != members[first].family)
            first = i;
        if (members[i].stem != number)
            continue;
        for (size_t k = first; k < count && members[k].family == members[i].family; k++) {
            struct span kin = intern_text(&thesaurus->stems, members[k].stem);

            if (!question_is_light_verb(kin))
                add(hits, kin, (struct word_hit){word, true});
        }
    }
}

void word_hits_done(struct word_hits *hits)
{
    intern_done(&hits->stems);
    free(hits->all);
    *hits = (struct word_hits){0};
}

struct word_hit word_hits_find(const struct word_hits *hits, const struct terms *terms,
                               const struct term *term)
{
    uint32_t number;

    return intern_find(&hits->stems, term_stem(terms, term), term->stem_length, &number)
               ? hits->all[number]
               : (struct word_hit){WORD_NONE, false};
}
