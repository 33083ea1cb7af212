/*
 * Which speaker the settings come to.
 */
#include "speaker.h"

#include "speaker_espeak_internal.h"
#include "speaker_http_internal.h"

enum tts_provider speaker_choice(const struct settings *settings)
{
    if (settings->tts_provider != TTS_PROVIDER_AUTO)
        return (enum tts_provider)settings->tts_provider;
    if (!private_text_is_empty(&settings->deepgram_api_key))
        return TTS_PROVIDER_DEEPGRAM;
    if (*settings->tts_base_url != '\0' || !private_text_is_empty(&settings->tts_api_key))
        return TTS_PROVIDER_OPENAI;
    if (!private_text_is_empty(&settings->groq_api_key))
        return TTS_PROVIDER_GROQ;
    return speaker_espeak_is_installed() ? TTS_PROVIDER_ESPEAK : TTS_PROVIDER_NONE;
}

struct speaker *speaker_new(const struct provider_tools *tools)
{
    enum tts_provider choice = speaker_choice(tools->settings);

    switch (choice) {
    case TTS_PROVIDER_DEEPGRAM: return speaker_deepgram_new(tools);
    case TTS_PROVIDER_GROQ:
    case TTS_PROVIDER_OPENAI:
        return speaker_openai_new(tools, choice == TTS_PROVIDER_GROQ);
    case TTS_PROVIDER_ESPEAK: return speaker_espeak_new(tools, "espeak-ng");
    case TTS_PROVIDER_AUTO:
    case TTS_PROVIDER_NONE: break;
    }
    return NULL;
}

void speaker_free(struct speaker *speaker)
{
    if (speaker != NULL)
        speaker->free(speaker);
}
