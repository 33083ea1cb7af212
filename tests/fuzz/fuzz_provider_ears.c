/*
 * What those who hear recordings may answer, with any status: a transcription ends once, with a
 * text that is not blank or with an error of speech, and its numbers keep their bounds.
 *
 * The first byte of an input chooses the vendor; the rest is what outside.h says.
 */
#include "outside.h"
#include "private_reveal.h"
#include "transcriber_http_internal.h"
#include "utf8.h"

static char *const environment[] = {"DEEPGRAM_API_KEY=key", "STT_API_KEY=key", NULL};

static void check(const struct transcript *transcript)
{
    struct span text = private_reveal(&transcript->text);
    int64_t before_ms = 0;

    must(text.length > 0 && utf8_is_valid(text.bytes, text.length));
    must(!private_text_is_blank(&transcript->text));
    must(transcript->confidence == -1 ||
         (transcript->confidence >= 0 && transcript->confidence <= 1));
    must(transcript->duration_ms >= -1);
    for (size_t i = 0; i < transcript->word_count; i++) {
        must(transcript->words[i].start_ms >= 0);
        must(transcript->words[i].end_ms >= transcript->words[i].start_ms);
        before_ms = transcript->words[i].start_ms;
    }
    (void)before_ms;
}

static void on_done(void *context, enum error error, struct transcript transcript)
{
    unsigned *ended = context;

    must((*ended)++ == 0);
    must(error == OK || error_info(error)->stage == STAGE_STT);
    must(error == ERROR_STT_RATE_LIMIT || transcript.retry_after_s == -1);
    if (error == OK)
        check(&transcript);
    else
        must(private_text_is_empty(&transcript.text) && transcript.words == NULL);
    transcript_free(&transcript);
}

static struct transcriber *ears(struct outside *outside, unsigned choice)
{
    static struct transcriber *all[3];
    const struct provider_tools tools = {&outside->settings, outside->pool, outside->log,
                                         &outside->metrics, NULL};
    const struct provider_place place = {outside->settings.stt_base_url,
                                         outside->settings.stt_model,
                                         &outside->settings.stt_api_key, NULL};

    if (all[0] == NULL) {
        all[0] = transcriber_deepgram_new(&tools, &place);
        all[1] = transcriber_openai_new(&tools, &place, false);
        all[2] = transcriber_openai_new(&tools, &place, true);
    }
    return all[choice % 3];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char recording[] = "OggS and what follows";
    struct span input = fuzz_input(bytes, length);
    struct outside *outside = outside_open(environment);
    struct transcriber *transcriber = ears(outside, fuzz_choice(&input));
    struct transcriber_ask ask = {.container = AUDIO_OGG, .timeout_ms = 20000};
    unsigned ended = 0;

    buffer_init(&ask.recording, sizeof(recording) + TRANSCRIBER_ROOM_BYTES);
    buffer_append_string(&ask.recording, recording);
    outside_answer(outside, input);
    transcriber->start(transcriber, &ask, on_done, &ended);
    must(outside_run(outside) <= 2);
    must(ended == 1);
    return 0;
}
