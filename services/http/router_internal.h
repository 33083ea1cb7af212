/*
 * From a method and a request target to a route of tables/routes.def.
 */
#ifndef ROUTER_INTERNAL_H
#define ROUTER_INTERNAL_H

#include "names.h"
#include "span.h"

#include <stdbool.h>

enum method {
    METHOD_GET,
    METHOD_HEAD,
    METHOD_POST,
    METHOD_PUT,
    METHOD_PATCH,
    METHOD_DELETE,
    METHOD_OPTIONS,
    METHOD_OTHER
};

#define ROUTER_ALLOW_BYTES 64

struct match {
    bool is_path_known;    /* some route has this path; `route` says whether one takes the
                              method */
    enum route route;      /* ROUTE_COUNT: none */
    struct span parameter; /* what stands for {parameter}; borrowed from the target */
    char allow[ROUTER_ALLOW_BYTES]; /* for Allow: the methods that the path takes */
};

enum method method_parse(const char *name);

/* The name for logs: "GET", ..., "other". */
const char *method_name(enum method method);

/* "/session/{session_id}", ...; NULL for ROUTE_COUNT. */
const char *router_path(enum route route);

/* A HEAD is matched by a GET route.  The target is as it came: origin-form or
 * absolute-form (RFC 9112 3.2), without percent-decoding, for no path of ours needs any;
 * a query is ignored. */
struct match router_match(enum method method, const char *target);

#endif
