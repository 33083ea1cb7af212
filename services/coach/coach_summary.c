/*
 * The summary says in plain words what the scores and the answers show: averages, how
 * they moved from the first answer to the last, what was missing how often, and what to
 * practise.
 *
 * All figures are kept in tenths, so that no rounding of floating point decides a word.
 */
#include "coach_summary_internal.h"

#include "json.h"
#include "private_reveal.h"
#include "question_bank_internal.h"
#include "rubric_internal.h"

#include <stdarg.h>
#include <stdio.h>

enum { ITEM_BYTES = 400 };
enum { STRENGTHS_MAX = 3, IMPROVEMENTS_MAX = 3, ACTIONS_MAX = 4 };
enum { GOOD = 38 }; /* tenths: an average from here on is a strength */

struct tally {
    size_t answers, scored;
    size_t words;                  /* of all answers */
    int averages[DIMENSION_COUNT]; /* tenths; only where something was scored */
    int overall, first, last; /* tenths: of all scores, of the first and last answer's */
    size_t without_result, without_own_part, brief;
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

/* What the answer lacks, read again with its question in mind. */
static void count_lack(const struct lexicon *lexicon, enum role_family role,
                       const struct coach_turn *turn, struct tally *tally)
{
    struct reading reading;

    reading_make(&reading, lexicon, role, private_reveal(turn->question),
                 private_reveal(turn->transcript));
    tally->words += reading.answer.word_count;
    switch (rubric_lack(&reading)) {
    case LACK_RESULT: tally->without_result++; break;
    case LACK_OWN_PART: tally->without_own_part++; break;
    case LACK_WORDS:
    case LACK_EXAMPLE: tally->brief++; break;
    case LACK_REASON:
    case LACK_NOTHING: break;
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

    tally->answers = facts->turn_count;
    for (size_t i = 0; i < facts->turn_count; i++) {
        const struct coach_turn *turn = &facts->turns[i];
        size_t sum = 0;

        count_lack(lexicon, role, turn, tally);
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
}

static const char *const names[DIMENSION_COUNT] = {
    [DIMENSION_CLARITY] = "clarity",
    [DIMENSION_RELEVANCE] = "relevance",
    [DIMENSION_STRUCTURE] = "structure",
    [DIMENSION_FILLER_WORDS] = "speaking without fillers",
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
    enum dimension best = tally->order[0], worst = tally->order[DIMENSION_COUNT - 1];
    int best_average = tally->averages[best], worst_average = tally->averages[worst];
    int length;

    if (tally->scored == 0) {
        snprintf(
            text, size,
            "You answered %zu question%s, with about %zu words each. The answers were not "
            "scored, so this goes by what was said alone.",
            tally->answers, tally->answers == 1 ? "" : "s", average_words);
        return;
    }
    length = snprintf(
        text, size, "%s You answered %zu question%s with about %zu words each.",
        opening(tally), tally->answers, tally->answers == 1 ? "" : "s", average_words);
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
        [DIMENSION_FILLER_WORDS] = "You spoke calmly, with few filler words",
    };

    for (int i = 0; i < DIMENSION_COUNT; i++) {
        enum dimension dimension = tally->order[i];
        int average = tally->averages[dimension];

        if (average >= GOOD)
            add(list, "%s: %d.%d of 5.", praises[dimension], average / 10, average % 10);
    }
    if (list->count == 0 && tally->scored > 0) {
        int average = tally->averages[tally->order[0]];

        add(list, "Your best side was %s, at %d.%d of 5: build on it.",
            names[tally->order[0]], average / 10, average % 10);
    }
    if (list->count == 0)
        add(list, "You stayed to the end and answered every question.");
}

static void list_improvements(const struct tally *tally, struct list *list)
{
    static const char *const wishes[DIMENSION_COUNT] = {
        [DIMENSION_CLARITY] = "Make it easier to follow",
        [DIMENSION_RELEVANCE] = "Answer the question more directly",
        [DIMENSION_STRUCTURE] = "Give your answers a clearer shape",
        [DIMENSION_FILLER_WORDS] = "Use fewer filler words",
    };

    if (tally->without_result > 0)
        add(list, "%zu of %zu answers told what you did but not what came of it.",
            tally->without_result, tally->answers);
    if (tally->without_own_part > 0)
        add(list, "%zu of %zu answers said \"we\" and left your own part open.",
            tally->without_own_part, tally->answers);
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
    if (tally->without_result > 0)
        add(list,
            "For each story you plan to tell, write down one closing sentence with its "
            "result, and a figure if you can.");
    if (tally->without_own_part > 0)
        add(list,
            "Retell one team story and replace every \"we\" that was really you with \"I\".");
    if (tally->brief > 0)
        add(list,
            "Prepare three real events you can tell in ninety seconds: situation, what you "
            "did, result.");
    if (is_weak(tally, DIMENSION_FILLER_WORDS))
        add(list,
            "Record two minutes of yourself, count the fillers, and repeat with a silent "
            "pause in their place.");
    if (is_weak(tally, DIMENSION_RELEVANCE))
        add(list,
            "Practise opening each answer with one sentence that uses the question's own "
            "words.");
    if (is_weak(tally, DIMENSION_CLARITY))
        add(list,
            "Practise with a timer: one to two minutes, short sentences, one thought in "
            "each.");
    if (is_weak(tally, DIMENSION_STRUCTURE) && tally->without_result == 0)
        add(list,
            "Before you speak, note four words: where it was, your task, what you did, the "
            "result.");
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
}
