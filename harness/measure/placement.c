#define _GNU_SOURCE /* madvise */
#include "harness/measure/placement.h"

#include <string.h>
#include <sys/mman.h>

#include "filters/core/base.h"
#include "harness/measure/processes.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

bool fb_placed_map(struct fb_placed *out, uint64_t n_bytes, uint64_t random, bool huge)
{
    const size_t bytes = (size_t)n_bytes + PAGE + (huge ? HUGE_PAGE : 0);
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    *out = (struct fb_placed){.map = map, .map_bytes = bytes};
    out->at = (uint8_t *)map + random % (PAGE / FB_CACHE_LINE) * FB_CACHE_LINE;
    if (huge)
        out->at += HUGE_PAGE - (uintptr_t)map % HUGE_PAGE;
#ifdef MADV_HUGEPAGE
    madvise(map, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
    return true;
}

void fb_placed_populate(const struct fb_placed *placed, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    bool any = true;
    for (size_t at = 0; any; at += HUGE_PAGE) {
        any = false;
        for (const struct fb_placed *p = placed; p < placed + n; p++) {
            if (at >= p->map_bytes)
                continue;
            const size_t rest = p->map_bytes - at;
            madvise((uint8_t *)p->map + at, rest < HUGE_PAGE ? rest : HUGE_PAGE,
                    MADV_POPULATE_WRITE);
            any = true;
        }
    }
#else
    (void)placed, (void)n;
#endif
}

bool fb_placed_read(const struct fb_placed *placed, int fd, uint64_t n_bytes)
{
    return fb_transfer_at(fd, placed->at, (size_t)n_bytes, 0);
}

void fb_placed_close(struct fb_placed *placed)
{
    if (placed->map)
        munmap(placed->map, placed->map_bytes);
    memset(placed, 0, sizeof *placed);
}
