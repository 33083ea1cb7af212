/*
 * Ordinary words and words for the same, as the check for support knows them (support_lists.c), for who reads a
 * question.
 */
#include "thesaurus_internal.h"

#include "mem.h"
#include "question_internal.h"
#include "support_internal.h"

#include <stdlib.h>
#include <string.h>

struct thesaurus {
    struct support *words; /* owned */
};

struct thesaurus *thesaurus_new(void)
{
    struct thesaurus *thesaurus = MEM_NEW(struct thesaurus);

    thesaurus->words = support_new();
    return thesaurus;
}

void thesaurus_free(struct thesaurus *thesaurus)
{
    if (thesaurus == NULL)
        return;
    support_free(thesaurus->words);
    free(thesaurus);
}

struct terms_reader *thesaurus_reader(const struct thesaurus *thesaurus)
{
    return thesaurus->words->reader;
}

bool thesaurus_is_plain(const struct thesaurus *thesaurus, struct span stem)
{
    const struct support *words = thesaurus->words;
    uint32_t number;

    return intern_find(&words->texts, stem.bytes, stem.length, &number) &&
           (words->stems[number].flags & (SUPPORT_LIGHT | SUPPORT_PLAIN)) != 0;
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
    const struct support *words = thesaurus->words;
    const struct support_pair *members = words->members; /* stem and family */
    size_t count = words->member_count, first = 0;       /* of the family at hand */
    uint32_t number;

    if (!intern_find(&words->texts, stem.bytes, stem.length, &number))
        return;
    for (size_t i = 0; i < count; i++) {
        if (members[i].other != members[first].other)
            first = i;
        if (members[i].one != number)
            continue;
        for (size_t k = first; k < count && members[k].other == members[i].other; k++) {
            struct span kin = intern_text(&words->texts, members[k].one);

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
