/*
 * cuckoo-8: a design that takes keys out again, and may be full.
 *
 *     block: buckets of four bytes, nothing else
 *     a fingerprint, 1 .. 255, lies in one of two buckets, i and (mix(fingerprint) - i) mod buckets
 *
 * Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter" (2014). An insert that finds both buckets
 * taken moves fingerprints to their other buckets, at most 500; where that does not help it puts
 * them back, so that all keys that are in stay in, and says so. A key that was added nine times is
 * one too many. A rate of some 8 load / 255.
 */
#include "filters/core/math.h"
#include "filters/core/scattered.h"

enum { BUCKETS, SLOTS = 4, MOST_MOVES = 500 };

static uint8_t fingerprint(uint64_t digest)
{
    return (uint8_t)(1 + fb_mulhi32(fb_lo32(digest), 255));
}

static uint64_t first_bucket(const struct fb_geometry *geom, uint64_t digest)
{
    return fb_mulhi32(fb_hi32(digest), (uint32_t)geom->own[BUCKETS]);
}

static uint64_t other_bucket(const struct fb_geometry *geom, uint64_t bucket, uint8_t print)
{
    const uint64_t n = geom->own[BUCKETS];
    const uint64_t sum = fb_mulhi32(fb_lo32(fb_mix64(print)), (uint32_t)n);
    return sum >= bucket ? sum - bucket : sum + n - bucket;
}

/* The slot of a bucket that holds the fingerprint, SLOTS if none does; 0: an empty one. */
static unsigned slot_of(const struct fb_filter *f, uint64_t bucket, uint8_t print)
{
    unsigned slot = 0;
    while (slot < SLOTS && f->bytes[bucket * SLOTS + slot] != print)
        slot++;
    return slot;
}

static void settle(struct fb_geometry *geom, uint64_t buckets)
{
    geom->own[BUCKETS] = buckets;
    geom->n_bytes = buckets * SLOTS;
    geom->n_bits = 8 * geom->n_bytes;
    geom->probes = 2;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    const double buckets = params->bits_per_key * (double)n_keys / (8 * SLOTS);
    if (params->bits_per_key < 9 || buckets >= UINT32_MAX) {
        *why = "a cuckoo filter takes 9 bits per key and more, and fewer than 2^32 buckets";
        return FB_EINVAL;
    }
    settle(geom, (uint64_t)buckets + 1);
    return FB_OK;
}

static uint64_t slots(const struct fb_geometry *geom, double *most_load)
{
    *most_load = 0.95;
    return geom->n_bytes;
}

/* As many fingerprints as there are keys, over two buckets. */
static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    const double met = 2.0 * (double)n_keys / (double)geom->own[BUCKETS];
    return -fb_expm1(met * fb_log1p(-1.0 / 255));
}

static inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t print = fingerprint(*digest);
    const uint64_t bucket = first_bucket(&f->geom, *digest);
    return slot_of(f, bucket, print) < SLOTS ||
           slot_of(f, other_bucket(&f->geom, bucket, print), print) < SLOTS;
}

static bool put(struct fb_filter *f, uint64_t bucket, uint8_t print)
{
    const unsigned slot = slot_of(f, bucket, 0);
    if (slot < SLOTS)
        f->bytes[bucket * SLOTS + slot] = print;
    return slot < SLOTS;
}

static bool insert(struct fb_filter *f, const uint64_t *digest)
{
    uint8_t print = fingerprint(*digest);
    uint64_t bucket = first_bucket(&f->geom, *digest), moved[MOST_MOVES];
    for (unsigned moves = 0; moves < MOST_MOVES; moves++) {
        const uint64_t other = other_bucket(&f->geom, bucket, print);
        if (put(f, bucket, print) || put(f, other, print))
            return true;
        moved[moves] = other * SLOTS + (fb_mix64(*digest + moves) & (SLOTS - 1));
        const uint8_t victim = f->bytes[moved[moves]];
        f->bytes[moved[moves]] = print;
        print = victim;
        bucket = other;
    }
    for (unsigned moves = MOST_MOVES; moves-- > 0;) {
        const uint8_t mover = f->bytes[moved[moves]];
        f->bytes[moved[moves]] = print;
        print = mover;
    }
    return false;
}

static inline bool remove_one(struct fb_filter *f, const uint64_t *digest)
{
    const uint8_t print = fingerprint(*digest);
    uint64_t bucket = first_bucket(&f->geom, *digest);
    unsigned slot = slot_of(f, bucket, print);
    if (slot == SLOTS) {
        bucket = other_bucket(&f->geom, bucket, print);
        slot = slot_of(f, bucket, print);
    }
    if (slot < SLOTS)
        f->bytes[bucket * SLOTS + slot] = 0;
    return slot < SLOTS;
}

#define FB_LOOPS_LINE(f, digest) (SLOTS * first_bucket(&(f)->geom, *(digest)))

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS 1
#define FB_LOOPS_FALLIBLE
#define FB_LOOPS_REMOVE remove_one
#include "filters/core/loops.inc"

static const struct fb_kernel *const kernels[] = {&scalar_kernel, NULL};

static uint64_t block_size(const struct fb_filter *f)
{
    return f->geom.n_bytes;
}

static void block_write(const struct fb_filter *f, uint8_t *block)
{
    memcpy(block, f->bytes, f->geom.n_bytes);
}

static enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    struct fb_geometry geom = {.digest_words = 1};
    if (!len || len % SLOTS)
        return fb_corrupt(why, "not whole buckets of four bytes");
    settle(&geom, len / SLOTS);
    geom.range = fb_divisor_of(geom.n_bits);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (err)
        return err;
    memcpy(out->bytes, block, len);
    for (size_t i = 0; i < len; i++)
        out->n_keys += block[i] != 0;
    return FB_OK;
}

static const struct fb_format formats[] = {
    {"cuckoo", "the buckets", block_size, block_write, block_read},
    {0},
};

static const char *const own[] = {"buckets", NULL};

const struct fb_design fb_design_cuckoo_8 = {
    .name = "cuckoo-8",
    .summary = "removable: a fingerprint of eight bits in one of two buckets",
    .source = "Fan, Andersen, Kaminsky, Mitzenmacher, Cuckoo Filter, 2014",
    .traits = FB_SIZES_BY_BITS | FB_FIXED_PROBES | FB_COUNTS_DUPLICATES,
    .hash = "xxh64, seed 0",
    .digest_words = 1,
    .digest = fb_xxh64_one,
    .digest_batch = fb_digest_batch_xxh64,
    .plan = plan,
    .fpr = fpr,
    .when_full = "500 moves did not free a slot: the key is refused, those that are in stay in",
    .own = own,
    .formats = formats,
    .kernels = kernels,
    .slots = slots,
};
