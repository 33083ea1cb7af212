/*
 * Settings, from the environment and from a .env file: what is taken keeps the table's bounds, what
 * is not is said in a line without a secret in it, and lists of fallbacks give the coaches and
 * transcribers that they name.
 *
 * The input is a .env file; a line of "----" ends it, and behind that each line is a variable of
 * the environment.  The first byte says how often the file's text stands in it in a row, since long
 * files have bounds of their own.
 */
#include "address.h"
#include "coach_builtin.h"
#include "fallbacks.h"
#include "outside.h"
#include "private_reveal.h"
#include "utf8.h"

#include <sys/mman.h>
#include <unistd.h>

enum { VARIABLES_MOST = 64, PROBLEMS_MOST = 1 << 16 };

struct environment {
    char *all[VARIABLES_MOST + 1]; /* owned */
    size_t count;
};

static struct environment environment_of(struct span lines)
{
    struct environment environment = {.count = 0};
    struct span line;

    while (environment.count < VARIABLES_MOST && fuzz_next(&lines, "\n", &line)) {
        char *copy = strndup(line.length > 0 ? line.bytes : "", line.length);

        must(copy != NULL);
        environment.all[environment.count++] = copy;
    }
    return environment;
}

/* ---- what was loaded ---- */

static void check_table(const struct settings *settings)
{
#define SECTION(heading)
#define INT(field, env, standard, min, max, doc) \
    must(settings->field >= min && settings->field <= max);
#define DECIMAL(field, env, standard, min, max, doc) \
    must(settings->field >= min && settings->field <= max);
#define TEXT(field, env, standard, doc) \
    must(utf8_is_valid(settings->field, strlen(settings->field)));
#define FLAG(field, env, standard, doc)
#define CHOICE(field, env, standard, choices, doc) must(settings->field >= 0);
#define SECRET(field, env, doc)
#include "settings.def"
}

/* A header's value with anything else in it would end the header, or split it. */
static void check_key(const struct private_text *key)
{
    struct span value = private_reveal(key);

    for (size_t i = 0; i < value.length; i++)
        must(value.bytes[i] > ' ' && value.bytes[i] < 0x7f);
}

static void check_lists(const struct settings *settings)
{
    const char *rest = settings->trusted_proxies;
    struct network network;
    struct span entry;

    while (settings_next_entry(&rest, &entry))
        must(network_parse(entry, &network));
    rest = settings->cors_allowed_origins;
    must(strcmp(rest, "*") != 0 || !settings_is_production(settings));
    while (strcmp(settings->cors_allowed_origins, "*") != 0 &&
           settings_next_entry(&rest, &entry))
        must(entry.length > 7 && memcmp(entry.bytes, "http", 4) == 0);
    check_key(&settings->groq_api_key);
    check_key(&settings->anthropic_api_key);
    check_key(&settings->stt_api_key);
    check_key(&settings->tts_api_key);
    check_key(&settings->deepgram_api_key);
    check_key(&settings->llm_fallback_api_key);
    must(settings->secret_key.length == 0 || settings->secret_key.length >= 32);
    must(!settings_is_production(settings) || settings->secret_key.length >= 32);
}

static size_t count_entries(const char *list)
{
    struct span entry;
    size_t count = 0;

    while (settings_next_entry(&list, &entry))
        count++;
    return count < FALLBACKS_MOST ? count : FALLBACKS_MOST;
}

static void check_fallbacks(const struct settings *settings)
{
    static char *const nothing[] = {NULL};
    struct outside *outside = outside_open(nothing);
    const struct provider_tools tools = {settings, outside->pool, outside->log,
                                         &outside->metrics, NULL};
    struct transcribers transcribers;
    struct coaches coaches;

    memset(&outside->metrics, 0, sizeof(outside->metrics)); /* meters of other settings */
    coaches_init(&coaches, &tools, coach_builtin_new);
    must(coaches.count == 1 + count_entries(settings->llm_fallbacks));
    for (size_t i = 0; i < coaches.count; i++)
        must(coaches.all[i]->is_builtin || strncmp(coaches.all[i]->url, "http", 4) == 0);
    coaches_done(&coaches);
    transcribers_init(&transcribers, &tools);
    must(transcribers.count == 0 ||
         transcribers.count == 1 + count_entries(settings->stt_fallbacks));
    transcribers_done(&transcribers);
}

#define MARK "5ECR3T"

/* Only of a secret with the mark in it: any other could stand in another variable too. */
static bool shows(const struct buffer *problems, const struct private_text *secret)
{
    return strstr(private_reveal(secret).bytes, MARK) != NULL &&
           memmem(problems->bytes, problems->length, MARK, strlen(MARK)) != NULL;
}

static bool has_one_mark(struct span input)
{
    const char *at = memmem(input.bytes, input.length, MARK, strlen(MARK));

    return at != NULL && memmem(at + 1, input.length - (size_t)(at + 1 - input.bytes),
                                MARK, strlen(MARK)) == NULL;
}

/* No problem shows a secret. */
static void check_secrets(const struct settings *settings, const struct buffer *problems)
{
#define SECTION(heading)
#define INT(field, env, standard, min, max, doc)
#define DECIMAL(field, env, standard, min, max, doc)
#define TEXT(field, env, standard, doc)
#define FLAG(field, env, standard, doc)
#define CHOICE(field, env, standard, choices, doc)
#define SECRET(field, env, doc) must(!shows(problems, &settings->field));
#include "settings.def"
}

static int file_of(struct span text, unsigned times)
{
    int descriptor = memfd_create("env", MFD_CLOEXEC);

    must(descriptor >= 0);
    for (unsigned i = 0; i < times; i++)
        must(write(descriptor, text.bytes, text.length) == (ssize_t)text.length);
    return descriptor;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), file = {"", 0};
    unsigned choice = fuzz_choice(&input);
    unsigned times = choice < 250 ? 1 : 1u << (choice - 245);
    bool is_marked = times == 1 && has_one_mark(input);
    struct environment environment;
    struct settings settings;
    struct buffer problems;
    char path[32];
    int descriptor;

    fuzz_next(&input, FUZZ_LINE, &file);
    environment = environment_of(input);
    descriptor = file_of(file, times);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
    buffer_init(&problems, PROBLEMS_MOST);
    if (settings_load(&settings, environment.all, path, &problems)) {
        must(problems.length == 0);
        check_lists(&settings);
        check_fallbacks(&settings);
    } else {
        must(problems.length > 0 &&
             (problems.is_over || problems.bytes[problems.length - 1] == '\n'));
        if (is_marked)
            check_secrets(&settings, &problems);
    }
    check_table(&settings);
    settings_free(&settings);
    buffer_done(&problems);
    close(descriptor);
    for (size_t i = 0; i < environment.count; i++)
        free(environment.all[i]);
    return 0;
}
