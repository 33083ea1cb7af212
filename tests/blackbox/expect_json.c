/*
 * Looking into a reply's JSON.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static bool step(struct json_object *json, const char *name,
                 struct json_object **ret_next)
{
    if (json_object_is_type(json, json_type_array) && isdigit((unsigned char)name[0])) {
        size_t index = strtoul(name, NULL, 10);
        *ret_next = json_object_array_get_idx(json, index);
        return index < json_object_array_length(json);
    }
    return json_object_is_type(json, json_type_object) &&
           json_object_object_get_ex(json, name, ret_next);
}

static bool walk(struct json_object *json, const char *path,
                 struct json_object **ret_found)
{
    char name[128];

    while (*path) {
        size_t size = strcspn(path, ".");
        snprintf(name, sizeof name, "%.*s", (int)size, path);
        if (!step(json, name, &json))
            return false;
        path += size + (path[size] == '.');
    }
    *ret_found = json;
    return true;
}

struct json_object *json_at(struct json_object *json, const char *path)
{
    struct json_object *found = NULL;

    return walk(json, path, &found) ? found : NULL;
}

bool json_has(struct json_object *json, const char *path)
{
    struct json_object *found;

    return walk(json, path, &found);
}

static struct json_object *expect_at(const struct reply *reply, const char *path,
                                     enum json_type type)
{
    cr_assert_not_null(reply, "no whole response came");
    struct json_object *found = json_at(reply->json, path);

    cr_assert(json_object_is_type(found, type) ||
                  (type == json_type_double && json_object_is_type(found, json_type_int)),
              "%s is not a %s:\n%s", path, json_type_to_name(type), reply->body.data);
    return found;
}

const char *text_at(const struct reply *reply, const char *path)
{
    return json_object_get_string(expect_at(reply, path, json_type_string));
}

double number_at(const struct reply *reply, const char *path)
{
    return json_object_get_double(expect_at(reply, path, json_type_double));
}

size_t length_at(const struct reply *reply, const char *path)
{
    return json_object_array_length(expect_at(reply, path, json_type_array));
}

void expect_text(const struct reply *reply, const char *path, const char *expected)
{
    const char *found = text_at(reply, path);

    cr_assert(strcmp(found, expected) == 0, "%s is \"%s\", not \"%s\":\n%s", path, found,
              expected, reply->body.data);
}

void expect_number(const struct reply *reply, const char *path, double expected)
{
    double found = number_at(reply, path);

    cr_assert(fabs(found - expected) < 1e-9, "%s is %g, not %g:\n%s", path, found,
              expected, reply->body.data);
}

void expect_flag(const struct reply *reply, const char *path, bool expected)
{
    bool found = json_object_get_boolean(expect_at(reply, path, json_type_boolean));

    cr_assert(found == expected, "%s is %s:\n%s", path, found ? "true" : "false",
              reply->body.data);
}

void expect_null(const struct reply *reply, const char *path)
{
    cr_assert_not_null(reply, "no whole response came");
    cr_assert(json_has(reply->json, path) && !json_at(reply->json, path),
              "%s is not null:\n%s", path, reply->body.data);
}

void expect_header(const struct reply *reply, const char *name, const char *expected)
{
    char value[1024] = "";

    cr_assert_not_null(reply, "no whole response came");
    cr_assert(reply_header_count(reply, name) == 1, "not one %s:\n%s", name,
              reply->head.data);
    reply_header(reply, name, value, sizeof value);
    cr_assert_str_eq(value, expected, "%s is \"%s\", not \"%s\"", name, value, expected);
}

void expect_no_header(const struct reply *reply, const char *name)
{
    cr_assert_not_null(reply, "no whole response came");
    cr_assert(reply_header_count(reply, name) == 0, "there is a %s:\n%s", name,
              reply->head.data);
}

void expect_keys(struct json_object *json, const char *const *keys)
{
    int count = 0;

    for (; keys[count]; count++)
        cr_assert(json_has(json, keys[count]), "no key %s in %s", keys[count],
                  json_object_to_json_string(json));
    cr_assert(json_object_object_length(json) == count, "more keys than %d in %s", count,
              json_object_to_json_string(json));
}

void expect_warning(const struct reply *reply, const char *code)
{
    size_t count = length_at(reply, "data.warnings");

    cr_assert(count == (code ? 1 : 0), "expected %s:\n%s", code ? code : "no warning",
              reply->body.data);
    if (code)
        expect_text(reply, "data.warnings.0.code", code);
}
