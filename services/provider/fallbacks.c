#include "fallbacks.h"

#include "coach_groq.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* Another coach's settings: the same but for who is asked.  What it does not own it
 * borrows from the settings. */
static struct settings *variant_of(const struct settings *settings)
{
    struct settings *variant = MEM_NEW(struct settings);

    *variant = *settings;
    return variant;
}

static void add_coach(struct coaches *coaches, const struct settings *settings,
                      struct span entry, struct call_pool *pool, struct log *log,
                      struct metrics *metrics)
{
    struct settings *variant = variant_of(settings);
    const char *at = memchr(entry.bytes, '@', entry.length);
    size_t model_length = at != NULL ? (size_t)(at - entry.bytes) : entry.length;

    variant->llm_model = mem_copy(entry.bytes, model_length);
    variant->groq_base_url =
        at != NULL ? mem_copy(at + 1, entry.length - model_length - 1)
                   : mem_copy(settings->groq_base_url, strlen(settings->groq_base_url));
    if (at != NULL)
        variant->groq_api_key = settings->llm_fallback_api_key;
    coaches->variants[coaches->count] = variant;
    coaches->all[coaches->count++] =
        coach_groq_new(variant, at != NULL ? "LLM_FALLBACK_API_KEY" : "GROQ_API_KEY",
                       pool, log, metrics);
}

bool coaches_begin_builtin(const struct settings *settings)
{
    return settings->llm_provider == LLM_PROVIDER_BUILTIN ||
           (settings->llm_provider == LLM_PROVIDER_AUTO &&
            private_text_is_empty(&settings->groq_api_key));
}

void coaches_init(struct coaches *coaches, const struct settings *settings,
                  struct loop *loop, struct call_pool *pool, struct log *log,
                  struct metrics *metrics, new_builtin_fn *new_builtin)
{
    const char *rest = settings->llm_fallbacks;
    struct span entry;

    *coaches = (struct coaches){0};
    coaches->all[coaches->count++] =
        coaches_begin_builtin(settings)
            ? new_builtin(loop)
            : coach_groq_new(settings, "GROQ_API_KEY", pool, log, metrics);
    while (coaches->count <= FALLBACKS_MOST && settings_next_entry(&rest, &entry))
        if (span_equals(entry, "builtin"))
            coaches->all[coaches->count++] = new_builtin(loop);
        else
            add_coach(coaches, settings, entry, pool, log, metrics);
}

void coaches_done(struct coaches *coaches)
{
    for (size_t i = 0; i < coaches->count; i++) {
        struct settings *variant = coaches->variants[i];

        coach_free(coaches->all[i]);
        if (variant == NULL)
            continue;
        free(variant->llm_model);
        free(variant->groq_base_url);
        free(variant);
    }
    *coaches = (struct coaches){0};
}

static enum stt_provider stt_provider_named(struct span name)
{
    if (span_equals(name, "deepgram"))
        return STT_PROVIDER_DEEPGRAM;
    return span_equals(name, "groq") ? STT_PROVIDER_GROQ : STT_PROVIDER_OPENAI;
}

/* STT_MODEL is the first one's; so are STT_BASE_URL and STT_API_KEY, but for Deepgram,
 * which has no use for them: then they are openai's. */
static void become(struct settings *variant, enum stt_provider first,
                   enum stt_provider provider)
{
    variant->stt_provider = (int)provider;
    if (provider == first)
        return;
    variant->stt_model = "";
    if (first == STT_PROVIDER_DEEPGRAM && provider == STT_PROVIDER_OPENAI)
        return;
    variant->stt_base_url = "";
    variant->stt_api_key = (struct private_text){NULL, 0};
}

void transcribers_init(struct transcribers *transcribers, const struct settings *settings,
                       struct call_pool *pool, struct log *log, struct metrics *metrics)
{
    const char *rest = settings->stt_fallbacks;
    struct transcriber *first = transcriber_new(settings, pool, log, metrics);
    struct span entry;

    *transcribers = (struct transcribers){0};
    if (first == NULL)
        return;
    transcribers->all[transcribers->count++] = first;
    while (transcribers->count <= FALLBACKS_MOST && settings_next_entry(&rest, &entry)) {
        struct settings *variant = variant_of(settings);

        become(variant, transcriber_choice(settings), stt_provider_named(entry));
        transcribers->variants[transcribers->count] = variant;
        transcribers->all[transcribers->count++] =
            transcriber_new(variant, pool, log, metrics);
    }
}

void transcribers_done(struct transcribers *transcribers)
{
    for (size_t i = 0; i < transcribers->count; i++) {
        transcriber_free(transcribers->all[i]);
        free(transcribers->variants[i]);
    }
    *transcribers = (struct transcribers){0};
}

bool fallback_helps(enum error error)
{
    switch (error) {
    case ERROR_LLM_TIMEOUT:
    case ERROR_LLM_RATE_LIMIT:
    case ERROR_LLM_AUTH_ERROR:
    case ERROR_LLM_MODEL_NOT_FOUND:
    case ERROR_LLM_BAD_REQUEST:
    case ERROR_LLM_PROVIDER_ERROR:
    case ERROR_NULL_RESPONSE:
    case ERROR_EMPTY_RESPONSE:
    case ERROR_STT_TIMEOUT:
    case ERROR_STT_RATE_LIMIT:
    case ERROR_STT_AUTH_ERROR:
    case ERROR_STT_PROVIDER_ERROR: return true;
    default: return false; /* of the table's many other rows */
    }
}
