/*
 * `poise serve`: builds the service, runs it until a signal ends it, tears it down in
 * reverse.
 *
 *   SIGTERM, SIGINT   turns under way are finished, new ones are told 503, then exit 0;
 *                     a load balancer is told first, if it is given the time
 *   SIGHUP            the safety patterns are read again; a bad file
 *                     changes nothing
 */
#include "serve.h"

#include "admin_internal.h"
#include "buffer.h"
#include "clock.h"
#include "index.h"
#include "mem.h"
#include "names.h"
#include "private_reveal.h"
#include "server.h"
#include "store.h"
#include "supervisor_internal.h"
#include "url.h"
#include "worker_internal.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_WORKERS 256
#define SWEEP_MS    30000
#define LOOK_MS     2000
#define DAY_MS      INT64_C(86400000)
/* For each worker: epolls, pipes, provider connections come on top. */
#define SPARE_FILES 64
/* A thread's heap grows by so much at once: by default it is 4 KB, a system call for most
 * turns. */
#define HEAP_STEP_BYTES (1024 * 1024)
#define DERIVED_BYTES   32

struct process {
    struct settings settings;
    struct shared_services shared;
    struct ruleset *ruleset; /* owned; NULL: no filter */
    struct loop *loop;       /* owned: the main thread's, for signals and sweeps */
    struct log *log;         /* owned */
    struct worker *workers[MAX_WORKERS]; /* owned */
    size_t worker_count;
    struct admin *admin;                  /* owned; NULL: it has no listener of its own */
    struct metrics *metrics[MAX_WORKERS]; /* owned */
    uv_signal_t terminate, interrupt, hangup;
    bool is_store_in_use; /* by another process, when it was opened */
    bool is_file_lost;    /* as the log has it, like the next */
    bool is_disk_full;
    size_t reloads; /* loops that have not said yet that they use the new patterns */
    int inherited;  /* owned: the listening socket that systemd holds; -1: none */
    int64_t inherited_port;
    bool is_ending;
};

static void drain(void *context);

/* Says it, line by line, if there is one, and frees it. */
static void say_problem(struct buffer *problem)
{
    char *rest = problem->bytes;

    for (char *line; rest != NULL && (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0')
            fprintf(stderr, "poise: %s\n", line);
    buffer_done(problem);
}

static bool load_ruleset(const struct settings *settings, struct ruleset **ret_ruleset)
{
    struct ruleset_problem problem;
    bool is_good =
        *settings->safety_patterns_file != '\0'
            ? ruleset_load_file(settings->safety_patterns_file, ret_ruleset, &problem)
            : ruleset_load_default(ret_ruleset, &problem);

    if (!is_good)
        fprintf(stderr, "poise: %s\n", problem.text);
    return is_good;
}

static void derive_session_keys(struct process *process, struct span secret)
{
    struct session_keys *keys = &process->shared.keys[process->shared.key_count++];
    struct digest_key token_key = digest_key_derive(secret.bytes, secret.length, "token");

    keys->token = token_key_of(&token_key);
    keys->input = digest_key_derive(secret.bytes, secret.length, "input");
    sodium_memzero(&token_key, sizeof(token_key));
}

/* Keys for each purpose from the one secret; a secret for this run where none is set. */
static void derive_keys(struct process *process)
{
    struct span secret = private_reveal(&process->settings.secret_key);
    struct span previous = private_reveal(&process->settings.secret_key_previous);
    unsigned char made[DERIVED_BYTES];

    if (secret.length == 0) {
        log_end(log_begin(process->log, LOG_WARNING, "secret_key_made_for_this_run"));
        randombytes_buf(made, sizeof(made));
        secret = (struct span){(const char *)made, sizeof(made)};
    }
    derive_session_keys(process, secret);
    if (previous.length > 0)
        derive_session_keys(process, previous);
    process->shared.client_key = digest_key_derive(secret.bytes, secret.length, "client");
    sodium_memzero(made, sizeof(made));
}

static bool open_store(struct process *process)
{
    struct buffer problem;

    if (process->settings.is_store_bad)
        return false;
    buffer_init(&problem, 1024);
    process->is_store_in_use =
        store_presence(process->settings.store_url) == STORE_IN_USE;
    process->shared.store = store_open(process->settings.store_url, &problem);
    say_problem(&problem);
    return process->shared.store != NULL;
}

static bool check_corpus(const struct settings *settings)
{
    struct index_reader *reader;
    struct buffer problem;

    if (*settings->corpus_index == '\0') /* the one that is compiled in */
        return true;
    buffer_init(&problem, 4096);
    reader = index_reader_open(settings->corpus_index, &problem);
    index_reader_free(reader);
    say_problem(&problem);
    return reader != NULL;
}

static bool check_refusal_log(const struct settings *settings)
{
    struct buffer problem;
    bool is_good;

    buffer_init(&problem, 4096);
    is_good = *settings->refusal_log == '\0' ||
              refusal_can_append(settings->refusal_log, &problem);
    say_problem(&problem);
    return is_good;
}

/* Port 0 is always free, and systemd's is held. */
static bool check_addresses(struct process *process)
{
    const struct settings *settings = &process->settings;
    struct buffer problem;
    bool is_good = !settings->is_address_bad;

    if (!supervisor_listener(&process->inherited, &process->inherited_port)) {
        fputs("poise: the socket unit must have one ListenStream, of TCP\n", stderr);
        return false;
    }
    if (!is_good)
        return false;
    buffer_init(&problem, 4096);
    if (process->inherited < 0)
        is_good &= server_can_listen(settings->host, settings->port, &problem);
    if (settings->admin_port > 0)
        is_good &=
            server_can_listen(settings->admin_host, settings->admin_port, &problem);
    say_problem(&problem);
    return is_good;
}

/* All that is wrong is said before the start gives up.  The exit status, or 0. */
static int prepare(struct process *process)
{
    const struct settings *settings = &process->settings;
    bool is_configured = settings_open(&process->settings);
    bool is_good;

    if (settings->safety_enabled)
        is_configured &= load_ruleset(settings, &process->ruleset);
    is_good = check_corpus(settings);
    is_good &= check_refusal_log(settings);
    is_good &= check_addresses(process);
    is_good &= open_store(process);
    return !is_configured ? 2 : is_good ? 0 : 1;
}

/* One connection of a client is one descriptor, and a turn under way takes one more for
 * the provider's. */
static void raise_file_limit(const struct settings *settings)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)(settings->max_connections + settings->max_inflight_turns +
                             SPARE_FILES * MAX_WORKERS);

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static size_t count_workers(const struct settings *settings)
{
    long cores =
        settings->workers > 0 ? (long)settings->workers : sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > MAX_WORKERS ? MAX_WORKERS : (size_t)cores;
}

/* Of the socket that systemd holds every loop has a copy; else each opens one of its own. */
static int open_listener(const struct process *process, int64_t *port, bool is_shared)
{
    struct buffer problem;
    int listener;

    if (process->inherited >= 0)
        return fcntl(process->inherited, F_DUPFD_CLOEXEC, 0);
    buffer_init(&problem, 1024);
    listener =
        server_listen_socket(process->settings.host, *port, is_shared, port, &problem);
    say_problem(&problem);
    return listener;
}

static struct worker *make_worker(struct process *process, struct metrics *metrics,
                                  int listener)
{
    struct buffer problem;
    struct worker *worker;

    buffer_init(&problem, 4096);
    worker = worker_new(&process->shared, metrics, process->ruleset, listener, &problem);
    say_problem(&problem);
    return worker;
}

static bool make_workers(struct process *process, int64_t *ret_port)
{
    const struct settings *settings = &process->settings;
    size_t count = count_workers(settings);
    int64_t port = process->inherited >= 0 ? process->inherited_port : settings->port;

    process->shared.is_socket_kept = process->inherited >= 0;
    process->shared.metrics = process->metrics;
    process->shared.metrics_count = count;
    for (size_t at = 0; at < count; at++)
        process->metrics[at] = MEM_NEW(struct metrics);
    for (size_t at = 0; at < count; at++) {
        int listener = open_listener(process, &port, count > 1);

        if (listener < 0)
            return false;
        process->workers[at] = make_worker(process, process->metrics[at], listener);
        if (process->workers[at] == NULL)
            return false;
        process->worker_count++;
    }
    *ret_port = port;
    return true;
}

static bool make_admin(struct process *process)
{
    struct buffer problem;
    bool is_good;

    buffer_init(&problem, 1024);
    is_good = admin_new(worker_services(process->workers[0]), process->loop, process->log,
                        process->ruleset, &process->admin, &problem);
    say_problem(&problem);
    return is_good;
}

/*
 * The first signal: GET /readyz says that this process is leaving, and all other requests
 * are served for DRAIN_NOTICE_SECONDS more.  Then, or at the second signal, it drains.
 */
static void on_terminate(uv_signal_t *handle, int number)
{
    struct process *process = handle->data;
    int64_t notice_ms = process->settings.drain_notice_s * 1000;
    bool is_first = !process->shared.is_leaving;

    (void)number;
    if (process->is_ending)
        return;
    if (!is_first || notice_ms == 0) /* before anybody can see that it leaves */
        atomic_store(&process->shared.is_draining, true);
    if (is_first) {
        atomic_store(&process->shared.is_leaving, true);
        supervisor_ending();
    }
    if (is_first && notice_ms > 0) {
        log_end(log_begin(process->log, LOG_INFO, "leaving"));
        loop_timer_start(process->loop, notice_ms, drain, process);
        return;
    }
    drain(process);
}

static void drain(void *context)
{
    struct process *process = context;

    if (process->is_ending)
        return;
    process->is_ending = true;
    log_end(log_begin(process->log, LOG_INFO, "draining"));
    atomic_store(&process->shared.is_draining, true);
    for (size_t at = 0; at < process->worker_count; at++)
        worker_drain(process->workers[at]);
    loop_stop(process->loop);
}

/* Logged when every loop uses the new patterns: an operator who has seen this line knows that the
 * old ones are gone. */
static void on_reloaded(void *context)
{
    struct process *process = context;
    struct log_line *line;

    if (--process->reloads > 0)
        return;
    line = log_begin(process->log, LOG_INFO, "patterns_reloaded");
    log_word(line, LOG_RULESET, ruleset_hash(process->ruleset));
    log_end(line);
    supervisor_ready();
}

static void reload_patterns(struct process *process)
{
    struct ruleset *ruleset;

    if (process->ruleset == NULL)
        return;
    supervisor_reloading();
    if (!load_ruleset(&process->settings, &ruleset)) {
        supervisor_ready();
        log_end(log_begin(process->log, LOG_ERROR, "patterns_kept"));
        return;
    }
    ruleset_unref(process->ruleset);
    process->ruleset = ruleset;
    admin_reload(process->admin, ruleset);
    for (size_t at = 0; at < process->worker_count; at++) {
        process->reloads++;
        worker_reload(process->workers[at], ruleset, process->loop, on_reloaded, process);
    }
}

static void on_hangup(uv_signal_t *handle, int number)
{
    struct process *process = handle->data;

    (void)number;
    reload_patterns(process);
}

static void watch(struct process *process, uv_signal_t *handle, int number,
                  uv_signal_cb on_signal)
{
    uv_signal_init(loop_uv(process->loop), handle);
    handle->data = process;
    uv_signal_start(handle, on_signal, number);
}

/* On the main thread, which no turn waits for. */
static void sweep(void *context)
{
    struct process *process = context;
    const struct settings *settings = &process->settings;
    int64_t now_ms = clock_wall_ms();
    int64_t refusals_before_ms = now_ms - settings->refusal_log_days * DAY_MS;

    store_sweep(process->shared.store, now_ms, refusals_before_ms);
    if (*settings->refusal_log != '\0' &&
        !refusal_prune(settings->refusal_log, refusals_before_ms))
        log_end(log_begin(process->log, LOG_WARNING, "refusal_log_not_pruned"));
    loop_timer_start(process->loop, SWEEP_MS, sweep, process);
}

/* Whoever has no request to fail learns of it here. */
static void look_at_file(void *context)
{
    struct process *process = context;
    struct store_stats stats = store_stats(process->shared.store);
    bool is_lost = stats.is_file_lost;

    if (stats.is_disk_full != process->is_disk_full)
        log_end(stats.is_disk_full
                    ? log_begin(process->log, LOG_ERROR, "store_disk_full")
                    : log_begin(process->log, LOG_WARNING, "store_disk_has_room"));
    process->is_disk_full = stats.is_disk_full;
    if (is_lost && !process->is_file_lost) {
        log_end(log_begin(process->log, LOG_ERROR, "store_file_lost"));
        supervisor_status("The database file was removed or replaced: restart to use "
                          "the one that is there.");
    } else if (!is_lost && process->is_file_lost) {
        log_end(log_begin(process->log, LOG_WARNING, "store_file_back"));
        supervisor_status("Turns are taken.");
    }
    process->is_file_lost = is_lost;
    loop_timer_start(process->loop, LOOK_MS, look_at_file, process);
}

static void flush_log(void *context)
{
    struct process *process = context;

    log_flush(process->log);
    atomic_store(&process->shared.main_log_dropped, (int64_t)log_dropped(process->log));
}

/* A line for each, and one for all that is about production. */
static void tell_remarks(struct process *process)
{
    const struct settings *settings = &process->settings;
    struct log_line *line;
    struct buffer lacks;

    buffer_init(&lacks, 1024);
    for (size_t at = 0; at < settings->remark_count; at++) {
        const struct settings_remark *remark = &settings->remarks[at];

        if (remark->kind >= REMARK_NO_MODEL_KEY) {
            buffer_append_string(&lacks, lacks.length > 0 ? "+" : "");
            buffer_append_string(&lacks, settings_remark_word(remark));
            continue;
        }
        line = log_begin(process->log, LOG_WARNING, settings_remark_word(remark));
        if (*remark->name != '\0')
            log_word(line, LOG_NAME, remark->name);
        if (remark->kind == REMARK_NEAR_NAME)
            log_word(line, LOG_SETTING, remark->instead);
        log_end(line);
    }
    if (lacks.length > 0) {
        line = log_begin(process->log, LOG_WARNING, "production_lacks");
        log_word(line, LOG_LACKS, lacks.bytes);
        log_end(line);
    }
    buffer_done(&lacks);
}

static void announce(struct process *process, int64_t port)
{
    const struct settings *settings = &process->settings;
    const struct coach *coach = worker_coach(process->workers[0]);
    struct log_line *line = log_begin(process->log, LOG_INFO, "listening");

    log_number(line, LOG_PORT, port);
    log_number(line, LOG_WORKERS, (int64_t)process->worker_count);
    log_word(line, LOG_VERSION, version());
    log_word(line, LOG_APP_ENV, settings->app_env);
    log_word(line, LOG_COACH, coach->name);
    if (coach->model != NULL)
        log_word(line, LOG_MODEL, coach->model);
    log_word(line, LOG_RULESET,
             process->ruleset != NULL ? ruleset_hash(process->ruleset) : "none");
    log_end(line);
    if (settings_is_production(settings) && !url_is_loopback_host(settings->host))
        log_end(log_begin(process->log, LOG_WARNING, "needs_a_proxy_with_tls_in_front"));
    if (process->is_store_in_use)
        log_end(log_begin(process->log, LOG_WARNING, "store_in_use_by_another_process"));
    tell_remarks(process);
}

static bool build(struct process *process, int64_t *ret_port)
{
    process->log =
        log_new(STDOUT_FILENO, process->settings.debug ? LOG_DEBUG_LEVEL : LOG_INFO);
    process->loop = loop_new();
    process->shared.settings = &process->settings;
    process->shared.rates = rates_new();
    process->shared.uploads = uploads_new();
    process->shared.spans = spans_new(&process->settings, process->loop, process->log);
    if (process->settings.max_connections_per_address > 0)
        process->shared.addresses =
            addresses_new(process->settings.max_connections_per_address);
    raise_file_limit(&process->settings);
    derive_keys(process);
    if (!process->settings.safety_enabled)
        log_end(log_begin(process->log, LOG_WARNING, "safety_filter_is_off"));
    return make_workers(process, ret_port) && make_admin(process);
}

static bool run(struct process *process, int64_t port)
{
    struct watchdog *watchdog = NULL;
    size_t started = 0;

    /* Before the first request, whose turn a signal would otherwise cut off. */
    watch(process, &process->terminate, SIGTERM, on_terminate);
    watch(process, &process->interrupt, SIGINT, on_terminate);
    watch(process, &process->hangup, SIGHUP, on_hangup);
    while (started < process->worker_count && worker_start(process->workers[started]))
        started++;
    if (started == process->worker_count) {
        loop_before_sleep(process->loop, flush_log, process);
        loop_timer_start(process->loop, 0, sweep, process);
        loop_timer_start(process->loop, LOOK_MS, look_at_file, process);
        watchdog = watchdog_start(process->loop, process->workers, process->worker_count);
        announce(process, port);
        log_flush(process->log);
        supervisor_ready();
        supervisor_status("Turns are taken.");
        loop_run(process->loop);
    } else {
        atomic_store(&process->shared.is_draining, true);
        for (size_t at = 0; at < started; at++)
            worker_drain(process->workers[at]);
    }
    for (size_t at = 0; at < started; at++)
        worker_join(process->workers[at]);
    watchdog_free(watchdog);
    spans_finish(process->shared.spans);
    log_end(log_begin(process->log, LOG_INFO, "drained"));
    return started == process->worker_count;
}

/* Half-built is fine. */
static void tear_down(struct process *process)
{
    if (process->inherited >= 0)
        close(process->inherited);
    /* A server may still report to the store, and the store still answer to a loop. */
    for (size_t at = 0; at < process->worker_count; at++)
        worker_close(process->workers[at]);
    admin_close(process->admin);
    store_close(process->shared.store);
    admin_free(process->admin);
    for (size_t at = process->worker_count; at > 0; at--)
        worker_free(process->workers[at - 1]);
    for (size_t at = 0; at < process->shared.metrics_count; at++)
        free(process->metrics[at]);
    if (process->ruleset != NULL)
        ruleset_unref(process->ruleset);
    rates_free(process->shared.rates);
    uploads_free(process->shared.uploads);
    addresses_free(process->shared.addresses);
    spans_free(process->shared.spans);
    log_free(process->log);
    loop_free(process->loop);
    sodium_memzero(process->shared.keys, sizeof(process->shared.keys));
    sodium_memzero(&process->shared.client_key, sizeof(process->shared.client_key));
    settings_free(&process->settings);
}

int serve(int argc, char **argv)
{
    struct process *process = MEM_NEW(struct process);
    int64_t port = 0;
    int status;

    process->inherited = -1;
    prctl(PR_SET_DUMPABLE, 0); /* no core file with answers and keys in it */
    signal(SIGPIPE, SIG_IGN);
    mallopt(M_TOP_PAD, HEAP_STEP_BYTES);
    mallopt(M_TRIM_THRESHOLD, 4 * HEAP_STEP_BYTES);
    if (argc > 0)
        fprintf(stderr, "poise: unknown argument %s\n", argv[0]);
    status = argc > 0 ? 2 : prepare(process);
    if (status == 0 && !(build(process, &port) && run(process, port)))
        status = 1;
    tear_down(process);
    free(process);
    return status;
}
