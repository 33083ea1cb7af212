/*
 * The claim that a turn holds while it runs: taken before anything that costs, given back
 * with whatever the turn comes to.
 */
#include "turn_internal.h"

#include "clock.h"

#include <string.h>

#define DAY_MS INT64_C(86400000)

static const char type_message[] =
    "The limit for spoken answers today is reached. You can "
    "still type your answer.";

struct store_input turn_input(const struct turn *turn)
{
    struct store_input input = turn->request.input;

    if (input.has_audio && !input.key.is_there)
        input.key = (struct store_key){
            .is_there = true, .key = input.audio, .fingerprint = input.audio};
    return input;
}

void turn_claim(struct turn *turn, store_begun_fn *done)
{
    const struct settings *settings = turn->services->settings;
    struct store_claim claim = {
        .session_id = turn->request.session_id,
        .request_id = turn->request.request_id,
        .input = turn_input(turn),
        .audio_ms = turn->request.audio_ms,
        .caps = {.turns = settings->max_turns_per_day,
                 .audio_ms = settings->max_audio_s_per_day * 1000},
        .now_ms = clock_wall_ms(),
    };

    store_begin_turn(turn->services->store, &claim, done, turn);
}

/* A cap is of a day, and the next day begins at midnight, UTC. */
void turn_turn_away(struct turn *turn, enum error error, const struct store_begun *begun)
{
    struct turn_result result = {.error = error, .retry_after_s = -1};
    int64_t left_ms = DAY_MS - clock_wall_ms() % DAY_MS;

    if (error == ERROR_USAGE_CAP_REACHED) {
        const char *details =
            begun->may_be_typed ? "{\"cap\":\"audio\"}" : "{\"cap\":\"turns\"}";

        result.retry_after_s = (left_ms + 999) / 1000;
        result.details = private_text_copy(details, strlen(details));
        if (begun->may_be_typed)
            result.message = private_text_copy(type_message, sizeof(type_message) - 1);
    }
    turn_finish(turn, &result);
}

void turn_end_claim(struct turn *turn, struct private_text outcome)
{
    const struct settings *settings = turn->services->settings;
    int64_t now_ms = clock_wall_ms();
    struct store_end end = {
        .session_id = turn->request.session_id,
        .request_id = turn->request.request_id,
        .key = turn->request.input.key,
        .outcome = outcome,
        .is_refusal = turn->refusal_source != NULL,
        .now_ms = now_ms,
        .expires_ms =
            session_expiry(turn->session->created_ms, now_ms,
                           settings->session_ttl_minutes, settings->session_max_hours),
    };

    turn->has_claim = false;
    store_end_turn(turn->services->store, &end);
}
