/*
 * Writes what the script says on one connection.  For upstream.c only.
 */
#ifndef BLACKBOX_UPSTREAM_ANSWER_H
#define BLACKBOX_UPSTREAM_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "upstream.h"

/* Returns whether the connection goes on.  What lasts until the other side leaves ends
 * when is_closing is set. */
bool upstream_answer(int descriptor, const struct saying *saying,
                     atomic_bool *is_closing);

#endif
