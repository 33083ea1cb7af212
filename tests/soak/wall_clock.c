/*
 * Loaded before a program (LD_PRELOAD), it moves that program's wall clock by as many milliseconds as
 * stand in the file that SOAK_CLOCK names: eight bytes, which whoever plays with the time may change
 * at any moment.  The monotonic clock and those of processes and files stay as they are, as they do
 * when an operator or NTP sets the clock.  (libfaketime wraps some fifty functions more, reads its
 * file by stdio in each, and moves the times of files.)
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

static const _Atomic int64_t *moved_ms; /* in the file; NULL: the clock is right */

__attribute__((constructor)) static void open_clock(void)
{
    const char *path = getenv("SOAK_CLOCK");
    int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *page;

    if (file < 0)
        return;
    page = mmap(NULL, sizeof(*moved_ms), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED)
        moved_ms = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int status = (int)syscall(SYS_clock_gettime, clock, time);
    int64_t ns;

    if (status != 0 || moved_ms == NULL ||
        (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
        return status;
    ns = time->tv_sec * NS_PER_S + time->tv_nsec +
         atomic_load_explicit(moved_ms, memory_order_relaxed) * NS_PER_MS;
    time->tv_sec = (time_t)(ns / NS_PER_S);
    time->tv_nsec = (long)(ns % NS_PER_S);
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *ret_time)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (ret_time != NULL)
        *ret_time = now.tv_sec;
    return now.tv_sec;
}
