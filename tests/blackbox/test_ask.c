/*
 * POST /ask: every row of its list of gates, and what an answer looks like.  The scripted model fails a story
 * in which it is called on the way to a refusal.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

TestSuite(ask, .timeout = 120);

/* A world with a model that nobody expects to be called. */
static struct world *world_of(const struct study *study)
{
    return world_with_groq(study->setting);
}

static void end(struct world *world, struct study *study)
{
    world_end(world);
    study_remove(study);
}

Test(ask, without_a_model_the_answer_is_an_extract_with_its_sources)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach(study.setting);

    const struct reply *reply = ask_textbook(world, ANSWERABLE);

    expect_success(reply);
    cr_assert_not_null(strstr(text_at(reply, "data.answer"), ANSWER_WORDS));
    expect_flag(reply, "data.was_refusal", false);
    expect_null(reply, "data.refusal_reason");
    expect_text(reply, "data.generator", "extractive");
    cr_assert(number_at(reply, "data.chunks_retrieved") >= 1);
    cr_assert(number_at(reply, "data.max_score") >= 0.7);
    expect_text(reply, "data.sources.0.chapter", "Grippers");
    cr_assert_not_null(strstr(text_at(reply, "data.sources.0.snippet"), ANSWER_WORDS));
    cr_assert(number_at(reply, "data.sources.0.score") >= 0.7);
    end(world, &study);
}

Test(ask, a_model_answers_from_the_good_passages_alone)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);
    const char *passage = answering_passage(world, &study);
    model_will_answer(world, 0.9, SENTENCES("It takes 30 milliseconds.", passage));

    const struct reply *reply = ask_textbook(world, ANSWERABLE);

    expect_success(reply);
    expect_text(reply, "data.answer", "It takes 30 milliseconds.");
    expect_text(reply, "data.generator", "groq");
    const struct call *call = upstream_call(world->upstream, 0);
    cr_assert(json_object_get_double(json_at(call->json, "temperature")) == 0);
    cr_assert(json_has(call->json, "seed"));
    cr_assert(bytes_has(&call->body, ANSWER_WORDS));
    cr_assert_not(bytes_has(&call->body, "Marlin"), "a passage that is not good enough");
    end(world, &study);
}

Test(ask, gate_1_a_selection_that_says_nothing_of_the_question)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);

    const struct reply *reply =
        ask_selection(world, ANSWERABLE, "Rain scatters a laser, and " CANARY " too.");

    expect_refused(reply, "selected_text_insufficient", SELECTION_MESSAGE);
    expect_number(reply, "data.chunks_retrieved", 0);
    expect_null(reply, "data.max_score");
    end(world, &study);
}

/* Also where the corpus leaves the topic out: a selection is all there is. */
Test(ask, a_selection_is_all_that_is_used)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);
    model_will_answer(world, 1, SENTENCES("It takes 30 milliseconds.", "user-selection"));

    const struct reply *reply = ask_selection(world, ANSWERABLE, SELECTED);

    expect_success(reply);
    expect_text(reply, "data.sources.0.passage_id", "user-selection");
    cr_assert_eq(length_at(reply, "data.sources"), 1);
    expect_number(reply, "data.chunks_retrieved", 0);
    const struct call *call = upstream_call(world->upstream, 0);
    cr_assert(bytes_has(&call->body, CANARY));
    cr_assert_not(bytes_has(&call->body, "glass does not slip"),
                  "something was searched");
    end(world, &study);
}

Test(ask, gate_2_nothing_that_has_to_do_with_the_question)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);

    const struct reply *reply = ask_textbook(world, ABOUT_NOTHING);

    expect_refused(reply, "empty_retrieval", EMPTY_MESSAGE);
    expect_number(reply, "data.chunks_retrieved", 0);
    expect_null(reply, "data.max_score");
    end(world, &study);
}

/* No score is as much as 1: what is related is never enough. */
Test(ask, gate_3_related_content_that_is_not_enough)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_groq(study.setting, "GROUND_ANSWER_SCORE=1");

    const struct reply *reply = ask_textbook(world, ANSWERABLE);

    expect_refused(reply, "insufficient_context", INSUFFICIENT_MESSAGE);
    cr_assert(number_at(reply, "data.chunks_retrieved") >= 1);
    cr_assert(number_at(reply, "data.max_score") >= 0.5);
    end(world, &study);
}

Test(ask, gate_4_a_topic_that_the_corpus_leaves_out)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);

    const struct reply *reply =
        ask_textbook(world, "Who does the PID tuning of the wheel controller?");

    expect_refused(reply, "out_of_scope",
                   "This topic is outside the scope of this course. The Small Robots "
                   "covers: grippers, lidars and wheels. For PID tuning, please refer to "
                   "specialized resources.");
    cr_assert(number_at(reply, "data.max_score") >= 0.7);
    end(world, &study);
}

/* The order is the list's: what was not found is not out of scope. */
Test(ask, a_topic_that_is_left_out_and_not_found_is_an_empty_retrieval)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);

    expect_refused(ask_textbook(world, "Does " CANARY " PID tuning suit Shakespeare?"),
                   "empty_retrieval",
                   EMPTY_MESSAGE
                   " If you're looking for information on PID tuning (control "
                   "theory), this may be outside the scope of the Small Robots "
                   "course.");
    end(world, &study);
}

/* An empty selection is none. */
Test(ask, nothing_selected_is_no_selection)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach(study.setting);

    expect_text(ask_selection(world, ANSWERABLE, ""), "data.sources.0.chapter",
                "Grippers");
    end(world, &study);
}

/* Also what no answer was made from, as long as it has to do with the question at all. */
Test(ask, the_sources_are_the_best_that_was_found_and_the_answer_is_from_the_good_ones)
{
    static const char QUESTION[] =
        "How long does the Kestrel gripper take to open when it lifts?";
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach(study.setting);

    const struct reply *reply = ask_textbook(world, QUESTION);

    expect_flag(reply, "data.sources.0.cited", true);
    expect_flag(reply, "data.sources.1.cited", true);
    cr_assert_not_null(strstr(text_at(reply, "data.answer"), "flour"));
    cr_assert_eq(length_at(reply, "data.sources"), 2, "the third has below 0.1");
    world_end(world);
    world = world_with_builtin_coach(study.setting, "GROUND_ANSWER_SCORE=0.95");
    reply = ask_textbook(world, QUESTION);
    expect_success(reply);
    cr_assert(number_at(reply, "data.sources.0.score") >= 0.95);
    expect_flag(reply, "data.sources.0.cited", true);
    cr_assert(number_at(reply, "data.sources.1.score") < 0.95);
    expect_flag(reply, "data.sources.1.cited", false);
    cr_assert_null(strstr(text_at(reply, "data.answer"), "flour"));
    cr_assert_eq(length_at(reply, "data.sources"), 2);
    end(world, &study);
}

Test(ask, of_many_passages_five_are_shown_in_their_order)
{
    struct study study = study_of("# Grippers\n\n"
                                  "## One\n\nThe Kestrel gripper opens at noon.\n\n"
                                  "## Two\n\nThe Kestrel gripper opens for tea.\n\n"
                                  "## Three\n\nThe Kestrel gripper opens in rain.\n\n"
                                  "## Four\n\nThe Kestrel gripper opens a jar.\n\n"
                                  "## Five\n\nThe Kestrel gripper opens slowly.\n\n"
                                  "## Six\n\nThe Kestrel gripper opens doors.\n",
                                  NULL);
    struct world *world = world_with_builtin_coach(
        study.setting, "GROUND_ANSWER_SCORE=0.1", "GROUND_RELATED_SCORE=0.1");

    const struct reply *reply =
        ask_textbook(world, "When does the Kestrel gripper open a jar, or for tea?");

    cr_assert_eq(length_at(reply, "data.sources"), 5);
    for (int at = 0; at < 4; at++)
        cr_assert_lt(
            strcmp(text_at(reply, words(world, "data.sources.%d.passage_id", at)),
                   text_at(reply, words(world, "data.sources.%d.passage_id", at + 1))),
            0, "not in the document's order");
    end(world, &study);
}

/* One letter is wrong in each of two words. */
Test(ask, misspelt_words_find_what_was_meant)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach(study.setting);

    const struct reply *reply =
        ask_textbook(world, "how many miliseconds does the kestral gripper take to opn?");

    expect_flag(reply, "data.was_refusal", false);
    cr_assert_not_null(strstr(text_at(reply, "data.answer"), ANSWER_WORDS));
    end(world, &study);
}

/* "weigh" for "is ... heavy", and words that nobody's text needs to have. */
Test(ask, other_words_for_the_same_find_what_was_meant)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach(study.setting);

    const struct reply *reply =
        ask_textbook(world, "hey, quick question: why can't glass drop from the grippers "
                            "fingers, what are they wrapped in?");

    expect_flag(reply, "data.was_refusal", false);
    cr_assert_not_null(strstr(text_at(reply, "data.answer"), "covered with silicone"));
    end(world, &study);
}

/* "cooled by liquid helium", where the passages say brine */
Test(ask, an_answer_that_its_passages_do_not_support_is_a_refusal)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);
    const char *passage = answering_passage(world, &study);

    model_will_answer(world, 1,
                      SENTENCES("It takes 30 milliseconds.", passage,
                                "It takes 45 minutes to cool the helium.", passage));
    expect_refused(ask_textbook(world, ANSWERABLE), "insufficient_context",
                   INSUFFICIENT_MESSAGE);
    model_will_answer(world, 1, SENTENCES("It takes 90 milliseconds.", "user-selection"));
    expect_refused(ask_selection(world, ANSWERABLE, SELECTED),
                   "selected_text_insufficient", SELECTION_MESSAGE);
    end(world, &study);
}

/* What is asked takes its own words for given, and "Is it so?" nothing. */
Test(ask, an_answer_may_be_phrased_in_the_words_of_its_question)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);
    const char *passage = answering_passage(world, &study);
    const char *claim = "The Kestrel gripper takes 30 milliseconds to open its claws.";

    model_will_answer(world, 1, SENTENCES(claim, passage));
    expect_text(
        ask_textbook(world, "How long does the Kestrel gripper take to open its claws?"),
        "data.answer", claim);
    model_will_answer(world, 1, SENTENCES(claim, passage));
    expect_refused(ask_textbook(world, ANSWERABLE), "insufficient_context",
                   INSUFFICIENT_MESSAGE);
    model_will_answer(world, 1, SENTENCES(claim, passage));
    expect_refused(ask_textbook(world,
                                "Does the Kestrel gripper take 30 milliseconds to open "
                                "its claws?"),
                   "insufficient_context", INSUFFICIENT_MESSAGE);
    end(world, &study);
}

Test(ask, a_model_that_finds_no_answer_is_a_refusal)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);

    model_will_find_nothing(world);
    expect_refused(ask_textbook(world, ANSWERABLE), "insufficient_context",
                   INSUFFICIENT_MESSAGE);
    model_will_find_nothing(world);
    expect_refused(ask_selection(world, ANSWERABLE, SELECTED),
                   "selected_text_insufficient", SELECTION_MESSAGE);
    end(world, &study);
}

/* Citations are required, and those of what was not given are dropped. */
Test(ask, an_answer_that_cites_nothing_that_was_given_is_a_refusal)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);
    model_will_answer(world, 1, SENTENCES("It takes 30 milliseconds.", "grippers#99"));

    expect_refused(ask_textbook(world, ANSWERABLE), "insufficient_context",
                   INSUFFICIENT_MESSAGE);
    end(world, &study);
}

Test(ask, the_filter_stops_question_selection_and_answer)
{
    struct study study = study_make(NULL);
    struct world *world = world_of(&study);
    const char *passage = answering_passage(world, &study);

    expect_content_refused(ask_textbook(world, "fuck you " CANARY), "filter");
    expect_content_refused(ask_selection(world, ANSWERABLE, "fuck " SELECTED), "filter");
    expect_content_refused(ask_chat(world, "fuck you " CANARY), "filter");
    model_will_answer(world, 1, SENTENCES("Fuck, it takes 30 milliseconds.", passage));
    expect_content_refused(ask_textbook(world, ANSWERABLE), "model");
    end(world, &study);
}

/* The example of patterns that ships, each of its topics in a corpus that does speak of them. */
Test(ask, the_patterns_for_a_robotics_course_know_their_topics)
{
    static const char *const TOPICS[] = {"PID tuning",
                                         "optimal control",
                                         "MPC",
                                         "model predictive",
                                         "Kalman filter",
                                         "LQR",
                                         "sliding mode",
                                         "PWM",
                                         "pulse width",
                                         "current control",
                                         "motor driver",
                                         "H-bridge",
                                         "MOSFET",
                                         "brushless DC",
                                         "PCB",
                                         "printed circuit",
                                         "mechanical CAD",
                                         "SolidWorks",
                                         "fabrication",
                                         "3D print",
                                         "machining",
                                         "fine-tune a model",
                                         "train an LLM",
                                         "backpropagation",
                                         "gradient descent",
                                         "loss function",
                                         "ROS 1",
                                         "catkin",
                                         "rosbuild",
                                         "roslaunch demo.launch",
                                         "Webots",
                                         "CoppeliaSim",
                                         "V-REP",
                                         "PyBullet"};
    struct bytes json = {0};
    cr_assert(bytes_add_file(&json, PATTERNS "/robotics.corpus.json"));
    struct study study =
        study_of("# Wheels\n\nEach wheel has a rubber tyre.\n", json.data);
    struct world *world =
        world_with_groq(study.setting, "GROUND_ANSWER_SCORE=0", "GROUND_RELATED_SCORE=0");

    for (size_t at = 0; at < sizeof TOPICS / sizeof *TOPICS; at++) {
        const struct reply *reply =
            ask_textbook(world, words(world, "Which wheel tyre suits %s?", TOPICS[at]));

        cr_assert_eq(reply->status, 200, "%s went to the model", TOPICS[at]);
        cr_assert_str_eq(text_at(reply, "data.refusal_reason"), "out_of_scope", "%s",
                         TOPICS[at]);
    }
    expect_refused(
        ask_textbook(world, "Which wheel tyre suits an MPC?"), "out_of_scope",
        "This topic is outside the scope of this course. The Physical AI & Humanoid "
        "Robotics covers: Physical AI Foundations, ROS 2 Fundamentals, Simulation & "
        "Digital Twin, NVIDIA Isaac Ecosystem, Vision-Language-Action Systems and "
        "Integrated Humanoid Capstone. For MPC, please refer to specialized resources.");
    model_will_find_nothing(world);
    expect_refused(ask_textbook(world, "Which wheel has a rubber tyre?"),
                   "insufficient_context", INSUFFICIENT_MESSAGE);
    bytes_free(&json);
    end(world, &study);
}

Test(ask, a_snippet_begins_where_the_answer_quotes)
{
    struct bytes document = {0};
    bytes_add_text(&document, "# Grippers\n\n");
    for (int at = 0; at < 20; at++)
        bytes_addf(&document, "Room %d is painted green. ", at);
    bytes_add_text(&document, ANSWER_WORDS ". It lifts flour.");
    struct study study = study_of(document.data, NULL);
    struct world *world = world_with_builtin_coach(
        study.setting, "GROUND_ANSWER_SCORE=0.2", "GROUND_RELATED_SCORE=0.2");

    const struct reply *reply = ask_textbook(world, ANSWERABLE);

    cr_assert_eq(strncmp(text_at(reply, "data.sources.0.snippet"), ANSWER_WORDS,
                         strlen(ANSWER_WORDS)),
                 0, "%s", reply->body.data);
    bytes_free(&document);
    end(world, &study);
}

Test(ask, a_snippet_ends_at_a_word_within_200_characters)
{
    struct bytes document = {0};
    bytes_add_text(&document, "# Wörter\n\nDer Größenvergleich misst Flöße.");
    for (int at = 0; at < 40; at++)
        bytes_addf(&document, " Überlänge%d wäre größer.", at);
    struct study study = study_of(document.data, NULL);
    struct world *world = world_with_builtin_coach(study.setting, "GROUND_ANSWER_SCORE=0",
                                                   "GROUND_RELATED_SCORE=0");

    const struct reply *reply = ask_textbook(world, "Was misst der Größenvergleich?");
    const char *snippet = text_at(reply, "data.sources.0.snippet");
    size_t characters = 0;

    for (const char *at = snippet; *at != '\0'; at++)
        characters += ((unsigned char)*at & 0xc0) != 0x80;
    cr_assert(characters <= 200 && characters > 170, "%zu characters", characters);
    const char *behind = strstr(document.data, snippet);
    cr_assert_not_null(behind, "not word for word: %s", snippet);
    cr_assert(behind[strlen(snippet)] == ' ', "cut in a word: %s", snippet);
    bytes_free(&document);
    end(world, &study);
}

/* `data` without what may differ. */
static const char *decision(struct world *world, const struct reply *reply)
{
    struct json_object *data = json_at(reply->json, "data");

    json_object_object_del(data, "latency_ms");
    return words(world, "%s", json_object_to_json_string(data));
}

Test(ask, the_same_question_gets_the_same_decision_a_thousand_times)
{
    static const char *const ASKED[] = {ANSWERABLE, "How much does a wheel weigh?",
                                        ABOUT_NOTHING, "What scatters the laser?"};
    struct study study = study_make(NULL);
    struct world *world =
        world_with_builtin_coach(study.setting, "REFUSAL_LOG=/dev/null");
    const char *first[4];

    for (int at = 0; at < 4; at++)
        first[at] = decision(world, ask_textbook(world, ASKED[at]));
    for (int at = 0; at < 1000; at++)
        cr_assert_str_eq(decision(world, ask_textbook(world, ASKED[at % 4])),
                         first[at % 4]);
    end(world, &study);
}
