/*
 * The world of one story: the real program, started with a clean environment and a store
 * of its own (store_place.h) on a free port, and the scripted provider that it calls.
 *
 *     struct world *world = world_with_groq("LLM_TIMEOUT_SECONDS=1");
 *     ...
 *     world_end(world);
 *
 * world_end() is part of every story: the program must still run (unless the story ended
 * it), stop with status 0 on SIGTERM, have written nothing but log lines of allowed
 * fields, no secret and none of anyone's words, and no sanitizer may have spoken.
 *
 * POISE_SHOW_OUTPUT=1 in the environment copies what the program writes to standard
 * error.
 */
#ifndef BLACKBOX_WORLD_H
#define BLACKBOX_WORLD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"
#include "http.h"
#include "store_place.h"
#include "upstream.h"

#define GROQ_KEY     "gsk_never0show1this2key3to4anyone"
#define DEEPGRAM_KEY "5d7e0never1show2this3key4of5deepgrams6to7anyone"
#define SECRET_KEY   "a-secret-of-the-tests-that-signs-tokens-0123456789"

/* Words of the candidate's that stand in every scripted answer. */
#define CANARY "quokkalantern"
#define ANSWER          \
    "I led the " CANARY \
    " migration of our billing system, and as a result errors fell by half."

struct world {
    int port;                  /* where the program listens; 0 while it does not run */
    struct upstream *upstream; /* owned; NULL with the built-in coach */
    const char *directory;     /* owned: files of the program and of the story */
    struct store_place *store; /* owned */
    bool was_killed;
    bool is_beside;          /* the three above belong to another world */
    struct program *program; /* owned; NULL: somebody else listens on the port */
    struct shelf *shelf;     /* owned: what the story was handed out */
};

/* Unless a story says so, the program runs with two patterns of the harness's own,
 * because the built-in ones take long to compile. */
#define BUILT_IN_PATTERNS "SAFETY_PATTERNS_FILE="

/* Unless it says so, calls to providers are not tried again and no breaker opens: what a
 * story scripts once is asked for once.
 *
 * Settings are "NAME=value"; later ones win over the harness's own.  The program has said
 * that it listens when these return. */
#define world_with_builtin_coach(...) world_start(SETTINGS(__VA_ARGS__))
#define world_with_groq(...)          world_start_with_groq(SETTINGS(__VA_ARGS__))

struct settings_list {
    const char *const *lines; /* borrowed */
    size_t count;
};
#define SETTING_LINES(...) \
    ((const char *const[]){"APP_ENV=development", "PORT=0", __VA_ARGS__})
#define SETTINGS(...)                                   \
    ((struct settings_list){SETTING_LINES(__VA_ARGS__), \
                            sizeof SETTING_LINES(__VA_ARGS__) / sizeof(const char *)})

struct world *world_start(struct settings_list settings);
struct world *world_start_with_groq(struct settings_list settings);

/* A second process beside the first, with the same settings, store and provider.  It must
 * end before the first. */
struct world *world_beside(struct world *first);

/* What stands before the processes of this world, such as a load balancer, and listens on
 * this port.  Requests can be sent to it; it must end before the first. */
struct world *world_in_front(struct world *first, int port);

/* Checks what is above and frees everything. */
void world_end(struct world *world);

/* SIGKILL at once; the store stays. */
void world_kill(struct world *world);

/* Starts the program again after world_kill() or world_await_exit(), on the same store.
 */
void world_restart(struct world *world);

/* The same in two steps. */
void world_begin_restart(struct world *world);
void world_await_listening(struct world *world);

/* Sends a signal; does not wait. */
void world_signal(struct world *world, int signal_number);

/* SIGSTOP, and waits until nothing of the program runs; SIGCONT wakes it. */
void world_stop(struct world *world);

/* Waits for the program to end; its exit status, or 128 + the signal that ended it. */
int world_await_exit(struct world *world);

/* What the program has written so far, over all its lives; to be freed by the caller. */
struct bytes world_output(struct world *world);

/* Waits until the program has written these bytes. */
void world_await_output(struct world *world, const char *text);

/* Keeps something for the story until world_end(); returns it. */
void *world_keep(struct world *world, void *thing, void (*free_thing)(void *));

/* A file in the world's directory; returns its path, kept by the world. */
const char *world_write_file(struct world *world, const char *name, const char *text);
const char *world_path(struct world *world, const char *name);

/* Runs the program to its end, with these arguments (NULL-terminated, without the
 * program's name) and nothing in the environment but the settings. */
struct run {
    int status;          /* as of world_await_exit() */
    struct bytes output; /* owned by the caller: standard output, then standard error */
};
struct run run_program(const char *directory, const char *const *arguments,
                       struct settings_list settings);
#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A fresh directory for a story without a world; remove it with directory_remove(). */
char *directory_make(void);
void directory_remove(const char *directory);

#endif
