/*
 * Procedures: what the block cache of a tree holds.
 *
 *     tree, design, ...   as grove.h says
 */
#include <math.h>
#include <stdlib.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/grove.h"
#include "harness/tree/read_path.h"

enum { BLOCK_BYTES = 4096, ENTRIES = BLOCK_BYTES / FB_CLAIM_ENTRY_BYTES };
enum { INDEX_ENTRY_BYTES = FB_CLAIM_KEY_BYTES + FB_CLAIM_OVERHEAD };

/* What queries read. */
struct reads {
    uint64_t all, index, bytes;
};

/* Reads queries first .. first + n - 1 of the grove. */
static struct reads read(struct fb_bench *bench, const struct fb_grove *grove,
                         struct fb_read_spec spec, uint64_t first, uint64_t n)
{
    struct fb_read_counts counts = {0};
    const struct fb_ask asked = {.forest = &grove->forest,
                                 .queries = &grove->queries,
                                 .first = first,
                                 .n = n,
                                 .n_threads = bench->threads};
    bool complete = true;
    spec.block_bytes = BLOCK_BYTES;
    spec.entry_bytes = FB_CLAIM_ENTRY_BYTES;
    spec.index_entry_bytes = INDEX_ENTRY_BYTES;
    if (!bench->err)
        fb_bench_check(bench, fb_read_path_count(&asked, &spec, &counts, &complete), "reads", NULL);
    if (!complete)
        fb_bench_interrupt(bench);
    const struct reads reads = {fb_read_total(&counts), counts.read_index, counts.read_bytes};
    fb_read_counts_close(&counts);
    return reads;
}

/* Percent of the filters' memory that pinning the index blocks takes besides. Theory: an entry for
 * each data block. Measured: bytes that the same queries read more where indexes are not pinned, in
 * a cache that nothing leaves. Enough queries find a key in every file. */
FB_PROCEDURE(pinned_index)
{
    const json_t *shape = json_object_get(args, "tree");
    const double files = fb_arg_number(shape, "runs", 1),
                 keys = fb_arg_number(shape, "n", 0) / files, blocks = ceil(keys / ENTRIES),
                 filter = ceil(keys * fb_arg_number(args, "bits_per_key", 10) / 8);
    const uint64_t n = fb_arg_count(args, "queries", 100000);
    const struct fb_read_spec pinned = {
        .policy = FB_CACHE_LRU, .cache_bytes = UINT64_C(1) << 40, .index = FB_PINNED};
    struct fb_read_spec cached = pinned;
    cached.index = FB_CACHED;
    uint64_t filters = 0;
    struct reads without = {0}, with = {0};
    if (bench->phase == FB_MEASURE) {
        struct fb_grove grove;
        fb_grove_open(bench, args, "random", n, &grove);
        without = read(bench, &grove, cached, 0, n);
        with = read(bench, &grove, pinned, 0, n);
        for (size_t u = 0; u < grove.tree.n_units && !bench->err; u++)
            filters += grove.forest.filters[u].geom.n_bytes;
        fb_grove_close(&grove);
    }
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("filter_bytes", &filters),
                                             FB_FACT("bytes_unpinned", &without.bytes),
                                             FB_FACT("bytes_pinned", &with.bytes),
                                             FB_FACT("index_reads_unpinned", &without.index),
                                             {0}});
    const double index = (double)(without.bytes - with.bytes), bytes = (double)filters,
                 theory = 100 * blocks * INDEX_ENTRY_BYTES / filter;
    fb_find_exact(out, theory, bench->phase == FB_PREDICT ? theory : 100 * index / bytes);
    fb_find_require(out, (double)without.index == files);
    fb_find_remark(out, "%.0f kB of filters and %.0f kB of index, an entry of %d B for each block",
                   bytes / 1e3, index / 1e3, (int)INDEX_ENTRY_BYTES);
}

/*
 * Blocks that `queries` queries of equally hot keys read after the cache was emptied: in one run of
 * n keys, hot of them wanted, each block holds a binomial number of hot keys. A block with j of
 * them is read unless no query is for one of these.
 */
static double blocks_read(double n, double hot, double queries)
{
    enum { MOST = 64 };
    const double blocks = ceil(n / ENTRIES), p = 1 / blocks;
    double sum = 0, chance = fb_pow(1 - p, hot);
    for (int j = 1; j < MOST; j++) {
        chance *= (hot - j + 1) / j * p / (1 - p);
        sum += chance * -fb_expm1(queries * fb_log1p(-j / hot));
    }
    return blocks * sum;
}

/* Reads a query of hot keys where compaction passes through the cache: every `every` queries it has
 * pushed all blocks out. The cache that compaction passes by must read nothing once it is warm. */
FB_PROCEDURE(polluted_cache)
{
    const json_t *shape = json_object_get(args, "tree");
    const double n_keys = fb_arg_number(shape, "n", 0), hot = fb_arg_number(args, "hot", 0),
                 every = fb_arg_number(args, "every", 0);
    const uint64_t n = fb_arg_count(args, "queries", 100000), warm = fb_arg_count(args, "warm", 0);
    const struct fb_read_spec kept = {.policy = FB_CACHE_LRU,
                                      .cache_bytes = fb_arg_count(args, "cache_bytes", 0),
                                      .index = FB_PINNED};
    struct fb_read_spec shared = kept;
    shared.evict_every = every;
    shared.evict_share = 1;
    struct reads clean = {0}, dirty = {0};
    if (bench->phase == FB_MEASURE) {
        struct fb_grove grove;
        fb_grove_open(bench, args, "random", 1, &grove);
        clean = read(bench, &grove, kept, warm, n);
        dirty = read(bench, &grove, shared, warm, n);
        fb_grove_close(&grove);
    }
    fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("reads_kept", &clean.all),
                                             FB_FACT("reads_emptied", &dirty.all),
                                             {0}});
    const double theory = blocks_read(n_keys, hot, every) / every,
                 found = bench->phase == FB_PREDICT ? theory : (double)dirty.all / (double)n;
    /* Which keys are hot is drawn once, so the blocks they lie in vary by a share of 1 / sqrt(hot)
     * at most. */
    out->tolerance = theory * (fb_find_z() / sqrt(hot));
    fb_find_interval(out, theory, found, found - out->tolerance, found + out->tolerance);
    fb_find_require(out, !clean.all);
    fb_find_remark(out, "%llu reads by the engine's cache, %llu by one that compaction empties",
                   (unsigned long long)clean.all, (unsigned long long)dirty.all);
}
