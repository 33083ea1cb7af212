/*
 * Any question about the handbook: what is found is scored from 0 to 1, the best first, passages of
 * the index and valid text; a selection carries a share of the question; and asking again finds the
 * same.
 *
 * The input is a question, and a selection behind a line of "----".
 */
#include "fuzz.h"
#include "search_internal.h"
#include "utf8.h"

#include <math.h>

enum { QUESTION_MOST = 2000, SELECTION_MOST = 8192, LIMIT = 5 };

static void check_passages(const struct passages *passages)
{
    double before = 1;

    must(passages->count <= LIMIT);
    for (size_t i = 0; i < passages->count; i++) {
        const struct passage *passage = &passages->all[i];

        must(isfinite(passage->score) && passage->score >= 0 && passage->score <= before);
        must(i == 0 || passage->score < before ||
             passages->all[i - 1].order < passage->order);
        must(strchr(passage->id, '#') != NULL && *passage->text != '\0');
        must(utf8_is_valid(passage->text, strlen(passage->text)));
        before = passage->score;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct search *search;
    struct span input = fuzz_input(bytes, length), question;
    struct passages found = {0}, again = {0};
    double coverage = -1;

    fuzz_next(&input, FUZZ_LINE, &question);
    if (question.length > QUESTION_MOST || input.length > SELECTION_MOST ||
        !utf8_is_valid(question.bytes, question.length) ||
        !utf8_is_valid(input.bytes, input.length))
        return 0; /* what a form would not have taken */
    if (search == NULL) {
        search = search_new(NULL);
        must(search_refresh(search, NULL));
    }
    must(search_find(search, question, LIMIT, &found));
    check_passages(&found);
    must(search_find(search, question, LIMIT, &again) && again.count == found.count);
    for (size_t i = 0; i < found.count; i++)
        must(strcmp(found.all[i].id, again.all[i].id) == 0);
    must(search_coverage(search, question, input, &coverage));
    must(coverage >= 0 && coverage <= 1);
    passages_done(&found);
    passages_done(&again);
    return 0;
}
