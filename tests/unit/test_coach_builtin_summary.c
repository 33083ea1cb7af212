/*
 * The summary of a whole session: what it says of averages and gaps, and that it stays
 * within the contract's bounds.
 */
#include "coach_builtin_probe.h"
#include "words.h"

#define DEADLINE "Can you walk me through a time you had to meet a very tight deadline?"
#define STORY                                                                                \
    "Last year our shop had to move before Christmas. I was asked to pack the storeroom. I " \
    "made a list, labelled every box and booked two helpers. In the end we opened on time."

struct summary_turn {
    const char *question, *transcript;
    int scores[DIMENSION_COUNT]; /* the first 0: not scored */
};

static struct json_object *summarise(const struct summary_turn *turns, size_t count)
{
    struct private_text texts[2 * 10];
    struct coach_turn coach_turns[10];

    for (size_t i = 0; i < count; i++) {
        texts[2 * i] = private_text_copy(turns[i].question, strlen(turns[i].question));
        texts[2 * i + 1] =
            private_text_copy(turns[i].transcript, strlen(turns[i].transcript));
        coach_turns[i] = (struct coach_turn){.number = (unsigned)i + 1,
                                             .question = &texts[2 * i],
                                             .transcript = &texts[2 * i + 1],
                                             .is_scored = turns[i].scores[0] > 0};
        memcpy(coach_turns[i].scores, turns[i].scores, sizeof(turns[i].scores));
    }
    struct probe probe = {.task = COACH_SUMMARY,
                          .role = "nurse",
                          .type = "general",
                          .turns = coach_turns,
                          .turn_count = count};
    struct json_object *summary = probe_json(&probe);
    for (size_t i = 0; i < 2 * count; i++)
        private_text_free(&texts[i]);
    return summary;
}

static void expect_list(struct json_object *summary, const char *key, size_t least,
                        size_t most, size_t words)
{
    struct json_object *list = json_member(summary, key);
    size_t count = json_object_array_length(list);

    cr_assert(count >= least && count <= most, "%zu %s", count, key);
    for (size_t i = 0; i < count; i++) {
        struct span item =
            span_of(json_object_get_string(json_object_array_get_idx(list, i)));
        cr_assert(item.length > 0 && words_count(item) <= words, "%s", item.bytes);
    }
}

static void expect_summary_in_bounds(struct json_object *summary)
{
    struct span assessment = json_member_string(summary, "overall_assessment");

    cr_assert(assessment.length > 0 && words_count(assessment) <= 60, "%s",
              assessment.bytes);
    expect_list(summary, "strengths", 1, 3, 20);
    expect_list(summary, "improvements", 1, 3, 20);
    expect_list(summary, "recommended_actions", 0, 4, 25);
}

Test(coach_builtin, sums_up_averages_and_how_they_moved)
{
    static const struct summary_turn turns[] = {
        {DEADLINE, "We did it.", {2, 3, 2, 5}},
        {DEADLINE, STORY, {4, 4, 4, 5}},
        {DEADLINE, STORY, {5, 5, 5, 5}},
    };
    struct json_object *summary = summarise(turns, 3);
    const char *assessment = probe_string(summary, "overall_assessment");

    cr_expect_not_null(strstr(assessment, "using few fillers at 5.0"), "%s", assessment);
    cr_expect_not_null(strstr(assessment, "rose from 3.0 to 5.0"), "%s", assessment);
    expect_summary_in_bounds(summary);
    json_object_put(summary);
}

Test(coach_builtin, sums_up_what_was_missing_and_what_to_do_about_it)
{
    static const char unfinished[] =
        "At my last job we had to deliver a website before Christmas. I wrote a list of "
        "everything that was missing and asked two colleagues for help with the pages.";
    static const struct summary_turn turns[] = {{DEADLINE, unfinished, {4, 4, 3, 5}},
                                                {DEADLINE, unfinished, {4, 4, 3, 5}}};
    struct json_object *summary = summarise(turns, 2);
    const char *improvement = json_object_get_string(
        json_object_array_get_idx(json_member(summary, "improvements"), 0));

    cr_expect_not_null(strstr(improvement, "2 of 2 answers"), "%s", improvement);
    cr_expect_geq(json_object_array_length(json_member(summary, "recommended_actions")),
                  1);
    json_object_put(summary);
}

static const char *improvement_of(struct json_object *summary, size_t index)
{
    return json_object_get_string(
        json_object_array_get_idx(json_member(summary, "improvements"), index));
}

Test(coach_builtin, notices_a_story_that_was_told_again)
{
    static const struct summary_turn turns[] = {
        {DEADLINE, STORY, {4, 4, 4, 5}},
        {DEADLINE,
         "I was late once because of a train, and I called my boss at once.",
         {3, 3, 3, 5}},
        {DEADLINE,
         "So last year our shop had to move before Christmas. I packed the storeroom and "
         "labelled every box, I made a list and booked two helpers, and we opened on time.",
         {4, 4, 4, 5}},
        {DEADLINE, STORY, {4, 4, 4, 5}},
    };
    struct json_object *summary = summarise(turns, 4);

    cr_expect_not_null(
        strstr(improvement_of(summary, 0), "Answers 1, 3 and 4 told the same story"),
        "%s", improvement_of(summary, 0));
    expect_summary_in_bounds(summary);
    json_object_put(summary);
}

Test(coach_builtin, quotes_the_best_moment_and_praises_no_nonsense)
{
    static const struct summary_turn good[] = {{DEADLINE, STORY, {5, 5, 5, 5}}};
    static const struct summary_turn nonsense[] = {{DEADLINE, "asdf", {1, 1, 1, 2}},
                                                   {DEADLINE, "asdf jkl", {1, 1, 1, 2}}};
    struct json_object *summary = summarise(good, 1);
    const char *strength = json_object_get_string(
        json_object_array_get_idx(json_member(summary, "strengths"), 0));

    cr_expect_not_null(strstr(strength, "answer 1: \"In the end we opened"), "%s",
                       strength);
    json_object_put(summary);
    summary = summarise(nonsense, 2);
    strength = json_object_get_string(
        json_object_array_get_idx(json_member(summary, "strengths"), 0));
    cr_expect_str_eq(strength, "You stayed to the end: 2 questions.");
    json_object_put(summary);
}

Test(coach_builtin, sums_up_within_bounds_whatever_the_scores)
{
    uint64_t state = 7;

    for (int i = 0; i < 500; i++) {
        struct summary_turn turns[10];
        char texts[10][4096 * 4];
        size_t count = next_random(&state) % 11;

        for (size_t k = 0; k < count; k++) {
            random_text(&state, texts[k], sizeof(texts[k]));
            turns[k] = (struct summary_turn){
                bank_questions[next_random(&state) % bank_question_count].text,
                texts[k],
                {0}};
            for (int d = 0; d < DIMENSION_COUNT && i % 5 != 0; d++)
                turns[k].scores[d] = 1 + (int)(next_random(&state) % 5);
        }
        struct json_object *summary = summarise(turns, count);
        expect_summary_in_bounds(summary);
        json_object_put(summary);
    }
}
