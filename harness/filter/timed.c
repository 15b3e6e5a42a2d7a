#include "harness/filter/timed.h"

#include <stdlib.h>
#include <string.h>

#include "harness/filter/inline_loop.h"
#include "harness/filter/peer_build.h"
#include "harness/filter/plain_loop.h"
#include "workloads/core/rng.h"

static enum fb_yardstick yardstick_of(const struct fb_timed *t)
{
    return fb_yardstick_find(t->filter.design->name);
}

static const struct fb_inline_loop *inline_loop(const struct fb_timed *t)
{
    const struct fb_filter *f = &t->filter;
    return &fb_inline_loops_of(f->design->name, f->kernel->isa)->form[t->cell->loop];
}

/* Reads every line once. */
static void warm(void *self)
{
    struct fb_timed *t = self;
    uint64_t sum = 0;
    for (uint64_t at = 0; at < fb_timing_bytes(t->spec); at += FB_CACHE_LINE)
        sum += t->filter.bytes[at];
    fb_opaque(sum);
}

/* Neighbours among the keys, so that none is drawn twice. */
static void draw_neighbours(struct fb_timed *t, uint64_t start)
{
    const uint32_t words = t->spec->geom.digest_words;
    for (size_t i = 0; i < t->n; i++)
        for (uint32_t w = 0; w < words; w++) {
            uint64_t key = (start + i) % t->spec->n_keys;
            t->digests[i * words + w] = fb_mix64(t->spec->stream + (key * words + w) * FB_GOLDEN64);
        }
}

/* A fresh block of digests: absent ones from words no key uses, present ones drawn among the keys.
 */
static void draw(struct fb_timed *t, uint64_t block)
{
    const uint32_t words = t->spec->geom.digest_words;
    const uint64_t stream = t->spec->stream,
                   first = ~(block * FB_DIGEST_WORDS * sizeof *t->digests);
    uint64_t threshold = (uint64_t)(t->cell->hit_ratio * 0x1p32);
    if (t->cell->operation == FB_OP_REMOVE) {
        draw_neighbours(t, fb_mulhi64(fb_mix64(stream + first * FB_GOLDEN64), t->spec->n_keys));
        return;
    }
    if (t->cell->operation == FB_OP_INSERT_INLINE ||
        (t->cell->operation == FB_OP_INSERT && !fb_design_removes(t->filter.design)))
        threshold = UINT64_C(1) << 32;
    if (threshold == 0) {
        for (size_t w = 0; w < t->n * words; w++)
            t->digests[w] = fb_mix64(stream + (first - w) * FB_GOLDEN64);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        uint64_t random = fb_mix64(stream + (first - i) * FB_GOLDEN64);
        uint64_t key = fb_mulhi64(random, t->spec->n_keys) * words;
        bool present = (fb_mix64(random) >> 32) < threshold;
        for (uint32_t w = 0; w < words; w++)
            t->digests[i * words + w] = present ? fb_mix64(stream + (key + w) * FB_GOLDEN64)
                                                : fb_mix64(random + w * FB_GOLDEN64);
    }
}

static void take_back(struct fb_timed *t)
{
    struct fb_filter *f = &t->filter;
    if (!t->altered)
        return;
    draw(t, t->block);
    if (t->cell->operation == FB_OP_REMOVE)
        f->kernel->add_batch(f, t->digests, t->altered);
    else
        f->kernel->remove_batch(f, t->digests, t->altered);
    t->altered = 0;
}

/* Sets the entry that the cell tries. */
static void tune(const struct fb_timing_cell *cell)
{
    struct fb_tuning tuning = *fb_tuning_now();
    struct fb_prefetch *entries =
        tuning.prefetch[fb_operation_writes((enum fb_operation)cell->operation)][cell->tuned];
    for (int reach = 0; reach < FB_N_REACHES; reach++)
        entries[reach] = cell->prefetch;
    if (fb_tuning_set(&tuning))
        abort(); /* who made the cell did not look */
}

/* Of an operation that builds: not keys. */
static bool takes_digests(const struct fb_timing_cell *cell)
{
    return cell->operation == FB_OP_BUILD || cell->operation == FB_OP_BUILD_PEER;
}

static size_t words_of_keys(const struct fb_timed *t)
{
    return t->n * (takes_digests(t->cell) ? t->spec->geom.digest_words
                                          : FB_BUILD_KEY_BYTES / sizeof *t->keys);
}

static void prepare(void *self, uint64_t block)
{
    struct fb_timed *t = self;
    if (t->cell->tries)
        tune(t->cell);
    if (fb_operation_alters((enum fb_operation)t->cell->operation, t->filter.design))
        take_back(t);
    t->block = block;
    if (t->cell->operation == FB_OP_MIXED) {
        fb_mixed_prepare(&t->mixed, &t->filter, t->digests);
        return;
    }
    if (!fb_operation_builds((enum fb_operation)t->cell->operation)) {
        draw(t, block);
        return;
    }
    fb_filter_close(&t->built);
    /* Other keys for each block: a processor learns the branches of a small build that comes again,
     * and of no other. */
    const size_t n_words = words_of_keys(t);
    for (size_t w = 0; w < n_words; w++)
        t->keys[w] = fb_mix64(t->spec->stream + (block * n_words + w) * FB_GOLDEN64);
}

static uint64_t build(struct fb_timed *t, size_t n)
{
    const char *why;
    enum fb_err err = fb_filter_build_digests(t->filter.design, NULL, &t->spec->params, t->keys, n,
                                              &t->built, &why);
    return err ? 0 : t->built.bytes[0];
}

static uint64_t build_as_peer(struct fb_timed *t, size_t n)
{
    fb_peer_build *peer = fb_peer_build_of(t->filter.design->name);
    return peer(&t->filter, t->keys, n, &t->built) ? 0 : t->built.bytes[0];
}

static struct fb_keys keys_of(const struct fb_timed *t, size_t n)
{
    return (struct fb_keys){.bytes = (const uint8_t *)t->keys, .offset = t->offsets, .n = n};
}

static uint64_t build_from_keys(struct fb_timed *t, size_t n)
{
    const struct fb_keys keys = keys_of(t, n);
    const char *why;
    enum fb_err err =
        fb_filter_build(t->filter.design, NULL, &t->spec->params, &keys, &t->built, &why);
    return err ? 0 : t->built.bytes[0];
}

static uint64_t digest_all(const struct fb_timed *t, size_t n)
{
    const struct fb_keys keys = keys_of(t, n);
    enum fb_err err =
        fb_digest_keys(t->filter.design, NULL, t->spec->geom.digest_words, &keys, t->made);
    return err ? 0 : t->made[0];
}

/* ---- Pieces of work ---- */

/* Keys in a block, or words. */
static size_t piece_ops(const struct fb_timing_cell *cell)
{
    enum { OPS = 1024, CHAIN_KEYS = 64, BLOCK_BYTES = FB_DIGEST_WORDS * sizeof(uint64_t) };
    const size_t fitting = cell->key_len ? BLOCK_BYTES / cell->key_len : OPS;
    return fitting > OPS ? OPS : fitting < CHAIN_KEYS ? CHAIN_KEYS : fitting;
}

size_t fb_timed_words(const struct fb_timing_cell *cell)
{
    return fb_max_u64(FB_DIGEST_WORDS, piece_ops(cell) * cell->key_len / sizeof(uint64_t) + 1);
}

static void prepare_words(void *self, uint64_t block)
{
    struct fb_timed *t = self;
    const size_t n = fb_timed_words(t->cell);
    const uint64_t first = block * n;
    for (size_t i = 0; i < n; i++)
        t->digests[i] = fb_mix64(t->spec->stream + (first + i) * FB_GOLDEN64);
}

static uint64_t hash_keys(const struct fb_timed *t, size_t n)
{
    const struct fb_hash *hash = fb_hash_at(t->cell->hash);
    const uint8_t *key = (const uint8_t *)t->digests;
    const uint32_t len = t->cell->key_len, seeds = t->cell->probes;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++, key += len)
        for (uint32_t seed = 0; seed < seeds; seed++)
            sum ^= hash->hash(key, len, seed);
    return sum;
}

static uint64_t hash_chain(const struct fb_timed *t, size_t n)
{
    const struct fb_hash *hash = fb_hash_at(t->cell->hash);
    const uint32_t len = t->cell->key_len;
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(t->digests, &last, len < sizeof last ? len : sizeof last);
        last = hash->hash(t->digests, len, 0);
    }
    return last;
}

static uint64_t check_keys(const struct fb_timed *t, size_t n)
{
    const struct fb_filter *f = &t->filter;
    const uint8_t *key = (const uint8_t *)t->digests;
    uint64_t digest[FB_MAX_PROBES], hits = 0;
    for (size_t i = 0; i < n; i++, key += t->cell->key_len) {
        f->design->digest(key, t->cell->key_len, f->geom.digest_words, digest);
        hits += f->kernel->query(f, digest);
    }
    return hits;
}

static uint64_t finalize(const struct fb_timed *t, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum ^= fb_opaque(fb_mix64(t->digests[i]));
    return sum;
}

/* What a check does with a hash; one loop for each operation, which the compiler knows. */
static inline __attribute__((always_inline)) uint64_t probe(const struct fb_timed *t, size_t n,
                                                            enum fb_operation operation)
{
    const struct fb_divisor d = t->divisor;
    const uint64_t m = fb_opaque(d.m), mask = d.m - 1, step = t->spec->stream | 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t p = 0; p < t->cell->probes; p++) {
            const uint64_t hash = t->digests[i] + p * step;
            sum += operation == FB_OP_MODULO       ? fb_opaque(hash % m)
                   : operation == FB_OP_RECIPROCAL ? fb_opaque(fb_mod(hash, d))
                   : operation == FB_OP_MASK       ? fb_opaque(hash & mask)
                                             : fb_bit_lsb(t->filter.bytes, fb_mulhi64(hash, m));
        }
    return sum;
}

/* ---- Running ---- */

uint64_t fb_timed_run(struct fb_timed *t, size_t n)
{
    struct fb_filter *f = &t->filter;
    const bool library = t->cell->loop == FB_INLINE_LIBRARY; /* of operations with a peer alone */
    switch ((enum fb_operation)t->cell->operation) {
    case FB_OP_BATCH:
        return f->kernel->query_batch(f, t->digests, n, t->maybe);
    case FB_OP_EACH:
        return f->kernel->query_each(f, t->digests, n);
    case FB_OP_BRANCH:
        return f->kernel->query_branch(f, t->digests, n);
    case FB_OP_CHAIN:
        return f->kernel->query_chain(f, t->digests, n);
    case FB_OP_INSERT:
        t->altered += f->kernel->add_batch(f, t->digests, n);
        return f->bytes[0];
    case FB_OP_REMOVE:
        t->altered += f->kernel->remove_batch(f, t->digests, n);
        return f->bytes[0];
    case FB_OP_MIXED:
        return fb_mixed_run(&t->mixed, f, t->digests, n);
    case FB_OP_BUILD:
        return build(t, n);
    case FB_OP_BUILD_PEER:
        return t->cell->loop == FB_INLINE_PEER ? build_as_peer(t, n) : build(t, n);
    case FB_OP_BUILD_KEYS:
        return build_from_keys(t, n);
    case FB_OP_DIGEST:
        return digest_all(t, n);
    case FB_OP_WALK:
    case FB_OP_WALK_BATCH:
        return fb_walked_run(&t->walked, t->digests, n);
    case FB_OP_INLINE:
        return (library ? f->kernel->query_batch : inline_loop(t)->query)(f, t->digests, n,
                                                                          t->maybe);
    case FB_OP_INSERT_INLINE:
        if (library)
            f->kernel->add_batch(f, t->digests, n);
        else
            inline_loop(t)->insert(f, t->digests, n);
        return f->bytes[0];
    case FB_OP_PLAIN:
        return fb_plain_loop(fb_plain_loop_at(t->cell->loop), yardstick_of(t), f, t->digests, n,
                             t->maybe);
    case FB_OP_CHECK:
        return check_keys(t, n);
    case FB_OP_HASH:
        return hash_keys(t, n);
    case FB_OP_HASH_CHAIN:
        return hash_chain(t, n);
    case FB_OP_FINALIZER:
        return finalize(t, n);
    case FB_OP_MODULO:
        return probe(t, n, FB_OP_MODULO);
    case FB_OP_RECIPROCAL:
        return probe(t, n, FB_OP_RECIPROCAL);
    case FB_OP_MASK:
        return probe(t, n, FB_OP_MASK);
    case FB_OP_BITS:
        return probe(t, n, FB_OP_BITS);
    case FB_N_OPERATIONS:
        break;
    }
    return 0;
}

static uint64_t run_block(void *self)
{
    struct fb_timed *t = self;
    return fb_timed_run(t, t->n);
}

/* One block: no other candidate of the process brought other data. */
static void warm_alone(void *self)
{
    struct fb_timed *t = self;
    prepare(t, (UINT64_C(1) << 48) + t->warmed++); /* far from the measured blocks */
    fb_opaque(fb_timed_run(t, t->n));
}

/* Half a millisecond of the work itself: filters beyond the caches cannot be brought back, but the
 * dirty lines that the candidate before left behind are written back before the clock starts. */
static void warm_far(void *self)
{
    enum { WARM_NS = 500000 };
    const struct fb_clock *clock = &fb_system_clock;
    struct fb_timed *t = self;
    const struct fb_candidate c = fb_timed_candidate(t);
    uint64_t sink = 0, end = clock->wall_ns(clock->self) + WARM_NS;
    do {
        c.prepare(t, (UINT64_C(1) << 48) + t->warmed++); /* far from the measured blocks */
        sink ^= fb_timed_run(t, t->n);
    } while (clock->wall_ns(clock->self) < end);
    fb_opaque(sink);
}

/* Operations of a block. */
static size_t block_ops(const struct fb_timing_cell *cell, const struct fb_timing_filter *spec)
{
    const enum fb_operation operation = (enum fb_operation)cell->operation;
    const size_t n = FB_DIGEST_WORDS / spec->geom.digest_words;
    if (operation >= FB_OP_CHECK)
        return piece_ops(cell);
    if (fb_operation_builds(operation))
        return (size_t)spec->n_keys;
    if (fb_operation_walks(operation) && n > FB_WALKED_KEYS)
        return FB_WALKED_KEYS;
    if (operation == FB_OP_MIXED)
        return fb_mixed_ops(FB_DIGEST_WORDS, spec->geom.digest_words);
    return n > 64 ? n & ~(size_t)63 : n;
}

/* What the operation needs besides the filter. False: no memory. */
static bool own_memory(struct fb_timed *t)
{
    const enum fb_operation operation = (enum fb_operation)t->cell->operation;
    if (fb_operation_walks(operation))
        return fb_walked_open(&t->walked, t->cell, t->spec, &t->filter) == FB_OK;
    if (operation == FB_OP_MIXED)
        return fb_mixed_open(&t->mixed, t->spec->stream, t->spec->n_keys,
                             t->spec->geom.digest_words, t->n) == FB_OK;
    if (!fb_operation_builds(operation))
        return true;
    t->keys = malloc((words_of_keys(t) + 1) * sizeof *t->keys);
    if (!takes_digests(t->cell))
        t->offsets = malloc((t->n + 1) * sizeof *t->offsets);
    for (size_t i = 0; t->offsets && i <= t->n; i++)
        t->offsets[i] = i * FB_BUILD_KEY_BYTES;
    if (operation == FB_OP_DIGEST)
        t->made = malloc((t->n * t->spec->geom.digest_words + 1) * sizeof *t->made);
    return t->keys && (takes_digests(t->cell) || t->offsets) &&
           (operation != FB_OP_DIGEST || t->made);
}

/* NOLINTBEGIN(readability-non-const-parameter): what is measured writes to them */
struct fb_timed fb_timed_make(const struct fb_timing_cell *cell,
                              const struct fb_timing_filter *spec, uint8_t *bytes,
                              uint64_t *digests, uint8_t *maybe)
{
    const struct fb_design *design = fb_design_at(cell->design);
    struct fb_timed t = {.filter = {.design = design,
                                    .kernel = design->kernels[cell->kernel],
                                    .params = spec->params,
                                    .geom = spec->geom,
                                    .n_keys = spec->n_keys,
                                    .bytes = bytes},
                         .cell = cell,
                         .spec = spec,
                         .n = block_ops(cell, spec),
                         .divisor =
                             fb_divisor_of(cell->operation >= FB_OP_CHECK ? cell->n_bits : 1),
                         .digests = digests,
                         .maybe = maybe};
    t.short_of_memory = !own_memory(&t);
    return t;
}
/* NOLINTEND(readability-non-const-parameter) */

void fb_timed_close(struct fb_timed *t)
{
    fb_filter_close(&t->built);
    fb_walked_close(&t->walked);
    fb_mixed_close(&t->mixed);
    free(t->keys);
    free(t->offsets);
    free(t->made);
}

struct fb_candidate fb_timed_candidate(struct fb_timed *t)
{
    return (struct fb_candidate){
        .self = t,
        .ops_per_block = t->n,
        .warm = fb_operation_builds((enum fb_operation)t->cell->operation) ? NULL
                : t->cell->tries && !t->cell->family                       ? warm_alone
                : t->cell->footprint == FB_FOOT_DRAM                       ? warm_far
                                                                           : warm,
        .prepare = t->cell->operation < FB_OP_CHECK ? prepare : prepare_words,
        .run = run_block};
}
