/*
 * What those who speak may answer: speech ends once, with one whole file of a kind that can be
 * played or with an error of speech.
 *
 * The first byte of an input chooses the vendor, and how long the text is that is spoken, in one
 * piece or several; the rest is what outside.h says.
 */
#include "audio.h"
#include "outside.h"
#include "private_reveal.h"
#include "speaker_http_internal.h"
#include "wav.h"

static char *const environment[] = {"DEEPGRAM_API_KEY=key", "TTS_API_KEY=key",
                                    "GROQ_API_KEY=key", NULL};

static void check(const struct speech *speech)
{
    struct span audio = private_reveal(&speech->audio);
    struct wav wav;

    must(audio.length > 0);
    if (strcmp(speech->content_type, "audio/wav") == 0)
        must(wav_parse(audio, &wav) && wav.samples.length > 0);
    else
        must(strcmp(speech->content_type, "audio/mpeg") == 0);
}

static void on_done(void *context, enum error error, struct speech speech)
{
    unsigned *ended = context;

    must((*ended)++ == 0);
    must(error == OK || error_info(error)->stage == STAGE_TTS);
    must(error == ERROR_TTS_RATE_LIMIT || speech.retry_after_s == -1);
    if (error == OK)
        check(&speech);
    else
        must(private_text_is_empty(&speech.audio));
    private_text_free(&speech.audio);
}

static struct speaker *voice(struct outside *outside, unsigned choice)
{
    static struct speaker *all[3];
    const struct provider_tools tools = {&outside->settings, outside->pool, outside->log,
                                         &outside->metrics, NULL};

    if (all[0] == NULL) {
        all[0] = speaker_deepgram_new(&tools);
        all[1] = speaker_openai_new(&tools, false);
        all[2] = speaker_openai_new(&tools, true);
    }
    return all[choice % 3];
}

/* Sentences, so that there is where to cut: up to 1,134 characters, 200 of which are a piece with
 * Groq. */
static struct private_text words(unsigned choice)
{
    struct buffer text;

    buffer_init(&text, 8192);
    for (unsigned i = 0; i <= choice / 3 % 64; i++)
        buffer_append_string(&text, "And what then was that? ");
    return private_text_take(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length);
    struct outside *outside = outside_open(environment);
    unsigned choice = fuzz_choice(&input), ended = 0;
    struct speaker *speaker = voice(outside, choice);
    struct speaker_ask ask = {.text = words(choice), .timeout_ms = 20000};

    outside_answer(outside, input);
    speaker->start(speaker, &ask, on_done, &ended);
    outside_run(outside);
    must(ended == 1);
    return 0;
}
