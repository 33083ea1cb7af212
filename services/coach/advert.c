/*
 * Finding the demands of an advert.
 *
 * A heading says what the lines below it are: demands, duties, wishes, or nothing of that.  An item
 * below such a heading is a demand as it stands; in sentences a demand follows what opens it
 * ("you have", "you will", "responsible for") or stands before what weighs it ("is essential").
 * A sentence with a word of the list `never` (pay, benefits, how to apply, who may apply) has none.
 * Of all that was found the weightiest are kept, no two of which say the same.
 */
#include "advert.h"

#include "paper_internal.h"
#include "words.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>

enum {
    FOUND_MOST = 64,
    LISTING_WITHIN = 8,    /* words of a sentence that says "include" */
    DUTIES_LEAST = 2,      /* of the kept, where an advert has so many */
    PLAIN_ITEM_WORDS = 14, /* a line without a sign that is an item all the same */
    BARE_WORDS = 20        /* a sentence without an opener that may still be a demand */
};

enum section {
    SECTION_NONE,
    SECTION_UNKNOWN,
    SECTION_WISHES,
    SECTION_DUTIES,
    SECTION_ASKS
};

struct found {
    char phrase[PHRASE_BYTES];
    int weight;
    bool is_duty;
    bool is_kept;
};

struct search {
    enum section section;
    struct found found[FOUND_MOST];
    size_t count;
};

/* ---- headings ---- */

/* Which heading the row is: one of the lists covers most of its words, or it announces what follows. */
static bool read_heading(const struct row *row, bool announces, enum section *ret_section)
{
    static const struct {
        const struct string_list *list;
        enum section section;
    } lists[] = {{&paper_words.head_asks, SECTION_ASKS},
                 {&paper_words.head_duties, SECTION_DUTIES},
                 {&paper_words.head_wishes, SECTION_WISHES},
                 {&paper_words.head_none, SECTION_NONE}};
    size_t longest = 0;

    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        for (size_t at = 0; at < row->count; at++) {
            size_t words = row_match(row, at, lists[i].list);

            if (words > longest) {
                longest = words;
                *ret_section = lists[i].section;
            }
        }
    }
    return longest > 0 && (announces || 2 * longest > row->count);
}

/* ---- candidates ---- */

static bool has_any(const struct row *row, const struct string_list *list)
{
    size_t at;

    return row_find(row, list, &at) > 0;
}

static int weight_of(const struct search *search, const struct row *sentence)
{
    int weight = search->section == SECTION_ASKS     ? 6
                 : search->section == SECTION_DUTIES ? 4
                 : search->section == SECTION_WISHES ? 2
                                                     : 5;

    if (has_any(sentence, &paper_words.wishes))
        return 1;
    return weight + (has_any(sentence, &paper_words.musts) ? 2 : 0);
}

/* "proactively manage" */
static size_t skip_adverbs(const struct row *row, size_t at)
{
    while (at + 1 < row->count) {
        struct span word = row->tokens[at].core;
        bool is_adverb =
            word.length > 4 && memcmp(word.bytes + word.length - 2, "ly", 2) == 0;

        if (!is_adverb && !words_is_on("also always then not only both either", word))
            break;
        at++;
    }
    return at;
}

struct opener {
    const struct string_list *list;
    bool (*takes)(const struct row *rest);   /* may this follow? */
    bool (*goes_on)(const struct row *rest); /* and this behind a comma or an "and"? */
    bool is_duty;
};

static bool takes_verb(const struct row *rest)
{
    return list_has(&paper_words.verbs, rest->tokens[0].core);
}

static bool takes_work(const struct row *rest)
{
    return is_gerund(rest->tokens[0].core) ||
           words_is_on("the all day our a an and", rest->tokens[0].core);
}

static bool takes_trait(const struct row *rest)
{
    struct span word = rest->tokens[0].core;

    if (words_is_on("a an", word))
        return rest->count > 1 &&
               !words_is_on("part member leading", rest->tokens[1].core);
    return list_has(&paper_words.adjectives, word) &&
           !words_is_on("happy ready open interested prepared", word);
}

static bool takes_thing(const struct row *rest)
{
    return !words_is_on("to been no not access opportunity the them it him her this that",
                        rest->tokens[0].core) ||
           (rest->count > 1 &&
            words_is_on("ability right drive confidence", rest->tokens[1].core));
}

static bool starts_work(const struct row *rest)
{
    return is_gerund(rest->tokens[0].core) ||
           words_is_on("leading driving growing", rest->tokens[0].core);
}

/* "be willing to" */
static bool starts_trait(const struct row *rest)
{
    struct row trait = row_from(rest, 1);

    return rest->count > 1 && words_is_on("be", rest->tokens[0].core) &&
           takes_trait(&trait);
}

static bool starts_thing(const struct row *rest)
{
    return rest->count > 1 &&
           (words_is_on(
                "a an at the deep familiarity strong good excellent experience knowledge proven "
                "solid ability previous minimum current",
                rest->tokens[0].core) ||
            starts_trait(rest));
}

static bool starts_verb(const struct row *rest)
{
    return takes_verb(rest) || starts_trait(rest);
}

enum { OPENER_BE, OPENER_HAVE, OPENER_OF, OPENER_DO };

/* In the order in which they are tried where one place has several of one length. */
static const struct opener openers[] = {
    [OPENER_BE] = {&paper_words.opens_be, takes_trait, starts_trait, false},
    [OPENER_HAVE] = {&paper_words.opens_have, takes_thing, starts_thing, false},
    [OPENER_OF] = {&paper_words.opens_of, takes_work, starts_work, true},
    [OPENER_DO] = {&paper_words.opens_do, takes_verb, starts_verb, true},
};

/* Not "2-4 years", not "Helping". */
static bool says_something(const char *phrase)
{
    struct span text = span_of(phrase), word;
    size_t offset = 0, telling = 0, count = words_count(text);

    while (words_next(text, &offset, &word))
        telling += isalpha((unsigned char)word.bytes[0]) &&
                   !words_is_on("years year months month and or of to at", word);
    return telling > 0 &&
           (count > 1 || (!list_has(&paper_words.verbs, text) && !is_gerund(text)));
}

static void keep(struct search *search, const struct row *sentence,
                 const struct row *phrase, bool is_duty)
{
    struct found *found = &search->found[search->count];

    if (search->count == FOUND_MOST || phrase->count == 0 ||
        !row_phrase(phrase, ADVERT_DEMAND_WORDS, found->phrase) ||
        !says_something(found->phrase))
        return;
    found->phrase[0] = (char)toupper((unsigned char)found->phrase[0]);
    found->weight = weight_of(search, sentence);
    found->is_duty = is_duty;
    found->is_kept = false;
    search->count++;
}

/* Has it a word besides its verbs: "plan lessons", but not "plan, prepare"? */
static bool has_object(const struct row *part)
{
    for (size_t i = 1; i < part->count; i++)
        if (!list_has(&paper_words.verbs, part->tokens[i].core) &&
            !words_is_on("and or", part->tokens[i].core))
            return true;
    return false;
}

/* Where the next part of a row of things begins: "planning lessons, | marking books and | ..."; its count:
 * it is one. */
static size_t next_part(const struct row *row, const struct opener *opener,
                        size_t *ret_end)
{
    for (size_t at = 2; at + 1 < row->count; at++) {
        struct row part = row_until(row, at);
        bool is_and = words_is_on("and", row->tokens[at].core);
        size_t begin = skip_adverbs(row, at + is_and);
        struct row rest = row_from(row, begin);

        if ((!is_and && !row_ends_with(&part, ',')) || rest.count < 2 ||
            !has_object(&part) || is_gerund(part.tokens[at - 1].core) ||
            !opener->goes_on(&rest))
            continue;
        *ret_end = at;
        return begin;
    }
    *ret_end = row->count;
    return row->count;
}

static void keep_parts(struct search *search, const struct row *sentence, struct row row,
                       const struct opener *opener)
{
    while (row.count > 0) {
        size_t end, next = next_part(&row, opener, &end);
        struct row part = row_until(&row, end);

        keep(search, sentence, &part, opener->is_duty);
        row = row_from(&row, next);
    }
}

/* An opener of one word says little by itself: who is meant has to stand before it. */
static bool has_subject(const struct row *sentence, size_t at, size_t words)
{
    if (words > 1 || at == 0 ||
        strncasecmp(sentence->tokens[at].core.bytes, "you'", 4) == 0)
        return true;
    for (size_t back = 1; back <= 3 && back <= at; back++)
        if (list_has(&paper_words.subjects, sentence->tokens[at - back].core))
            return true;
    return false;
}

/* Where the next opener's phrase begins, from `from` on; the sentence's end: there is none. */
static size_t find_opened(const struct row *sentence, size_t from,
                          const struct opener **ret_opener, size_t *ret_opens_at)
{
    for (size_t at = from; at < sentence->count; at++) {
        size_t best = 0, begin = 0;

        for (size_t i = 0; i < sizeof(openers) / sizeof(*openers); i++) {
            size_t words = row_match(sentence, at, openers[i].list);
            size_t next = skip_adverbs(sentence, at + words);
            struct row rest = row_from(sentence, next);

            if (words <= best || rest.count == 0 || !has_subject(sentence, at, words) ||
                !openers[i].takes(&rest))
                continue;
            best = words;
            begin = next;
            *ret_opener = &openers[i];
        }
        if (best > 0) {
            *ret_opens_at = at;
            return begin;
        }
    }
    return sentence->count;
}

/* "a nurse with experience of wards", "a clerk to keep the books": where somebody is sought. */
static bool read_sought(struct search *search, const struct row *sentence)
{
    size_t at;

    if (row_find(sentence, &paper_words.seeks, &at) == 0)
        return false;
    for (; at + 2 < sentence->count; at++) {
        struct row rest = row_from(sentence, at + 1);
        bool is_duty = words_is_on("to", sentence->tokens[at].core) &&
                       takes_verb(&rest) &&
                       !words_is_on("join start", rest.tokens[0].core);

        if (!is_duty && !words_is_on("with", sentence->tokens[at].core))
            continue;
        keep_parts(search, sentence, rest, &openers[is_duty ? OPENER_DO : OPENER_HAVE]);
        return true;
    }
    return false;
}

/* "Your tasks will include ..." */
static bool read_listed(struct search *search, const struct row *sentence)
{
    bool is_listing = false;

    for (size_t at = 0; at < LISTING_WITHIN && at + 1 < sentence->count; at++) {
        struct row rest = row_from(sentence, at + 1);

        if (is_listing && words_is_on("include includes", sentence->tokens[at].core)) {
            keep_parts(search, sentence, rest,
                       &openers[starts_work(&rest) ? OPENER_OF : OPENER_HAVE]);
            return true;
        }
        is_listing |= list_has(&paper_words.listings, sentence->tokens[at].core);
    }
    return false;
}

/* Every phrase that is opened in the sentence.  false: none is. */
static bool read_opened(struct search *search, const struct row *sentence)
{
    const struct opener *opener = NULL, *next_opener = NULL;
    size_t opens_at = 0;
    size_t begin = find_opened(sentence, 0, &opener, &opens_at);
    bool is_any = begin < sentence->count;

    while (begin < sentence->count) {
        size_t next = find_opened(sentence, begin, &next_opener, &opens_at);
        struct row part =
            row_until(sentence, next < sentence->count ? opens_at : sentence->count);

        keep_parts(search, sentence, row_from(&part, begin), opener);
        opener = next_opener;
        begin = next;
    }
    return is_any;
}

/* "A clean driving licence is essential." */
static bool read_closed(struct search *search, const struct row *sentence)
{
    size_t at, words = row_find(sentence, &paper_words.closes, &at);

    if (words == 0 || at == 0 || (words == 1 && at + 1 < sentence->count))
        return false;
    keep(search, sentence, sentence, false);
    return true;
}

/* Does a line say by its first word that it asks for something? */
static bool begins_like_demand(const struct row *row)
{
    size_t leading = row_match(row, 0, &paper_words.leading);
    struct span word = row->tokens[leading < row->count ? leading : 0].core;

    return list_has(&paper_words.ordinary, word) || list_has(&paper_words.verbs, word) ||
           list_has(&paper_words.adjectives, word) || is_gerund(word) ||
           isdigit((unsigned char)word.bytes[0]);
}

/* One thing, but for a row of them that would be cut. */
static void keep_long(struct search *search, const struct row *sentence,
                      const struct opener *opener)
{
    if (sentence->count > ADVERT_DEMAND_WORDS)
        keep_parts(search, sentence, *sentence, opener);
    else
        keep(search, sentence, sentence, opener->is_duty);
}

/* A sentence that is a demand as it stands. */
static void read_bare(struct search *search, const struct row *sentence, bool is_item)
{
    enum section section = search->section;
    bool is_brief = sentence->count <= BARE_WORDS;
    bool is_work = list_has(&paper_words.verbs, sentence->tokens[0].core) ||
                   is_gerund(sentence->tokens[0].core);
    bool is_good = false;

    switch (section) {
    case SECTION_NONE: break;
    case SECTION_UNKNOWN: is_good = is_item && begins_like_demand(sentence); break;
    case SECTION_WISHES:
    case SECTION_ASKS:
        is_good = is_item || (is_brief && begins_like_demand(sentence));
        break;
    case SECTION_DUTIES: is_good = is_item || (is_brief && is_work); break;
    }
    if (!is_good)
        return;
    if (section == SECTION_DUTIES || (section == SECTION_UNKNOWN && is_work))
        keep_long(search, sentence,
                  &openers[starts_work(sentence) ? OPENER_OF : OPENER_DO]);
    else
        keep_long(search, sentence, &openers[OPENER_HAVE]);
}

/* "£30k, 25 days ..." */
static bool names_money(const struct token *token)
{
    return strchr("$", *token->core.bytes) != NULL ||
           strncmp(token->core.bytes, "\xC2\xA3", 2) == 0 ||
           strncmp(token->core.bytes, "\xE2\x82\xAC", 3) == 0;
}

static void read_sentence(struct search *search, const struct row *sentence, bool is_item)
{
    if (search->section == SECTION_NONE || names_money(&sentence->tokens[0]) ||
        has_any(sentence, &paper_words.never) || has_any(sentence, &paper_words.barred) ||
        row_ends_with(sentence, '?'))
        return;
    if (!read_listed(search, sentence) && !read_opened(search, sentence) &&
        !read_sought(search, sentence) && !read_closed(search, sentence))
        read_bare(search, sentence, is_item);
}

/* "Requirements: a degree, ...": a heading with what belongs to it in one line. */
static struct row read_inline_heading(struct search *search, const struct row *row,
                                      bool *is_item)
{
    for (size_t at = 0; at < 5 && at + 1 < row->count; at++) {
        struct row head = row_until(row, at + 1);
        enum section section;

        if (!row_ends_with(&head, ':'))
            continue;
        if (!read_heading(&head, false, &section))
            break;
        search->section = section;
        *is_item |= section >= SECTION_WISHES;
        return row_from(row, at + 1);
    }
    return *row;
}

static void on_line(void *context, const struct paper_line *line)
{
    struct search *search = context;
    bool announces = row_ends_with(&line->row, ':') || row_ends_with(&line->row, '?');
    bool is_item = line->is_item;
    enum section section;
    struct row rest, sentence;
    size_t at = 0;

    if (line->row.count <= 8 && (!line->is_item || announces) &&
        !row_ends_with(&line->row, '.') &&
        read_heading(&line->row, announces, &section)) {
        search->section = section;
        return;
    }
    if (announces && !line->is_item && has_any(&line->row, &paper_words.seeks)) {
        search->section = SECTION_ASKS; /* "We need fitters with:" */
        return;
    }
    if (line->is_heading && !line->is_item && !row_ends_with(&line->row, '.') &&
        search->section != SECTION_UNKNOWN && !begins_like_demand(&line->row)) {
        search->section = SECTION_UNKNOWN; /* of something else */
        return;
    }
    rest = read_inline_heading(search, &line->row, &is_item);
    is_item |= search->section >= SECTION_WISHES && rest.count <= PLAIN_ITEM_WORDS &&
               !row_ends_with(&rest, '.');
    while (row_sentence(&rest, &at, &sentence))
        read_sentence(search, &sentence, is_item);
}

/* ---- the choice ---- */

/* Do most words of the shorter one stand in the other? */
static bool is_same(const struct found *one, const struct found *other)
{
    uint64_t stems[ADVERT_DEMAND_WORDS], others[ADVERT_DEMAND_WORDS];
    size_t count = demand_stems(span_of(one->phrase), stems);
    size_t other_count = demand_stems(span_of(other->phrase), others), common = 0;
    size_t least = count < other_count ? count : other_count;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < other_count; k++)
            common += stems[i] == others[k];
    return least == 0 ? strcasecmp(one->phrase, other->phrase) == 0
                      : 4 * common >= 3 * least;
}

static bool is_said(const struct search *search, const struct found *found)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->found[i].is_kept && is_same(&search->found[i], found))
            return true;
    return false;
}

/* Keeps up to `most` more, the weightiest first, and of these the first; duties alone, or all. */
static size_t choose(struct search *search, size_t most, bool duties_only)
{
    size_t count = 0;

    for (int weight = 8; weight > 0; weight--) {
        for (size_t i = 0; i < search->count && count < most; i++) {
            struct found *found = &search->found[i];

            if (found->weight != weight || found->is_kept ||
                (duties_only && !found->is_duty) || is_said(search, found))
                continue;
            found->is_kept = true;
            count++;
        }
    }
    return count;
}

static void on_demand(void *context, const struct paper_line *line)
{
    bool *is_fit = context;

    *is_fit &= !has_any(&line->row, &paper_words.barred);
}

bool demand_is_fit(struct span demand)
{
    bool is_fit = true;

    paper_read(demand, on_demand, &is_fit);
    return is_fit;
}

size_t advert_demands(struct span advert,
                      struct private_text ret_demands[ADVERT_DEMANDS_MOST])
{
    struct search search = {.section = SECTION_UNKNOWN};
    size_t count = 0;

    paper_read(advert, on_line, &search);
    choose(&search, ADVERT_DEMANDS_MOST - choose(&search, DUTIES_LEAST, true), false);
    for (size_t i = 0; i < search.count; i++) {
        const char *phrase = search.found[i].phrase;

        if (search.found[i].is_kept)
            ret_demands[count++] = private_text_copy(phrase, strlen(phrase));
    }
    sodium_memzero(&search, sizeof(search));
    return count;
}
