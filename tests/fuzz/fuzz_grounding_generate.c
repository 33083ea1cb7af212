/*
 * The reader of a model's answer from passages: no input may crash it, and what it lets through keeps its
 * bounds.
 */
#include "generate.h"
#include "private_reveal.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct private_text *reply, const struct passages *passages)
{
    struct generated generated = {0};
    struct private_text text;
    int unsupported;
    double confidence;

    if (generate_read(reply, passages, &generated) != OK)
        return;
    must(generated.is_refused == (generated.count == 0));
    must(generated.count <= GENERATED_SENTENCES_MOST);
    must(generated.stated >= 0 && generated.stated <= 1);
    for (size_t i = 0; i < generated.count; i++) {
        must(generated.sentences[i].cited < 4);
        must(private_text_is_valid(&generated.sentences[i].text));
        must(!private_text_is_empty(&generated.sentences[i].text));
    }
    confidence = generated_confidence(&generated, passages, &unsupported);
    must(confidence >= 0 && confidence <= generated.stated);
    must(unsupported >= -1 && unsupported < (int)generated.count);
    text = generated_text(&generated);
    private_text_free(&text);
    generated_done(&generated);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static char id[] = "a#1", other_id[] = "a#2", title[] = "A", none[] = "";
    static char text[] = "The Ardelle is 412 kilometres long. It never freezes.";
    struct passage two[] = {
        {.id = id, .chapter = title, .section = none, .page = -1, .text = text},
        {.id = other_id, .chapter = title, .section = none, .page = -1, .text = none}};
    struct passages passages = {two, 2};
    struct private_text reply = private_text_copy((const char *)bytes, length);

    if (private_text_is_valid(&reply)) /* what is no UTF-8 never gets as far as here */
        check(&reply, &passages);
    private_text_free(&reply);
    return 0;
}
