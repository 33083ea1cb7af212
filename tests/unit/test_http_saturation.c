/*
 * What is overload, and what is a burst or a pause.
 */
#include <criterion/criterion.h>

#include "overload_internal.h"

#define TARGET_US 100000

/* `count` samples of one delay, 100 ms apart; returns the time after them. */
static int64_t note(struct saturation *saturation, int count, int64_t delay_us,
                    int64_t now_us)
{
    for (int i = 0; i < count; i++, now_us += 100000)
        saturation_note(saturation, delay_us, now_us);
    return now_us;
}

Test(saturation, a_delay_that_stays_for_half_a_second_is_one)
{
    struct saturation saturation;

    saturation_init(&saturation, TARGET_US);
    int64_t now_us = note(&saturation, 5, TARGET_US + 1, 0);
    cr_expect_not(saturation.is_on, "400 ms are not enough");
    now_us = note(&saturation, 1, TARGET_US + 1, now_us);
    cr_expect(saturation.is_on);

    note(&saturation, 1, TARGET_US, now_us);
    cr_expect_not(saturation.is_on, "the first good one ends it");
}

Test(saturation, one_good_moment_begins_it_anew)
{
    struct saturation saturation;

    saturation_init(&saturation, TARGET_US);
    int64_t now_us = note(&saturation, 5, TARGET_US * 9, 0);
    now_us = note(&saturation, 1, 0, now_us);
    note(&saturation, 5, TARGET_US * 9, now_us);
    cr_expect_not(saturation.is_on);
}

Test(saturation, a_long_pause_is_none)
{
    struct saturation saturation;

    saturation_init(&saturation, TARGET_US);
    saturation_note(&saturation, 60000000, 60000000);
    saturation_note(&saturation, 60000000, 120000000);
    cr_expect_not(saturation.is_on);
}

Test(saturation, without_a_target_there_is_none)
{
    struct saturation saturation;

    saturation_init(&saturation, 0);
    note(&saturation, 100, INT64_MAX, 0);
    cr_expect_not(saturation.is_on);
}
