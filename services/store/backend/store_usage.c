/*
 * What a day has used up.
 */
#include "store_usage_internal.h"

#define DAY_MS INT64_C(86400000)

int64_t store_day(int64_t now_ms)
{
    return now_ms / DAY_MS;
}

bool store_has_caps(const struct store_day_caps *caps)
{
    return caps->turns > 0 || caps->audio_ms > 0;
}

static bool has_turns_left(const struct store_usage *usage,
                           const struct store_day_caps *caps)
{
    return caps->turns == 0 || usage->turns < caps->turns;
}

enum error store_check_caps(const struct store_usage *usage,
                            const struct store_claim *claim)
{
    const struct store_day_caps *caps = &claim->caps;

    if (!has_turns_left(usage, caps))
        return ERROR_USAGE_CAP_REACHED;
    if (caps->audio_ms > 0 && claim->audio_ms > 0 &&
        usage->audio_ms + claim->audio_ms > caps->audio_ms)
        return ERROR_USAGE_CAP_REACHED;
    return OK;
}

bool store_may_be_typed(const struct store_usage *usage, const struct store_claim *claim)
{
    return claim->audio_ms > 0 && claim->caps.audio_ms > 0 &&
           has_turns_left(usage, &claim->caps);
}

void store_usage_init(struct store_usage_board *board)
{
    pthread_mutex_init(&board->lock, NULL);
}

void store_usage_done(struct store_usage_board *board)
{
    pthread_mutex_destroy(&board->lock);
}

void store_usage_note(struct store_usage_board *board, const struct store_usage *usage)
{
    struct store_usage *latest = &board->latest;

    pthread_mutex_lock(&board->lock);
    if (usage->day != latest->day || usage->turns > latest->turns)
        *latest = *usage;
    pthread_mutex_unlock(&board->lock);
}

struct store_usage store_usage_latest(struct store_usage_board *board)
{
    struct store_usage latest;

    pthread_mutex_lock(&board->lock);
    latest = board->latest;
    pthread_mutex_unlock(&board->lock);
    return latest;
}
