#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "http.h"

enum { MOST_ARGUMENTS = 30 };

struct program {
    pid_t process;      /* 0 once its end was waited for */
    int process_handle; /* owned: readable when it ends */
    int status;
    pthread_t reading;
    int pipe; /* owned: the end that we read */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    struct bytes output;
    size_t start; /* of this run's output */
    bool has_ended;
};

static bool mentions_sanitizer(const char *text, size_t size)
{
    return memmem(text, size, "Sanitizer", 9) || memmem(text, size, "runtime error:", 14);
}

/* Copies the program's output into memory; what a sanitizer says is shown at once. */
static void *read_output(void *context)
{
    struct program *program = context;
    bool shows = getenv("POISE_SHOW_OUTPUT") != NULL;
    char block[65536];
    ssize_t size;

    while ((size = read(program->pipe, block, sizeof block)) > 0) {
        shows = shows || mentions_sanitizer(block, (size_t)size);
        if (shows)
            fwrite(block, 1, (size_t)size, stderr);
        pthread_mutex_lock(&program->lock);
        bytes_add(&program->output, block, (size_t)size);
        pthread_cond_broadcast(&program->changed);
        pthread_mutex_unlock(&program->lock);
    }
    pthread_mutex_lock(&program->lock);
    program->has_ended = true;
    pthread_cond_broadcast(&program->changed);
    pthread_mutex_unlock(&program->lock);
    return NULL;
}

static int lent_socket = -1;

void program_lend_socket(int descriptor)
{
    lent_socket = descriptor;
}

/* LISTEN_PID must be the process that is meant: known only here, in the child. */
static void take_socket(const char **environment)
{
    static char meant[32];

    for (size_t i = 0; environment[i]; i++)
        if (strncmp(environment[i], "LISTEN_PID=", 11) == 0) {
            snprintf(meant, sizeof meant, "LISTEN_PID=%ld", (long)getpid());
            environment[i] = meant;
            dup2(lent_socket, 3); /* without FD_CLOEXEC */
        }
}

/* Another build of it, such as one for ThreadSanitizer, which Criterion does not start under. */
static const char *poise_path(void)
{
    const char *other = getenv("POISE_PROGRAM");

    return other != NULL ? other : POISE_PROGRAM;
}

static bool become_user(const struct launch *launch)
{
    return launch->user == 0 || (setgroups(0, NULL) == 0 && setgid(launch->group) == 0 &&
                                 setuid(launch->user) == 0);
}

/* In the child: nothing but these standard streams and this environment. */
static void become_program(const struct launch *launch, int output)
{
    static const char *const no_environment[] = {NULL};
    const char *const *environment =
        launch->environment ? launch->environment : no_environment;
    const char *argv[MOST_ARGUMENTS + 2] = {launch->path ? launch->path : poise_path()};
    int nothing = open("/dev/null", O_RDONLY);

    for (size_t i = 0; launch->arguments && launch->arguments[i] && i < MOST_ARGUMENTS;
         i++)
        argv[i + 1] = launch->arguments[i];
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (launch->lent > 0)
        dup2(launch->lent, 3);
    if (lent_socket >= 0)
        take_socket((const char **)environment);
    if (!become_user(launch))
        _exit(127);
    prctl(PR_SET_PDEATHSIG, launch->when_orphaned ? launch->when_orphaned : SIGKILL);
    if (chdir(launch->directory) == 0)
        execve(argv[0], (char *const *)argv, (char *const *)environment);
    _exit(127);
}

static struct program *program_new(struct program *before)
{
    struct program *program = calloc(1, sizeof *program);

    if (!program)
        abort();
    pthread_mutex_init(&program->lock, NULL);
    pthread_cond_init(&program->changed, NULL);
    if (before) {
        program->output = program_output(before, false);
        program_free(before);
    }
    program->start = program->output.size;
    return program;
}

struct program *program_start(const struct launch *launch, struct program *before)
{
    struct program *program = program_new(before);
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        abort();
    fflush(NULL);
    program->process = fork();
    if (program->process < 0)
        abort();
    if (program->process == 0)
        become_program(launch, ends[1]);
    close(ends[1]);
    program->pipe = ends[0];
    program->process_handle = (int)syscall(SYS_pidfd_open, program->process, 0);
    pthread_create(&program->reading, NULL, read_output, program);
    return program;
}

static bool has_written(const struct program *program, const char *text)
{
    return program->output.size > program->start &&
           memmem(program->output.data + program->start,
                  program->output.size - program->start, text, strlen(text)) != NULL;
}

bool program_await_output(struct program *program, const char *text)
{
    struct timespec limit;
    bool found;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += LONGEST_WAIT_S;
    pthread_mutex_lock(&program->lock);
    while (!(found = has_written(program, text)) && !program->has_ended) {
        if (pthread_cond_timedwait(&program->changed, &program->lock, &limit) != 0)
            break;
    }
    pthread_mutex_unlock(&program->lock);
    return found;
}

void program_signal(struct program *program, int signal_number)
{
    if (program->process > 0)
        kill(program->process, signal_number);
}

/* A stop is told when the last thread stands (wait(2), WUNTRACED). */
bool program_stop(struct program *program)
{
    siginfo_t stopped;

    program_signal(program, SIGSTOP);
    return waitid(P_PID, (id_t)program->process, &stopped, WSTOPPED) == 0 &&
           stopped.si_code == CLD_STOPPED;
}

void program_limit_files(struct program *program, unsigned long most)
{
    struct rlimit limit;

    prlimit(program->process, RLIMIT_NOFILE, NULL, &limit);
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    prlimit(program->process, RLIMIT_NOFILE, &limit, NULL);
}

static void reap(struct program *program, int options)
{
    int status;

    if (program->process == 0 || waitpid(program->process, &status, options) <= 0)
        return;
    program->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    program->process = 0;
}

bool program_is_running(struct program *program)
{
    reap(program, WNOHANG);
    return program->process != 0;
}

int64_t program_cpu_ms(const struct program *program)
{
    struct timespec busy;
    clockid_t clock;

    if (program->process == 0 || clock_getcpuclockid(program->process, &clock) != 0 ||
        clock_gettime(clock, &busy) != 0)
        return -1;
    return (int64_t)busy.tv_sec * 1000 + busy.tv_nsec / 1000000;
}

long program_resident_kb(const struct program *program)
{
    char path[64];
    long total = 0;
    long resident = -1;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)program->process);
    file = fopen(path, "r");
    if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = -1;
    if (file)
        fclose(file);
    return resident < 0 ? -1 : resident * sysconf(_SC_PAGESIZE) / 1024;
}

int program_await_exit(struct program *program)
{
    struct pollfd wanted = {.fd = program->process_handle, .events = POLLIN};

    if (program->process != 0 && poll(&wanted, 1, LONGEST_WAIT_S * 1000) <= 0)
        return -1;
    reap(program, 0);
    pthread_mutex_lock(&program->lock);
    while (!program->has_ended) /* what it wrote last may still be in the pipe */
        pthread_cond_wait(&program->changed, &program->lock);
    pthread_mutex_unlock(&program->lock);
    return program->status;
}

struct bytes program_output(struct program *program, bool since_start)
{
    struct bytes copy = {0};

    pthread_mutex_lock(&program->lock);
    size_t from = since_start ? program->start : 0;
    bytes_add(&copy, program->output.data ? program->output.data + from : "",
              program->output.size - from);
    pthread_mutex_unlock(&program->lock);
    return copy;
}

void program_free(struct program *program)
{
    if (!program)
        return;
    program_signal(program, SIGKILL);
    reap(program, 0);
    pthread_join(program->reading, NULL);
    close(program->pipe);
    close(program->process_handle);
    bytes_free(&program->output);
    free(program);
}
