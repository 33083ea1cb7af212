#include "gate_names.h"

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
