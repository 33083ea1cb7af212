/*
 * One run of the program: its process, and everything that it wrote.
 */
#ifndef BLACKBOX_PROGRAM_H
#define BLACKBOX_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

struct program;

/* Starts the program in `directory` with exactly this environment (NULL-terminated).  It
 * is killed when the test dies.  What it writes is added to what `before` it (may be
 * NULL, is taken) wrote. */
struct program *program_start(const char *directory, const char *const *arguments,
                              const char *const *environment, struct program *before);

/* From now on programs are started with this listening socket as systemd passes one on
 * (sd_listen_fds(3)), where their environment has LISTEN_FDS; -1: none. */
void program_lend_socket(int descriptor);

/* Waits until it has written `text` since its start; false when it ended or fell silent
 * first. */
bool program_await_output(struct program *program, const char *text);

void program_signal(struct program *program, int signal_number);
bool program_is_running(struct program *program);

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
