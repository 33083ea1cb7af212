/*
 * What Deepgram's Aura is asked
 * (https://developers.deepgram.com/reference/text-to-speech/speak-request): the model is
 * the voice, and one call takes 2,000 characters.
 */
#include "speaker_deepgram.h"

#include "speaker_http_internal.h"

#define STANDARD_MODEL "aura-2-thalia-en"
#define MAX_CHARACTERS 2000

static void write_members(const struct speaker_http *http, struct json_writer *writer,
                          struct span piece)
{
    (void)http;
    json_key(writer, "text");
    json_span(writer, piece);
}

struct speaker *speaker_deepgram_new(const struct settings *settings, struct loop *loop,
                                     struct call_pool *pool, struct log *log,
                                     struct metrics *metrics)
{
    const char *model = *settings->tts_model != '\0'   ? settings->tts_model
                        : *settings->tts_voice != '\0' ? settings->tts_voice
                                                       : STANDARD_MODEL;
    struct speaker_http *http =
        speaker_http_new("deepgram", model,
                         provider_url(settings->deepgram_base_url,
                                      "/v1/speak?model=", model, "&encoding=mp3"),
                         settings, loop, pool, log, metrics);

    http->provider.probe_url =
        provider_url(settings->deepgram_base_url, "/v1/auth/token", "", "");
    http->provider.authorization =
        provider_authorization("Token", &settings->deepgram_api_key);
    http->max_characters = MAX_CHARACTERS;
    http->write = write_members;
    return &http->speaker;
}
