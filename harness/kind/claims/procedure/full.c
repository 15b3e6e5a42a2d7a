/* Procedures: tables of fingerprints filled until they refuse a key. No kind looks for the fullest.
 */
#include <math.h>
#include <stdlib.h>

#include "harness/kind/claims/procedure/procedure.h"
#include "workloads/core/rng.h"

enum { ENTRIES = 4, MOVES = 500, NOBODY = 0 };

/* The bucket of an ideal key; which: 0 or 1. Keys count from 1. */
static uint64_t bucket_of(uint64_t base, uint64_t key, unsigned which, uint64_t buckets)
{
    return fb_mulhi64(fb_stream_word(base, 2 * key + which), buckets);
}

/* Puts the key into an empty entry of the bucket. */
static bool settles(uint32_t *bucket, uint32_t key)
{
    for (unsigned i = 0; i < ENTRIES; i++)
        if (bucket[i] == NOBODY) {
            bucket[i] = key;
            return true;
        }
    return false;
}

/* Keys that a table takes in which each has two independent buckets, before the first for which 500
 * moves find no place. */
static uint64_t fill_ideal(struct fb_bench *bench, uint64_t buckets, uint64_t base)
{
    uint32_t *table = fb_bench_alloc(bench, buckets * ENTRIES, sizeof *table);
    uint64_t taken = 0, random = 0;
    const uint64_t turns = fb_stream_key(base, FB_DOMAIN_MODEL, 1);
    bool placed = !bench->err;
    while (placed) {
        uint32_t key = (uint32_t)taken + 1;
        uint64_t at = bucket_of(base, key, 0, buckets);
        placed = settles(table + at * ENTRIES, key);
        if (!placed)
            at = bucket_of(base, key, 1, buckets);
        for (unsigned move = 0; move < MOVES && !placed; move++) {
            placed = settles(table + at * ENTRIES, key);
            if (placed)
                break;
            uint32_t *entry = table + at * ENTRIES + fb_stream_word(turns, random++) % ENTRIES;
            const uint32_t driven = *entry;
            *entry = key;
            key = driven;
            const uint64_t first = bucket_of(base, key, 0, buckets);
            at = first == at ? bucket_of(base, key, 1, buckets) : first;
        }
        taken += placed;
    }
    free(table);
    return taken;
}

/* The same of the design, of a filter planned for so many keys; *entries: that it has. */
static uint64_t fill_built(struct fb_bench *bench, const struct fb_recipe *recipe, uint64_t stream,
                           uint64_t entries)
{
    struct fb_filter filter = fb_recipe_empty(bench, recipe);
    const unsigned words = filter.geom.digest_words;
    uint64_t *digests = fb_bench_alloc(bench, entries * words, sizeof *digests), taken = 0;
    if (!bench->err)
        fb_bench_digests(bench, recipe->design, words, stream, 0, entries, digests);
    if (!bench->err)
        taken = filter.kernel->add_batch(&filter, digests, entries);
    fb_filter_close(&filter);
    free(digests);
    return taken;
}

/* Mean load in percent, in theory and found, of tables with about so many buckets. */
static void one_table(struct fb_bench *bench, const json_t *args, uint64_t tables,
                      struct fb_finding *out)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_geometry geom = {0};
    if (fb_bench_plan(bench, recipe.design, recipe.n, &recipe.params, &geom))
        return;
    const uint64_t buckets = geom.own[0], entries = buckets * ENTRIES;
    double *ideal = fb_bench_alloc(bench, tables, sizeof *ideal),
           *found = fb_bench_alloc(bench, tables, sizeof *found);
    uint64_t *taken = fb_bench_alloc(bench, tables, sizeof *taken);
    for (uint64_t t = 0; t < tables && !bench->err; t++) {
        const uint64_t base = fb_stream_key(bench->root, FB_DOMAIN_MODEL, t);
        ideal[t] = 100 * (double)fill_ideal(bench, buckets, base) / (double)entries;
        taken[t] = (uint64_t)(ideal[t] * (double)entries / 100);
        if (bench->phase == FB_MEASURE)
            taken[t] = fill_built(bench, &recipe, 7 + t, entries);
    }
    fb_bench_facts(bench, (struct fb_fact[]){{"taken", taken, tables}, {0}});
    if (!bench->err) {
        for (uint64_t t = 0; t < tables; t++)
            found[t] = 100 * (double)taken[t] / (double)entries;
        const struct fb_mean theory = fb_mean_of(ideal, tables), mean = fb_mean_of(found, tables);
        const double t = fb_t_quantile(1 - FB_FIND_TAIL, (unsigned)tables - 1);
        fb_find_interval(out, theory.mean, mean.mean, mean.mean - t * mean.se,
                         mean.mean + t * mean.se);
        fb_find_clip(out, 0, 100);
        out->tolerance = 1; /* short fingerprints tie the second bucket to the first */
        out->simulated = true;
        out->theory_error = theory.se / theory.mean;
        out->probes = tables * entries;
        fb_find_remark(out, "%.4g %% of %llu entries of %s", mean.mean, (unsigned long long)entries,
                       recipe.design->name);
    }
    free(ideal);
    free(found);
    free(taken);
}

/* Of several designs and numbers of buckets the one found least full; each must be within a point
 * of what two independent buckets take. */
FB_PROCEDURE(fullest_load)
{
    const uint64_t asked = fb_arg_count(args, "tables", 30),
                   tables = bench->effort == FB_QUICK && asked > 8 ? 8 : asked;
    const json_t *designs = json_object_get(args, "designs"),
                 *buckets = json_object_get(args, "buckets");
    bool agree = true;
    uint64_t probes = 0;
    json_auto_t *one = json_deep_copy(args);
    if (!json_array_size(designs) || !json_array_size(buckets) || tables < 2)
        fb_bench_fail(bench, FB_EINVAL, "designs, numbers of buckets, and two tables at least");
    FB_EACH_AT(i, design, designs) {
        FB_EACH_AT(j, n, buckets) {
            struct fb_finding each = {.tolerance = NAN, .p = NAN};
            const double keys = 0.95 * ENTRIES * (double)json_integer_value(n);
            json_object_set(one, "design", design);
            json_object_set_new(one, "n", json_integer((json_int_t)keys));
            json_object_set_new(one, "bits_per_key", json_real(1)); /* the fullest that there is */
            one_table(bench, one, tables, &each);
            if (bench->err)
                return;
            agree = agree && fabs(each.measured[0] - each.theory[0]) <= each.tolerance;
            probes += each.probes;
            if ((i == 0 && j == 0) || each.theory[0] < out->theory[0])
                *out = each;
        }
    }
    out->probes = probes;
    fb_find_require(out, agree);
}
