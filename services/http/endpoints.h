/*
 * What each route of tables/routes.def does: ENDPOINT_<symbol>, defined in
 * route_<name>.c.
 */
#ifndef ENDPOINTS_H
#define ENDPOINTS_H

#include "request.h"

#define ROUTE(symbol, method, path, name) extern const struct endpoint ENDPOINT_##symbol;
#include "routes.def"

#endif
