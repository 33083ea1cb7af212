/*
 * What makes a passage relevant: each feature by itself, and the selection's coverage.
 */
#include "relevance_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A corpus of 1,000 passages. */
static const struct {
    const char *stem;
    int64_t passages;
} stems[] = {
    {"brake", 20}, {"rotor", 5}, {"pad", 50},  {"wear", 100}, {"light", 400},
    {"eiffel", 3}, {"1889", 2},  {"tower", 8}, {"built", 90},
};

static int64_t passages_with(void *context, const char *stem)
{
    (void)context;
    for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++)
        if (strcmp(stems[i].stem, stem) == 0)
            return stems[i].passages;
    return 0;
}

/* Knows some misspellings, and would take one number for another. */
static bool stem_like(void *context, const char *stem, char *ret_stem, size_t size,
                      int64_t *ret_passages)
{
    const char *like = strcmp(stem, "rottor") == 0 || strcmp(stem, "roto") == 0 ||
                               strcmp(stem, "great") == 0
                           ? "rotor"
                       : strcmp(stem, "18889") == 0 ? "1889"
                                                    : NULL;

    (void)context;
    if (like == NULL)
        return false;
    snprintf(ret_stem, size, "%s", like);
    *ret_passages = passages_with(NULL, like);
    return true;
}

static const struct relevance_corpus corpus = {
    .passages = 1000,
    .mean_words = 10,
    .passages_with = passages_with,
    .stem_like = stem_like,
};

static double weight(int64_t passages)
{
    return log(1 + (1000 - (double)passages + 0.5) / ((double)passages + 0.5));
}

static struct relevance_features read_in(const char *question, const char *chapter,
                                         const char *section, const char *text)
{
    struct relevance *relevance = relevance_new();
    struct passage passage = {.chapter = (char *)(uintptr_t)chapter,
                              .section = (char *)(uintptr_t)section,
                              .text = (char *)(uintptr_t)text};
    struct relevance_question asked;
    struct relevance_features features;

    relevance_ask(relevance, span_of(question), &corpus, &asked);
    features = relevance_read(relevance, &asked, &corpus, &passage);
    relevance_question_done(&asked);
    relevance_free(relevance);
    return features;
}

static double coverage_of(const char *question, const char *text,
                          const struct relevance_corpus *from)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;
    double coverage;

    relevance_ask(relevance, span_of(question), from, &asked);
    coverage = relevance_coverage(relevance, &asked, span_of(text));
    relevance_question_done(&asked);
    relevance_free(relevance);
    return coverage;
}

#define NEAR(actual, expected) cr_expect_float_eq(actual, expected, 1e-9)

Test(relevance, a_question_is_its_distinct_stems_without_stop_words)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;

    relevance_ask(relevance, span_of("What is the brake, and when do brakes wear?"),
                  &corpus, &asked);
    cr_assert_eq(asked.count, 2);
    cr_expect_str_eq(asked.words[0].stem, "brake");
    cr_expect_str_eq(asked.words[1].stem, "wear");
    NEAR(asked.weight, weight(20) + weight(100) / 2);
    relevance_question_done(&asked);
    relevance_free(relevance);
}

static size_t words_in(const char *question)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;
    size_t count;

    relevance_ask(relevance, span_of(question), &corpus, &asked);
    count = asked.count;
    relevance_question_done(&asked);
    relevance_free(relevance);
    return count;
}

Test(relevance, words_of_asking_are_left_out_where_enough_is_left)
{
    cr_expect_eq(words_in("Hi, please tell me: do brake rotors wear? Thanks!"), 3);
    cr_expect_eq(words_in("Who wrote the thank-you note?"), 3, "it is what it is about");
    cr_expect_eq(words_in("Please tell me"), 3, "there is nothing else");
}

Test(relevance, a_word_that_the_corpus_does_not_have_weighs_most)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;

    relevance_ask(relevance, span_of("brake zeppelin"), &corpus, &asked);
    cr_assert_eq(asked.count, 2);
    cr_expect_gt(asked.words[1].weight, asked.words[0].weight);
    NEAR(asked.words[1].weight, weight(0));
    relevance_question_done(&asked);
    relevance_free(relevance);
}

Test(relevance, a_word_that_only_asks_weighs_a_fifth)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;

    relevance_ask(relevance, span_of("How many rotors wear?"), &corpus, &asked);
    cr_assert_eq(asked.count, 3);
    NEAR(asked.words[0].weight, weight(0) / 5);
    NEAR(asked.words[1].weight, weight(5));
    relevance_question_done(&asked);
    relevance_ask(relevance, span_of("In which year were rotors built?"), &corpus,
                  &asked);
    cr_assert_eq(asked.count, 3);
    cr_expect_str_eq(asked.words[0].stem, "year");
    NEAR(asked.words[0].weight, weight(0) / 5);
    relevance_question_done(&asked);
    relevance_ask(relevance, span_of("Many rotors? What happens?"), &corpus, &asked);
    cr_assert_eq(asked.count, 3);
    NEAR(asked.words[0].weight, weight(0) / 2);
    NEAR(asked.words[2].weight, weight(0) / 5);
    relevance_question_done(&asked);
    relevance_free(relevance);
}

/* "begin", but not "zeppelin" */
Test(relevance, a_word_that_anything_may_be_phrased_with_weighs_half)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;

    relevance_ask(relevance, span_of("Where does the light zeppelin begin?"), &corpus,
                  &asked);
    cr_assert_eq(asked.count, 3);
    NEAR(asked.words[0].weight, weight(400) / 2);
    NEAR(asked.words[1].weight, weight(0));
    NEAR(asked.words[2].weight, weight(0) / 2);
    relevance_question_done(&asked);
    relevance_free(relevance);
}

Test(relevance, another_word_for_the_same_is_half_a_hit)
{
    double brake = weight(20), begin = weight(0) / 2;

    NEAR(coverage_of("Do brakes begin?", "The brakes start.", &corpus),
         (brake + begin / 2) / (brake + begin));
    NEAR(coverage_of("Do brakes begin?", "Brakes start and begin.", &corpus), 1);
    NEAR(coverage_of("Do brakes begin?", "Brakes stop.", &corpus),
         brake / (brake + begin));
    NEAR(coverage_of("The brake was found", "He made a brake.", &corpus),
         coverage_of("The brake was found", "A brake.", &corpus));
}

Test(relevance, a_misspelt_word_stands_for_one_that_is_like_it_at_four_fifths)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;

    relevance_ask(relevance, span_of("rottor"), &corpus, &asked);
    cr_expect_str_eq(asked.words[0].stem, "rotor");
    NEAR(asked.words[0].credit, 0.8);
    NEAR(asked.words[0].weight, weight(5));
    relevance_question_done(&asked);
    relevance_free(relevance);
    NEAR(coverage_of("rottor", "The rotor wears.", &corpus), 0.8);
    NEAR(coverage_of("roto", "The rotor wears.", &corpus), 0.8);
    NEAR(coverage_of("Is Roto", "The rotor wears.", &corpus), 0);
    NEAR(coverage_of("great", "The rotor wears.", &corpus), 0);
    NEAR(coverage_of("rottor", "The rottor is no rotor.", &corpus), 1);
}

Test(relevance, a_number_is_never_taken_for_another)
{
    NEAR(coverage_of("18889", "Built in 1889.", &corpus), 0);
}

Test(relevance, the_six_rarest_words_that_are_there_are_searched_for)
{
    struct relevance *relevance = relevance_new();
    struct relevance_question asked;
    const char *found[3];

    relevance_ask(relevance, span_of("light zeppelin pad rotor brake"), &corpus, &asked);
    cr_assert_eq(relevance_rarest(&asked, 3, 1000, found), 3);
    cr_expect_str_eq(found[0], "rotor");
    cr_expect_str_eq(found[1], "brake");
    cr_expect_str_eq(found[2], "pad");
    cr_expect_eq(relevance_rarest(&asked, 3, 74, found), 2, "5 + 20 + 50 are too many");
    cr_expect_eq(relevance_rarest(&asked, 3, 1, found), 2, "never fewer than two");
    relevance_question_done(&asked);
    relevance_free(relevance);
}

Test(relevance, the_window_is_two_sentences_and_headings_count_everywhere)
{
    double whole = weight(20) + weight(5) + weight(50);
    struct relevance_features apart =
        read_in("brake rotor pad", "", "",
                "The brake is new. The rotor is old. Nothing else is. A pad is thin.");
    struct relevance_features headed =
        read_in("brake rotor pad", "Pads", "",
                "The brake is new. Nothing else is. The rotor is old.");

    NEAR(apart.window, (weight(20) + weight(5)) / whole);
    NEAR(headed.window, (weight(5) + weight(50)) / whole);
    NEAR(headed.headings, weight(50) / whole);
    NEAR(apart.headings, 0);
}

Test(relevance, bm25_is_over_its_ceiling_and_a_heading_is_one_more_occurrence)
{
    /* ten words, the mean: the saturation is k1 */
    const char *text = "The brake is here and then it is quite gone.";

    NEAR(read_in("brake", "", "", text).bm25, 1 / (1 + 1.2));
    NEAR(read_in("brake", "Brakes", "", text).bm25, 2 / (2 + 1.2));
    NEAR(read_in("brake rotor", "", "", text).bm25,
         weight(20) / (1 + 1.2) / (weight(20) + weight(5)));
}

Test(relevance, neighbours_stand_within_three_words_either_way_round)
{
    NEAR(read_in("brake rotor", "", "", "The rotor of the brake.").neighbours, 1);
    NEAR(read_in("brake rotor", "", "", "The rotor is not on the brake.").neighbours, 0);
    NEAR(read_in("brake rotor pad", "", "", "A brake rotor, and far off a pad.")
             .neighbours,
         0.5);
    NEAR(read_in("brake", "", "", "The brake.").neighbours, 0);
}

Test(relevance, names_and_numbers_that_are_nowhere_are_missing)
{
    NEAR(read_in("Was the Eiffel Tower built in 1889?", "", "", "The Eiffel Tower.")
             .missing,
         1.0 / 3);
    NEAR(read_in("Was the Eiffel Tower built in 1889?", "1889", "Eiffel", "The tower.")
             .missing,
         0);
    NEAR(read_in("was it built", "", "", "Nothing.").missing, 0);
}

Test(relevance, the_score_is_the_logistic_of_the_features)
{
    struct relevance_features features = {.window = 0.9,
                                          .bm25 = 0.4,
                                          .neighbours = 0.5,
                                          .headings = 0.3,
                                          .missing = 0.5,
                                          .words = 5,
                                          .margin = 0.6};
    struct relevance_features none = {.window = 1};
    double z = -8.1 + 2.3 * 0.9 + 2.75 * 0.4 + 3.35 * 0.5 + 4.35 * 0.3 - 2.65 * 0.5 +
               1.75 * log(6) + 3.5 * 0.6;

    NEAR(relevance_score(&features), 1 / (1 + exp(-z)));
    NEAR(relevance_score(&none), 0);
}

Test(relevance, a_question_of_stop_words_scores_nothing)
{
    struct relevance_features features =
        read_in("what is it", "", "", "It is what it is.");

    NEAR(relevance_score(&features), 0);
    NEAR(coverage_of("what is it", "It is what it is.", &corpus), 0);
}

Test(relevance, coverage_is_by_weight_and_without_a_corpus_by_number)
{
    static const struct {
        const char *question, *text;
        double weighted, plain;
    } cases[] = {
        {"brake rotor", "Brakes and rotors.", 1, 1},
        {"brake rotor", "A rotor.", 0.5724, 0.5},
        {"brake zeppelin", "A brake.", 0.3384, 0.5},
        {"brake rotor", "Nothing of it.", 0, 0},
        {"brake rotor", "", 0, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        cr_expect_float_eq(coverage_of(cases[i].question, cases[i].text, &corpus),
                           cases[i].weighted, 1e-3, "%s / %s", cases[i].question,
                           cases[i].text);
        NEAR(coverage_of(cases[i].question, cases[i].text, NULL), cases[i].plain);
    }
}
