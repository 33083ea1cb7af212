/*
 * The score of a passage: its features, each counted on the words of passage and question.
 */
#include "relevance_internal.h"

#include "mem.h"
#include "question_internal.h"
#include "thesaurus_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). */
#define BM25_K1 1.2
#define BM25_B  0.75

#define LIKE_LETTERS_LEAST 4
#define LIKE_LETTERS_NAME  6
#define LIKE_CREDIT        0.8
#define ASKING_SHARE       0.2
#define PLAIN_SHARE        0.5
#define KIN_CREDIT         0.5
#define NEIGHBOUR_WORDS    3
#define WORDS_ALONE        2
#define SET_WORDS          (RELEVANCE_WORDS_MOST / 64)

/* Words of the question, by their place in it. */
struct word_set {
    uint64_t bits[SET_WORDS]; /* those that are there themselves */
    uint64_t kin[SET_WORDS];  /* those that another word for the same stands for */
};

struct relevance {
    struct thesaurus *thesaurus; /* owned, like all below but for the reader */
    struct terms_reader *reader; /* the thesaurus's */
    struct terms text, headings; /* of the last passage */
    struct word_hit *hits;       /* what each term of it is to the question */
    size_t hits_capacity;
};

struct relevance *relevance_new(void)
{
    struct relevance *relevance = MEM_NEW(struct relevance);

    relevance->thesaurus = thesaurus_new();
    relevance->reader = thesaurus_reader(relevance->thesaurus);
    return relevance;
}

void relevance_free(struct relevance *relevance)
{
    if (relevance == NULL)
        return;
    thesaurus_free(relevance->thesaurus);
    terms_done(&relevance->text);
    terms_done(&relevance->headings);
    free(relevance->hits);
    free(relevance);
}

static void set_add(struct word_set *set, struct word_hit hit)
{
    uint64_t *bits = hit.is_kin ? set->kin : set->bits;

    if (hit.word != WORD_NONE)
        bits[hit.word / 64] |= UINT64_C(1) << (hit.word % 64);
}

static bool has_bit(const uint64_t *bits, size_t word)
{
    return (bits[word / 64] >> (word % 64) & 1) != 0;
}

static bool set_has(const struct word_set *set, size_t word)
{
    return has_bit(set->bits, word) || has_bit(set->kin, word);
}

static void set_join(struct word_set *set, const struct word_set *other)
{
    for (size_t i = 0; i < SET_WORDS; i++) {
        set->bits[i] |= other->bits[i];
        set->kin[i] |= other->kin[i];
    }
}

/* How well a word is there, 0 to 1. */
static double credit_of(const struct word_set *set,
                        const struct relevance_question *question, size_t word)
{
    return has_bit(set->bits, word)  ? question->words[word].credit
           : has_bit(set->kin, word) ? KIN_CREDIT
                                     : 0;
}

/* Share of the question's weight that these words carry. */
static double set_share(const struct word_set *set,
                        const struct relevance_question *question)
{
    double weight = 0;

    for (size_t i = 0; i < question->count; i++)
        weight += question->words[i].weight * credit_of(set, question, i);
    return question->weight > 0 ? weight / question->weight : 0;
}

static double rarity(int64_t passages, int64_t all)
{
    double with = (double)passages, count = (double)(all > passages ? all : passages);

    return log(1 + (count - with + 0.5) / (with + 0.5));
}

/* Long enough to be told from another by one letter, which many a short name is.  Digits do not count: 1876 is
 * not a misspelt 1776; and what everybody knows is spelt well. */
static bool may_be_misspelt(const struct relevance_word *word)
{
    const char *stem = word->stem;
    size_t letters = 0;

    if (word->is_plain)
        return false;
    for (; *stem != '\0'; stem++) {
        if (*stem >= '0' && *stem <= '9')
            return false;
        letters += ((unsigned char)*stem & 0xc0) != 0x80; /* first byte of a character */
    }
    return letters >= (word->is_fact ? LIKE_LETTERS_NAME : LIKE_LETTERS_LEAST);
}

static void weigh(struct relevance_word *word, const struct relevance_corpus *corpus)
{
    char like[RELEVANCE_STEM_BYTES];

    word->credit = 1;
    word->weight = 1;
    if (corpus == NULL)
        return;
    word->passages = corpus->passages_with(corpus->context, word->stem);
    if (word->passages == 0 && may_be_misspelt(word) &&
        corpus->stem_like(corpus->context, word->stem, like, sizeof(like),
                          &word->passages)) {
        memcpy(word->stem, like, sizeof(like));
        word->credit = LIKE_CREDIT;
    }
    word->weight = rarity(word->passages, corpus->passages);
}

static struct relevance_word *find_word(const struct relevance_question *question,
                                        const char *stem)
{
    for (size_t i = 0; i < question->count; i++)
        if (strcmp(question->words[i].stem, stem) == 0)
            return &question->words[i];
    return NULL;
}

static bool says_something(const struct term *term)
{
    return (term->flags & TERM_STOP) == 0 && term->stem_length < RELEVANCE_STEM_BYTES;
}

/* Does enough of the question stand without those words? */
static bool stands_alone(const struct terms *terms)
{
    size_t count = 0;

    for (size_t i = 0; i < terms->count; i++)
        count +=
            says_something(&terms->all[i]) && !question_is_around(terms, &terms->all[i])
                ? 1
                : 0;
    return count >= WORDS_ALONE;
}

static void add_words(struct relevance *relevance, struct relevance_question *question,
                      const struct terms *terms)
{
    bool keeps_asking = !stands_alone(terms);
    bool is_behind = false; /* the last word was added as the newest */

    for (size_t i = 0; i < terms->count && question->count < RELEVANCE_WORDS_MOST; i++) {
        const struct term *term = &terms->all[i];
        struct relevance_word *word = find_word(question, term_stem(terms, term));
        bool is_new = word == NULL;

        if (!says_something(term) || (!keeps_asking && question_is_around(terms, term)))
            continue;
        if (is_new) {
            word = &question->words[question->count++];
            memcpy(word->stem, term_stem(terms, term), term->stem_length);
            memcpy(word->asked, word->stem, sizeof(word->asked));
            word->has_left = is_behind;
            word->asks = question_asks(terms, i);
            word->is_plain = thesaurus_is_plain(
                relevance->thesaurus, (struct span){word->asked, term->stem_length});
        }
        word->is_fact |= (term->flags & (TERM_NAME | TERM_NUMBER)) != 0;
        is_behind = is_new;
    }
}

void relevance_ask(struct relevance *relevance, struct span question,
                   const struct relevance_corpus *corpus,
                   struct relevance_question *ret_question)
{
    struct terms terms = {0};

    *ret_question = (struct relevance_question){0};
    terms_read(relevance->reader, question, &terms);
    ret_question->words = mem_zalloc(RELEVANCE_WORDS_MOST * sizeof(*ret_question->words));
    add_words(relevance, ret_question, &terms);
    for (size_t i = 0; i < ret_question->count; i++) {
        struct relevance_word *word = &ret_question->words[i];

        weigh(word, corpus);
        if (word->asks)
            word->weight *= ASKING_SHARE;
        else if (word->is_plain && !word->is_fact)
            word->weight *= PLAIN_SHARE;
        ret_question->weight += word->weight;
    }
    for (size_t i = 0; i < ret_question->count; i++)
        word_hits_add(&ret_question->hits, span_of(ret_question->words[i].stem),
                      (uint16_t)i);
    for (size_t i = 0; i < ret_question->count; i++)
        word_hits_add_kin(&ret_question->hits, relevance->thesaurus,
                          span_of(ret_question->words[i].asked), (uint16_t)i);
    terms_done(&terms);
}

void relevance_question_done(struct relevance_question *question)
{
    if (question->words != NULL)
        explicit_bzero(question->words, RELEVANCE_WORDS_MOST * sizeof(*question->words));
    free(question->words);
    word_hits_done(&question->hits);
    *question = (struct relevance_question){0};
}

size_t relevance_rarest(const struct relevance_question *question, size_t limit,
                        int64_t passages_most, const char **ret_stems)
{
    struct word_set taken = {0};
    int64_t passages = 0;
    size_t count = 0;

    for (; count < limit; count++) {
        const struct relevance_word *best = NULL;

        for (size_t i = 0; i < question->count; i++) {
            const struct relevance_word *word = &question->words[i];

            if (word->passages > 0 && !set_has(&taken, i) &&
                (best == NULL || word->passages < best->passages))
                best = word;
        }
        if (best == NULL)
            break;
        passages += best->passages;
        if (count >= 2 && passages > passages_most)
            break;
        set_add(&taken, (struct word_hit){(uint16_t)(best - question->words), false});
        ret_stems[count] = best->stem;
    }
    return count;
}

static struct word_set words_in(const struct relevance_question *question,
                                const struct terms *terms)
{
    struct word_set set = {0};

    for (size_t i = 0; i < terms->count; i++)
        set_add(&set, word_hits_find(&question->hits, terms, &terms->all[i]));
    return set;
}

static struct word_set read_headings(struct relevance *relevance,
                                     const struct relevance_question *question,
                                     const struct passage *passage)
{
    struct word_set set = {0}, more;

    if (passage->chapter != NULL) {
        terms_read(relevance->reader, span_of(passage->chapter), &relevance->headings);
        set = words_in(question, &relevance->headings);
    }
    if (passage->section != NULL) {
        terms_read(relevance->reader, span_of(passage->section), &relevance->headings);
        more = words_in(question, &relevance->headings);
        set_join(&set, &more);
    }
    return set;
}

static void read_text(struct relevance *relevance,
                      const struct relevance_question *question, struct span text)
{
    struct terms *terms = &relevance->text;

    terms_read(relevance->reader, text, terms);
    if (terms->count > relevance->hits_capacity) {
        relevance->hits_capacity = terms->count;
        relevance->hits =
            mem_realloc(relevance->hits, terms->count * sizeof(*relevance->hits));
    }
    for (size_t i = 0; i < terms->count; i++)
        relevance->hits[i] = word_hits_find(&question->hits, terms, &terms->all[i]);
}

static struct word_set words_of_sentence(const struct relevance *relevance, size_t number)
{
    const struct term_sentence *sentence = &relevance->text.sentences[number];
    struct word_set set = {0};

    for (size_t i = 0; i < sentence->term_count; i++)
        set_add(&set, relevance->hits[sentence->first_term + i]);
    return set;
}

static double best_window(const struct relevance *relevance,
                          const struct relevance_question *question,
                          const struct word_set *headings)
{
    struct word_set before = *headings;
    double best = set_share(headings, question);

    for (size_t i = 0; i < relevance->text.sentence_count; i++) {
        struct word_set here = words_of_sentence(relevance, i), both = here;
        double share;

        set_join(&both, &before);
        set_join(&both, headings);
        share = set_share(&both, question);
        if (share > best)
            best = share;
        before = here;
    }
    return best;
}

static double bm25(const struct relevance *relevance,
                   const struct relevance_question *question,
                   const struct relevance_corpus *corpus, const struct word_set *headings)
{
    double length = (double)relevance->text.count;
    double mean = corpus != NULL && corpus->mean_words > 0 ? corpus->mean_words : length;
    double saturation = BM25_K1 * (1 - BM25_B + BM25_B * (mean > 0 ? length / mean : 1));
    double counts[RELEVANCE_WORDS_MOST] = {0};
    double sum = 0;

    for (size_t i = 0; i < relevance->text.count; i++)
        if (relevance->hits[i].word != WORD_NONE)
            counts[relevance->hits[i].word] += relevance->hits[i].is_kin ? KIN_CREDIT : 1;
    for (size_t i = 0; i < question->count; i++) {
        double count = counts[i] + (set_has(headings, i) ? 1.0 : 0.0);

        sum += question->words[i].weight * question->words[i].credit * count *
               (BM25_K1 + 1) / (count + saturation);
    }
    return question->weight > 0 ? sum / ((BM25_K1 + 1) * question->weight) : 0;
}

static double neighbours(const struct relevance *relevance,
                         const struct relevance_question *question)
{
    size_t last[RELEVANCE_WORDS_MOST] = {0}; /* places from 1 */
    struct word_set found = {0};             /* by the right one of the two */
    size_t pairs = 0, hits = 0;

    for (size_t i = 0; i < relevance->text.count; i++) {
        struct word_hit hit = relevance->hits[i], right = hit;
        size_t word = hit.word;

        right.word++;
        if (hit.word == WORD_NONE)
            continue;
        if (word > 0 && last[word - 1] > 0 && i + 1 - last[word - 1] <= NEIGHBOUR_WORDS)
            set_add(&found, hit);
        if (word + 1 < question->count && last[word + 1] > 0 &&
            i + 1 - last[word + 1] <= NEIGHBOUR_WORDS)
            set_add(&found, right);
        last[word] = i + 1;
    }
    for (size_t i = 1; i < question->count; i++) {
        if (!question->words[i].has_left)
            continue;
        pairs++;
        hits += set_has(&found, i) ? 1 : 0;
    }
    return pairs > 0 ? (double)hits / (double)pairs : 0;
}

static double missing_facts(const struct relevance_question *question,
                            const struct word_set *present)
{
    size_t facts = 0, missing = 0;

    for (size_t i = 0; i < question->count; i++) {
        if (!question->words[i].is_fact)
            continue;
        facts++;
        missing += set_has(present, i) ? 0 : 1;
    }
    return facts > 0 ? (double)missing / (double)facts : 0;
}

struct relevance_features relevance_read(struct relevance *relevance,
                                         const struct relevance_question *question,
                                         const struct relevance_corpus *corpus,
                                         const struct passage *passage)
{
    struct word_set headings = read_headings(relevance, question, passage), present;
    struct relevance_features features = {.margin = 0};

    read_text(relevance, question, span_of(passage->text));
    present = headings;
    for (size_t i = 0; i < relevance->text.count; i++)
        set_add(&present, relevance->hits[i]);

    features.window = best_window(relevance, question, &headings);
    features.bm25 = bm25(relevance, question, corpus, &headings);
    features.neighbours = neighbours(relevance, question);
    features.headings = set_share(&headings, question);
    features.missing = missing_facts(question, &present);
    features.words = (double)question->count;
    return features;
}

/* The weights that were measured best of a dozen ways on 20,000 questions; but for the first, which was -7.85: since
 * plain words weigh half and kin hit, what looks alike scores a quarter higher over 54 files, and what is answered
 * three times as much. */
double relevance_score(const struct relevance_features *features)
{
    double z = -8.1 + 2.3 * features->window + 2.75 * features->bm25 +
               3.35 * features->neighbours + 4.35 * features->headings -
               2.65 * features->missing + 1.75 * log1p(features->words) +
               3.5 * features->margin;

    return features->words > 0 ? 1 / (1 + exp(-z)) : 0;
}

/* A text that is not the corpus's may have the very word that the corpus has not. */
static bool has_asked(const struct terms *terms, const struct relevance_word *word)
{
    for (size_t i = 0; i < terms->count; i++)
        if (strcmp(term_stem(terms, &terms->all[i]), word->asked) == 0)
            return true;
    return false;
}

double relevance_coverage(struct relevance *relevance,
                          const struct relevance_question *question, struct span text)
{
    struct terms *terms = &relevance->text;
    struct word_set set;
    double weight = 0;

    terms_read(relevance->reader, text, terms);
    set = words_in(question, terms);
    for (size_t i = 0; i < question->count; i++) {
        const struct relevance_word *word = &question->words[i];

        if (has_asked(terms, word))
            weight += word->weight;
        else
            weight += word->weight * credit_of(&set, question, i);
    }
    return question->weight > 0 ? weight / question->weight : 0;
}
