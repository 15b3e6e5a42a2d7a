/* Procedures: where probes really fall. No kind shows single probes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/rig.h"
#include "harness/stats/stats.h"

/* Percent of digests whose bits are those of a reading. `actual` names the design's own reading,
 * which must give all of them; theory is 100 where the reading under test is that one, else none.
 */
FB_PROCEDURE(probe_agreement)
{
    const char *own = json_object_get(args, "actual") ? "actual" : "reading";
    const struct fb_probe_reading *reading = fb_arg_reading(bench, args, "reading"),
                                  *actual = fb_arg_reading(bench, args, own);
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    uint64_t agree = 0, own_agree = 0;
    rig.msb_first = actual && actual->msb_first;
    while (fb_probe_rig_next(bench, &rig)) {
        agree += fb_probe_reading_agrees(reading, &rig);
        own_agree += fb_probe_reading_agrees(actual, &rig);
    }
    fb_find_exact(out, reading == actual ? 100 : 0, 100 * (double)agree / (double)rig.samples);
    fb_find_require(out, own_agree == rig.samples);
    fb_filter_close(&rig.filter);
}

/* Probes of a lookup whose positions are not uniform: chi-square over 64 parts of the filter. */
FB_PROCEDURE(probe_uniformity)
{
    enum { PARTS = 64 };
    const struct fb_probe_reading *reading = fb_arg_reading(bench, args, "reading");
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    uint64_t samples = fb_arg_count(args, "samples", 200000);
    uint64_t *digests = fb_bench_alloc(bench, samples * geom.digest_words, sizeof *digests);
    unsigned off = 0;
    fb_bench_digests(bench, recipe.design, geom.digest_words, 1, 0, samples, digests);
    for (unsigned probe = 0; probe < geom.probes && !bench->err; probe++) {
        uint64_t counts[PARTS] = {0};
        for (uint64_t i = 0; i < samples; i++) {
            uint64_t at = reading->position(&geom, digests + i * geom.digest_words, probe);
            counts[at * PARTS / geom.n_bits]++;
        }
        double chi2 = fb_chi2_even(counts, PARTS, (double)samples / PARTS);
        off += fb_chi2_tail(chi2, PARTS - 1) < 1e-6;
    }
    free(digests);
    fb_find_exact(out, 0, off);
    fb_find_remark(out, "each probe is uniform; all of them are functions of two numbers, so "
                        "together they are not independent");
}

/* Probes of a key, of those that follow the reading, whose place in the line is not uniform:
 * chi-square over its 512 bits. The lines of a key count too: so many of its bits coincide as of
 * bits that are chosen apart. */
FB_PROCEDURE(line_uniformity)
{
    enum { BITS = 512, MOST = 16 };
    const struct fb_probe_reading *reading = fb_arg_reading(bench, args, "reading");
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    const unsigned k = rig.filter.geom.probes;
    uint64_t *counts = fb_bench_alloc(bench, MOST * BITS, sizeof *counts);
    double distinct = 0, squares = 0, least = 1;
    const double n = (double)rig.samples, apart = BITS * (1 - fb_pow(1 - 1.0 / BITS, k));
    bool followed = true;
    unsigned off = 0;
    if (k > MOST || rig.filter.geom.block_bits != BITS)
        fb_bench_fail(bench, FB_EINVAL, "at most %d probes in lines of %d bits", MOST, BITS);
    while (!bench->err && fb_probe_rig_next(bench, &rig)) {
        for (unsigned i = 0; i < k; i++)
            counts[i * BITS + reading->position(&rig.filter.geom, rig.digest, i) % BITS]++;
        followed &= fb_probe_reading_agrees(reading, &rig);
        distinct += (double)rig.n / n;
        squares += (double)(rig.n * rig.n) / n;
    }
    for (unsigned i = 0; i < k && !bench->err; i++) {
        double tail = fb_chi2_tail(fb_chi2_even(counts + i * BITS, BITS, n / BITS), BITS - 1);
        off += tail < 1e-6;
        least = fmin(least, tail * k);
    }
    const double se = sqrt((squares - distinct * distinct) / n);
    fb_find_exact(out, 0, off);
    fb_find_require(out, followed);
    out->p = fmin(1, 2 * fmin(least, fb_p_normal((distinct - apart) / se)));
    fb_find_remark(out, "%.5g bits a key; %u chosen apart would give %.5g", distinct, k, apart);
    fb_filter_close(&rig.filter);
    free(counts);
}

/* Standard error of a mean of n things, from the sums of them and of their squares. */
static double error_of(double sum, double squares, double n)
{
    return sqrt(fmax(squares / n - sum / n * (sum / n), 0) / n);
}

/* Mean number of 64-byte lines that the bits of a key lie in. */
FB_PROCEDURE(cache_lines)
{
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    const struct fb_geometry *geom = &rig.filter.geom;
    const double n = (double)rig.samples, lines = ceil((double)geom->n_bytes / FB_CACHE_LINE);
    double sum = 0, squares = 0;
    while (fb_probe_rig_next(bench, &rig)) {
        double found = 0;
        uintptr_t last = 0;
        for (size_t j = 0; j < rig.n; j++) {
            uintptr_t line = (uintptr_t)(rig.filter.bytes + rig.position[j] / 8) / FB_CACHE_LINE;
            found += line != last;
            last = line;
        }
        sum += found;
        squares += found * found;
    }
    if (geom->n_blocks)
        fb_find_exact(out, 1, sum / n);
    else {
        double theory = lines * (1 - fb_pow(1 - 1 / lines, geom->probes));
        fb_find_normal(out, theory, sum / n, error_of(sum, squares, n));
        out->tolerance = 0.01 * theory;
    }
    fb_filter_close(&rig.filter);
}

/* The bits that a filter with k probes sets for a digest; none without probes. */
static struct fb_probe_rig show_probes(struct fb_bench *bench, const json_t *args, uint64_t k,
                                       const uint64_t *digest)
{
    struct fb_probe_rig rig = {0};
    json_auto_t *one = json_copy((json_t *)args);
    json_object_set_new(one, "k", json_integer((json_int_t)k));
    if (k)
        rig = fb_probe_rig_open(bench, one);
    fb_probe_rig_set(&rig, digest);
    return rig;
}

/* The bit that probe i adds to probes 0..i-1 of one digest, by a filter with i + 1 probes. */
static void find_position(struct fb_bench *bench, const json_t *args, const uint64_t *digest,
                          uint64_t i, struct fb_finding *out)
{
    struct fb_probe_rig before = show_probes(bench, args, i, digest),
                        with = show_probes(bench, args, i + 1, digest);
    double found = -1;
    for (size_t j = 0; j < with.n; j++)
        if (!fb_probe_rig_shows(&before, with.position[j]))
            found = (double)with.position[j];
    /* The sum wraps at 2^64, then is reduced: in 128 bits, so that the wrap is explicit. */
    fb_u128 sum = (fb_u128)digest[0] + (fb_u128)i * digest[1];
    if (!bench->err)
        fb_find_exact(out, (double)(uint64_t)((sum & UINT64_MAX) % with.filter.geom.n_bits), found);
    fb_filter_close(&before.filter);
    fb_filter_close(&with.filter);
}

/* Of the hashes h1 and h2, probe i alone; or of a design's digest of `key`, the first `probes`,
 * where theory has the hashes of another program. */
FB_PROCEDURE(probe_position)
{
    const char *key = fb_arg_text(args, "key", NULL);
    uint64_t digest[2] = {fb_arg_hex(args, "h1"), fb_arg_hex(args, "h2")}, words[2] = {0};
    const uint64_t first = fb_arg_count(args, "i", 0);
    if (key && fb_arg_design(bench, args))
        fb_arg_design(bench, args)->digest(key, strlen(key), 2, words);
    for (uint64_t i = first; i < first + fb_arg_count(args, "probes", 1); i++)
        find_position(bench, args, digest, i, out);
    fb_find_require(out, !key || !memcmp(words, digest, sizeof digest));
}

/* The step of LevelDB's probes for a hash: by formula, and as the rotation whose probes are the
 * design's. */
FB_PROCEDURE(rotation)
{
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    const struct fb_geometry *geom = &rig.filter.geom;
    uint32_t h = (uint32_t)fb_arg_hex(args, "h");
    double found = -1;
    fb_probe_rig_set(&rig, &(uint64_t){h});
    for (unsigned r = 1; r < 32; r++) {
        uint32_t step = fb_rotr32(h, r), x = h;
        unsigned hits = 0;
        for (unsigned i = 0; i < geom->probes; i++, x += step)
            hits += fb_probe_rig_shows(&rig, x % geom->n_bits);
        if (hits == geom->probes)
            found = step;
    }
    fb_find_exact(out, (h >> 17) + (double)(uint32_t)(h << 15), found);
    fb_filter_close(&rig.filter);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Distinct values of h + 2 rotr(h, 17) over all h = A 2^17 + B. The value depends on 2 A + B alone;
 * A = 0 and the two largest B reach every sum, and random h must add none. */
FB_PROCEDURE(third_probe_values)
{
    enum { AS = 1 << 15, BS = 1 << 17, EDGES = BS + 2 * AS };
    size_t n = EDGES + (size_t)fb_arg_count(args, "samples", 1000000), distinct = 1;
    uint32_t *probe = fb_bench_alloc(bench, n, sizeof *probe);
    if (!probe)
        return;
    for (size_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)(i - BS), edge = (j % AS) << 17 | (BS - 1 - j / AS);
        uint32_t h = i < BS ? (uint32_t)i : i < EDGES ? edge : fb_lo32(fb_mix64(bench->root + i));
        probe[i] = h + 2 * fb_rotr32(h, 17);
    }
    qsort(probe, n, sizeof *probe, by_value);
    for (size_t i = 1; i < n; i++)
        distinct += probe[i] != probe[i - 1];
    free(probe);
    /* 2 A + B runs from 0 to 2 (2^15 - 1) + 2^17 - 1. */
    fb_find_exact(out, 2 * (AS - 1.0) + BS, (double)distinct);
}

/* Keys whose line is not the byte offset that the article's expression gives. */
FB_PROCEDURE(line_choice)
{
    struct fb_probe_rig rig = fb_probe_rig_open(bench, args);
    unsigned misses = 0;
    while (fb_probe_rig_next(bench, &rig)) {
        uint64_t a = (uint64_t)fb_lo32(rig.digest[0]) * rig.filter.geom.n_bytes;
        misses += !rig.n || rig.position[0] / 512 * 64 != ((uint32_t)(a >> 32) & ~UINT32_C(63));
    }
    fb_find_exact(out, 0, misses);
    fb_filter_close(&rig.filter);
}
