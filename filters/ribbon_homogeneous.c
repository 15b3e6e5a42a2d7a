/*
 * ribbon-homogeneous: homogeneous ribbon filter, static; no build fails.
 *
 *     block: "RBH1" | blocks u32 | segments (core/internal/ribbon.h)
 *     start = floor(digest * starts / 2^64)
 *     coefficients: mix(digest) above mix(digest + 9E3779B97F4A7C15), the lowest 1
 *     every equation xors to 0 in all columns; slots without one have bits of mix(slot)
 *
 * Dillinger, Huebschle-Schneider, Sanders and Walzer, "Fast Succinct Retrieval and Approximate
 * Membership using Ribbon" (2022), section 5. Zero solves equations of zeros, so no seed is needed;
 * a solution at random keeps others out. An equation of others that follows from those that are
 * there passes for sure; slots beyond the keys, (4 + columns / 4) / 128 of them, make that rare (4
 * / 128 alone: 6e-5 of others, simulated), and rarer the lower the rate is. The rate asked for
 * makes the columns, with a column less in some blocks for fractions; nothing else is to choose.
 * The 127 slots that are no starts are dear to small filters: 1.28 slots a key at 1000 keys, 2.56
 * at 100.
 */
#include "filters/core/internal/ribbon.h"
#include "filters/core/math.h"
#include "filters/core/scattered.h"

#include <math.h> /* ldexp: exact */

enum { MAGIC = 0x31484252, HEADER = 8 };

/* The columns of blocks that are not short: 2^-columns < rate <= 2^-(columns - 1). */
static uint32_t columns_of(double rate)
{
    uint32_t columns = 1;
    while (columns < FB_RIBBON_MOST_COLUMNS && ldexp(1, -(int)columns) >= rate)
        columns++;
    return columns;
}

/* The largest number of short blocks that keeps the rate. */
static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    const uint32_t columns = columns_of(params->fpr);
    const double few = ldexp(1, -(int)columns), share = params->fpr / few - 1;
    const double starts = (double)n_keys * (1 + (4 + columns / 4.0) / FB_RIBBON_WIDTH);
    if (share < 0 || starts > 0x1p38) {
        *why = "a homogeneous ribbon has at most 64 columns, for rates from 2^-64 on, and at most "
               "2^38 slots";
        return FB_EINVAL;
    }
    if (n_keys == 0)
        return FB_OK;
    const uint64_t blocks = fb_divide_up((uint64_t)starts + FB_RIBBON_WIDTH - 1, FB_RIBBON_WIDTH);
    const double in_short = share * (double)(blocks * FB_RIBBON_WIDTH - (FB_RIBBON_WIDTH - 1));
    uint64_t n_short = (uint64_t)(in_short / FB_RIBBON_WIDTH);
    n_short = fb_min_u64(n_short, blocks - 1);
    fb_ribbon_geometry(blocks, blocks * columns - n_short, FB_RIBBON_MOST_COLUMNS, geom);
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    if (n_keys == 0 || geom->n_bits == 0)
        return 0;
    return fb_either(fb_ribbon_fpr(geom), fb_hash_collision(n_keys, 64));
}

static inline struct fb_ribbon_key key_of(const struct fb_geometry *geom, uint64_t digest)
{
    const fb_u128 high = fb_mix64(digest);
    const uint64_t low = fb_mix64(digest + UINT64_C(0x9E3779B97F4A7C15));
    return (struct fb_ribbon_key){.coefficients = high << 64 | low | 1,
                                  .start = fb_mulhi64(digest, fb_ribbon_starts(geom))};
}

/* A start grows with its digest. */
static uint64_t order_of(const struct fb_geometry *geom, uint64_t digest)
{
    (void)geom;
    return digest;
}

static enum fb_err build(struct fb_build *b, struct fb_filter *out)
{
    struct fb_band band;
    if (b->n == 0)
        return FB_OK;
    enum fb_err err = fb_band_open(&band, &out->geom, b->heap);
    fb_ribbon_gather(&out->geom, b->digests, b->n, order_of);
    for (size_t i = 0; !err && i < b->n; i++) {
        const struct fb_ribbon_key key = key_of(&out->geom, b->digests[i]);
        (void)fb_band_add(&band, &key); /* what follows from the others is solved with them */
    }
    for (uint64_t slot = 0; !err && slot < band.n_slots; slot++)
        if (!band.coefficients[slot])
            band.results[slot] = fb_mix64(slot + 1);
    if (!err)
        fb_band_solve(&band, out);
    fb_band_close(&band);
    return err;
}

/* ---- Lookups ---- */

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const struct fb_ribbon_key key = key_of(&f->geom, *digest);
    return fb_ribbon_passes(f, &key);
}

#define FB_RIBBON_FETCH(f, digest, hint)                                                           \
    fb_ribbon_fetch(f, fb_mulhi64(*(digest), fb_ribbon_starts(&(f)->geom)), hint)

static inline uint64_t first_line(const struct fb_filter *f, uint64_t digest)
{
    const uint64_t start = fb_mulhi64(digest, fb_ribbon_starts(&f->geom));
    return (uint64_t)((const uint8_t *)fb_ribbon_place(f, start).first - f->bytes);
}
#define FB_LOOPS_LINE(f, digest) first_line(f, *(digest))

#define FB_RIBBON       scalar
#define FB_RIBBON_ISA   FB_ISA_SCALAR
#define FB_RIBBON_STYLE "early-exit"
#define FB_RIBBON_TARGET
#define FB_RIBBON_PROBE probe
#include "filters/core/internal/ribbon.inc"

#if defined(__x86_64__)

FB_AVX512_INLINE bool probe_avx512(const struct fb_filter *f, const uint64_t *digest)
{
    const struct fb_ribbon_key key = key_of(&f->geom, *digest);
    return fb_ribbon_passes_avx512(f, &key);
}

#define FB_RIBBON        avx512
#define FB_RIBBON_ISA    FB_ISA_AVX512
#define FB_RIBBON_STYLE  "eight columns"
#define FB_RIBBON_TARGET FB_AVX512
#define FB_RIBBON_PROBE  probe_avx512
#include "filters/core/internal/ribbon.inc"

#endif

static const struct fb_kernel *const kernels[] = {&scalar_kernel,
                                                  FB_IF_AVX512(&avx512_kernel, ) NULL};

/* ---- Blocks ---- */

static uint64_t block_size(const struct fb_filter *f)
{
    return HEADER + f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le32(block, MAGIC);
    fb_put_le32(block + 4, (uint32_t)f->geom.own[FB_RIBBON_BLOCKS]);
    memcpy(block + HEADER, f->bytes, f->geom.n_bytes);
}

/* Whole segments, and at most 64 columns of them. No blocks: no segments, and no key. */
static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    struct fb_geometry geom = {.digest_words = 1};
    if (len < HEADER || fb_le32(block) != MAGIC || (len - HEADER) % FB_RIBBON_SEGMENT)
        return fb_corrupt(why, "not \"RBH1\", a number of blocks and segments of 16 bytes");
    const uint64_t blocks = fb_le32(block + 4), segments = (len - HEADER) / FB_RIBBON_SEGMENT;
    if (!blocks != !segments || segments > blocks * FB_RIBBON_MOST_COLUMNS)
        return fb_corrupt(why, "another number of segments than 1 to 64 a block");
    if (blocks)
        fb_ribbon_geometry(blocks, segments, FB_RIBBON_MOST_COLUMNS, &geom);
    geom.range = fb_divisor_of(geom.n_bits);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block + HEADER, geom.n_bytes);
    return err;
}

static const struct fb_format formats[] = {
    {"ribbon", "\"RBH1\", number of blocks u32, segments", block_size, block_write, block_read},
    {0},
};

static const char *const own[] = {"blocks", "short_blocks", NULL};

const struct fb_design fb_design_ribbon_homogeneous = {
    .name = "ribbon-homogeneous",
    .summary = "homogeneous ribbon: static, 5 % above the least bits, no seed and no failure",
    .source = "Dillinger, Huebschle-Schneider, Sanders, Walzer, Fast Succinct Retrieval, 2022",
    .caveat = "slow to build, in 25 bytes a key; 127 slots beside the keys are dear to few keys",
    .traits = FB_SIZES_BY_RATE | FB_FIXED_PROBES | FB_RANDOM_STANDS | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .build = build,
    .own = own,
    .formats = formats,
    .kernels = kernels,
};
