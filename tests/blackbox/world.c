#include "world.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_rules.h"
#include "program.h"

#define MOST_SETTINGS 64

struct shelf {
    void *thing;
    void (*free_thing)(void *);
    struct shelf *next;
};

/* The environment of the program, so that it can be started again. */
struct environment {
    char *lines[MOST_SETTINGS + 1];
    size_t count;
};

static void free_environment(void *thing)
{
    struct environment *environment = thing;

    for (size_t i = 0; i < environment->count; i++)
        free(environment->lines[i]);
    free(environment);
}

/* A later setting of the same name replaces the earlier one. */
static void set(struct environment *environment, const char *line)
{
    size_t name_size = strcspn(line, "=") + 1;
    size_t i = 0;

    while (i < environment->count && strncmp(environment->lines[i], line, name_size) != 0)
        i++;
    cr_assert(i < MOST_SETTINGS);
    if (i == environment->count)
        environment->count++;
    else
        free(environment->lines[i]);
    environment->lines[i] = strdup(line);
    cr_assert_not_null(environment->lines[i]);
}

static void set_all(struct environment *environment, struct settings_list settings)
{
    for (size_t i = 0; i < settings.count; i++)
        set(environment, settings.lines[i]);
}

/* What a sanitizer needs to speak up, for programs that were built with one. */
static void set_sanitizers(struct environment *environment)
{
    set(environment, "ASAN_OPTIONS=detect_leaks=1:exitcode=99:abort_on_error=0");
    set(environment, "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1");
    set(environment, "TSAN_OPTIONS=halt_on_error=0:exitcode=66");
}

void *world_keep(struct world *world, void *thing, void (*free_thing)(void *))
{
    struct shelf *place = calloc(1, sizeof *place);

    cr_assert_not_null(place);
    *place = (struct shelf){thing, free_thing, world->shelf};
    world->shelf = place;
    return thing;
}

static struct environment *environment_of(struct world *world)
{
    struct shelf *place = world->shelf;

    while (place->next)
        place = place->next;
    return place->thing;
}

/* The program writes {"event":"listening",...,"port":N,...} once it can be called. */
void world_await_listening(struct world *world)
{
    if (!program_await_output(world->program, "\"listening\"") ||
        !program_await_output(world->program, "\n")) {
        struct bytes output = program_output(world->program, true);
        cr_assert_fail("the program did not come to listen; it wrote:\n%s", output.data);
    }
    struct bytes output = program_output(world->program, true);
    const char *line = strstr(output.data, "\"listening\"");
    while (line > output.data && line[-1] != '\n')
        line--;
    const char *port = strstr(line, "\"port\":");
    cr_assert_not_null(port, "the listening line names no port: %s", line);
    world->port = atoi(port + strlen("\"port\":"));
    secure_port(world->port, strstr(line, "\"scheme\":\"https\"") != NULL);
    bytes_free(&output);
}

void world_begin_restart(struct world *world)
{
    struct environment *environment = environment_of(world);

    environment->lines[environment->count] = NULL;
    world->program = program_start(
        &(struct launch){.directory = world->directory,
                         .environment = (const char *const *)environment->lines},
        world->program);
}

void world_restart(struct world *world)
{
    world_begin_restart(world);
    world_await_listening(world);
}

/* The built-in patterns take more to compile, these a moment. */
static void set_patterns(struct world *world)
{
    struct bytes setting = {0};
    const char *path = world_write_file(
        world, "patterns.json",
        "[{\"name\":\"profanity_or_slur\",\"pattern\":\"\\\\bfuck\\\\b\"},"
        "{\"name\":\"explicit_threat\",\"pattern\":\"\\\\bI will kill you\\\\b\"}]");

    bytes_addf(&setting, "SAFETY_PATTERNS_FILE=%s", path);
    set(environment_of(world), setting.data);
    bytes_free(&setting);
}

/* POISE_OVER_TLS=1 in the environment plays any story over TLS. */
static void set_certificate(struct world *world)
{
    struct key_pair pair = key_pair_make("poise.test", 30);
    struct bytes setting = {0};

    bytes_addf(&setting, "TLS_CERT_FILE=%s",
               world_write_file(world, "cert.pem", pair.certificate.data));
    set(environment_of(world), setting.data);
    bytes_free(&setting);
    bytes_addf(&setting, "TLS_KEY_FILE=%s",
               world_write_file(world, "key.pem", pair.key.data));
    set(environment_of(world), setting.data);
    bytes_free(&setting);
    key_pair_free(&pair);
}

static struct world *world_empty(void)
{
    struct world *world = calloc(1, sizeof *world);
    struct environment *environment = calloc(1, sizeof *environment);

    cr_assert(world && environment);
    world_keep(world, environment, free_environment);
    return world;
}

static struct world *world_new(void)
{
    struct world *world = world_empty();
    struct environment *environment = environment_of(world);

    world->directory = directory_make();
    world->store = store_place_make(world->directory);
    set(environment, "PORT=0");
    set(environment, "HOST=127.0.0.1");
    /* Each worker has connections of its own, and PostgreSQL a process for each: that is most
     * of what a story costs there.  Several processes stand for several workers. */
    set(environment, store_is_postgres() ? "WORKERS=1" : "WORKERS=2");
    set(environment, "SECRET_KEY=" SECRET_KEY);
    /* Stories about speech say so; all others are quicker without. */
    set(environment, "STT_PROVIDER=none");
    set(environment, "TTS_PROVIDER=none");
    set(environment, "PROVIDER_RETRIES=0"); /* what is scripted once is asked for once */
    set(environment, "BREAKER_FAILURES=0");
    set(environment, "OVERLOAD_LAG_MS=0"); /* the machine of the tests may be slow */
    set(environment, "OVERLOAD_STORE_MS=0");
    set_sanitizers(environment);
    set_patterns(world);
    if (getenv("POISE_OVER_TLS"))
        set_certificate(world);
    set(environment, store_place_setting(world->store));
    return world;
}

struct world *world_start(struct settings_list settings)
{
    struct world *world = world_new();

    set_all(environment_of(world), settings);
    world_restart(world);
    return world;
}

struct world *world_start_with_groq(struct settings_list settings)
{
    struct world *world = world_new();
    struct bytes url = {0};

    world->upstream = upstream_open();
    bytes_addf(&url, "GROQ_BASE_URL=%s", upstream_base_url(world->upstream));
    set(environment_of(world), url.data);
    set(environment_of(world), "GROQ_API_KEY=" GROQ_KEY);
    bytes_free(&url);
    /* Deepgram is there too, for stories that ask for it. */
    bytes_addf(&url, "DEEPGRAM_BASE_URL=http://127.0.0.1:%d",
               upstream_port(world->upstream));
    set(environment_of(world), url.data);
    set(environment_of(world), "DEEPGRAM_API_KEY=" DEEPGRAM_KEY);
    bytes_free(&url);
    set_all(environment_of(world), settings);
    world_restart(world);
    return world;
}

static struct world *share(struct world *first)
{
    struct world *world = world_empty();

    world->upstream = first->upstream;
    world->directory = first->directory;
    world->store = first->store;
    world->is_beside = true;
    return world;
}

struct world *world_beside(struct world *first)
{
    struct world *world = share(first);
    const struct environment *environment = environment_of(first);

    for (size_t i = 0; i < environment->count; i++)
        set(environment_of(world), environment->lines[i]);
    world_restart(world);
    return world;
}

struct world *world_in_front(struct world *first, int port)
{
    struct world *world = share(first);

    world->port = port;
    return world;
}

void world_signal(struct world *world, int signal_number)
{
    program_signal(world->program, signal_number);
}

void world_stop(struct world *world)
{
    cr_assert(program_stop(world->program));
}

int world_await_exit(struct world *world)
{
    int status = program_await_exit(world->program);

    cr_assert(status >= 0, "the program did not end");
    world->port = 0;
    return status;
}

void world_kill(struct world *world)
{
    world_signal(world, SIGKILL);
    world_await_exit(world);
    world->was_killed = true;
}

struct bytes world_output(struct world *world)
{
    return program_output(world->program, false);
}

void world_await_output(struct world *world, const char *text)
{
    cr_assert(program_await_output(world->program, text), "the program never wrote %s",
              text);
}

static void end_program(struct world *world)
{
    if (world->port != 0) {
        cr_assert(program_is_running(world->program), "the program ended by itself");
        world_signal(world, SIGTERM);
        int status = world_await_exit(world);
        cr_assert(status == 0, "on SIGTERM the program ended with status %d", status);
    }
    struct bytes output = world_output(world);
    program_free(world->program);
    expect_clean_output(&output, world->was_killed);
    bytes_free(&output);
}

static void end_surroundings(struct world *world)
{
    char *complaint = upstream_close(world->upstream);

    cr_assert_null(complaint, "%s", complaint);
    store_place_remove(world->store);
    directory_remove(world->directory);
    free((char *)world->directory);
}

void world_end(struct world *world)
{
    if (world->program)
        end_program(world);
    if (!world->is_beside)
        end_surroundings(world);
    while (world->shelf) {
        struct shelf *place = world->shelf;
        world->shelf = place->next;
        place->free_thing(place->thing);
        free(place);
    }
    free(world);
}

struct run run_program(const char *directory, const char *const *arguments,
                       struct settings_list settings)
{
    struct environment *environment = calloc(1, sizeof *environment);
    struct run run;

    cr_assert_not_null(environment);
    set_sanitizers(environment);
    for (size_t i = 1; i < settings.count; i++)
        set(environment, settings.lines[i]);
    struct program *program = program_start(
        &(struct launch){.directory = directory,
                         .arguments = arguments,
                         .environment = (const char *const *)environment->lines},
        NULL);
    run.status = program_await_exit(program);
    run.output = program_output(program, false);
    program_free(program);
    free_environment(environment);
    return run;
}

const char *world_path(struct world *world, const char *name)
{
    struct bytes path = {0};

    bytes_addf(&path, "%s/%s", world->directory, name);
    return world_keep(world, path.data, free);
}

const char *world_write_file(struct world *world, const char *name, const char *text)
{
    const char *path = world_path(world, name);
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    fwrite(text, 1, strlen(text), file);
    fclose(file);
    return path;
}

char *directory_make(void)
{
    const char *base = getenv("TMPDIR");
    struct bytes path = {0};

    bytes_addf(&path, "%s/poise-story-XXXXXX", base ? base : "/tmp");
    cr_assert_not_null(mkdtemp(path.data));
    return path.data;
}

static int remove_entry(const char *path, const struct stat *status, int kind,
                        struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

void directory_remove(const char *directory)
{
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
