/*
 * Methods and request targets: a route is found by its path alone, whatever query or server stands
 * around it, takes only its own methods, and names in Allow what would be taken.
 *
 * The input is a method and a target, with a blank between.
 */
#include "fuzz.h"
#include "router_internal.h"
#include "web_file_internal.h"

#include <stdio.h>

static const char *const methods[] = {"GET",   "HEAD",   "POST",    "PUT",
                                      "PATCH", "DELETE", "OPTIONS", "BREW"};
enum { METHODS = sizeof(methods) / sizeof(*methods) };

static bool is_same(const struct match *one, const struct match *other)
{
    return one->is_path_known == other->is_path_known && one->route == other->route &&
           strcmp(one->allow, other->allow) == 0 &&
           fuzz_same(one->parameter, other->parameter);
}

static bool is_allowed(const struct match *match, const char *method)
{
    size_t length = strlen(method);

    for (const char *at = match->allow; *at != '\0'; at += *at != '\0') {
        if (strncmp(at, method, length) == 0 && (at[length] == '\0' || at[length] == ','))
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

/* OPTIONS is answered for every path, by no route. */
static void check_methods(const char *target)
{
    for (size_t i = 0; i < METHODS; i++) {
        enum method method = method_parse(methods[i]);
        struct match match = router_match(method, target);
        bool has_route = match.route != ROUTE_COUNT;

        must(!has_route || match.is_path_known);
        must(strlen(match.allow) < sizeof(match.allow));
        must(match.is_path_known == (match.allow[0] != '\0'));
        if (method != METHOD_OPTIONS)
            must(has_route == is_allowed(&match, methods[i]));
        must(!has_route || *route_name(match.route) != '\0');
        if (match.parameter.bytes != NULL)
            must(match.parameter.length > 0 &&
                 memchr(match.parameter.bytes, '/', match.parameter.length) == NULL);
    }
}

/* The same path with a query behind, and as a proxy would ask for it. */
static void check_around(const char *target, const struct match *match)
{
    size_t size = strlen(target) + 64;
    char *other = malloc(size);
    struct match again;

    must(other != NULL);
    if (strpbrk(target, "?#") == NULL) {
        snprintf(other, size, "%s?question=/turn", target);
        again = router_match(METHOD_GET, other);
        must(is_same(match, &again));
    }
    if (*target == '/') {
        snprintf(other, size, "http://poise.example%s", target);
        again = router_match(METHOD_GET, other);
        must(is_same(match, &again));
    }
    free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), method = {NULL, 0};
    const struct web_file *file;
    struct match match;
    char *target, *name;

    fuzz_next(&input, " ", &method);
    name = strndup(method.length > 0 ? method.bytes : "", method.length);
    target = strndup(input.length > 0 ? input.bytes : "", input.length);
    must(name != NULL && target != NULL);
    must(method_parse(name) == METHOD_OTHER ||
         strcmp(method_name(method_parse(name)), name) == 0);
    match = router_match(METHOD_GET, target);
    check_methods(target);
    check_around(target, &match);
    if (match.route == ROUTE_PAGE_FILE) {
        file = web_file_find(match.parameter);
        must(file == NULL || fuzz_same(span_of(file->name), match.parameter));
    }
    free(name);
    free(target);
    return 0;
}
