#include "routes.h"

const char *route_name(enum route route)
{
    static const char *const names[ROUTE_COUNT + 1] = {
#define ROUTE(symbol, method, path, name) [ROUTE_##symbol] = name,
#include "routes.def"
        [ROUTE_COUNT] = "none",
    };

    return names[route];
}
