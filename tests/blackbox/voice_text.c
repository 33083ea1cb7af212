/*
 * What Deepgram and Whisper answer, with every member that their documentation shows.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "voice.h"

enum { WORD_MS = 300, GAP_MS = 100, LEAD_IN_MS = 480 };

typedef void add_word_fn(struct json_object *list, const char *word, double start_s,
                         double end_s);

static void add_number(struct json_object *json, const char *name, double value)
{
    json_object_object_add(json, name, json_object_new_double(value));
}

static void add_text(struct json_object *json, const char *name, const char *value)
{
    json_object_object_add(json, name, json_object_new_string(value));
}

static char *printed(struct json_object *json)
{
    char *text = strdup(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));

    json_object_put(json);
    cr_assert_not_null(text);
    return text;
}

/* Returns when the last word ends. */
static double add_words(struct json_object *list, struct heard heard, add_word_fn *add)
{
    char *text = strdup(heard.text);
    char *rest = NULL;
    int start_ms = LEAD_IN_MS;

    for (char *word = strtok_r(text, " ", &rest), *next; word; word = next) {
        next = strtok_r(NULL, " ", &rest);
        add(list, word, start_ms / 1000.0, (start_ms + WORD_MS) / 1000.0);
        bool is_before_last = next && *rest == '\0';
        start_ms +=
            WORD_MS + (is_before_last && heard.pause_ms ? heard.pause_ms : GAP_MS);
    }
    free(text);
    return (start_ms - GAP_MS) / 1000.0;
}

static void add_deepgram_word(struct json_object *list, const char *word, double start_s,
                              double end_s)
{
    struct json_object *json = json_object_new_object();

    add_text(json, "word", word);
    add_number(json, "start", start_s);
    add_number(json, "end", end_s);
    add_number(json, "confidence", 0.97);
    add_text(json, "punctuated_word", word);
    json_object_array_add(list, json);
}

static struct json_object *deepgram_results(struct heard heard, double *ret_duration_s)
{
    struct json_object *results = json_object_new_object();
    struct json_object *channels = json_object_new_array();
    struct json_object *channel = json_object_new_object();
    struct json_object *alternatives = json_object_new_array();
    struct json_object *alternative = json_object_new_object();
    struct json_object *list = json_object_new_array();

    *ret_duration_s = 0.5 + add_words(list, heard, add_deepgram_word);
    add_text(alternative, "transcript", heard.text);
    add_number(alternative, "confidence",
               heard.confidence != 0 ? heard.confidence : 0.98);
    json_object_object_add(alternative, "words", list);
    json_object_array_add(alternatives, alternative);
    json_object_object_add(channel, "alternatives", alternatives);
    json_object_array_add(channels, channel);
    json_object_object_add(results, "channels", channels);
    return results;
}

char *deepgram_text(struct heard heard)
{
    struct json_object *json = json_object_new_object();
    struct json_object *metadata = json_object_new_object();
    double duration_s;
    struct json_object *results = deepgram_results(heard, &duration_s);

    add_text(metadata, "transaction_key", "deprecated");
    add_text(metadata, "request_id", "4b1a9a5e-1d0e-4a52-9b3c-1f2d3c4b5a69");
    add_text(metadata, "created", "2026-11-20T12:00:00.000Z");
    add_number(metadata, "duration", duration_s);
    json_object_object_add(metadata, "channels", json_object_new_int(1));
    json_object_object_add(json, "metadata", metadata);
    json_object_object_add(json, "results", results);
    return printed(json);
}

static void add_whisper_word(struct json_object *list, const char *word, double start_s,
                             double end_s)
{
    struct json_object *json = json_object_new_object();

    add_text(json, "word", word);
    add_number(json, "start", start_s);
    add_number(json, "end", end_s);
    json_object_array_add(list, json);
}

static struct json_object *whisper_segment(struct heard heard, double end_s)
{
    struct json_object *json = json_object_new_object();

    json_object_object_add(json, "id", json_object_new_int(0));
    json_object_object_add(json, "seek", json_object_new_int(0));
    add_number(json, "start", 0);
    add_number(json, "end", end_s);
    add_text(json, "text", heard.text);
    json_object_object_add(json, "tokens", json_object_new_array());
    add_number(json, "temperature", 0);
    add_number(json, "avg_logprob",
               heard.log_probability != 0 ? heard.log_probability : -0.1);
    add_number(json, "compression_ratio", 1.4);
    add_number(json, "no_speech_prob", heard.no_speech);
    return json;
}

char *whisper_text(struct heard heard)
{
    struct json_object *json = json_object_new_object();
    struct json_object *list = json_object_new_array();
    struct json_object *segments = json_object_new_array();
    double end_s = add_words(list, heard, add_whisper_word);

    json_object_array_add(segments, whisper_segment(heard, end_s));
    if (!heard.is_bare) {
        add_text(json, "task", "transcribe");
        add_text(json, "language", "English");
        add_number(json, "duration", end_s + 0.5);
        json_object_object_add(json, "words", json_object_get(list));
        json_object_object_add(json, "segments", json_object_get(segments));
    }
    add_text(json, "text", heard.text);
    json_object_put(list);
    json_object_put(segments);
    return printed(json);
}

void deepgram_will_hear(struct world *world, struct heard heard)
{
    char *text = deepgram_text(heard);

    upstream_will_hear(world->upstream, (struct saying){.body = text});
    free(text);
}

void whisper_will_hear(struct world *world, struct heard heard)
{
    char *text = whisper_text(heard);

    upstream_will_hear(world->upstream, (struct saying){.body = text});
    free(text);
}

static struct saying saying_of(struct audio audio)
{
    return (struct saying){
        .body = audio.bytes, .body_size = audio.size, .type = audio.type};
}

void will_speak(struct world *world, struct audio audio)
{
    upstream_will_speak(world->upstream, saying_of(audio));
}

void always_speaks(struct world *world, struct audio audio)
{
    upstream_always_as(world->upstream, ROLE_SPEAKING, saying_of(audio));
}
