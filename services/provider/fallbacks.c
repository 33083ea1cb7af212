/*
 * The coaches and transcribers that the settings name, each made with what is its own of them.
 */
#include "fallbacks.h"

#include "coach_http_internal.h"
#include "mem.h"
#include "transcriber_http_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- coaches ---- */

static enum llm_provider coach_choice(const struct settings *settings)
{
    if (settings->llm_provider != LLM_PROVIDER_AUTO)
        return (enum llm_provider)settings->llm_provider;
    if (!private_text_is_empty(&settings->groq_api_key))
        return LLM_PROVIDER_GROQ;
    return private_text_is_empty(&settings->anthropic_api_key) ? LLM_PROVIDER_BUILTIN
                                                               : LLM_PROVIDER_ANTHROPIC;
}

static struct coach *new_groq(const struct provider_tools *tools, const char *model)
{
    const struct provider_place place = {.base_url = tools->settings->groq_base_url,
                                         .model = model,
                                         .key = &tools->settings->groq_api_key,
                                         .key_setting = "GROQ_API_KEY"};

    return coach_http_new(&coach_groq, tools, &place);
}

static struct coach *new_anthropic(const struct provider_tools *tools)
{
    const struct provider_place place = {.base_url = tools->settings->anthropic_base_url,
                                         .model = tools->settings->anthropic_model,
                                         .key = &tools->settings->anthropic_api_key,
                                         .key_setting = "ANTHROPIC_API_KEY"};

    return coach_http_new(&coach_anthropic, tools, &place);
}

/* "model" or "model@url". */
static struct coach *new_model(const struct provider_tools *tools, struct span entry)
{
    char *model = mem_copy(entry.bytes, entry.length);
    char *at = strchr(model, '@');
    struct provider_place place = {.model = model,
                                   .key = &tools->settings->llm_fallback_api_key,
                                   .key_setting = "LLM_FALLBACK_API_KEY"};
    struct coach *coach;

    if (at != NULL) {
        *at = '\0';
        place.base_url = at + 1;
    }
    coach =
        at != NULL ? coach_http_new(&coach_groq, tools, &place) : new_groq(tools, model);
    free(model);
    return coach;
}

static struct coach *new_first(const struct provider_tools *tools,
                               new_builtin_fn *new_builtin)
{
    switch (coach_choice(tools->settings)) {
    case LLM_PROVIDER_GROQ: return new_groq(tools, tools->settings->llm_model);
    case LLM_PROVIDER_ANTHROPIC: return new_anthropic(tools);
    case LLM_PROVIDER_AUTO:
    case LLM_PROVIDER_BUILTIN: break;
    }
    return new_builtin(call_pool_loop(tools->pool));
}

void coaches_init(struct coaches *coaches, const struct provider_tools *tools,
                  new_builtin_fn *new_builtin)
{
    const char *rest = tools->settings->llm_fallbacks;
    struct span entry;

    *coaches = (struct coaches){.all = {new_first(tools, new_builtin)}, .count = 1};
    while (coaches->count <= FALLBACKS_MOST && settings_next_entry(&rest, &entry)) {
        struct coach **next = &coaches->all[coaches->count++];

        if (span_equals(entry, "builtin"))
            *next = new_builtin(call_pool_loop(tools->pool));
        else if (span_equals(entry, "anthropic"))
            *next = new_anthropic(tools);
        else
            *next = new_model(tools, entry);
    }
}

void coaches_done(struct coaches *coaches)
{
    for (size_t i = 0; i < coaches->count; i++)
        coach_free(coaches->all[i]);
    *coaches = (struct coaches){0};
}

/* ---- transcribers ---- */

static enum stt_provider stt_provider_named(struct span name)
{
    if (span_equals(name, "deepgram"))
        return STT_PROVIDER_DEEPGRAM;
    return span_equals(name, "groq") ? STT_PROVIDER_GROQ : STT_PROVIDER_OPENAI;
}

/* STT_MODEL is the first one's; so are STT_BASE_URL and STT_API_KEY, but for Deepgram,
 * which has no use for them: then they are openai's. */
static struct provider_place place_of(const struct settings *settings,
                                      enum stt_provider first, enum stt_provider vendor)
{
    static const struct private_text no_key;
    struct provider_place place = {.base_url = "", .model = "", .key = &no_key};

    if (vendor == first)
        place.model = settings->stt_model;
    if (vendor == first ||
        (first == STT_PROVIDER_DEEPGRAM && vendor == STT_PROVIDER_OPENAI)) {
        place.base_url = settings->stt_base_url;
        place.key = &settings->stt_api_key;
    }
    return place;
}

static void add_transcriber(struct transcribers *transcribers,
                            const struct provider_tools *tools, enum stt_provider vendor)
{
    const struct provider_place place =
        place_of(tools->settings, transcriber_choice(tools->settings), vendor);

    transcribers->all[transcribers->count++] = transcriber_new(tools, vendor, &place);
}

void transcribers_init(struct transcribers *transcribers,
                       const struct provider_tools *tools)
{
    enum stt_provider first = transcriber_choice(tools->settings);
    const char *rest = tools->settings->stt_fallbacks;
    struct span entry;

    *transcribers = (struct transcribers){0};
    if (first == STT_PROVIDER_NONE)
        return;
    add_transcriber(transcribers, tools, first);
    while (transcribers->count <= FALLBACKS_MOST && settings_next_entry(&rest, &entry))
        add_transcriber(transcribers, tools, stt_provider_named(entry));
}

void transcribers_done(struct transcribers *transcribers)
{
    for (size_t i = 0; i < transcribers->count; i++)
        transcriber_free(transcribers->all[i]);
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
