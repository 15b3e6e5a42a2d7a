#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "harness/measure/clock.h"

#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t system_wall(void *self)
{
    (void)self;
    return read_clock(CLOCK_MONOTONIC);
}

static uint64_t system_cpu(void *self)
{
    (void)self;
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t system_preemptions(void *self)
{
    (void)self;
#ifdef RUSAGE_THREAD
    struct rusage usage;
    if (!getrusage(RUSAGE_THREAD, &usage))
        return (uint64_t)usage.ru_nivcsw;
#endif
    return 0;
}

const struct fb_clock fb_system_clock = {
    .wall_ns = system_wall,
    .cpu_ns = system_cpu,
    .preemptions = system_preemptions,
};

double fb_seconds(void)
{
    return (double)system_wall(NULL) * 1e-9;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

enum { N_READS = 1000000, N_BUCKETS = 4096 };

/*
 * A counter with a grain of no whole number of ns (26 ticks of 0.386 ns) shows as differences of 20
 * and 21, 30 and 31: pairs of buckets, one grain apart. The least distance between the middles of
 * such groups; 0 where a group is wider, so that rounding does not explain it.
 */
static double grain_of(const uint32_t bucket[N_BUCKETS])
{
    enum { RARE = N_READS / 10000, WIDEST = 2 };
    double grain = 0, last = -1;
    for (size_t ns = 0; ns < N_BUCKETS; ns++) {
        double readings = 0, sum = 0;
        size_t first = ns;
        for (; ns < N_BUCKETS && bucket[ns] > RARE; ns++) {
            readings += bucket[ns];
            sum += (double)ns * bucket[ns];
        }
        if (ns - first > WIDEST)
            return 0;
        if (ns == first)
            continue;
        if (last >= 0 && (grain == 0 || sum / readings - last < grain))
            grain = sum / readings - last;
        last = sum / readings;
    }
    return grain;
}

struct fb_timer_quality fb_clock_quality(const struct fb_clock *clock)
{
    struct fb_timer_quality quality = {0, 0};
    uint32_t bucket[N_BUCKETS] = {0}; /* differences in ns; a pair takes tens of them */
    uint64_t common = 0, last = clock->wall_ns(clock->self), seen = 0;
    for (size_t i = 0; i < N_READS; i++) {
        uint64_t now = clock->wall_ns(clock->self), d = now - last;
        last = now;
        common = gcd(common, d);
        bucket[d < N_BUCKETS ? d : N_BUCKETS - 1]++;
    }
    size_t median = 0;
    while ((seen += bucket[median]) < N_READS / 2)
        median++;
    double grain = common == 1 ? grain_of(bucket) : 0;
    quality.overhead_ns = (double)median;
    quality.quantum_ns = grain > 0 ? grain : (double)common;
    return quality;
}
