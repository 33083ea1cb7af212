/*
 * An answer without a model: the sentences of the passages that answer best, word for word.
 *
 * A sentence is worth the weight of the question's words in it, of those just before it and in its headings
 * for less, and more where it has what the question asks for: a number, a date, a name, a reason.
 */
#include "generate_internal.h"

#include "extract_internal.h"
#include "mem.h"
#include "private_reveal.h"
#include "terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASSAGES_MOST  64
#define WORDS_MOST     64 /* of a question, that are looked for */
#define SENTENCES_MOST 3
/* What a question's word is worth in the sentence before, in the headings, and by its family. */
#define BEFORE_SHARE  0.3
#define HEADING_SHARE 0.25
#define FAMILY_SHARE  0.7
#define FAMILY_STEM   5
/* Of the whole weight: having what is asked for; the passage's own score. */
#define KIND_SHARE    0.3
#define PASSAGE_SHARE 0.15
/* A second and third sentence are worth so much of the best one. */
#define NEXT_SHARE 0.5

struct wanted {
    uint32_t term; /* of the question */
    double weight;
    size_t sentences; /* that have it */
};

struct candidate {
    uint32_t passage, sentence;
    double worth;
    uint64_t words; /* of the question, that stand in it */
};

struct extraction {
    struct terms_reader *reader; /* owned, like all below */
    struct terms question;
    struct terms *passages; /* each one's text */
    struct terms *headings; /* each one's chapter and section */
    size_t passage_count;
    struct wanted wanted[WORDS_MOST];
    size_t wanted_count;
    double whole; /* weight of all that is wanted */
    enum question_kind kind;
    struct candidate *candidates; /* one for each sentence */
    size_t candidate_count;
};

static void read_all(struct extraction *extraction, struct span question,
                     const struct passages *passages);
static void want_words(struct extraction *extraction);
static void weigh_words(struct extraction *extraction);
static void judge(struct extraction *extraction, const struct passages *passages);
static void choose(struct extraction *extraction, const struct passages *passages,
                   struct generated *generated);
static void extraction_done(struct extraction *extraction);

void generate_extract(const struct private_text *question,
                      const struct passages *passages, struct generated *ret_generated)
{
    struct extraction extraction = {.passage_count = 0};
    struct generated generated = {.stated = 1, .is_extractive = true};

    read_all(&extraction, private_reveal(question), passages);
    want_words(&extraction);
    weigh_words(&extraction);
    judge(&extraction, passages);
    choose(&extraction, passages, &generated);
    generated.is_refused = generated.count == 0;
    extraction_done(&extraction);
    *ret_generated = generated;
}

static void read_heading(struct extraction *extraction, const struct passage *passage,
                         struct terms *headings)
{
    struct buffer text;

    buffer_init(&text, SIZE_MAX);
    buffer_append_string(&text, passage->chapter);
    buffer_append_char(&text, '\n');
    buffer_append_string(&text, passage->section);
    terms_read(extraction->reader, (struct span){text.bytes, text.length}, headings);
    buffer_done(&text);
}

static void read_all(struct extraction *extraction, struct span question,
                     const struct passages *passages)
{
    size_t count = passages->count < PASSAGES_MOST ? passages->count : PASSAGES_MOST;

    extraction->reader = terms_reader_new();
    extraction->passages = mem_zalloc(count * sizeof(*extraction->passages));
    extraction->headings = mem_zalloc(count * sizeof(*extraction->headings));
    extraction->passage_count = count;
    terms_read(extraction->reader, question, &extraction->question);
    extraction->kind = question_kind(question, &extraction->question);
    for (size_t i = 0; i < count; i++) {
        terms_read(extraction->reader, span_of(passages->all[i].text),
                   &extraction->passages[i]);
        read_heading(extraction, &passages->all[i], &extraction->headings[i]);
    }
}

static void want_words(struct extraction *extraction)
{
    const struct terms *question = &extraction->question;

    for (size_t i = 0; i < question->count && extraction->wanted_count < WORDS_MOST;
         i++) {
        bool is_new = !(question->all[i].flags & TERM_STOP) &&
                      !question_word_asks(question, &question->all[i]);

        for (size_t k = 0; k < extraction->wanted_count && is_new; k++)
            is_new = !term_equals(question, &question->all[extraction->wanted[k].term],
                                  question, &question->all[i]);
        if (is_new)
            extraction->wanted[extraction->wanted_count++].term = (uint32_t)i;
    }
}

/* 1: the same stem; less for one of its family; 0. */
static double likeness(const struct terms *question, const struct term *wanted,
                       const struct terms *terms, const struct term *term)
{
    const char *one = term_stem(question, wanted), *other = term_stem(terms, term);
    uint32_t longer =
        wanted->stem_length > term->stem_length ? wanted->stem_length : term->stem_length;
    uint32_t same = 0;

    if (term_equals(question, wanted, terms, term))
        return 1;
    if ((wanted->flags | term->flags) & TERM_NUMBER)
        return 0;
    while (one[same] != '\0' && one[same] == other[same])
        same++;
    return same >= FAMILY_STEM && same * 5 >= longer * 3 ? FAMILY_SHARE : 0;
}

/* What a row of terms has of each wanted word; the best of each. */
static void find(const struct extraction *extraction, const struct terms *terms,
                 size_t first, size_t count, double *found)
{
    for (size_t i = 0; i < extraction->wanted_count; i++) {
        const struct term *wanted = &extraction->question.all[extraction->wanted[i].term];

        for (size_t at = first; at < first + count && found[i] < 1; at++) {
            double like = likeness(&extraction->question, wanted, terms, &terms->all[at]);

            found[i] = like > found[i] ? like : found[i];
        }
    }
}

static void weigh_words(struct extraction *extraction)
{
    size_t sentences = 0;

    for (size_t i = 0; i < extraction->passage_count; i++) {
        const struct terms *terms = &extraction->passages[i];

        sentences += terms->sentence_count;
        for (size_t s = 0; s < terms->sentence_count; s++) {
            double found[WORDS_MOST] = {0};

            find(extraction, terms, terms->sentences[s].first_term,
                 terms->sentences[s].term_count, found);
            for (size_t k = 0; k < extraction->wanted_count; k++)
                extraction->wanted[k].sentences += found[k] > 0;
        }
    }
    for (size_t k = 0; k < extraction->wanted_count; k++) {
        struct wanted *wanted = &extraction->wanted[k];
        uint32_t flags = extraction->question.all[wanted->term].flags;

        wanted->weight =
            log(1 + (double)(sentences + 1) / (double)(wanted->sentences + 1));
        if (flags & (TERM_NAME | TERM_NUMBER))
            wanted->weight *= 1.2;
        extraction->whole += wanted->weight;
    }
    extraction->candidates =
        mem_zalloc((sentences + 1) * sizeof(*extraction->candidates));
}

static double worth_of(const struct extraction *extraction, size_t passage, size_t at,
                       const double *headings, struct candidate *candidate)
{
    const struct terms *terms = &extraction->passages[passage];
    const struct term_sentence *sentence = &terms->sentences[at];
    double here[WORDS_MOST] = {0}, before[WORDS_MOST] = {0}, worth = 0;

    find(extraction, terms, sentence->first_term, sentence->term_count, here);
    if (at > 0)
        find(extraction, terms, sentence[-1].first_term, sentence[-1].term_count, before);
    for (size_t i = 0; i < extraction->wanted_count; i++) {
        double share = here[i];

        if (here[i] > 0)
            candidate->words |= (uint64_t)1 << i;
        if (before[i] * BEFORE_SHARE > share)
            share = before[i] * BEFORE_SHARE;
        if (headings[i] * HEADING_SHARE > share)
            share = headings[i] * HEADING_SHARE;
        worth += share * extraction->wanted[i].weight;
    }
    return worth;
}

static void judge(struct extraction *extraction, const struct passages *passages)
{
    for (size_t i = 0; i < extraction->passage_count; i++) {
        const struct terms *terms = &extraction->passages[i];
        const struct terms *heading = &extraction->headings[i];
        double headings[WORDS_MOST] = {0};

        find(extraction, heading, 0, heading->count, headings);
        for (size_t s = 0; s < terms->sentence_count; s++) {
            struct candidate candidate = {.passage = (uint32_t)i,
                                          .sentence = (uint32_t)s};
            struct span text = {passages->all[i].text + terms->sentences[s].start,
                                terms->sentences[s].end - terms->sentences[s].start};
            double fit = sentence_fit(extraction->kind, &extraction->question, terms,
                                      &terms->sentences[s], text);

            candidate.worth = worth_of(extraction, i, s, headings, &candidate);
            if (candidate.words == 0 && candidate.worth <= 0)
                continue;
            candidate.worth += extraction->whole * KIND_SHARE * fit;
            candidate.worth += extraction->whole * PASSAGE_SHARE * passages->all[i].score;
            extraction->candidates[extraction->candidate_count++] = candidate;
        }
    }
}

static struct span text_of(const struct extraction *extraction,
                           const struct passages *passages,
                           const struct candidate *candidate)
{
    const struct term_sentence *sentence =
        &extraction->passages[candidate->passage].sentences[candidate->sentence];

    struct span text = {passages->all[candidate->passage].text + sentence->start,
                        sentence->end - sentence->start};

    /* A row of a table goes without its outer bars. */
    for (; text.length > 1 && (text.bytes[0] == '|' || text.bytes[0] == ' ');
         text.length--)
        text.bytes++;
    while (text.length > 1 &&
           (text.bytes[text.length - 1] == '|' || text.bytes[text.length - 1] == ' '))
        text.length--;
    return text;
}

static bool are_same(struct span one, struct span other)
{
    return one.length == other.length && memcmp(one.bytes, other.bytes, one.length) == 0;
}

/* The best that is not chosen yet; a sentence that two passages share counts once. */
static struct candidate *next_best(struct extraction *extraction,
                                   const struct passages *passages,
                                   struct candidate *const *chosen, size_t count)
{
    struct candidate *best = NULL;

    for (size_t i = 0; i < extraction->candidate_count; i++) {
        struct candidate *candidate = &extraction->candidates[i];
        bool is_new = best == NULL || candidate->worth > best->worth;

        for (size_t k = 0; k < count && is_new; k++)
            is_new = !are_same(text_of(extraction, passages, chosen[k]),
                               text_of(extraction, passages, candidate));
        if (is_new)
            best = candidate;
    }
    return best;
}

static uint64_t passages_with(const struct extraction *extraction,
                              const struct passages *passages, struct span text)
{
    uint64_t cited = 0;

    for (size_t i = 0; i < extraction->passage_count; i++)
        if (memmem(passages->all[i].text, strlen(passages->all[i].text), text.bytes,
                   text.length) != NULL)
            cited |= (uint64_t)1 << i;
    return cited;
}

/* In document order. */
static void write_chosen(const struct extraction *extraction,
                         const struct passages *passages, struct candidate *const *chosen,
                         size_t count, struct generated *generated)
{
    generated->sentences = mem_zalloc(count * sizeof(*generated->sentences));
    for (size_t i = 0; i < extraction->candidate_count; i++)
        for (size_t k = 0; k < count; k++) {
            struct span text;

            if (chosen[k] != &extraction->candidates[i])
                continue;
            text = text_of(extraction, passages, chosen[k]);
            generated->sentences[generated->count++] = (struct generated_sentence){
                .text = private_text_copy(text.bytes, text.length),
                .cited = passages_with(extraction, passages, text)};
        }
}

static void choose(struct extraction *extraction, const struct passages *passages,
                   struct generated *generated)
{
    struct candidate *chosen[SENTENCES_MOST];
    size_t count = 0;

    while (count < SENTENCES_MOST) {
        struct candidate *next = next_best(extraction, passages, chosen, count);

        if (next == NULL || (count > 0 && next->worth < NEXT_SHARE * chosen[0]->worth))
            break;
        chosen[count++] = next;
    }
    if (count > 0)
        write_chosen(extraction, passages, chosen, count, generated);
}

static void extraction_done(struct extraction *extraction)
{
    for (size_t i = 0; i < extraction->passage_count; i++) {
        terms_done(&extraction->passages[i]);
        terms_done(&extraction->headings[i]);
    }
    free(extraction->passages);
    free(extraction->headings);
    free(extraction->candidates);
    terms_done(&extraction->question);
    terms_reader_free(extraction->reader);
}
