/*
 * Methods and paths, matched against tables/routes.def.
 */
#include "router_internal.h"

#include <string.h>
#include <strings.h>

struct path {
    const char *method;
    const char *pattern;
};

static const struct path paths[] = {
#define ROUTE(symbol, method, path, name) [ROUTE_##symbol] = {method, path},
#include "routes.def"
};

static const char *const method_names[] = {
    [METHOD_GET] = "GET",         [METHOD_HEAD] = "HEAD",   [METHOD_POST] = "POST",
    [METHOD_PUT] = "PUT",         [METHOD_PATCH] = "PATCH", [METHOD_DELETE] = "DELETE",
    [METHOD_OPTIONS] = "OPTIONS", [METHOD_OTHER] = "other",
};

enum method method_parse(const char *name)
{
    for (enum method method = METHOD_GET; method < METHOD_OTHER; method++) {
        if (strcmp(name, method_names[method]) == 0)
            return method;
    }
    return METHOD_OTHER;
}

const char *method_name(enum method method)
{
    return method_names[method];
}

const char *router_path(enum route route)
{
    return route < ROUTE_COUNT ? paths[route].pattern : NULL;
}

static struct span path_of(const char *target)
{
    const char *path = target;

    if (strncasecmp(path, "http://", 7) == 0) {
        path += 7;
        path += strcspn(path, "/?#");
    }
    return (struct span){path, strcspn(path, "?#")};
}

static bool fits(const char *pattern, struct span path, struct span *ret_parameter)
{
    const char *brace = strchr(pattern, '{');
    size_t fixed = brace != NULL ? (size_t)(brace - pattern) : strlen(pattern);
    struct span rest = {path.bytes + fixed, path.length - fixed};
    const char *behind;
    size_t behind_length;

    if (path.length < fixed || memcmp(path.bytes, pattern, fixed) != 0)
        return false;
    if (brace == NULL)
        return rest.length == 0;
    behind = strchr(brace, '}') + 1;
    behind_length = strlen(behind);
    if (rest.length < behind_length ||
        memcmp(rest.bytes + rest.length - behind_length, behind, behind_length) != 0)
        return false;
    rest.length -= behind_length;
    if (rest.length == 0 || memchr(rest.bytes, '/', rest.length) != NULL)
        return false;
    *ret_parameter = rest;
    return true;
}

static void allow_add(struct match *match, const char *method)
{
    size_t length = strlen(match->allow);

    if (length + strlen(method) + 3 > sizeof(match->allow))
        return;
    if (length > 0)
        strcat(match->allow, ", ");
    strcat(match->allow, method);
}

struct match router_match(enum method method, const char *target)
{
    struct match match = {.route = ROUTE_COUNT};
    struct span path = path_of(target);
    const char *wanted = method_names[method == METHOD_HEAD ? METHOD_GET : method];

    for (enum route route = 0; route < ROUTE_COUNT; route++) {
        struct span parameter = {NULL, 0};

        if (!fits(paths[route].pattern, path, &parameter))
            continue;
        /* A path that is written out, such as /session/start, is no {session_id}. */
        if (match.is_path_known && match.parameter.bytes == NULL &&
            parameter.bytes != NULL)
            continue;
        match.is_path_known = true;
        match.parameter = parameter;
        allow_add(&match, paths[route].method);
        if (strcmp(paths[route].method, method_names[METHOD_GET]) == 0)
            allow_add(&match, method_names[METHOD_HEAD]);
        if (strcmp(paths[route].method, wanted) == 0)
            match.route = route;
    }
    if (match.is_path_known)
        allow_add(&match, method_names[METHOD_OPTIONS]);
    return match;
}
