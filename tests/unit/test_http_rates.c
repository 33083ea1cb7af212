/*
 * The count of one process, and what it takes over of what all of them counted.
 */
#include "rates_internal.h"

#include <criterion/criterion.h>

#define NOW_US    INT64_C(1000000000)
#define SECOND_US INT64_C(1000000)
#define ALICE     ((struct span){"alice", 5})
#define BOB       ((struct span){"bob", 3})

static struct rates *rates;

static void set_up(void)
{
    rates = rates_new();
}

static void tear_down(void)
{
    rates_free(rates);
}

TestSuite(rates, .init = set_up, .fini = tear_down);

/* Of six a minute. */
static bool take(struct span key, int64_t now_us, struct rate *ret_rate)
{
    return rates_take(rates, RATE_TURNS, key, 6, now_us, ret_rate);
}

Test(rates, a_quota_is_used_up_and_comes_back_piece_by_piece)
{
    struct rate rate;

    for (int64_t left = 5; left >= 0; left--) {
        cr_assert(take(ALICE, NOW_US, &rate));
        cr_expect_eq(rate.remaining, left);
        cr_expect_eq(rate.wait_s, 0);
        cr_expect_eq(rate.reset_s, 10 * (6 - left));
    }
    cr_assert_not(take(ALICE, NOW_US + SECOND_US, &rate));
    cr_expect_eq(rate.remaining, 0);
    cr_expect_eq(rate.wait_s, 9);
    cr_expect(take(ALICE, NOW_US + 10 * SECOND_US, &rate));
    cr_expect_not(take(ALICE, NOW_US + 10 * SECOND_US, &rate));
}

Test(rates, each_kind_and_each_client_has_its_own)
{
    struct rate rate;

    while (take(ALICE, NOW_US, &rate))
        continue;
    cr_expect(take(BOB, NOW_US, &rate));
    cr_expect(rates_take(rates, RATE_TTS, ALICE, 6, NOW_US, &rate));
}

Test(rates, what_was_used_up_elsewhere_is_used_up_here)
{
    struct rate rate;

    cr_assert(take(ALICE, NOW_US, &rate));
    rates_learn(rates, RATE_TURNS, ALICE, 6, NOW_US, true, 50 * SECOND_US, &rate);
    cr_expect_eq(rate.remaining, 1);
    cr_expect_eq(rate.reset_s, 50);
    cr_expect_eq(rate.wait_s, 0);
    cr_expect(take(ALICE, NOW_US, &rate));
    cr_expect_not(take(ALICE, NOW_US, &rate));
}

Test(rates, who_was_turned_away_elsewhere_is_told_the_same_here)
{
    struct rate rate;

    cr_assert(take(ALICE, NOW_US, &rate));
    rates_learn(rates, RATE_TURNS, ALICE, 6, NOW_US, false, 58 * SECOND_US, &rate);
    cr_expect_eq(rate.remaining, 0);
    cr_expect_eq(rate.wait_s, 8);
    cr_expect_not(take(ALICE, NOW_US, &rate));
    cr_expect_eq(rate.wait_s, 8);
}

Test(rates, what_is_known_here_is_not_forgotten_for_what_is_known_elsewhere)
{
    struct rate rate;

    for (int i = 0; i < 4; i++)
        cr_assert(take(ALICE, NOW_US, &rate));
    rates_learn(rates, RATE_TURNS, ALICE, 6, NOW_US, true, 10 * SECOND_US, &rate);
    cr_expect_eq(rate.remaining, 2);
    cr_expect_eq(rate.reset_s, 40);
}
