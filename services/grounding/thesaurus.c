/*
 * Ordinary words: the lists [light], [plain], [everyday] and [families] of patterns/support.txt, and the families
 * of patterns/synonyms.txt, both compiled in, stemmed.
 */
#include "thesaurus_internal.h"

#include "mem.h"
#include "question_internal.h"

#include <stdlib.h>
#include <string.h>

extern const char embedded_support_words[], embedded_support_words_end[];
extern const char embedded_synonyms[], embedded_synonyms_end[];

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
    uint32_t family_count;
};

/* A list of support.txt, which begins with its name and ends before the next one. */
static struct span list_named(const char *name)
{
    size_t length = (size_t)(embedded_support_words_end - embedded_support_words);
    const char *start = memmem(embedded_support_words, length, name, strlen(name)), *end;

    start += strlen(name);
    length = (size_t)(embedded_support_words_end - start);
    end = memmem(start, length, "\n[", 2);
    return (struct span){start, end != NULL ? (size_t)(end - start) : length};
}

static void read_family(struct thesaurus *thesaurus, struct span words,
                        struct terms *room)
{
    terms_read(thesaurus->reader, words, room);
    for (size_t i = 0; i < room->count; i++) {
        const struct term *term = &room->all[i];
        uint32_t stem =
            intern_put(&thesaurus->stems, term_stem(room, term), term->stem_length);

        MEM_ROOM(thesaurus->members, thesaurus->member_count, thesaurus->member_capacity,
                 1);
        thesaurus->members[thesaurus->member_count++] =
            (struct member){stem, thesaurus->family_count};
    }
    thesaurus->family_count++;
}

/* Families end with their line, or at "/". */
static void read_families(struct thesaurus *thesaurus, struct span list)
{
    struct terms room = {0};
    const char *end = list.bytes + list.length, *next;

    for (const char *at = list.bytes; at < end; at = next + 1) {
        bool is_comment = *at == '#';

        for (next = at; next < end && *next != '\n' && (*next != '/' || is_comment);)
            next++;
        if (!is_comment)
            read_family(thesaurus, (struct span){at, (size_t)(next - at)}, &room);
    }
    terms_done(&room);
}

struct thesaurus *thesaurus_new(void)
{
    struct thesaurus *thesaurus = MEM_NEW(struct thesaurus);

    thesaurus->reader = terms_reader_new();
    read_families(thesaurus, list_named("\n[light]"));
    read_families(thesaurus, list_named("\n[plain]"));
    read_families(thesaurus, list_named("\n[everyday]"));
    thesaurus->plain_count = thesaurus->stems.count;
    thesaurus->member_count = 0; /* their lines are no families */
    read_families(thesaurus, list_named("\n[families]"));
    read_families(thesaurus,
                  (struct span){embedded_synonyms,
                                (size_t)(embedded_synonyms_end - embedded_synonyms)});
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
