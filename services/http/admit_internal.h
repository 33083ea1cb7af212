/*
 * Whether a request may come in at all, judged by its head: is it sound, is there such a
 * path, does the token fit, is there room, is it not too long.
 */
#ifndef ADMIT_INTERNAL_H
#define ADMIT_INTERNAL_H

#include "request_internal.h"

/* Fills in what the head tells of a request, and answers it where it may not come in. */
void admit(struct request *request, const char *target, const char *method,
           const char *version);

/* Does the request bring a good token, and of which session?  From then on its keys are those that the
 * token was signed with: digests that were made under them are found again while keys change. */
bool admit_proves_session(struct request *request, struct id *ret_session_id);

/* The longest body that is read to its end. */
int64_t admit_body_limit(const struct request *request);

#endif
