/*
 * Gate 4: what is unsupported, rule by rule, and how well it tells answers apart that people wrote.
 */
#include "json.h"
#include "support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char lighthouse[] =
    "The Skerry lighthouse was built in 1854 by Thomas Aldous. It stands 38 metres tall and its "
    "light can be seen from 21 miles away. The first keeper, Margaret Venn, lived there for 17 "
    "years. Boats do not land on the northern shore. The store is open from May to September.";

static bool holds_asked_in(const char *question, const char *claim,
                           const char *const *texts, size_t count, uint64_t cited)
{
    struct support *support = support_new();
    struct span passages[64];
    bool holds;

    for (size_t i = 0; i < count; i++)
        passages[i] = span_of(texts[i]);
    support_read(support, passages, count);
    support_asked(support, span_of(question));
    holds = support_holds(support, span_of(claim), cited);
    support_free(support);
    return holds;
}

static bool holds_in(const char *claim, const char *const *texts, size_t count,
                     uint64_t cited)
{
    return holds_asked_in("", claim, texts, count, cited);
}

static bool holds(const char *claim)
{
    const char *text = lighthouse;

    return holds_in(claim, &text, 1, 1);
}

Test(support, what_stands_there_is_supported)
{
    cr_expect(
        holds("It stands 38 metres tall and its light can be seen from 21 miles away."));
    cr_expect(holds("Thomas Aldous built the Skerry lighthouse in 1854."));
    cr_expect(holds("Margaret Venn lived in the lighthouse for seventeen years."));
    cr_expect(holds("Boats don't land on the northern shore."));
    cr_expect(
        holds("The light can be seen from 21 miles away. The store is open from May."));
}

Test(support, a_number_that_no_passage_has_is_not)
{
    cr_expect_not(holds("It stands 83 metres tall."));
    cr_expect_not(holds("The first keeper lived there for eighteen years."));
    cr_expect_not(holds("The Skerry lighthouse was built in 1845."));
}

Test(support, a_number_of_another_sentence_or_unit_is_not)
{
    cr_expect_not(
        holds("It stands 17 metres tall and its light can be seen from far away."));
    cr_expect_not(
        holds("It stands 21 metres tall and its light can be seen from 38 miles away."));
    cr_expect_not(holds("It stands 38 feet tall."));
}

/* One word of the sentence has given its place to another: of the passage, or of none. */
Test(support, a_word_in_the_place_of_another_is_not)
{
    cr_expect_not(holds("Its light can be seen from 21 boats away."));
    cr_expect_not(holds("Boats do not land on the bakery shore."));
    cr_expect_not(holds("The first light, Margaret Venn, lived there for 17 years."));
    /* But what stands for a pronoun, what is said in another way, and what is added. */
    cr_expect(holds("The lighthouse stands 38 metres tall."));
    cr_expect(holds("The first keeper, Margaret Venn, stayed there for 17 years."));
    cr_expect(holds("The store is open each year from May to September."));
}

Test(support, a_name_that_no_passage_has_is_not)
{
    cr_expect_not(holds("The Skerry lighthouse was built in 1854 by Robert Hale."));
    cr_expect_not(holds("The store is open from May to November."));
}

Test(support, a_name_of_another_sentence_is_not)
{
    cr_expect_not(holds("The Skerry lighthouse was built in 1854 by Margaret Venn."));
    cr_expect_not(holds("The first keeper, Thomas Aldous, lived there for 17 years."));
}

static bool holds_asked(const char *question, const char *claim)
{
    const char *text = lighthouse;

    return holds_asked_in(question, claim, &text, 1, 1);
}

/* What is asked for stands in the passages, and the question's own words may stand around it. */
Test(support, an_answer_may_be_phrased_in_the_words_of_its_question)
{
    const char *seen = "How far does the beam shine?";

    cr_expect_not(holds("The beam shines 21 miles far."));
    cr_expect(holds_asked(seen, "The beam shines 21 miles far."));
    cr_expect_not(holds_asked(seen, "The beam shines 21 miles far and scares seals."));
    cr_expect_not(holds_asked(seen, "The beam shines 22 miles far."));
}

Test(support, what_is_answered_is_held_to_the_passage)
{
    const char *question = "What cools the rink?";
    const char *text =
        "The rink is kept cold by brine, which two pumps press through pipes below "
        "the ice. It takes 45 minutes to cool.";

    cr_expect(holds_asked_in(question,
                             "The rink is cooled by brine that is pumped through pipes.",
                             &text, 1, 1));
    cr_expect_not(holds_asked_in(
        question, "The rink is cooled by liquid helium that is pumped through pipes.",
        &text, 1, 1));
}

Test(support, what_is_asked_about_is_not_taken_for_given)
{
    const char *text = "The tank is cooled by cold brine from two pumps in the cellar.";
    const char *claim = "The tank is cooled by cold helium from two pumps.";

    cr_expect_not(holds_asked_in("Is the tank cooled by helium?",
                                 "The tank is cooled by helium.", &text, 1, 1));
    cr_expect_not(holds_asked_in("Is it true what they say of helium?",
                                 "The tank is cooled by helium.", &text, 1, 1));
    cr_expect_not(
        holds_asked_in("How many pumps does the helium come from?", claim, &text, 1, 1));
}

/* The question may look like one that the passages answer. */
Test(support, a_name_of_the_question_must_stand_in_the_passages)
{
    cr_expect(holds_asked("From how far can the light of Skerry be seen?",
                          "The light of Skerry can be seen from 21 miles away."));
    cr_expect_not(holds_asked("From how far can the light of Fastnet be seen?",
                              "The light of Fastnet can be seen from 21 miles away."));
    cr_expect_not(holds_asked("How long did Robert Hale live there?",
                              "Robert Hale lived there for 17 years."));
    cr_expect_not(
        holds_asked("How long did Hale live there?", "Hale lived there for 17 years."));
}

Test(support, what_is_denied_in_the_question_is_still_held_to_the_passages)
{
    const char *question = "Which boats do not land on the northern shore?";

    cr_expect(holds_asked(question, "All boats do not land on the northern shore."));
    cr_expect_not(
        holds_asked("Who never lived there for 17 years?",
                    "The first keeper, Margaret Venn, never lived there for 17 years."));
}

/* What the passages speak of may stand for a pronoun, but hardly for what was asked about. */
Test(support, a_claim_that_restates_the_question_takes_the_rest_from_its_sentence)
{
    const char *question = "For how long did the first keeper live there?";

    cr_expect(holds_asked(question, "The first keeper lived there for 17 years."));
    cr_expect_not(
        holds_asked(question, "The first lighthouse lived there for 17 years."));
}

/* One ordinary word that no passage has is a paraphrase in a long answer, and an invention in a short one. */
Test(support, a_long_sentence_may_have_a_word_of_its_own)
{
    cr_expect(
        holds("Margaret Venn, the first keeper, lived there for 17 years, and the bakery "
              "store is open from May to September."));
    cr_expect_not(holds("The bakery store is open from May to September."));
}

Test(support, a_denial_must_stand_there_too)
{
    cr_expect_not(holds("The store is not open from May to September."));
    cr_expect_not(holds("Boats land on the northern shore."));
    cr_expect_not(
        holds("The first keeper, Margaret Venn, never lived there for 17 years."));
}

Test(support, an_opposite_is_no_word_for_the_same)
{
    cr_expect_not(holds("Boats do not land on the southern shore."));
    cr_expect_not(holds("The last keeper, Margaret Venn, lived there for 17 years."));
    cr_expect_not(holds("The store is closed from May to September."));
}

Test(support, words_that_stand_nowhere_are_not)
{
    cr_expect_not(holds("Bread is baked from flour, water and salt."));
    cr_expect_not(
        holds("The store is open from May to September. Cats sleep all afternoon."));
    cr_expect_not(holds(
        "The keeper, Margaret Venn, lived there and painted portraits of sailors."));
}

Test(support, two_words_in_each_others_place_are_not)
{
    const char *text =
        "Glaciers form where more snow falls in winter than melts in summer.";

    cr_expect(
        holds_in("Glaciers form where more snow falls in winter than melts in summer.",
                 &text, 1, 1));
    cr_expect_not(
        holds_in("Glaciers form where more snow falls in summer than melts in winter.",
                 &text, 1, 1));
}

Test(support, a_way_is_not_gone_the_other_way_round)
{
    const char *text =
        "Traders carried it from Brazil to the mouth of the Congo, and lands to "
        "the east of the line belonged to Portugal, lands to the west to Castile.";

    cr_expect(holds_in("To the Congo traders carried it from Brazil.", &text, 1, 1));
    cr_expect_not(holds_in("Traders carried it from the Congo to Brazil.", &text, 1, 1));
    cr_expect(
        holds_in("Lands to the east of the line belonged to Portugal.", &text, 1, 1));
    cr_expect_not(
        holds_in("Lands to the west of the line belonged to Portugal.", &text, 1, 1));
}

Test(support, who_does_it_to_whom_is_told_in_short_claims_too)
{
    const char *text = "The female chases the male upwards; later the male offers fish.";

    cr_expect(holds_in("The female chases the male.", &text, 1, 1));
    cr_expect_not(holds_in("The male chases the female.", &text, 1, 1));
}

Test(support, a_sentence_may_sum_up_two)
{
    cr_expect(holds(
        "The Skerry lighthouse was built in 1854 by Thomas Aldous, and the store is "
        "open from May to September."));
    cr_expect_not(
        holds("The Skerry lighthouse was built in 1854 by Thomas Aldous, and the store "
              "is open from May to October."));
}

Test(support, numbers_do_not_change_places_between_passages)
{
    const char *const texts[] = {
        "The Skerry lighthouse was built in 1854 by Thomas Aldous. Its light is white.",
        "The river is 412 kilometres long. Its dam was finished in 1977 and holds 30 cubic "
        "kilometres."};

    cr_expect(holds_in(
        "The Skerry lighthouse was built in 1854 by Thomas Aldous, while the dam was "
        "finished in 1977 and holds 30 cubic kilometres.",
        texts, 2, 3));
    cr_expect_not(holds_in(
        "The Skerry lighthouse was built in 1977 by Thomas Aldous, while the dam "
        "was finished in 1854 and holds 30 cubic kilometres.",
        texts, 2, 3));
}

Test(support, only_cited_passages_count)
{
    const char *const texts[] = {"The river is 412 kilometres long.",
                                 "The dam was finished in 1977."};

    cr_expect(holds_in("The dam was finished in 1977.", texts, 2, 2));
    cr_expect(holds_in("The dam was finished in 1977.", texts, 2, 3));
    cr_expect_not(holds_in("The dam was finished in 1977.", texts, 2, 1));
    cr_expect_not(holds_in("The dam was finished in 1977.", texts, 2, 0));
}

Test(support, what_claims_nothing_is_supported)
{
    cr_expect(holds("Yes."));
    cr_expect(holds("It is."));
    cr_expect(holds(""));
    cr_expect(holds("..."));
    cr_expect(holds_in("It is.", NULL, 0, 0));
}

Test(support, a_mark_of_a_citation_is_no_number)
{
    cr_expect(holds("The first keeper, Margaret Venn, lived there for 17 years [3]."));
}

Test(support, sixty_four_passages_are_told_apart)
{
    const char *texts[64];
    char room[64][64];

    for (int i = 0; i < 64; i++) {
        snprintf(room[i], sizeof(room[i]), "The engine number %d weighs %d tonnes.",
                 100 + i, 1000 + i);
        texts[i] = room[i];
    }
    cr_expect(holds_in("The engine number 163 weighs 1063 tonnes.", texts, 64,
                       (uint64_t)1 << 63));
    cr_expect_not(
        holds_in("The engine number 163 weighs 1062 tonnes.", texts, 64, UINT64_MAX));
}

Test(support, sentences_are_told_in_order)
{
    struct support *support = support_new();
    struct span answer =
        span_of("Dr. Aldous came at 5.30 p.m. on foot. He left!\n\n... And then?");
    static const char *const expected[] = {"Dr. Aldous came at 5.30 p.m. on foot.",
                                           "He left!", "And then?"};
    struct span sentence;
    size_t offset = 0, count = 0;

    while (support_next_sentence(support, answer, &offset, &sentence)) {
        cr_assert_lt(count, 3);
        cr_expect(span_equals(sentence, expected[count]), "%.*s", (int)sentence.length,
                  sentence.bytes);
        count++;
    }
    cr_expect_eq(count, 3);
    support_free(support);
}

static FILE *open_corpus(const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), TESTS "/corpus/support/%s", name);
    return fopen(path, "r");
}

static bool is_supported(struct support *support, const char *line)
{
    struct json_object *object = json_parse(line, strlen(line), 8);
    struct json_object *list = json_member(object, "passages");
    struct span passages[8], sentence, answer = json_member_string(object, "answer");
    size_t count = json_object_array_length(list);
    bool is_good = true;

    cr_assert(answer.bytes != NULL && count <= 8, "%s", line);
    for (size_t i = 0; i < count; i++)
        passages[i] = span_of(json_object_get_string(json_object_array_get_idx(list, i)));
    support_read(support, passages, count);
    support_asked(support, json_member_string(object, "question"));
    for (size_t offset = 0; support_next_sentence(support, answer, &offset, &sentence);)
        is_good = is_good && support_holds(support, sentence, UINT64_MAX);
    json_object_put(object);
    return is_good;
}

/* The share of the file's lines that are told to be supported. */
static double supported_share(const char *name, size_t least_lines)
{
    struct support *support = support_new();
    FILE *file = open_corpus(name);
    size_t lines = 0, good = 0, room = 0;
    char *line = NULL;

    cr_assert_not_null(file, "no %s", name);
    for (; getline(&line, &room, file) > 0; lines++) {
        bool is_good = is_supported(support, line);

        good += is_good;
        cr_assert_eq(is_supported(support, line), is_good, "not the same twice: %s",
                     line);
    }
    free(line);
    fclose(file);
    support_free(support);
    cr_assert_geq(lines, least_lines);
    return (double)good / (double)lines;
}

Test(support, true_answers_are_kept)
{
    double kept = supported_share("true.jsonl", 200);

    cr_expect_geq(kept, 0.97, "only %.3f", kept);
}

Test(support, corrupted_answers_are_found)
{
    double kept = supported_share("corrupted.jsonl", 250);

    cr_expect_leq(kept, 0.1, "%.3f were kept", kept);
}

Test(support, answers_to_questions_are_told_from_false_ones)
{
    double kept = supported_share("asked.jsonl", 130);
    double false_kept = supported_share("asked_false.jsonl", 60);

    cr_expect_geq(kept, 0.78, "only %.3f", kept);
    cr_expect_leq(false_kept, 0.2, "%.3f were kept", false_kept);
}
