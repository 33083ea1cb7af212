/*
 * An answer without a model: the sentences of the passages that answer best, in their own words.
 *
 * A sentence is worth the weight of the question's words in it, of those just before it and in its headings
 * for less, and more where it has what the question asks for: a number, a date, a name, a reason.
 */
#include "generate_internal.h"

#include "extract_internal.h"
#include "mem.h"
#include "private_reveal.h"
#include "question_internal.h"
#include "terms.h"
#include "thesaurus_internal.h"
#include "words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASSAGES_MOST 64
#define WORDS_MOST    64 /* of a question, that are looked for */
/* Sentences that are taken for what they say; words of one, and of all together. */
#define SENTENCES_MOST      3
#define SENTENCE_WORDS_MOST 60
#define WORDS_IN_ALL        80
/* Sentences that are taken along because one behind them hangs on them. */
#define BEFORE_MOST 2
/* What a question's word is worth in the sentence before, in the headings, by a word that begins like it, and by
 * another word for the same. */
#define BEFORE_SHARE  0.3
#define HEADING_SHARE 0.75
#define FAMILY_SHARE  0.7
#define KIN_SHARE     0.5
/* Of the whole weight: having what is asked for; the passage's own score. */
#define KIND_SHARE    0.3
#define PASSAGE_SHARE 0.15
/* A second and third sentence are worth so much of the best one. */
#define NEXT_SHARE 0.75
#define SAME_SHARE 0.75
/* One that has so much of its words from one that is taken says nothing more. */
#define REPEATED_SHARE 0.8
/* What another sentence is worth, of the best, to stand for it where that one hangs on what is not there. */
#define OTHER_SHARE 0.7

struct wanted {
    uint32_t term; /* of the question */
    double weight;
    size_t sentences; /* that have it */
};

struct candidate {
    uint32_t passage, sentence;
    double worth;
    uint64_t words; /* of the question, that stand in it */
    bool is_able;   /* may be taken for what it says itself */
    bool is_chosen;
    bool hangs;            /* on what was said before it */
    enum term_place place; /* a caption counts as a heading */
    struct span text;      /* borrowed from the passage: what is shown of it */
    bool is_begun_late, is_ended_early; /* it was cut */
    size_t length;                      /* in words */
};

struct extraction {
    struct terms_reader *reader; /* borrowed */
    struct terms question;       /* owned, like all below */
    struct span *texts;          /* of the passages; what they hold is borrowed */
    struct terms *passages;      /* each one's text, read */
    struct terms *headings;      /* each one's chapter and section */
    size_t passage_count;
    struct wanted wanted[WORDS_MOST];
    size_t wanted_count;
    struct word_hits hits; /* by the numbers of the wanted */
    double whole;          /* weight of all that is wanted */
    enum question_kind kind;
    struct candidate *candidates; /* one for each sentence */
    size_t candidate_count;
};

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

    extraction->texts = mem_zalloc(count * sizeof(*extraction->texts));
    extraction->passages = mem_zalloc(count * sizeof(*extraction->passages));
    extraction->headings = mem_zalloc(count * sizeof(*extraction->headings));
    extraction->passage_count = count;
    terms_read(extraction->reader, question, &extraction->question);
    extraction->kind = question_kind(question);
    for (size_t i = 0; i < count; i++) {
        extraction->texts[i] = span_of(passages->all[i].text);
        terms_read(extraction->reader, extraction->texts[i], &extraction->passages[i]);
        read_heading(extraction, &passages->all[i], &extraction->headings[i]);
    }
}

static struct span stem_of(const struct terms *terms, const struct term *term)
{
    return (struct span){term_stem(terms, term), term->stem_length};
}

/* The distinct words that say something; those that only ask, where they are all there is. */
static void want_words(struct extraction *extraction, bool keeps_asking)
{
    const struct terms *question = &extraction->question;

    for (size_t i = 0; i < question->count && extraction->wanted_count < WORDS_MOST;
         i++) {
        const struct term *term = &question->all[i];
        size_t stems = extraction->hits.stems.count;

        if (term->flags & TERM_STOP ||
            (!keeps_asking &&
             (question_is_around(question, term) || question_asks(question, i))))
            continue;
        word_hits_add(&extraction->hits, stem_of(question, term),
                      (uint16_t)extraction->wanted_count);
        if (extraction->hits.stems.count > stems)
            extraction->wanted[extraction->wanted_count++].term = (uint32_t)i;
    }
}

static void want_kin(struct extraction *extraction, const struct thesaurus *thesaurus)
{
    for (size_t i = 0; i < extraction->wanted_count; i++)
        word_hits_add_kin(&extraction->hits, thesaurus,
                          stem_of(&extraction->question,
                                  &extraction->question.all[extraction->wanted[i].term]),
                          (uint16_t)i);
}

static bool begin_alike(const struct terms *question, const struct term *wanted,
                        const struct terms *terms, const struct term *term)
{
    return !((wanted->flags | term->flags) & TERM_NUMBER) &&
           stems_share(stem_of(question, wanted), stem_of(terms, term)) > 0;
}

/* What a row of terms has of each wanted word; the best of each. */
static void find(const struct extraction *extraction, const struct terms *terms,
                 size_t first, size_t count, double *found)
{
    const struct terms *question = &extraction->question;

    for (size_t at = first; at < first + count; at++) {
        const struct term *term = &terms->all[at];
        struct word_hit hit = word_hits_find(&extraction->hits, terms, term);

        if (hit.word != WORD_NONE)
            found[hit.word] = fmax(found[hit.word], hit.is_kin ? KIN_SHARE : 1);
        for (size_t i = 0; i < extraction->wanted_count; i++)
            if (found[i] < FAMILY_SHARE &&
                begin_alike(question, &question->all[extraction->wanted[i].term], terms,
                            term))
                found[i] = FAMILY_SHARE;
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

/* Where the clause that begins at `from` ends, and the next one begins; the sentence's end. */
static size_t clause_end(struct span text, size_t from)
{
    for (size_t at = from; at + 1 < text.length; at++) {
        bool is_dash =
            text.length - at > 3 && memcmp(text.bytes + at, "\xe2\x80\x94", 3) == 0;

        if ((strchr(",;:", text.bytes[at]) != NULL && text.bytes[at + 1] == ' ') ||
            (strchr(",;:", text.bytes[at]) != NULL && text.bytes[at + 1] == '\n'))
            return at + 2;
        if (is_dash && at > from)
            return at;
    }
    return text.length;
}

/* What the question's words in a piece of a sentence are worth. */
static double worth_of_piece(const struct extraction *extraction,
                             const struct candidate *candidate, struct span piece)
{
    const struct terms *terms = &extraction->passages[candidate->passage];
    const struct term_sentence *sentence = &terms->sentences[candidate->sentence];
    size_t start = (size_t)(piece.bytes - extraction->texts[candidate->passage].bytes);
    struct term_sentence part = {.start = (uint32_t)start,
                                 .end = (uint32_t)(start + piece.length),
                                 .first_term = sentence->first_term};
    double found[WORDS_MOST] = {0}, worth = 0;

    for (uint32_t i = 0; i < sentence->term_count; i++) {
        const struct term *term = &terms->all[sentence->first_term + i];

        if (term->start < part.start)
            part.first_term++;
        else if (term->end <= part.end)
            part.term_count++;
    }
    find(extraction, terms, part.first_term, part.term_count, found);
    for (size_t i = 0; i < extraction->wanted_count; i++)
        worth += found[i] * extraction->wanted[i].weight;
    return worth +
           extraction->whole * KIND_SHARE *
               question_fit(extraction->kind, &extraction->question, terms, &part, piece);
}

/* At most `most` words from where the text begins. */
static struct span first_words(struct span text, size_t most)
{
    while (words_count(text) > most) {
        while (text.length > 0 && !isspace((unsigned char)text.bytes[text.length - 1]))
            text.length--;
        while (text.length > 0 && isspace((unsigned char)text.bytes[text.length - 1]))
            text.length--;
    }
    return text;
}

/* The run of clauses with most of what is asked for. */
static struct span cut(const struct extraction *extraction,
                       const struct candidate *candidate, struct span text)
{
    struct span best = first_words(text, SENTENCE_WORDS_MOST);
    double most = -1;

    for (size_t from = 0; from < text.length; from = clause_end(text, from)) {
        struct span piece = {text.bytes + from, 0};
        double worth;

        for (size_t to = clause_end(text, from); to <= text.length;
             to = clause_end(text, to)) {
            if (words_count((struct span){piece.bytes, to - from}) > SENTENCE_WORDS_MOST)
                break;
            piece.length = to - from;
            if (to == text.length)
                break;
        }
        worth = worth_of_piece(extraction, candidate, piece);
        /* Of equals, the one that begins the sentence, or else begins last. */
        if (piece.length > 0 &&
            (worth > most + 1e-9 || (worth > most - 1e-9 && best.bytes != text.bytes))) {
            most = worth;
            best = piece;
        }
    }
    while (best.length > 0 && strchr(" \n\t,;:", best.bytes[best.length - 1]) != NULL)
        best.length--;
    return best;
}

/* Does a row of dashes follow on the line that ends here?  Then it holds the names of the columns. */
static bool is_above_rule(struct span text, size_t end)
{
    const char *line = memchr(text.bytes + end, '\n', text.length - end);
    size_t length = line != NULL ? strspn(line + 1, "-:| \t") : 0;

    return length > 2 && (line[1 + length] == '\n' || line[1 + length] == '\0');
}

/* On the line of a caption ("Figure 3. A gripper. Photo: Ida Marsh") */
static bool goes_on_in_caption(const struct candidate *candidate, struct span text)
{
    const struct candidate *before = candidate - 1;

    return candidate->sentence > 0 && before->place == TERM_HEADING &&
           memchr(before->text.bytes, '\n', (size_t)(text.bytes - before->text.bytes)) ==
               NULL;
}

/* What is shown of a candidate's sentence. */
static void settle_text(const struct extraction *extraction, struct candidate *candidate)
{
    const struct term_sentence *sentence =
        &extraction->passages[candidate->passage].sentences[candidate->sentence];
    struct span text = {extraction->texts[candidate->passage].bytes + sentence->start,
                        sentence->end - sentence->start};

    candidate->place = sentence->place;
    if (sentence->place == TERM_PROSE)
        text = extract_without_heading(text);
    if ((sentence->place == TERM_PROSE &&
         (extract_is_caption(text) || goes_on_in_caption(candidate, text))) ||
        (sentence->place == TERM_TABLE &&
         is_above_rule(extraction->texts[candidate->passage], sentence->end)))
        candidate->place = TERM_HEADING;
    candidate->text = text;
    if (words_count(text) > SENTENCE_WORDS_MOST) {
        candidate->text = cut(extraction, candidate, text);
        candidate->is_begun_late = candidate->text.bytes != text.bytes;
        candidate->is_ended_early =
            candidate->text.bytes + candidate->text.length != text.bytes + text.length;
        text = candidate->text;
    }
    candidate->length = words_count(text);
    candidate->hangs = extract_hangs(text);
}

/* Code, headings and captions are no answers while there is anything else. */
static void mark_able(struct extraction *extraction)
{
    bool has_prose = false;

    for (size_t i = 0; i < extraction->candidate_count; i++)
        has_prose |= extraction->candidates[i].is_able &&
                     (extraction->candidates[i].place == TERM_PROSE ||
                      extraction->candidates[i].place == TERM_TABLE);
    for (size_t i = 0; i < extraction->candidate_count && has_prose; i++)
        extraction->candidates[i].is_able &=
            extraction->candidates[i].place == TERM_PROSE ||
            extraction->candidates[i].place == TERM_TABLE;
}

static void judge(struct extraction *extraction, const struct passages *passages)
{
    for (size_t i = 0; i < extraction->passage_count; i++) {
        const struct terms *terms = &extraction->passages[i];
        const struct terms *heading = &extraction->headings[i];
        double headings[WORDS_MOST] = {0};

        find(extraction, heading, 0, heading->count, headings);
        for (size_t s = 0; s < terms->sentence_count; s++) {
            struct candidate *candidate =
                &extraction->candidates[extraction->candidate_count++];

            *candidate =
                (struct candidate){.passage = (uint32_t)i, .sentence = (uint32_t)s};
            candidate->worth = worth_of(extraction, i, s, headings, candidate);
            candidate->is_able = candidate->words != 0 || candidate->worth > 0;
            settle_text(extraction, candidate);
            candidate->worth +=
                extraction->whole * KIND_SHARE *
                question_fit(extraction->kind, &extraction->question, terms,
                             &terms->sentences[s], candidate->text);
            candidate->worth +=
                extraction->whole * PASSAGE_SHARE * passages->all[i].score;
        }
    }
    mark_able(extraction);
}

/* How many sentences before a candidate are needed to understand it, 0 to BEFORE_MOST; more: they are not
 * there. */
static size_t needed_before(const struct extraction *extraction,
                            const struct candidate *candidate)
{
    size_t at = (size_t)(candidate - extraction->candidates), needed = 0;

    while (needed <= BEFORE_MOST && candidate->hangs &&
           !(needed > 0 && candidate->is_chosen)) {
        if (at == needed || candidate[-1].passage != candidate->passage ||
            candidate[-1].place != TERM_PROSE)
            return BEFORE_MOST + 1;
        candidate--;
        needed++;
    }
    return needed;
}

/* Takes a candidate and what it needs before it, where there is room for both. */
static bool take(struct candidate *candidate, size_t needed, size_t *words)
{
    size_t more = 0;

    if (needed > BEFORE_MOST)
        return false;
    for (size_t i = 0; i <= needed; i++)
        more += candidate[-(ptrdiff_t)i].is_chosen ? 0 : candidate[-(ptrdiff_t)i].length;
    if (*words + more > WORDS_IN_ALL)
        return false;
    for (size_t i = 0; i <= needed; i++)
        candidate[-(ptrdiff_t)i].is_chosen = true;
    *words += more;
    return true;
}

/* Is nearly every word of the one in the other? */
static bool is_repeated(const struct extraction *extraction, const struct candidate *one,
                        const struct candidate *other)
{
    const struct terms *terms = &extraction->passages[one->passage];
    const struct terms *others = &extraction->passages[other->passage];
    const struct term_sentence *sentence = &terms->sentences[one->sentence];
    const struct term_sentence *said = &others->sentences[other->sentence];
    uint32_t words = 0, same = 0;

    for (uint32_t i = 0; i < sentence->term_count; i++) {
        const struct term *term = &terms->all[sentence->first_term + i];

        if (term->flags & TERM_STOP)
            continue;
        words++;
        for (uint32_t k = 0; k < said->term_count; k++)
            if (term_equals(terms, term, others, &others->all[said->first_term + k])) {
                same++;
                break;
            }
    }
    return same >= REPEATED_SHARE * words;
}

static bool is_said_already(const struct extraction *extraction,
                            const struct candidate *candidate)
{
    for (size_t i = 0; i < extraction->candidate_count; i++)
        if (extraction->candidates[i].is_chosen &&
            is_repeated(extraction, candidate, &extraction->candidates[i]))
            return true;
    return false;
}

/* The best that is not chosen yet, of those that stand by themselves or of all; NULL: there is none. */
static struct candidate *next_best(struct extraction *extraction, bool stands_alone)
{
    struct candidate *best = NULL;

    for (size_t i = 0; i < extraction->candidate_count; i++) {
        struct candidate *candidate = &extraction->candidates[i];

        if (candidate->is_able && !candidate->is_chosen &&
            (best == NULL || candidate->worth > best->worth) &&
            (!stands_alone || needed_before(extraction, candidate) <= BEFORE_MOST) &&
            !is_said_already(extraction, candidate))
            best = candidate;
    }
    return best;
}

/* The best sentence; one whose beginning hangs on what is not there gives way to another that is nearly as
 * good. */
static struct candidate *choose_first(struct extraction *extraction, size_t *words)
{
    struct candidate *best = next_best(extraction, false), *other;

    if (best == NULL)
        return NULL;
    other = next_best(extraction, true);
    if (other != NULL && other->worth >= OTHER_SHARE * best->worth)
        best = other;
    if (!take(best, needed_before(extraction, best), words))
        take(best, 0, words);
    return best;
}

static uint64_t passages_with(const struct extraction *extraction, struct span text)
{
    uint64_t cited = 0;

    for (size_t i = 0; i < extraction->passage_count; i++)
        if (memmem(extraction->texts[i].bytes, extraction->texts[i].length, text.bytes,
                   text.length) != NULL)
            cited |= (uint64_t)1 << i;
    return cited;
}

static void write_sentence(const struct extraction *extraction,
                           const struct candidate *candidate, struct generated *generated)
{
    struct generated_sentence *sentence = &generated->sentences[generated->count];
    struct buffer clean;

    buffer_init(&clean, 4 * candidate->text.length + 64);
    if (candidate->is_begun_late)
        buffer_append_string(&clean, "\u2026 ");
    if (candidate->place == TERM_TABLE)
        extract_clean_row(candidate->text, &clean);
    else
        extract_clean(candidate->text, &clean);
    if (candidate->is_ended_early)
        buffer_append_string(&clean, " \u2026");
    if (clean.length == 0) {
        buffer_done(&clean);
        return; /* signs only */
    }
    generated->count++;
    sentence->text = private_text_take(&clean);
    sentence->quoted = private_text_copy(candidate->text.bytes, candidate->text.length);
    sentence->cited = passages_with(extraction, candidate->text);
}

/* In document order. */
static void write_chosen(const struct extraction *extraction, struct generated *generated)
{
    generated->sentences =
        mem_zalloc((extraction->candidate_count + 1) * sizeof(*generated->sentences));
    for (size_t i = 0; i < extraction->candidate_count; i++)
        if (extraction->candidates[i].is_chosen)
            write_sentence(extraction, &extraction->candidates[i], generated);
}

/* A row of a table says what is asked for by itself. */
static void choose(struct extraction *extraction, struct generated *generated)
{
    size_t words = 0, count = 1;
    struct candidate *first = choose_first(extraction, &words), *next;
    uint64_t said;

    if (first == NULL)
        return;
    said = first->words;
    while (count < SENTENCES_MOST && first->place == TERM_PROSE) {
        next = next_best(extraction, true);
        if (next == NULL || next->worth < NEXT_SHARE * first->worth)
            break;
        next->is_able = false;
        if (next->place != TERM_PROSE ||
            ((next->words & ~said) == 0 && next->worth < SAME_SHARE * first->worth))
            continue;
        if (take(next, needed_before(extraction, next), &words)) {
            said |= next->words;
            count++;
        }
    }
    write_chosen(extraction, generated);
}

static void extraction_done(struct extraction *extraction)
{
    for (size_t i = 0; i < extraction->passage_count; i++) {
        terms_done(&extraction->passages[i]);
        terms_done(&extraction->headings[i]);
    }
    free(extraction->texts);
    free(extraction->passages);
    free(extraction->headings);
    free(extraction->candidates);
    terms_done(&extraction->question);
    word_hits_done(&extraction->hits);
}

void generate_extract(const struct thesaurus *thesaurus,
                      const struct private_text *question,
                      const struct passages *passages, struct generated *ret_generated)
{
    struct extraction extraction = {.reader = thesaurus_reader(thesaurus)};
    struct generated generated = {.stated = 1, .is_extractive = true};

    read_all(&extraction, private_reveal(question), passages);
    want_words(&extraction, false);
    if (extraction.wanted_count == 0)
        want_words(&extraction, true);
    want_kin(&extraction, thesaurus);
    weigh_words(&extraction);
    judge(&extraction, passages);
    choose(&extraction, &generated);
    generated.is_refused = generated.count == 0;
    extraction_done(&extraction);
    *ret_generated = generated;
}
