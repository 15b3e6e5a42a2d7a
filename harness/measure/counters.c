#define _GNU_SOURCE /* syscall */
#include "harness/measure/counters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

const char *const fb_counter_names[FB_N_COUNTERS] = {"cycles", "instructions", "branch_misses",
                                                     "cache_misses", "dtlb_misses"};

#define DTLB_READ_MISSES                                                                           \
    (PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8 |                                 \
     PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct {
    uint32_t type;
    uint64_t config;
} events[FB_N_COUNTERS] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {PERF_TYPE_HW_CACHE, DTLB_READ_MISSES},
};

bool fb_counters_open(int fd[FB_N_COUNTERS], char *why, unsigned n_why)
{
    for (int i = 0; i < FB_N_COUNTERS; i++) {
        struct perf_event_attr attr = {.type = events[i].type,
                                       .size = sizeof attr,
                                       .config = events[i].config,
                                       .disabled = 1,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1,
                                       .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                      PERF_FORMAT_TOTAL_TIME_RUNNING};
        fd[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (i == 0 && fd[0] < 0)
            snprintf(why, n_why, "perf_event_open: %s", strerror(errno));
    }
    return fd[0] >= 0;
}

static void all(const int fd[FB_N_COUNTERS], unsigned long request)
{
    for (int i = 0; i < FB_N_COUNTERS; i++)
        if (fd[i] >= 0)
            ioctl(fd[i], request, 0);
}

void fb_counters_start(const int fd[FB_N_COUNTERS])
{
    all(fd, PERF_EVENT_IOC_ENABLE);
}

void fb_counters_stop(const int fd[FB_N_COUNTERS])
{
    all(fd, PERF_EVENT_IOC_DISABLE);
}

void fb_counters_read(const int fd[FB_N_COUNTERS], double count[FB_N_COUNTERS])
{
    for (int i = 0; i < FB_N_COUNTERS; i++) {
        uint64_t value[3]; /* count, ns enabled, ns running */
        count[i] = NAN;
        if (fd[i] >= 0 && read(fd[i], value, sizeof value) == sizeof value && value[2])
            count[i] = (double)value[0] * ((double)value[1] / (double)value[2]);
    }
}

void fb_counters_close(int fd[FB_N_COUNTERS])
{
    for (int i = 0; i < FB_N_COUNTERS; i++) {
        if (fd[i] >= 0)
            close(fd[i]);
        fd[i] = -1;
    }
}
