/*
 * Reading phrases off a pattern's items: sequences are joined and alternatives put beside each other as
 * long as that stays a list of a sensible length; of the pieces of a sequence the rarest is taken.
 */
#include "phrases_internal.h"

#include "mem.h"
#include "pattern_syntax_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_JOINED = 1000, /* phrases of a sequence */
    MOST_MIXED = 320,   /* of one that is a product of lists */
    MOST_BESIDE = 4096, /* of alternatives */
    MOST_CHARS = 8,     /* of a class */
};

static struct phrases of_alternatives(const struct pattern_item *head);

void phrases_done(struct phrases *phrases)
{
    free(phrases->all);
    *phrases = (struct phrases){0};
}

/* Takes over what `more` holds. */
static void replace(struct phrases *phrases, struct phrases more)
{
    phrases_done(phrases);
    *phrases = more;
}

static struct phrases unknown(void)
{
    return (struct phrases){0};
}

void phrases_add(struct phrases *phrases, const struct phrase *phrase)
{
    if ((phrases->count & (phrases->count - 1)) == 0)
        phrases->all =
            mem_realloc(phrases->all, (phrases->count * 2 + 1) * sizeof *phrases->all);
    phrases->all[phrases->count++] = *phrase;
}

static struct phrases nothing_yet(void)
{
    struct phrases phrases = {.is_exact = true};

    phrases_add(&phrases, &(struct phrase){.length = 0});
    return phrases;
}

/* How often one of them may be met in a text, on no particular scale. */
static double frequency(const struct phrases *phrases)
{
    double sum = phrases->count == 0 ? 1e9 : 0;

    for (size_t i = 0; i < phrases->count; i++) {
        const struct phrase *phrase = &phrases->all[i];
        double one = phrase->length == 0 ? 1e6 : 1;
        for (int letter = 0; letter < phrase->length; letter++)
            one *= 0.2;
        sum += one * (phrase->starts_word ? 0.5 : 1) * (phrase->ends_word ? 0.5 : 1) *
               (phrase->ends_text ? 0.1 : 1);
    }
    return sum;
}

/* Keeps the rarer in `best`, which is no exact list any more. */
static void prefer(struct phrases *best, struct phrases other)
{
    if (frequency(&other) < frequency(best))
        replace(best, other);
    else
        phrases_done(&other);
    best->is_exact = false;
}

/* Each of one behind each of the other; false, and nothing done, where that is too much. */
static bool join(struct phrases *run, const struct phrases *part)
{
    struct phrases joined = {.is_exact = true};
    size_t most = run->count > 1 && part->count > 1 ? MOST_MIXED : MOST_JOINED;

    if (run->count * part->count > most)
        return false;
    for (size_t i = 0; i < run->count; i++) {
        for (size_t j = 0; j < part->count; j++) {
            struct phrase both = run->all[i];
            const struct phrase *behind = &part->all[j];
            if (both.length + behind->length > PHRASE_BYTES) {
                phrases_done(&joined);
                return false;
            }
            if (behind->length > 0) {
                both.starts_word = both.length == 0
                                       ? behind->starts_word || both.starts_word
                                       : both.starts_word;
                both.ends_word = behind->ends_word;
                both.ends_text = behind->ends_text;
            }
            memcpy(both.bytes + both.length, behind->bytes, behind->length);
            both.length = (unsigned char)(both.length + behind->length);
            phrases_add(&joined, &both);
        }
    }
    replace(run, joined);
    return true;
}

static struct phrases of_char(const struct char_set *set)
{
    struct phrases phrases = {.is_exact = true};
    bool is_foreign = (set->bits[2] & 1) != 0;
    int count = __builtin_popcountll(set->bits[0]) + __builtin_popcountll(set->bits[1]);

    if (is_foreign ? count > 0 : count == 0 || count > MOST_CHARS)
        return unknown();
    if (is_foreign) { /* whose other case may have another length */
        phrases_add(&phrases, &(struct phrase){.bytes = {PHRASE_FOREIGN}, .length = 1});
        phrases.is_exact = false;
    }
    for (int c = 0; c < PAST_ASCII && !is_foreign; c++) {
        if ((set->bits[c / 64] >> c % 64 & 1) != 0)
            phrases_add(&phrases, &(struct phrase){.bytes = {(char)c}, .length = 1});
    }
    return phrases;
}

/* Once, whatever its repeat says. */
static struct phrases of_item(const struct pattern_item *item)
{
    if (item->is_vague)
        return unknown();
    if (!item->is_group)
        return of_char(&item->set);
    return item->alternatives == NULL ? nothing_yet()
                                      : of_alternatives(item->alternatives);
}

/* \b or $ behind what was joined. */
static void note_boundary(struct phrases *run, const struct pattern_item *item)
{
    for (size_t i = 0; i < run->count; i++) {
        struct phrase *phrase = &run->all[i];
        if (item->is_end)
            phrase->ends_text = phrase->length > 0;
        else if (phrase->length == 0)
            phrase->starts_word = true;
        else
            phrase->ends_word = true;
    }
}

static struct phrases of_sequence(const struct pattern_item *item)
{
    struct phrases run =
        nothing_yet(); /* joined since the last piece that could not be */
    struct phrases best = unknown();
    bool is_whole = true;

    for (; item != NULL; item = item->next) {
        struct phrases part;
        bool is_joined;

        if (item->is_look) {
            if (item->is_boundary || item->is_end)
                note_boundary(&run, item);
            continue;
        }
        part = of_item(item);
        if (item->is_optional && part.is_exact)
            phrases_add(&part, &(struct phrase){.length = 0});
        is_joined = part.is_exact && join(&run, &part);
        if (!is_joined || item->most > 1) {
            prefer(&best, run);
            run = nothing_yet();
            is_whole = false;
        }
        if (!is_joined && !item->is_optional && part.is_exact && item->most <= 1 &&
            part.count <= MOST_JOINED) {
            replace(&run, part);
        } else if (!is_joined && !item->is_optional) {
            prefer(&best, part);
        } else {
            phrases_done(&part);
        }
    }
    if (is_whole)
        return run;
    prefer(&best, run);
    return best;
}

static struct phrases of_alternatives(const struct pattern_item *head)
{
    struct phrases all = {.is_exact = true};

    for (; head != NULL; head = head->next) {
        struct phrases one = of_sequence(head->inner);
        bool is_known = one.count > 0 && all.count + one.count <= MOST_BESIDE;
        all.is_exact = all.is_exact && one.is_exact;
        for (size_t i = 0; is_known && i < one.count; i++)
            phrases_add(&all, &one.all[i]);
        phrases_done(&one);
        if (!is_known) {
            phrases_done(&all);
            break;
        }
    }
    return all;
}

struct phrases phrases_of(const char *pattern)
{
    struct pattern_parser parser = {.pattern = pattern};
    struct pattern_item *alternatives = pattern_syntax_parse(&parser);
    struct phrases phrases = unknown();

    if (!parser.is_unreadable && !parser.is_odd)
        phrases = of_alternatives(alternatives);
    pattern_syntax_free(alternatives);
    if (frequency(&phrases) >= 1e6) /* a match may be empty */
        phrases_done(&phrases);
    return phrases;
}
