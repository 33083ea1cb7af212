/*
 * Reads an answer with its question in mind.
 */
#include "reading_internal.h"

#include "mem.h"
#include "words.h"

#include <sodium.h>
#include <stdlib.h>

#define STEMS_SEEN 1024 /* distinct stems that are looked at; a power of two */
enum {
    FAMILIES_MOST = 3
}; /* a word that more trades use than these is at home in none */
enum {
    REQUEST_WORDS = 20,
    SHORT_REQUEST_WORDS = 10,
    EXCUSE_WORDS = 45,
    BRIEF_WORDS = 6,
    WHOLE_WORDS = 3
};
enum { LONG_WORDS = 260, PIECE_WORDS = 110 }; /* longer ones are read in pieces */
enum { BARE_WORDS = 2, LISTED_WORDS = 9 };
enum { STUCK_WORDS = 14, STUCK_WORDS_WITHOUT_DEED = 30, TRAILING_WORDS = 6 };

/* Short, and it says so at the beginning or is hardly anything else. */
static bool is_short_of(const struct answer *answer, enum cue cue)
{
    const struct cue_hits *hits = &answer->cues[cue];
    bool is_early = hits->count > 0 && hits->first < 6;

    return is_early && (answer->word_count <= STUCK_WORDS ||
                        (answer->word_count <= STUCK_WORDS_WITHOUT_DEED &&
                         answer->own.count == 0 && answer->cues[CUE_PLAN].count <= 1));
}

/* A request is short, turns to the coach unless it is very short ("I would move on to a larger team" is
 * an answer), and tells of nothing that was done but what was missed ("I missed that, could you ...").
 * At the end of some excuse it may be longer. */
static bool is_request(const struct answer *answer, enum cue cue, enum cue whole)
{
    const struct cue_hits *hits = &answer->cues[cue];
    size_t words = answer->word_count, deeds = answer->own.count + answer->shared.count;

    if (answer->cues[whole].count > 0 && words <= WHOLE_WORDS)
        return true;
    if (hits->count == 0)
        return false;
    if (answer->cues[CUE_ASKING].count == 0)
        return words <= BRIEF_WORDS && deeds == 0;
    return words <= (deeds > 0 ? SHORT_REQUEST_WORDS : REQUEST_WORDS) ||
           (words <= EXCUSE_WORDS && deeds <= 1 && hits->last >= answer->own.last &&
            hits->last + SHORT_REQUEST_WORDS >= words);
}

/* "I would ask her to say that again", but not "I would like to hear that again". */
static bool plans_to_ask(const struct answer *answer)
{
    size_t at = answer->cues[CUE_PLAN].first;
    bool is_short =
        answer_word_is(answer, at, "i'd") || answer_word_is(answer, at, "you'd");

    return answer->cues[CUE_PLAN].count > 0 && at < answer->cues[CUE_REPEAT].first &&
           (is_short || answer_word_is(answer, at + 1, "would")) &&
           !answer_word_is(answer, at + (is_short ? 1 : 2), "like");
}

/* "What does a stakeholder mean?" */
static bool asks_for_meaning(const struct answer *answer)
{
    return answer->word_count > 3 && answer->word_count <= SHORT_REQUEST_WORDS &&
           answer_word_is(answer, 0, "what") && answer_word_is(answer, 1, "does") &&
           answer_word_is(answer, answer->word_count - 1, "mean");
}

/* Has it the words without which nobody speaks, whatever it is about, one in eight at least? */
static bool has_glue(const struct answer *answer)
{
    static const char glue[] =
        "the i a and to it was of in we my is that they you he she i'm had have with on me at an "
        "our were are it's this his her their us i've i'd im i'll your its there";
    size_t needed = (answer->word_count + 7) / 8;

    for (size_t i = 0; i < answer->word_count && needed > 0; i++)
        needed -= words_is_on(glue, answer->words[i].text);
    return needed == 0;
}

/* Words that belong to a subject and make no sentence, "leadership team result because"; or small ones
 * about nothing. */
static bool is_word_list(const struct reading *reading)
{
    return reading->answer.word_count >= LISTED_WORDS &&
           (reading->overlap.told + reading->answer.number_count == 0 ||
            !has_glue(&reading->answer));
}

/* Speech is mostly small words; a third is few, and a seventh hardly a sentence.  A number that was asked
 * for needs none. */
static bool is_noise(const struct reading *reading)
{
    const struct answer *answer = &reading->answer;
    const struct overlap *overlap = &reading->overlap;
    size_t small = answer->cues[CUE_STOP].count + answer->cues[CUE_DOER_OWN].count;
    size_t familiar = overlap->question + overlap->topic + overlap->role + overlap->work +
                      overlap->family + overlap->alien;

    if (answer->word_count < 3 ||
        (reading->asked.wants_number && answer->number_count > 0 &&
         answer->word_count <= STUCK_WORDS))
        return false;
    if (is_word_list(reading))
        return true;
    return small * 7 < answer->word_count
               ? familiar * 3 < answer->word_count
               : small * 3 < answer->word_count && familiar * 6 < answer->word_count;
}

static bool is_repeated(const struct flow *flow)
{
    return (flow->rows >= 4 && flow->most_times >= 3 &&
            flow->said_again * 5 >= flow->rows * 2) ||
           (flow->words >= 3 && flow->words < 30 && flow->different * 2 < flow->words);
}

/* Hardly more than a part of the question, or nothing but its words in another order. */
static bool is_echo(const struct reading *reading, struct span question,
                    struct span transcript)
{
    const struct overlap *overlap = &reading->overlap;
    size_t words = reading->answer.word_count;

    return (words >= 5 && transcript.length < 2 * question.length &&
            words_share_run(question, transcript, words * 3 / 4)) ||
           (words >= LISTED_WORDS && overlap->told > 0 &&
            overlap->told == overlap->question && reading->answer.number_count == 0 &&
            reading->asked.reaction == LINE_KIND_COUNT);
}

/* Said to somebody; what one tells of another's words is longer. */
static bool is_insult(const struct answer *answer)
{
    size_t hits = answer->cues[CUE_INSULT].count;

    return hits > 0 && answer->own.count == 0 &&
           (hits * 6 >= answer->word_count ||
            (hits * 9 >= answer->word_count && answer->cues[CUE_OWN].count == 0));
}

static enum no_answer why_no_answer(const struct reading *reading, struct span question,
                                    struct span transcript)
{
    const struct answer *answer = &reading->answer;

    if (reading->kind != ANSWER_KIND_ANSWER)
        return IS_ASKING;
    if (is_short_of(answer, CUE_STUCK))
        return IS_STUCK;
    if (is_insult(answer))
        return IS_INSULT;
    if (is_repeated(&reading->flow))
        return IS_REPEATED;
    if (is_echo(reading, question, transcript))
        return IS_ECHO;
    if (is_noise(reading))
        return IS_NOISE;
    return reading->flow.words <= BARE_WORDS ? IS_BARE : IS_ANSWER;
}

/* "I did this.  I did that.  They went home happy.": what others did at the end is what
 * came of it. */
static bool ends_with_others(const struct answer *answer)
{
    size_t first = answer->last_first;

    return answer->own.count >= 1 && answer->sentence_count >= 3 &&
           answer->own.last < first && answer->word_count - first >= 2 &&
           !(answer->words[first].cues & CUE_BIT(CUE_PLAN)) &&
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

static bool is_in_order(const struct answer *answer)
{
    const struct cue_hits *situation = &answer->cues[CUE_SITUATION];
    const struct cue_hits *result = &answer->cues[CUE_RESULT];
    const struct deeds *deeds = answer->own.count > 0 ? &answer->own : &answer->shared;

    return deeds->count > 0 && situation->count > 0 && situation->first <= deeds->last &&
           situation->first * 3 <= answer->word_count && result->count > 0 &&
           result->last >= deeds->first && result->last * 2 >= answer->word_count;
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
    parts->in_order = is_in_order(answer);
    parts->trails_off = cues[CUE_TRAILING].count > 0 &&
                        answer->word_count > 2 * TRAILING_WORDS &&
                        cues[CUE_TRAILING].last + TRAILING_WORDS >= answer->word_count;
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

/* Counts a word by the trades that use it; `others` has a count for each. */
static void count_trades(struct overlap *overlap, const struct asked *asked,
                         enum role_family role, uint32_t vocabularies, size_t *others)
{
    uint32_t families = vocabularies & ~VOCABULARY_WORK;
    bool is_general = __builtin_popcount(families) > FAMILIES_MOST;

    if (families & asked->families)
        overlap->family++;
    else if (families & BIT(role))
        overlap->role++;
    else if (vocabularies & VOCABULARY_WORK || is_general)
        overlap->work++;
    for (; families != 0 && !is_general && !(families & (asked->families | BIT(role)));
         families &= families - 1) {
        size_t count = ++others[__builtin_ctz(families)];

        if (count > overlap->alien)
            overlap->alien = count;
    }
}

static void find_overlap(struct reading *reading, const struct lexicon *lexicon,
                         enum role_family role)
{
    const struct answer *answer = &reading->answer;
    const struct asked *asked = &reading->asked;
    struct overlap *overlap = &reading->overlap;
    const uint64_t says_nothing = CUE_BIT(CUE_STOP) | CUE_BIT(CUE_HESITATION) |
                                  CUE_BIT(CUE_NUMBER_WORDS) | CUE_BIT(CUE_FIGURE_WORDS);
    uint64_t seen[STEMS_SEEN] = {0}, topic_stems[QUESTION_WORDS_MAX];
    size_t topic_count = 0, others[ROLE_COUNT] = {0};

    for (; asked->topic && topic_count < asked->topic->words.count &&
           topic_count < QUESTION_WORDS_MAX;
         topic_count++)
        topic_stems[topic_count] =
            lexicon_stem(span_of(asked->topic->words.items[topic_count]));

    for (size_t i = 0; i < answer->word_count; i++) {
        const struct word *word = &answer->words[i];
        uint64_t stem;

        if (word->text.length < 3 || word->cues & says_nothing)
            continue;
        stem = lexicon_stem(word->text);
        if (!see(seen, &overlap->told, stem))
            continue;
        if (is_among(stem, asked->stems, asked->word_count)) {
            overlap->question++;
            show(overlap, i);
        } else if (is_among(stem, topic_stems, topic_count)) {
            overlap->topic++;
        } else {
            count_trades(overlap, asked, role, lexicon_vocabularies(lexicon, stem),
                         others);
            overlap->leisure += (word->cues & CUE_BIT(CUE_LEISURE)) != 0;
        }
    }
    sodium_memzero(seen, sizeof(seen));
}

/* All that needs no more than the question, which was read before. */
static void read_transcript(struct reading *reading, const struct lexicon *lexicon,
                            enum role_family role, struct span transcript)
{
    answer_read(&reading->answer, lexicon, transcript);
    reading->fillers = fillers_count(&reading->answer);
    flow_measure(&reading->flow, &reading->answer);
    find_parts(reading);
    find_overlap(reading, lexicon, role);
}

static void read_pieces(struct reading *reading, const struct lexicon *lexicon,
                        enum role_family role)
{
    const struct answer *answer = &reading->answer;
    size_t count = answer->word_count / PIECE_WORDS, first = 0;

    reading->pieces = mem_zalloc(count * sizeof(*reading->pieces));
    while (reading->piece_count < count) {
        struct reading *piece = &reading->pieces[reading->piece_count++];
        size_t end = answer->word_count * reading->piece_count / count;
        struct span last = answer->words[end - 1].text;
        const char *start = answer->words[first].text.bytes;

        piece->asked = reading->asked;
        read_transcript(piece, lexicon, role,
                        (struct span){start, (size_t)(last.bytes + last.length - start)});
        first = end;
    }
}

void reading_make(struct reading *reading, const struct lexicon *lexicon,
                  enum role_family role, struct span question, struct span transcript)
{
    *reading = (struct reading){0};
    asked_read(&reading->asked, lexicon, question);
    read_transcript(reading, lexicon, role, transcript);
    reading->is_foreign = answer_is_foreign(&reading->answer);
    if (is_request(&reading->answer, CUE_DECLINE, CUE_WHOLE_SKIP))
        reading->kind = ANSWER_KIND_SKIP;
    else if ((is_request(&reading->answer, CUE_REPEAT, CUE_WHOLE_REPEAT) &&
              !plans_to_ask(&reading->answer)) ||
             asks_for_meaning(&reading->answer))
        reading->kind = ANSWER_KIND_REPEAT;
    reading->no_answer = why_no_answer(reading, question, transcript);
    if (reading->answer.word_count > LONG_WORDS)
        read_pieces(reading, lexicon, role);
}

void reading_done(struct reading *reading)
{
    for (size_t i = 0; i < reading->piece_count; i++)
        answer_done(&reading->pieces[i].answer);
    if (reading->pieces)
        sodium_memzero(reading->pieces, reading->piece_count * sizeof(*reading->pieces));
    free(reading->pieces);
    answer_done(&reading->answer);
    sodium_memzero(reading, sizeof(*reading));
}
