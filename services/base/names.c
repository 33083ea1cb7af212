/*
 * Names by number.
 */
#include "names.h"

const char *route_name(enum route route)
{
    static const char *const names[ROUTE_COUNT + 1] = {
#define ROUTE(symbol, method, path, name) [ROUTE_##symbol] = name,
#include "routes.def"
        [ROUTE_COUNT] = "none",
    };

    return names[route];
}

const char *gate_name(enum gate gate)
{
    static const char *const names[GATE_COUNT + 1] = {
#define GATE(symbol, surface, when, name, threshold, outcome) [GATE_##symbol] = name,
#include "gates.def"
        [GATE_COUNT] = "none",
    };

    return names[gate];
}

bool gate_refuses(enum gate gate)
{
    enum outcome { WARN, REFUSE };
    static const enum outcome outcomes[GATE_COUNT] = {
#define GATE(symbol, surface, when, name, threshold, outcome) [GATE_##symbol] = outcome,
#include "gates.def"
    };

    return outcomes[gate] == REFUSE;
}

const char *version(void)
{
    return POISE_VERSION;
}
