/*
 * GET /client-config: what a client tells its user before the first word, and what it must
 * not exceed: who hears, who coaches, who speaks, where they are, and the limits.
 */
#include "json.h"
#include "names.h"
#include "request_internal.h"

#include <string.h>

#define MAX_DATA_BYTES 8192

static void finish(struct request *request);

const struct endpoint ENDPOINT_CLIENT_CONFIG = {.finish = finish};

/* Without user, port and path (RFC 3986 3.2). */
static struct span host_of(const char *url)
{
    const char *scheme_end = strstr(url, "://");
    const char *host = scheme_end != NULL ? scheme_end + 3 : url;
    const char *at = memchr(host, '@', strcspn(host, "/?#"));

    if (at != NULL)
        host = at + 1;
    if (*host == '[')
        return (struct span){host + 1, strcspn(host + 1, "]/?#")};
    return (struct span){host, strcspn(host, ":/?#")};
}

/* { "name", "host" }, or null where there is none.  No host: words go no further than this
 * service. */
static void write_provider(struct json_writer *json, const char *name, const char *url)
{
    if (name == NULL) {
        json_null(json);
        return;
    }
    json_begin_object(json);
    json_put_string(json, "name", name);
    json_key(json, "host");
    if (url == NULL)
        json_null(json);
    else
        json_span(json, host_of(url));
    json_end_object(json);
}

/* The one that is asked, and who is asked when it fails: all of them may get the words. */
static void write_coaches(struct json_writer *json, const struct coaches *coaches)
{
    json_key(json, "coach");
    write_provider(json, coaches->all[0]->name, coaches->all[0]->url);
    json_put_array(json, "coach_fallbacks");
    for (size_t at = 1; at < coaches->count; at++)
        write_provider(json, coaches->all[at]->name, coaches->all[at]->url);
    json_end_array(json);
}

static void write_transcribers(struct json_writer *json,
                               const struct transcribers *transcribers)
{
    json_key(json, "stt");
    if (transcribers->count == 0)
        json_null(json);
    else
        write_provider(json, transcribers->all[0]->name, transcribers->all[0]->url);
    json_put_array(json, "stt_fallbacks");
    for (size_t at = 1; at < transcribers->count; at++)
        write_provider(json, transcribers->all[at]->name, transcribers->all[at]->url);
    json_end_array(json);
}

/* A question that is refused is the one text of people's that is kept on purpose. */
static void write_study(struct json_writer *json, const struct settings *settings)
{
    json_put_object(json, "study");
    json_key(json, "search_host");
    if (settings->retriever == RETRIEVER_QDRANT)
        json_span(json, host_of(settings->embeddings_base_url));
    else
        json_null(json);
    json_put_integer(json, "refused_questions_days",
                     settings->refusal_log_questions ? settings->refusal_log_days : 0);
    json_end_object(json);
}

static void write_limits(struct json_writer *json, const struct settings *settings)
{
    json_put_object(json, "limits");
    json_put_integer(json, "audio_seconds", settings->max_audio_s);
    json_put_integer(json, "audio_bytes", settings->max_audio_bytes);
    json_put_integer(json, "transcript_chars", settings->max_transcript_chars);
    json_put_integer(json, "session_idle_minutes", settings->session_ttl_minutes);
    json_put_integer(json, "session_hours", settings->session_max_hours);
    json_end_object(json);
}

static void finish(struct request *request)
{
    const struct services *services = request->server->services;
    const struct speaker *speaker = services->speaker;
    struct json_writer json;
    struct buffer data;

    buffer_init(&data, MAX_DATA_BYTES);
    json_writer_init(&json, &data);
    json_begin_object(&json);
    json_put_string(&json, "version", version());
    json_put_boolean(&json, "can_hear", services->transcribers->count > 0);
    json_put_boolean(&json, "screens_answers", services->filter != NULL);
    write_coaches(&json, services->coaches);
    write_transcribers(&json, services->transcribers);
    json_key(&json, "tts");
    write_provider(&json, speaker != NULL ? speaker->name : NULL,
                   speaker != NULL ? speaker->url : NULL);
    write_study(&json, services->settings);
    write_limits(&json, services->settings);
    json_end_object(&json);
    request_succeed(request, &data);
}
