/*
 * Which transcriber the settings come to, and what all vendors' replies are read with.
 */
#include "transcriber_http_internal.h"

#include "json.h"
#include "mem.h"

#include <stdlib.h>

#define WORDS_MAX 16384 /* what a person says in an hour and a half */
#define LONGEST_S (24 * 3600.0)

enum stt_provider transcriber_choice(const struct settings *settings)
{
    if (settings->stt_provider != STT_PROVIDER_AUTO)
        return (enum stt_provider)settings->stt_provider;
    if (!private_text_is_empty(&settings->deepgram_api_key))
        return STT_PROVIDER_DEEPGRAM;
    if (*settings->stt_base_url != '\0' || !private_text_is_empty(&settings->stt_api_key))
        return STT_PROVIDER_OPENAI;
    return private_text_is_empty(&settings->groq_api_key) ? STT_PROVIDER_NONE
                                                          : STT_PROVIDER_GROQ;
}

struct transcriber *transcriber_new(const struct provider_tools *tools,
                                    enum stt_provider vendor,
                                    const struct provider_place *place)
{
    switch (vendor) {
    case STT_PROVIDER_DEEPGRAM: return transcriber_deepgram_new(tools, place);
    case STT_PROVIDER_GROQ:
    case STT_PROVIDER_OPENAI:
        return transcriber_openai_new(tools, place, vendor == STT_PROVIDER_GROQ);
    case STT_PROVIDER_AUTO:
    case STT_PROVIDER_NONE: break;
    }
    return NULL;
}

void transcriber_free(struct transcriber *transcriber)
{
    if (transcriber != NULL)
        transcriber->free(transcriber);
}

void transcript_free(struct transcript *transcript)
{
    if (transcript == NULL)
        return;
    private_text_free(&transcript->text);
    free(transcript->words);
    transcript->words = NULL;
    transcript->word_count = 0;
}

/* ---- for readers of replies ---- */

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

struct private_text transcriber_read_text(struct json_object *object, const char *key)
{
    struct span text = json_member_string(object, key);

    while (text.length > 0 && is_space(text.bytes[text.length - 1]))
        text.length--;
    for (; text.length > 0 && is_space(*text.bytes); text.length--)
        text.bytes++;
    return private_text_copy(text.length > 0 ? text.bytes : "", text.length);
}

double transcriber_read_number(struct json_object *object, const char *key,
                               double missing)
{
    struct json_object *number = json_member(object, key);

    if (!json_object_is_type(number, json_type_double) &&
        !json_object_is_type(number, json_type_int) &&
        !json_object_is_type(number, json_type_string))
        return missing;
    return json_object_get_double(number);
}

int64_t transcriber_ms(double seconds)
{
    if (!(seconds > 0))
        return 0;
    return (int64_t)((seconds < LONGEST_S ? seconds : LONGEST_S) * 1000 + 0.5);
}

void transcriber_read_words(struct json_object *words, struct transcript *transcript)
{
    size_t count;

    if (!json_object_is_type(words, json_type_array))
        return;
    count = json_object_array_length(words);
    if (count > WORDS_MAX)
        count = WORDS_MAX;
    if (count == 0)
        return;
    transcript->words = mem_zalloc(count * sizeof(*transcript->words));
    for (size_t i = 0; i < count; i++) {
        struct json_object *word = json_object_array_get_idx(words, i);
        struct spoken_word *spoken = &transcript->words[i];

        spoken->start_ms = transcriber_ms(transcriber_read_number(word, "start", 0));
        spoken->end_ms = transcriber_ms(transcriber_read_number(word, "end", 0));
        if (spoken->end_ms < spoken->start_ms)
            spoken->end_ms = spoken->start_ms;
    }
    transcript->word_count = count;
}
