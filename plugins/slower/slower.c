/*
 * The built-in designs as a plugin, in which lookups of sbbf-256 in batches take PER_CENT longer:
 * what `filterbench calibrate` plants, to see whether `ab` finds it.
 *
 * A batch is followed by a chain of multiplications, each waiting for the one before and the first
 * for the batch's answer. Each process times the first batches of a filter with chains of three
 * lengths, and goes on with the one that takes PER_CENT of a batch. Example: a batch of 2048
 * lookups takes 860 ns and a multiplication 1.05 ns; 5 % of the batch are 41 multiplications. What
 * `ab` then sees is near that; `calibrate` says what it saw.
 *
 * One thread at a time.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "filters/core/plugin.h"

/* A chain costs more between the clocks of the harness than between those here, which wait for the
 * batch as well: 0.006 of a batch in L1 and 0.018 in L2, on a Zen 5. */
#define HANDOVER 0.012

enum { READINGS = 64, FEW = 32, MANY = 512, MOST_KERNELS = 8 };

#define DESIGN(id) extern const struct fb_design fb_design_##id;
#include "designs.def"
#undef DESIGN

static uint64_t chain(uint64_t x, uint64_t steps)
{
    while (steps--) {
        x = x * 0x9E3779B97F4A7C15 + 1;
        __asm__ volatile("" : "+r"(x)); /* or the compiler may find a shorter way */
    }
    return x;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct batch {
    const struct fb_kernel *kernel;
    const struct fb_filter *filter;
    const uint64_t *digests;
    size_t n;
    uint8_t *maybe;
};

static size_t then_chain(const struct batch *b, uint64_t steps)
{
    const size_t found = b->kernel->query_batch(b->filter, b->digests, b->n, b->maybe);
    if (!steps)
        return found;
    const uint64_t end = chain(found, steps);
    __asm__ volatile("" : : "r"(end));
    return found;
}

/* What the first batches of a filter took, with 0, FEW and MANY steps in turns. */
static struct {
    const uint8_t *bytes; /* of that filter */
    size_t n, calls;
    double ns[3][READINGS];
    uint64_t steps; /* that make PER_CENT; 0 until all readings are there */
} seen;

/* Mean of the middle half: a median has the quantum of the clock. */
static double middle(double readings[READINGS])
{
    double sum = 0;
    qsort(readings, READINGS, sizeof *readings, compare);
    for (size_t i = READINGS / 4; i < READINGS * 3 / 4; i++)
        sum += readings[i];
    return sum / (READINGS / 2);
}

/* The first step waits for the batch, which costs something as well: FEW and MANY have it, 0 has
 * not. */
static uint64_t steps_that_take(double share)
{
    const double none = middle(seen.ns[0]), few = middle(seen.ns[1]), many = middle(seen.ns[2]);
    const double wanted = FEW + (none * (1 + share) - few) * (MANY - FEW) / (many - few);
    return wanted > 1 ? (uint64_t)(wanted + 0.5) : 1;
}

static size_t query_slowly(const struct batch *b)
{
    static const uint64_t steps[3] = {0, FEW, MANY};
    if (seen.bytes != b->filter->bytes || seen.n != b->n) {
        memset(&seen, 0, sizeof seen);
        seen.bytes = b->filter->bytes;
        seen.n = b->n;
    }
    if (seen.steps)
        return then_chain(b, seen.steps);
    const double before = now_ns();
    const size_t found = then_chain(b, steps[seen.calls % 3]);
    seen.ns[seen.calls % 3][seen.calls / 3 % READINGS] = now_ns() - before;
    if (++seen.calls == 2 * 3 * READINGS) /* the first half is forgotten */
        seen.steps = steps_that_take(PER_CENT / 100.0 - HANDOVER);
    return found;
}

#define SLOW(i)                                                                                    \
    static size_t slow_##i(const struct fb_filter *filter, const uint64_t *digests, size_t n,      \
                           uint8_t *maybe)                                                         \
    {                                                                                              \
        return query_slowly(                                                                       \
            &(struct batch){fb_design_sbbf_256.kernels[i], filter, digests, n, maybe});            \
    }                                                                                              \
    _Static_assert((i) < MOST_KERNELS, "room for it")
SLOW(0);
SLOW(1);
SLOW(2);
SLOW(3);
SLOW(4);
SLOW(5);
SLOW(6);
SLOW(7);
static size_t (*const slow[MOST_KERNELS])(const struct fb_filter *, const uint64_t *, size_t,
                                          uint8_t *) = {slow_0, slow_1, slow_2, slow_3,
                                                        slow_4, slow_5, slow_6, slow_7};

static struct fb_design slower;
static struct fb_kernel copies[MOST_KERNELS];
static const struct fb_kernel *kernels[MOST_KERNELS + 1];

static const struct fb_design *designs[] = {
#define DESIGN(id) &fb_design_##id,
#include "designs.def"
#undef DESIGN
    NULL};

FB_PLUGIN_EXPORT const struct fb_plugin_v1 fb_plugin_v1 = {
    FB_PLUGIN_HEAD, .name = "filterbench-slower", .revision = FB_REVISION, .designs = designs,
    FB_PLUGIN_TUNED};

__attribute__((constructor)) static void make(void)
{
    slower = fb_design_sbbf_256;
    slower.kernels = kernels;
    for (size_t i = 0; i < MOST_KERNELS && fb_design_sbbf_256.kernels[i]; i++) {
        copies[i] = *fb_design_sbbf_256.kernels[i];
        copies[i].query_batch = slow[i];
        kernels[i] = &copies[i];
    }
    for (const struct fb_design **d = designs; *d; d++)
        if (*d == &fb_design_sbbf_256)
            *d = &slower;
}
