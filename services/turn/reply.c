/*
 * What the model wrote, read and judged: the reply to an answer, in one scan, as it comes; and the
 * summary of a session.
 */
#include "reply_internal.h"

#include "json.h"
#include "model_json.h"
#include "private_reveal.h"
#include "utf8.h"
#include "words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES (64 * 1024) /* of one unescaped text: far more than is shown */

static const char *const labels[DIMENSION_COUNT] = {
    [DIMENSION_CLARITY] = "Clarity",
    [DIMENSION_RELEVANCE] = "Relevance",
    [DIMENSION_STRUCTURE] = "Structure",
    [DIMENSION_FILLER_WORDS] = "Filler Words",
};

enum place {
    WHOLE,
    REFUSED,
    KIND,
    QUESTION,
    FEEDBACK,
    DIMENSIONS,
    SUMMARY_TIP,
    ENTRY,
    LABEL,
    SCORE,
    TIP,
    QUOTE
};

static const struct json_place places[] = {
    [WHOLE] = {WHOLE, ""},
    [REFUSED] = {WHOLE, "refused"},
    [KIND] = {WHOLE, "kind"},
    [QUESTION] = {WHOLE, "follow_up_question"},
    [FEEDBACK] = {WHOLE, "coaching_feedback"},
    [DIMENSIONS] = {FEEDBACK, "dimensions"},
    [SUMMARY_TIP] = {FEEDBACK, "summary_tip"},
    [ENTRY] = {DIMENSIONS, "*"},
    [LABEL] = {ENTRY, "label"},
    [SCORE] = {ENTRY, "score"},
    [TIP] = {ENTRY, "tip"},
    [QUOTE] = {ENTRY, "quote"},
};

const char *dimension_label(enum dimension dimension)
{
    return labels[dimension];
}

const char *dimension_key(enum dimension dimension)
{
    static const char *const keys[DIMENSION_COUNT] = {
        [DIMENSION_CLARITY] = "clarity",
        [DIMENSION_RELEVANCE] = "relevance",
        [DIMENSION_STRUCTURE] = "structure",
        [DIMENSION_FILLER_WORDS] = "filler_words",
    };

    return keys[dimension];
}

static bool is_null(enum json_token kind, struct span value)
{
    return kind == JSON_WORD && span_equals(value, "null");
}

/* What a string means; the buffer holds it where that is not how it is written.  Nothing where it
 * is no string, or no text. */
static struct span meaning(enum json_token kind, struct span value, struct buffer *room)
{
    buffer_init(room, TEXT_BYTES);
    if (kind != JSON_STRING)
        return (struct span){"", 0};
    if (memchr(value.bytes, '\\', value.length) != NULL) {
        json_unescape(value, room);
        value = (struct span){room->bytes, room->length};
    }
    return utf8_is_valid(value.bytes, value.length) ? value : (struct span){"", 0};
}

/* Is it a string with this in it, in any case? */
static bool says(enum json_token kind, struct span value, const char *words)
{
    struct buffer room;
    bool is_said = span_equals_ignoring_case(meaning(kind, value, &room), words);

    buffer_done(&room);
    return is_said;
}

/* The boolean, or the word in a string in any case; nothing else. */
static bool is_true(enum json_token kind, struct span value)
{
    return (kind == JSON_WORD && span_equals(value, "true")) || says(kind, value, "true");
}

/* One of the three words as it stands; anything else is an answer. */
static enum answer_kind read_kind(enum json_token kind, struct span value)
{
    struct buffer room;
    struct span word = meaning(kind, value, &room);
    enum answer_kind answer_kind =
        span_equals(word, answer_kind_name(ANSWER_KIND_REPEAT)) ? ANSWER_KIND_REPEAT
        : span_equals(word, answer_kind_name(ANSWER_KIND_SKIP)) ? ANSWER_KIND_SKIP
                                                                : ANSWER_KIND_ANSWER;

    buffer_done(&room);
    return answer_kind;
}

/* A whole number from 1 to 5, also when it is written 4.0; else 0. */
static int read_score(enum json_token kind, struct span value)
{
    char digits[32];
    double number;

    if (kind != JSON_WORD || value.length >= sizeof(digits))
        return 0;
    memcpy(digits, value.bytes, value.length);
    digits[value.length] = '\0';
    number = strtod(digits, NULL);
    return number >= 1 && number <= 5 && number == (double)(int)number ? (int)number : 0;
}

static int find_dimension(enum json_token kind, struct span label)
{
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        if (says(kind, label, labels[dimension]))
            return dimension;
    return -1;
}

/* Replaces a text by what is written; empty where that is not a text, or too long. */
static void read_text(enum json_token kind, struct span value, size_t max_words,
                      struct private_text *text)
{
    struct buffer room;

    private_text_free(text);
    model_text_words(meaning(kind, value, &room), max_words, text);
    buffer_done(&room);
}

static void drop_entries(struct reply_reader *reader)
{
    for (size_t at = 0; at < DIMENSION_COUNT; at++) {
        private_text_free(&reader->entries[at].tip);
        private_text_free(&reader->entries[at].quote);
        reader->entries[at] = (struct reply_entry){.dimension = -1};
    }
    reader->entry_count = 0;
}

static void read_entry(struct reply_reader *reader, enum place place,
                       enum json_token kind, struct span value)
{
    struct reply_entry *entry;

    if (reader->entry_count > DIMENSION_COUNT)
        return;
    entry = &reader->entries[reader->entry_count - 1];
    if (place == LABEL)
        entry->dimension = find_dimension(kind, value);
    else if (place == SCORE)
        entry->score = read_score(kind, value);
    else if (place == TIP)
        read_text(kind, value, REPLY_TIP_WORDS, &entry->tip);
    else
        read_text(kind, value, REPLY_QUOTE_WORDS, &entry->quote);
}

/* The question is final as soon as it is known that this is no refusal: what comes in one piece or in
 * many is announced alike, and what is announced is what the whole reply gives.  Where the two
 * contradict themselves before that, the whole reply decides. */
static void settle(struct reply_reader *reader)
{
    bool is_odd = reader->is_refused || reader->verdicts > 1 || reader->questions > 1 ||
                  private_text_is_empty(&reader->question);

    if (reader->verdicts == 0 || reader->questions == 0 || is_odd)
        return;
    reader->is_settled = true;
    if (!reader->is_silent)
        reader->announcement = private_text_clone(&reader->question);
}

/* A member named twice counts with its last value; but of two verdicts the graver one does, and a
 * question that is settled stays. */
static void take(void *context, size_t place, enum json_token kind, struct span value)
{
    struct reply_reader *reader = context;

    switch ((enum place)place) {
    case WHOLE: break;
    case REFUSED:
        reader->verdicts++;
        reader->is_refused |= is_true(kind, value);
        if (!reader->is_settled)
            settle(reader);
        break;
    case KIND:
        reader->kinds++;
        reader->kind = read_kind(kind, value);
        break;
    case QUESTION:
        if (reader->is_settled)
            break;
        reader->questions++;
        read_text(kind, value, SIZE_MAX, &reader->question);
        settle(reader);
        break;
    case FEEDBACK:
        drop_entries(reader);
        private_text_free(&reader->summary_tip);
        reader->feedback_state = is_null(kind, value) ? FEEDBACK_MISSING
                                 : kind == JSON_OPEN  ? FEEDBACK_GOOD
                                                      : FEEDBACK_INVALID;
        break;
    case DIMENSIONS: drop_entries(reader); break;
    case SUMMARY_TIP:
        read_text(kind, value, REPLY_SUMMARY_TIP_WORDS, &reader->summary_tip);
        break;
    case ENTRY:
        if (reader->entry_count < DIMENSION_COUNT)
            reader->entries[reader->entry_count].dimension = -1;
        reader->entry_count++;
        break;
    case LABEL:
    case SCORE:
    case TIP:
    case QUOTE: read_entry(reader, (enum place)place, kind, value); break;
    }
}

static void begin_at(struct reply_reader *reader, size_t at)
{
    json_pick_init(&reader->pick, places, sizeof(places) / sizeof(*places), at, take,
                   reader);
    reader->has_begun = true;
}

/* White space and the line that opens a fence may stand before the object. */
static void find_beginning(struct reply_reader *reader, struct span text)
{
    size_t at = 0;

    while (at < text.length && memchr(" \t\r\n", text.bytes[at], 4) != NULL)
        at++;
    if (at < text.length && text.bytes[at] == '`') {
        const char *newline = memchr(text.bytes + at, '\n', text.length - at);

        if (newline == NULL)
            return; /* the fence's line is not complete */
        reader->is_silent = strncmp(text.bytes + at, "```", 3) != 0;
        at = (size_t)(newline - text.bytes) + 1;
        while (at < text.length && memchr(" \t\r\n", text.bytes[at], 4) != NULL)
            at++;
    }
    if (at == text.length)
        return;
    reader->is_silent |= text.bytes[at] != '{';
    if (!reader->is_silent)
        begin_at(reader, at);
}

void reply_reader_init(struct reply_reader *reader)
{
    *reader = (struct reply_reader){.feedback_state = FEEDBACK_MISSING};
}

bool reply_reader_feed(struct reply_reader *reader, struct span text,
                       struct private_text *ret_question)
{
    if (!reader->has_begun && !reader->is_silent)
        find_beginning(reader, text);
    if (reader->has_begun)
        json_pick_more(&reader->pick, text);
    if (private_text_is_empty(&reader->announcement))
        return false;
    *ret_question = private_text_move(&reader->announcement);
    return true;
}

bool reply_reader_is_cleared(const struct reply_reader *reader)
{
    return reader->verdicts == 1 && !reader->is_refused &&
           reader->kinds + reader->questions > 0;
}

/* Reads what json-c makes of a text that is not quite JSON.  Plain text counts as the question.  What
 * was settled before the text went wrong stays so, and so does a refusal. */
static void read_leniently(struct reply_reader *reader, struct span text)
{
    bool was_settled = reader->is_settled, was_refused = reader->is_refused;
    struct private_text settled = {NULL, 0};
    enum answer_kind was_kind = reader->kind;
    struct json_object *object;
    size_t length = 0;
    const char *strict;

    if (was_settled)
        settled = private_text_move(&reader->question);
    reply_reader_done(reader);
    reader->is_silent = true;
    switch (model_json_parse(text, &object)) {
    case MODEL_JSON_OBJECT:
        strict =
            json_object_to_json_string_length(object, JSON_C_TO_STRING_PLAIN, &length);
        begin_at(reader, 0);
        json_pick_more(&reader->pick, (struct span){strict, length});
        explicit_bzero((char *)(uintptr_t)strict, length);
        json_wipe_and_put(object);
        break;
    case MODEL_JSON_NONE:
        if (utf8_is_valid(text.bytes, text.length))
            model_text_words(text, SIZE_MAX, &reader->question);
        break;
    case MODEL_JSON_BROKEN:
        if (was_settled) {
            reader->kind = was_kind;
            reader->feedback_state = FEEDBACK_INVALID;
        }
        break;
    }
    reader->is_refused |= was_refused;
    if (was_settled) {
        private_text_free(&reader->question);
        reader->question = settled;
    }
}

/* Each of the four dimensions exactly once, in any order, and nothing over its bounds. */
static bool take_feedback(struct reply_reader *reader, struct feedback *feedback)
{
    if (reader->entry_count != DIMENSION_COUNT ||
        private_text_is_empty(&reader->summary_tip))
        return false;
    for (size_t at = 0; at < DIMENSION_COUNT; at++) {
        struct reply_entry *entry = &reader->entries[at];
        int dimension = entry->dimension;

        if (dimension < 0 || feedback->scores[dimension] != 0 || entry->score == 0 ||
            private_text_is_empty(&entry->tip))
            return false;
        feedback->scores[dimension] = entry->score;
        feedback->tips[dimension] = private_text_move(&entry->tip);
        feedback->quotes[dimension] = private_text_move(&entry->quote);
    }
    feedback->summary_tip = private_text_move(&reader->summary_tip);
    return true;
}

static void feedback_free(struct feedback *feedback)
{
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++) {
        private_text_free(&feedback->tips[dimension]);
        private_text_free(&feedback->quotes[dimension]);
    }
    private_text_free(&feedback->summary_tip);
}

void reply_reader_end(struct reply_reader *reader, const struct private_text *text,
                      struct reply *ret_reply)
{
    struct span all = private_reveal(text), object = model_json_start(all);
    struct reply reply = {.is_refused = false};

    reader->is_silent = true;
    if (!reader->has_begun && object.length > 0 && *object.bytes == '{')
        begin_at(reader, (size_t)(object.bytes - all.bytes));
    if (!reader->has_begun || json_pick_more(&reader->pick, all) == JSON_WRONG)
        read_leniently(reader, all);
    reply.is_refused = reader->is_refused;
    reply.kind = reader->kind;
    reply.question = private_text_move(&reader->question);
    reply.feedback_state = reader->feedback_state;
    if (reply.feedback_state == FEEDBACK_GOOD &&
        !take_feedback(reader, &reply.feedback)) {
        feedback_free(&reply.feedback);
        reply.feedback = (struct feedback){.scores = {0}};
        reply.feedback_state = FEEDBACK_INVALID;
    }
    *ret_reply = reply;
    reply_reader_done(reader);
}

void reply_reader_done(struct reply_reader *reader)
{
    private_text_free(&reader->question);
    private_text_free(&reader->announcement);
    private_text_free(&reader->summary_tip);
    drop_entries(reader);
    reply_reader_init(reader);
}

void reply_parse(const struct private_text *text, struct reply *ret_reply)
{
    struct reply_reader reader;

    reply_reader_init(&reader);
    reply_reader_end(&reader, text, ret_reply);
}

void reply_free(struct reply *reply)
{
    private_text_free(&reply->question);
    feedback_free(&reply->feedback);
}

/* ---- the closing ---- */

static const char standard_closing[] =
    "Thank you for your answers. That was the last question of this interview.";

/* Behind the first sentence and its white space: its end is a mark, perhaps quotes and brackets, and
 * no small letter goes on behind it. */
static size_t sentence_length(struct span text)
{
    size_t at = 0;

    while (at < text.length) {
        size_t end;

        if (memchr(".!?", text.bytes[at++], 3) == NULL)
            continue;
        while (at < text.length && memchr(".!?\"')]", text.bytes[at], 7) != NULL)
            at++;
        end = at;
        while (at < text.length && memchr(" \t\r\n", text.bytes[at], 4) != NULL)
            at++;
        if (at == text.length || (at > end && !islower((unsigned char)text.bytes[at])))
            break;
    }
    return at;
}

/* Asked without a question mark: "Tell me of ...", "What was ...". */
static bool asks_without_mark(struct span sentence)
{
    struct span first, second;
    size_t at = 0;

    if (!words_next(sentence, &at, &first) || !words_next(sentence, &at, &second))
        return false;
    return words_is_on("describe explain", first) ||
           (words_is_on("tell walk talk give", first) && words_is_on("me us", second)) ||
           (words_is_on("can could would will do did have are were", first) &&
            words_is_on("you", second)) ||
           (words_is_on("what why how who which when where", first) &&
            words_is_on("was were is are do does did would will has have had can could",
                        second));
}

static bool is_question(struct span sentence)
{
    static const char wide_mark[] = "\xEF\xBC\x9F";

    return asks_without_mark(sentence) ||
           memchr(sentence.bytes, '?', sentence.length) != NULL ||
           memmem(sentence.bytes, sentence.length, wide_mark, sizeof(wide_mark) - 1) !=
               NULL;
}

void reply_make_closing(struct private_text *text)
{
    struct span rest = private_reveal(text), kept;
    struct buffer out;

    buffer_init(&out, rest.length);
    while (rest.length > 0) {
        struct span sentence = {rest.bytes, sentence_length(rest)};

        if (!is_question(sentence))
            buffer_append(&out, sentence.bytes, sentence.length);
        rest.bytes += sentence.length;
        rest.length -= sentence.length;
    }
    kept = model_text_trim((struct span){out.bytes, out.length});
    private_text_free(text);
    if (kept.length > 0)
        *text = private_text_copy(kept.bytes, kept.length);
    else
        *text = private_text_copy(standard_closing, sizeof(standard_closing) - 1);
    buffer_done(&out);
}

/* ---- the summary of a whole session ---- */

#define ASSESSMENT_WORDS 60
#define LINE_WORDS       20
#define ACTION_WORDS     25

/* `min` to `max` texts of at most `max_words` words. */
static bool read_lines(struct json_object *list, size_t min, size_t max, size_t max_words,
                       struct private_text *lines, size_t *ret_count)
{
    size_t count;

    if (!json_object_is_type(list, json_type_array))
        return false;
    count = json_object_array_length(list);
    if (count < min || count > max)
        return false;
    for (size_t at = 0; at < count; at++)
        if (!model_json_words(json_object_array_get_idx(list, at), max_words, &lines[at]))
            return false;
    *ret_count = count;
    return true;
}

static bool read_object(struct json_object *object, struct summary *summary)
{
    return model_json_words(json_member(object, "overall_assessment"), ASSESSMENT_WORDS,
                            &summary->overall_assessment) &&
           read_lines(json_member(object, "strengths"), 1, 3, LINE_WORDS,
                      summary->strengths, &summary->strength_count) &&
           read_lines(json_member(object, "improvements"), 1, 3, LINE_WORDS,
                      summary->improvements, &summary->improvement_count) &&
           read_lines(json_member(object, "recommended_actions"), 0, 4, ACTION_WORDS,
                      summary->actions, &summary->action_count);
}

/* Those after the last one that is allowed are left out; what is not as it should be says nothing. */
static void read_demands(struct json_object *list, struct summary *summary)
{
    if (!json_object_is_type(list, json_type_array))
        return;
    while (summary->demand_count < ADVERT_DEMANDS_MOST &&
           summary->demand_count < json_object_array_length(list)) {
        struct json_object *entry =
            json_object_array_get_idx(list, summary->demand_count);
        struct summary_demand *demand = &summary->demands[summary->demand_count++];
        int64_t number = json_member_count(entry, "question_number");

        demand->number = number > 0 && number <= UINT16_MAX ? (unsigned)number : 0;
        model_json_words(json_member(entry, "demand"), ADVERT_DEMAND_WORDS,
                         &demand->demand);
        model_json_words(json_member(entry, "quote"), REPLY_QUOTE_WORDS, &demand->quote);
    }
}

bool summary_parse(const struct private_text *text, struct summary *ret_summary)
{
    struct summary summary;
    struct json_object *object;
    bool is_good;

    memset(&summary, 0, sizeof(summary));
    if (model_json_parse(private_reveal(text), &object) != MODEL_JSON_OBJECT)
        return false;
    is_good = read_object(object, &summary);
    read_demands(json_member(object, "demands"), &summary);
    json_wipe_and_put(object);
    if (is_good)
        *ret_summary = summary;
    else
        summary_free(&summary);
    return is_good;
}

bool summary_average(const struct coach_turn *turns, size_t count,
                     enum dimension dimension, double *ret_average)
{
    int sum = 0, scored = 0;

    for (size_t at = 0; at < count; at++) {
        if (!turns[at].is_scored)
            continue;
        sum += turns[at].scores[dimension];
        scored++;
    }
    if (scored == 0)
        return false;
    *ret_average = round(100.0 * sum / scored) / 100.0;
    return true;
}

void summary_free(struct summary *summary)
{
    private_text_free(&summary->overall_assessment);
    for (size_t at = 0; at < SUMMARY_MAX_LINES; at++) {
        private_text_free(&summary->strengths[at]);
        private_text_free(&summary->improvements[at]);
        private_text_free(&summary->actions[at]);
    }
    for (size_t at = 0; at < summary->demand_count; at++) {
        private_text_free(&summary->demands[at].demand);
        private_text_free(&summary->demands[at].quote);
    }
}
