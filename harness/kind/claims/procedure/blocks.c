/* Procedures: the fields of real blocks, the shape of the blocks that keys fall into, and inserts
 * into one at once. No kind reads the bytes of a block. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/rig.h"
#include "workloads/core/rng.h"

/* A filter of random keys and its block in the native format; without a block after a failure. */
struct stored {
    struct fb_filter filter;
    uint8_t *block; /* [size] */
    size_t size;
};

static void stored_close(struct stored *s)
{
    fb_filter_close(&s->filter);
    free(s->block);
}

static struct stored stored_open(struct fb_bench *bench, const struct fb_recipe *recipe)
{
    struct stored s = {.filter = fb_recipe_build(bench, recipe, 0)};
    if (bench->err)
        return s;
    const struct fb_format *format = recipe->design->formats;
    if (!format || !format->name)
        fb_bench_fail(bench, FB_EUNSUPPORTED, "%s has no block", recipe->design->name);
    else
        s.block = fb_bench_alloc(bench, format->size(&s.filter), 1);
    if (s.block) {
        s.size = (size_t)format->size(&s.filter);
        const char *why;
        enum fb_err err = fb_filter_write(&s.filter, format, s.block, &why);
        fb_bench_check(bench, err, recipe->design->name, why);
    }
    return s;
}

/* Little-endian bytes of the block as a number; -1 beyond its end. */
static double number_at(const struct stored *s, size_t offset, size_t n)
{
    uint64_t x = 0;
    if (offset > s->size || n > s->size - offset)
        return -1;
    for (size_t i = 0; i < n && i < 8; i++)
        x |= (uint64_t)s->block[offset + i] << 8 * i;
    return (double)x;
}

/* What a field should hold: a number, the filter's "k", or by a text's formulas "bits", "bits per
 * key" or "probes". */
static double field_value(const json_t *field, const struct fb_recipe *recipe,
                          const struct stored *s)
{
    double bits = recipe->params.bits_per_key;
    if (fb_arg_is(field, "holds", "k"))
        return s->filter.geom.probes;
    if (fb_arg_is(field, "holds", "bits"))
        return (double)recipe->n * bits;
    if (fb_arg_is(field, "holds", "bits per key"))
        return bits;
    if (fb_arg_is(field, "holds", "probes"))
        return fmin(fmax(ceil(693 * bits / 1000), 1), 30);
    return fb_arg_number(field, "holds", -1);
}

/* Little-endian fields of a block, from its end where the offset is negative: their values; as
 * "last", that of the last one; as "size", their size in bytes, all that is before the array. Every
 * field must be right. */
FB_PROCEDURE(block_fields)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct stored s = stored_open(bench, &recipe);
    bool size_only = fb_arg_is(args, "as", "size"), last_only = fb_arg_is(args, "as", "last");
    bool right = true;
    size_t total = 0;
    FB_EACH(field, json_object_get(args, "fields")) {
        size_t bytes = (size_t)fb_arg_count(field, "bytes", 0);
        double offset = fb_arg_number(field, "offset", 0);
        double theory = field_value(field, &recipe, &s);
        double found =
            number_at(&s, (size_t)(offset < 0 ? (double)s.size + offset : offset), bytes);
        total += bytes;
        right &= found == theory;
        if (size_only)
            continue;
        out->n = last_only ? 0 : out->n;
        fb_find_exact(out, theory, found);
    }
    if (size_only) {
        fb_find_exact(out, (double)total, (double)s.size - (double)s.filter.geom.n_bytes);
        right &= total <= s.size && !memcmp(s.block + total, s.filter.bytes, s.size - total);
    }
    fb_find_require(out, right);
    stored_close(&s);
}

/* Settings whose block does not end with k, or is not read back with it. */
FB_PROCEDURE(self_describing)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    uint64_t bits_to = fb_arg_count(args, "bits_to", 30);
    unsigned misses = 0;
    for (uint64_t bits = 1; bits <= bits_to && !bench->err; bits++) {
        recipe.params.bits_per_key = (double)bits;
        struct stored s = stored_open(bench, &recipe);
        struct fb_filter copy = {0};
        const char *why = NULL;
        if (s.block) {
            const enum fb_err err =
                fb_filter_read(recipe.design, recipe.design->formats, s.block, s.size, &copy, &why);
            fb_bench_check(bench, err, recipe.design->name, why);
        }
        uint32_t k = s.filter.geom.probes;
        misses += number_at(&s, s.size - 1, 1) != k || copy.geom.probes != k;
        fb_filter_close(&copy);
        stored_close(&s);
    }
    fb_find_exact(out, 0, misses);
}

/* Bits of a block, and with lanes, the lanes and their bits: from where single keys' bits lie. */
FB_PROCEDURE(block_shape)
{
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 0),
             word = (unsigned)fb_arg_count(args, "word", 0);
    uint64_t shared = 1, bits_each = 0;
    bool one_per_lane = true;
    while (fb_probe_rig_next(bench, &rig)) {
        /* The smallest aligned power of two that holds all bits of every key. */
        while (rig.position[0] / shared != rig.position[rig.n - 1] / shared)
            shared *= 2;
        bits_each = rig.n > bits_each ? rig.n : bits_each;
        for (size_t j = 0; j < rig.n && word; j++)
            one_per_lane &= rig.n == lanes && rig.position[j] / word % lanes == j;
    }
    fb_find_exact(out, word ? (double)lanes * word : 8.0 * FB_CACHE_LINE, (double)shared);
    if (word) {
        fb_find_exact(out, lanes, (double)bits_each);
        fb_find_exact(out, word, (double)shared / (double)bits_each);
    }
    fb_find_require(out, one_per_lane);
    fb_filter_close(&rig.filter);
}

/* Of `pairs` of inserts into one block, each of which reads the block before the other writes it:
 * those that lose the first key. Plain read, or, write does. The exception are keys of which each
 * bit is one of the other's: with one bit in each of l lanes of w bits that is a chance of w^-l,
 * 64^-8 for sbbf-512. */
FB_PROCEDURE(lost_updates)
{
    enum { BYTES = 64 };
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_filter f = fb_recipe_empty(bench, &recipe);
    const uint64_t pairs = fb_arg_count(args, "pairs", 1000);
    const double lanes = f.geom.probes, width = f.geom.block_bits / lanes;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < pairs && !bench->err; i++) {
        uint64_t a = fb_stream_word(bench->root, 2 * i) & UINT32_MAX,
                 b = fb_stream_word(bench->root, 2 * i + 1) & UINT32_MAX;
        uint8_t before[BYTES];
        memset(f.bytes, 0, BYTES);
        memcpy(before, f.bytes, BYTES);
        f.kernel->add_batch(&f, &a, 1); /* the first has written... */
        bool first_is_in = f.kernel->query(&f, &a);
        memcpy(f.bytes, before, BYTES); /* ...but the second had read before that */
        f.kernel->add_batch(&f, &b, 1);
        lost += first_is_in && !f.kernel->query(&f, &a);
    }
    fb_find_exact(out, rint((double)pairs * (1 - fb_pow(width, -lanes))), (double)lost);
    fb_find_remark(out, "replayed one by one; an atomic or loses none of them");
    fb_filter_close(&f);
}
