#include "harness/filter/pieces.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/filter/timed.h"
#include "harness/measure/noise.h"
#include "harness/measure/placement.h"
#include "workloads/core/rng.h"

const char *fb_piece_name(enum fb_piece_kind kind)
{
    static const char *const names[FB_N_PIECES] = {
        "hash",  "hash-chain", "finalizer",  "query", "each", "insert",
        "check", "modulo",     "reciprocal", "mask",  "bits"};
    return names[kind];
}

bool fb_piece_has_filter(const struct fb_piece *piece)
{
    return piece->kind >= FB_PIECE_QUERY && piece->kind <= FB_PIECE_CHECK;
}

/* ---- The part ---- */

struct job {
    struct fb_group_options options;
    struct fb_piece_set set;
};

enum fb_err fb_pieces_open(struct fb_piece_set *set, const struct fb_group_options *options,
                           struct fb_part *out, const char **why)
{
    struct fb_timing_job filters = {.filters = set->filters};
    for (const struct fb_piece *p = set->pieces; p < set->pieces + set->n; p++) {
        if (!fb_piece_has_filter(p))
            continue;
        set->filters[filters.n_filters] =
            (struct fb_timing_filter){.params = p->params,
                                      .n_keys = p->n_keys,
                                      .stream = fb_stream_word(options->seed, filters.n_filters),
                                      .fd = -1,
                                      .design = p->design};
        filters.n_filters++;
    }
    set->n_filters = filters.n_filters;
    enum fb_err err = fb_timing_build(&filters, 0, NULL, NULL, why);
    if (err)
        return err;
    const struct job job = {*options, *set};
    *out = (struct fb_part){.child = &fb_pieces_child, .job_fd = fb_memory_file(&job, sizeof job)};
    return out->job_fd < 0 ? FB_ENOMEM : FB_OK;
}

void fb_pieces_close(struct fb_piece_set *set)
{
    for (size_t i = 0; i < set->n_filters; i++)
        if (set->filters[i].fd >= 0)
            close(set->filters[i].fd);
    set->n_filters = 0;
}

/* ---- The measuring process ---- */

enum {
    BLOCK_BYTES = 16384,
    CHAIN_KEYS = 64,
    OPS = 1024,
    FAR_BYTES = 4 << 20, /* reading a filter of more takes longer than half a millisecond, which is
                          * what warming costs those beyond the caches */
};

/* One piece with what it works on. The input of a block lies in `words`: random ones, or keys of
 * key_len bytes one after another. */
struct work {
    struct fb_timed timed; /* of a filter. First: so this is what it is warmed by, too */
    struct fb_timing_cell cell;
    const struct fb_piece *piece;
    const struct fb_hash *hash;
    uint64_t stream;
    size_t ops;
    uint64_t *words; /* [n_words] */
    size_t n_words;
    uint8_t *bits;
    struct fb_divisor divisor;
};

static size_t key_at(const struct work *w, size_t i)
{
    return i * w->piece->key_len;
}

static void prepare(void *self, uint64_t block)
{
    struct work *w = self;
    const uint64_t first = block * w->n_words;
    for (size_t i = 0; i < w->n_words; i++)
        w->words[i] = fb_mix64(w->stream + (first + i) * FB_GOLDEN64);
}

static uint64_t run_hash(void *self)
{
    struct work *w = self;
    const uint8_t *keys = (const uint8_t *)w->words;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ops; i++)
        for (uint32_t seed = 0; seed < w->piece->probes; seed++)
            sum ^= w->hash->hash(keys + key_at(w, i), w->piece->key_len, seed);
    return sum;
}

static uint64_t run_hash_chain(void *self)
{
    struct work *w = self;
    uint8_t *key = (uint8_t *)w->words;
    uint64_t last = 0;
    size_t tail = w->piece->key_len < sizeof last ? w->piece->key_len : sizeof last;
    for (size_t i = 0; i < w->ops; i++) {
        memcpy(key, &last, tail);
        last = w->hash->hash(key, w->piece->key_len, 0);
    }
    return last;
}

static uint64_t run_finalizer(void *self)
{
    struct work *w = self;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ops; i++)
        sum ^= fb_opaque(fb_mix64(w->words[i]));
    return sum;
}

static uint64_t run_check(void *self)
{
    struct work *w = self;
    const struct fb_filter *filter = &w->timed.filter;
    const uint8_t *keys = (const uint8_t *)w->words;
    const unsigned n_words = filter->geom.digest_words;
    uint64_t digest[FB_MAX_PROBES], hits = 0;
    for (size_t i = 0; i < w->ops; i++) {
        filter->design->digest(keys + key_at(w, i), w->piece->key_len, n_words, digest);
        hits += filter->kernel->query(filter, digest);
    }
    return hits;
}

/* What a check does with a hash; one loop for each kind, which the compiler knows. */
static inline __attribute__((always_inline)) uint64_t probe(const struct work *w,
                                                            enum fb_piece_kind kind)
{
    const struct fb_divisor d = w->divisor;
    const uint64_t m = fb_opaque(d.m), mask = d.m - 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ops; i++)
        for (uint32_t p = 0; p < w->piece->probes; p++) {
            const uint64_t hash = w->words[i] + p * w->stream;
            sum += kind == FB_PIECE_MODULO       ? fb_opaque(hash % m)
                   : kind == FB_PIECE_RECIPROCAL ? fb_opaque(fb_mod(hash, d))
                   : kind == FB_PIECE_MASK       ? fb_opaque(hash & mask)
                                                 : fb_bit_lsb(w->bits, fb_mulhi64(hash, d.m));
        }
    return sum;
}

static uint64_t run_modulo(void *self)
{
    return probe(self, FB_PIECE_MODULO);
}

static uint64_t run_reciprocal(void *self)
{
    return probe(self, FB_PIECE_RECIPROCAL);
}

static uint64_t run_mask(void *self)
{
    return probe(self, FB_PIECE_MASK);
}

static uint64_t run_bits(void *self)
{
    return probe(self, FB_PIECE_BITS);
}

/* NULL: asked as filters are (timed.h). */
static uint64_t (*const runs[FB_N_PIECES])(void *) = {
    run_hash,  run_hash_chain, run_finalizer,  NULL,     NULL,    NULL,
    run_check, run_modulo,     run_reciprocal, run_mask, run_bits};

static bool open_work(const struct fb_piece *piece, uint64_t stream, struct work *w)
{
    size_t bytes = OPS * sizeof(uint64_t);
    w->piece = piece;
    w->stream = stream | 1;
    w->ops = OPS;
    w->hash = fb_hash_at(piece->hash);
    w->divisor = fb_divisor_of(piece->n_bits);
    if (piece->key_len) {
        w->ops = piece->key_len * (size_t)OPS > BLOCK_BYTES ? BLOCK_BYTES / piece->key_len : OPS;
        w->ops = w->ops < CHAIN_KEYS ? CHAIN_KEYS : w->ops;
        bytes = w->ops * piece->key_len;
    }
    w->n_words = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    w->words = fb_alloc_lines(w->n_words * sizeof(uint64_t));
    w->bits = fb_alloc_lines(piece->kind == FB_PIECE_BITS ? piece->n_bits / 8 + 1 : 1);
    return w->words && w->bits;
}

static struct fb_candidate candidate_of(struct work *w)
{
    struct fb_candidate asked = {0};
    if (fb_piece_has_filter(w->piece))
        asked = fb_timed_candidate(&w->timed);
    if (!runs[w->piece->kind])
        return asked;
    return (struct fb_candidate){.self = w,
                                 .ops_per_block = w->ops,
                                 .warm = asked.warm,
                                 .prepare = prepare,
                                 .run = runs[w->piece->kind]};
}

static int measure(const struct job *job, uint64_t placement, int out_fd)
{
    const struct fb_piece_set *set = &job->set;
    struct work work[FB_MAX_PIECES];
    struct fb_placed placed[FB_MAX_PIECES] = {{0}};
    struct fb_candidate candidates[FB_MAX_PIECES];
    uint64_t *digests = fb_alloc_lines(FB_DIGEST_WORDS * sizeof *digests);
    uint8_t *maybe = fb_alloc_lines(FB_DIGEST_WORDS);
    bool ready = digests && maybe;
    memset(work, 0, sizeof work);
    for (size_t i = 0; i < set->n_filters; i++)
        ready = ready && fb_placed_map(&placed[i], set->filters[i].geom.n_bytes,
                                       fb_stream_word(placement, ~(uint64_t)i), false);
    fb_placed_populate(placed, set->n_filters);
    for (size_t i = 0; i < set->n_filters; i++)
        ready =
            ready && fb_placed_read(&placed[i], set->filters[i].fd, set->filters[i].geom.n_bytes);
    for (size_t i = 0, f = 0; i < set->n && ready; i++) {
        const struct fb_piece *piece = &set->pieces[i];
        struct work *w = &work[i];
        ready = open_work(piece, fb_stream_word(placement, i), w);
        if (fb_piece_has_filter(piece)) {
            const struct fb_timing_filter *filter = &set->filters[f];
            w->cell = (struct fb_timing_cell){
                .design = piece->design,
                .kernel = piece->kernel,
                .operation = piece->kind == FB_PIECE_EACH     ? FB_OP_EACH
                             : piece->kind == FB_PIECE_INSERT ? FB_OP_INSERT
                                                              : FB_OP_BATCH,
                .footprint = filter->geom.n_bytes > FAR_BYTES ? FB_FOOT_DRAM : FB_FOOT_L1,
                .hit_ratio = piece->hit_ratio};
            w->timed = fb_timed_make(&w->cell, filter, placed[f++].at, digests, maybe);
        }
        candidates[i] = candidate_of(w);
    }
    int status =
        ready ? fb_group_deliver(&job->options, candidates, set->n, placement, out_fd) : FB_EXIT_IO;
    for (size_t i = 0; i < set->n; i++) {
        fb_placed_close(&placed[i]);
        free(work[i].words);
        free(work[i].bits);
    }
    free(digests);
    free(maybe);
    return status;
}

static int pieces_main(int job_fd, int out_fd, uint64_t placement)
{
    struct job job;
    if (!fb_transfer_in(job_fd, &job, sizeof job))
        return FB_EXIT_IO;
    fb_pin(job.options.cpu);
    return measure(&job, placement, out_fd);
}

const struct fb_child fb_pieces_child = {"pieces", pieces_main};
