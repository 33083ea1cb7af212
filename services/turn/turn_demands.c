/*
 * What the summary says of each demand of the advert: which answer shows it, in words of that answer.
 *
 * A model says so in its summary, and is believed as far as its quote stands in that answer; the quote is
 * given as it stands there.  Where it says nothing of a demand, or is the built-in coach, the answers
 * themselves are searched.
 */
#include "turn_internal.h"

#include "advert.h"
#include "opening.h"
#include "private_reveal.h"
#include "words.h"

static const struct summary_demand *said_of(const struct summary *summary, size_t at,
                                            struct span demand)
{
    for (size_t i = 0; i < summary->demand_count; i++) {
        struct span said = private_reveal(&summary->demands[i].demand);

        if (said.length == demand.length &&
            strncasecmp(said.bytes, demand.bytes, said.length) == 0)
            return &summary->demands[i];
    }
    return at < summary->demand_count ? &summary->demands[at] : NULL;
}

/* A quote of the model's, where it stands in the answer. */
static struct demand_shown check(const struct summary_demand *said,
                                 const struct coach_turn *turn, struct span demand)
{
    struct demand_shown shown = {said->number, {NULL, 0}};

    if (words_find_run(private_reveal(turn->transcript), private_reveal(&said->quote),
                       &shown.quote))
        return shown;
    shown = demand_find_shown(demand, turn, 1);
    if (shown.number > 0)
        shown.number = said->number;
    return shown;
}

static struct demand_shown find(const struct summary *summary, size_t at,
                                struct span demand, const struct coach_turn *turns,
                                size_t count)
{
    const struct summary_demand *said = said_of(summary, at, demand);

    if (said == NULL)
        return demand_find_shown(demand, turns, count);
    if (said->number == 0 || said->number > count || turns[said->number - 1].is_skipped)
        return (struct demand_shown){0, {NULL, 0}};
    return check(said, &turns[said->number - 1], demand);
}

void turn_write_demands(struct json_writer *writer, const struct turn *turn,
                        const struct coach_turn *turns, size_t count)
{
    const struct session_papers *papers = &turn->session->papers;
    struct private_text demands[ADVERT_DEMANDS_MOST];
    size_t demand_count = opening_demands(papers, demands);

    if (private_text_is_empty(&papers->job_advert))
        return;
    json_put_array(writer, "demands");
    for (size_t i = 0; i < demand_count; i++) {
        struct demand_shown shown =
            find(turn->summary, i, private_reveal(&demands[i]), turns, count);

        json_begin_object(writer);
        json_put_private(writer, "demand", &demands[i]);
        json_key(writer, "question_number");
        if (shown.number > 0)
            json_integer(writer, shown.number);
        else
            json_null(writer);
        json_key(writer, "quote");
        if (shown.number > 0)
            json_span(writer, shown.quote);
        else
            json_null(writer);
        json_end_object(writer);
        private_text_free(&demands[i]);
    }
    json_end_array(writer);
}
