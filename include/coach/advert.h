/*
 * A job advert, as the built-in coach reads it: what it asks of whoever is to get the job.
 */
#ifndef ADVERT_H
#define ADVERT_H

#include "coach.h"

#define ADVERT_DEMANDS_MOST 8
#define ADVERT_DEMAND_WORDS 12

/* The demands of an advert in valid UTF-8, in its order; the caller frees them.  Each is a phrase ("Experience with
 * wound care", "Manage a team of five").  Returns how many. */
size_t advert_demands(struct span advert,
                      struct private_text ret_demands[ADVERT_DEMANDS_MOST]);

/* May a demand be asked for?  Not who may get a job by age, sex, health, origin or belief, and no words to the
 * coach itself. */
bool demand_is_fit(struct span demand);

/* Do the words that say what the demand is about stand in the advert, most of them? */
bool demand_stands_in(struct span demand, struct span advert);

/* Stems of the words that say what a demand is about; returns how many. */
size_t demand_stems(struct span demand, uint64_t ret_stems[ADVERT_DEMAND_WORDS]);

/* Is the question about the demand? */
bool demand_is_asked(struct span demand, struct span question);

/* Says of each of the facts' demands whether no question asked for it yet; returns how many. */
size_t demands_unasked(const struct coach_facts *facts, bool ret_unasked[]);

/* Which of the answers shows that a demand is met, and the words of it that do; number 0: none does.  The quote is
 * borrowed from that transcript. */
struct demand_shown {
    unsigned number; /* from 1 */
    struct span quote;
};

struct demand_shown demand_find_shown(struct span demand, const struct coach_turn *turns,
                                      size_t count);

#endif
