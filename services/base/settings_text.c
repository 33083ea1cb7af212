/*
 * The settings table as text: env.example and the list in --help; and remarks on settings.
 */
#include "settings.h"

#include <stdbool.h>

static void write_section(struct buffer *out, const char *heading)
{
    buffer_append_string(out, "\n# ");
    buffer_append_string(out, heading);
    buffer_append_char(out, '\n');
}

static void write_example(struct buffer *out, const char *name, const char *standard,
                          const char *allowed, const char *doc)
{
    buffer_append_string(out, "\n# ");
    buffer_append_string(out, doc);
    if (*allowed != '\0') {
        buffer_append_string(out, "\n# ");
        buffer_append_string(out, allowed);
    }
    buffer_append_string(out, "\n#");
    buffer_append_string(out, name);
    buffer_append_char(out, '=');
    buffer_append_string(out, standard);
    buffer_append_char(out, '\n');
}

void settings_write_example(struct buffer *out)
{
    buffer_append_string(
        out,
        "# Settings of Poise, with their defaults.  Copy to .env and change what differs;\n"
        "# the environment wins over .env.  This file is what `poise --env-example` prints.\n"
        "# A secret may also be in a file: NAME_FILE names it, or systemd lends it\n"
        "# (LoadCredential=NAME:path), where neither NAME nor NAME_FILE is set.\n");
#define SECTION(heading) write_section(out, heading);
#define INT(field, env, standard, min, max, doc) \
    write_example(out, env, #standard, "From " #min " to " #max ".", doc);
#define DECIMAL(field, env, standard, min, max, doc) \
    write_example(out, env, #standard, "From " #min " to " #max ".", doc);
#define TEXT(field, env, standard, doc) write_example(out, env, standard, "", doc);
#define FLAG(field, env, standard, doc) \
    write_example(out, env, #standard, "true or false.", doc);
#define CHOICE(field, env, standard, choices, doc) \
    write_example(out, env, standard, "One of " choices ".", doc);
#define SECRET(field, env, doc)                                               \
    write_example(out, env, "",                                               \
                  "A secret, never logged or shown; or in the file that " env \
                  "_FILE names.",                                             \
                  doc);
#include "settings.def"
}

static void write_help(struct buffer *out, const char *name, const char *standard,
                       const char *doc)
{
    buffer_append_string(out, "  ");
    buffer_append_string(out, name);
    if (*standard != '\0') {
        buffer_append_string(out, " (");
        buffer_append_string(out, standard);
        buffer_append_char(out, ')');
    }
    buffer_append_string(out, "\n      ");
    buffer_append_string(out, doc);
    buffer_append_char(out, '\n');
}

void settings_write_help(struct buffer *out)
{
#define SECTION(heading) buffer_append_string(out, "\n" heading "\n");
#define INT(field, env, standard, min, max, doc) \
    write_help(out, env, #standard ", " #min "-" #max, doc);
#define DECIMAL(field, env, standard, min, max, doc) \
    write_help(out, env, #standard ", " #min "-" #max, doc);
#define TEXT(field, env, standard, doc) write_help(out, env, standard, doc);
#define FLAG(field, env, standard, doc) write_help(out, env, #standard, doc);
#define CHOICE(field, env, standard, choices, doc) \
    write_help(out, env, standard ", of " choices, doc);
#define SECRET(field, env, doc) write_help(out, env, "or " env "_FILE", doc);
#include "settings.def"
}

static const struct {
    const char *word, *words;
} remarks[REMARK_COUNT] = {
#define REMARK(symbol, word, words) [REMARK_##symbol] = {word, words},
#include "remarks.def"
};

const char *settings_remark_word(const struct settings_remark *remark)
{
    return remarks[remark->kind].word;
}

void settings_write_remark(const struct settings_remark *remark, struct buffer *out)
{
    buffer_append_string(out, remark->name);
    buffer_append_string(out, *remark->name != '\0' ? " " : "");
    buffer_append_string(out, remarks[remark->kind].words);
    buffer_append_string(out, remark->instead);
    buffer_append_string(out, remark->kind == REMARK_NEAR_NAME ? "?" : "");
}
