/* What a group of processes (a server and its workers) has used so far, read from /proc
 * (proc(5)). */
#ifndef PROCESS_USAGE_H
#define PROCESS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_GROUP_MAX 64

struct process_group {
    pid_t pids[PROCESS_GROUP_MAX];
    size_t count;
};

struct process_usage {
    int64_t cpu_us; /* of all threads, user and system */
    int64_t resident_bytes;
};

/* Adds a process and all that it started.  False: no such process, or too many. */
bool process_group_add(struct process_group *group, pid_t pid);

/* False: one of them has gone. */
bool process_group_read(const struct process_group *group,
                        struct process_usage *ret_usage);

#endif
