#include "harness/tree/read_walk.h"

#include <stdlib.h>
#include <string.h>

enum { ACROSS = 64, ABREAST = 16 }; /* runs of one call; queries whose cache misses overlap */

struct fb_walker {
    const struct fb_read_plan *plan;
    size_t n_memtables;           /* that are searched */
    struct fb_read_counts counts; /* what follows from those by run is filled in by flush */
    uint64_t *lengths;            /* [n_runs + 1] walks by the number of runs they came to, owned */
    struct fb_keyset keys;
    uint64_t *digests;                /* [CHUNK * digest_words], owned */
    const struct fb_filter **filters; /* [ABREAST * n_runs] NULL: out of range; owned */
    struct fb_query query[FB_WALK_CHUNK];
    uint32_t asked[FB_WALK_CHUNK], reads[FB_WALK_CHUNK], in_vain[FB_WALK_CHUNK];
    bool
        blind[FB_WALK_CHUNK]; /* no filter can tell: the prefix alone is in, and the key has none */
};

/* Stands for the filters that need not be asked. */
static const struct fb_filter passes = {.kernel = &fb_kernel_yes};

/* ---- Blocks ---- */

/* Blocks of one file have numbers of their own, four kinds interleaved. */
enum block_kind { DATA, INDEX, FILTER, N_KINDS = 4 };

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Query q wants a block of a file; whether the device was read. */
static bool want(struct fb_walker *w, size_t q, const struct fb_run_files *files, size_t segment,
                 uint64_t number, enum block_kind kind, uint64_t bytes)
{
    struct fb_block_cache *cache = w->plan->cache;
    uint64_t block = files->first_block + segment * files->blocks_each + number;
    if (cache && fb_block_cache_touch(cache, block * N_KINDS + kind, bytes))
        return false;
    w->reads[q]++;
    w->counts.read_bytes += bytes;
    return true;
}

static void want_filter(struct fb_walker *w, size_t q, const struct fb_run_files *files,
                        const struct fb_place *at)
{
    uint64_t bytes = files->filter_bytes[at->segment], piece = 0;
    if (w->plan->spec->filters == FB_PARTITIONED && bytes) {
        piece = (uint64_t)((fb_u128)bytes * at->rank / (at->segment_keys + 1)) / FB_PARTITION_BYTES;
        bytes -= piece * FB_PARTITION_BYTES;
        bytes = bytes > FB_PARTITION_BYTES ? FB_PARTITION_BYTES : bytes;
    }
    w->counts.filter_blocks++;
    w->counts.read_filter += want(w, q, files, at->segment, piece, FILTER, bytes);
}

static void want_index(struct fb_walker *w, size_t q, const struct fb_run_files *files,
                       const struct fb_place *at)
{
    uint64_t blocks = divide_up(at->segment_keys, w->plan->entries_per_block);
    uint64_t bytes = (uint64_t)((double)blocks * w->plan->spec->index_entry_bytes);
    w->counts.index_blocks++;
    w->counts.read_index += want(w, q, files, at->segment, 0, INDEX, bytes);
}

static bool want_data(struct fb_walker *w, size_t q, const struct fb_run_files *files,
                      const struct fb_place *at)
{
    uint64_t rank = at->rank < at->segment_keys ? at->rank : at->segment_keys - 1;
    return want(w, q, files, at->segment, rank / w->plan->entries_per_block, DATA,
                w->plan->spec->block_bytes);
}

/* What query q reads in run r, in whose range it lies and whose filter has answered. */
static void read_file(struct fb_walker *w, size_t q, size_t r, bool maybe)
{
    const struct fb_run_files *files = w->plan->files + r;
    struct fb_read_counts *c = &w->counts;
    struct fb_place at;
    if (!fb_run_locate(w->plan->forest->tree->runs + r, w->query[q].index, &at))
        return;
    if (files->filter_bytes && !w->blind[q])
        want_filter(w, q, files, &at);
    if (!maybe)
        return;
    if (w->plan->spec->index == FB_CACHED)
        want_index(w, q, files, &at);
    bool read = want_data(w, q, files, &at);
    if (w->query[q].holder != r) {
        w->in_vain[q]++;
        c->run_false[r]++;
        c->data_false++;
        c->read_false += read;
    } else if (w->query[q].tombstone) {
        c->data_tombstone++;
        c->read_tombstone += read;
    } else {
        c->data_found++;
        c->read_found += read;
    }
}

/* ---- Walks ---- */

static size_t length_of(const struct fb_walker *w, size_t q)
{
    const size_t n_runs = w->plan->forest->tree->n_runs;
    return w->query[q].holder < n_runs ? w->query[q].holder + (size_t)1 : n_runs;
}

/* The filters of runs first .. end - 1 that query q must ask, into row [end - first]. */
static void find_filters(struct fb_walker *w, size_t q, size_t first, size_t end,
                         const struct fb_filter **row)
{
    const struct fb_forest *forest = w->plan->forest;
    const struct fb_run *runs = forest->tree->runs;
    const uint64_t index = w->query[q].index;
    uint32_t asked = 0;
    for (size_t r = first; r < end; r++) {
        size_t unit;
        row[r - first] = NULL;
        if (runs[r].memtable || !fb_run_unit(runs + r, index, &unit))
            continue;
        const struct fb_filter *f = row[r - first] = forest->filters + runs[r].first_unit + unit;
        __builtin_prefetch(&f->kernel);
        __builtin_prefetch(&f->geom.range);
        __builtin_prefetch(&f->bytes);
        w->counts.run_asked[r]++;
        asked += forest->run_filtered[r] && !w->blind[q];
        if (w->blind[q])
            row[r - first] = &passes;
    }
    w->asked[q] += asked;
}

/* Asks the filters of runs first .. end - 1, reads where they say yes, and returns whether the last
 * of these runs did. */
static bool ask_filters(struct fb_walker *w, size_t q, size_t first, size_t end,
                        const struct fb_filter *const *row)
{
    const struct fb_read_plan *plan = w->plan;
    const uint64_t *digest = w->digests + q * plan->forest->digest_words;
    const bool every = plan->spec->filters != FB_PINNED; /* one that says no was read as well */
    bool last = false;
    for (size_t r = first; r < end; r += ACROSS) {
        const size_t n = end - r < ACROSS ? end - r : ACROSS;
        const struct fb_filter *const *some = row + (r - first);
        const uint64_t maybe = plan->kernel->query_across(some, n, digest);
        uint64_t visits = maybe;
        for (size_t i = 0; every && i < n; i++)
            visits |= (uint64_t)(some[i] != NULL) << i;
        for (; visits; visits &= visits - 1) {
            unsigned i = (unsigned)__builtin_ctzll(visits);
            read_file(w, q, r + i, maybe >> i & 1);
        }
        last = maybe >> (n - 1) & 1;
    }
    return last;
}

/* The filter of the run that has the key has denied it: the walk goes on. */
static void walk_on(struct fb_walker *w, size_t q, size_t length)
{
    const size_t n_runs = w->plan->forest->tree->n_runs;
    w->query[q].holder = (uint32_t)n_runs;
    w->counts.false_negatives++;
    for (size_t r = length; r < n_runs; r++) {
        const struct fb_filter *row[1];
        find_filters(w, q, r, r + 1, row);
        ask_filters(w, q, r, r + 1, row);
    }
    w->lengths[n_runs]++;
}

static void walk(struct fb_walker *w, size_t q, const struct fb_filter *const *row)
{
    const size_t length = length_of(w, q), n_runs = w->plan->forest->tree->n_runs;
    const bool held = w->query[q].holder < n_runs;
    bool last = ask_filters(w, q, 0, length, row);
    if (held && !last && !w->plan->forest->tree->runs[length - 1].memtable) {
        walk_on(w, q, length);
        return;
    }
    w->lengths[length]++;
    if (held)
        w->counts.run_held[length - 1]++;
}

/* Whether the memtable of run r has what query q is for. */
static bool memtable_has(struct fb_walker *w, size_t q, size_t r)
{
    const struct fb_memtable *m = &w->plan->spec->memtables->table[r];
    const struct fb_keys *keys = &w->keys.keys;
    uint64_t value, expected = w->query[q].index;
    if (w->query[q].tombstone)
        expected |= FB_MEMBER_TOMBSTONE;
    return fb_memtable_get(m, fb_key_at(keys, q), fb_key_len(keys, q), &value,
                           &w->counts.memtable_comparisons) &&
           value == expected;
}

/* In order until one has the key. */
static void search_memtables(struct fb_walker *w, size_t q)
{
    bool found = false;
    for (size_t r = 0; !found && r < w->n_memtables; r++)
        found = memtable_has(w, q, r);
    w->counts.memtable_found += found;
}

/* Other work comes by every evict_every queries. */
static void evict_after(const struct fb_read_plan *plan, uint64_t query)
{
    const double every = plan->spec->evict_every;
    if (plan->cache && every > 0 &&
        (uint64_t)((double)(query + 1) / every) > (uint64_t)((double)query / every))
        fb_block_cache_evict(plan->cache, plan->spec->evict_share);
}

static void count_query(struct fb_walker *w, size_t q, bool absent)
{
    struct fb_read_counts *c = &w->counts;
    const uint64_t reads = w->reads[q], in_vain = w->in_vain[q], asked = w->asked[q];
    c->queries++;
    if (absent) {
        c->absent++;
        c->any_false += in_vain > 0;
        c->false_squares += in_vain * in_vain;
    } else if (w->query[q].tombstone) {
        c->deleted++;
    } else {
        c->present++;
    }
    c->asked += asked;
    c->io_squares += reads * reads;
    c->asked_histogram[asked < 64 ? asked : 64]++;
    c->io_histogram[reads < 64 ? reads : 64]++;
}

enum fb_err fb_walker_run(struct fb_walker *w, uint64_t first, size_t n)
{
    const struct fb_read_plan *plan = w->plan;
    const size_t n_runs = plan->forest->tree->n_runs, words = plan->forest->digest_words;
    enum fb_err err = fb_queries_make(plan->queries, first, n, w->query, &w->keys);
    if (!err)
        err = fb_forest_digest(plan->forest, &w->keys.keys, w->digests);
    if (err)
        return err;
    for (size_t at = 0; at < n; at += ABREAST) {
        const size_t end = at + ABREAST < n ? at + ABREAST : n;
        for (size_t q = at; q < end; q++) {
            w->asked[q] = w->reads[q] = w->in_vain[q] = 0;
            w->blind[q] = !fb_forest_can_tell(plan->forest, fb_key_len(&w->keys.keys, q));
            find_filters(w, q, 0, length_of(w, q), w->filters + (q - at) * n_runs);
        }
        for (size_t q = at; w->n_memtables && q < end; q++)
            search_memtables(w, q);
        for (size_t q = at; q < end; q++)
            plan->kernel->prefetch_across(w->filters + (q - at) * n_runs, length_of(w, q),
                                          w->digests + q * words);
        for (size_t q = at; q < end; q++) {
            const bool absent = w->query[q].holder >= n_runs;
            walk(w, q, w->filters + (q - at) * n_runs);
            count_query(w, q, absent);
            evict_after(plan, first + q);
        }
    }
    return FB_OK;
}

/* ---- Opening, counting, closing ---- */

enum fb_err fb_walker_open(const struct fb_read_plan *plan, struct fb_walker **out)
{
    const size_t n_runs = plan->forest->tree->n_runs;
    struct fb_walker *w = *out = calloc(1, sizeof *w);
    if (!w)
        return FB_ENOMEM;
    w->plan = plan;
    w->n_memtables = plan->spec->memtables ? plan->spec->memtables->n : 0;
    w->lengths = calloc(n_runs + 1, sizeof *w->lengths);
    w->digests = calloc(FB_WALK_CHUNK * (size_t)plan->forest->digest_words, sizeof *w->digests);
    w->filters = calloc(ABREAST * n_runs + 1, sizeof *w->filters);
    enum fb_err err = fb_read_counts_open(n_runs, &w->counts);
    return w->lengths && w->digests && w->filters ? err : FB_ENOMEM;
}

void fb_walker_close(struct fb_walker *w)
{
    if (!w)
        return;
    fb_read_counts_close(&w->counts);
    fb_keyset_close(&w->keys);
    free(w->lengths);
    free(w->digests);
    free(w->filters);
    free(w);
}

enum fb_err fb_walker_flush(struct fb_walker *w, struct fb_read_counts *into)
{
    const struct fb_tree *tree = w->plan->forest->tree;
    struct fb_read_counts *c = &w->counts;
    uint64_t reached = 0;
    for (size_t r = tree->n_runs; r-- > 0;) {
        reached += w->lengths[r + 1];
        c->run_reached[r] = reached;
        if (tree->runs[r].memtable) {
            c->memtable_searches += reached;
            c->memtable_found += w->n_memtables ? 0 : c->run_held[r];
        } else {
            c->range_checks += reached;
            c->pruned += reached - c->run_asked[r];
        }
    }
    enum fb_err err = fb_read_counts_add(into, c);
    memset(w->lengths, 0, (tree->n_runs + 1) * sizeof *w->lengths);
    fb_read_counts_close(c);
    enum fb_err again = fb_read_counts_open(tree->n_runs, c);
    return err ? err : again;
}
