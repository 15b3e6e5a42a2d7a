/* Caches, memory split over runs, and devices. */

#include "filters/core/filter.h"
#include "harness/check/parts.h"
#include "harness/store/allocation.h"
#include "harness/store/block_cache.h"
#include "harness/store/device.h"

/* ---- Caches ---- */

/* Room for three blocks of four. Blocks that are touched again outlive those that came later:
 * 1 2 3 1 4 1 has its second hit at the end where that counts, and none where the first to come is
 * the first to leave. */
static void ask_policy(size_t policy, struct fb_answers *a)
{
    static const uint8_t again[] = {1, 2, 3, 1, 4, 1, 2, 5, 1, 3, 3, 6, 1, 4};
    struct fb_block_cache *cache = NULL;
    if (!fb_answer_ok(a, fb_block_cache_open((enum fb_cache_policy)policy, 300, &cache), "cache"))
        return;
    for (size_t i = 0; i < sizeof again; i++)
        fb_answer_word(a, fb_block_cache_touch(cache, again[i], 100));
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t word = fb_mix64(i), block = word % 40 * (word >> 32 & 3);
        fb_answer_word(a, fb_block_cache_touch(cache, block, 10 + block % 7 * 13));
        if (i % 500 == 499)
            fb_block_cache_evict(cache, 0.5);
    }
    fb_answer_ok(a, fb_block_cache_error(cache), "cache");
    fb_block_cache_close(cache);
}

/* ---- Memory over runs ---- */

static void answer_split(enum fb_allocation allocation, const char *design, double bits,
                         struct fb_answers *a)
{
    enum { N = 6 };
    struct fb_allocation_run runs[N];
    const char *why = NULL;
    uint64_t n_keys = 200;
    for (size_t i = 0; i < N; i++, n_keys *= i < 3 ? 1 : 5)
        runs[i] = (struct fb_allocation_run){.n_keys = n_keys,
                                             .unit_keys = i == 1   ? 1000
                                                          : i == 5 ? 2500
                                                                   : 200,
                                             .weight = 1 - 0.03 * (double)(i * i),
                                             .last = i == N - 1};
    if (fb_answer_ok(a, fb_allocate(allocation, fb_design_find(design), bits, runs, N, &why),
                     design))
        for (size_t i = 0; i < N; i++)
            fb_answer_real(a, runs[i].bits);
}

static void ask_allocation(size_t allocation, struct fb_answers *a)
{
    answer_split((enum fb_allocation)allocation, "bloom-independent", 3, a);
    answer_split((enum fb_allocation)allocation, "bloom-independent", 11, a);
    answer_split((enum fb_allocation)allocation, "sbbf-512", 8, a);
    for (double bits = 4; bits < 16; bits += 2.25) {
        answer_split((enum fb_allocation)allocation, "sbbf-512-lanes", bits, a);
        answer_split((enum fb_allocation)allocation, "sbbf-256", bits, a);
    }
}

/* ---- Devices ---- */

static const char *device_name(size_t i)
{
    return fb_devices[i].name[0] ? fb_devices[i].name : NULL;
}

static void ask_device(size_t i, struct fb_answers *a)
{
    struct fb_device device;
    const char *why = NULL;
    fb_answer_real(a, fb_devices[i].read_ns);
    fb_answer_real(a, fb_devices[i].bytes_per_s);
    if (!fb_device_parse(fb_devices[i].name, &device, &why)) {
        fb_answer_wrong(a, "%s", why);
        return;
    }
    fb_answer_real(a, fb_device_draw_ns(&device, fb_mix64(i)));
    fb_device_close(&device);
}

const struct fb_check_part fb_check_stores[] = {
    {"cache", ask_policy, FB_NAMED(fb_cache_policies)},
    {"allocation", ask_allocation, FB_NAMED(fb_allocations)},
    {"device", ask_device, .name = device_name},
    {0},
};
