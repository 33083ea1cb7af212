/*
 * What an OpenAI-compatible transcription answers
 * (https://platform.openai.com/docs/api-reference/audio/verbose-json-object,
 * https://console.groq.com/docs/speech-to-text).
 *
 *   { "text": "", "duration": s, "words": [ { "word": "", "start": s, "end": s } ],
 *     "segments": [ { "start": s, "end": s, "avg_logprob": n, "no_speech_prob": 0-1 } ],
 *     "logprobs": [ { "logprob": n } ] }
 *
 * All but the text may be missing.
 */
#include "transcriber_openai_internal.h"

#include "json.h"

#include <math.h>

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

enum error transcriber_openai_read(struct json_object *reply,
                                   struct transcript *transcript)
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
