#include "harness/kind/engine/yardstick.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "harness/measure/clock.h"
#include "harness/stats/paired.h"
#include "workloads/core/rng.h"

/* The latest ones of this process. */
enum { MOST = 4096 };
static double all[MOST];
static size_t n_all;

/* Copies blocks from anywhere in memory that is larger than caches, and hashes each. The blocks are
 * others each time, so that none is in a cache because it was just read. */
double fb_yardstick(void)
{
    enum { READS = 1024, BLOCK = 4096, BLOCKS = 1 << 14 };
    static _Thread_local uint8_t block[BLOCK];
    static uint8_t *memory; /* lives as long as the process */
    static uint64_t number;
    const struct fb_clock *clock = &fb_system_clock;
    uint64_t sum = 0;
    if (!memory && (memory = malloc((size_t)BLOCK * BLOCKS)))
        memset(memory, 1, (size_t)BLOCK * BLOCKS);
    const uint64_t start = clock->wall_ns(clock->self);
    for (unsigned i = 0; i < READS && memory; i++) {
        memcpy(block, memory + BLOCK * (fb_stream_word(0, number++) % BLOCKS), BLOCK);
        sum += XXH3_64bits(block, BLOCK);
    }
    const double ns = sum ? (double)(clock->wall_ns(clock->self) - start) : 0;
    if (ns > 0)
        all[n_all++ % MOST] = ns;
    return ns;
}

double fb_yardstick_quiet(void)
{
    static double sorted[MOST];
    const size_t n = n_all < MOST ? n_all : MOST;
    memcpy(sorted, all, n * sizeof *all);
    fb_sort(sorted, n);
    return n ? sorted[n / 10] : 0;
}
