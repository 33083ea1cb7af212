/*
 * The answer without a model: sentences of the passages that hold what is asked for, as a person wants to read
 * them.
 */
#include "generate_internal.h"
#include "private_reveal.h"
#include "words.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct passage three[] = {
    {.id = "rivers#1",
     .chapter = "Rivers",
     .section = "The Ardelle",
     .page = -1,
     .text =
         "The Ardelle rises in the Korvan hills and flows 412 kilometres to the sea. Its largest "
         "tributary, the Mira, joins it at Lissau. Do salmon still reach Lissau? Salmon no longer "
         "reach the upper river.",
     .score = 0.9},
    {.id = "rivers#2",
     .chapter = "Rivers",
     .section = "Dams",
     .page = -1,
     .text =
         "The dam at Tolme was finished in 1977, because floods had reached Lissau almost every "
         "spring. It was planned by Ida Marsh. A fish ladder was added later.\n\n"
         "| Dam | Power |\n|---|---|\n| Tolme | 240 megawatts |\n| Osse | 90 megawatts |\n",
     .score = 0.8},
    {.id = "bread#1",
     .chapter = "Bread",
     .section = "",
     .page = -1,
     .text =
         "Bread is baked at 240 degrees. The dough rests for six hours. Salmon no longer reach "
         "the upper river.",
     .score = 0.5},
};
static const struct passages given = {three, 3};

static struct generated extract(const char *question, const struct passages *passages)
{
    struct private_text text = private_text_copy(question, strlen(question));
    struct thesaurus *thesaurus = thesaurus_new();
    struct generated generated = {0};

    generate_extract(thesaurus, &text, passages, &generated);
    thesaurus_free(thesaurus);
    private_text_free(&text);
    return generated;
}

static void expect_holds(const char *question, const char *answer)
{
    struct generated generated = extract(question, &given);
    struct private_text text = generated_text(&generated);

    cr_expect(generated.is_extractive && !generated.is_refused, "of %s", question);
    cr_expect(generated.count >= 1 && generated.count <= 3, "%zu of %s", generated.count,
              question);
    cr_expect_not_null(strstr(private_reveal(&text).bytes, answer), "of %s: %s", question,
                       private_reveal(&text).bytes);
    private_text_free(&text);
    generated_done(&generated);
}

Test(extract, the_answer_holds_what_is_asked_for)
{
    expect_holds("How long is the Ardelle?", "412 kilometres");
    expect_holds("When was the dam at Tolme finished?", "1977");
    expect_holds("Why was the dam finished?", "floods had reached");
    expect_holds("Who planned the dam at Tolme?", "Ida Marsh");
    expect_holds("Where does the Ardelle rise?", "Korvan hills");
    expect_holds("What is the largest tributary?", "the Mira");
    expect_holds("Do salmon reach the upper river?", "no longer");
    expect_holds("How much power does the dam at Osse have?", "90 megawatts");
    expect_holds("how many hours does dough rest", "six hours");
    expect_holds("What was finished?", "1977");
}

/* Of four sentences with the question's words, at most three are taken: the last one has what is asked. */
static void expect_prefers(const char *question, const char *last, const char *answer)
{
    char text[512];
    struct passage passage = {.id = three[0].id,
                              .chapter = three[0].chapter,
                              .section = three[2].section,
                              .page = -1,
                              .text = text};
    struct generated generated;
    struct private_text found;

    snprintf(
        text, sizeof(text),
        "The tower of stone has steps. The old tower of stone has steps. The tower of stone "
        "has worn steps. %s",
        last);
    generated = extract(question, &(struct passages){&passage, 1});
    found = generated_text(&generated);
    cr_expect_not_null(strstr(private_reveal(&found).bytes, answer), "of %s: %s",
                       question, private_reveal(&found).bytes);
    private_text_free(&found);
    generated_done(&generated);
}

Test(extract, a_sentence_with_what_is_asked_for_comes_first)
{
    expect_prefers("How many steps does the tower of stone have?",
                   "The tower of stone has 412 steps.", "412");
    expect_prefers("Who laid the steps of the tower of stone?",
                   "The steps of the tower of stone are by Ida Marsh.", "Ida Marsh");
    expect_prefers("Why has the tower of stone steps?",
                   "The tower of stone has steps because of boats.", "because");
    expect_prefers("What did the tower of stone cost?",
                   "The price of the tower of stone was 412 crowns.", "412");
}

Test(extract, every_sentence_stands_in_each_passage_that_it_cites)
{
    struct generated generated =
        extract("Do salmon reach the upper river at Lissau?", &given);

    cr_assert_gt(generated.count, 0);
    for (size_t i = 0; i < generated.count; i++) {
        const char *text = private_reveal(&generated.sentences[i].quoted).bytes;

        cr_expect_neq(generated.sentences[i].cited, 0);
        for (size_t at = 0; at < given.count; at++)
            cr_expect_eq(strstr(three[at].text, text) != NULL,
                         generated.sentences[i].cited >> at & 1, "%s", text);
    }
    generated_done(&generated);
}

/* What is answered to a question about one text. */
static void expect_answer(const char *question, const char *text, const char *answer)
{
    char copy[4096];
    struct passage passage = three[0];
    struct generated generated;
    struct private_text found;

    snprintf(copy, sizeof(copy), "%s", text);
    passage.text = copy;
    generated = extract(question, &(struct passages){&passage, 1});
    found = generated_text(&generated);
    cr_expect_str_eq(private_reveal(&found).bytes, answer, "of %s: %s", question,
                     private_reveal(&found).bytes);
    private_text_free(&found);
    generated_done(&generated);
}

Test(extract, signs_of_markdown_and_of_citation_are_left_out)
{
    expect_answer("How is the tank cooled?",
                  "The **tank** is cooled by [brine](brine.md) from `pump_2`,[3] which\n"
                  "> *never* stops (Marsh, 1977).",
                  "The tank is cooled by brine from pump_2, which never stops.");
    expect_answer(
        "How is the tank cooled?",
        "The tank <b>is</b> cooled\\_by ![a pump](p.png) snake_case [12, 13] 2 * 3.",
        "The tank is cooled_by snake_case 2 * 3.");
    expect_answer("How is the tank cooled?",
                  "<!-- draft --> The tank is cooled by brine[citation needed].",
                  "The tank is cooled by brine.");
    expect_answer(
        "How is the tank cooled?",
        "The tank[1][12] is[3] [soon](s.md){{cite|Marsh}} cooled<ref name=\"m\">Marsh</ref> by "
        "20&nbsp;l of ~~water~~brine (see [below](#b)) and ice (Marsh 1977, pp. "
        "3\u20139; [Hill et al., 1980]) in (old) pipes (Fig. 2).",
        "The tank is soon cooled by 20 l of brine and ice in (old) pipes.");
}

Test(extract, a_row_of_a_table_is_put_in_words_and_stands_alone)
{
    expect_answer("What is the power of the Osse dam?",
                  "The power is sold.\n\n| Dam | Power |\n|---|---|\n"
                  "| Osse dam | **90** megawatts | 1977 |\n",
                  "Osse dam: 90 megawatts, 1977");
}

Test(extract, headings_and_captions_and_code_are_no_answers)
{
    expect_answer(
        "What lifts the gripper?",
        "3.2 Gripper\nThe gripper is lifted by a chain that runs over two wheels.",
        "The gripper is lifted by a chain that runs over two wheels.");
    expect_answer("What lifts the gripper?",
                  "### What lifts the gripper\n\nFigure 3. What lifts the gripper.\n\n"
                  "```\nlift(gripper, what)\n```\n\nA chain lifts the gripper.",
                  "A chain lifts the gripper.");
    expect_answer("What lifts the gripper?",
                  "![Lift](lift.png)\n*What lifts the gripper, in 1911. By I. Marsh*\n\n"
                  "A chain lifts the gripper.",
                  "A chain lifts the gripper.");
}

Test(extract, what_hangs_on_the_sentence_before_takes_it_along_or_gives_way)
{
    expect_answer("How many litres does the tank hold?",
                  "The tank stands in the yard. It holds 900 litres. Nobody swims there.",
                  "The tank stands in the yard. It holds 900 litres.");
    expect_answer("How many litres does the tank hold?",
                  "The tank stands in the yard. Since 1977 it holds 900 litres. Nobody "
                  "swims there.",
                  "The tank stands in the yard. Since 1977 it holds 900 litres.");
    expect_answer("How many litres does the tank hold?",
                  "It holds 900 litres in the tank. The tank holds 900 litres of brine.",
                  "The tank holds 900 litres of brine.");
    expect_answer("How many litres does it hold?", "For example, it holds 900 litres.",
                  "For example, it holds 900 litres.");
}

Test(extract, a_question_of_nothing_but_asking_is_answered_by_its_words)
{
    expect_answer("What is its name?", "The tank stands. Its name is Bertha.",
                  "The tank stands. Its name is Bertha.");
}

Test(extract, nothing_is_said_twice)
{
    expect_answer("How many litres does the tank hold?",
                  "The tank holds 900 litres.\n\nThe tank holds 900 litres!",
                  "The tank holds 900 litres.");
}

#define TEN   "one two three four five six seven eight nine ten"
#define FORTY TEN " " TEN " " TEN " " TEN

/* At clauses, around what is asked for. */
Test(extract, a_long_sentence_is_cut_and_no_sentence_goes_past_eighty_words)
{
    struct generated generated;
    struct passage passage = three[0];
    char text[4096];
    int length = 0;
    struct private_text found;

    expect_answer("How many litres does the tank hold?",
                  FORTY ", " FORTY ", the tank holds 900 litres of brine, " FORTY ".",
                  "\u2026 the tank holds 900 litres of brine, " FORTY ".");
    /* 3 sentences of 40 words each, no two alike */
    for (int i = 0; i < 3; i++) {
        length += sprintf(text + length, "%sThe tank holds brine", i > 0 ? ". " : "");
        for (int k = 0; k < 36; k++)
            length += sprintf(text + length, " %c%cq", 'a' + 8 * i, 'a' + k % 26);
    }
    passage.text = strcat(text, ".");
    generated = extract("What does the tank hold?", &(struct passages){&passage, 1});
    found = generated_text(&generated);
    cr_expect_eq(generated.count, 2);
    cr_expect_eq(words_count(private_reveal(&found)), 80);
    private_text_free(&found);
    generated_done(&generated);
}

Test(extract, sentences_stand_in_document_order_and_none_twice)
{
    struct generated generated =
        extract("Do salmon reach the upper river at Lissau?", &given);
    struct private_text text = generated_text(&generated);
    const char *bytes = private_reveal(&text).bytes;
    const char *first = strstr(bytes, "Salmon no longer");

    cr_assert_not_null(first, "%s", bytes);
    cr_expect_null(strstr(first + 1, "Salmon no longer"), "%s", bytes);
    for (size_t i = 1; i < generated.count; i++)
        cr_expect_leq(__builtin_ctzll(generated.sentences[i - 1].cited),
                      __builtin_ctzll(generated.sentences[i].cited), "%s", bytes);
    private_text_free(&text);
    generated_done(&generated);
}

Test(extract, what_the_passages_say_nothing_of_is_refused)
{
    static const char *const questions[] = {"Which quasar is brightest?", "", "???",
                                            "What is it?"};

    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        struct generated generated = extract(questions[i], &given);

        cr_expect(generated.is_refused, "of %s", questions[i]);
        cr_expect_eq(generated.count, 0);
        generated_done(&generated);
    }
    cr_expect(
        extract("How long is the Ardelle?", &(struct passages){NULL, 0}).is_refused);
}

Test(extract, an_extract_supports_itself)
{
    struct generated generated = extract("When was the dam at Tolme finished?", &given);
    struct private_text none = {0};
    int unsupported;

    cr_expect_eq(generated_confidence(&generated, &none, &given, &unsupported), 1);
    cr_expect_eq(unsupported, -1);
    generated_done(&generated);
}

Test(extract, the_same_question_has_the_same_answer)
{
    struct generated first = extract("How much power do the dams have?", &given);
    struct private_text expected = generated_text(&first);

    for (int i = 0; i < 200; i++) {
        struct generated again = extract("How much power do the dams have?", &given);
        struct private_text text = generated_text(&again);

        cr_assert(private_text_equals(&text, &expected));
        private_text_free(&text);
        generated_done(&again);
    }
    private_text_free(&expected);
    generated_done(&first);
}
