/*
 * Which rates hold for a request, by its client's address and by its session.
 *
 *   throttle_check, with the head > the body > throttle_share > request_work
 *
 * The process counts by itself first, which costs nothing.  Where other processes use the
 * same store, the store's count holds as well.
 */
#ifndef THROTTLE_INTERNAL_H
#define THROTTLE_INTERNAL_H

#include "request_internal.h"

/* By this process' own count: OK, or ERROR_RATE_LIMITED; what is left is noted in
 * request->rate. */
enum error throttle_check(struct request *request);

/* By the count of all processes on the store: request_work(), at once or from the loop, or
 * the request is answered ERROR_RATE_LIMITED.  Where the store does not answer, this
 * process' own count was all there is. */
void throttle_share(struct request *request);

#endif
