#include "harness/tree/read_walk.h"

#include <stdlib.h>
#include <string.h>

#include "harness/tree/answers.h"

enum { ACROSS = 64, ABREAST = 16 }; /* runs of one call; queries whose cache misses overlap */

struct fb_read_walk {
    const struct fb_read_plan *plan;
    const struct fb_forest *forest;
    size_t n_runs, n_memtables;   /* memtables that are searched */
    struct fb_read_counts counts; /* what follows from those by run is filled in at the end */
    uint64_t *lengths;            /* [n_runs + 1] walks by the number of runs they came to, owned */
    struct fb_keyset keys;
    uint64_t *digests;                /* [CHUNK * digest_words], owned */
    const struct fb_filter **filters; /* [ABREAST * n_runs] NULL: out of range; owned */
    uint64_t first;                   /* query of the chunk at hand */
    struct fb_query query[FB_WALK_CHUNK];
    struct tally {
        uint64_t asked, reads, in_vain;
        bool blind; /* no filter can tell: prefixes alone are in, and the key has none */
    } tally[FB_WALK_CHUNK];
};

/* Stand for the filters that need not be asked. */
static const struct fb_filter passes = {.kernel = &fb_kernel_yes};
static const struct fb_filter denies = {.kernel = &fb_kernel_no};

/* ---- Blocks ---- */

/* Blocks of one file have numbers of their own, four kinds interleaved. */
enum block_kind { DATA, INDEX, FILTER, N_KINDS = 4 };

/* Query q wants a block of a file; whether the device was read. */
static bool want(struct fb_read_walk *w, size_t q, const struct fb_run_files *files, size_t segment,
                 uint64_t number, enum block_kind kind, uint64_t bytes)
{
    struct fb_block_cache *cache = w->plan->cache;
    uint64_t block = files->first_block + segment * files->blocks_each + number;
    if (cache && fb_block_cache_touch(cache, block * N_KINDS + kind, bytes))
        return false;
    w->tally[q].reads++;
    w->counts.read_bytes += bytes;
    return true;
}

static void want_filter(struct fb_read_walk *w, size_t q, const struct fb_run_files *files,
                        const struct fb_place *at)
{
    uint64_t bytes = files->filter_bytes[at->segment], piece = 0;
    if (w->plan->spec->filters == FB_PARTITIONED && bytes) {
        piece = (uint64_t)((fb_u128)bytes * at->rank / (at->segment_keys + 1)) / FB_PARTITION_BYTES;
        bytes -= piece * FB_PARTITION_BYTES;
        bytes = fb_min_u64(bytes, FB_PARTITION_BYTES);
    }
    w->counts.filter_blocks++;
    w->counts.read_filter += want(w, q, files, at->segment, piece, FILTER, bytes);
}

static void want_index(struct fb_read_walk *w, size_t q, const struct fb_run_files *files,
                       const struct fb_place *at)
{
    uint64_t blocks = fb_divide_up(at->segment_keys, w->plan->entries_per_block);
    uint64_t bytes = (uint64_t)((double)blocks * w->plan->spec->index_entry_bytes);
    w->counts.index_blocks++;
    w->counts.read_index += want(w, q, files, at->segment, 0, INDEX, bytes);
}

static bool want_data(struct fb_read_walk *w, size_t q, const struct fb_run_files *files,
                      const struct fb_place *at)
{
    uint64_t rank = fb_min_u64(at->rank, at->segment_keys - 1);
    return want(w, q, files, at->segment, rank / w->plan->entries_per_block, DATA,
                w->plan->spec->block_bytes);
}

/* What query q reads in run r, in whose range it lies and whose filter has answered. */
static void read_file(struct fb_read_walk *w, size_t q, size_t r, bool maybe)
{
    const struct fb_run_files *files = w->plan->files + r;
    struct fb_read_counts *c = &w->counts;
    struct fb_place at;
    if (!fb_run_locate(w->forest->tree->runs + r, w->query[q].index, &at))
        return;
    if (files->filter_bytes && !w->tally[q].blind)
        want_filter(w, q, files, &at);
    if (!maybe)
        return;
    if (w->plan->spec->index == FB_CACHED)
        want_index(w, q, files, &at);
    bool read = want_data(w, q, files, &at);
    if (w->query[q].holder != r) {
        w->tally[q].in_vain++;
        c->run[r].wrong++;
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

static size_t length_of(const struct fb_read_walk *w, size_t q)
{
    return fb_min_u64(w->query[q].holder + (uint64_t)1, w->n_runs);
}

/* The filters of runs first .. end - 1 that query q must ask, into row [end - first]. */
static void find_filters(struct fb_read_walk *w, size_t q, size_t first, size_t end,
                         const struct fb_filter **row)
{
    const struct fb_answers *answers = w->plan->ask->answers;
    const uint64_t index = w->query[q].index;
    struct tally *tally = &w->tally[q];
    for (size_t r = first; r < end; r++) {
        const struct fb_filter *f = row[r - first] = fb_ask_filter(w->forest, r, index);
        if (!f)
            continue;
        __builtin_prefetch(&f->kernel);
        __builtin_prefetch(&f->geom.range);
        __builtin_prefetch(&f->bytes);
        w->counts.run[r].asked++;
        if (tally->blind)
            row[r - first] = &passes;
        else
            tally->asked += w->forest->runs[r].filtered;
        if (answers)
            row[r - first] = fb_answers_maybe(answers, w->first + q, r) ? &passes : &denies;
    }
}

/* Asks the filters of runs first .. end - 1, reads where they say yes, and returns whether the last
 * of these runs did. */
static bool ask_filters(struct fb_read_walk *w, size_t q, size_t first, size_t end,
                        const struct fb_filter *const *row)
{
    const struct fb_read_plan *plan = w->plan;
    const uint64_t *digest = w->digests + q * w->forest->digest_words;
    const bool every = plan->spec->filters != FB_PINNED; /* one that says no was read as well */
    bool last = false;
    for (size_t r = first; r < end; r += ACROSS) {
        const size_t n = fb_min_u64(end - r, ACROSS);
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
static void walk_on(struct fb_read_walk *w, size_t q, size_t length)
{
    w->query[q].holder = (uint32_t)w->n_runs;
    w->counts.false_negatives++;
    for (size_t r = length; r < w->n_runs; r++) {
        const struct fb_filter *row[1];
        find_filters(w, q, r, r + 1, row);
        ask_filters(w, q, r, r + 1, row);
    }
    w->lengths[w->n_runs]++;
}

static void walk(struct fb_read_walk *w, size_t q, const struct fb_filter *const *row)
{
    const size_t length = length_of(w, q);
    const bool held = w->query[q].holder < w->n_runs;
    bool last = ask_filters(w, q, 0, length, row);
    if (held && !last && !w->forest->tree->runs[length - 1].memtable) {
        walk_on(w, q, length);
        return;
    }
    w->lengths[length]++;
    if (held)
        w->counts.run[length - 1].held++;
}

/* Whether the memtable of run r has what query q is for. */
static bool memtable_has(struct fb_read_walk *w, size_t q, size_t r)
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
static void search_memtables(struct fb_read_walk *w, size_t q)
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

static void count_query(struct fb_read_walk *w, size_t q, bool absent)
{
    struct fb_read_counts *c = &w->counts;
    const struct tally t = w->tally[q];
    c->queries++;
    if (absent) {
        c->absent++;
        c->any_false += t.in_vain > 0;
        c->false_squares += t.in_vain * t.in_vain;
    } else if (w->query[q].tombstone) {
        c->deleted++;
    } else {
        c->present++;
    }
    c->asked += t.asked;
    c->io_squares += t.reads * t.reads;
    c->asked_histogram[fb_min_u64(t.asked, FB_READ_BINS - 1)]++;
    c->io_histogram[fb_min_u64(t.reads, FB_READ_BINS - 1)]++;
}

enum fb_err fb_read_walk_some(struct fb_read_walk *w, uint64_t first, size_t n)
{
    const struct fb_read_plan *plan = w->plan;
    const struct fb_prefix *prefix = &w->forest->prefix;
    const size_t n_runs = w->n_runs, words = w->forest->digest_words;
    w->first = first;
    enum fb_err err = fb_queries_make(plan->ask->queries, first, n, w->query, &w->keys);
    if (!err)
        err = fb_forest_digest(w->forest, &w->keys.keys, w->digests);
    if (err)
        return err;
    for (size_t at = 0; at < n; at += ABREAST) {
        const size_t end = fb_min_u64(at + ABREAST, n);
        for (size_t q = at; q < end; q++) {
            size_t asked_len;
            const bool tells = fb_prefix_get(prefix, fb_key_len(&w->keys.keys, q), &asked_len);
            w->tally[q] = (struct tally){.blind = !tells};
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

enum fb_err fb_read_walk_open(const struct fb_read_plan *plan, struct fb_read_walk **out)
{
    const size_t n_runs = plan->ask->forest->tree->n_runs;
    struct fb_read_walk *w = *out = calloc(1, sizeof *w);
    if (!w)
        return FB_ENOMEM;
    w->plan = plan;
    w->forest = plan->ask->forest;
    w->n_runs = n_runs;
    w->n_memtables = plan->spec->memtables ? plan->spec->memtables->n : 0;
    w->lengths = calloc(n_runs + 1, sizeof *w->lengths);
    w->digests = calloc(FB_WALK_CHUNK * (size_t)w->forest->digest_words, sizeof *w->digests);
    w->filters = calloc(ABREAST * n_runs + 1, sizeof *w->filters);
    enum fb_err err = fb_read_counts_open(n_runs, &w->counts);
    return w->lengths && w->digests && w->filters ? err : FB_ENOMEM;
}

void fb_read_walk_close(struct fb_read_walk *w)
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

enum fb_err fb_read_walk_counts(struct fb_read_walk *w, struct fb_read_counts *into)
{
    const struct fb_run *runs = w->forest->tree->runs;
    struct fb_read_counts *c = &w->counts;
    uint64_t reached = 0;
    for (size_t r = w->n_runs; r-- > 0;) {
        reached += w->lengths[r + 1];
        c->run[r].reached = reached;
        if (runs[r].memtable) {
            c->memtable_searches += reached;
            c->memtable_found += w->n_memtables ? 0 : c->run[r].held;
        } else {
            c->range_checks += reached;
            c->pruned += reached - c->run[r].asked;
        }
    }
    return fb_read_counts_add(into, c);
}
