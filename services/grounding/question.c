/*
 * What the words of a question say of it: those that are about nothing, those that only ask, and the kind of
 * answer that they ask for; and whether a sentence has it.
 */
#include "question_internal.h"

#include "words.h"

#include <string.h>

bool question_is_around(const struct terms *terms, const struct term *term)
{
    static const char stems[] =
        "am ani anyon anybodi bit explain he hei hello her hi him his if im just know "
        "lot me mine my myself our pleas realli she so some somebodi someon sorri tell "
        "their them then understand us want wonder";

    struct span stem = {term_stem(terms, term), term->stem_length};

    /* "thanks", but not the beginning of a thank-you note */
    if (span_equals(stem, "thank"))
        return term->end - term->start == strlen("thanks");
    return (term->flags & (TERM_NAME | TERM_NUMBER)) == 0 && words_is_on(stems, stem);
}

bool question_is_light_verb(struct span stem)
{
    static const char verbs[] =
        "call come find get give go happen kind make mean name sai take thing type us "
        "wai work";

    return words_is_on(verbs, stem);
}

bool question_asks(const struct terms *terms, size_t at)
{
    /* "how many": the answer has the number, not the word */
    static const char measures[] =
        "big close cold deep earli far fast few heavi high hot larg late long mani "
        "much often old quick quickli short soon strong tall thick well wide";
    /* "in what year": the answer has the year */
    static const char nouns[] =
        "amount author centuri citi color colour compani countri date dai decad degre "
        "distanc event height hour languag length level month number percent percentag "
        "period person place price rate reason region size sort speed state temperatur "
        "term time titl town word year";
    const struct term *term = &terms->all[at];
    struct span stem = {term_stem(terms, term), term->stem_length};
    struct span before = span_of(at > 0 ? term_stem(terms, term - 1) : "");

    if (term->flags & (TERM_NAME | TERM_NUMBER))
        return false;
    return question_is_light_verb(stem) ||
           (span_equals(before, "how") && words_is_on(measures, stem)) ||
           (words_is_on("what which", before) && words_is_on(nouns, stem));
}

/* Words after "how" that ask for a number. */
static const char measures[] =
    "many much long far old tall high deep often fast heavy wide large big hot "
    "soon few short";

/* Words after "what" and "which" that ask for a number, and for a time. */
static const char quantities[] =
    "percentage number amount percent length height width depth speed price "
    "temperature cost size age distance rate share limit proportion";
static const char times[] = "year date day month century time decade";
static const char persons[] = "person name author scientist";
static const char places[] = "city country place town region";

static enum question_kind kind_of_what(struct span question, size_t offset)
{
    struct span word;

    /* "What is the ...", "In what year", "which of the cities": the noun is near. */
    for (int i = 0; i < 3 && words_next(question, &offset, &word); i++) {
        if (words_is_on(quantities, word))
            return QUESTION_NUMBER;
        if (words_is_on(times, word))
            return QUESTION_TIME;
        if (words_is_on(persons, word))
            return QUESTION_PERSON;
        if (words_is_on(places, word))
            return QUESTION_PLACE;
    }
    return QUESTION_OTHER;
}

enum question_kind question_kind(struct span question)
{
    struct span word, next;
    size_t offset = 0;

    while (words_next(question, &offset, &word)) {
        size_t behind = offset;

        if (words_is_on("who whom whose", word))
            return QUESTION_PERSON;
        if (words_is_on("when", word))
            return QUESTION_TIME;
        if (words_is_on("where", word))
            return QUESTION_PLACE;
        if (words_is_on("why", word))
            return QUESTION_REASON;
        if (words_is_on("how", word) && words_next(question, &behind, &next) &&
            words_is_on(measures, next))
            return QUESTION_NUMBER;
        if (words_is_on("what which", word))
            return kind_of_what(question, offset);
    }
    return QUESTION_OTHER;
}

static bool is_asked(const struct terms *question, const struct terms *terms,
                     const struct term *term)
{
    for (size_t i = 0; i < question->count; i++)
        if (term_equals(question, &question->all[i], terms, term))
            return true;
    return false;
}

/* A word with a flag that the question has not. */
static bool has_new(uint32_t flag, const struct terms *question,
                    const struct terms *terms, const struct term_sentence *sentence)
{
    for (uint32_t i = 0; i < sentence->term_count; i++) {
        const struct term *term = &terms->all[sentence->first_term + i];

        if (term->flags & flag && !is_asked(question, terms, term))
            return true;
    }
    return false;
}

static bool has_one(const char *list, struct span text)
{
    struct span word;

    for (size_t offset = 0; words_next(text, &offset, &word);)
        if (words_is_on(list, word))
            return true;
    return false;
}

static bool has_time(const struct terms *question, const struct terms *terms,
                     const struct term_sentence *sentence, struct span text)
{
    static const char words[] =
        "january february march april june july august september october november "
        "december monday tuesday wednesday thursday friday saturday sunday morning "
        "evening after before until during once spring summer autumn winter always "
        "year when while as";

    return has_new(TERM_NUMBER, question, terms, sentence) || has_one(words, text);
}

double question_fit(enum question_kind kind, const struct terms *question,
                    const struct terms *terms, const struct term_sentence *sentence,
                    struct span text)
{
    static const char where[] = "in at on near from to inside under between";
    static const char reasons[] =
        "because since so therefore due reason cause causes order "
        "thus avoid prevent otherwise reasons caused for";
    bool is_fit = true;
    double fit = 1;

    if (sentence->term_count < 4)
        fit -= 0.5;
    if (text.length > 0 && text.bytes[text.length - 1] == '?')
        fit -= 0.7;
    if (text.length > 0 && text.bytes[text.length - 1] == ':')
        fit -= 0.5; /* what it speaks of comes behind it */
    switch (kind) {
    case QUESTION_NUMBER: is_fit = has_new(TERM_NUMBER, question, terms, sentence); break;
    case QUESTION_TIME: is_fit = has_time(question, terms, sentence, text); break;
    case QUESTION_PERSON: is_fit = has_new(TERM_NAME, question, terms, sentence); break;
    case QUESTION_PLACE:
        is_fit = has_new(TERM_NAME, question, terms, sentence) || has_one(where, text);
        break;
    case QUESTION_REASON: is_fit = has_one(reasons, text); break;
    case QUESTION_OTHER: break;
    }
    return is_fit ? fit : fit - 1;
}
