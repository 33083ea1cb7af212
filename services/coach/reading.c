/*
 * Reads an answer with its question in mind.
 */
#include "reading_internal.h"

#include <sodium.h>

enum { STEMS_SEEN = 512 }; /* distinct stems that are looked at; a power of two */

static void find_parts(struct reading *reading);
static void find_overlap(struct reading *reading, const struct lexicon *lexicon,
                         enum role_family role);
static bool is_short_of(const struct answer *answer, enum cue cue);
static bool is_noise(const struct reading *reading);

void reading_make(struct reading *reading, const struct lexicon *lexicon,
                  enum role_family role, struct span question, struct span transcript)
{
    *reading = (struct reading){0};
    answer_read(&reading->answer, lexicon, transcript);
    asked_read(&reading->asked, lexicon, question);
    reading->fillers = fillers_count(&reading->answer);
    reading->is_foreign = answer_is_foreign(&reading->answer);
    reading->has_declined = is_short_of(&reading->answer, CUE_DECLINE);
    reading->is_stuck = reading->has_declined || is_short_of(&reading->answer, CUE_STUCK);
    reading->is_unpunctuated =
        reading->answer.word_count >= 40 && reading->answer.sentence_count <= 1 &&
        reading->answer.pause_count < reading->answer.word_count / 25;
    find_parts(reading);
    find_overlap(reading, lexicon, role);
    reading->is_noise = !reading->is_stuck && is_noise(reading);
}

void reading_done(struct reading *reading)
{
    answer_done(&reading->answer);
    sodium_memzero(reading, sizeof *reading);
}

/* Short, and it says so at the beginning or is hardly anything else. */
static bool is_short_of(const struct answer *answer, enum cue cue)
{
    const struct cue_hits *hits = &answer->cues[cue];
    bool is_early = hits->count > 0 && hits->first < 6;

    return is_early && (answer->word_count <= 14 ||
                        (answer->word_count <= 30 && answer->own.count == 0 &&
                         answer->cues[CUE_PLAN].count <= 1));
}

static bool is_noise(const struct reading *reading)
{
    const struct answer *answer = &reading->answer;
    size_t known = answer->cues[CUE_ENGLISH].count + answer->cues[CUE_STOP].count +
                   reading->overlap.known;

    return answer->word_count >= 4 && known * 8 < answer->word_count;
}

/* "I did this.  I did that.  They went home happy.": what others did at the end is what
 * came of it. */
static bool ends_with_others(const struct answer *answer)
{
    size_t first = answer->last_first;

    return answer->own.count >= 1 && answer->sentence_count >= 3 &&
           answer->own.last < first && answer->word_count - first >= 2 &&
           !(answer->words[first].cues & BIT(CUE_PLAN)) &&
           !answer_word_is(answer, first, "i") && !answer_word_is(answer, first + 1, "i");
}

/* A result belongs to the later part of an answer, unless it was all that was asked for.
 * A figure at the end of what somebody did is one, too. */
static bool has_result(const struct reading *reading)
{
    const struct answer *answer = &reading->answer;
    const struct cue_hits *result = &answer->cues[CUE_RESULT];
    bool ends_with_figure = answer->last_figure > 0 && answer->own.count > 0 &&
                            answer->last_figure * 4 >= answer->word_count * 3;

    return (result->count > 0 && (reading->asked.reaction == LINE_OUTCOME ||
                                  result->last * 5 >= answer->word_count * 2)) ||
           ends_with_figure || ends_with_others(answer);
}

static void find_parts(struct reading *reading)
{
    const struct answer *answer = &reading->answer;
    const struct cue_hits *cues = answer->cues;
    struct parts *parts = &reading->parts;

    parts->situation = cues[CUE_SITUATION].count > 0 &&
                       cues[CUE_SITUATION].first * 5 <= answer->word_count * 3;
    parts->task = cues[CUE_TASK].count > 0;
    parts->own_action = answer->own.count > 0;
    parts->action = parts->own_action || answer->shared.count > 0;
    parts->result = has_result(reading);
    parts->sequence = cues[CUE_SEQUENCE].count > 0;
    parts->reason = cues[CUE_REASON].count > 0;
    parts->example = cues[CUE_EXAMPLE].count > 0 ||
                     (reading->asked.asks != ASKS_STORY && parts->situation);
    parts->contrast = cues[CUE_CONTRAST].count > 0;
    parts->plan = cues[CUE_PLAN].count > 0;
    parts->check = cues[CUE_CHECK].count > 0;
    parts->fit = cues[CUE_FIT].count > 0;
    parts->number = answer->number_count > 0;
}

static bool is_among(uint64_t stem, const uint64_t *stems, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (stems[i] == stem)
            return true;
    return false;
}

/* Adds the stem to the set of those seen; false: it was there, or the set is full. */
static bool see(uint64_t *seen, size_t *count, uint64_t stem)
{
    size_t at = (size_t)(stem ^ (stem >> 32)) & (STEMS_SEEN - 1);

    while (seen[at] != 0 && seen[at] != stem)
        at = (at + 1) & (STEMS_SEEN - 1);
    if (seen[at] == stem || *count >= STEMS_SEEN / 2)
        return false;
    seen[at] = stem;
    (*count)++;
    return true;
}

static void show(struct overlap *overlap, size_t index)
{
    if (overlap->shown_count < 2)
        overlap->shown[overlap->shown_count++] = index;
}

static void find_overlap(struct reading *reading, const struct lexicon *lexicon,
                         enum role_family role)
{
    const struct answer *answer = &reading->answer;
    const struct asked *asked = &reading->asked;
    struct overlap *overlap = &reading->overlap;
    const uint32_t says_nothing =
        BIT(CUE_STOP) | BIT(CUE_NUMBER_WORDS) | BIT(CUE_FIGURE_WORDS);
    uint64_t seen[STEMS_SEEN] = {0}, topic_stems[QUESTION_WORDS_MAX];
    size_t seen_count = 0, topic_count = 0;

    for (; asked->topic && topic_count < asked->topic->words.count &&
           topic_count < QUESTION_WORDS_MAX;
         topic_count++)
        topic_stems[topic_count] =
            lexicon_stem(span_of(asked->topic->words.items[topic_count]));

    for (size_t i = 0; i < answer->word_count; i++) {
        const struct word *word = &answer->words[i];
        uint64_t stem;
        uint32_t vocabularies;

        if (word->text.length < 3 || word->cues & says_nothing)
            continue;
        stem = lexicon_stem(word->text);
        if (!see(seen, &seen_count, stem))
            continue;
        vocabularies = lexicon_vocabularies(lexicon, stem);
        overlap->known += vocabularies != 0;
        if (is_among(stem, asked->stems, asked->word_count)) {
            overlap->question++;
            show(overlap, i);
        } else if (is_among(stem, topic_stems, topic_count)) {
            overlap->topic++;
        } else if (vocabularies & (BIT(role) | BIT(asked->role))) {
            overlap->role++;
        } else if (vocabularies & VOCABULARY_WORK) {
            overlap->work++;
        }
    }
    sodium_memzero(seen, sizeof seen);
}
