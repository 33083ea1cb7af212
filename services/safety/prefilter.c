/*
 * Building the walk of the prefilter from the phrases of all parts, and walking it.
 *
 * The bytes of a text are put into classes (each that occurs in a phrase has its own, as long as there are
 * some left), a state is the longest beginning of a phrase that the text at hand ends with, and states at
 * which phrases end are numbered last, so that one comparison tells them.
 */
#include "prefilter_internal.h"

#include "mem.h"
#include "phrases_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLASS_BITS = 5,
    CLASSES = 1 << CLASS_BITS,
    MOST_STATES = 65000,
    MOST_PLACES = 64,
    LONG_WORD = 7,         /* letters */
    TWO_WALKS_LEAST = 128, /* bytes */
    LATE_MOST = 32,
    NAME_BYTES = 10,  /* of a phrase that says whether something occurs */
    PLACE_BYTES = 16, /* and where */
    INEXACT_SLACK =
        80, /* how far behind its phrase a part that is more than that may end */
};

/* A part of a pattern; the same one is kept once, whoever needs it. */
struct part {
    char *text;      /* owned */
    bool is_unknown; /* without phrases: it may be anywhere */
    bool has_places; /* where it ends is of interest */
    bool is_exact;
};

/* The parts of one pattern, as indices. */
struct needed {
    unsigned itself; /* 0: the pattern is never looked for */
    unsigned first;  /* where there are no others, the pattern itself */
    unsigned second; /* where there is one other, that */
    size_t lead;
    size_t reach;
};

/* A phrase that ends at a state, and the next one there; those of the longest come first. */
struct ending {
    unsigned part;
    unsigned char length;
    bool starts_word, ends_word, ends_text, is_inside;
    unsigned next; /* index; 0: none */
};

struct prefilter {
    struct part *parts; /* owned */
    size_t part_count;
    struct needed *needed; /* owned; one for each pattern */
    size_t count;
    uint64_t *users; /* owned; of each part, a row of bits: the patterns that it names */
    size_t row;      /* words of a row */
    size_t unfiltered;
    size_t longest;        /* bytes of the longest phrase */
    bool has_plain_phrase; /* one of plain bytes only */

    unsigned char classes[256];
    size_t class_count;
    uint16_t *next; /* owned; CLASSES for each state; the first state is the start */
    size_t state_count;
    size_t state_room;
    unsigned *first;        /* owned; of each state: the first that ends there, 0: none */
    unsigned first_ending;  /* the lowest state with one */
    struct ending *endings; /* owned; that at 0 is no ending */
    size_t ending_count;
};

/* Where a part was seen to end, in rising order. */
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
    size_t length;        /* of the text */
    uint64_t *candidates; /* owned; a row of bits: the patterns that were named */
};

bool prefilter_is_plain(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') ||
           (byte != '\0' && strchr(" \t\n',.?!;:-\"", byte) != NULL);
}

static bool is_word(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

static size_t add_state(struct prefilter *prefilter)
{
    size_t state;

    if (prefilter->state_count == prefilter->state_room) {
        size_t room = prefilter->state_room * 2 + 256;
        prefilter->next =
            mem_realloc(prefilter->next, room * CLASSES * sizeof *prefilter->next);
        prefilter->first = mem_realloc(prefilter->first, room * sizeof *prefilter->first);
        prefilter->state_room = room;
    }
    state = prefilter->state_count++;
    memset(prefilter->next + state * CLASSES, 0, CLASSES * sizeof *prefilter->next);
    prefilter->first[state] = 0;
    return state;
}

static void add_ending(struct prefilter *prefilter, size_t state, unsigned part,
                       const struct phrase *phrase)
{
    size_t at;

    for (at = prefilter->first[state]; at != 0 && prefilter->endings[at].part == part;
         at = prefilter->endings[at].next) {
        const struct ending *ending = &prefilter->endings[at];
        if (ending->starts_word == phrase->starts_word &&
            ending->ends_word == phrase->ends_word &&
            ending->ends_text == phrase->ends_text &&
            ending->is_inside == phrase->is_inside)
            return;
    }
    at = prefilter->ending_count++;

    if ((at & (at - 1)) == 0)
        prefilter->endings =
            mem_realloc(prefilter->endings, (at * 2 + 2) * sizeof *prefilter->endings);
    prefilter->endings[at] = (struct ending){.part = part,
                                             .length = phrase->length,
                                             .starts_word = phrase->starts_word,
                                             .ends_word = phrase->ends_word,
                                             .ends_text = phrase->ends_text,
                                             .is_inside = phrase->is_inside,
                                             .next = prefilter->first[state]};
    prefilter->first[state] = (unsigned)at;
}

/* The class of a byte in a phrase, which it may be the first to need. */
static unsigned char class_of(struct prefilter *prefilter, unsigned char byte)
{
    unsigned char upper = byte >= 'a' && byte <= 'z' ? byte - 0x20 : byte;

    if (prefilter->classes[byte] == 0) {
        if (prefilter->class_count < CLASSES - 1)
            prefilter->class_count++;
        prefilter->classes[byte] = (unsigned char)prefilter->class_count;
        prefilter->classes[upper] = prefilter->classes[byte];
        for (unsigned c = 0xc0; byte == (unsigned char)PHRASE_FOREIGN && c < 256; c++)
            prefilter->classes[c] = prefilter->classes[byte];
    }
    return prefilter->classes[byte];
}

static bool add_phrase(struct prefilter *prefilter, unsigned part,
                       const struct phrase *phrase)
{
    size_t state = 0;
    bool is_plain = true;

    if (phrase->length > prefilter->longest)
        prefilter->longest = phrase->length;
    for (size_t i = 0; i < phrase->length; i++) {
        unsigned char byte = (unsigned char)phrase->bytes[i];
        size_t place = state * CLASSES + class_of(prefilter, byte);
        is_plain = is_plain && prefilter_is_plain(byte);
        if (prefilter->next[place] == 0) {
            size_t added;

            if (prefilter->state_count == MOST_STATES)
                return false;
            added = add_state(prefilter);
            prefilter->next[place] = (uint16_t)added;
        }
        state = prefilter->next[place];
    }
    prefilter->has_plain_phrase = prefilter->has_plain_phrase || is_plain;
    add_ending(prefilter, state, part, phrase);
    return true;
}

/* Fewer states walk faster.  The beginning of a phrase says enough about whether it occurs at all, and its end
 * about where. */
static struct phrase cut_phrase(const struct phrase *phrase, bool is_place)
{
    struct phrase cut = *phrase;

    if (is_place && cut.length > PLACE_BYTES) {
        memcpy(cut.bytes, phrase->bytes + phrase->length - PLACE_BYTES, PLACE_BYTES);
        cut.length = PLACE_BYTES;
        cut.starts_word = false;
    } else if (!is_place && cut.length > NAME_BYTES) {
        cut.length = NAME_BYTES;
        cut.ends_word = cut.ends_text = false;
    }
    return cut;
}

static struct part *add_phrases(struct prefilter *prefilter, const char *text,
                                const struct phrases *phrases, bool is_place)
{
    unsigned index = (unsigned)prefilter->part_count++;
    struct part *part = &prefilter->parts[index];

    part->text = mem_copy_string(text);
    part->is_exact = phrases->is_exact;
    for (size_t i = 0; i < phrases->count; i++) {
        struct phrase phrase = cut_phrase(&phrases->all[i], is_place);
        part->is_unknown |= !add_phrase(prefilter, index, &phrase);
    }
    return part;
}

static unsigned add_part(struct prefilter *prefilter, const char *text, bool is_place)
{
    struct phrases phrases;
    struct part *part;

    for (unsigned i = 0; i < prefilter->part_count; i++) {
        if (strcmp(prefilter->parts[i].text, text) == 0)
            return i;
    }
    phrases = phrases_of(text);
    part = add_phrases(prefilter, text, &phrases, is_place);
    part->is_unknown |= phrases.count == 0;
    phrases_done(&phrases);
    return (unsigned)prefilter->part_count - 1;
}

/* Every state gets a successor for every class, and the endings of the state that it falls back to
 * (which is shorter, and so was finished before) behind its own. */
static void complete(struct prefilter *prefilter)
{
    size_t count = prefilter->state_count;
    uint16_t *next = prefilter->next;
    uint16_t *queue = mem_zalloc(count * sizeof *queue);
    uint16_t *back = mem_zalloc(count * sizeof *back);
    size_t tail = 1; /* the start is the first in the queue */

    for (size_t head = 0; head < tail; head++) {
        size_t state = queue[head];
        for (size_t class = 0; class < CLASSES; class ++) {
            uint16_t fallback = state == 0 ? 0 : next[back[state] * CLASSES + class];
            uint16_t child = next[state * CLASSES + class];
            unsigned *end;

            if (child == 0) {
                next[state * CLASSES + class] = fallback;
                continue;
            }
            back[child] = fallback;
            end = &prefilter->first[child];
            while (*end != 0)
                end = &prefilter->endings[*end].next;
            *end = prefilter->first[fallback];
            queue[tail++] = child;
        }
    }
    free(queue);
    free(back);
}

/* Moves the states at which phrases end behind the others.  The start stays the first. */
static void sort_states(struct prefilter *prefilter)
{
    size_t count = prefilter->state_count;
    uint16_t *number = mem_zalloc(count * sizeof *number);
    uint16_t *next = mem_zalloc(count * CLASSES * sizeof *next);
    unsigned *first = mem_zalloc(count * sizeof *first);
    size_t used = 0;

    for (int is_ending = 0; is_ending < 2; is_ending++) {
        if (is_ending == 1)
            prefilter->first_ending = (unsigned)used;
        for (size_t state = 0; state < count; state++) {
            if ((prefilter->first[state] != 0) == (is_ending == 1))
                number[state] = (uint16_t)used++;
        }
    }
    for (size_t state = 0; state < count; state++) {
        first[number[state]] = prefilter->first[state];
        for (size_t class = 0; class < CLASSES; class ++)
            next[number[state] * CLASSES + class] =
                number[prefilter->next[state * CLASSES + class]];
    }
    free(number);
    free(prefilter->next);
    free(prefilter->first);
    prefilter->next = next;
    prefilter->first = first;
}

static void add_needed(struct prefilter *prefilter, const struct prefilter_needs *needs,
                       struct needed *needed)
{
    unsigned parts[PREFILTER_MOST_PARTS];

    *needed = (struct needed){.lead = needs->lead, .reach = needs->reach};
    for (size_t at = 0; at < needs->count && at < PREFILTER_MOST_PARTS; at++) {
        parts[at] = add_part(prefilter, needs->parts[at], true);
        prefilter->parts[parts[at]].has_places |= needs->lead > 0;
    }
    needed->itself = needs->is_whole && needs->count > 0
                         ? parts[0]
                         : add_part(prefilter, needs->pattern, false);
    needed->first = needs->count > 0 ? parts[0] : needed->itself;
    needed->second = needs->count > 1 ? parts[1] : needed->first;
}

/* A pattern is named by its own phrases, or else by those of its first part. */
static void name_user(struct prefilter *prefilter, size_t pattern)
{
    const struct needed *needed = &prefilter->needed[pattern];
    bool is_vague = prefilter->parts[needed->itself].is_unknown;
    unsigned named_by = is_vague ? needed->first : needed->itself;

    if (needed->itself == 0)
        return;
    prefilter->users[named_by * prefilter->row + pattern / 64] |= 1ULL << pattern % 64;
    prefilter->unfiltered += prefilter->parts[named_by].is_unknown;
}

struct prefilter *prefilter_new(const struct prefilter_needs *needs, size_t count,
                                const struct phrases *others)
{
    struct prefilter *prefilter = MEM_NEW(struct prefilter);
    static const struct phrase none = {.length = 0};

    prefilter->count = count;
    prefilter->row = count / 64 + 1;
    prefilter->needed = mem_zalloc((count + 1) * sizeof *prefilter->needed);
    prefilter->parts =
        mem_zalloc((count * (PREFILTER_MOST_PARTS + 1) + 1) * sizeof *prefilter->parts);
    (void)add_state(prefilter);
    add_ending(prefilter, 0, 0, &none); /* so that 0 can mean none */
    prefilter->first[0] = 0;
    (void)add_phrases(prefilter, "", others, true);
    for (size_t i = 0; i < count; i++) {
        if (needs[i].pattern != NULL)
            add_needed(prefilter, &needs[i], &prefilter->needed[i]);
    }
    complete(prefilter);
    sort_states(prefilter);
    prefilter->users =
        mem_zalloc((prefilter->part_count + 1) * prefilter->row * sizeof(uint64_t));
    for (size_t i = 0; i < count; i++)
        name_user(prefilter, i);
    return prefilter;
}

void prefilter_free(struct prefilter *prefilter)
{
    if (prefilter == NULL)
        return;
    for (size_t i = 0; i < prefilter->part_count; i++)
        free(prefilter->parts[i].text);
    free(prefilter->parts);
    free(prefilter->needed);
    free(prefilter->users);
    free(prefilter->next);
    free(prefilter->first);
    free(prefilter->endings);
    free(prefilter);
}

size_t prefilter_unfiltered(const struct prefilter *prefilter)
{
    return prefilter->unfiltered;
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
        sightings->places[i].is_everywhere = prefilter->parts[i].is_unknown;
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

static void note_place(struct sightings *sightings, unsigned part, size_t end)
{
    struct places *places = &sightings->places[part];

    if (places->is_everywhere)
        return;
    if (places->count == 0)
        sightings->seen[sightings->seen_count++] = part;
    if (places->count == MOST_PLACES || !sightings->prefilter->parts[part].has_places)
        places->is_everywhere = true;
    else if (places->count == 0 || places->ends[places->count - 1] != end)
        places->ends[places->count++] = (uint32_t)end;
}

static bool is_inside_word(const struct sightings *sightings, const char *text,
                           size_t start, size_t end)
{
    size_t length = end - start;

    while (start > 0 && is_word((unsigned char)text[start - 1]))
        start--;
    while (end < sightings->length && is_word((unsigned char)text[end]))
        end++;
    return end - start >= LONG_WORD && end - start > length;
}

/* The phrases that end at a state, at the offset `end`. */
static void note_endings(struct sightings *sightings, unsigned state, const char *text,
                         size_t end)
{
    const struct prefilter *prefilter = sightings->prefilter;
    const struct ending *ending;

    for (unsigned at = prefilter->first[state]; at != 0; at = ending->next) {
        size_t start;

        ending = &prefilter->endings[at];
        start = end - ending->length;
        if (ending->starts_word && start > 0 && is_word((unsigned char)text[start - 1]))
            continue;
        if (ending->ends_word && end < sightings->length &&
            is_word((unsigned char)text[end]))
            continue;
        if (ending->ends_text && end + 1 < sightings->length)
            continue;
        if (ending->is_inside && !is_inside_word(sightings, text, start, end))
            continue;
        note_place(sightings, ending->part, end);
    }
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
        for (size_t word = 0; prefilter->parts[i].is_unknown && word < row; word++)
            sightings->candidates[word] |= prefilter->users[i * row + word];
    }
}

static inline unsigned step(const struct prefilter *prefilter, unsigned state, char byte)
{
    return prefilter->next[state << CLASS_BITS | prefilter->classes[(unsigned char)byte]];
}

static unsigned walk(struct sightings *sightings, unsigned state, const char *text,
                     size_t from, size_t to)
{
    const struct prefilter *prefilter = sightings->prefilter;

    for (size_t i = from; i < to; i++) {
        state = step(prefilter, state, text[i]);
        if (state >= prefilter->first_ending)
            note_endings(sightings, state, text, i + 1);
    }
    return state;
}

/*
 * A walk waits for memory at every byte, because each step needs the one before.  So a text is
 * walked through at two places at once, which takes little more than half the time.  The second
 * walk begins a phrase's length early: then it is in the state in which the first would come by.
 * What it finds is noted when the first has done its half; where that is too much, it stops.
 */
static void walk_twice(struct sightings *sightings, const char *text, size_t length)
{
    const struct prefilter *prefilter = sightings->prefilter;
    size_t half = length / 2, at = 0, late_count = 0;
    struct {
        unsigned state;
        size_t end;
    } late[LATE_MOST];
    unsigned state = 0, ahead = 0;

    for (size_t i = half - prefilter->longest; i < half; i++)
        ahead = step(prefilter, ahead, text[i]);
    for (; at < half && late_count < LATE_MOST; at++) {
        state = step(prefilter, state, text[at]);
        ahead = step(prefilter, ahead, text[half + at]);
        if (state >= prefilter->first_ending)
            note_endings(sightings, state, text, at + 1);
        if (ahead >= prefilter->first_ending) {
            late[late_count].state = ahead;
            late[late_count++].end = half + at + 1;
        }
    }
    (void)walk(sightings, state, text, at, half);
    for (size_t i = 0; i < late_count; i++)
        note_endings(sightings, late[i].state, text, late[i].end);
    (void)walk(sightings, ahead, text, half + at, length);
}

void prefilter_scan(const struct prefilter *prefilter, const char *text, size_t length,
                    bool is_plain, struct sightings *sightings)
{
    for (size_t i = 0; i < sightings->seen_count; i++) {
        sightings->places[sightings->seen[i]].count = 0;
        sightings->places[sightings->seen[i]].is_everywhere = false;
    }
    sightings->seen_count = 0;
    sightings->length = length;
    if (!is_plain || prefilter->has_plain_phrase) {
        if (length >= TWO_WALKS_LEAST && length / 2 >= prefilter->longest)
            walk_twice(sightings, text, length);
        else
            (void)walk(sightings, 0, text, 0, length);
    }
    note_candidates(sightings);
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

bool prefilter_saw_others(const struct sightings *sightings)
{
    return is_seen(&sightings->places[0]);
}

bool prefilter_next(const struct prefilter *prefilter, const struct sightings *sightings,
                    size_t pattern, size_t from, struct stretch *ret_stretch)
{
    const struct needed *needed = &prefilter->needed[pattern];
    const struct places *first = &sightings->places[needed->first];
    const struct places *last = &sightings->places[needed->second];
    size_t slack = prefilter->parts[needed->first].is_exact ? 0 : INEXACT_SLACK;

    if (needed->itself == 0 || !is_seen(&sightings->places[needed->itself]) ||
        !is_seen(first) || !is_seen(last) || from > sightings->length)
        return false;
    if (needed->lead == 0 || first->is_everywhere || last->is_everywhere) {
        *ret_stretch = (struct stretch){from, sightings->length};
        return true;
    }
    for (uint32_t i = 0, j = 0; i < first->count; i++) {
        size_t end = first->ends[i] + slack;
        size_t start;

        if (end < from)
            continue;
        while (j < last->count && last->ends[j] < first->ends[i])
            j++;
        if (j == last->count)
            return false;
        if (last->ends[j] > end + needed->reach)
            continue;
        start = first->ends[i] > needed->lead ? first->ends[i] - needed->lead : 0;
        *ret_stretch =
            (struct stretch){start > from ? start : from,
                             end < sightings->length ? end : sightings->length};
        return true;
    }
    return false;
}
