/*
 * Checking one text: normalise it, then try the entries in the order of the file.
 */
#include "filter.h"
#include "filter_internal.h"

#include "buffer.h"
#include "mem.h"
#include "normalise_internal.h"
#include "private_reveal.h"
#include "ruleset_internal.h"
#include "utf8.h"
#include "visible_internal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MATCH_LIMIT = 200000, /* brackets entered from one place in the text */
    DEPTH_LIMIT = 2000,
    MAX_STEPS =
        400000, /* of a file's patterns in one text; built-in ones are not counted */
    MAX_CPU_US =
        20000, /* in one text of up to a MiB; longer ones have as much for each */
    SLICE_WORK = 1 << 26, /* places tried at once, times the length of the text */
    ROUNDS = 64,          /* matches of one rule between two looks at the clock */
    TRUSTED_SLICE = 1 << 12,
    LONG_BYTES = 1 << 16,
    JIT_STACK_START_BYTES = 32 * 1024,
    JIT_STACK_MOST_BYTES = 1024 * 1024,
    MAX_TEXT_BYTES = 1 << 30,
    AROUND_REACH_BYTES = 60, /* how far to each side of a match `unless` looks */
    FRAME_REACH_BYTES = 150, /* and `only_after` with the `unless_before` beside it */
    STORY_REACH_BYTES = 250, /* and `unless_story` */
    MOST_GROWTH = 4,         /* of a text in another reading */
};

struct subject {
    const char *bytes; /* borrowed */
    size_t length;
};

/* Where a rule matched. */
struct hit {
    int surface;
    size_t start, end; /* in that surface */
};

struct filter {
    struct ruleset *ruleset;      /* owned: a reference */
    pcre2_match_data *match;      /* owned */
    pcre2_match_context *context; /* owned */
    pcre2_jit_stack *stack;       /* owned */
    struct normal_text normal;
    char *repaired; /* owned; a text that was not UTF-8, with the wrong bytes replaced */
    size_t repaired_capacity;
    struct sightings *sightings[SURFACE_COUNT]; /* owned */
    bool ignores_prefilter;
    bool
        has_odd_case; /* the raw text at hand does: it is looked at without the prefilter */
    uint64_t steps;   /* counted in the text at hand */
    size_t length;    /* of the text at hand */
    int64_t
        started_us; /* CPU time of the thread when the text at hand came, if it is long */
};

static int count_step(pcre2_callout_block *block, void *context);

struct filter *filter_new(struct ruleset *ruleset)
{
    struct filter *filter = MEM_NEW(struct filter);

    filter->ruleset = ruleset_ref(ruleset);
    filter->match = pcre2_match_data_create(1, NULL);
    filter->context = pcre2_match_context_create(NULL);
    filter->stack =
        pcre2_jit_stack_create(JIT_STACK_START_BYTES, JIT_STACK_MOST_BYTES, NULL);
    if (filter->match == NULL || filter->context == NULL || filter->stack == NULL)
        abort();
    pcre2_set_match_limit(filter->context, MATCH_LIMIT);
    pcre2_set_depth_limit(filter->context, DEPTH_LIMIT);
    pcre2_jit_stack_assign(filter->context, NULL, filter->stack);
    pcre2_set_callout(filter->context, count_step, filter);
    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
        filter->sightings[surface] = sightings_new(ruleset->prefilters[surface]);
    }
    return filter;
}

void filter_free(struct filter *filter)
{
    if (filter == NULL)
        return;
    pcre2_match_data_free(filter->match);
    pcre2_match_context_free(filter->context);
    pcre2_jit_stack_free(filter->stack);
    normal_text_done(&filter->normal);
    if (filter->repaired != NULL)
        sodium_memzero(filter->repaired, filter->repaired_capacity);
    free(filter->repaired);
    for (int surface = 0; surface < SURFACE_COUNT; surface++)
        sightings_free(filter->sightings[surface]);
    ruleset_unref(filter->ruleset);
    free(filter);
}

struct ruleset *filter_ruleset(const struct filter *filter)
{
    return filter->ruleset;
}

void filter_ignore_prefilter(struct filter *filter)
{
    filter->ignores_prefilter = true;
}

/* The first probe at or after `from` that may match on one of the surfaces. */
static size_t next_candidate(const struct filter *filter, size_t from)
{
    size_t next = filter->ruleset->probe_count;

    if (filter->ignores_prefilter)
        return from;
    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
        size_t one = prefilter_candidate(filter->sightings[surface], from);
        next = one < next ? one : next;
    }
    for (size_t i = from; filter->has_odd_case && i < next; i++) {
        if (filter->ruleset->probes[i].code[RAW] != NULL)
            next = i;
    }
    return next;
}

/* Are there letters past ASCII which are k and s in another case, as PCRE2 sees it?  The prefilter does not
 * know them, and what the normalised surface is made of has none. */
static bool has_odd_case(struct subject raw)
{
    return memmem(raw.bytes, raw.length, "\u212a", 3) != NULL ||
           memmem(raw.bytes, raw.length, "\u017f", 2) != NULL;
}

/* PCRE2 wants UTF-8.  A wrong byte becomes a control character, so that offsets stay. */
static struct subject repair(struct filter *filter, const char *text, size_t length)
{
    if (length == 0)
        return (struct subject){"", 0};
    if (utf8_is_valid(text, length))
        return (struct subject){text, length};

    if (filter->repaired_capacity < length) {
        filter->repaired = mem_realloc(filter->repaired, length);
        filter->repaired_capacity = length;
    }
    for (size_t i = 0; i < length;) {
        size_t width = 1;
        while (width <= 4 && i + width <= length && !utf8_is_valid(text + i, width))
            width++;
        if (width > 4 || i + width > length) {
            filter->repaired[i++] = '\x1a';
        } else {
            memcpy(filter->repaired + i, text + i, width);
            i += width;
        }
    }
    return (struct subject){filter->repaired, length};
}

static int64_t thread_cpu_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 + 1;
}

/* The text's surfaces, and what the prefilter sees on them; false where there can be no verdict. */
static bool prepare(struct filter *filter, const char *text, size_t length,
                    struct subject *subjects)
{
    struct ruleset *ruleset = filter->ruleset;
    const struct normal_text *normal = &filter->normal;
    bool is_even;

    if (length >= MAX_TEXT_BYTES)
        return false;
    filter->steps = 0;
    filter->length = length;
    filter->started_us = length > LONG_BYTES ? thread_cpu_us() : 0;
    is_even = length > 0 && normalise_is_even(text, length);
    subjects[RAW] =
        is_even ? (struct subject){text, length} : repair(filter, text, length);
    normalise(&filter->normal, ruleset->words, subjects[RAW].bytes, length, is_even);
    subjects[NORMALISED] = (struct subject){normal->bytes, normal->length};
    subjects[DISGUISED] =
        (struct subject){normal->disguised.bytes, normal->disguised.length};
    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
        prefilter_scan(ruleset->prefilters[surface], subjects[surface].bytes,
                       subjects[surface].length, normal->is_plain,
                       filter->sightings[surface]);
    }
    filter->has_odd_case = normal->is_folded && has_odd_case(subjects[RAW]);
    return true;
}

/* Places to try, from the start of a character on. */
static bool next_stretch(const struct filter *filter, size_t index, int surface,
                         struct subject subject, size_t from, struct stretch *ret_stretch)
{
    struct stretch stretch = {from, subject.length};

    if (from > subject.length)
        return false;
    if (!filter->ignores_prefilter && !(surface == RAW && filter->has_odd_case) &&
        !prefilter_next(filter->ruleset->prefilters[surface], filter->sightings[surface],
                        index, from, &stretch))
        return false;
    while (stretch.start < subject.length &&
           ((unsigned char)subject.bytes[stretch.start] & 0xc0) == 0x80)
        stretch.start++;
    *ret_stretch = stretch;
    return true;
}

/* A text that is not long gets its time from the first look at the clock on. */
static bool is_out_of_time(struct filter *filter)
{
    int64_t now_us = thread_cpu_us();
    int64_t mebibytes = (int64_t)(filter->length >> 20) + 1;

    if (filter->started_us == 0)
        filter->started_us = now_us;
    return now_us - filter->started_us > MAX_CPU_US * mebibytes;
}

/*
 * Looks for a match that starts in a stretch of the text, a slice of it at a time, so
 * that a pattern that takes long from each place is stopped between two slices.
 * Everything that is neither a match nor "no match" is a verdict that was not reached.
 */
static enum filter_outcome match(struct filter *filter, const pcre2_code *code,
                                 struct subject subject, struct stretch stretch,
                                 size_t *ret_start, size_t *ret_end)
{
    size_t slice = filter->ruleset->is_trusted ? TRUSTED_SLICE
                                               : SLICE_WORK / (subject.length + 1) + 16;
    size_t from = stretch.start;

    for (;;) {
        bool is_last = stretch.end <= from || stretch.end - from <= slice;
        int result;

        pcre2_set_offset_limit(filter->context, is_last ? stretch.end : from + slice);
        result = pcre2_match(code, (PCRE2_SPTR)subject.bytes, subject.length, from,
                             PCRE2_NO_UTF_CHECK, filter->match, filter->context);
        if (result >= 0)
            break;
        if (result != PCRE2_ERROR_NOMATCH || (!is_last && is_out_of_time(filter)))
            return FILTER_UNAVAILABLE;
        if (is_last)
            return FILTER_PASS;
        from += slice;
        while (from < subject.length &&
               ((unsigned char)subject.bytes[from] & 0xc0) == 0x80)
            from++;
    }
    *ret_start = pcre2_get_ovector_pointer(filter->match)[0];
    *ret_end = pcre2_get_ovector_pointer(filter->match)[1];
    if (*ret_end < *ret_start) /* \K in a lookahead can turn them round */
        *ret_end = *ret_start;
    return FILTER_HIT;
}

/* The first start of a character at or behind the offset. */
static size_t next_character(struct subject subject, size_t at)
{
    while (at < subject.length && ((unsigned char)subject.bytes[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* So many bytes to each side of a match; of its sentence only, or of whatever there is. */
static struct stretch window_of(struct subject subject, size_t start, size_t end,
                                size_t reach, bool is_of_sentence)
{
    struct stretch window = {
        next_character(subject, start > reach ? start - reach : 0),
        next_character(subject,
                       subject.length - end > reach ? end + reach : subject.length),
    };

    for (size_t i = window.start; is_of_sentence && i < start; i++) {
        if (subject.bytes[i] == '.' || subject.bytes[i] == '?')
            window.start = i + 1;
    }
    for (size_t i = end; is_of_sentence && i < window.end; i++) {
        if (subject.bytes[i] == '.' || subject.bytes[i] == '?')
            window.end = i;
    }
    return window;
}

/* FILTER_HIT: what is near the match makes it harmless, or does not make it what it must be. */
static enum filter_outcome look_around(struct filter *filter, const struct rule *rule,
                                       int surface, struct subject subject, size_t start,
                                       size_t end)
{
    bool has_frame = rule->around[surface][SIDE_ONLY_AFTER] != NULL;
    size_t reach = has_frame ? FRAME_REACH_BYTES : AROUND_REACH_BYTES;
    struct stretch near = window_of(subject, start, end, AROUND_REACH_BYTES, true);
    struct stretch before = window_of(subject, start, end, reach, true);
    struct stretch sides[SIDE_COUNT];

    sides[SIDE_AROUND] = near;
    sides[SIDE_BEFORE] = (struct stretch){before.start, start};
    sides[SIDE_AFTER] = (struct stretch){start, near.end};
    sides[SIDE_STORY] = window_of(subject, start, end, STORY_REACH_BYTES, false);
    sides[SIDE_ONLY_AFTER] = sides[SIDE_BEFORE];
    for (int side = 0; side < SIDE_COUNT; side++) {
        const pcre2_code *code = rule->around[surface][side];
        struct subject window = {subject.bytes + sides[side].start,
                                 sides[side].end - sides[side].start};
        struct stretch everywhere = {0, window.length};
        enum filter_outcome outcome;

        if (code == NULL)
            continue;
        outcome = match(filter, code, window, everywhere, &start, &end);
        if (side == SIDE_ONLY_AFTER && outcome != FILTER_UNAVAILABLE)
            outcome = outcome == FILTER_HIT ? FILTER_PASS : FILTER_HIT;
        if (outcome != FILTER_PASS)
            return outcome;
    }
    return FILTER_PASS;
}

/* The first match of the probe, where the prefilter says there may be one, that nothing
 * around it makes harmless. */
static enum filter_outcome find(struct filter *filter, size_t index, int surface,
                                struct subject subject, size_t *ret_start,
                                size_t *ret_end)
{
    const struct probe *probe = &filter->ruleset->probes[index];
    const struct rule *rule = &filter->ruleset->rules[probe->rule];
    struct stretch stretch;
    size_t from = 0;
    unsigned rounds = 0;

    while (next_stretch(filter, index, surface, subject, from, &stretch)) {
        size_t start;
        size_t end;
        enum filter_outcome outcome;

        if (++rounds % ROUNDS == 0 && is_out_of_time(filter))
            return FILTER_UNAVAILABLE;
        outcome = match(filter, probe->code[surface], subject, stretch, &start, &end);
        if (outcome == FILTER_PASS) {
            from = stretch.end + 1;
            continue;
        }
        if (outcome == FILTER_HIT)
            outcome = look_around(filter, rule, surface, subject, start, end);
        if (outcome == FILTER_UNAVAILABLE)
            return outcome;
        if (outcome == FILTER_PASS) {
            *ret_start = start;
            *ret_end = end;
            return FILTER_HIT;
        }
        from = start + 1;
    }
    return FILTER_PASS;
}

/* The surfaces that the rule looks at and the probe may match on. */
static enum filter_outcome try_probe(struct filter *filter, size_t index,
                                     const struct subject *subjects, struct hit *ret_hit)
{
    const struct probe *probe = &filter->ruleset->probes[index];

    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
        enum filter_outcome outcome;

        if (probe->code[surface] == NULL || subjects[surface].bytes == NULL)
            continue;
        outcome = find(filter, index, surface, subjects[surface], &ret_hit->start,
                       &ret_hit->end);
        ret_hit->surface = surface;
        if (outcome != FILTER_PASS)
            return outcome;
    }
    return FILTER_PASS;
}

static struct filter_verdict verdict_of(const struct filter *filter, size_t index,
                                        const struct hit *hit, const char *text)
{
    const struct pattern_entry *entry = &filter->ruleset->file.entries[index];
    size_t start = hit->start;
    size_t end = hit->end;

    if (hit->surface == DISGUISED) {
        start = offsets_origin(&filter->normal.disguised.offsets, start);
        end = offsets_origin(&filter->normal.disguised.offsets, end);
    }
    if (hit->surface != RAW) {
        start = normal_text_origin(&filter->normal, start);
        end = normal_text_origin(&filter->normal, end);
        /* Letters that were spelled out one by one share one origin: the hit is from there on. */
        if (end <= start)
            end = filter->length;
        end = end < filter->length ? end : filter->length;
        start = start < end ? start : end;
        while (end > start + 1 && (unsigned char)text[end - 1] <= ' ')
            end--;
        while (start + 1 < end && (unsigned char)text[start] <= ' ')
            start++;
    }
    return (struct filter_verdict){
        .outcome = FILTER_HIT,
        .category = entry->category,
        .entry = entry->name,
        .start = start,
        .end = end,
    };
}

/* The first entry, in the order of the file, that enforces a hit. */
static struct filter_verdict judge(struct filter *filter, const struct subject *subjects,
                                   const char *text)
{
    static const struct filter_verdict unavailable = {.outcome = FILTER_UNAVAILABLE};
    struct ruleset *ruleset = filter->ruleset;
    size_t next;

    for (size_t i = next_candidate(filter, 0); i < ruleset->probe_count;
         i = next_candidate(filter, next)) {
        const struct rule *rule = &ruleset->rules[ruleset->probes[i].rule];
        struct hit hit = {0};

        next = i + 1;
        switch (try_probe(filter, i, subjects, &hit)) {
        case FILTER_UNAVAILABLE: return unavailable;
        case FILTER_PASS: continue;
        case FILTER_HIT: break;
        }
        next = rule->first_probe + rule->probe_count; /* a shadow counts once */
        atomic_fetch_add_explicit(&ruleset->counters[rule->counter].hits, 1,
                                  memory_order_relaxed);
        if (!rule->is_shadow)
            return verdict_of(filter, ruleset->probes[i].rule, &hit, text);
    }
    return (struct filter_verdict){.outcome = FILTER_PASS};
}

/* The verdict on another reading, whose hits are put down to the text as a whole. */
static struct filter_verdict judge_reading(struct filter *filter,
                                           const struct buffer *reading, bool is_raw,
                                           const char *text)
{
    struct subject subjects[SURFACE_COUNT] = {
        [NORMALISED] = {reading->bytes, reading->length}};
    struct filter_verdict verdict;

    if (is_raw)
        subjects[RAW] = subjects[NORMALISED];
    for (int surface = 0; surface < SURFACE_COUNT; surface++)
        prefilter_scan(filter->ruleset->prefilters[surface], subjects[surface].bytes,
                       subjects[surface].length, false, filter->sightings[surface]);
    verdict = judge(filter, subjects, text);
    if (verdict.outcome == FILTER_HIT) {
        verdict.start = 0;
        verdict.end = filter->length;
    }
    return verdict;
}

static bool has_cyrillic(struct subject raw)
{
    for (size_t i = 0; i < raw.length; i++) {
        if ((unsigned char)raw.bytes[i] == 0xd0 || (unsigned char)raw.bytes[i] == 0xd1)
            return true;
    }
    return false;
}

struct filter_verdict filter_check(struct filter *filter, const char *text, size_t length)
{
    struct filter_verdict verdict = {.outcome = FILTER_UNAVAILABLE};
    const struct normal_text *normal = &filter->normal;
    struct subject subjects[SURFACE_COUNT];
    struct buffer reading;
    bool may_be_misspelt;

    if (!prepare(filter, text, length, subjects))
        return verdict;
    may_be_misspelt = prefilter_saw_others(filter->sightings[NORMALISED]);
    verdict = judge(filter, subjects, text);
    if (verdict.outcome != FILTER_PASS)
        return verdict;
    buffer_init(&reading, length * MOST_GROWTH + WORDBOOK_LONGEST);
    if (may_be_misspelt &&
        readings_mend(filter->ruleset->readings, normal->bytes, normal->length, &reading))
        verdict = judge_reading(filter, &reading, false, text);
    buffer_clear(&reading);
    if (verdict.outcome == FILTER_PASS && normal->is_folded &&
        has_cyrillic(subjects[RAW]) &&
        readings_cyrillic(subjects[RAW].bytes, subjects[RAW].length, &reading))
        verdict = judge_reading(filter, &reading, true, text);
    buffer_done(&reading);
    return verdict;
}

static struct filter_verdict check_private(struct filter *filter,
                                           const struct private_text *text)
{
    struct span span = private_reveal(text);

    if (filter == NULL || span.length == 0)
        return (struct filter_verdict){.outcome = FILTER_PASS};
    return filter_check(filter, span.bytes, span.length);
}

struct filter_verdict filter_admit(struct filter *filter, struct private_text *text)
{
    struct private_text shown = visible_order(text);
    struct filter_verdict verdict;

    visible_keep(text);
    verdict = check_private(filter, text);
    if (verdict.outcome == FILTER_PASS && !private_text_is_empty(&shown)) {
        verdict = check_private(filter, &shown);
        verdict.start = 0; /* not a place of the text itself */
        verdict.end = private_reveal(text).length;
    }
    private_text_free(&shown);
    return verdict;
}

enum filter_outcome filter_check_entry(struct filter *filter, size_t index,
                                       const char *text, size_t length)
{
    const struct rule *rule = &filter->ruleset->rules[index];
    enum filter_outcome outcome = FILTER_PASS;
    struct subject subjects[SURFACE_COUNT];
    struct hit hit;

    if (!prepare(filter, text, length, subjects))
        return FILTER_UNAVAILABLE;
    for (size_t i = 0; i < rule->probe_count && outcome == FILTER_PASS; i++)
        outcome = try_probe(filter, rule->first_probe + i, subjects, &hit);
    return outcome;
}

static int count_step(pcre2_callout_block *block, void *context)
{
    struct filter *filter = context;

    (void)block;
    return ++filter->steps > MAX_STEPS ? PCRE2_ERROR_CALLOUT : 0;
}
