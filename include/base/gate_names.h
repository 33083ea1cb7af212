/*
 * The gates of grounded answers by number and name, from tables/gates.def.
 */
#ifndef GATE_NAMES_H
#define GATE_NAMES_H

#include <stdbool.h>

enum gate {
#define GATE(symbol, surface, when, name, threshold, outcome) GATE_##symbol,
#include "gates.def"
    GATE_COUNT /* also: none of them */
};

/* Does it refuse, or only warn? */
bool gate_refuses(enum gate gate);

/* The name for logs and metrics; "none" for GATE_COUNT. */
const char *gate_name(enum gate gate);

#endif
