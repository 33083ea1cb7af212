/*
 * The settings, read from the environment and a .env file and checked: each by its row of
 * the table, then together.
 */
#include "settings.h"

#include "address.h"
#include "env_file_internal.h"
#include "mem.h"
#include "private_reveal.h"
#include "private_text.h"
#include "settings_names_internal.h"
#include "span.h"
#include "url.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECRET_KEY_BYTES 32
#define SHOWN_BYTES      200 /* of a bad value */

#define SECRET_FILE_BYTES 8192

/* Where values come from, and where problems go. */
struct source {
    char *const *environment;
    struct env_file file;
    struct buffer *problems;
    bool is_good;
    bool is_key_weak;
};

/* A variable that is set to nothing counts as not set: deployments write NAME= for
 * "default". */
static const char *lookup(const struct source *source, const char *name)
{
    size_t length = strlen(name);
    const char *value = NULL;

    for (char *const *at = source->environment; at != NULL && *at != NULL; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            value = *at + length + 1;
    if (value == NULL || *value == '\0')
        value = env_file_get(&source->file, name);
    return value != NULL && *value != '\0' ? value : NULL;
}

/* "NAME=value: what is allowed"; a NULL value is not shown. */
static void report(struct source *source, const char *name, const char *value,
                   const char *allowed)
{
    source->is_good = false;
    buffer_append_string(source->problems, name);
    if (value != NULL) {
        size_t length = strnlen(value, SHOWN_BYTES);

        buffer_append_char(source->problems, '=');
        for (size_t at = 0; at < length; at++)
            buffer_append_char(source->problems,
                               (unsigned char)value[at] < 0x20 ? '?' : value[at]);
    }
    buffer_append_string(source->problems, ": ");
    buffer_append_string(source->problems, allowed);
    buffer_append_char(source->problems, '\n');
}

static int64_t read_int(struct source *source, const char *name, int64_t standard,
                        int64_t min, int64_t max)
{
    const char *value = lookup(source, name);
    char allowed[96], *end;
    long long number;

    if (value == NULL)
        return standard;
    errno = 0;
    number = strtoll(value, &end, 10);
    if (errno == 0 && *end == '\0' && end != value && number >= min && number <= max)
        return number;
    snprintf(allowed, sizeof(allowed),
             "must be a whole number from %" PRId64 " to %" PRId64, min, max);
    report(source, name, value, allowed);
    return standard;
}

/* Digits with one point in or before them; no sign, exponent, or what else strtod() takes.
 */
static bool is_plain_decimal(const char *value)
{
    size_t whole = strspn(value, "0123456789");
    size_t behind = value[whole] == '.' ? strspn(value + whole + 1, "0123456789") : 0;

    return whole + behind > 0 && value[whole + (value[whole] == '.') + behind] == '\0';
}

static double read_decimal(struct source *source, const char *name, double standard,
                           double min, double max)
{
    const char *value = lookup(source, name);
    char allowed[96];

    if (value == NULL)
        return standard;
    if (is_plain_decimal(value)) {
        double number = strtod(value, NULL);

        if (number >= min && number <= max)
            return number;
    }
    snprintf(allowed, sizeof(allowed), "must be a number from %g to %g, such as %g", min,
             max, standard);
    report(source, name, value, allowed);
    return standard;
}

static char *read_text(struct source *source, const char *name, const char *standard)
{
    const char *value = lookup(source, name);

    if (value != NULL && !utf8_is_valid(value, strlen(value))) {
        report(source, name, NULL, "must be valid UTF-8");
        value = NULL;
    }
    return mem_copy_string(value != NULL ? value : standard);
}

static bool read_flag(struct source *source, const char *name, bool standard)
{
    static const char *const yes[] = {"true", "1", "yes", "on", "t", "y"};
    static const char *const no[] = {"false", "0", "no", "off", "f", "n"};
    const char *value = lookup(source, name);

    if (value == NULL)
        return standard;
    for (size_t at = 0; at < sizeof(yes) / sizeof(yes[0]); at++) {
        if (span_equals_ignoring_case(span_of(value), yes[at]))
            return true;
        if (span_equals_ignoring_case(span_of(value), no[at]))
            return false;
    }
    report(source, name, value, "must be true or false");
    return standard;
}

/* The place of a word in "one|two|three"; -1: not there. */
static int choice_index(const char *choices, const char *word)
{
    int index = 0;

    for (const char *at = choices; *at != '\0'; index++) {
        struct span choice = {at, strcspn(at, "|")};

        if (span_equals_ignoring_case(choice, word))
            return index;
        at += choice.length + (at[choice.length] == '|');
    }
    return -1;
}

static int read_choice(struct source *source, const char *name, const char *standard,
                       const char *choices)
{
    const char *value = lookup(source, name);
    char allowed[128];
    int index = choice_index(choices, value != NULL ? value : standard);

    if (index >= 0)
        return index;
    snprintf(allowed, sizeof(allowed), "must be one of %s", choices);
    report(source, name, value, allowed);
    return choice_index(choices, standard);
}

/* Keys go into headers: what cannot stand there would end or split them. */
static bool is_visible_ascii(const char *value)
{
    while (*value > 0x20 && *value < 0x7f)
        value++;
    return *value == '\0';
}

/* What a file has, without the line's end; 0, or an errno: EFBIG for more than there is room for, EINVAL
 * for a NUL in it. */
static int read_secret_file(const char *path, char ret_text[SECRET_FILE_BYTES])
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t count = 1;
    int problem;

    while (file >= 0 && count > 0 && length < SECRET_FILE_BYTES) {
        count = read(file, ret_text + length, SECRET_FILE_BYTES - length);
        length += count > 0 ? (size_t)count : 0;
    }
    problem = file < 0 || count < 0 ? errno : length == SECRET_FILE_BYTES ? EFBIG : 0;
    if (file >= 0)
        close(file);
    if (problem != 0)
        return problem;
    while (length > 0 && strchr("\r\n", ret_text[length - 1]) != NULL)
        length--;
    ret_text[length] = '\0';
    return strlen(ret_text) == length ? 0 : EINVAL;
}

/* From the file that NAME_FILE names, else from the one of its name that systemd lends
 * (systemd.exec(5), LoadCredential=).  NULL: from neither. */
static const char *lookup_secret_file(struct source *source, const char *name,
                                      char ret_text[SECRET_FILE_BYTES])
{
    char file_name[64], path[4096];
    const char *given, *lent = lookup(source, "CREDENTIALS_DIRECTORY");
    int problem;

    snprintf(file_name, sizeof(file_name), "%s_FILE", name);
    given = lookup(source, file_name);
    if (given != NULL && lookup(source, name) != NULL)
        report(source, file_name, given, "must not be set beside the secret itself");
    if (given == NULL && lent == NULL)
        return NULL;
    snprintf(path, sizeof(path), "%s%s%s", given != NULL ? given : lent,
             given != NULL ? "" : "/", given != NULL ? "" : name);
    problem = read_secret_file(path, ret_text);
    if (problem != 0 && (given != NULL || problem != ENOENT))
        report(source, file_name, path, strerror(problem));
    else if (problem == 0 && *ret_text == '\0')
        report(source, file_name, path, "is empty");
    return problem == 0 ? ret_text : NULL;
}

#define CHARACTERS_LEAST \
    10 /* random hexadecimal digits, 32 of them, have more almost surely */

/* The same over and over, or of few characters. */
static bool is_repetitive(const char *key)
{
    bool has_come[256] = {false};
    size_t length = strlen(key), characters = 0, period = 1;

    for (size_t at = 0; at < length; at++) {
        characters += !has_come[(unsigned char)key[at]];
        has_come[(unsigned char)key[at]] = true;
    }
    while (period <= length / 2 && memcmp(key, key + period, length - period) != 0)
        period++;
    return characters < CHARACTERS_LEAST || period <= length / 2;
}

static struct private_text read_secret(struct source *source, const char *name)
{
    char text[SECRET_FILE_BYTES];
    const char *from_file = lookup_secret_file(source, name, text);
    const char *value = lookup(source, name);
    struct private_text secret = {NULL, 0};

    if (value == NULL)
        value = from_file;
    if (value != NULL && strcmp(name, "SECRET_KEY") == 0)
        source->is_key_weak = is_repetitive(value);
    if (value != NULL && strncmp(name, "SECRET_KEY", 10) != 0 && !is_visible_ascii(value))
        report(source, name, NULL, "must be visible ASCII characters");
    if (value != NULL)
        secret = private_text_copy(value, strlen(value));
    explicit_bzero(text, sizeof(text));
    return secret;
}

bool settings_next_entry(const char **rest, struct span *ret_entry)
{
    *rest += strspn(*rest, ", ");
    *ret_entry = (struct span){*rest, strcspn(*rest, ", ")};
    *rest += ret_entry->length;
    return ret_entry->length > 0;
}

/* An origin as a browser sends it: scheme and host, no path (RFC 6454, section 7). */
static bool are_origins(const char *list)
{
    struct span entry;
    char origin[256];

    while (settings_next_entry(&list, &entry)) {
        if (entry.length >= sizeof(origin))
            return false;
        memcpy(origin, entry.bytes, entry.length);
        origin[entry.length] = '\0';
        if (!url_is_http(origin) || strchr(strstr(origin, "://") + 3, '/') != NULL)
            return false;
    }
    return true;
}

static bool are_networks(const char *list)
{
    struct span entry;
    struct network network;

    while (settings_next_entry(&list, &entry))
        if (!network_parse(entry, &network))
            return false;
    return true;
}

/* Why an address of a provider is not taken; NULL: it is. */
static const char *url_fault(const struct settings *settings, const char *url)
{
    if (!url_is_http(url))
        return "must be an http(s):// URL";
    if (url_is_exposed(url) && !settings->allow_insecure_providers)
        return "must be https://, since keys and answers would travel unencrypted; "
               "ALLOW_INSECURE_PROVIDERS=true allows it";
    return NULL;
}

/* The same of LLM_FALLBACKS. */
static const char *coaches_fault(const struct settings *settings)
{
    const char *list = settings->llm_fallbacks;
    const char *shape =
        "must be builtin, anthropic, model or model@http(s)://server, separated by commas";
    const char *fault = NULL;
    struct span entry;
    char url[512];

    while (fault == NULL && settings_next_entry(&list, &entry)) {
        const char *at = memchr(entry.bytes, '@', entry.length);
        size_t model_length = at != NULL ? (size_t)(at - entry.bytes) : entry.length;

        if (model_length == 0 || entry.length - model_length >= sizeof(url))
            return shape;
        if (at == NULL)
            continue;
        memcpy(url, at + 1, entry.length - model_length - 1);
        url[entry.length - model_length - 1] = '\0';
        fault = url_is_http(url) ? url_fault(settings, url) : shape;
    }
    return fault;
}

static size_t count_entries(const char *list)
{
    struct span entry;
    size_t count = 0;

    while (settings_next_entry(&list, &entry))
        count++;
    return count;
}

static void check_fallbacks(const struct settings *settings, struct source *source)
{
    const char *rest = settings->stt_fallbacks;
    const char *fault = coaches_fault(settings);
    bool are_ears = true;
    struct span entry;

    while (settings_next_entry(&rest, &entry))
        are_ears &= span_equals(entry, "deepgram") || span_equals(entry, "groq") ||
                    span_equals(entry, "openai");
    if (count_entries(settings->stt_fallbacks) > SETTINGS_FALLBACKS_MOST)
        report(source, "STT_FALLBACKS", settings->stt_fallbacks, "must be at most eight");
    if (count_entries(settings->llm_fallbacks) > SETTINGS_FALLBACKS_MOST)
        report(source, "LLM_FALLBACKS", settings->llm_fallbacks, "must be at most eight");
    if (!are_ears)
        report(source, "STT_FALLBACKS", settings->stt_fallbacks,
               "must be some of deepgram, groq, openai, separated by commas");
    if (fault != NULL)
        report(source, "LLM_FALLBACKS", settings->llm_fallbacks, fault);
}

static void check_url(struct source *source, const struct settings *settings,
                      const char *name, const char *url)
{
    const char *fault = url_fault(settings, url);

    if (fault != NULL)
        report(source, name, url, fault);
}

static void check_secrets(const struct settings *settings, struct source *source)
{
    size_t length = settings->secret_key.length;

    if (length == 0 && settings_is_production(settings))
        report(
            source, "SECRET_KEY", NULL,
            "is required in production: at least 32 bytes (and APP_ENV is not development)");
    else if (length > 0 && length < SECRET_KEY_BYTES)
        report(source, "SECRET_KEY", NULL, "must have at least 32 bytes");
    if (settings->secret_key_previous.length > 0 &&
        settings->secret_key_previous.length < SECRET_KEY_BYTES)
        report(source, "SECRET_KEY_PREVIOUS", NULL, "must have at least 32 bytes");
    if (settings->llm_provider == LLM_PROVIDER_GROQ && settings->groq_api_key.length == 0)
        report(source, "GROQ_API_KEY", NULL, "is required with LLM_PROVIDER=groq");
    if (settings->llm_provider == LLM_PROVIDER_ANTHROPIC &&
        settings->anthropic_api_key.length == 0)
        report(source, "ANTHROPIC_API_KEY", NULL,
               "is required with LLM_PROVIDER=anthropic");
}

/* One of the two directions of speech through an OpenAI-compatible API. */
static void check_speech_api(struct source *source, const struct settings *settings,
                             bool is_groq, bool is_openai, const char *base_url,
                             const struct private_text *key, const char *key_name)
{
    if (key->length > 0)
        return;
    if (is_groq && settings->groq_api_key.length == 0)
        report(source, key_name, NULL, "or GROQ_API_KEY is required with groq");
    if (is_openai && *base_url == '\0')
        report(source, key_name, NULL, "is required with openai, or a base URL");
}

static void check_speech(const struct settings *settings, struct source *source)
{
    check_speech_api(source, settings, settings->stt_provider == STT_PROVIDER_GROQ,
                     settings->stt_provider == STT_PROVIDER_OPENAI,
                     settings->stt_base_url, &settings->stt_api_key, "STT_API_KEY");
    check_speech_api(source, settings, settings->tts_provider == TTS_PROVIDER_GROQ,
                     settings->tts_provider == TTS_PROVIDER_OPENAI,
                     settings->tts_base_url, &settings->tts_api_key, "TTS_API_KEY");
    if (settings->deepgram_api_key.length == 0 &&
        (settings->stt_provider == STT_PROVIDER_DEEPGRAM ||
         settings->tts_provider == TTS_PROVIDER_DEEPGRAM))
        report(source, "DEEPGRAM_API_KEY", NULL, "is required with deepgram");

    check_url(source, settings, "DEEPGRAM_BASE_URL", settings->deepgram_base_url);
    if (*settings->stt_base_url != '\0')
        check_url(source, settings, "STT_BASE_URL", settings->stt_base_url);
    if (*settings->tts_base_url != '\0')
        check_url(source, settings, "TTS_BASE_URL", settings->tts_base_url);
}

static void check_grounding(const struct settings *settings, struct source *source)
{
    check_url(source, settings, "QDRANT_URL", settings->qdrant_url);
    check_url(source, settings, "EMBEDDINGS_BASE_URL", settings->embeddings_base_url);
}

static bool is_store(const char *url)
{
    return *url == '\0' || strncmp(url, "sqlite:///", 10) == 0 ||
           strncmp(url, "postgres://", 11) == 0 || strncmp(url, "postgresql://", 13) == 0;
}

static bool allows_any_origin(const struct settings *settings)
{
    return strcmp(settings->cors_allowed_origins, "*") == 0;
}

/* Names are of the bytes that RFC 9110 gives them, as far as anybody needs; each has a value. */
static bool are_headers(const char *list)
{
    struct span entry;
    size_t count = 0;

    for (; settings_next_entry(&list, &entry); count++) {
        size_t name =
            strspn(entry.bytes, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_");

        if (name == 0 || entry.bytes[name] != '=' || name + 1 >= entry.length)
            return false;
    }
    return count <= 2;
}

static void check_collector(const struct settings *settings, struct source *source)
{
    if (*settings->otlp_endpoint != '\0' && !url_is_http(settings->otlp_endpoint))
        report(source, "OTEL_EXPORTER_OTLP_ENDPOINT", settings->otlp_endpoint,
               "must be an http(s):// URL");
    if (!private_text_is_empty(&settings->otlp_headers) &&
        !are_headers(private_reveal(&settings->otlp_headers).bytes))
        report(source, "OTEL_EXPORTER_OTLP_HEADERS", NULL,
               "must be name=value, percent-encoded; two of them at most, with a comma "
               "between");
}

/* What a single row of the table cannot say. */
static void check(const struct settings *settings, struct source *source)
{
    check_secrets(settings, source);
    check_speech(settings, source);
    check_grounding(settings, source);
    check_fallbacks(settings, source);
    check_collector(settings, source);
    check_url(source, settings, "GROQ_BASE_URL", settings->groq_base_url);
    check_url(source, settings, "ANTHROPIC_BASE_URL", settings->anthropic_base_url);
    if (!is_store(settings->store_url)) /* not shown: it may have a password in it */
        report(source, "STORE_URL", NULL,
               "must be sqlite:///path or postgresql://user@host/database");
    if (!are_networks(settings->trusted_proxies))
        report(source, "TRUSTED_PROXIES", settings->trusted_proxies,
               "must be addresses or networks such as 10.0.0.0/8, separated by commas");
    if (allows_any_origin(settings) && settings_is_production(settings))
        report(source, "CORS_ALLOWED_ORIGINS", settings->cors_allowed_origins,
               "must name origins in production: * is for development");
    else if (!allows_any_origin(settings) && !are_origins(settings->cors_allowed_origins))
        report(source, "CORS_ALLOWED_ORIGINS", settings->cors_allowed_origins,
               "must be origins such as https://app.example.org, separated by commas");
}

/* ---- remarks ---- */

static void remark(struct settings *settings, enum settings_remark_kind kind,
                   struct span name, const char *instead)
{
    struct settings_remark *remark;

    if (settings->remark_count == SETTINGS_REMARKS_MOST)
        return;
    remark = &settings->remarks[settings->remark_count++];
    *remark = (struct settings_remark){.kind = kind, .instead = instead};
    snprintf(remark->name, sizeof(remark->name), "%.*s", (int)name.length, name.bytes);
}

/* Strangers' names are normal in the environment, so that one is no problem; one of .env that is
 * neither a setting nor a former one is, and has been reported. */
static void remark_name(struct settings *settings, struct span name)
{
    const char *former = settings_former(name);
    const char *nearest = settings_nearest(name);

    if (former != NULL)
        remark(settings, REMARK_FORMER_NAME, name, former);
    else if (nearest != NULL && !settings_is_name(name))
        remark(settings, REMARK_NEAR_NAME, name, nearest);
}

static void remark_names(struct settings *settings, const struct source *source)
{
    const char *name = NULL;

    for (char *const *at = source->environment; at != NULL && *at != NULL; at++)
        remark_name(settings, (struct span){*at, strcspn(*at, "=")});
    while (env_file_next(&source->file, &name))
        if (settings_former(span_of(name)) != NULL)
            remark_name(settings, span_of(name));
}

/* What makes production less than it looks. */
static void remark_production(struct settings *settings, const struct source *source)
{
    const struct {
        bool is_so;
        enum settings_remark_kind kind;
    } remarks[] = {
        {settings->llm_provider == LLM_PROVIDER_AUTO &&
             settings->groq_api_key.length == 0 &&
             settings->anthropic_api_key.length == 0,
         REMARK_NO_MODEL_KEY},
        {settings->rate_sessions_per_minute == 0 &&
             settings->rate_turns_per_minute == 0 && settings->rate_tts_per_minute == 0 &&
             settings->rate_asks_per_minute == 0,
         REMARK_NO_RATE_LIMITS},
        {*settings->cors_allowed_origins == '\0', REMARK_NO_ORIGINS},
        {*settings->trusted_proxies == '\0', REMARK_NO_PROXY_NAMED},
        {source->is_key_weak, REMARK_WEAK_SECRET_KEY},
    };

    for (size_t at = 0; at < sizeof(remarks) / sizeof(remarks[0]); at++)
        if (remarks[at].is_so)
            remark(settings, remarks[at].kind, (struct span){"", 0}, "");
}

/* A problem of its own begins a line: "NAME=value: ..." or "NAME: ...". */
static bool was_reported(const struct source *source, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = source->problems->bytes; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, name, length) == 0 && (at[length] == '=' || at[length] == ':'))
            return true;
    }
    return false;
}

bool settings_load(struct settings *settings, char *const *environment,
                   const char *env_file, struct buffer *problems)
{
    struct source source = {
        .environment = environment, .problems = problems, .is_good = true};

    memset(settings, 0, sizeof(*settings));
    if (env_file != NULL)
        source.is_good = env_file_read(&source.file, env_file, problems);

#define SECTION(heading)
#define INT(field, env, standard, min, max, doc) \
    settings->field = read_int(&source, env, standard, min, max);
#define DECIMAL(field, env, standard, min, max, doc) \
    settings->field = read_decimal(&source, env, standard, min, max);
#define TEXT(field, env, standard, doc) \
    settings->field = read_text(&source, env, standard);
#define FLAG(field, env, standard, doc) \
    settings->field = read_flag(&source, env, standard);
#define CHOICE(field, env, standard, choices, doc) \
    settings->field = read_choice(&source, env, standard, choices);
#define SECRET(field, env, doc) settings->field = read_secret(&source, env);
#include "settings.def"

    check(settings, &source);
    settings->is_store_bad = was_reported(&source, "STORE_URL");
    settings->is_address_bad =
        was_reported(&source, "PORT") || was_reported(&source, "HOST") ||
        was_reported(&source, "ADMIN_PORT") || was_reported(&source, "ADMIN_HOST");
    remark_names(settings, &source);
    if (allows_any_origin(settings))
        remark(settings, REMARK_ANY_ORIGIN, (struct span){"", 0}, "");
    if (settings_is_production(settings))
        remark_production(settings, &source);
    env_file_done(&source.file);
    return source.is_good;
}

bool settings_read(struct settings *settings, struct buffer *problems)
{
    return settings_load(settings, environ, ".env", problems);
}

bool settings_open(struct settings *settings)
{
    struct buffer problems;
    bool is_good;

    buffer_init(&problems, SETTINGS_PROBLEMS_BYTES);
    is_good = settings_read(settings, &problems);
    if (!is_good)
        fprintf(stderr, "poise: bad settings\n%s", problems.bytes);
    buffer_done(&problems);
    return is_good;
}

void settings_free(struct settings *settings)
{
    if (settings == NULL)
        return;
#define SECTION(heading)
#define INT(field, env, standard, min, max, doc)
#define DECIMAL(field, env, standard, min, max, doc)
#define TEXT(field, env, standard, doc) free(settings->field);
#define FLAG(field, env, standard, doc)
#define CHOICE(field, env, standard, choices, doc)
#define SECRET(field, env, doc) private_text_free(&settings->field);
#include "settings.def"
    memset(settings, 0, sizeof(*settings));
}

bool settings_is_production(const struct settings *settings)
{
    return !span_equals_ignoring_case(span_of(settings->app_env), "development");
}
