/*
 * What Deepgram's Aura is asked
 * (https://developers.deepgram.com/reference/text-to-speech/speak-request): the model is
 * the voice, and one call takes 2,000 characters.
 */
#include "speaker_http_internal.h"

#define STANDARD_MODEL "aura-2-thalia-en"
#define MAX_CHARACTERS 2000

static void write_members(const struct speaker_http *http, struct json_writer *writer,
                          struct span piece)
{
    (void)http;
    json_put_span(writer, "text", piece);
}

struct speaker *speaker_deepgram_new(const struct provider_tools *tools)
{
    const struct settings *settings = tools->settings;
    const char *base = settings->deepgram_base_url;
    const char *model = provider_or(settings->tts_model,
                                    provider_or(settings->tts_voice, STANDARD_MODEL));
    struct speaker_http *http =
        speaker_http_new(tools, "deepgram", model,
                         provider_url(base, "/v1/speak?model=", model, "&encoding=mp3"));

    http->provider.probe_url = provider_url(base, "/v1/auth/token", "", "");
    http->provider.authorization =
        provider_authorization("Token", &settings->deepgram_api_key);
    http->max_characters = MAX_CHARACTERS;
    http->write = write_members;
    return &http->speaker;
}
