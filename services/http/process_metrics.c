#include "process_metrics.h"

#include "metrics_text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MICRO INT64_C(1000000)

/* Of /proc/self/stat, counted from the one behind the name (proc(5)). */
#define FIELD_THREADS    17
#define FIELD_START_TIME 19
#define FIELD_VIRTUAL    20
#define FIELD_RESIDENT   21
#define FIELDS           22

static void write_one(struct buffer *out, const char *name, const char *kind,
                      const char *help, int64_t value, int64_t unit)
{
    metrics_text_head(out, name, kind, help);
    metrics_text_decimal(out, name, NULL, value, unit);
}

static int64_t clock_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * MICRO + now.tv_nsec / 1000;
}

/* false: there is no /proc. */
static bool read_stat(int64_t fields[FIELDS])
{
    char text[1024];
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof(text) - 1) : -1;
    char *at;

    if (file >= 0)
        close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    at = strrchr(text, ')'); /* the name may have anything in it */
    if (at == NULL || strlen(at) < 4)
        return false;
    at += 3; /* behind the state, which is no number */
    for (int i = 1; i < FIELDS; i++)
        fields[i] = (int64_t)strtoll(at, &at, 10);
    return true;
}

/* Since Linux 6.2 the size of the directory is their number; before, they are counted. */
static int64_t count_files(void)
{
    struct stat known;
    int64_t count = 0;
    DIR *directory;

    if (stat("/proc/self/fd", &known) == 0 && known.st_size > 0)
        return known.st_size;
    directory = opendir("/proc/self/fd");
    if (directory == NULL)
        return -1;
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 3; /* ".", "..", and the one that looks */
}

static void write_memory(struct buffer *out, const int64_t fields[FIELDS])
{
    int64_t tick = sysconf(_SC_CLK_TCK);
    int64_t boot_us = clock_us(CLOCK_REALTIME) - clock_us(CLOCK_BOOTTIME);

    write_one(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
              fields[FIELD_RESIDENT] * sysconf(_SC_PAGESIZE), 1);
    write_one(out, "process_virtual_memory_bytes", "gauge", "Virtual memory.",
              fields[FIELD_VIRTUAL], 1);
    write_one(out, "process_threads", "gauge", "Threads of the process.",
              fields[FIELD_THREADS], 1);
    if (tick > 0)
        write_one(out, "process_start_time_seconds", "gauge",
                  "When the process began, in seconds since 1970.",
                  boot_us + fields[FIELD_START_TIME] * (MICRO / tick), MICRO);
}

void process_metrics_write(struct buffer *out)
{
    int64_t fields[FIELDS] = {0};
    int64_t files = count_files();
    struct rlimit limit;

    write_one(out, "process_cpu_seconds_total", "counter",
              "Time on a processor, of the program and of the system for it.",
              clock_us(CLOCK_PROCESS_CPUTIME_ID), MICRO);
    if (read_stat(fields))
        write_memory(out, fields);
    if (files >= 0)
        write_one(out, "process_open_fds", "gauge", "Open descriptors.", files, 1);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        write_one(out, "process_max_fds", "gauge", "Descriptors that may be open.",
                  (int64_t)limit.rlim_cur, 1);
}
