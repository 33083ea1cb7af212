/*
 * What a server of chat completions, or of Anthropic's messages, may answer, whole and streamed, with any status and in any
 * number of tries: an ask ends once, with a text or with an error of the model's, and what was
 * told while it streamed is how the text begins.
 *
 * The input is what outside.h says; the first byte chooses whose wire it is and whether to stream.
 */
#include "coach_http_internal.h"
#include "outside.h"
#include "private_reveal.h"
#include "utf8.h"

struct heard {
    unsigned ended;
    enum error error;
    struct private_text text;
    struct buffer told; /* while it streamed */
};

static void on_done(void *context, enum error error, struct coach_reply answer)
{
    struct heard *heard = context;

    must(heard->ended++ == 0);
    must(answer.retry_after_s >= -1);
    must(error == ERROR_LLM_RATE_LIMIT || answer.retry_after_s == -1);
    must((error == OK) == !private_text_is_empty(&answer.text));
    must(error == OK || error_info(error)->stage == STAGE_LLM);
    must(error != ERROR_CONTENT_REFUSED); /* only a turn refuses */
    heard->error = error;
    heard->text = answer.text;
}

/* It only ever grows. */
static void on_text(void *context, struct span text)
{
    struct heard *heard = context;
    size_t known = heard->told.length;

    must(heard->ended == 0 && text.length > known);
    must(known == 0 || memcmp(text.bytes, heard->told.bytes, known) == 0);
    buffer_append(&heard->told, text.bytes + known, text.length - known);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct coach *coach;
    struct span input = fuzz_input(bytes, length), text;
    static char *const nothing[] = {NULL};
    static const struct private_text no_key;
    const struct provider_place place = {"http://localhost", "openai/gpt-oss-20b",
                                         &no_key, ""};
    struct outside *outside = outside_open(nothing);
    const struct provider_tools tools = {&outside->settings, outside->pool, outside->log,
                                         &outside->metrics, NULL};
    unsigned choice = fuzz_choice(&input);
    bool is_streamed = choice & 1;
    struct heard heard = {0};
    struct coach_ask ask = {
        .system = private_text_copy("JSON", 4),
        .user = private_text_copy("I led it.", 9),
        .schema_name = "turn",
        .schema = "{\"type\":\"object\"}",
        .timeout_ms = 20000,
        .on_text = is_streamed ? on_text : NULL,
    };

    coach_free(
        coach); /* it remembers formats that were refused: each input has its own */
    coach = coach_http_new(choice & 2 ? &coach_anthropic : &coach_groq, &tools, &place);
    buffer_init(&heard.told, 1 << 20);
    outside_answer(outside, input);
    coach->start(coach, &ask, on_done, &heard);
    must(outside_run(outside) <= 4);
    must(heard.ended == 1);

    text = private_reveal(&heard.text);
    if (heard.error == OK) {
        must(utf8_is_valid(text.bytes, text.length));
        must(!private_text_is_blank(&heard.text));
    }
    private_text_free(&heard.text);
    buffer_done(&heard.told);
    return 0;
}
