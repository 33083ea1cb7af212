/*
 * What an OpenAI-compatible API is asked, as a form with the recording in it, and what it answers
 * (RFC 7578; https://platform.openai.com/docs/api-reference/audio/createTranscription,
 * https://console.groq.com/docs/speech-to-text).
 *
 * The recording moves up in its own buffer to make room for the head of the form, so that
 * there is never a second one.  The fields stand behind it, where they can be exchanged.
 */
#include "transcriber_http_internal.h"

#include "json.h"
#include "private_reveal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPENAI_BASE_URL "https://api.openai.com/v1"
#define OPENAI_MODEL    "whisper-1"
#define GROQ_MODEL      "whisper-large-v3-turbo"

/* Whisper leaves hesitations out unless what it continues has some
 * (https://platform.openai.com/docs/guides/speech-to-text, Prompting). */
#define PROMPT "Um, so, uh, well, I was, like, you know, kind of, hmm, thinking about it."

/* Told apart from the recording by its 122 random bits. */
#define BOUNDARY_PREFIX "poise-"
#define BOUNDARY_BYTES  (sizeof(BOUNDARY_PREFIX) - 1 + sizeof(struct id))

/* What comes back: the text with times and probabilities, or little more than the text.
 */
enum format { FORMAT_VERBOSE, FORMAT_PLAIN };

/* ---- the form ---- */

static void append_field(struct buffer *out, const char *boundary, const char *name,
                         const char *value)
{
    buffer_append_string(out, "--");
    buffer_append_string(out, boundary);
    buffer_append_string(out, "\r\nContent-Disposition: form-data; name=\"");
    buffer_append_string(out, name);
    buffer_append_string(out, "\"\r\n\r\n");
    buffer_append_string(out, value);
    buffer_append_string(out, "\r\n");
}

/* OpenAI's gpt-4o-transcribe and its kin give no times: json is all they have, with the
 * probabilities of tokens on request. */
static enum format format_of(const char *model)
{
    return strstr(model, "transcribe") != NULL ? FORMAT_PLAIN : FORMAT_VERBOSE;
}

static bool has_log_probabilities(const char *model)
{
    return strstr(model, "gpt-4o") != NULL && strstr(model, "transcribe") != NULL &&
           strstr(model, "diarize") == NULL;
}

static void append_fields(struct buffer *out, const char *boundary, const char *model,
                          enum format format)
{
    append_field(out, boundary, "model", model);
    append_field(out, boundary, "prompt", PROMPT);
    switch (format) {
    case FORMAT_VERBOSE:
        append_field(out, boundary, "response_format", "verbose_json");
        append_field(out, boundary, "timestamp_granularities[]", "word");
        append_field(out, boundary, "timestamp_granularities[]", "segment");
        break;
    case FORMAT_PLAIN:
        append_field(out, boundary, "response_format", "json");
        if (has_log_probabilities(model))
            append_field(out, boundary, "include[]", "logprobs");
        break;
    }
    buffer_append_string(out, "--");
    buffer_append_string(out, boundary);
    buffer_append_string(out, "--\r\n");
}

static void append_file_head(struct buffer *out, const char *boundary,
                             enum audio_container container)
{
    buffer_append_string(out, "--");
    buffer_append_string(out, boundary);
    buffer_append_string(out, "\r\nContent-Disposition: form-data; name=\"file\"; "
                              "filename=\"answer.");
    /* Neither OpenAI nor Groq lists "aac", and the extension decides what they take; what is inside
     * their decoder finds out by itself. */
    buffer_append_string(out,
                         audio_extension(container == AUDIO_AAC ? AUDIO_MP4 : container));
    buffer_append_string(out, "\"\r\nContent-Type: ");
    buffer_append_string(out, audio_media_type(container));
    buffer_append_string(out, "\r\n\r\n");
}

/* Puts `head` before and `tail` behind what is in the buffer, in place. */
static void surround(struct buffer *middle, const struct buffer *head,
                     const struct buffer *tail)
{
    size_t extra = head->length + tail->length, length = middle->length;
    char *room;

    if (middle->ceiling < length + extra)
        middle->ceiling = length + extra; /* the form comes on top of the recording */
    room = buffer_reserve(middle, extra);
    assert(room != NULL);
    memmove(middle->bytes + head->length, middle->bytes, length);
    memcpy(middle->bytes, head->bytes, head->length);
    memcpy(room + head->length, tail->bytes, tail->length);
    buffer_advance(middle, extra);
}

static void write_request(const struct transcriber_http *http,
                          struct transcriber_ask *ask,
                          struct transcriber_request *ret_request)
{
    struct id random = id_random();
    char boundary[BOUNDARY_BYTES];
    struct buffer head, tail;

    snprintf(boundary, sizeof(boundary), BOUNDARY_PREFIX "%s", random.text);
    buffer_init(&head, TRANSCRIBER_ROOM_BYTES);
    buffer_init(&tail, TRANSCRIBER_ROOM_BYTES);
    append_file_head(&head, boundary, ask->container);
    buffer_append_string(&tail, "\r\n");
    append_fields(&tail, boundary, http->provider.model, format_of(http->provider.model));
    surround(&ask->recording, &head, &tail);
    buffer_done(&head);
    buffer_done(&tail);

    *ret_request =
        (struct transcriber_request){.body = private_text_take(&ask->recording)};
    snprintf(ret_request->content_type, sizeof(ret_request->content_type),
             "multipart/form-data; boundary=%s", boundary);
}

/* ---- a second try ---- */

static bool mentions(struct span reply, const char *word)
{
    return memmem(reply.bytes, reply.length, word, strlen(word)) != NULL;
}

/* The fields begin behind the last thing that is the recording's: the boundary before
 * "model". */
static size_t fields_offset(struct span body, const char *boundary)
{
    char mark[BOUNDARY_BYTES + 64];
    size_t length = (size_t)snprintf(
        mark, sizeof(mark), "--%s\r\nContent-Disposition: form-data; name=\"model\"",
        boundary);
    const char *at = memmem(body.bytes, body.length, mark, length);

    return at != NULL ? (size_t)(at - body.bytes) : 0;
}

/* A server that does not know the long format says so; a recording that it does not like
 * is none of that. */
static bool rewrite_request(const struct transcriber_http *http, struct span reply,
                            struct private_text *body)
{
    struct span sent = private_reveal(body);
    char boundary[BOUNDARY_BYTES];
    struct buffer out;
    size_t offset;

    if (format_of(http->provider.model) != FORMAT_VERBOSE ||
        (!mentions(reply, "response_format") && !mentions(reply, "verbose_json") &&
         !mentions(reply, "timestamp_granularities")))
        return false;
    snprintf(boundary, sizeof(boundary), "%.*s", (int)BOUNDARY_BYTES - 1, sent.bytes + 2);
    offset = fields_offset(sent, boundary);
    if (offset == 0)
        return false;
    buffer_init(&out, sent.length + TRANSCRIBER_ROOM_BYTES);
    buffer_append(&out, sent.bytes, offset);
    append_fields(&out, boundary, http->provider.model, FORMAT_PLAIN);
    private_text_free(body);
    *body = private_text_take(&out);
    return true;
}

/* ---- the reply ---- */

/*
 * https://platform.openai.com/docs/api-reference/audio/verbose-json-object
 *
 *   { "text": "", "duration": s, "words": [ { "word": "", "start": s, "end": s } ],
 *     "segments": [ { "start": s, "end": s, "avg_logprob": n, "no_speech_prob": 0-1 } ],
 *     "logprobs": [ { "logprob": n } ] }
 *
 * All but the text may be missing.
 */

/* Whisper takes a segment for silence where both of these hold (openai/whisper,
 * transcribe.py: no_speech_threshold and logprob_threshold), and what it makes up for
 * silence, "Thank you.", mostly at least comes with the third. */
#define NO_SPEECH_LIKELY  0.6
#define LOGPROB_POOR      (-1.0)
#define NO_SPEECH_CERTAIN 0.9

struct segments {
    double seconds;   /* of all */
    double certainty; /* of each, weighed by its seconds */
    size_t count;
    size_t silent_count;
};

static void add_segment(struct segments *segments, struct json_object *segment)
{
    double no_speech = transcriber_read_number(segment, "no_speech_prob", 0);
    double logprob = transcriber_read_number(segment, "avg_logprob", NAN);
    double seconds = transcriber_read_number(segment, "end", 0) -
                     transcriber_read_number(segment, "start", 0);

    segments->count++;
    if (no_speech > NO_SPEECH_CERTAIN ||
        (no_speech > NO_SPEECH_LIKELY && logprob < LOGPROB_POOR))
        segments->silent_count++;
    if (!(seconds > 0) || !(logprob <= 0) || !(no_speech >= 0 && no_speech <= 1))
        return;
    segments->seconds += seconds;
    segments->certainty += seconds * exp(logprob) * (1 - no_speech);
}

static double mean_probability(struct json_object *logprobs)
{
    size_t count = json_object_is_type(logprobs, json_type_array)
                       ? json_object_array_length(logprobs)
                       : 0;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += transcriber_read_number(json_object_array_get_idx(logprobs, i), "logprob",
                                       NAN);
    return count > 0 && sum <= 0 ? exp(sum / (double)count) : -1;
}

static enum error read_reply(struct json_object *reply, struct transcript *transcript)
{
    struct json_object *list = json_member(reply, "segments");
    struct segments segments = {.count = 0};
    double duration_s = transcriber_read_number(reply, "duration", -1);

    if (json_member_string(reply, "text").bytes == NULL)
        return ERROR_STT_PROVIDER_ERROR;
    transcript->text = transcriber_read_text(reply, "text");
    if (duration_s >= 0)
        transcript->duration_ms = transcriber_ms(duration_s);
    transcriber_read_words(json_member(reply, "words"), transcript);

    if (json_object_is_type(list, json_type_array))
        for (size_t i = 0; i < json_object_array_length(list); i++)
            add_segment(&segments, json_object_array_get_idx(list, i));
    if (segments.count > 0 && segments.silent_count == segments.count)
        return ERROR_STT_EMPTY_TRANSCRIPT;
    transcript->confidence = segments.seconds > 0
                                 ? segments.certainty / segments.seconds
                                 : mean_probability(json_member(reply, "logprobs"));
    return OK;
}

struct transcriber *transcriber_openai_new(const struct provider_tools *tools,
                                           const struct provider_place *place,
                                           bool is_groq)
{
    const struct settings *settings = tools->settings;
    bool has_own_key = !private_text_is_empty(place->key) || !is_groq;
    const char *base =
        provider_or(place->base_url, is_groq ? settings->groq_base_url : OPENAI_BASE_URL);
    const char *model = provider_or(place->model, is_groq ? GROQ_MODEL : OPENAI_MODEL);
    struct transcriber_http *http =
        transcriber_http_new(tools, is_groq ? "groq" : "openai", model,
                             provider_url(base, "/audio/transcriptions", "", ""));

    http->provider.probe_url = provider_url(base, "/models/", model, "");
    http->provider.is_probe_optional = *place->base_url != '\0';
    http->provider.authorization = provider_authorization(
        "Bearer", has_own_key ? place->key : &settings->groq_api_key);
    http->write = write_request;
    http->rewrite = rewrite_request;
    http->read = read_reply;
    return &http->transcriber;
}
