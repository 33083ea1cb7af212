/*
 * Asking a service that runs on this machine: health.c, for doctor too.
 */
#ifndef HEALTH_INTERNAL_H
#define HEALTH_INTERNAL_H

#include "settings.h"

#include <stdbool.h>

/* Does a Poise answer where these settings would have one listen? */
bool health_asks(const struct settings *settings);

#endif
