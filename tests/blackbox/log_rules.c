#include "log_rules.h"

#include <criterion/criterion.h>
#include <json-c/json.h>
#include <string.h>

#include "world.h"

enum kind { WORD, NUMBER, ID, SENTENCE };

static const struct {
    const char *name;
    enum kind kind;
} FIELDS[] = {
    {"time", WORD},
    {"level", WORD},
    {"event", WORD},
#define LOG_FIELD(symbol, name, kind) {name, kind},
#include "log_fields.def"
};

static bool is_word(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) &&
           json_object_get_string_len(value) <= 128 &&
           strspn(json_object_get_string(value),
                  "abcdefghijklmnopqrstuvwxyz"
                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                  "0123456789_.:/+-?") == (size_t)json_object_get_string_len(value);
}

static bool is_id(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) &&
           json_object_get_string_len(value) == 36 &&
           strspn(json_object_get_string(value), "0123456789abcdefABCDEF-") == 36;
}

static bool is_of_kind(struct json_object *value, enum kind kind)
{
    switch (kind) {
    case WORD: return is_word(value);
    case NUMBER:
        return json_object_is_type(value, json_type_int) ||
               json_object_is_type(value, json_type_double);
    case ID: return is_id(value);
    case SENTENCE: return json_object_is_type(value, json_type_string);
    }
    return false;
}

static void expect_allowed(const char *name, struct json_object *value, const char *line)
{
    size_t i = 0;

    while (i < sizeof FIELDS / sizeof *FIELDS && strcmp(FIELDS[i].name, name) != 0)
        i++;
    cr_assert(i < sizeof FIELDS / sizeof *FIELDS, "log field off the list: %s in %s",
              name, line);
    cr_assert(is_of_kind(value, FIELDS[i].kind),
              "log field %s is of the wrong kind in %s", name, line);
}

static void expect_log_line(const char *line)
{
    struct json_object *json = json_tokener_parse(line);

    cr_assert(json_object_is_type(json, json_type_object), "not a log line: %s", line);
    cr_assert(json_object_object_get_ex(json, "time", NULL) &&
                  json_object_object_get_ex(json, "level", NULL) &&
                  json_object_object_get_ex(json, "event", NULL),
              "a log line without time, level or event: %s", line);
    json_object_object_foreach(json, name, value)
    {
        expect_allowed(name, value, line);
    }
    json_object_put(json);
}

/* On standard error, in words: what is wrong with a file of the operator's own. */
static bool is_for_the_operator(const char *line)
{
    /* The last is libpq's, from a server that turns somebody out while it lets him in: until a
     * connection stands libpq takes nobody's word for where such notices go. */
    static const char *const heads[] = {
        "poise: ", "WARNING:  terminating connection due to ",
        "FATAL:  terminating connection due to "};

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(line, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

static void expect_absent(const struct bytes *output, const char *text, const char *what)
{
    cr_assert_not(bytes_has(output, text), "the program wrote %s", what);
}

void expect_clean_output(const struct bytes *output, bool may_be_torn)
{
    expect_absent(output, "Sanitizer", "a sanitizer's report");
    expect_absent(output, "runtime error:", "a sanitizer's report");
    expect_absent(output, SECRET_KEY, "SECRET_KEY");
    expect_absent(output, GROQ_KEY, "GROQ_API_KEY");
    expect_absent(output, DEEPGRAM_KEY, "DEEPGRAM_API_KEY");
    expect_absent(output, CANARY, "words of the candidate");
    expect_absent(output, MODEL_CANARY, "words of the model");

    struct bytes lines = {0};
    char *rest = NULL;
    bytes_add(&lines, output->data, output->size);
    for (char *line = strtok_r(lines.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (!may_be_torn && !is_for_the_operator(line))
            expect_log_line(line);
    }
    bytes_free(&lines);
}
