/*
 * What comes of the store's word on rates, for a request that this process' own count has
 * let pass.
 */
#include "server_internal.h"
#include "store_operation_internal.h"
#include "throttle_internal.h"

#include <criterion/criterion.h>
#include <string.h>

#define SECOND_US INT64_C(1000000)

/* What a store was asked that answers when it is told to. */
static struct store_operation *told;

static bool has_worked;

static void push(struct store_backend *backend, struct store_operation *operation)
{
    (void)backend;
    told = operation;
}

static void work(struct request *request)
{
    (void)request;
    has_worked = true;
}

static const struct endpoint worker = {.finish = work};
static const struct settings settings = {.rate_turns_per_minute = 6};
static struct metrics metrics;
static struct store_backend backend = {.operation_bytes = sizeof(struct store_operation),
                                       .shares_rates = true,
                                       .push = push};
static struct shared_services shared = {.client_key = {{7}}};
static struct services services = {
    .shared = &shared, .settings = &settings, .metrics = &metrics};
static struct server server = {.services = &services};
static struct connection connection = {.descriptor = -1};
static struct request request;

static void set_up(void)
{
    shared.rates = rates_new();
    services.store = store_new(&backend, NULL, &metrics, NULL);
    request = (struct request){
        .server = &server,
        .connection = &connection,
        .endpoint = &worker,
        .match = {.route = ROUTE_TURN},
        .request_id = id_random(),
        .session_id = id_random(),
    };
    cr_assert_eq(throttle_check(&request), OK);
    cr_assert_eq(request.rate.remaining, 5);
}

static void tear_down(void)
{
    response_done(&request.response);
    rates_free(shared.rates);
    store_free(services.store);
}

TestSuite(throttle, .init = set_up, .fini = tear_down);

static void tell(struct store_rate address, struct store_rate session)
{
    const struct store_rate rates[STORE_RATES_MOST] = {address, session};

    throttle_share(&request);
    cr_assert_not(has_worked);
    memcpy(told->rates, rates, sizeof(rates));
    store_operation_tell(told);
}

Test(throttle, one_process_alone_asks_nobody)
{
    backend.shares_rates = false;
    throttle_share(&request);
    cr_expect(has_worked);
    cr_expect_eq(request.rate.remaining, 5);
}

Test(throttle, address_and_session_are_asked_for_each_under_a_key_of_its_own)
{
    throttle_share(&request);
    cr_assert_eq(told->request.rates.count, 2);
    cr_expect_eq(told->request.rates.rates[0].per_minute, 6);
    cr_expect_eq(told->request.rates.rates[1].per_minute, 6);
    cr_expect_not(digest_equals(&told->request.rates.rates[0].key,
                                &told->request.rates.rates[1].key));
}

Test(throttle, the_work_begins_when_the_store_has_room_and_the_scarcer_is_told)
{
    tell((struct store_rate){true, 10 * SECOND_US},
         (struct store_rate){true, 40 * SECOND_US});
    cr_expect(has_worked);
    cr_expect_eq(request.rate.remaining, 2);
    cr_expect_str_eq(request.rate.name, "turns");
}

Test(throttle, what_the_store_refuses_is_refused_and_from_then_on_by_this_process)
{
    tell((struct store_rate){true, 10 * SECOND_US},
         (struct store_rate){false, 55 * SECOND_US});
    cr_expect_not(has_worked);
    cr_assert(request.is_answered);
    cr_expect_eq(request.error, ERROR_RATE_LIMITED);
    cr_expect_eq(request.rate.wait_s, 5);
    cr_expect_eq(throttle_check(&request), ERROR_RATE_LIMITED);
}

Test(throttle, an_address_that_is_refused_says_nothing_of_its_session)
{
    tell((struct store_rate){false, 60 * SECOND_US}, (struct store_rate){0});
    cr_expect_eq(request.error, ERROR_RATE_LIMITED);
    cr_expect_eq(request.rate.wait_s, 10);
}

Test(throttle, where_the_store_does_not_answer_this_process_counts_alone)
{
    throttle_share(&request);
    told->error = ERROR_STORE_UNAVAILABLE;
    store_operation_tell(told);
    cr_expect(has_worked);
    cr_expect_eq(request.rate.remaining, 5);
    cr_expect_eq(metrics.RATES_UNSHARED, 1);
}
