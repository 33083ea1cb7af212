/*
 * What the log, /metrics and documents call things: the routes of tables/routes.def, the
 * gates of grounded answers of tables/gates.def, and this program's version.
 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>

enum route {
#define ROUTE(symbol, method, path, name) ROUTE_##symbol,
#include "routes.def"
    ROUTE_COUNT /* also: none of them */
};

enum gate {
#define GATE(symbol, surface, when, name, threshold, outcome) GATE_##symbol,
#include "gates.def"
    GATE_COUNT /* also: none of them */
};

/* "none" for ROUTE_COUNT. */
const char *route_name(enum route route);

/* "none" for GATE_COUNT. */
const char *gate_name(enum gate gate);

/* Does it refuse, or only warn? */
bool gate_refuses(enum gate gate);

/* As CMakeLists.txt has it. */
const char *version(void);

#endif
