/*
 * The parameters of a header: `value; name=token; name="quoted"` (RFC 9110 5.6.6).
 */
#include "parameters_internal.h"

#include <string.h>

static bool is_space(char character)
{
    return character == ' ' || character == '\t';
}

static bool is_token(char character)
{
    return character > ' ' && character < 0x7f &&
           strchr("()<>@,;:\\\"/[]?={}", character) == NULL;
}

/* Boundaries with '=' or ':' outside of quotes are wrong but common. */
static bool is_value(char character)
{
    return character > ' ' && character < 0x7f && character != ';' && character != ',' &&
           character != '"';
}

struct span parameters_value(struct span header)
{
    size_t start = 0;
    size_t end;

    if (header.bytes == NULL)
        return header;
    while (start < header.length && is_space(header.bytes[start]))
        start++;
    end = start;
    while (end < header.length && header.bytes[end] != ';')
        end++;
    while (end > start && is_space(header.bytes[end - 1]))
        end--;
    return (struct span){header.bytes + start, end - start};
}

static size_t skip_space(struct span header, size_t at)
{
    while (at < header.length && is_space(header.bytes[at]))
        at++;
    return at;
}

/* At a quote: moves past the closing one.  false: there is none. */
static bool take_quoted(struct span header, size_t *at, struct span *ret_value)
{
    size_t start = ++*at;

    while (*at < header.length && header.bytes[*at] != '"')
        *at += header.bytes[*at] == '\\' ? 2 : 1;
    if (*at >= header.length)
        return false;
    *ret_value = (struct span){header.bytes + start, *at - start};
    ++*at;
    return true;
}

static bool take_parameter(struct span header, size_t *offset,
                           struct parameter *ret_parameter)
{
    struct parameter parameter = {0};
    size_t at = skip_space(header, *offset);
    size_t start = at;

    while (at < header.length && is_token(header.bytes[at]))
        at++;
    parameter.name = (struct span){header.bytes + start, at - start};
    if (at == start || at == header.length || header.bytes[at++] != '=')
        return false;
    parameter.is_quoted = at < header.length && header.bytes[at] == '"';
    if (parameter.is_quoted) {
        if (!take_quoted(header, &at, &parameter.value))
            return false;
    } else {
        start = at;
        while (at < header.length && is_value(header.bytes[at]))
            at++;
        parameter.value = (struct span){header.bytes + start, at - start};
    }
    at = skip_space(header, at);
    if (at < header.length && header.bytes[at] != ';')
        return false;
    *offset = at;
    *ret_parameter = parameter;
    return true;
}

bool parameters_next(struct span header, size_t *offset, struct parameter *ret_parameter)
{
    size_t at = *offset;

    if (at == 0) {
        while (at < header.length && header.bytes[at] != ';')
            at++;
    }
    /* At a semicolon; empty parameters (";;", or one at the end) are harmless. */
    while (at < header.length && header.bytes[at] == ';')
        at = skip_space(header, at + 1);
    if (at >= header.length) {
        *offset = header.length;
        return false;
    }
    *offset = at;
    if (!take_parameter(header, &at, ret_parameter))
        return false;
    *offset = at;
    return true;
}

bool parameters_unquote(const struct parameter *parameter, char *text, size_t size)
{
    size_t length = 0;

    for (size_t i = 0; i < parameter->value.length; i++) {
        char character = parameter->value.bytes[i];

        if (parameter->is_quoted && character == '\\' && i + 1 < parameter->value.length)
            character = parameter->value.bytes[++i];
        if (character == '\0' || length + 1 >= size)
            return false;
        text[length++] = character;
    }
    text[length] = '\0';
    return true;
}
