/*
 * GET /metrics: what all loops have counted, in the Prometheus text format; what the store
 * and the safety patterns count for themselves; what the day has used up of its caps; and
 * the process.
 */
#include "clock.h"
#include "filter.h"
#include "metrics.h"
#include "metrics_text.h"
#include "names.h"
#include "request_internal.h"

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
    write_one(out, "poise_clock_seconds", "gauge",
              "What time it is here, in seconds since 1970.", clock_us(CLOCK_REALTIME),
              MICRO);
    if (read_stat(fields))
        write_memory(out, fields);
    if (files >= 0)
        write_one(out, "process_open_fds", "gauge", "Open descriptors.", files, 1);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        write_one(out, "process_max_fds", "gauge", "Descriptors that may be open.",
                  (int64_t)limit.rlim_cur, 1);
}

/* A pattern file of one's own may have many entries. */
#define MAX_BYTES (4 * 1024 * 1024)
#define DAY_MS    INT64_C(86400000)

static void finish(struct request *request);

const struct endpoint ENDPOINT_METRICS = {.finish = finish};

static void write_build(const struct services *services, struct buffer *out)
{
    struct metrics_labels labels = {.length = 0};

    metrics_label(&labels, "version", version());
    metrics_text_head(out, "poise_build_info", "gauge",
                      "Always 1; which version this is.");
    metrics_text_sample(out, "poise_build_info", &labels, 1);
    metrics_text_head(out, "poise_loops", "gauge", "Event loops.");
    metrics_text_sample(out, "poise_loops", NULL,
                        (int64_t)services->shared->metrics_count);
    metrics_text_head(out, "poise_upload_bytes", "gauge",
                      "Kept of bodies that come in and recordings that are being heard.");
    metrics_text_sample(out, "poise_upload_bytes", NULL, services->shared->upload_bytes);
    metrics_text_head(out, "poise_draining", "gauge", "1 while the process shuts down.");
    metrics_text_sample(out, "poise_draining", NULL, services->shared->is_draining);
}

static void write_spans(const struct services *services, struct buffer *out)
{
    struct spans_counts counts = spans_counts(services->shared->spans);

    if (services->shared->spans == NULL)
        return;
    write_one(out, "poise_spans_sent_total", "counter",
              "Spans that the OpenTelemetry collector has taken.", counts.sent, 1);
    write_one(out, "poise_spans_dropped_total", "counter",
              "Spans that it did not take, or for which there was no room.",
              counts.dropped, 1);
}

static void write_store(const struct services *services, struct buffer *out)
{
    struct store_stats stats = store_stats(services->shared->store);
    struct store_trouble trouble = store_trouble(services->shared->store);
    struct metrics_labels labels = {.length = 0};

    metrics_text_head(out, "poise_store_commits_total", "counter",
                      "Transactions of the store that changed something.");
    metrics_text_sample(out, "poise_store_commits_total", NULL, stats.commits);
    metrics_text_head(out, "poise_store_changes_total", "counter",
                      "Operations that were in them: several share a transaction.");
    metrics_text_sample(out, "poise_store_changes_total", NULL, stats.operations);
    metrics_text_head(out, "poise_store_last_error", "gauge",
                      "1, with the SQLSTATE or SQLite's name of its latest failure.");
    metrics_label(&labels, "code", *trouble.code != '\0' ? trouble.code : "none");
    metrics_text_sample(out, "poise_store_last_error", &labels, *trouble.code != '\0');
    metrics_text_head(out, "poise_store_file_lost", "gauge",
                      "1: SQLite's file was removed or replaced under the process.");
    metrics_text_sample(out, "poise_store_file_lost", NULL, stats.is_file_lost);
    if (stats.disk_free_bytes > 0) {
        write_one(out, "poise_store_file_bytes", "gauge", "SQLite's file.",
                  stats.file_bytes, 1);
        write_one(out, "poise_store_disk_free_bytes", "gauge",
                  "What the disk that it is on has left.", stats.disk_free_bytes, 1);
    }
}

/* The rule set is shared by all loops, and so are its counters; a reload begins new ones. */
static void write_safety(const struct filter *filter, struct buffer *out)
{
    const struct ruleset *ruleset = filter_ruleset(filter);
    const char *name = "poise_safety_hits_total";

    metrics_text_head(out, name, "counter",
                      "Texts caught by each entry of the safety patterns; shadow entries "
                      "are counted, not enforced.");
    for (size_t at = 0; at < ruleset_counter_count(ruleset); at++) {
        struct ruleset_counter counter = ruleset_counter(ruleset, at);
        struct metrics_labels labels = {.length = 0};

        metrics_label(&labels, "entry", counter.name);
        metrics_label(&labels, "category", counter.category);
        metrics_label(&labels, "shadow", counter.is_shadow ? "true" : "false");
        metrics_text_sample(out, name, &labels, (int64_t)counter.hits);
    }
}

static void write_gauge(struct buffer *out, const char *name, const char *help,
                        int64_t value)
{
    buffer_append_string(out, "# HELP ");
    buffer_append_string(out, name);
    buffer_append_char(out, ' ');
    buffer_append_string(out, help);
    buffer_append_string(out, "\n# TYPE ");
    buffer_append_string(out, name);
    buffer_append_string(out, " gauge\n");
    buffer_append_string(out, name);
    buffer_append_char(out, ' ');
    buffer_append_number(out, value);
    buffer_append_char(out, '\n');
}

/* Whoever counted a turn last knows what all processes have counted: of several the greatest
 * is right. */
static void write_usage(const struct services *services, struct buffer *out)
{
    const struct settings *settings = services->settings;
    struct store_usage usage = store_stats(services->shared->store).usage;
    bool is_of_today = usage.day == clock_wall_ms() / DAY_MS;

    if (settings->max_turns_per_day == 0 && settings->max_audio_s_per_day == 0)
        return;
    write_gauge(
        out, "poise_usage_turns",
        "Turns of all processes on this day (UTC), as this one saw when it counted "
        "one last.",
        is_of_today ? usage.turns : 0);
    write_gauge(out, "poise_usage_audio_seconds", "Seconds of recordings, likewise.",
                is_of_today ? usage.audio_ms / 1000 : 0);
    write_gauge(out, "poise_usage_turns_cap", "MAX_TURNS_PER_DAY; 0 is none.",
                settings->max_turns_per_day);
    write_gauge(out, "poise_usage_audio_seconds_cap",
                "MAX_AUDIO_SECONDS_PER_DAY; 0 is none.", settings->max_audio_s_per_day);
}

static void finish(struct request *request)
{
    const struct services *services = request->server->services;
    const struct shared_services *shared = services->shared;
    struct buffer text;

    buffer_init(&text, MAX_BYTES);
    write_build(services, &text);
    metrics_write(shared->metrics, shared->metrics_count, &text);
    write_store(services, &text);
    if (services->filter != NULL)
        write_safety(services->filter, &text);
    write_usage(services, &text);
    write_spans(services, &text);
    process_metrics_write(&text);
    request_answer_raw(request, "text/plain; version=0.0.4; charset=utf-8", &text);
}
