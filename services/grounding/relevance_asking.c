/*
 * The words of a question one by one: those that say nothing of its subject, though they are no stop words,
 * and those that may be misspelt.
 */
#include "relevance_asking_internal.h"

#include <string.h>

#define LIKE_LETTERS_LEAST 5

#define IS_ON(list, stem) is_on(list, sizeof(list) / sizeof((list)[0]), stem)

static bool is_on(const char *const *stems, size_t count, const char *stem)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(stems[i], stem) == 0)
            return true;
    return false;
}

bool relevance_is_around(const struct terms *terms, const struct term *term)
{
    static const char *const stems[] = {
        "am",     "ani",  "anyon", "anybodi",    "bit",      "explain", "he",     "hei",
        "hello",  "her",  "hi",    "him",        "his",      "if",      "im",     "just",
        "know",   "lot",  "me",    "mine",       "my",       "myself",  "our",    "pleas",
        "realli", "she",  "so",    "some",       "somebodi", "someon",  "sorri",  "tell",
        "their",  "them", "then",  "understand", "us",       "want",    "wonder",
    };

    /* "thanks", but not the beginning of a thank-you note */
    if (strcmp(term_stem(terms, term), "thank") == 0)
        return term->end - term->start == strlen("thanks");
    return (term->flags & (TERM_NAME | TERM_NUMBER)) == 0 &&
           IS_ON(stems, term_stem(terms, term));
}

bool relevance_asks(const struct terms *terms, size_t at)
{
    /* "how many": the answer has the number, not the word */
    static const char *const measures[] = {
        "big",   "close",   "cold",  "deep", "earli",  "far",  "fast",  "few",   "heavi",
        "high",  "hot",     "larg",  "late", "long",   "mani", "much",  "often", "old",
        "quick", "quickli", "short", "soon", "strong", "tall", "thick", "well",  "wide"};
    static const char *const verbs[] = {
        "call", "come", "find", "get",  "give",  "go",   "happen", "kind", "make",
        "mean", "name", "sai",  "take", "thing", "type", "us",     "wai",  "work"};
    /* "in what year": the answer has the year */
    static const char *const nouns[] = {
        "amount",  "author",    "centuri", "citi",   "color", "colour",  "compani",
        "countri", "date",      "dai",     "decad",  "degre", "distanc", "event",
        "height",  "hour",      "languag", "length", "level", "month",   "number",
        "percent", "percentag", "period",  "person", "place", "price",   "rate",
        "reason",  "region",    "size",    "sort",   "speed", "state",   "temperatur",
        "term",    "time",      "titl",    "town",   "word",  "year"};
    const struct term *term = &terms->all[at];
    const char *before = at > 0 ? term_stem(terms, &terms->all[at - 1]) : "";

    if (term->flags & (TERM_NAME | TERM_NUMBER))
        return false;
    return IS_ON(verbs, term_stem(terms, term)) ||
           (strcmp(before, "how") == 0 && IS_ON(measures, term_stem(terms, term))) ||
           ((strcmp(before, "what") == 0 || strcmp(before, "which") == 0) &&
            IS_ON(nouns, term_stem(terms, term)));
}

bool relevance_may_be_misspelt(const char *stem)
{
    size_t letters = 0;

    for (; *stem != '\0'; stem++) {
        if (*stem >= '0' && *stem <= '9')
            return false;
        letters += ((unsigned char)*stem & 0xc0) != 0x80; /* first byte of a character */
    }
    return letters >= LIKE_LETTERS_LEAST;
}
