/*
 * Which speaker the settings come to.
 */
#include "speaker.h"

#include "speaker_deepgram.h"
#include "speaker_espeak.h"
#include "speaker_openai.h"

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

struct speaker *speaker_new(const struct settings *settings, struct loop *loop,
                            struct call_pool *pool, struct log *log,
                            struct metrics *metrics)
{
    enum tts_provider choice = speaker_choice(settings);

    switch (choice) {
    case TTS_PROVIDER_DEEPGRAM:
        return speaker_deepgram_new(settings, loop, pool, log, metrics);
    case TTS_PROVIDER_GROQ:
    case TTS_PROVIDER_OPENAI:
        return speaker_openai_new(settings, choice == TTS_PROVIDER_GROQ, loop, pool, log,
                                  metrics);
    case TTS_PROVIDER_ESPEAK:
        return speaker_espeak_new(settings, "espeak-ng", loop, log, metrics);
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
