/*
 * The beginning of an interview for which the candidate brought an advert or a CV: the demands of the
 * advert, and the first question.
 *
 * The built-in coach finds both at once.  Where a model is set up and there is an advert, the model is
 * asked for them in one call; what it gives in time, within its bounds and past the filter, takes
 * their place.  A start never fails for want of it.
 */
#ifndef OPENING_H
#define OPENING_H

#include "turn.h"

struct opening;

/* The session belongs to whom it is given to. */
typedef void opening_done_fn(void *context, struct session *session);

/* Fills in demands and first question of a new session, which has all else. */
void opening_fill_in(struct session *session);

/* Would a model be asked about this session? */
bool opening_wants_model(const struct turn_services *services,
                         const struct session *session);

/* Asks the model about a session that is filled in, which it takes.  `done` is called exactly once, from the
 * loop, never before this has returned, within START_TIMEOUT_SECONDS. */
void opening_ask(const struct turn_services *services, struct session *session,
                 const struct id *request_id, const struct trace *trace,
                 opening_done_fn *done, void *context);

/* The demands that are stored with a session, ADVERT_DEMANDS_MOST at most, for the caller to free; returns how many. */
size_t opening_demands(const struct session_papers *papers,
                       struct private_text ret_demands[]);

#endif
