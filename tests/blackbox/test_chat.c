/*
 * POST /v1/chat: its four gates, with a scripted model that fails a story in which it is called on the way to
 * a refusal by the first.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

TestSuite(chat, .timeout = 120);

static void end(struct world *world, struct study *study)
{
    world_end(world);
    study_remove(study);
}

Test(chat, an_answer_has_the_sources_that_it_cites_and_a_measured_confidence)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);
    const char *passage = answering_passage(world, &study);
    model_will_answer(world, 0.8,
                      SENTENCES("It takes 30 milliseconds to open.", passage));

    const struct reply *reply = ask_chat(world, ANSWERABLE);

    expect_success(reply);
    expect_flag(reply, "data.refused", false);
    expect_null(reply, "data.refusal_reason");
    expect_number(reply, "data.confidence", 0.8);
    cr_assert_eq(length_at(reply, "data.sources"), 1);
    expect_text(reply, "data.sources.0.passage_id", passage);
    expect_null(reply, "data.sources.0.page");
    expect_warning(reply, NULL);
    cr_assert(number_at(reply, "data.latency_ms") >= 0);
    end(world, &study);
}

Test(chat, without_a_model_the_answer_is_an_extract)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach(study.setting);

    const struct reply *reply = ask_chat(world, ANSWERABLE);

    expect_text(reply, "data.generator", "extractive");
    cr_assert_not_null(strstr(text_at(reply, "data.answer"), ANSWER_WORDS));
    expect_number(reply, "data.confidence", 1);
    end(world, &study);
}

Test(chat, gate_1_the_best_passage_is_not_similar_enough)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting, "GROUND_ANSWER_SCORE=1");
    const struct reply *reply = ask_chat(world, ANSWERABLE);
    double score;

    expect_chat_refused(reply, "Top-1 similarity (0.");
    expect_chat_refused(reply, ") below threshold (1)");
    cr_assert_eq(
        sscanf(text_at(reply, "data.refusal_reason"), "Top-1 similarity (%lf)", &score),
        1);
    cr_assert(score > 0.5 && score < 1);
    expect_null(reply, "data.confidence");
    end(world, &study);
}

Test(chat, gate_1_nothing_was_found_at_all)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);

    expect_chat_refused(ask_chat(world, "Quokkalanterns?"),
                        "Top-1 similarity (0.00) below threshold (0.7)");
    end(world, &study);
}

/* A word of five letters or more may be found misspelt: then it is not in the passage. */
Test(chat, gate_2_warns_and_generation_goes_on)
{
    struct study study = study_make(NULL);
    struct world *world =
        world_with_groq(study.setting, "GROUND_ANSWER_SCORE=0", "GROUND_RELATED_SCORE=0");
    const char *passage = answering_passage(world, &study);
    model_will_answer(world, 1, SENTENCES("It takes 30 milliseconds to open.", passage));

    const struct reply *reply = ask_chat(world, "Kestrol mitliseconds?");

    expect_success(reply);
    expect_flag(reply, "data.refused", false);
    expect_warning(reply, "key_words_missing");
    model_will_answer(world, 1, SENTENCES("It takes 30 milliseconds to open.", passage));
    expect_warning(ask_chat(world, "Does the Kestrel gripper take 99 milliseconds?"),
                   "key_words_missing");
    model_will_answer(world, 1, SENTENCES("It takes 30 milliseconds to open.", passage));
    expect_warning(ask_chat(world, "Does the Kestrel gripper of Zorvath open?"),
                   "key_words_missing");
    end(world, &study);
}

Test(chat, gate_3_the_model_is_not_sure)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);
    const char *passage = answering_passage(world, &study);
    model_will_answer(world, 0.3,
                      SENTENCES("It takes 30 milliseconds to open.", passage));

    const struct reply *reply = ask_chat(world, ANSWERABLE);

    expect_chat_refused(reply, "Generation confidence (0.30) below threshold (0.6)");
    expect_number(reply, "data.confidence", 0.3);
    end(world, &study);
}

Test(chat, gate_3_measures_what_the_passages_support_and_not_what_the_model_states)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);
    const char *passage = answering_passage(world, &study);
    model_will_answer(world, 1,
                      SENTENCES("It takes 30 milliseconds to open.", passage,
                                "It costs 900 dollars.", passage,
                                "It was built by Ferdinand in Sevilla.", "nowhere#1"));

    const struct reply *reply = ask_chat(world, ANSWERABLE);

    expect_chat_refused(reply, "Generation confidence (0.33) below threshold (0.6)");
    end(world, &study);
}

Test(chat, gate_3_the_model_finds_no_answer)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);

    model_will_find_nothing(world);
    expect_chat_refused(ask_chat(world, ANSWERABLE), "do not carry an answer");
    model_will_find_nothing(world);
    expect_chat_refused(chat_selection(world, ANSWERABLE, SELECTED),
                        "do not carry an answer");
    end(world, &study);
}

/* Most of the answer holds, so that gate 3 lets it pass. */
static void expect_unsupported(struct world *world, const char *passage,
                               const char *sentence)
{
    model_will_answer(world, 1,
                      SENTENCES("The Kestrel gripper takes 30 milliseconds to open.",
                                passage, "The fingers are covered with silicone.",
                                passage, sentence, passage));

    expect_chat_refused(ask_chat(world, ANSWERABLE),
                        "Sentence 3 of the answer is not supported");
}

Test(chat, gate_4_a_sentence_that_no_cited_passage_supports)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);
    const char *passage = answering_passage(world, &study);

    expect_unsupported(world, passage, "It takes 46 milliseconds to close again.");
    expect_unsupported(world, passage,
                       "The fingers of Kowalski are covered with silicone.");
    expect_unsupported(world, passage, "The fingers are not covered with silicone.");
    expect_unsupported(world, passage, "Sunflowers grow tall behind quiet monasteries.");
    expect_unsupported(world, passage,
                       "The Kestrel gripper takes 45 milliseconds to open.");
    end(world, &study);
}

Test(chat, selected_text_that_says_nothing_of_the_question)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);

    expect_chat_refused(chat_selection(world, ANSWERABLE, "Rain scatters " CANARY "s."),
                        "Selected text coverage (0.00) below threshold (0.4)");
    end(world, &study);
}

Test(chat, an_answer_from_selected_text_cites_the_selection)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting);
    model_will_answer(world, 1,
                      SENTENCES("It takes 30 milliseconds to open.", "user-selection"));

    const struct reply *reply = chat_selection(world, ANSWERABLE, SELECTED);

    expect_success(reply);
    expect_text(reply, "data.sources.0.passage_id", "user-selection");
    expect_null(reply, "data.sources.0.page");
    end(world, &study);
}

Test(chat, the_same_question_gets_the_same_decision_again_and_again)
{
    static const char *const ASKED[] = {ANSWERABLE, ABOUT_NOTHING};
    struct study study = study_make(NULL);
    struct world *world =
        world_with_builtin_coach(study.setting, "REFUSAL_LOG=/dev/null");
    const char *first[2];

    for (int at = 0; at < 202; at++) {
        const struct reply *reply = ask_chat(world, ASKED[at % 2]);
        struct json_object *data = json_at(reply->json, "data");

        json_object_object_del(data, "latency_ms");
        if (at < 2)
            first[at] = words(world, "%s", json_object_to_json_string(data));
        cr_assert_str_eq(json_object_to_json_string(data), first[at % 2]);
    }
    end(world, &study);
}
