#include "harness/kind/claims/procedure/rig.h"

#include <string.h>

struct fb_probe_rig fb_probe_rig_open(struct fb_bench *bench, const json_t *args)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_probe_rig rig = {.filter = fb_recipe_empty(bench, &recipe),
                               .samples = fb_arg_count(args, "samples", 2000)};
    if (!bench->err && (!rig.filter.kernel->add_batch || !rig.filter.geom.n_bits)) {
        fb_bench_fail(bench, FB_EUNSUPPORTED, "%s takes no single keys", recipe.design->name);
        fb_filter_close(&rig.filter);
    }
    return rig;
}

void fb_probe_rig_set(struct fb_probe_rig *rig, const uint64_t *digest)
{
    struct fb_filter *f = &rig->filter;
    rig->n = 0;
    if (!f->geom.n_bits)
        return;
    memset(f->bytes, 0, f->geom.n_bytes);
    f->kernel->add_batch(f, digest, 1);
    /* Arrays are whole cache lines long, so eight bytes are always there. */
    for (uint64_t byte = 0; byte < f->geom.n_bytes; byte += 8)
        for (uint64_t word = fb_le64(f->bytes + byte); word && rig->n < FB_MAX_PROBES;
             word &= word - 1) {
            uint64_t lsb_first = 8 * byte + (unsigned)__builtin_ctzll(word);
            rig->position[rig->n++] = rig->msb_first ? lsb_first ^ 7 : lsb_first;
        }
}

bool fb_probe_rig_next(struct fb_bench *bench, struct fb_probe_rig *rig)
{
    if (rig->shown == rig->samples)
        return false;
    fb_bench_digests(bench, rig->filter.design, rig->filter.geom.digest_words, 1, rig->shown++, 1,
                     rig->digest);
    if (!bench->err)
        fb_probe_rig_set(rig, rig->digest);
    return !bench->err;
}

bool fb_probe_rig_shows(const struct fb_probe_rig *rig, uint64_t position)
{
    for (size_t j = 0; j < rig->n; j++)
        if (rig->position[j] == position)
            return true;
    return false;
}

static uint64_t independent(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    return digest[i] % geom->n_bits;
}

static uint64_t wrapped(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    return (digest[0] + i * digest[1]) % geom->n_bits;
}

/* h1 += h2; h2 += i, unrolled: h1 + i h2 + i (i - 1) (i - 2) / 6. */
static uint64_t growing_step(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    uint64_t j = i, cubic = j < 3 ? 0 : j * (j - 1) * (j - 2) / 6;
    return (digest[0] + j * digest[1] + cubic) % geom->n_bits;
}

static uint32_t rotated17(uint32_t h)
{
    return h >> 17 | h << 15;
}

static uint64_t rotate_once(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    uint32_t h = fb_lo32(digest[0]);
    return (h + i * rotated17(h)) % geom->n_bits;
}

static uint64_t rotate_each_step(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    uint32_t h = fb_lo32(digest[0]);
    while (i--)
        h += rotated17(h);
    return h % geom->n_bits;
}

static uint64_t golden(const struct fb_geometry *geom, const uint64_t *digest, unsigned multiplied)
{
    uint64_t line = (uint64_t)fb_lo32(digest[0]) * geom->n_blocks >> 32;
    uint32_t h = fb_hi32(digest[0]);
    while (multiplied--)
        h *= UINT32_C(0x9e3779b9);
    return line * 512 + (h >> 23);
}

static uint64_t probe_first(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    return golden(geom, digest, i);
}

static uint64_t multiply_first(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    return golden(geom, digest, i + 1);
}

/* Lane i of the block has the bit that salt i chooses, six bits wide. */
static uint64_t salted(uint64_t block, const uint64_t *digest, unsigned i)
{
    static const uint32_t salt[] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                    0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    return block * 512 + i * 64 + (uint32_t)(fb_lo32(digest[0]) * salt[i % 8]) / (1 << 26);
}

static uint64_t salted_modulo(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    return salted((digest[0] >> 32) % geom->n_blocks, digest, i);
}

static uint64_t salted_mask(const struct fb_geometry *geom, const uint64_t *digest, unsigned i)
{
    return salted((digest[0] >> 32) & (geom->n_blocks - 1), digest, i);
}

static const struct fb_probe_reading readings[] = {
    {"independent", false, independent},           {"wrapped", false, wrapped},
    {"growing step", true, growing_step},          {"rotate once", false, rotate_once},
    {"rotate each step", false, rotate_each_step}, {"probe first", false, probe_first},
    {"multiply first", false, multiply_first},     {"salted, modulo", false, salted_modulo},
    {"salted, mask", false, salted_mask},          {0},
};

const struct fb_probe_reading *fb_arg_reading(struct fb_bench *bench, const json_t *args,
                                              const char *key)
{
    for (const struct fb_probe_reading *r = readings; r->name; r++)
        if (fb_arg_is(args, key, r->name))
            return r;
    fb_bench_fail(bench, FB_EINVAL, "no reading '%.40s'", fb_arg_text(args, key, ""));
    return NULL;
}

bool fb_probe_reading_agrees(const struct fb_probe_reading *reading, const struct fb_probe_rig *rig)
{
    uint64_t given[FB_MAX_PROBES];
    size_t n = 0;
    for (unsigned i = 0; i < rig->filter.geom.probes; i++) {
        uint64_t at = reading->position(&rig->filter.geom, rig->digest, i);
        bool again = false;
        for (size_t j = 0; j < n; j++)
            again |= given[j] == at;
        if (!fb_probe_rig_shows(rig, at))
            return false;
        if (!again)
            given[n++] = at;
    }
    return n == rig->n;
}
