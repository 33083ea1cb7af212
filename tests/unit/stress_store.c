/*
 * A crowd of interviews on one store, on several loops: every turn must run once and be
 * there at the end.  A plain program, so that ThreadSanitizer can watch it; it prints
 * what a turn cost.
 *
 *     stress_store [loops [sessions [pause_ms [answer_bytes [speech_bytes]]]]]
 *
 * An interview pauses between begin and commit, as a turn waits for its coach.  The
 * database lies in $TMPDIR.
 */
#include "clock.h"
#include "mem.h"
#include "store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define QUESTIONS     5
#define OUTCOME_BYTES 2000
#define LOOPS_MOST    64

#define SPEECH_BYTES_MOST (INT64_C(64) << 20)

struct waits {
    int64_t *us; /* owned: one for every turn */
    size_t count;
};

struct crowd {
    struct store *store; /* owned, like the next two */
    struct loop *loop;
    struct metrics *metrics;
    pthread_t thread;
    size_t sessions;
    size_t started;
    size_t left;
    int64_t pause_ms;
    size_t answer_bytes;
    size_t speech_bytes;
    struct waits begins;
    struct waits commits;
    int64_t cpu_us;
    size_t failures;
};

struct interview {
    struct crowd *crowd; /* borrowed */
    struct id id;
    struct id request_id;
    unsigned turn_number;
    int64_t asked_us;
};

static void begin(void *context);
static void on_begun(void *context, enum error error, struct store_begun begun);
static void commit(void *context);
static void on_committed(void *context, enum error error);
static void check(struct interview *interview);
static void on_loaded(void *context, enum error error, struct session *session,
                      bool is_replay);

static struct private_text filler(size_t length)
{
    char *bytes = mem_zalloc(length + 1);
    struct private_text text;

    memset(bytes, 'x', length);
    text = private_text_copy(bytes, length);
    free(bytes);
    return text;
}

static struct store_input input_of(const struct interview *interview)
{
    struct store_input input = {.has_transcript = true};

    memcpy(input.transcript.bytes, interview->id.text, DIGEST_BYTES);
    return input;
}

static void note_wait(const struct interview *interview, struct waits *waits)
{
    waits->us[waits->count++] = clock_monotonic_us() - interview->asked_us;
}

static void leave(struct interview *interview, bool is_good)
{
    struct crowd *crowd = interview->crowd;

    if (!is_good)
        crowd->failures++;
    free(interview);
    if (--crowd->left == 0)
        loop_stop(crowd->loop);
}

static void on_created(void *context, enum error error, struct session *session,
                       bool is_replay)
{
    struct interview *interview = context;
    struct crowd *crowd = interview->crowd;

    (void)is_replay;
    session_free(session);
    if (error != OK)
        leave(interview, false);
    else
        loop_timer_start(crowd->loop,
                         (int64_t)(crowd->started++) * crowd->pause_ms /
                             (int64_t)crowd->sessions,
                         begin, interview); /* evenly, not all at once */
}

static void start(struct crowd *crowd)
{
    struct interview *interview = MEM_NEW(struct interview);
    struct session *session = MEM_NEW(struct session);
    struct store_new_session request = {.session = session, .now_ms = 1};

    interview->crowd = crowd;
    interview->id = session->id = id_random();
    interview->turn_number = 1;
    session->role = filler(30);
    session->interview_type = filler(12);
    session->total_questions = QUESTIONS;
    session->asked[session->asked_count++] = filler(120);
    session->expires_ms = 1000;
    store_create_session(crowd->store, &request, on_created, interview);
}

static void begin(void *context)
{
    struct interview *interview = context;
    struct crowd *crowd = interview->crowd;
    struct store_claim claim = {.session_id = interview->id, .now_ms = 1};

    claim.request_id = interview->request_id = id_random();
    claim.input = input_of(interview);
    interview->asked_us = clock_monotonic_us();
    store_begin_turn(crowd->store, &claim, on_begun, interview);
}

static void on_begun(void *context, enum error error, struct store_begun begun)
{
    struct interview *interview = context;
    bool is_good = error == OK && begun.decision == STORE_RUN &&
                   begun.session->turn_count + 1 == interview->turn_number;

    note_wait(interview, &interview->crowd->begins);
    session_free(begun.session);
    private_text_free(&begun.outcome);
    if (!is_good)
        leave(interview, false);
    else if (interview->crowd->pause_ms > 0)
        loop_timer_start(interview->crowd->loop, interview->crowd->pause_ms, commit,
                         interview);
    else
        commit(interview);
}

static void commit(void *context)
{
    struct interview *interview = context;
    struct crowd *crowd = interview->crowd;
    struct store_commit request = {
        .session_id = interview->id,
        .request_id = interview->request_id,
        .input = input_of(interview),
        .commit_number = interview->turn_number,
        .turn_number = interview->turn_number,
        .transcript = filler(crowd->answer_bytes),
        .is_scored = true,
        .scores = {1, 2, 3, 4},
        .outcome = filler(OUTCOME_BYTES),
        .speech = {.audio = filler(crowd->speech_bytes),
                   .content_type = "audio/wav",
                   .expires_ms = 1000,
                   .max_total_bytes = SPEECH_BYTES_MOST},
        .now_ms = 1,
        .expires_ms = 1000,
    };

    if (interview->turn_number < QUESTIONS)
        request.next_question = filler(120);
    interview->asked_us = clock_monotonic_us();
    store_commit_turn(crowd->store, &request, on_committed, interview);
}

static void on_committed(void *context, enum error error)
{
    struct interview *interview = context;
    struct store *store = interview->crowd->store;

    note_wait(interview, &interview->crowd->commits);
    if (error != OK) {
        leave(interview, false);
        return;
    }
    store_report_delivery(store, &interview->id, interview->turn_number, true);
    if (interview->turn_number++ < QUESTIONS)
        begin(interview);
    else
        check(interview);
}

static void check(struct interview *interview)
{
    struct crowd *crowd = interview->crowd;

    store_load_session(crowd->store, &interview->id, 1, false, on_loaded, interview);
}

static void on_loaded(void *context, enum error error, struct session *session,
                      bool is_replay)
{
    bool is_good = error == OK && session->turn_count == QUESTIONS &&
                   session->asked_count == QUESTIONS;

    (void)is_replay;
    session_free(session);
    leave(context, is_good);
}

static void *run(void *context)
{
    struct crowd *crowd = context;
    struct timespec cpu;

    for (size_t i = 0; i < crowd->sessions; i++)
        start(crowd);
    loop_run(crowd->loop);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    crowd->cpu_us = (int64_t)cpu.tv_sec * 1000000 + cpu.tv_nsec / 1000;
    return NULL;
}

static int64_t cpu_of_process_us(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
           usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static int compare(const void *one, const void *other)
{
    int64_t first = *(const int64_t *)one;
    int64_t second = *(const int64_t *)other;

    return (first > second) - (first < second);
}

static void print_waits(const char *what, struct waits *all)
{
    qsort(all->us, all->count, sizeof(*all->us), compare);
    printf("%s: p50 %lld us, p99 %lld us, max %lld us\n", what,
           (long long)all->us[all->count / 2], (long long)all->us[all->count * 99 / 100],
           (long long)all->us[all->count - 1]);
    free(all->us);
}

static void add_waits(struct waits *all, const struct waits *some)
{
    all->us = mem_realloc(all->us, (all->count + some->count) * sizeof(*all->us));
    memcpy(all->us + all->count, some->us, some->count * sizeof(*all->us));
    all->count += some->count;
}

static void print(struct crowd *crowds, size_t loops, struct store_stats stats,
                  int64_t spent_us, int64_t cpu_us)
{
    size_t turns = 0;
    int64_t loops_cpu_us = 0;
    struct waits begins = {0};
    struct waits commits = {0};

    for (size_t i = 0; i < loops; i++) {
        turns += crowds[i].sessions * QUESTIONS;
        loops_cpu_us += crowds[i].cpu_us;
        add_waits(&begins, &crowds[i].begins);
        add_waits(&commits, &crowds[i].commits);
    }
    printf("%zu turns, %.0f a second; CPU a turn: store %.1f us, loops %.1f us; "
           "%lld commits, %.1f operations each\n",
           turns, (double)turns * 1e6 / (double)spent_us,
           (double)(cpu_us - loops_cpu_us) / (double)turns,
           (double)loops_cpu_us / (double)turns, (long long)stats.commits,
           (double)stats.operations / (double)stats.commits);
    print_waits("begin", &begins);
    print_waits("commit", &commits);
}

static long argument(char **arguments, int count, int at, long standard)
{
    return count > at ? strtol(arguments[at], NULL, 10) : standard;
}

int main(int count, char **arguments)
{
    size_t loops = (size_t)argument(arguments, count, 1, 2);
    size_t sessions = (size_t)argument(arguments, count, 2, 1000);
    const char *place = getenv("TMPDIR");
    const char *given; /* a PostgreSQL database */
    char directory[128];
    struct crowd crowds[LOOPS_MOST] = {0};
    char path[160];
    char url[192];
    struct buffer problem;
    struct store_backend *store;
    struct store_stats stats;
    size_t failures = 0;
    int64_t started_us;
    int64_t cpu_us;

    snprintf(directory, sizeof(directory), "%s/poise-stress-XXXXXX",
             place == NULL ? "/tmp" : place);
    if (loops > LOOPS_MOST || mkdtemp(directory) == NULL)
        return 2;
    buffer_init(&problem, 4096);
    snprintf(path, sizeof(path), "%s/poise.db", directory);
    snprintf(url, sizeof(url), "sqlite:///%s", path);
    given = getenv("POISE_TEST_STORE_URL");
    store = store_open(given != NULL ? given : url, &problem);
    if (store == NULL) {
        fputs(problem.bytes, stderr);
        return 2;
    }

    started_us = clock_monotonic_us();
    cpu_us = cpu_of_process_us();
    for (size_t i = 0; i < loops; i++) {
        crowds[i] = (struct crowd){
            .loop = loop_new(),
            .metrics = MEM_NEW(struct metrics),
            .sessions = sessions / loops,
            .left = sessions / loops,
            .pause_ms = argument(arguments, count, 3, 0),
            .answer_bytes = (size_t)argument(arguments, count, 4, 1500),
            .speech_bytes = (size_t)argument(arguments, count, 5, 0),
            .begins.us = mem_zalloc(sessions / loops * QUESTIONS * sizeof(int64_t)),
            .commits.us = mem_zalloc(sessions / loops * QUESTIONS * sizeof(int64_t)),
        };
        crowds[i].store = store_new(store, crowds[i].loop, crowds[i].metrics, NULL);
        pthread_create(&crowds[i].thread, NULL, run, &crowds[i]);
    }
    for (size_t i = 0; i < loops; i++)
        pthread_join(crowds[i].thread, NULL);
    cpu_us = cpu_of_process_us() - cpu_us;
    stats = store_stats(store);
    print(crowds, loops, stats, clock_monotonic_us() - started_us, cpu_us);

    store_close(store);
    for (size_t i = 0; i < loops; i++) {
        failures += crowds[i].failures;
        store_free(crowds[i].store);
        free(crowds[i].metrics);
        loop_free(crowds[i].loop);
        free(crowds[i].begins.us);
        free(crowds[i].commits.us);
    }
    buffer_done(&problem);
    unlink(path);
    rmdir(directory);
    if (failures > 0)
        fprintf(stderr, "%zu interviews failed\n", failures);
    return failures == 0 ? 0 : 1;
}
