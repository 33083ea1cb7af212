/*
 * Reads what a client of the scripted provider sends.  For upstream.c only.
 */
#ifndef BLACKBOX_UPSTREAM_REQUEST_H
#define BLACKBOX_UPSTREAM_REQUEST_H

#include "upstream.h"

/* Reads up to a whole request, beginning with what was received before; NULL at the end of
 * the connection. */
struct call *upstream_read(int descriptor, struct bytes *received);

void upstream_call_free(struct call *call);

#endif
