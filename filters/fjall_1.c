/*
 * fjall-1: lsm-tree 1.1.2 to 1.5, the filter of fjall's article on hash sharing.
 *
 *     block: "FJLLSBF1" | u8 0 | m u64 | k u64, both big-endian | bits, MSB first
 *     h1 = SeaHash(key), h2 = SeaHash(key key)
 *     bit_i = h1 mod m, then h1 += h2, h2 += i, for i = 0..k-1: enhanced double hashing
 *     m = -n ln p / ln^2 2 in single precision, in whole bytes; k from a table on p
 *
 * Source: fjall-rs/lsm-tree src/bloom.rs at 1.1.2. By rate only, p at least 1e-6. No keys, no
 * filter. Flaw: the table overshoots ln 2 m / n (p = 0.01 takes k = 10, 7 is best), so the rate is
 * missed. Cost: k cache lines for a present key, about two for an absent one; SeaHash runs twice.
 */
#include "filters/core/internal/fjall.h"
#include "filters/core/scattered.h"

#define MIN_RATE 1e-6f

static const struct fb_fjall_layout layout = {.magic = "FJLLSBF1", .n_magic = 8, .n_zero = 1};

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    fb_seahash_twice(key, len, words, words + 1);
}

/* The first row whose rate is below p; nothing below means 20 probes. */
static uint32_t probes_for(float p)
{
    static const struct {
        float above;
        uint32_t probes;
    } rows[] = {{0.4f, 1},  {0.2f, 2},    {0.1f, 3},     {0.05f, 4},    {0.02f, 5},
                {0.01f, 7}, {0.001f, 10}, {0.0001f, 13}, {0.00001f, 17}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (p > rows[i].above)
            return rows[i].probes;
    return 20;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    float p = (float)params->fpr;
    if (p < MIN_RATE)
        p = MIN_RATE;
    geom->probes = params->probes ? params->probes : probes_for(p);
    return fb_fjall_set_bits(fb_fjall_bits_for_rate(n_keys, p), geom, why);
}

#define FB_WALK_WORDS      2
#define FB_WALK_START      fb_walk_pair
#define FB_WALK_POSITION   fb_walk_mod_msb
#define FB_WALK_NEXT       fb_fjall_next
#define FB_COLUMN_WORDS    2
#define FB_COLUMN_START    fb_start_pair
#define FB_COLUMN_POSITION fb_position_mod_msb
#define FB_COLUMN_NEXT     fb_fjall_next_x8
#include "filters/core/internal/scattered.inc"

static const struct fb_format formats[] = {
    {"fjall-1", "lsm-tree 1.x: magic FJLLSBF1, 25-byte header, then the bits", fb_fjall_size,
     fb_fjall_write, fb_fjall_read},
    {0},
};

const struct fb_design fb_design_fjall_1 = {
    .name = "fjall-1",
    .summary = "lsm-tree 1.x: enhanced double hashing over SeaHash, sized by rate",
    .source = "fjall-rs/lsm-tree src/bloom.rs at 1.1.2",
    .caveat = "its table of k overshoots: 10 probes for 1 %, where 7 are best",
    .traits = FB_SIZES_BY_RATE | FB_COUNTS_DUPLICATES,
    .hash = "SeaHash of the key, and of the key twice",
    .digest_words = 2,
    .digest = digest,
    .plan = plan,
    .fpr = fb_scattered_fpr,
    .scheme = FB_SCHEME_ENHANCED,
    .formats = formats,
    .layout = &layout,
    .kernels = kernels,
};
