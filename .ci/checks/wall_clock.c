// The wall clock of one process, as far from the machine's as a file says: loaded with LD_PRELOAD.
//
// CLOCK_FILE names a file of 8 bytes, a number of nanoseconds that is added to what the system says. It is mapped, and
// read whole at every call, so that a change holds for every thread at once. Monotonic clocks stay as they are.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t SECOND = 1000000000;
static const _Atomic int64_t *offset;

// A process that does not find the file ends: with the time of the machine it would prove nothing.
__attribute__((constructor)) static void map_offset(void) {
    const char *path = getenv("CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        perror("wall_clock.c: CLOCK_FILE cannot be mapped");
        abort();
    }
    close(file);
    offset = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (syscall(SYS_clock_gettime, clock, now) != 0) return -1;
    // Another library may ask before this one has started.
    if ((clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && offset) {
        int64_t moved = now->tv_sec * SECOND + now->tv_nsec + atomic_load(offset);
        now->tv_sec = moved / SECOND;
        now->tv_nsec = moved % SECOND;
    }
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec moved;
    if (clock_gettime(CLOCK_REALTIME, &moved) != 0) return -1;
    now->tv_sec = moved.tv_sec;
    now->tv_usec = moved.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec moved;
    if (clock_gettime(CLOCK_REALTIME, &moved) != 0) return -1;
    if (now) *now = moved.tv_sec;
    return moved.tv_sec;
}
