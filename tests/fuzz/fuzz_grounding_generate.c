/*
 * The reader of a model's answer from passages: no input may crash it, and what it lets through keeps its
 * bounds.
 */
#include "fuzz.h"
#include "generate_internal.h"
#include "private_reveal.h"

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
    confidence = generated_confidence(&generated, reply, passages, &unsupported);
    must(confidence >= 0 && confidence <= generated.stated);
    must(unsupported >= -1 && unsupported < (int)generated.count);
    text = generated_text(&generated);
    private_text_free(&text);
    generated_done(&generated);
}

/* Passages and question are data: whatever they say, what is sent is one object that holds them. */
static void check_ask(const struct private_text *question,
                      const struct passages *passages)
{
    struct coach_ask ask = {.timeout_ms = 1};
    struct json_object *user, *list;
    struct span text;

    generate_ask(&ask, question, passages);
    text = private_reveal(&ask.user);
    user = json_parse(text.bytes, text.length, 8);
    must(json_object_object_length(user) == 2);
    must(fuzz_same(json_member_string(user, "question"), private_reveal(question)));
    list = json_member(user, "passages");
    must(json_object_array_length(list) == passages->count);
    for (size_t i = 0; i < passages->count; i++)
        must(span_equals(json_member_string(json_object_array_get_idx(list, i), "text"),
                         passages->all[i].text));
    json_object_put(user);
    private_text_free(&ask.system);
    private_text_free(&ask.user);
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
    char *other;

    if (private_text_is_valid(&reply)) { /* what is no UTF-8 never gets as far as here */
        check(&reply, &passages);
        other = strndup((const char *)bytes, length);
        must(other != NULL);
        two[1].text = other;
        check_ask(&reply, &passages);
        free(other);
    }
    private_text_free(&reply);
    return 0;
}
