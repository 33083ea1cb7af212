/*
 * What the service says to systemd, where it was started by it, and gets from it
 * (sd_notify(3), sd_listen_fds(3), sd_watchdog_enabled(3)).  Elsewhere nothing happens.
 */
#ifndef SUPERVISOR_INTERNAL_H
#define SUPERVISOR_INTERNAL_H

#include "worker_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The listening socket that systemd holds over a restart, for the caller to own, and its
 * port; -1: there is none.  false: it passes sockets on which the service would not
 * listen, and their clients would wait for ever. */
bool supervisor_listener(int *ret_descriptor, int64_t *ret_port);

/* It listens, or uses the new patterns; it reads them; it will end soon. */
void supervisor_ready(void);
void supervisor_reloading(void);
void supervisor_ending(void);

/* A line for `systemctl status`; never anyone's words. */
void supervisor_status(const char *words);

struct watchdog;

/* Tells systemd that it lives, as often as it wants to hear it, but only while every
 * worker's loop takes its turn.  All is borrowed.  NULL: systemd does not ask for it. */
struct watchdog *watchdog_start(struct loop *loop, struct worker *const *workers,
                                size_t count);

/* After the workers' loops have ended.  NULL is fine. */
void watchdog_free(struct watchdog *watchdog);

#endif
