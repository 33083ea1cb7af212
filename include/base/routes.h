/*
 * The paths of the service, from tables/routes.def.
 */
#ifndef ROUTES_H
#define ROUTES_H

enum route {
#define ROUTE(symbol, method, path, name) ROUTE_##symbol,
#include "routes.def"
    ROUTE_COUNT /* also: no such path */
};

/* The name for logs and metrics; "none" for ROUTE_COUNT. */
const char *route_name(enum route route);

#endif
