/*
 * The words that say nothing of the subject, and those that turn a sentence round.
 */
#include "terms_internal.h"

#include <stdlib.h>
#include <string.h>

struct listed {
    const char *word;
    uint32_t flags;
};

/* Sorted.  Without apostrophes too, as people type. */
static const struct listed list[] = {
    {"a", TERM_STOP},
    {"an", TERM_STOP},
    {"and", TERM_STOP},
    {"are", TERM_STOP},
    {"arent", TERM_STOP | TERM_NEGATION},
    {"as", TERM_STOP},
    {"at", TERM_STOP},
    {"barely", TERM_NEGATION},
    {"be", TERM_STOP},
    {"been", TERM_STOP},
    {"by", TERM_STOP},
    {"can", TERM_STOP},
    {"cannot", TERM_STOP | TERM_NEGATION},
    {"could", TERM_STOP},
    {"couldnt", TERM_STOP | TERM_NEGATION},
    {"did", TERM_STOP},
    {"didnt", TERM_STOP | TERM_NEGATION},
    {"do", TERM_STOP},
    {"does", TERM_STOP},
    {"doesnt", TERM_STOP | TERM_NEGATION},
    {"dont", TERM_STOP | TERM_NEGATION},
    {"for", TERM_STOP},
    {"from", TERM_STOP},
    {"had", TERM_STOP},
    {"hadnt", TERM_STOP | TERM_NEGATION},
    {"hardly", TERM_NEGATION},
    {"has", TERM_STOP},
    {"hasnt", TERM_STOP | TERM_NEGATION},
    {"have", TERM_STOP},
    {"havent", TERM_STOP | TERM_NEGATION},
    {"how", TERM_STOP},
    {"i", TERM_STOP},
    {"in", TERM_STOP},
    {"is", TERM_STOP},
    {"isnt", TERM_STOP | TERM_NEGATION},
    {"it", TERM_STOP},
    {"its", TERM_STOP},
    {"neither", TERM_NEGATION},
    {"never", TERM_NEGATION},
    {"no", TERM_STOP | TERM_NEGATION},
    {"nobody", TERM_NEGATION},
    {"none", TERM_NEGATION},
    {"nor", TERM_STOP | TERM_NEGATION},
    {"not", TERM_STOP | TERM_NEGATION},
    {"nothing", TERM_NEGATION},
    {"nowhere", TERM_NEGATION},
    {"of", TERM_STOP},
    {"on", TERM_STOP},
    {"or", TERM_STOP},
    {"rarely", TERM_NEGATION},
    {"scarcely", TERM_NEGATION},
    {"seldom", TERM_NEGATION},
    {"should", TERM_STOP},
    {"shouldnt", TERM_STOP | TERM_NEGATION},
    {"that", TERM_STOP},
    {"the", TERM_STOP},
    {"there", TERM_STOP},
    {"they", TERM_STOP},
    {"this", TERM_STOP},
    {"to", TERM_STOP},
    {"was", TERM_STOP},
    {"wasnt", TERM_STOP | TERM_NEGATION},
    {"we", TERM_STOP},
    {"were", TERM_STOP},
    {"werent", TERM_STOP | TERM_NEGATION},
    {"what", TERM_STOP},
    {"when", TERM_STOP},
    {"where", TERM_STOP},
    {"which", TERM_STOP},
    {"who", TERM_STOP},
    {"why", TERM_STOP},
    {"will", TERM_STOP},
    {"with", TERM_STOP},
    {"without", TERM_NEGATION},
    {"wont", TERM_STOP | TERM_NEGATION},
    {"would", TERM_STOP},
    {"wouldnt", TERM_STOP | TERM_NEGATION},
    {"you", TERM_STOP},
    {"your", TERM_STOP},
};

static int compare_listed(const void *word, const void *listed)
{
    return strcmp(word, ((const struct listed *)listed)->word);
}

uint32_t word_flags(const char *folded)
{
    const struct listed *found;

    if (strlen(folded) > 8 || strchr("abcdfhinostwy", folded[0]) == NULL)
        return 0; /* most words: none on the list is so long, or starts so */
    found = bsearch(folded, list, sizeof(list) / sizeof(list[0]), sizeof(list[0]),
                    compare_listed);

    return found == NULL ? 0 : found->flags;
}
