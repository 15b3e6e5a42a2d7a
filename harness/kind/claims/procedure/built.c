/* Procedures: what a build holds, what is left after removals, and queries of several keys, which
 * no kind does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/base/parallel.h"
#include "harness/kind/claims/procedure/procedure.h"

/* Bytes a key that a build holds beside its filter, against the arrays that a text names: so many
 * bytes for each slot of the filter, of `slot_bits`, or for each key. */
FB_PROCEDURE(build_memory)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    struct fb_filter filter = fb_recipe_build(bench, &recipe, 0);
    const double n = (double)recipe.n,
                 slots = (double)filter.geom.n_bits / fb_arg_number(args, "slot_bits", 8);
    double bytes = 0;
    FB_EACH(array, json_object_get(args, "arrays"))
        bytes += fb_arg_number(array, "bytes", 0) * (fb_arg_is(array, "per", "slot") ? slots : n);
    /* The digests of the keys, which wait beside the filter as well, are none of them. */
    const uint64_t waiting = recipe.n * filter.geom.digest_words * sizeof(uint64_t);
    fb_find_exact(out, bytes / n,
                  (double)(filter.temporary_bytes - fb_min_u64(filter.temporary_bytes, waiting)) /
                      n);
    fb_filter_close(&filter);
}

/* A filter sized for n keys, with keys 0 .. keys - 1 of a stream; the last `removed` of them taken
 * out again. */
static struct fb_filter changed(struct fb_bench *bench, const struct fb_recipe *recipe,
                                uint64_t keys, uint64_t removed)
{
    struct fb_filter filter = fb_recipe_empty(bench, recipe);
    const unsigned words = filter.geom.digest_words;
    uint64_t *digests = fb_bench_alloc(bench, keys * words, sizeof *digests);
    if (!bench->err && !filter.kernel->remove_batch)
        fb_bench_fail(bench, FB_EINVAL, "%s takes no keys out", recipe->design->name);
    if (!bench->err)
        fb_bench_digests(bench, recipe->design, words, 0, 0, keys, digests);
    if (!bench->err && (filter.kernel->add_batch(&filter, digests, keys) != keys ||
                        filter.kernel->remove_batch(&filter, digests + (keys - removed) * words,
                                                    removed) != removed))
        fb_bench_fail(bench, FB_EFULL, "keys found no place, or were not found");
    free(digests);
    return filter;
}

/* The rate of a filter that has had n + `removed` keys and has n, over that of one that never had
 * the others. Their arrays must be equal. */
FB_PROCEDURE(after_removal)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const uint64_t removed = fb_arg_count(args, "removed", recipe.n),
                   probes = fb_arg_count(args, "probes", 100000);
    struct fb_filter left = changed(bench, &recipe, recipe.n + removed, removed),
                     fresh = changed(bench, &recipe, recipe.n, 0);
    struct fb_keyset absent = fb_bench_keys(bench, "random", 1, 0, probes);
    const uint64_t of_left = fb_bench_ask(bench, &left, &absent.keys),
                   of_fresh = fb_bench_ask(bench, &fresh, &absent.keys);
    fb_keyset_close(&absent);
    if (!bench->err) {
        fb_find_exact(out, 1, (double)of_left / (double)of_fresh);
        fb_find_require(out, !memcmp(left.bytes, fresh.bytes, fresh.geom.n_bytes));
        fb_find_remark(out, "%llu of %llu pass", (unsigned long long)of_left,
                       (unsigned long long)probes);
        out->probes = 2 * probes;
    }
    fb_filter_close(&left);
    fb_filter_close(&fresh);
}

/* Digests of the first `together` keys of a stream, one behind the other, whose probes are all
 * different bits; uses the filter. */
static void find_query(struct fb_bench *bench, struct fb_filter *filter, uint64_t together,
                       uint64_t *query)
{
    enum { MOST = 10000 };
    const unsigned words = filter->geom.digest_words,
                   wanted = filter->geom.probes * (unsigned)together;
    for (uint64_t i = 0; i < MOST && !bench->err; i++) {
        fb_bench_digests(bench, filter->design, words, 3, i * together, together, query);
        memset(filter->bytes, 0, filter->geom.n_bytes);
        if (!bench->err)
            filter->kernel->add_batch(filter, query, together);
        if (!bench->err && fb_bits_set(filter->bytes, filter->geom.n_bytes) == wanted)
            return;
    }
    fb_bench_fail(bench, FB_EINVAL, "no keys of different bits");
}

/* Filters that are asked the same, CHUNK of them one after the other in the same memory. */
enum { CHUNK = 4096 };
struct asked_alike {
    const struct fb_bench *bench;
    const struct fb_recipe *recipe;
    const uint64_t *query;
    uint64_t together, filters, *passed; /* [chunks] */
};

static enum fb_err ask_chunk(void *arg, size_t chunk)
{
    const struct asked_alike *a = arg;
    const uint64_t n = a->recipe->n, first = chunk * CHUNK,
                   left = a->filters - first < CHUNK ? a->filters - first : CHUNK;
    struct fb_bench own = {.root = a->bench->root};
    struct fb_filter filter = fb_recipe_empty(&own, a->recipe);
    const unsigned words = filter.geom.digest_words;
    uint64_t *digests = fb_bench_alloc(&own, CHUNK * n * words, sizeof *digests);
    if (!own.err)
        fb_bench_digests(&own, a->recipe->design, words, 2, first * n, CHUNK * n, digests);
    for (uint64_t i = 0; i < left && !own.err; i++) {
        bool all = true;
        memset(filter.bytes, 0, filter.geom.n_bytes);
        filter.kernel->add_batch(&filter, digests + i * n * words, n);
        for (uint64_t j = 0; j < a->together; j++)
            all = all && filter.kernel->query(&filter, a->query + j * words);
        a->passed[chunk] += all;
    }
    fb_filter_close(&filter);
    free(digests);
    return own.err;
}

/* How many filters of n keys take all of `together` absent keys for present, the same for every
 * filter. */
static uint64_t pass_together(struct fb_bench *bench, const struct fb_recipe *recipe,
                              uint64_t together, uint64_t filters)
{
    const size_t chunks = (filters + CHUNK - 1) / CHUNK;
    struct fb_filter filter = fb_recipe_empty(bench, recipe);
    uint64_t *query = fb_bench_alloc(bench, together * filter.geom.digest_words + 1, sizeof *query),
             *passed = fb_bench_alloc(bench, chunks, sizeof *passed), sum = 0;
    struct asked_alike all = {bench, recipe, query, together, filters, passed};
    bool complete = true;
    if (!bench->err)
        find_query(bench, &filter, together, query);
    if (!bench->err)
        fb_bench_check(bench, fb_parallel_for(chunks, bench->threads, ask_chunk, &all, &complete),
                       "filters", NULL);
    if (!complete)
        fb_bench_interrupt(bench);
    for (size_t c = 0; c < chunks && !bench->err; c++)
        sum += passed[c];
    fb_filter_close(&filter);
    free(query);
    free(passed);
    return sum;
}

/* All of q different bits of m are set after so many throws: inclusion and exclusion. */
static double all_set(uint64_t q, uint64_t m, uint64_t throws)
{
    double sum = 0, ways = 1;
    for (uint64_t i = 0; i <= q; i++) {
        const double unset = (double)(m - i) / (double)m;
        sum += (i % 2 ? -ways : ways) * fb_pow(unset, (double)throws);
        ways = ways * (double)(q - i) / (double)(i + 1);
    }
    return sum;
}

/* Of so many rows, each with a signature of m bits for its n keys, those in which `together` absent
 * keys all pass. It is one query for all rows, of which no two bits are the same. */
FB_PROCEDURE(both_pass)
{
    static const uint64_t shares[] = {[FB_QUICK] = 100, [FB_DEFAULT] = 10, [FB_FULL] = 1};
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const uint64_t m = fb_arg_count(args, "m", 0), together = fb_arg_count(args, "together", 2),
                   asked = fb_arg_count(args, "filters", 1000000), k = recipe.params.probes,
                   filters = fb_bench_times_work(bench, asked / shares[bench->effort]);
    const double rows = fb_arg_number(args, "rows", 1);
    if (!bench->err && (m < 64 || !recipe.n || !k || !together || together * k > 16 || !filters))
        fb_bench_fail(bench, FB_EINVAL, "64 bits and more, n keys, and at most 16 bits asked for");
    if (bench->err)
        return;
    recipe.params.bits_per_key = ((double)m + 0.5) / (double)recipe.n; /* it rounds down */
    const double theory = all_set(together * k, m, recipe.n * k);
    uint64_t passed = (uint64_t)rint(theory * (double)filters);
    if (bench->phase == FB_MEASURE)
        passed = pass_together(bench, &recipe, together, filters);
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("passed", &passed), {0}});
    const double scale = rows / (double)filters, x = (double)passed,
                 expected = theory * (double)filters;
    fb_find_normal(out, rows * theory, x * scale, sqrt(fmax(x, 1)) * scale);
    out->p = fb_p_normal((x - expected) / sqrt(fmax(expected, 1)));
    out->events = passed;
    out->probes = filters;
    out->probes_missing = filters < asked ? asked - filters : 0;
}
