/*
 * A .env file: NAME=value lines, with quotes, comments and `export`.
 */
#include "env_file_internal.h"

#include "settings_names_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FILE_BYTES 65536

/* Room for a file of escapes that all stay as they are. */
#define TEXT_BYTES (2 * FILE_BYTES)

static bool is_name(const char *name, size_t length)
{
    if (length == 0 || isdigit((unsigned char)name[0]))
        return false;
    for (size_t at = 0; at < length; at++)
        if (!isalnum((unsigned char)name[at]) && name[at] != '_')
            return false;
    return true;
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* In double quotes \n, \" and \\ are escapes; in single quotes nothing is. */
static bool append_quoted(struct buffer *text, const char *at, char quote)
{
    for (; *at != '\0' && *at != quote; at++) {
        char character = *at;

        if (quote == '"' && character == '\\' && at[1] != '\0') {
            at++;
            character = *at == 'n' ? '\n' : *at;
        }
        buffer_append_char(text, character);
    }
    if (*at != quote)
        return false;
    at = skip_blanks(at + 1);
    return *at == '\0' || *at == '#';
}

/* Up to a comment, which a blank must precede, and without the blanks at the end. */
static void append_plain(struct buffer *text, const char *at)
{
    size_t length = 0;

    while (at[length] != '\0' &&
           !(at[length] == '#' && length > 0 && isblank((unsigned char)at[length - 1])))
        length++;
    while (length > 0 && isspace((unsigned char)at[length - 1]))
        length--;
    buffer_append(text, at, length);
}

static bool read_line(struct buffer *text, char *line)
{
    const char *at = skip_blanks(line), *equals;
    size_t length;

    line[strcspn(line, "\r\n")] = '\0';
    if (*at == '\0' || *at == '#')
        return true;
    if (strncmp(at, "export ", 7) == 0)
        at = skip_blanks(at + 7);
    equals = strchr(at, '=');
    if (equals == NULL)
        return false;
    length = (size_t)(equals - at);
    while (length > 0 && isblank((unsigned char)at[length - 1]))
        length--;
    if (!is_name(at, length))
        return false;

    buffer_append(text, at, length);
    buffer_append_char(text, '\0');
    at = skip_blanks(equals + 1);
    if (*at == '"' || *at == '\'') {
        if (!append_quoted(text, at + 1, *at)) {
            buffer_append_char(text, '\0');
            return false;
        }
    } else {
        append_plain(text, at);
    }
    return buffer_append_char(text, '\0');
}

static void report(struct buffer *problems, const char *path, int line, const char *what)
{
    buffer_append_string(problems, path);
    if (line > 0) {
        buffer_append_string(problems, ", line ");
        buffer_append_number(problems, line);
    }
    buffer_append_string(problems, ": ");
    buffer_append_string(problems, what);
    buffer_append_char(problems, '\n');
}

/* All in capitals or all in small letters, as names are: another may be a piece of a key that lost its
 * place, and is not shown. */
static bool is_like_a_name(const char *name)
{
    return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0' ||
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz_")] == '\0';
}

/* Of the entry that begins at `start`: it must be a setting, or have been one of another service,
 * and the only one of its name. */
static bool judge_name(const struct env_file *file, size_t start, const char *path,
                       int line, struct buffer *problems)
{
    const char *name = file->text.bytes + start;
    const char *nearest = settings_nearest(span_of(name));
    char what[256];

    if (env_file_get(file, name) != env_file_value(name))
        snprintf(what, sizeof(what), "%.64s: is set a second time", name);
    else if (settings_is_name(span_of(name)) || settings_former(span_of(name)) != NULL)
        return true;
    else if (nearest != NULL)
        snprintf(what, sizeof(what), "%.64s: did you mean %s?", name, nearest);
    else
        snprintf(
            what, sizeof(what),
            "%.64s: is no setting of Poise (what libraries read, such as https_proxy or "
            "PGPASSWORD, belongs into the environment)",
            is_like_a_name(name) ? name : "a name");
    report(problems, path, line, what);
    return false;
}

bool env_file_read(struct env_file *file, const char *path, struct buffer *problems)
{
    char line[8192];
    int number = 0;
    bool is_good = true;
    FILE *stream = fopen(path, "re");

    buffer_init(&file->text, TEXT_BYTES);
    if (stream == NULL && (errno == ENOENT || errno == ENOTDIR))
        return true;
    if (stream == NULL) {
        report(problems, path, 0, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof(line), stream) != NULL) {
        size_t start = file->text.length;

        number++;
        if (!read_line(&file->text, line)) {
            report(problems, path, number, "is not NAME=value");
            is_good = false;
        }
        if (file->text.length > start)
            is_good &= judge_name(file, start, path, number, problems);
    }
    if (ferror(stream) || file->text.is_over) {
        report(problems, path, 0, "cannot be read, or is too long");
        buffer_clear(&file->text); /* its last entry may not be whole */
        is_good = false;
    }
    fclose(stream);
    explicit_bzero(line, sizeof(line));
    return is_good;
}

bool env_file_next(const struct env_file *file, const char **name)
{
    const char *end;

    if (file->text.bytes == NULL)
        return false;
    end = file->text.bytes + file->text.length;
    if (*name == NULL)
        *name = file->text.bytes;
    else
        *name = env_file_value(*name) + strlen(env_file_value(*name)) + 1;
    return *name < end;
}

const char *env_file_get(const struct env_file *file, const char *name)
{
    const char *at = NULL;

    while (env_file_next(file, &at))
        if (strcmp(at, name) == 0)
            return env_file_value(at);
    return NULL;
}

void env_file_done(struct env_file *file)
{
    buffer_done(&file->text);
}
