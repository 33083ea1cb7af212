/*
 * What Deepgram is asked and what it answers
 * (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded).
 *
 * The recording is the body as it is: nothing is copied.
 */
#include "transcriber_http_internal.h"

#include "json.h"

#include <string.h>

#define STANDARD_MODEL "nova-3"

/* Fillers are left in, which nova, nova-2 and nova-3 can do for English
 * (https://developers.deepgram.com/docs/filler-words); what was said is not masked
 * (https://developers.deepgram.com/docs/profanity-filter). */
#define OPTIONS                                           \
    "&smart_format=true&punctuate=true&filler_words=true" \
    "&profanity_filter=false"

static void write_request(const struct transcriber_http *http,
                          struct transcriber_ask *ask,
                          struct transcriber_request *ret_request)
{
    (void)http;
    *ret_request =
        (struct transcriber_request){.body = private_text_take(&ask->recording)};
    strcpy(ret_request->content_type, audio_media_type(ask->container));
}

static struct json_object *first(struct json_object *object, const char *key)
{
    struct json_object *array = json_member(object, key);

    return json_object_is_type(array, json_type_array)
               ? json_object_array_get_idx(array, 0)
               : NULL;
}

/* { "metadata": { "duration": s },
 *   "results": { "channels": [ { "alternatives": [ { "transcript": "", "confidence": 0-1,
 *     "words": [ { "start": s, "end": s, ... } ] } ] } ] } }
 * Silence is a transcript of "". */
static enum error read_reply(struct json_object *reply, struct transcript *transcript)
{
    struct json_object *channel = first(json_member(reply, "results"), "channels");
    struct json_object *best = first(channel, "alternatives");
    double duration_s =
        transcriber_read_number(json_member(reply, "metadata"), "duration", -1);

    if (json_member_string(best, "transcript").bytes == NULL)
        return ERROR_STT_PROVIDER_ERROR;
    transcript->text = transcriber_read_text(best, "transcript");
    transcript->confidence = transcriber_read_number(best, "confidence", -1);
    if (!(transcript->confidence >= 0 && transcript->confidence <= 1))
        transcript->confidence = -1;
    if (duration_s >= 0)
        transcript->duration_ms = transcriber_ms(duration_s);
    transcriber_read_words(json_member(best, "words"), transcript);
    return OK;
}

struct transcriber *transcriber_deepgram_new(const struct provider_tools *tools,
                                             const struct provider_place *place)
{
    const struct settings *settings = tools->settings;
    const char *base = settings->deepgram_base_url;
    const char *model = provider_or(place->model, STANDARD_MODEL);
    struct transcriber_http *http =
        transcriber_http_new(tools, "deepgram", model,
                             provider_url(base, "/v1/listen?model=", model, OPTIONS));

    http->provider.probe_url = provider_url(base, "/v1/auth/token", "", "");
    http->provider.authorization =
        provider_authorization("Token", &settings->deepgram_api_key);
    http->write = write_request;
    http->read = read_reply;
    return &http->transcriber;
}
