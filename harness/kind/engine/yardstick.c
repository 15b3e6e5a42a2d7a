#include "harness/kind/engine/yardstick.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "harness/measure/clock.h"
#include "workloads/core/rng.h"

static double best;

/* Reads blocks of the program's own file, which is in the page cache, and hashes each. */
double fb_yardstick(void)
{
    enum { READS = 256, BLOCK = 4096, BLOCKS = 256 };
    static _Thread_local uint8_t block[BLOCK];
    const struct fb_clock *clock = &fb_system_clock;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint64_t sum = 0;
    const uint64_t start = clock->wall_ns(clock->self);
    for (uint64_t i = 0; i < READS; i++)
        if (pread(fd, block, BLOCK, (off_t)(BLOCK * (fb_stream_word(0, i) % BLOCKS))) == BLOCK)
            sum += XXH3_64bits(block, BLOCK);
    const double ns = sum ? (double)(clock->wall_ns(clock->self) - start) : 0;
    if (fd >= 0)
        close(fd);
    if (ns > 0 && (best <= 0 || ns < best))
        best = ns;
    return ns;
}

double fb_yardstick_best(void)
{
    return best;
}
