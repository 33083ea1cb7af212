/*
 * Building and running the prefilter.
 */
#include "prefilter.h"

#include "mem.h"
#include "prebuilt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The parts of one pattern, as indices. */
struct needed {
    unsigned parts[PREFILTER_MOST_PARTS];
    size_t count;
    size_t lead;
    size_t reach;
};

struct prefilter {
    hs_database_t *database; /* owned; NULL where no part could be compiled */
    unsigned char key[16];   /* of the database, see prebuilt.h */
    char **parts;     /* owned, as each of them; each once; NULL when it is given up */
    bool *has_places; /* owned; of each part: is it of interest where it ends? */
    size_t part_count;
    struct needed *needed; /* owned; one for each pattern */
    size_t count;
    uint64_t
        *users; /* owned; of each part, a row of bits: the patterns whose first it is */
    size_t row; /* words of a row */
    size_t unfiltered;
};

enum { MOST_PLACES = 64 };

/* Where a part was seen to end, in rising order once the scan is over. */
struct places {
    uint32_t ends[MOST_PLACES];
    uint32_t count;
    bool is_everywhere; /* too often to tell, or nothing is known */
};

struct sightings {
    const struct prefilter *prefilter; /* borrowed */
    struct places *places;             /* owned; one for each part */
    unsigned *seen; /* owned; the parts that have places, to clear them */
    size_t seen_count;
    size_t length; /* of the text */
    uint64_t
        *candidates; /* owned; a row of bits: the patterns whose first part was seen */
};

static unsigned add_part(struct prefilter *prefilter, const char *part);
static bool compile(struct prefilter *prefilter, unsigned flags, size_t *ret_bad);
static bool find_or_compile(struct prefilter *prefilter,
                            const struct prebuilt_source *source, size_t *ret_bad);
static bool is_small(const char *part);
static void note_users(struct prefilter *prefilter, size_t count);
static void note_candidates(struct sightings *sightings);
static char *loosen(const char *part);

struct prefilter *prefilter_new(const struct prefilter_needs *needs, size_t count,
                                bool has_properties)
{
    struct prefilter *prefilter = MEM_NEW(struct prefilter);
    unsigned flags = HS_FLAG_PREFILTER | HS_FLAG_UTF8 | HS_FLAG_ALLOWEMPTY |
                     (has_properties ? HS_FLAG_UCP | HS_FLAG_CASELESS : 0U);
    size_t bad;

    prefilter->needed = mem_zalloc((count + 1) * sizeof *prefilter->needed);
    prefilter->parts =
        mem_zalloc((count * PREFILTER_MOST_PARTS + 1) * sizeof *prefilter->parts);
    prefilter->has_places =
        mem_zalloc((count * PREFILTER_MOST_PARTS + 1) * sizeof *prefilter->has_places);
    for (size_t i = 0; i < count; i++) {
        struct needed *needed = &prefilter->needed[i];
        needed->lead = needs[i].lead;
        needed->reach = needs[i].reach;
        for (size_t part = 0; part < needs[i].count && part < PREFILTER_MOST_PARTS;
             part++) {
            unsigned id = add_part(prefilter, needs[i].parts[part]);
            prefilter->has_places[id] = prefilter->has_places[id] || needs[i].lead > 0;
            needed->parts[needed->count++] = id;
        }
    }

    /* One that is refused is tried once more in a looser form, and then given up. */
    bool *is_loose = mem_zalloc(prefilter->part_count + 1);
    while (!compile(prefilter, flags, &bad)) {
        char *looser = is_loose[bad] ? NULL : loosen(prefilter->parts[bad]);
        prefilter->unfiltered += is_loose[bad];
        free(prefilter->parts[bad]);
        prefilter->parts[bad] = looser;
        is_loose[bad] = true;
    }
    free(is_loose);
    note_users(prefilter, count);
    return prefilter;
}

static void note_users(struct prefilter *prefilter, size_t count)
{
    prefilter->count = count;
    prefilter->row = count / 64 + 1;
    prefilter->users =
        mem_zalloc((prefilter->part_count + 1) * prefilter->row * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        if (prefilter->needed[i].count > 0)
            prefilter->users[prefilter->needed[i].parts[0] * prefilter->row + i / 64] |=
                1ULL << i % 64;
    }
}

static unsigned add_part(struct prefilter *prefilter, const char *part)
{
    for (size_t i = 0; i < prefilter->part_count; i++) {
        if (strcmp(prefilter->parts[i], part) == 0)
            return (unsigned)i;
    }
    prefilter->parts[prefilter->part_count] = mem_copy_string(part);
    return (unsigned)prefilter->part_count++;
}

/*
 * Is the case of letters nothing to this part, where the text has small letters only?  Vectorscan is
 * a fifth faster then.  When in doubt, false.
 */
static bool is_small(const char *part)
{
    for (const char *at = part; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if ((c >= 'A' && c <= 'Z') || c >= 0x80)
            return false;
        if (c == '-' && (at == part || !islower((unsigned char)at[-1]) ||
                         !islower((unsigned char)at[1])))
            return false; /* a range may hold capitals */
        if (c == '\\') {
            at++;
            if (*at == '\0' ||
                (isalnum((unsigned char)*at) && strchr("bdsw", *at) == NULL))
                return false;
        }
    }
    return true;
}

/* false, with the part that stopped it; true also where there is nothing left to compile.
 */
static bool compile(struct prefilter *prefilter, unsigned flags, size_t *ret_bad)
{
    size_t most = prefilter->part_count + 1;
    const char **present = mem_zalloc(most * sizeof *present);
    unsigned *all_flags = mem_zalloc(most * sizeof *all_flags);
    unsigned *ids = mem_zalloc(most * sizeof *ids);
    unsigned count = 0;

    for (size_t i = 0; i < prefilter->part_count; i++) {
        if (prefilter->parts[i] == NULL)
            continue;
        present[count] = prefilter->parts[i];
        all_flags[count] = flags | (prefilter->has_places[i] ? 0U : HS_FLAG_SINGLEMATCH) |
                           (is_small(prefilter->parts[i]) ? 0U : HS_FLAG_CASELESS);
        ids[count++] = (unsigned)i;
    }
    const struct prebuilt_source source = {present, all_flags, ids, count};
    bool is_compiled = count == 0 || find_or_compile(prefilter, &source, ret_bad);
    free(present);
    free(all_flags);
    free(ids);
    return is_compiled;
}

/*
 * For every machine of the architecture, so that what is prebuilt runs on all; nothing was gained
 * by compiling for AVX2 or AVX512, which the scan itself uses all the same.
 */
static bool find_or_compile(struct prefilter *prefilter,
                            const struct prebuilt_source *source, size_t *ret_bad)
{
    static const hs_platform_info_t every_machine = {.tune = HS_TUNE_FAMILY_GENERIC};
    hs_compile_error_t *error = NULL;

    prebuilt_key(source, prefilter->key);
    prefilter->database = prebuilt_find(prefilter->key);
    if (prefilter->database != NULL ||
        hs_compile_multi(source->expressions, source->flags, source->ids, source->count,
                         HS_MODE_BLOCK, &every_machine, &prefilter->database,
                         &error) == HS_SUCCESS)
        return true;

    prefilter->database = NULL;
    if (error == NULL)
        abort();
    /* An error of the whole is put down to the last. */
    *ret_bad = source->ids[error->expression >= 0 ? (unsigned)error->expression
                                                  : source->count - 1];
    hs_free_compile_error(error);
    return false;
}

bool prefilter_serialise(const struct prefilter *prefilter, unsigned char *key,
                         char **ret_bytes, size_t *ret_length)
{
    memcpy(key, prefilter->key, sizeof prefilter->key);
    return prefilter->database != NULL &&
           hs_serialize_database(prefilter->database, ret_bytes, ret_length) ==
               HS_SUCCESS;
}

/* ){2,5} costs Vectorscan a copy of the group for each time; )* matches whatever that
 * does. */
static char *loosen(const char *part)
{
    size_t length = strlen(part);
    char *loose = mem_copy(part, length);
    size_t out = 0;

    for (size_t i = 0; i < length; i++) {
        loose[out++] = part[i];
        if (part[i] != ')' || part[i + 1] != '{')
            continue;
        size_t digits = strspn(part + i + 2, "0123456789,");
        if (digits > 0 && part[i + 2 + digits] == '}') {
            loose[out++] = '*';
            i += digits + 2;
        }
    }
    loose[out] = '\0';
    return loose;
}

void prefilter_free(struct prefilter *prefilter)
{
    if (prefilter == NULL)
        return;
    hs_free_database(prefilter->database);
    for (size_t i = 0; i < prefilter->part_count; i++)
        free(prefilter->parts[i]);
    free(prefilter->parts);
    free(prefilter->has_places);
    free(prefilter->needed);
    free(prefilter->users);
    free(prefilter);
}

size_t prefilter_unfiltered(const struct prefilter *prefilter)
{
    return prefilter->unfiltered;
}

void prefilter_fit_scratch(const struct prefilter *prefilter, hs_scratch_t **scratch)
{
    if (prefilter->database != NULL &&
        hs_alloc_scratch(prefilter->database, scratch) != HS_SUCCESS)
        abort();
}

struct sightings *sightings_new(const struct prefilter *prefilter)
{
    struct sightings *sightings = MEM_NEW(struct sightings);

    sightings->prefilter = prefilter;
    sightings->places =
        mem_zalloc((prefilter->part_count + 1) * sizeof *sightings->places);
    sightings->seen = mem_zalloc((prefilter->part_count + 1) * sizeof *sightings->seen);
    sightings->candidates = mem_zalloc(prefilter->row * sizeof(uint64_t));
    for (size_t i = 0; i < prefilter->part_count; i++)
        sightings->places[i].is_everywhere = prefilter->parts[i] == NULL;
    return sightings;
}

void sightings_free(struct sightings *sightings)
{
    if (sightings == NULL)
        return;
    free(sightings->places);
    free(sightings->seen);
    free(sightings->candidates);
    free(sightings);
}

/* Matches of different parts come in any order, those of one part mostly in theirs. */
static int on_match(unsigned id, unsigned long long from, unsigned long long to,
                    unsigned flags, void *context)
{
    struct sightings *sightings = context;
    struct places *places = &sightings->places[id];

    (void)from;
    (void)flags;
    if (places->is_everywhere)
        return 0;
    if (places->count == 0)
        sightings->seen[sightings->seen_count++] = id;
    if (places->count == MOST_PLACES || !sightings->prefilter->has_places[id]) {
        places->is_everywhere = true;
        return 0;
    }
    uint32_t at = places->count++;
    for (; at > 0 && places->ends[at - 1] > to; at--)
        places->ends[at] = places->ends[at - 1];
    places->ends[at] = (uint32_t)to;
    return 0;
}

bool prefilter_scan(const struct prefilter *prefilter, hs_scratch_t *scratch,
                    const char *text, size_t length, struct sightings *sightings)
{
    for (size_t i = 0; i < sightings->seen_count; i++) {
        sightings->places[sightings->seen[i]].count = 0;
        sightings->places[sightings->seen[i]].is_everywhere = false;
    }
    sightings->seen_count = 0;
    sightings->length = length;
    bool is_scanned = prefilter->database == NULL || text == NULL ||
                      hs_scan(prefilter->database, text, (unsigned)length, 0, scratch,
                              on_match, sightings) == HS_SUCCESS;
    note_candidates(sightings);
    return is_scanned;
}

static void note_candidates(struct sightings *sightings)
{
    const struct prefilter *prefilter = sightings->prefilter;
    size_t row = prefilter->row;

    memset(sightings->candidates, 0, row * sizeof(uint64_t));
    for (size_t i = 0; i < sightings->seen_count; i++) {
        for (size_t word = 0; word < row; word++)
            sightings->candidates[word] |=
                prefilter->users[sightings->seen[i] * row + word];
    }
    for (size_t i = 0; prefilter->unfiltered > 0 && i < prefilter->part_count; i++) {
        for (size_t word = 0; prefilter->parts[i] == NULL && word < row; word++)
            sightings->candidates[word] |= prefilter->users[i * row + word];
    }
}

size_t prefilter_candidate(const struct sightings *sightings, size_t from)
{
    const struct prefilter *prefilter = sightings->prefilter;

    for (size_t word = from / 64; word < prefilter->row; word++) {
        uint64_t bits = sightings->candidates[word];
        if (word == from / 64)
            bits &= ~0ULL << from % 64;
        if (bits != 0)
            return word * 64 + (size_t)__builtin_ctzll(bits);
    }
    return prefilter->count;
}

static bool is_seen(const struct places *places)
{
    return places->is_everywhere || places->count > 0;
}

bool prefilter_next(const struct prefilter *prefilter, const struct sightings *sightings,
                    size_t pattern, size_t from, struct stretch *ret_stretch)
{
    const struct needed *needed = &prefilter->needed[pattern];
    const struct places *first = &sightings->places[needed->parts[0]];
    const struct places *last =
        &sightings->places[needed->parts[needed->count > 1 ? 1 : 0]];

    if (needed->count == 0 || !is_seen(first) || !is_seen(last) ||
        from > sightings->length)
        return false;
    if (needed->lead == 0 || first->is_everywhere || last->is_everywhere) {
        *ret_stretch = (struct stretch){from, sightings->length};
        return true;
    }
    for (uint32_t i = 0, j = 0; i < first->count; i++) {
        size_t end = first->ends[i];
        if (end < from)
            continue;
        while (j < last->count && last->ends[j] < end)
            j++;
        if (j == last->count)
            return false;
        if (last->ends[j] - end > needed->reach)
            continue;
        size_t start = end > needed->lead ? end - needed->lead : 0;
        *ret_stretch = (struct stretch){start > from ? start : from, end};
        return true;
    }
    return false;
}
