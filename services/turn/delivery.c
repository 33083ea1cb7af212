/*
 * Pace, pauses and fillers of an answer, measured and written down.
 */
#include "delivery_internal.h"

#include "private_reveal.h"
#include "words.h"

#define MINUTE_MS     60000
#define LONG_PAUSE_MS 1000
#define MARKS_MOST    100

static int64_t longest_pause_ms(const struct transcript *transcript)
{
    int64_t longest = 0, end = transcript->words[0].end_ms;

    for (size_t i = 1; i < transcript->word_count; i++) {
        const struct spoken_word *word = &transcript->words[i];

        if (word->start_ms - end > longest)
            longest = word->start_ms - end;
        if (word->end_ms > end)
            end = word->end_ms;
    }
    return longest;
}

/* The silence before and behind is not part of the pace: it is the recorder's. */
static int64_t words_per_minute(const struct transcript *transcript)
{
    int64_t start = transcript->words[0].start_ms;
    int64_t end = transcript->words[transcript->word_count - 1].end_ms;

    if (end <= start)
        return -1;
    return ((int64_t)transcript->word_count * MINUTE_MS + (end - start) / 2) /
           (end - start);
}

struct spoken delivery_spoken(const struct transcript *transcript)
{
    struct spoken spoken = SPOKEN_UNKNOWN;

    spoken.confidence = transcript->confidence;
    if (transcript->word_count > 0) {
        spoken.words_per_minute = words_per_minute(transcript);
        spoken.longest_pause_ms = longest_pause_ms(transcript);
    }
    return spoken;
}

/* "sort of" is one filler of two words. */
static size_t words_in_fillers(const struct fillers *fillers)
{
    size_t count = 0;

    for (size_t i = 0; i < FILLERS_MAX && fillers->top[i].count > 0; i++)
        count += fillers->top[i].count * words_count(span_of(fillers->top[i].word));
    return count;
}

void delivery_measure(const struct filler_counter *counter,
                      const struct private_text *text, struct spoken spoken,
                      struct answer_delivery *ret_delivery)
{
    struct answer_delivery delivery = {.spoken = spoken};

    delivery.word_count = words_count(private_reveal(text));
    filler_counter_count(counter, private_reveal(text), &delivery.fillers);
    delivery.is_too_short =
        delivery.word_count < words_in_fillers(&delivery.fillers) + DELIVERY_MIN_WORDS;
    delivery.is_low_confidence =
        spoken.confidence >= 0 && spoken.confidence < DELIVERY_MIN_CONFIDENCE;
    *ret_delivery = delivery;
}

/* ---- as text ---- */

static void write_known(struct json_writer *writer, const char *key, int64_t number)
{
    json_key(writer, key);
    if (number >= 0)
        json_integer(writer, number);
    else
        json_null(writer);
}

static void write_mark(struct json_writer *writer, const char *filler, int64_t start_ms,
                       int64_t end_ms)
{
    json_begin_object(writer);
    json_put_string(writer, "filler", filler);
    json_put_integer(writer, "start_ms", start_ms);
    json_put_integer(writer, "end_ms", end_ms);
    json_end_object(writer);
}

static void write_marks(struct json_writer *writer, const struct fillers *fillers,
                        const struct spoken_word *words, size_t word_count)
{
    size_t marks = 0, at = 0;

    json_put_array(writer, "marks");
    for (size_t i = 0; i < word_count && marks < MARKS_MOST; i++) {
        if (i > 0 && words[i].start_ms - words[i - 1].end_ms >= LONG_PAUSE_MS) {
            write_mark(writer, NULL, words[i - 1].end_ms, words[i].start_ms);
            marks++;
        }
        for (; at < fillers->place_count && fillers->places[at].words_before == i; at++) {
            size_t last = i + words_count(span_of(fillers->places[at].word)) - 1;

            if (last >= word_count)
                last = word_count - 1;
            write_mark(writer, fillers->places[at].word, words[i].start_ms,
                       words[last].end_ms);
            marks++;
        }
    }
    json_end_array(writer);
}

void delivery_write(struct json_writer *writer, const struct answer_delivery *delivery,
                    const struct spoken_word *words, size_t word_count)
{
    const struct filler_tally *tallies = delivery->fillers.top;

    json_begin_object(writer);
    json_put_integer(writer, "word_count", (int64_t)delivery->word_count);
    json_put_integer(writer, "filler_count", (int64_t)delivery->fillers.count);
    json_put_object(writer, "fillers");
    for (size_t i = 0; i < FILLERS_MAX && tallies[i].count > 0; i++) {
        json_put_integer(writer, tallies[i].word, (int64_t)tallies[i].count);
    }
    json_end_object(writer);
    write_known(writer, "words_per_minute", delivery->spoken.words_per_minute);
    write_known(writer, "longest_pause_ms", delivery->spoken.longest_pause_ms);
    json_key(writer, "stt_confidence");
    if (delivery->spoken.confidence >= 0)
        json_decimal(writer, delivery->spoken.confidence, 2);
    else
        json_null(writer);
    if (words != NULL && word_count == delivery->word_count) {
        write_marks(writer, &delivery->fillers, words, word_count);
    } else {
        json_key(writer, "marks");
        json_null(writer);
    }
    json_end_object(writer);
}

static void describe_fillers(struct buffer *out, const struct fillers *fillers)
{
    buffer_append_number(out, (int64_t)fillers->count);
    buffer_append_string(out, fillers->count == 1 ? " filler" : " fillers");
    for (size_t i = 0; i < FILLERS_MAX && fillers->top[i].count > 0; i++) {
        buffer_append_string(out, i == 0 ? " (" : ", ");
        buffer_append_string(out, fillers->top[i].word);
        buffer_append_char(out, ' ');
        buffer_append_number(out, (int64_t)fillers->top[i].count);
    }
    if (fillers->count > 0)
        buffer_append_char(out, ')');
}

void delivery_describe(struct buffer *out, const struct answer_delivery *delivery)
{
    const struct spoken *spoken = &delivery->spoken;

    buffer_append_string(out, "Measured: ");
    buffer_append_number(out, (int64_t)delivery->word_count);
    buffer_append_string(out, delivery->word_count == 1 ? " word, " : " words, ");
    describe_fillers(out, &delivery->fillers);
    if (spoken->words_per_minute >= 0) {
        buffer_append_string(out, ", ");
        buffer_append_number(out, spoken->words_per_minute);
        buffer_append_string(out, " words per minute");
    }
    if (spoken->longest_pause_ms >= 0) {
        buffer_append_string(out, ", longest pause ");
        buffer_append_number(out, spoken->longest_pause_ms / 1000);
        buffer_append_char(out, '.');
        buffer_append_number(out, spoken->longest_pause_ms % 1000 / 100);
        buffer_append_string(out, " s");
    }
    buffer_append_char(out, '.');
}
