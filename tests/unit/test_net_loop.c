#include "loop.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

/* What happened, a letter each. */
struct diary {
    struct loop *loop;
    char letters[64];
    size_t length;
    struct loop_timer *timer;
};

static void write_letter(struct diary *diary, char letter)
{
    cr_assert(diary->length < sizeof(diary->letters) - 1);
    diary->letters[diary->length++] = letter;
}

static void diary_open(struct diary *diary)
{
    memset(diary, 0, sizeof(*diary));
    diary->loop = loop_new();
}

static void stop(void *context)
{
    loop_stop(((struct diary *)context)->loop);
}

static void write_a(void *context)
{
    write_letter(context, 'a');
}

static void write_b(void *context)
{
    write_letter(context, 'b');
}

static void hook(void *context)
{
    write_letter(context, 'H');
}

static void write_a_then_b_later(void *context)
{
    struct diary *diary = context;

    write_letter(diary, 'a');
    loop_later(diary->loop, write_b, diary);
    write_letter(diary, 'c');
}

Test(net_loop, calls_put_off_are_made_in_order_and_before_the_hooks)
{
    struct diary diary;

    diary_open(&diary);
    loop_before_sleep(diary.loop, hook, &diary);
    loop_later(diary.loop, write_a, &diary);
    loop_later(diary.loop, write_b, &diary);
    loop_later(diary.loop, stop, &diary);
    loop_run(diary.loop);

    cr_assert_eq(strncmp(diary.letters, "abH", 3), 0, "%s", diary.letters);
    loop_free(diary.loop);
}

Test(net_loop, a_call_put_off_from_one_that_runs_is_made_after_it_and_in_the_same_tick)
{
    struct diary diary;

    diary_open(&diary);
    loop_before_sleep(diary.loop, hook, &diary);
    loop_later(diary.loop, write_a_then_b_later, &diary);
    loop_later(diary.loop, stop, &diary);
    loop_run(diary.loop);

    cr_assert_eq(strncmp(diary.letters, "acbH", 4), 0, "%s", diary.letters);
    loop_free(diary.loop);
}

static void hook_that_puts_off_once(void *context)
{
    struct diary *diary = context;

    write_letter(diary, 'H');
    if (diary->length == 1)
        loop_later(diary->loop, write_a_then_b_later, diary);
    else
        loop_stop(diary->loop);
}

Test(net_loop, what_a_hook_puts_off_is_done_before_the_loop_sleeps)
{
    struct diary diary;

    diary_open(&diary);
    loop_before_sleep(diary.loop, hook_that_puts_off_once, &diary);
    loop_run(diary.loop); /* would sleep for ever */

    cr_assert_eq(strncmp(diary.letters, "HacbH", 5), 0, "%s", diary.letters);
    loop_free(diary.loop);
}

struct chain {
    struct loop *loop;
    unsigned links;
};

static void put_off_again(void *context)
{
    struct chain *chain = context;

    chain->links++;
    loop_later(chain->loop, put_off_again, chain);
}

static void stop_chain(void *context)
{
    loop_stop(((struct chain *)context)->loop);
}

Test(net_loop, an_endless_chain_of_put_off_calls_does_not_keep_timers_from_their_turn)
{
    struct chain chain = {loop_new(), 0};

    loop_later(chain.loop, put_off_again, &chain);
    loop_timer_start(chain.loop, 1, stop_chain, &chain);
    loop_run(chain.loop);

    cr_assert_gt(chain.links, 1);
    loop_free(chain.loop);
}

static void put_off_a_thousand_times(void *context)
{
    struct chain *chain = context;

    if (++chain->links == 1000)
        loop_stop(chain->loop);
    else
        loop_later(chain->loop, put_off_a_thousand_times, chain);
}

Test(net_loop, work_that_is_left_for_the_next_tick_keeps_the_loop_awake, .timeout = 60)
{
    struct chain chain = {loop_new(), 0};

    loop_later(chain.loop, put_off_a_thousand_times, &chain);
    loop_run(chain.loop); /* nothing else would wake it */

    cr_assert_eq(chain.links, 1000);
    loop_free(chain.loop);
}

Test(net_loop, a_forgotten_call_is_not_made)
{
    struct diary diary;

    diary_open(&diary);
    loop_later(diary.loop, write_a, &diary);
    loop_later(diary.loop, write_b, &diary);
    loop_forget(diary.loop, write_a, &diary);
    loop_later(diary.loop, stop, &diary);
    loop_run(diary.loop);

    cr_assert_str_eq(diary.letters, "b");
    loop_free(diary.loop);
}

static void forget_b(void *context)
{
    loop_forget(((struct diary *)context)->loop, write_b, context);
}

Test(net_loop, a_call_can_forget_the_next_one_of_its_own_round)
{
    struct diary diary;

    diary_open(&diary);
    loop_later(diary.loop, forget_b, &diary);
    loop_later(diary.loop, write_b, &diary);
    loop_later(diary.loop, stop, &diary);
    loop_run(diary.loop);

    cr_assert_str_eq(diary.letters, "");
    loop_free(diary.loop);
}

static void write_a_and_stop(void *context)
{
    write_letter(context, 'a');
    stop(context);
}

Test(net_loop, timers_fire_once_in_the_order_of_their_time)
{
    struct diary diary;

    diary_open(&diary);
    loop_timer_start(diary.loop, 20, write_a_and_stop, &diary);
    loop_timer_start(diary.loop, 1, write_b, &diary);
    loop_run(diary.loop);

    cr_assert_str_eq(diary.letters, "ba");
    loop_free(diary.loop);
}

static void cancel_timer(void *context)
{
    loop_timer_cancel(((struct diary *)context)->timer);
}

Test(net_loop, a_cancelled_timer_never_fires)
{
    struct diary diary;

    diary_open(&diary);
    diary.timer = loop_timer_start(diary.loop, 5, write_b, &diary);
    loop_timer_start(diary.loop, 1, cancel_timer, &diary);
    loop_timer_start(diary.loop, 20, write_a_and_stop, &diary);
    loop_run(diary.loop);

    cr_assert_str_eq(diary.letters, "a");
    loop_free(diary.loop);
}

Test(net_loop, a_timer_of_no_time_fires_but_not_at_once)
{
    struct diary diary;

    diary_open(&diary);
    loop_timer_start(diary.loop, 0, write_a_and_stop, &diary);
    cr_assert_str_eq(diary.letters, "");
    loop_run(diary.loop);

    cr_assert_str_eq(diary.letters, "a");
    loop_free(diary.loop);
}

Test(net_loop, cancelling_no_timer_and_freeing_no_loop_is_fine)
{
    loop_timer_cancel(NULL);
    loop_free(NULL);
}

Test(net_loop, a_loop_is_freed_with_timers_and_calls_still_due)
{
    struct loop *loop = loop_new();

    loop_timer_start(loop, 3600000, stop, NULL);
    loop_later(loop, stop, NULL);
    loop_post(loop, stop, NULL);
    loop_free(loop); /* AddressSanitizer looks for what is left */
}

Test(net_loop, the_tick_in_which_it_is_stopped_is_brought_to_its_end)
{
    struct diary diary;

    diary_open(&diary);
    loop_post(diary.loop, stop, &diary);
    loop_post(diary.loop, write_a_then_b_later, &diary);
    loop_run(diary.loop);

    cr_assert_str_eq(diary.letters, "acb");
    loop_free(diary.loop);
}

Test(net_loop, a_stopped_loop_can_run_again)
{
    struct diary diary;

    diary_open(&diary);
    loop_post(diary.loop, stop, &diary);
    loop_run(diary.loop);
    loop_post(diary.loop, write_a_and_stop, &diary);
    loop_run(diary.loop);

    cr_assert_str_eq(diary.letters, "a");
    loop_free(diary.loop);
}

#define POSTERS        4
#define POSTS_OF_ONE   5000
#define POSTS_TOGETHER (POSTERS * POSTS_OF_ONE)

struct tally {
    struct loop *loop;
    unsigned last[POSTERS];
    unsigned count;
    bool is_in_order;
};

struct post {
    struct tally *tally;
    unsigned poster;
    unsigned number;
};

static struct post posts[POSTERS][POSTS_OF_ONE];

static void count_post(void *context)
{
    struct post *post = context;
    struct tally *tally = post->tally;

    if (post->number != tally->last[post->poster] + 1)
        tally->is_in_order = false;
    tally->last[post->poster] = post->number;
    if (++tally->count == POSTS_TOGETHER)
        loop_stop(tally->loop);
}

static void *post_all(void *context)
{
    struct post *mine = context;

    for (unsigned i = 0; i < POSTS_OF_ONE; i++)
        loop_post(mine[i].tally->loop, count_post, &mine[i]);
    return NULL;
}

Test(net_loop, calls_posted_by_many_threads_all_arrive_each_threads_in_order)
{
    struct tally tally = {.loop = loop_new(), .is_in_order = true};
    pthread_t threads[POSTERS];

    for (unsigned poster = 0; poster < POSTERS; poster++)
        for (unsigned i = 0; i < POSTS_OF_ONE; i++)
            posts[poster][i] = (struct post){&tally, poster, i + 1};
    for (unsigned poster = 0; poster < POSTERS; poster++)
        pthread_create(&threads[poster], NULL, post_all, posts[poster]);
    loop_run(tally.loop);
    for (unsigned poster = 0; poster < POSTERS; poster++)
        pthread_join(threads[poster], NULL);

    cr_assert_eq(tally.count, POSTS_TOGETHER);
    cr_assert(tally.is_in_order);
    loop_free(tally.loop);
}
