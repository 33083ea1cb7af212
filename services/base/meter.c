#include "meter.h"

#include <string.h>

static const char *const result_names[] = {
#define CALL_RESULT(symbol, name) name,
#include "metric_labels.def"
};

static const char *const type_names[] = {
#define TOKEN_TYPE(symbol, name) name,
#include "metric_labels.def"
};

static void copy(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Host and port of scheme://who:secret@host:port/path: never who, nor the secret. */
static void read_url(struct meter *meter, const char *url)
{
    const char *from = strstr(url, "://");
    const char *host, *end, *colon = NULL;

    if (from == NULL)
        return;
    host = from += 3;
    end = from + strcspn(from, "/?#");
    for (const char *at = from; at < end; at++)
        if (*at == '@')
            host = at + 1;
    for (const char *at = host; at < end; at++) {
        if (*at == ']')
            colon = NULL; /* those before were an IPv6 address's */
        else if (*at == ':')
            colon = at;
    }
    copy(meter->host, sizeof(meter->host), host,
         (size_t)((colon != NULL ? colon : end) - host));
    if (colon != NULL)
        copy(meter->port, sizeof(meter->port), colon + 1, (size_t)(end - colon - 1));
    else
        strcpy(meter->port, strncmp(url, "https:", 6) == 0 ? "443" : "80");
}

void meter_name_it(struct meter *meter, const struct meter_name *name)
{
    copy(meter->role, sizeof(meter->role), name->role, strlen(name->role));
    copy(meter->provider, sizeof(meter->provider), name->provider,
         strlen(name->provider));
    if (name->operation != NULL)
        copy(meter->operation, sizeof(meter->operation), name->operation,
             strlen(name->operation));
    copy(meter->model, sizeof(meter->model), name->model, strlen(name->model));
    if (name->url != NULL)
        read_url(meter, name->url);
}

void meter_note_call(struct meter *meter, enum call_result result, int64_t duration_us)
{
    histogram_note(&meter->results[result], BUCKETS_CALLS, duration_us);
}

void meter_note_tokens(struct meter *meter, int64_t input, int64_t output)
{
    if (input >= 0)
        histogram_note(&meter->tokens[TOKEN_TYPE_INPUT], BUCKETS_TOKENS, input);
    if (output >= 0)
        histogram_note(&meter->tokens[TOKEN_TYPE_OUTPUT], BUCKETS_TOKENS, output);
}

bool meter_is_of(const struct meter *meter, const struct meter *other)
{
    return strcmp(meter->role, other->role) == 0 &&
           strcmp(meter->provider, other->provider) == 0 &&
           strcmp(meter->model, other->model) == 0 &&
           strcmp(meter->host, other->host) == 0 && strcmp(meter->port, other->port) == 0;
}

const char *call_result_name(enum call_result result)
{
    return result_names[result];
}

const char *token_type_name(enum token_type type)
{
    return type_names[type];
}
