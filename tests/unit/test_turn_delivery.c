/*
 * Delivery: what is counted, and when there is too little to judge.
 */
#include "delivery_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct answer_delivery measure(const char *text, struct spoken spoken)
{
    struct filler_counter *counter = filler_counter_new();
    struct private_text private = private_text_copy(text, strlen(text));
    struct answer_delivery delivery;

    delivery_measure(counter, &private, spoken, &delivery);
    private_text_free(&private);
    filler_counter_free(counter);
    return delivery;
}

static size_t fillers_of(const char *text)
{
    return measure(text, SPOKEN_UNKNOWN).fillers.count;
}

/* ---- fillers, in context ---- */

Test(delivery, counts_hesitations_whatever_their_case)
{
    struct answer_delivery delivery =
        measure("Um, I led, uh, the team. Um. Hmm, er, it went well.", SPOKEN_UNKNOWN);

    cr_expect_eq(delivery.word_count, 12);
    cr_expect_eq(delivery.fillers.count, 5);
    cr_expect_str_eq(delivery.fillers.top[0].word, "um");
    cr_expect_eq(delivery.fillers.top[0].count, 2);
}

Test(delivery, a_word_is_a_filler_only_where_it_is_one)
{
    cr_expect_eq(fillers_of("I like tests."), 0);
    cr_expect_eq(fillers_of("It was, like, really hard."), 1);
    cr_expect_eq(fillers_of("As you know what we sell, I can be brief."), 0);
    cr_expect_eq(fillers_of("It was hard, you know, and long."), 1);
    cr_expect_eq(fillers_of("It is a kind of table."), 0);
    cr_expect_eq(fillers_of("It kind of worked in the end."), 1);
    cr_expect_eq(fillers_of("It sort of worked in the end."), 1);
    cr_expect_eq(fillers_of("I mean, we shipped it."), 1);
    cr_expect_eq(fillers_of("That is what I mean by ownership."), 0);
}

Test(delivery, lists_fillers_with_the_most_frequent_first)
{
    struct answer_delivery delivery =
        measure("Uh, it was, you know, um, hard, um, you know, um.", SPOKEN_UNKNOWN);

    cr_expect_str_eq(delivery.fillers.top[0].word, "um");
    cr_expect_eq(delivery.fillers.top[0].count, 3);
    cr_expect_str_eq(delivery.fillers.top[1].word, "you know");
    cr_expect_str_eq(delivery.fillers.top[2].word, "uh");
    cr_expect_eq(delivery.fillers.top[3].count, 0);
}

/* ---- pace and pauses ---- */

Test(delivery, pace_and_pauses_come_from_word_times)
{
    struct spoken_word words[] = {{500, 900}, {900, 1500}, {3600, 4000}, {4100, 4500}};
    struct transcript transcript = {
        .confidence = 0.9, .words = words, .word_count = 4, .duration_ms = 60000};
    struct spoken spoken = delivery_spoken(&transcript);

    cr_expect_eq(spoken.words_per_minute, 60, "four words in four seconds");
    cr_expect_eq(spoken.longest_pause_ms, 2100);
    cr_expect_eq(spoken.confidence, 0.9);
}

Test(delivery, without_word_times_they_are_not_known)
{
    struct transcript transcript = {.confidence = 0.9, .duration_ms = 60000};
    struct spoken spoken = delivery_spoken(&transcript);

    cr_expect_eq(spoken.words_per_minute, -1);
    cr_expect_eq(spoken.longest_pause_ms, -1);
}

Test(delivery, times_that_make_no_sense_do_no_harm)
{
    struct spoken_word backwards[] = {{5000, 6000}, {0, 0}, {100, 200}};
    struct spoken_word at_once[] = {{0, 0}, {0, 0}};
    struct transcript one = {.words = backwards, .word_count = 3};
    struct transcript other = {.words = at_once, .word_count = 2};

    cr_expect_eq(delivery_spoken(&one).words_per_minute, -1);
    cr_expect_eq(delivery_spoken(&one).longest_pause_ms, 0);
    cr_expect_eq(delivery_spoken(&other).words_per_minute, -1);
}

/* ---- enough to judge? ---- */

Test(delivery, a_word_or_two_beside_fillers_are_too_short_to_judge)
{
    cr_expect(measure("Yes.", SPOKEN_UNKNOWN).is_too_short);
    cr_expect(measure("Yes, often.", SPOKEN_UNKNOWN).is_too_short);
    cr_expect(measure("Um, uh, yes, you know.", SPOKEN_UNKNOWN).is_too_short);
    cr_expect_not(measure("I led it.", SPOKEN_UNKNOWN).is_too_short);
}

Test(delivery, what_was_hardly_understood_is_not_judged)
{
    struct spoken low = {0.49, -1, -1}, high = {0.5, -1, -1};

    cr_expect(measure("I led the team.", low).is_low_confidence);
    cr_expect_not(measure("I led the team.", high).is_low_confidence);
    cr_expect_not(measure("I led the team.", SPOKEN_UNKNOWN).is_low_confidence);
}

/* ---- as text ---- */

static char *written(const struct answer_delivery *delivery)
{
    struct json_writer writer;
    struct buffer out;
    size_t length;

    buffer_init(&out, 4096);
    json_writer_init(&writer, &out);
    delivery_write(&writer, delivery, NULL, 0);
    return buffer_take(&out, &length);
}

Test(delivery, is_written_with_null_for_what_is_not_known)
{
    struct answer_delivery spoken =
        measure("Um, I led the team.", (struct spoken){0.974, 142, 2100});
    struct answer_delivery typed = measure("I led the team.", SPOKEN_UNKNOWN);
    char *one = written(&spoken), *other = written(&typed);

    cr_expect_str_eq(one, "{\"word_count\":5,\"filler_count\":1,\"fillers\":{\"um\":1},"
                          "\"words_per_minute\":142,\"longest_pause_ms\":2100,"
                          "\"stt_confidence\":0.97,\"marks\":null}");
    cr_expect_str_eq(other, "{\"word_count\":4,\"filler_count\":0,\"fillers\":{},"
                            "\"words_per_minute\":null,\"longest_pause_ms\":null,"
                            "\"stt_confidence\":null,\"marks\":null}");
    free(one);
    free(other);
}

Test(delivery, is_described_in_one_sentence)
{
    struct answer_delivery delivery =
        measure("Um, I led the team, um.", (struct spoken){0.9, 142, 2190});
    struct buffer out;

    buffer_init(&out, 4096);
    delivery_describe(&out, &delivery);
    cr_expect_str_eq(out.bytes, "Measured: 6 words, 2 fillers (um 2), 142 words per "
                                "minute, longest pause 2.1 s.");
    buffer_done(&out);
}
