/*
 * What an OpenAI-compatible API is asked
 * (https://platform.openai.com/docs/api-reference/audio/createSpeech: 4,096 characters a
 * call, mp3 among others; https://console.groq.com/docs/text-to-speech: Orpheus takes 200
 * and gives WAV only).
 */
#include "speaker_http_internal.h"

#include <string.h>

#define OPENAI_BASE_URL       "https://api.openai.com/v1"
#define OPENAI_MODEL          "gpt-4o-mini-tts"
#define OPENAI_VOICE          "alloy"
#define OPENAI_MAX_CHARACTERS 4096

#define GROQ_MODEL             "canopylabs/orpheus-v1-english"
#define GROQ_VOICE             "hannah" /* autumn, diana, hannah, austin, daniel, troy */
#define ORPHEUS_MAX_CHARACTERS 200

static bool is_orpheus(const char *model)
{
    return strstr(model, "orpheus") != NULL;
}

static void write_members(const struct speaker_http *http, struct json_writer *writer,
                          struct span piece)
{
    json_put_string(writer, "model", http->provider.model);
    json_put_span(writer, "input", piece);
    json_put_string(writer, "voice", http->voice);
    json_put_string(writer, "response_format",
                    is_orpheus(http->provider.model) ? "wav" : "mp3");
}

struct speaker *speaker_openai_new(const struct provider_tools *tools, bool is_groq)
{
    const struct settings *settings = tools->settings;
    bool has_own_key = !private_text_is_empty(&settings->tts_api_key) || !is_groq;
    const char *base = provider_or(settings->tts_base_url,
                                   is_groq ? settings->groq_base_url : OPENAI_BASE_URL);
    const char *model =
        provider_or(settings->tts_model, is_groq ? GROQ_MODEL : OPENAI_MODEL);
    struct speaker_http *http =
        speaker_http_new(tools, is_groq ? "groq" : "openai", model,
                         provider_url(base, "/audio/speech", "", ""));

    http->provider.probe_url = provider_url(base, "/models/", model, "");
    http->provider.is_probe_optional = *settings->tts_base_url != '\0';
    http->provider.authorization = provider_authorization(
        "Bearer", has_own_key ? &settings->tts_api_key : &settings->groq_api_key);
    http->voice = provider_or(settings->tts_voice, is_groq ? GROQ_VOICE : OPENAI_VOICE);
    http->max_characters =
        is_orpheus(model) ? ORPHEUS_MAX_CHARACTERS : OPENAI_MAX_CHARACTERS;
    http->write = write_members;
    return &http->speaker;
}
