/*
 * The summary says in plain words what the scores and the answers show: averages, how
 * they moved from the first answer to the last, the best moment and the first gap in the
 * candidate's own words, a story that was told more than once, what was missing how often,
 * and what to practise.
 *
 * All figures are kept in tenths, so that no rounding of floating point decides a word.
 */
#include "rubric_internal.h"

#include "json.h"
#include "private_reveal.h"
#include "question_bank_internal.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ITEM_BYTES 400
enum { STRENGTHS_MAX = 3, IMPROVEMENTS_MAX = 3, ACTIONS_MAX = 4 };
#define GOOD 38 /* tenths: an average from here on is a strength */
#define POOR 25 /* below, nothing is praised */
enum { QUOTE_BYTES = 80, QUOTED_WORDS = 7 };
enum { STORIES_MOST = 10, STORY_STEMS = 96, STORY_STEMS_LEAST = 10 };

/* Something that a candidate said, and the number of the question; "": nothing. */
struct said {
    size_t number;
    char quote[QUOTE_BYTES];
};

/* Which words an answer tells of, to know it again. */
struct story {
    uint64_t stems[STORY_STEMS];
    size_t count;
    size_t number; /* of the answer */
};

struct tally {
    size_t answers, scored;
    size_t words;                  /* of all answers */
    int averages[DIMENSION_COUNT]; /* tenths; only where something was scored */
    int overall, first, last; /* tenths: of all scores, of the first and last answer's */
    size_t without_result, without_own_part, brief;
    struct said best, unfinished, shared; /* the best result, the first gaps */
    int best_sum;                         /* of the scores where the best was said */
    struct story stories[STORIES_MOST];
    size_t story_count;
    size_t retold[STORIES_MOST]; /* numbers of the answers that told one and the same */
    size_t retold_count;
    enum dimension order[DIMENSION_COUNT]; /* from the best to the weakest */
};

/* A list of short texts on its way into the JSON. */
struct list {
    char items[ACTIONS_MAX][ITEM_BYTES];
    size_t count, limit;
};

static void write_list(struct json_writer *writer, const char *key,
                       const struct list *list)
{
    json_put_array(writer, key);
    for (size_t i = 0; i < list->count; i++)
        json_string(writer, list->items[i]);
    json_end_array(writer);
}

static void read_story(struct story *story, const struct answer *answer)
{
    for (size_t i = 0; i < answer->word_count && story->count < STORY_STEMS; i++) {
        const struct word *word = &answer->words[i];
        uint64_t stem = lexicon_stem(word->text);
        bool is_new = word->text.length >= 4 && !(word->cues & CUE_BIT(CUE_STOP));

        for (size_t k = 0; k < story->count && is_new; k++)
            is_new = story->stems[k] != stem;
        if (is_new)
            story->stems[story->count++] = stem;
    }
}

/* Most words of the shorter one are in the other. */
static bool is_same_story(const struct story *one, const struct story *other)
{
    size_t least = one->count < other->count ? one->count : other->count, common = 0;

    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < other->count; k++)
            common += one->stems[i] == other->stems[k];
    return least >= STORY_STEMS_LEAST && common * 5 >= least * 3;
}

/* The story that was told most often, if any was told again. */
static void find_retold(struct tally *tally)
{
    for (size_t i = 0; i < tally->story_count; i++) {
        size_t numbers[STORIES_MOST] = {tally->stories[i].number}, count = 1;

        for (size_t k = i + 1; k < tally->story_count; k++)
            if (is_same_story(&tally->stories[i], &tally->stories[k]))
                numbers[count++] = tally->stories[k].number;
        if (count > 1 && count > tally->retold_count) {
            memcpy(tally->retold, numbers, sizeof(numbers));
            tally->retold_count = count;
        }
    }
}

static void keep_quote(struct said *said, size_t number, const struct answer *answer,
                       size_t first)
{
    if (said->quote[0] == '\0' &&
        answer_quote(answer, first, QUOTED_WORDS, said->quote, QUOTE_BYTES))
        said->number = number;
}

static void keep_best(struct tally *tally, size_t number, int sum,
                      const struct reading *reading)
{
    const struct answer *answer = &reading->answer;
    const struct cue_hits *result = &answer->cues[CUE_RESULT];
    struct said said = {0};

    if (reading->no_answer != IS_ANSWER || sum <= tally->best_sum)
        return;
    if (reading->parts.result && result->first * 2 >= answer->word_count)
        keep_quote(&said, number, answer, result->first);
    if (reading->parts.result && result->count > 0)
        keep_quote(&said, number, answer, result->last);
    if (answer->own.count > 0)
        keep_quote(&said, number, answer, answer->own.last);
    if (said.number == 0)
        return;
    tally->best = said;
    tally->best_sum = sum;
}

/* What the answer has and lacks, read again with its question in mind. */
static void count_answer(const struct lexicon *lexicon, enum role_family role,
                         const struct coach_turn *turn, size_t number,
                         struct tally *tally)
{
    struct reading reading;
    int sum = 0;

    reading_make(&reading, lexicon, role, private_reveal(turn->question),
                 private_reveal(turn->transcript));
    tally->words += reading.answer.word_count;
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        sum += turn->is_scored ? turn->scores[dimension] : 0;
    keep_best(tally, number, sum, &reading);
    switch (rubric_lack(&reading)) {
    case LACK_RESULT:
        tally->without_result++;
        if (reading.answer.own.count > 0)
            keep_quote(&tally->unfinished, number, &reading.answer,
                       reading.answer.own.last);
        break;
    case LACK_OWN_PART:
        tally->without_own_part++;
        keep_quote(&tally->shared, number, &reading.answer, reading.answer.shared.first);
        break;
    case LACK_WORDS:
    case LACK_EXAMPLE: tally->brief++; break;
    case LACK_REASON:
    case LACK_NOTHING: break;
    }
    if (tally->story_count < STORIES_MOST) {
        tally->stories[tally->story_count].number = number;
        read_story(&tally->stories[tally->story_count++], &reading.answer);
    }
    reading_done(&reading);
}

static int tenths(size_t sum, size_t number)
{
    return number ? (int)((sum * 10 + number / 2) / number) : 0;
}

/* Stable, so that the contract's order decides between equals. */
static void sort_dimensions(struct tally *tally)
{
    for (int i = 0; i < DIMENSION_COUNT; i++) {
        int at = i;

        for (; at > 0 && tally->averages[tally->order[at - 1]] < tally->averages[i]; at--)
            tally->order[at] = tally->order[at - 1];
        tally->order[at] = (enum dimension)i;
    }
}

static void count(const struct lexicon *lexicon, const struct coach_facts *facts,
                  struct tally *tally)
{
    enum role_family role = question_bank_role(private_reveal(facts->role));
    size_t sums[DIMENSION_COUNT] = {0}, all = 0;

    for (size_t i = 0; i < facts->turn_count; i++) {
        const struct coach_turn *turn = &facts->turns[i];
        size_t sum = 0;

        if (turn->is_skipped)
            continue;
        tally->answers++;
        count_answer(lexicon, role, turn, turn->number, tally);
        if (!turn->is_scored)
            continue;
        for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++) {
            sums[dimension] += (size_t)turn->scores[dimension];
            sum += (size_t)turn->scores[dimension];
        }
        all += sum;
        if (tally->scored++ == 0)
            tally->first = tenths(sum, DIMENSION_COUNT);
        tally->last = tenths(sum, DIMENSION_COUNT);
    }
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        tally->averages[dimension] = tenths(sums[dimension], tally->scored);
    tally->overall = tenths(all, tally->scored * DIMENSION_COUNT);
    sort_dimensions(tally);
    find_retold(tally);
}

static const char *const names[DIMENSION_COUNT] = {
    [DIMENSION_CLARITY] = "clarity",
    [DIMENSION_RELEVANCE] = "relevance",
    [DIMENSION_STRUCTURE] = "structure",
    [DIMENSION_FILLER_WORDS] = "using few fillers",
};

static const char *opening(const struct tally *tally)
{
    if (tally->overall >= 43)
        return "A strong interview.";
    if (tally->overall >= 35)
        return "A good interview with room to grow.";
    return tally->overall >= 25 ? "A fair start to build on."
                                : "A first step, and first steps count.";
}

static int say_trend(const struct tally *tally, char *text, size_t size)
{
    int change = tally->last - tally->first;

    if (tally->scored < 2)
        return 0;
    if (change > -4 && change < 4)
        return snprintf(text, size,
                        " Your level stayed even from the first answer to the last.");
    return snprintf(
        text, size,
        " From the first answer to the last your average %s from %d.%d to %d.%d.",
        change > 0 ? "rose" : "fell", tally->first / 10, tally->first % 10,
        tally->last / 10, tally->last % 10);
}

static void write_assessment(const struct tally *tally, char *text)
{
    size_t size = 2 * ITEM_BYTES;
    size_t average_words = tally->answers ? tally->words / tally->answers : 0;
    const char *each = tally->answers == 1 ? "" : " each";
    enum dimension best = tally->order[0], worst = tally->order[DIMENSION_COUNT - 1];
    int best_average = tally->averages[best], worst_average = tally->averages[worst];
    int length;

    if (tally->scored == 0) {
        snprintf(
            text, size,
            "You answered %zu question%s, with about %zu words%s. The answers were not "
            "scored, so this goes by what was said alone.",
            tally->answers, tally->answers == 1 ? "" : "s", average_words, each);
        return;
    }
    length =
        snprintf(text, size, "%s You answered %zu question%s with about %zu words%s.",
                 opening(tally), tally->answers, tally->answers == 1 ? "" : "s",
                 average_words, each);
    if (best_average == worst_average)
        length += snprintf(text + length, size - (size_t)length,
                           " All four scores average %d.%d of 5.", best_average / 10,
                           best_average % 10);
    else
        length += snprintf(
            text + length, size - (size_t)length,
            " Your strongest side was %s at %d.%d of 5; %s, at %d.%d, has the most "
            "room.",
            names[best], best_average / 10, best_average % 10, names[worst],
            worst_average / 10, worst_average % 10);
    say_trend(tally, text + length, size - (size_t)length);
}

__attribute__((format(printf, 2, 3))) static void add(struct list *list,
                                                      const char *format, ...)
{
    va_list arguments;

    if (list->count == list->limit)
        return;
    va_start(arguments, format);
    vsnprintf(list->items[list->count++], ITEM_BYTES, format, arguments);
    va_end(arguments);
}

static void list_strengths(const struct tally *tally, struct list *list)
{
    static const char *const praises[DIMENSION_COUNT] = {
        [DIMENSION_CLARITY] = "You were easy to follow",
        [DIMENSION_RELEVANCE] = "You stayed with the questions",
        [DIMENSION_STRUCTURE] = "Your answers had a clear shape",
        [DIMENSION_FILLER_WORDS] = "You used few filler words",
    };

    if (tally->best.number > 0 && tally->overall >= POOR)
        add(list, "Your best moment was in answer %zu: \"%s\".", tally->best.number,
            tally->best.quote);
    for (int i = 0; i < DIMENSION_COUNT; i++) {
        enum dimension dimension = tally->order[i];
        int average = tally->averages[dimension];

        if (average >= GOOD)
            add(list, "%s: %d.%d of 5.", praises[dimension], average / 10, average % 10);
    }
    if (list->count == 0 && tally->overall >= POOR) {
        int average = tally->averages[tally->order[0]];

        add(list, "Your best side was %s, at %d.%d of 5: build on it.",
            names[tally->order[0]], average / 10, average % 10);
    }
    if (list->count == 0)
        add(list, "You stayed to the end: %zu question%s.", tally->answers,
            tally->answers == 1 ? "" : "s");
}

/* "Answers 1, 2 and 4 told the same story." */
static void add_retold(const struct tally *tally, struct list *list)
{
    char numbers[ITEM_BYTES] = "";
    size_t length = 0;

    for (size_t i = 0; i < tally->retold_count; i++)
        length += (size_t)snprintf(numbers + length, sizeof(numbers) - length, "%s%zu",
                                   i == 0                         ? ""
                                   : i + 1 == tally->retold_count ? " and "
                                                                  : ", ",
                                   tally->retold[i]);
    add(list, "Answers %s told the same story: have another one ready.", numbers);
}

static void add_gap(struct list *list, size_t count, size_t answers, const char *what,
                    const struct said *said)
{
    if (said->number > 0)
        add(list, "%zu of %zu answers %s, as \"%s\".", count, answers, what, said->quote);
    else
        add(list, "%zu of %zu answers %s.", count, answers, what);
}

static void list_improvements(const struct tally *tally, struct list *list)
{
    static const char *const wishes[DIMENSION_COUNT] = {
        [DIMENSION_CLARITY] = "Make it easier to follow",
        [DIMENSION_RELEVANCE] = "Answer the question more directly",
        [DIMENSION_STRUCTURE] = "Give your answers a clearer shape",
        [DIMENSION_FILLER_WORDS] = "Use fewer filler words",
    };

    if (tally->retold_count > 0)
        add_retold(tally, list);
    if (tally->without_result > 0)
        add_gap(list, tally->without_result, tally->answers, "stop before the result",
                &tally->unfinished);
    if (tally->without_own_part > 0)
        add_gap(list, tally->without_own_part, tally->answers, "leave your own part open",
                &tally->shared);
    for (int i = DIMENSION_COUNT - 1; i >= 0 && tally->scored > 0; i--) {
        enum dimension dimension = tally->order[i];
        int average = tally->averages[dimension];

        if (average < GOOD)
            add(list, "%s: %d.%d of 5 so far.", wishes[dimension], average / 10,
                average % 10);
    }
    if (list->count == 0 && tally->brief > 0)
        add(list, "%zu of %zu answers were too short or too general to picture.",
            tally->brief, tally->answers);
    if (list->count == 0)
        add(list,
            "Little to mend. Add a figure or a small detail to make each story memorable.");
}

static bool is_weak(const struct tally *tally, enum dimension dimension)
{
    return tally->scored > 0 && tally->averages[dimension] < GOOD;
}

static void list_actions(const struct tally *tally, struct list *list)
{
    const struct {
        bool is_needed;
        const char *text;
    } actions[] = {
        {tally->without_result > 0,
         "For each story you plan to tell, write down one closing sentence with its result, and a "
         "figure if you can."},
        {tally->without_own_part > 0,
         "Retell one team story and replace every \"we\" that was really you with \"I\"."},
        {tally->brief > 0,
         "Prepare three real events you can tell in ninety seconds: situation, what you did, "
         "result."},
        {is_weak(tally, DIMENSION_FILLER_WORDS),
         "Record two minutes of yourself, count the fillers, and repeat with a silent pause in "
         "their place."},
        {is_weak(tally, DIMENSION_RELEVANCE),
         "Practise opening each answer with one sentence that uses the question's own words."},
        {is_weak(tally, DIMENSION_CLARITY),
         "Practise with a timer: one to two minutes, one thought at a time, and no sentence "
         "begun twice."},
        {is_weak(tally, DIMENSION_STRUCTURE) && tally->without_result == 0,
         "Before you speak, note four words: where it was, your task, what you did, the result."},
    };

    for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
        if (actions[i].is_needed)
            add(list, "%s", actions[i].text);
}

void coach_summary_write(const struct lexicon *lexicon, const struct coach_facts *facts,
                         struct buffer *out)
{
    struct tally tally = {0};
    struct list strengths = {.limit = STRENGTHS_MAX};
    struct list improvements = {.limit = IMPROVEMENTS_MAX};
    struct list actions = {.limit = ACTIONS_MAX};
    struct json_writer writer;
    char assessment[2 * ITEM_BYTES];

    count(lexicon, facts, &tally);
    write_assessment(&tally, assessment);
    list_strengths(&tally, &strengths);
    list_improvements(&tally, &improvements);
    list_actions(&tally, &actions);

    json_writer_init(&writer, out);
    json_begin_object(&writer);
    json_put_string(&writer, "overall_assessment", assessment);
    write_list(&writer, "strengths", &strengths);
    write_list(&writer, "improvements", &improvements);
    write_list(&writer, "recommended_actions", &actions);
    json_end_object(&writer);
    sodium_memzero(&tally, sizeof(tally));
    sodium_memzero(&strengths, sizeof(strengths));
    sodium_memzero(&improvements, sizeof(improvements));
}
