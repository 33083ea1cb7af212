/*
 * corpus.json: any bytes are a corpus or a problem that names the file, and whatever patterns it has
 * judge any question within their limits, the same each time.
 *
 * The input is a file and questions, with lines of "----" between them.
 */
#include "corpus.h"
#include "fuzz.h"
#include "utf8.h"

static void check_question(struct corpus *corpus, struct span question)
{
    struct span match = {NULL, 0}, again = {NULL, 0};
    const char *topic, *same;
    enum corpus_scope scope;

    if (!utf8_is_valid(question.bytes, question.length))
        return; /* is refused before it gets as far as here */
    scope = corpus_judge(corpus, question, &match, &topic);
    must(corpus_judge(corpus, question, &again, &same) == scope);
    if (scope != CORPUS_OUT_OF_SCOPE)
        return;
    must(topic == same);
    must(match.bytes == again.bytes && match.length == again.length);
    must(match.bytes >= question.bytes &&
         match.bytes + match.length <= question.bytes + question.length);
    must(utf8_is_valid(match.bytes, match.length)); /* it is answered with */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), file, question;
    struct buffer problem;
    struct corpus *corpus;

    fuzz_next(&input, FUZZ_LINE, &file);
    buffer_init(&problem, 4096);
    corpus = corpus_new("corpus.json", file, &problem);
    must((corpus == NULL) == (problem.length > 0));
    if (corpus == NULL)
        must(strncmp(problem.bytes, "corpus.json: ", 13) == 0 &&
             strchr(problem.bytes, '\n') == problem.bytes + problem.length - 1);
    if (corpus != NULL) {
        must(*corpus_title(corpus) != '\0');
        must(utf8_is_valid(corpus_topics(corpus), strlen(corpus_topics(corpus))));
        while (fuzz_next(&input, FUZZ_LINE, &question))
            if (question.length <= 2000)
                check_question(corpus, question);
    }
    corpus_free(corpus);
    buffer_done(&problem);
    return 0;
}
