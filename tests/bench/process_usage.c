/* CPU time and resident memory of a group of processes.  See process_usage.h. */
#include "process_usage.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool read_whole(pid_t pid, const char *file, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return false;
    size_t got = fread(out, 1, room - 1, stream);
    fclose(stream);
    out[got] = '\0';
    return got > 0;
}

/* The main thread's children are all there are: the servers measured fork from it. */
static bool add_children(struct process_group *group, pid_t pid)
{
    char file[32], list[1024];
    int child, used;

    snprintf(file, sizeof file, "task/%d/children", (int)pid);
    if (!read_whole(pid, file, list, sizeof list))
        return true; /* none */
    for (const char *at = list; sscanf(at, "%d%n", &child, &used) == 1; at += used)
        if (!process_group_add(group, (pid_t)child))
            return false;
    return true;
}

bool process_group_add(struct process_group *group, pid_t pid)
{
    char stat[1024];

    if (group->count == PROCESS_GROUP_MAX || !read_whole(pid, "stat", stat, sizeof stat))
        return false;
    group->pids[group->count++] = pid;
    return add_children(group, pid);
}

/* Fields 14 and 15 of stat; they are counted from the end of the name, which may hold
 * anything. */
static bool read_cpu(pid_t pid, int64_t *ret_cpu_us)
{
    char stat[1024];
    unsigned long user, system;

    if (!read_whole(pid, "stat", stat, sizeof stat))
        return false;
    const char *name_end = strrchr(stat, ')');
    if (name_end == NULL ||
        sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
               &user, &system) != 2)
        return false;
    *ret_cpu_us =
        (int64_t)((user + system) * (1000000UL / (unsigned long)sysconf(_SC_CLK_TCK)));
    return true;
}

/* smaps_rollup counts pages; the cheaper VmRSS may be off by some dozen pages a thread.
 */
static bool read_resident(pid_t pid, int64_t *ret_bytes)
{
    char text[2048];
    long kilobytes;

    if (!read_whole(pid, "smaps_rollup", text, sizeof text))
        return false;
    const char *line = strstr(text, "\nRss:");
    if (line == NULL || sscanf(line, " Rss: %ld", &kilobytes) != 1)
        return false;
    *ret_bytes = (int64_t)kilobytes * 1024;
    return true;
}

bool process_group_read(const struct process_group *group,
                        struct process_usage *ret_usage)
{
    struct process_usage sum = {0};

    for (size_t i = 0; i < group->count; i++) {
        int64_t cpu_us, resident_bytes;
        if (!read_cpu(group->pids[i], &cpu_us) ||
            !read_resident(group->pids[i], &resident_bytes))
            return false;
        sum.cpu_us += cpu_us;
        sum.resident_bytes += resident_bytes;
    }
    *ret_usage = sum;
    return true;
}
