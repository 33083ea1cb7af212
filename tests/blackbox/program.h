/*
 * One run of a program, Poise or one that it works with: its process, and everything that
 * it wrote.
 */
#ifndef BLACKBOX_PROGRAM_H
#define BLACKBOX_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

struct program;

/* What is to be started, and how.  All is borrowed during the call. */
struct launch {
    const char *path; /* NULL: Poise */
    const char *directory;
    const char *const
        *arguments; /* NULL-terminated, without the program's name; NULL: none */
    const char *const *environment; /* NULL-terminated: this and no more; NULL: nothing */
    unsigned user, group;           /* 0: the test's own */
    int when_orphaned;              /* the signal when the test dies; 0: SIGKILL */
    int lent;                       /* a descriptor that the program has as 3; 0: none */
};

/* What it writes is added to what `before` it (may be NULL, is taken) wrote. */
struct program *program_start(const struct launch *launch, struct program *before);

/* From now on programs are started with this listening socket as systemd passes one on
 * (sd_listen_fds(3)), where their environment has LISTEN_FDS; -1: none. */
void program_lend_socket(int descriptor);

/* Waits until it has written `text` since its start; false when it ended or fell silent
 * first. */
bool program_await_output(struct program *program, const char *text);

void program_signal(struct program *program, int signal_number);
/* SIGSTOP; returns when every thread of it stands.  false: it has ended. */
bool program_stop(struct program *program);

bool program_is_running(struct program *program);

/* How long all its threads together have kept a core busy so far; of one that has ended,
 * -1. */
int64_t program_cpu_ms(const struct program *program);

/* Memory that it has resident, in KB. */
long program_resident_kb(const struct program *program);

/* Waits for its end and for all that it wrote.  Its exit status, or 128 + signal; -1 when it does
 * not end in time. */
int program_await_exit(struct program *program);

/* Lets it have no more than so many descriptors from now on. */
void program_limit_files(struct program *program, unsigned long most);

/* Everything written so far; with since_start only by the latest run. */
struct bytes program_output(struct program *program, bool since_start);

/* Kills what still runs. */
void program_free(struct program *program);

#endif
