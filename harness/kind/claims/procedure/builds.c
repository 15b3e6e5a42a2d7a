/*
 * Procedures: builds that fail, of static designs: kind fpr has no theory of them. Theory takes
 * words without any pattern in the place of hashes, and settles in the plainest way whether a
 * filter of the planned shape exists: fuse and xor filters, by taking away keys that are alone in a
 * slot; Ribbon, by elimination.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/kind/claims/procedure/procedure.h"
#include "workloads/core/rng.h"

enum { SLOTS = 3, RIBBON_WIDTH = 128, ATTEMPTS = 100 };

/* ---- Theory ---- */

/* The slots of ideal key i: each in a segment of its own. */
static void slots_of(const struct fb_geometry *geom, bool fuse, uint64_t base, uint64_t i,
                     uint32_t *slot)
{
    const uint64_t segment = geom->own[1], first = fuse ? geom->own[2] : 1;
    const uint64_t start = fb_mulhi64(fb_stream_word(base, SLOTS * i), first) * segment;
    for (unsigned j = 0; j < SLOTS; j++)
        slot[j] = (uint32_t)(start + j * segment +
                             (fb_stream_word(base, SLOTS * i + j) & UINT32_MAX) * segment /
                                 (UINT64_C(1) << 32));
}

/* Whether all keys of an ideal graph can be taken away. */
static bool peels(struct fb_bench *bench, const struct fb_geometry *geom, uint64_t n, bool fuse,
                  uint64_t base)
{
    const uint64_t n_slots = geom->own[1] * (fuse ? geom->own[2] + 2 : SLOTS);
    uint32_t *count = fb_bench_alloc(bench, n_slots, sizeof *count),
             *alone = fb_bench_alloc(bench, n_slots, sizeof *alone), slot[SLOTS];
    uint64_t *sum = fb_bench_alloc(bench, n_slots, sizeof *sum), left = n, waiting = 0;
    for (uint64_t i = 0; i < n && !bench->err; i++) {
        slots_of(geom, fuse, base, i, slot);
        for (unsigned j = 0; j < SLOTS; j++) {
            count[slot[j]]++;
            sum[slot[j]] ^= i;
        }
    }
    for (uint64_t s = 0; s < n_slots && !bench->err; s++)
        if (count[s] == 1)
            alone[waiting++] = (uint32_t)s;
    while (waiting && !bench->err) {
        const uint32_t s = alone[--waiting];
        if (count[s] != 1)
            continue;
        const uint64_t key = sum[s];
        slots_of(geom, fuse, base, key, slot);
        left--;
        for (unsigned j = 0; j < SLOTS; j++) {
            sum[slot[j]] ^= key;
            if (--count[slot[j]] == 1)
                alone[waiting++] = slot[j];
        }
    }
    free(count);
    free(alone);
    free(sum);
    return left == 0;
}

/* Whether ideal equations of 128 slots and results of 32 bits have a solution. */
static bool solves(struct fb_bench *bench, const struct fb_geometry *geom, uint64_t n,
                   uint64_t base)
{
    enum { WORDS = 4 };
    const uint64_t n_slots = geom->own[0] * RIBBON_WIDTH, starts = n_slots - RIBBON_WIDTH + 1;
    fb_u128 *row = fb_bench_alloc(bench, n_slots, sizeof *row);
    uint32_t *result = fb_bench_alloc(bench, n_slots, sizeof *result);
    bool solved = true;
    for (uint64_t i = 0; i < n && solved && !bench->err; i++) {
        uint64_t at = fb_mulhi64(fb_stream_word(base, WORDS * i), starts);
        fb_u128 bits = (fb_u128)fb_stream_word(base, WORDS * i + 1) << 64 |
                       fb_stream_word(base, WORDS * i + 2) | 1;
        uint32_t value = (uint32_t)fb_stream_word(base, WORDS * i + 3);
        while (bits && row[at]) {
            bits ^= row[at];
            value ^= result[at];
            for (; bits && !(bits & 1); bits >>= 1)
                at++;
        }
        if (bits) {
            row[at] = bits;
            result[at] = value;
        }
        solved = bits || value == 0;
    }
    free(row);
    free(result);
    return solved;
}

static double power(double x, unsigned n)
{
    double product = 1;
    for (unsigned i = 0; i < n; i++)
        product *= x;
    return product;
}

/* A share of so many trials. */
struct share {
    double mean, se;
};

static struct share share_of(double x, double n)
{
    return (struct share){x / n, sqrt(fmax(x * (1 - x / n), 1)) / n};
}

/* Trials for n keys: as many as take a second or so. */
static uint64_t trials_for(uint64_t n)
{
    enum { KEYS = 20000000, LEAST = 100, MOST = 2000 };
    const uint64_t trials = n ? KEYS / n : MOST;
    return trials < LEAST ? LEAST : trials > MOST ? MOST : trials;
}

/* Trials, each with a bench of its own, as many at once as there are threads. */
struct trials {
    const struct fb_bench *bench;
    const struct fb_recipe *recipe;
    const struct fb_geometry *geom;
    struct trial {
        bool ideal, first_failed, failed; /* an ideal filter exists; of a build */
    } * all;
};

static void run_trials(struct fb_bench *bench, struct trials *t, uint64_t n,
                       enum fb_err trial(void *, size_t))
{
    bool complete = true;
    t->bench = bench;
    t->all = fb_bench_alloc(bench, n, sizeof *t->all);
    if (!bench->err)
        fb_bench_check(bench, fb_parallel_for(n, bench->threads, trial, t, &complete), "builds",
                       NULL);
    if (!complete)
        fb_bench_interrupt(bench);
}

static enum fb_err try_ideal(void *arg, size_t i)
{
    const struct trials *t = arg;
    const struct fb_recipe *recipe = t->recipe;
    struct fb_bench own = {.root = t->bench->root};
    const bool fuse = !strncmp(recipe->design->name, "fuse", 4);
    const uint64_t root = fb_stream_key(own.root, FB_DOMAIN_MODEL, recipe->n),
                   base = fb_stream_word(root, i);
    t->all[i].ideal = strcmp(recipe->design->name, "rocksdb-ribbon") != 0
                          ? peels(&own, t->geom, recipe->n, fuse, base)
                          : solves(&own, t->geom, recipe->n, base);
    return own.err;
}

/* How many ideal filters exist. */
static uint64_t count_ideal(struct fb_bench *bench, const struct fb_recipe *recipe,
                            const struct fb_geometry *geom, uint64_t n)
{
    const char *name = recipe->design->name;
    const bool graph = !strncmp(name, "fuse", 4) || !strncmp(name, "xor", 3);
    struct trials t = {.recipe = recipe, .geom = geom};
    uint64_t good = 0;
    if (!graph && strcmp(name, "rocksdb-ribbon") != 0)
        fb_bench_fail(bench, FB_EINVAL, "no theory of builds of %s", name);
    if (!graph && geom->n_blocks)
        fb_bench_fail(bench, FB_EINVAL, "so few keys that a Bloom filter is built");
    if (!bench->err)
        run_trials(bench, &t, n, try_ideal);
    for (uint64_t i = 0; i < n && !bench->err; i++)
        good += t.all[i].ideal;
    free(t.all);
    return good;
}

/* Of first attempts that succeed; settled once for all phases. Homogeneous Ribbon: all, as zero
 * solves equations of zeros. */
static struct share ideal_success(struct fb_bench *bench, const struct fb_recipe *recipe,
                                  const struct fb_geometry *geom)
{
    const double trials = (double)trials_for(recipe->n);
    const struct fb_short_simulation *known = bench->simulations;
    if (!strcmp(recipe->design->name, "ribbon-homogeneous"))
        return (struct share){1, 0};
    for (size_t i = 0; i < bench->n_simulations; i++)
        if (known[i].design == recipe->design && known[i].n_keys == recipe->n &&
            known[i].n_bits == geom->n_bits && known[i].probes == geom->probes)
            return share_of(known[i].rate * trials, trials);
    const double good = (double)count_ideal(bench, recipe, geom, trials_for(recipe->n));
    if (bench->n_simulations < FB_SHORT_SIMULATIONS)
        bench->simulations[bench->n_simulations++] = (struct fb_short_simulation){
            recipe->design, recipe->n, geom->n_bits, geom->probes, good / trials};
    return share_of(good, trials);
}

/* ---- Builds ---- */

/* Key sets whose first attempt failed, and those that found no filter at all. */
struct failures {
    uint64_t first, all;
};

static enum fb_err try_build(void *arg, size_t j)
{
    const struct trials *t = arg;
    const struct fb_recipe *recipe = t->recipe;
    struct fb_bench own = {.root = t->bench->root};
    struct fb_keyset set = fb_bench_keys(&own, recipe->keys, 5 + j, 0, recipe->n);
    struct fb_filter filter = {0};
    const char *why = NULL;
    const enum fb_err err =
        own.err ? own.err
                : fb_filter_build(recipe->design, NULL, &recipe->params, &set.keys, &filter, &why);
    t->all[j].failed = err == FB_EFULL;
    t->all[j].first_failed = err == FB_EFULL || filter.attempts > 1;
    fb_filter_close(&filter);
    fb_keyset_close(&set);
    return err == FB_EFULL ? FB_OK : err;
}

static struct failures count_failures(struct fb_bench *bench, const struct fb_recipe *recipe,
                                      uint64_t key_sets)
{
    struct trials t = {.recipe = recipe};
    struct failures f = {0};
    run_trials(bench, &t, key_sets, try_build);
    for (uint64_t j = 0; j < key_sets && !bench->err; j++) {
        f.all += t.all[j].failed;
        f.first += t.all[j].first_failed;
    }
    free(t.all);
    return f;
}

/* Percent of key sets whose first attempt fails or succeeds, or that fail at all. */
static void one_size(struct fb_bench *bench, const json_t *args, uint64_t key_sets,
                     struct fb_finding *out)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const bool at_all = fb_arg_is(args, "as", "fails percent"),
               succeeds = fb_arg_is(args, "as", "first succeeds percent");
    struct fb_params params = recipe.params;
    struct fb_geometry geom = {0};
    if (fb_bench_plan(bench, recipe.design, recipe.n, &params, &geom))
        return;
    const struct share good = ideal_success(bench, &recipe, &geom);
    const double failing = 1 - good.mean, n = (double)key_sets;
    const struct share theory = {at_all     ? power(failing, ATTEMPTS)
                                 : succeeds ? good.mean
                                            : failing,
                                 at_all ? ATTEMPTS * power(failing, ATTEMPTS - 1) * good.se
                                        : good.se};
    struct failures f = {.first = (uint64_t)rint(n * failing),
                         .all = (uint64_t)rint(n * theory.mean)};
    if (bench->phase == FB_MEASURE)
        f = count_failures(bench, &recipe, key_sets);
    fb_bench_facts(bench, (struct fb_fact[]){
                              FB_FACT("first_failed", &f.first), FB_FACT("failed", &f.all), {0}});
    if (bench->err)
        return;
    const uint64_t x = at_all ? f.all : succeeds ? key_sets - f.first : f.first;
    const struct share found = share_of((double)x, n);
    const double half = fb_find_z() * found.se, se = hypot(found.se, theory.se);
    fb_find_interval(out, 100 * theory.mean, 100 * found.mean, 100 * (found.mean - half),
                     100 * (found.mean + half));
    fb_find_clip(out, 0, 100);
    out->p = fb_p_normal((found.mean - theory.mean) / se);
    out->simulated = good.se > 0;
    out->theory_error = theory.mean > 0 ? theory.se / theory.mean : 0;
    out->events = x;
    out->probes = key_sets;
    fb_find_remark(out, "%.3g %% of %llu sets of %llu keys", 100 * found.mean,
                   (unsigned long long)key_sets, (unsigned long long)recipe.n);
}

/* Key sets of one size: those that were planned, but no more keys in all than the effort spends. A
 * plan counts sets, which may be of any size. */
static uint64_t key_sets_for(const struct fb_bench *bench, const json_t *ns, uint64_t asked)
{
    static const struct {
        uint64_t share, most_keys;
    } efforts[] = {[FB_QUICK] = {20, 0},
                   [FB_DEFAULT] = {2, UINT64_C(200000000)},
                   [FB_FULL] = {1, UINT64_C(20000000000)}};
    const uint64_t least = fb_max_u64(10, asked / efforts[bench->effort].share);
    uint64_t keys = 1;
    FB_EACH(n, ns)
        keys = fb_max_u64(keys, (uint64_t)json_integer_value(n));
    return fb_min_u64(fb_bench_times_work(bench, least),
                      fb_max_u64(least, efforts[bench->effort].most_keys / keys));
}

/* Of several numbers of keys the one of which theory says most, or least; every one is tested. */
FB_PROCEDURE(builds)
{
    const json_t *ns = json_object_get(args, "ns");
    const uint64_t asked = fb_arg_count(args, "key_sets", 100);
    const uint64_t key_sets = key_sets_for(bench, ns, asked);
    const bool largest = fb_arg_is(args, "report", "largest");
    double p = 1;
    uint64_t probes = 0;
    json_auto_t *one = json_deep_copy(args);
    if (!json_array_size(ns))
        fb_bench_fail(bench, FB_EINVAL, "builds take numbers of keys");
    FB_EACH_AT(i, n, ns) {
        struct fb_finding each = {.tolerance = NAN, .p = NAN};
        json_object_set(one, "n", n);
        one_size(bench, one, key_sets, &each);
        if (bench->err)
            break;
        p = fmin(p, (double)json_array_size(ns) * each.p);
        probes += each.probes;
        if (i == 0 || (each.theory[0] > out->theory[0]) == largest)
            *out = each;
    }
    out->p = fmin(1, p);
    out->probes = probes;
    out->probes_missing = key_sets < asked ? (asked - key_sets) * json_array_size(ns) : 0;
}
