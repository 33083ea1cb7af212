/*
 * The check for support and the answer made of extracts: any text may be a passage, a claim or a question.
 * The input is a question, a claim and passages, with lines of "----" between them.
 */
#include "fuzz.h"
#include "generate_internal.h"
#include "private_reveal.h"
#include "support.h"
#include "utf8.h"
#include "words.h"

enum { TEXTS_MOST = 6 };

static size_t split(struct span input, struct span *texts)
{
    size_t count = 0;

    while (count < TEXTS_MOST && fuzz_next(&input, FUZZ_LINE, &texts[count]))
        count++;
    return count;
}

/* A claim is judged twice in the same way, and its sentences stand in it in order. */
static void check_claim(struct span question, struct span claim,
                        const struct span *passages, size_t count)
{
    struct support *support = support_new();
    struct span sentence;
    bool holds;

    support_read(support, passages, count);
    support_asked(support, question);
    holds = support_holds(support, claim, 5);
    for (size_t offset = 0, before = 0;
         support_next_sentence(support, claim, &offset, &sentence); before = offset) {
        must(offset > before && offset <= claim.length && sentence.length > 0);
        must(sentence.bytes >= claim.bytes + before &&
             sentence.bytes + sentence.length <= claim.bytes + offset);
    }
    support_read(support, passages, count);
    support_asked(support, question);
    must(support_holds(support, claim, 5) == holds);
    support_free(support);
}

/* What is extracted stands in the passages that it cites, and is short. */
static void check_extract(struct span question, const struct span *texts, size_t count)
{
    static char none[] = "";
    static struct thesaurus *thesaurus;
    struct private_text asked = private_text_copy(question.bytes, question.length);
    struct passage all[TEXTS_MOST] = {0};
    struct passages passages = {all, count};
    struct generated generated;
    size_t words = 0;

    for (size_t i = 0; i < count; i++) {
        all[i] = (struct passage){
            .id = none, .chapter = none, .section = none, .page = -1, .score = 0.7};
        all[i].text = strndup(texts[i].bytes, texts[i].length);
        must(all[i].text != NULL);
    }
    if (thesaurus == NULL)
        thesaurus = thesaurus_new();
    generate_extract(thesaurus, &asked, &passages, &generated);
    must(generated.is_refused == (generated.count == 0) && generated.count <= 9);
    for (size_t i = 0; i < generated.count; i++) {
        const struct generated_sentence *sentence = &generated.sentences[i];

        must(sentence->cited != 0 && sentence->cited >> count == 0);
        for (size_t at = 0; at < count; at++)
            must(!(sentence->cited >> at & 1) ||
                 strstr(all[at].text, private_reveal(&sentence->quoted).bytes) != NULL);
        must(!private_text_is_empty(&sentence->text) &&
             utf8_is_valid(private_reveal(&sentence->text).bytes,
                           private_reveal(&sentence->text).length));
        words += words_count(private_reveal(&sentence->text));
    }
    must(words <= 120);
    generated_done(&generated);
    for (size_t i = 0; i < count; i++)
        free(all[i].text);
    private_text_free(&asked);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span texts[TEXTS_MOST];
    size_t count;

    if (length > 65536 || !utf8_is_valid((const char *)bytes, length))
        return 0;
    count = split((struct span){(const char *)bytes, length}, texts);
    if (count < 3)
        return 0;
    check_claim(texts[0], texts[1], texts + 2, count - 2);
    check_extract(texts[0], texts + 2, count - 2);
    return 0;
}
