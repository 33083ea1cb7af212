/*
 * The kinds of answers that questions ask for, and what of a sentence is shown.
 */
#include "extract_internal.h"

#include "words.h"

#include <string.h>

/* Words after "how" that ask for a number. */
static const char *const measures[] = {
    "many", "much",  "long", "far",   "old", "tall", "high", "deep", "often",
    "fast", "heavy", "wide", "large", "big", "hot",  "soon", "few",  "short"};

/* Words after "what" and "which" that ask for a number, and for a time. */
static const char *const quantities[] = {
    "percentage", "number", "amount", "percent",     "length",    "height", "width",
    "depth",      "speed",  "price",  "temperature", "cost",      "size",   "age",
    "distance",   "rate",   "share",  "limit",       "proportion"};
static const char *const times[] = {"year",    "date", "day",   "month",
                                    "century", "time", "decade"};
static const char *const persons[] = {"person", "name", "author", "scientist"};
static const char *const places[] = {"city", "country", "place", "town", "region"};

#define IS_ON(list, word) is_on(list, sizeof(list) / sizeof((list)[0]), word)

static bool is_on(const char *const *list, size_t count, struct span word)
{
    for (size_t i = 0; i < count; i++)
        if (span_equals_ignoring_case(word, list[i]))
            return true;
    return false;
}

static enum question_kind kind_of_what(struct span question, size_t offset)
{
    struct span word;

    /* "What is the ...", "In what year", "which of the cities": the noun is near. */
    for (int i = 0; i < 3 && words_next(question, &offset, &word); i++) {
        if (IS_ON(quantities, word))
            return QUESTION_NUMBER;
        if (IS_ON(times, word))
            return QUESTION_TIME;
        if (IS_ON(persons, word))
            return QUESTION_PERSON;
        if (IS_ON(places, word))
            return QUESTION_PLACE;
    }
    return QUESTION_OTHER;
}

enum question_kind question_kind(struct span question, const struct terms *terms)
{
    struct span word, next;
    size_t offset = 0;

    (void)terms;
    while (words_next(question, &offset, &word)) {
        size_t behind = offset;

        if (span_equals_ignoring_case(word, "who") ||
            span_equals_ignoring_case(word, "whom") ||
            span_equals_ignoring_case(word, "whose"))
            return QUESTION_PERSON;
        if (span_equals_ignoring_case(word, "when"))
            return QUESTION_TIME;
        if (span_equals_ignoring_case(word, "where"))
            return QUESTION_PLACE;
        if (span_equals_ignoring_case(word, "why"))
            return QUESTION_REASON;
        if (span_equals_ignoring_case(word, "how") &&
            words_next(question, &behind, &next) && IS_ON(measures, next))
            return QUESTION_NUMBER;
        if (span_equals_ignoring_case(word, "what") ||
            span_equals_ignoring_case(word, "which"))
            return kind_of_what(question, offset);
    }
    return QUESTION_OTHER;
}

bool question_word_asks(const struct terms *question, const struct term *term)
{
    static const char *const asking[] = {"mani",    "much",  "doe",   "tell",
                                         "explain", "pleas", "whose", "whom",
                                         "say",     "me",    "if",    "ani"};
    struct span stem = span_of(term_stem(question, term));

    return IS_ON(asking, stem);
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

static bool has_word(const char *const *list, size_t count, struct span text)
{
    struct span word;

    for (size_t offset = 0; words_next(text, &offset, &word);)
        if (is_on(list, count, word))
            return true;
    return false;
}

#define HAS_ONE(list, text) has_word(list, sizeof(list) / sizeof((list)[0]), text)

static bool has_time(const struct terms *question, const struct terms *terms,
                     const struct term_sentence *sentence, struct span text)
{
    static const char *const words[] = {
        "january", "february",  "march",    "april",    "june",     "july",
        "august",  "september", "october",  "november", "december", "monday",
        "tuesday", "wednesday", "thursday", "friday",   "saturday", "sunday",
        "morning", "evening",   "after",    "before",   "until",    "during",
        "once",    "spring",    "summer",   "autumn",   "winter",   "always",
        "year",    "when",      "while",    "as"};

    return has_new(TERM_NUMBER, question, terms, sentence) || HAS_ONE(words, text);
}

static bool has_reason(struct span text)
{
    static const char *const words[] = {"because",   "since",   "so",     "therefore",
                                        "due",       "reason",  "cause",  "causes",
                                        "order",     "thus",    "avoid",  "prevent",
                                        "otherwise", "reasons", "caused", "for"};

    return HAS_ONE(words, text);
}

double sentence_fit(enum question_kind kind, const struct terms *question,
                    const struct terms *terms, const struct term_sentence *sentence,
                    struct span text)
{
    static const char *const places_words[] = {"in", "at",     "on",    "near",   "from",
                                               "to", "inside", "under", "between"};
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
        is_fit =
            has_new(TERM_NAME, question, terms, sentence) || HAS_ONE(places_words, text);
        break;
    case QUESTION_REASON: is_fit = has_reason(text); break;
    case QUESTION_OTHER: break;
    }
    return is_fit ? fit : fit - 1;
}
