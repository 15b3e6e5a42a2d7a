/*
 * rocksdb-ribbon: RocksDB's Standard128Ribbon filter, static.
 *
 *     block: segments (core/internal/ribbon.h) | FE | seed u8 | number of blocks u24
 *     g = (Hash64(key) ^ raw(seed)) * C1; start = floor(g * starts / 2^64); a = g * C2
 *     coefficients: a above (a ^ C3), the lowest 1; result: the highest 32 bits of a, bytes
 *     reversed
 *
 * Source: facebook/rocksdb util/ribbon_{impl,alg}.h, ribbon_config.cc, filter_policy.cc. Bits per
 * key are those of a FastLocalBloom of the same rate (by RocksDB's estimate); the filter takes some
 * 0.7 of them. Blocks of fewer columns make up fractions of a column. The seed begins with a byte
 * of the first key's hash and counts up until the equations have a solution, one attempt in 20
 * fails; after 256, for more than 950e6 keys, and below 1024 slots where that is smaller, the
 * filter is a FastLocalBloom. A key whose hash equals that of the entry just before is not counted.
 */
#include "filters/core/internal/ribbon.h"
#include "filters/core/internal/rocksdb.h"
#include "filters/core/math.h"
#include "filters/inline/rocksdb_fastlocal.h"

#include <math.h> /* ldexp: exact */
#include <stdlib.h>

enum { MOST_COLUMNS = 32, SEEDS = 256, FEW_SLOTS = 1024, MOST_KEYS = 950000000 };

/* ---- Sizes ---- */

/* Keys for 2^j slots, of which an attempt in 20 fails; 0: too few to say. */
static double keys_of_slots(unsigned j)
{
    static const double known[] = {248.851, 499.532, 1001.26, 2003.97, 4005.59,
                                   8000.39, 15966.6, 31828.1, 63447.3, 126506};
    enum { FIRST = 8, LAST = 17 };
    const double growth = 0.0038, base = ldexp(1, LAST) / known[LAST - FIRST] - LAST * growth;
    if (j < FIRST)
        return 0;
    return j <= LAST ? known[j - FIRST] : ldexp(1, (int)j) / (base + j * growth);
}

/* Interpolated between powers of two, in whole blocks, two at least. */
static uint64_t slots_of(uint64_t n_keys)
{
    unsigned j = (unsigned)(fb_log((double)n_keys) * 1.4426950409 + 0.5);
    double slots = 256;
    if (keys_of_slots(j) > 0) {
        if ((double)n_keys < keys_of_slots(j))
            j--;
        const double low = keys_of_slots(j), high = keys_of_slots(j + 1);
        const double share = ((double)n_keys - low) / (high - low);
        slots = share * ldexp(1, (int)j) + ldexp(1, (int)j) + 0.999999999;
    }
    return fb_max_u64(fb_round_up((uint64_t)slots, FB_RIBBON_WIDTH), 2 * FB_RIBBON_WIDTH);
}

/* Segments for one false positive in `one_in`. The share of starts in short blocks is the one that
 * gives the rate; `bias` in (0, 1) rounds their number at random. */
static uint64_t segments_of(uint64_t slots, double one_in, double bias)
{
    const uint64_t blocks = slots / FB_RIBBON_WIDTH;
    if (one_in > UINT32_MAX)
        return blocks * MOST_COLUMNS;
    if (one_in <= 1)
        return 1;
    const unsigned columns = 31 - (unsigned)__builtin_clz((uint32_t)one_in);
    const double few = ldexp(1, -(int)columns), more = few / 2;
    const double share = (1 / one_in - more) / (few - more);
    const uint64_t n_short =
        (uint64_t)((share * (double)(slots - (FB_RIBBON_WIDTH - 1)) + bias) / FB_RIBBON_WIDTH);
    return blocks * (columns + 1) - n_short;
}

/* The shape for n_keys >= 1 whose first one has this hash. */
static void size(const struct fb_params *params, uint64_t n_keys, uint64_t first,
                 struct fb_geometry *geom)
{
    struct fb_geometry bloom = {.digest_words = geom->digest_words}, ribbon = bloom;
    fb_fastlocal_plan(params, n_keys, &bloom);
    *geom = bloom;
    if (n_keys > MOST_KEYS)
        return;
    const double asked = params->bits_per_key, bits = asked < 1 ? 1 : asked < 100 ? asked : 100;
    const uint64_t slots = slots_of(n_keys);
    const double rate = fb_rocksdb_estimate(bits, bloom.probes, FB_ROCKSDB_LINE_BITS);
    const double bias = (fb_hi32(first) + 0.5) / 0x1p32;
    fb_ribbon_geometry(slots / FB_RIBBON_WIDTH, segments_of(slots, 1 / rate, bias), MOST_COLUMNS,
                       &ribbon);
    if (slots >= FEW_SLOTS || bloom.n_bytes >= ribbon.n_bytes)
        *geom = ribbon;
}

static bool is_bloom(const struct fb_geometry *geom)
{
    return geom->n_blocks;
}

/* The first key decides upon one segment more or less: it is known to build() alone. */
static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    enum fb_err err = fb_rocksdb_check(params, why);
    if (!err && n_keys)
        size(params, n_keys, UINT64_C(1) << 63, geom);
    return err;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    if (n_keys == 0 || geom->n_bits == 0)
        return 0;
    return is_bloom(geom) ? fb_fastlocal_fpr(geom, n_keys) : fb_ribbon_fpr(geom);
}

/* ---- Keys ---- */

/* The start grows with it. */
static inline uint64_t order_of(const struct fb_geometry *geom, uint64_t digest)
{
    uint64_t raw = geom->own[FB_RIBBON_SEED] * UINT64_C(0xC78219A23EEADD03);
    raw ^= (raw & UINT64_C(0xF0F0F0F0F0F0F0F0)) >> 4;
    return (digest ^ fb_lo32(raw)) * UINT64_C(0x6193D459236A3A0D);
}

static inline struct fb_ribbon_key key_of(const struct fb_geometry *geom, uint64_t digest)
{
    const uint64_t g = order_of(geom, digest);
    const uint64_t a = g * UINT64_C(0xC28F82822B650BED);
    return (struct fb_ribbon_key){.coefficients =
                                      (fb_u128)a << 64 | (a ^ UINT64_C(0xC367844A6E52731D)) | 1,
                                  .start = fb_mulhi64(g, fb_ribbon_starts(geom)),
                                  .result = fb_lo32(__builtin_bswap64(a))};
}

static enum fb_err add_all(struct fb_build *b, struct fb_filter *out)
{
    struct fb_band band;
    enum fb_err err = fb_band_open(&band, &out->geom, b->heap);
    /* The first one stays: the next attempt counts from it. */
    fb_ribbon_gather(&out->geom, b->digests + 1, b->n - 1, order_of);
    b->placed = 0;
    while (!err && b->placed < b->n) {
        const struct fb_ribbon_key key = key_of(&out->geom, b->digests[b->placed]);
        if (fb_band_add(&band, &key))
            b->placed++;
        else
            err = FB_EFULL;
    }
    if (!err)
        fb_band_solve(&band, out);
    fb_band_close(&band);
    return err;
}

/* Other bytes where the first key, or the last failure, makes it another size. */
static enum fb_err take_shape(const struct fb_geometry *geom, struct fb_filter *out)
{
    if (geom->n_bytes != out->geom.n_bytes) {
        free(out->bytes);
        out->bytes = fb_alloc_lines(geom->n_bytes);
        if (!out->bytes)
            return FB_ENOMEM;
    }
    out->geom = *geom;
    out->geom.range = fb_divisor_of(geom->n_blocks ? geom->n_blocks : geom->n_bits);
    return FB_OK;
}

static enum fb_err build(struct fb_build *b, struct fb_filter *out)
{
    const uint64_t n_keys = out->params.capacity ? out->params.capacity : b->n;
    const uint64_t tried = out->geom.own[FB_RIBBON_SEED];
    struct fb_geometry geom = {.digest_words = out->geom.digest_words};
    b->placed = b->n;
    if (b->n == 0)
        return FB_OK;
    size(&out->params, n_keys, b->digests[0], &geom);
    if (!is_bloom(&geom))
        geom.own[FB_RIBBON_SEED] = (b->digests[0] + tried) % SEEDS;
    enum fb_err err = take_shape(&geom, out);
    if (!err && !is_bloom(&geom)) {
        err = add_all(b, out);
        if (err != FB_EFULL || tried < SEEDS - 1)
            return err;
        geom = (struct fb_geometry){.digest_words = geom.digest_words};
        fb_fastlocal_plan(&out->params, n_keys, &geom);
        err = take_shape(&geom, out);
        b->placed = b->n;
    }
    for (size_t i = 0; !err && i < b->n; i++)
        fb_rocksdb_fastlocal_insert(out, b->digests + i);
    return err;
}

/* As many times as there are seeds; build() sees to the last. */
static bool retry(struct fb_geometry *geom, unsigned attempt)
{
    geom->own[FB_RIBBON_SEED] = attempt;
    return attempt < SEEDS;
}

/* ---- Lookups ---- */

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    if (is_bloom(&f->geom))
        return fb_rocksdb_fastlocal_query_scalar(f, digest);
    const struct fb_ribbon_key key = key_of(&f->geom, *digest);
    return fb_ribbon_passes(f, &key);
}

__attribute__((always_inline)) static inline void fetch(const struct fb_filter *f,
                                                        const uint64_t *digest, enum fb_hint hint)
{
    if (is_bloom(&f->geom))
        fb_prefetch(f->bytes + fb_fastlocal_offset(f, *digest), hint);
    else
        fb_ribbon_fetch(f, key_of(&f->geom, *digest).start, hint);
}
#define FB_RIBBON_FETCH fetch

static inline uint64_t first_line(const struct fb_filter *f, uint64_t digest)
{
    if (is_bloom(&f->geom))
        return fb_fastlocal_offset(f, digest);
    const struct fb_ribbon_place p = fb_ribbon_place(f, key_of(&f->geom, digest).start);
    return (uint64_t)((const uint8_t *)p.first - f->bytes);
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
    if (is_bloom(&f->geom))
        return fb_rocksdb_fastlocal_query_avx512(f, digest);
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

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    if (is_bloom(&f->geom) || !f->geom.n_bytes) {
        fb_fastlocal_write(f, block);
        return;
    }
    uint8_t *trailer = block + f->geom.n_bytes;
    memcpy(block, f->bytes, f->geom.n_bytes);
    fb_put_le32(trailer + 1, (uint32_t)f->geom.own[FB_RIBBON_BLOCKS] << 8);
    trailer[0] = 0xFE;
    trailer[1] = (uint8_t)f->geom.own[FB_RIBBON_SEED];
}

/* Any seed; two blocks at least, else "may be present"; segments are whole ones of what precedes
 * the trailer, and those that are too few for a column of every block say yes there. */
static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    const enum fb_rocksdb_sort sort = fb_rocksdb_sort_of(block, len);
    if (sort == FB_ROCKSDB_BLOOM)
        return fb_fastlocal_read(design, block, len, out, why);
    if (sort != FB_ROCKSDB_RIBBON)
        return fb_rocksdb_read_other(design, sort, out, why);
    const uint64_t n_blocks = fb_le32(block + len - 4) >> 8;
    struct fb_geometry geom = {.digest_words = 1};
    if (n_blocks >= 2)
        fb_ribbon_geometry(n_blocks, (len - FB_ROCKSDB_TRAILER) / FB_RIBBON_SEGMENT, MOST_COLUMNS,
                           &geom);
    if (geom.n_bits == 0)
        return fb_rocksdb_constant(design, &fb_kernel_yes, out);
    geom.own[FB_RIBBON_SEED] = block[len - 4];
    geom.range = fb_divisor_of(geom.n_bits);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block, geom.n_bytes);
    return err;
}

static const struct fb_format formats[] = {
    {"rocksdb", "segments, FE, seed, blocks u24; or the FastLocalBloom that it falls back to",
     fb_fastlocal_size, block_write, block_read},
    {0},
};

static const char *const own[] = {"blocks", "short_blocks", "seed", NULL};

const struct fb_design fb_design_rocksdb_ribbon = {
    .name = "rocksdb-ribbon",
    .summary = "RocksDB's Ribbon filter: static, the rate of FastLocalBloom in 0.7 of its bits",
    .source = "facebook/rocksdb util/ribbon_{impl,alg}.h, filter_policy.cc",
    .caveat = "bits per key are those of an equal FastLocalBloom; slow to build, in 25 bytes a key",
    .traits = FB_SIZES_BY_BITS | FB_FIXED_PROBES | FB_DROPS_ADJACENT | FB_COUNTS_DUPLICATES,
    .hash = "rocksdb-hash64 (XXPH3), seed 0",
    .digest_words = 1,
    .digest = fb_rocksdb_digest,
    .digest_batch = fb_digest_batch_xxph3,
    .plan = plan,
    .fpr = fpr,
    .build = build,
    .retry = retry,
    .when_full = "equations that contradict: the next seed, 256 in all, then a FastLocalBloom",
    .own = own,
    .formats = formats,
    .kernels = kernels,
};
