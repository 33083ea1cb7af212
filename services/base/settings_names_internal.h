/*
 * The names of settings, and what else is called almost so: settings_names.c, for who reads a .env
 * file and for who reads the environment.
 */
#ifndef SETTINGS_NAMES_INTERNAL_H
#define SETTINGS_NAMES_INTERNAL_H

#include "span.h"

#include <stdbool.h>

bool settings_is_name(struct span name);

/* The setting that somebody who wrote this may have meant: at most two slips away (one for short
 * names), whatever the case; static.  NULL: none is so near. */
const char *settings_nearest(struct span name);

/* What to do instead, of a name out of tables/former_settings.def; static.  NULL: it is none. */
const char *settings_former(struct span name);

#endif
