#include "harness/filter/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/measure/measure.h"
#include "harness/measure/processes.h"
#include "workloads/core/rng.h"

const char *fb_piece_name(enum fb_piece_kind kind)
{
    static const char *const names[FB_N_PIECES] = {"hash",   "hash-chain", "query", "each", "check",
                                                   "modulo", "reciprocal", "mask",  "bits"};
    return names[kind];
}

struct job {
    size_t n, rounds;
    struct fb_piece pieces[FB_MAX_PIECES];
};

enum { BLOCK_BYTES = 16384, CHAIN_KEYS = 64, OPS = 1024 };

/* One piece with what it works on. The input of a block lies in `words`: digests, or keys of
 * key_len bytes one after another. */
struct work {
    const struct fb_piece *piece;
    const struct fb_hash *hash;
    struct fb_filter filter;
    uint64_t stream;
    size_t ops;
    uint64_t *words; /* [n_words] */
    size_t n_words;
    uint8_t *maybe, *bits;
    struct fb_divisor divisor;
};

static size_t key_at(const struct work *w, size_t i)
{
    return i * w->piece->key_len;
}

static void prepare(void *self, uint64_t block)
{
    struct work *w = self;
    const uint64_t first = ~(block * w->n_words);
    const uint64_t hits = (uint64_t)(w->piece->hit_ratio * 0x1p32);
    const unsigned words = w->filter.geom.digest_words;
    for (size_t i = 0; i < w->n_words; i++)
        w->words[i] = fb_mix64(w->stream + (first - i) * FB_GOLDEN64);
    if (!hits)
        return;
    for (size_t i = 0; i < w->ops; i++) {
        uint64_t random = w->words[i * words];
        uint64_t key = fb_mulhi64(random, w->piece->n_keys) * words;
        for (unsigned j = 0; j < words && (fb_mix64(random) >> 32) < hits; j++)
            w->words[i * words + j] = fb_mix64(w->stream + (key + j) * FB_GOLDEN64);
    }
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

static uint64_t run_query(void *self)
{
    struct work *w = self;
    return w->filter.kernel->query_batch(&w->filter, w->words, w->ops, w->maybe);
}

static uint64_t run_each(void *self)
{
    struct work *w = self;
    return w->filter.kernel->query_each(&w->filter, w->words, w->ops);
}

static uint64_t run_check(void *self)
{
    struct work *w = self;
    const struct fb_design *design = w->filter.design;
    const uint8_t *keys = (const uint8_t *)w->words;
    const unsigned n_words = w->filter.geom.digest_words;
    uint64_t digest[FB_MAX_PROBES], hits = 0;
    for (size_t i = 0; i < w->ops; i++) {
        design->digest(keys + key_at(w, i), w->piece->key_len, n_words, digest);
        hits += w->filter.kernel->query(&w->filter, digest);
    }
    return hits;
}

static uint64_t run_modulo(void *self)
{
    struct work *w = self;
    const uint64_t m = fb_opaque(w->divisor.m);
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ops; i++)
        for (uint32_t p = 0; p < w->piece->probes; p++)
            sum += fb_opaque((w->words[i] + p * w->stream) % m);
    return sum;
}

static uint64_t run_reciprocal(void *self)
{
    struct work *w = self;
    const struct fb_divisor d = w->divisor;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ops; i++)
        for (uint32_t p = 0; p < w->piece->probes; p++)
            sum += fb_opaque(fb_mod(w->words[i] + p * w->stream, d));
    return sum;
}

static uint64_t run_mask(void *self)
{
    struct work *w = self;
    const uint64_t mask = w->divisor.m - 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ops; i++)
        for (uint32_t p = 0; p < w->piece->probes; p++)
            sum += fb_opaque((w->words[i] + p * w->stream) & mask);
    return sum;
}

static uint64_t run_bits(void *self)
{
    struct work *w = self;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->ops; i++)
        for (uint32_t p = 0; p < w->piece->probes; p++)
            sum += fb_bit_lsb(w->bits, fb_mulhi64(w->words[i] + p * w->stream, w->divisor.m));
    return sum;
}

static uint64_t (*const runs[FB_N_PIECES])(void *) = {run_hash,       run_hash_chain, run_query,
                                                      run_each,       run_check,      run_modulo,
                                                      run_reciprocal, run_mask,       run_bits};

static bool by_digest(const struct fb_piece *piece)
{
    return piece->kind == FB_PIECE_QUERY || piece->kind == FB_PIECE_EACH;
}

static enum fb_err build_filter(struct work *w)
{
    const struct fb_piece *piece = w->piece;
    const struct fb_design *design = fb_design_at(piece->design);
    struct fb_geometry geom;
    const char *why;
    enum fb_err err = fb_design_plan(design, &piece->params, piece->n_keys, &geom, &why);
    if (!err)
        err = fb_filter_alloc(design, &geom, &w->filter);
    if (err)
        return err;
    w->filter.kernel = design->kernels[piece->kernel];
    uint64_t chunk[OPS];
    const uint64_t per_chunk = OPS / geom.digest_words;
    for (uint64_t i = 0; i < piece->n_keys; i += per_chunk) {
        uint64_t n = piece->n_keys - i < per_chunk ? piece->n_keys - i : per_chunk;
        for (uint64_t j = 0; j < n * geom.digest_words; j++)
            chunk[j] = fb_mix64(w->stream + (i * geom.digest_words + j) * FB_GOLDEN64);
        w->filter.kernel->add_batch(&w->filter, chunk, (size_t)n);
    }
    return FB_OK;
}

static enum fb_err open_work(const struct fb_piece *piece, uint64_t stream, struct work *w)
{
    enum fb_err err = FB_OK;
    *w = (struct work){.piece = piece, .stream = stream | 1, .ops = OPS};
    if (by_digest(piece) || piece->kind == FB_PIECE_CHECK)
        err = build_filter(w);
    if (err)
        return err;
    w->hash = fb_hash_at(piece->hash);
    w->divisor = fb_divisor_of(piece->n_bits);
    size_t bytes = OPS * sizeof(uint64_t);
    if (by_digest(piece))
        bytes = BLOCK_BYTES;
    if (piece->key_len) {
        w->ops = piece->key_len * (size_t)OPS > BLOCK_BYTES ? BLOCK_BYTES / piece->key_len : OPS;
        w->ops = w->ops < CHAIN_KEYS ? CHAIN_KEYS : w->ops;
        bytes = w->ops * piece->key_len;
    } else if (by_digest(piece)) {
        w->ops = (BLOCK_BYTES / sizeof(uint64_t) / w->filter.geom.digest_words) & ~(size_t)63;
    }
    w->n_words = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    w->words = fb_alloc_lines(w->n_words * sizeof(uint64_t));
    w->maybe = fb_alloc_lines(BLOCK_BYTES);
    w->bits = fb_alloc_lines(piece->kind == FB_PIECE_BITS ? piece->n_bits / 8 + 1 : 1);
    return w->words && w->maybe && w->bits ? FB_OK : FB_ENOMEM;
}

static void close_work(struct work *w)
{
    fb_filter_close(&w->filter);
    free(w->words);
    free(w->maybe);
    free(w->bits);
}

static int pieces_main(int job_fd, int out_fd, uint64_t placement)
{
    struct job job;
    struct work work[FB_MAX_PIECES] = {{0}};
    struct fb_candidate candidates[FB_MAX_PIECES];
    int status = FB_EXIT_IO;
    if (!fb_transfer_in(job_fd, &job, sizeof job) || job.n > FB_MAX_PIECES)
        return status;
    struct fb_sample *samples = calloc(job.n * job.rounds + 1, sizeof *samples);
    uint64_t sink;
    for (size_t i = 0; i < job.n; i++) {
        if (!samples || open_work(&job.pieces[i], fb_stream_word(placement, i), &work[i]))
            goto out;
        candidates[i] = (struct fb_candidate){.self = &work[i],
                                              .ops_per_block = work[i].ops,
                                              .prepare = prepare,
                                              .run = runs[job.pieces[i].kind]};
    }
    struct fb_measure_options options = {.rounds = job.rounds,
                                         .seed = placement,
                                         .min_batch_ns = 1e6,
                                         .max_retries = 3,
                                         .gap_ns = 1e4};
    fb_measure(&fb_system_clock, candidates, job.n, &options, samples, &sink);
    if (fb_transfer_out(out_fd, samples, job.n * job.rounds * sizeof *samples))
        status = FB_EXIT_OK;
out:
    for (size_t i = 0; i < job.n; i++)
        close_work(&work[i]);
    free(samples);
    return status;
}

const struct fb_child fb_pieces_child = {"pieces", pieces_main};

static bool go_on(void *arg, size_t done)
{
    (void)arg, (void)done;
    return true;
}

/* Median over a process's rounds of ln ns of a piece, or of its ratio to piece 0. */
static double of_process(const struct job *job, const struct fb_sample *samples, size_t piece,
                         bool ratio)
{
    double x[FB_PAIRED_MAX];
    for (size_t r = 0; r < job->rounds; r++) {
        x[r] = log(samples[r * job->n + piece].wall_ns);
        if (ratio)
            x[r] -= log(samples[r * job->n].wall_ns);
    }
    return fb_median(x, job->rounds);
}

static void estimate(const struct job *job, const struct fb_sample *samples, size_t n_processes,
                     size_t piece, struct fb_piece_estimate *out)
{
    double ns[FB_PAIRED_MAX], ratio[FB_PAIRED_MAX];
    for (size_t p = 0; p < n_processes; p++) {
        const struct fb_sample *own = samples + p * job->rounds * job->n;
        ns[p] = of_process(job, own, piece, false);
        ratio[p] = of_process(job, own, piece, true);
    }
    struct fb_paired absolute = fb_hodges_lehmann(ns, n_processes, 0.95);
    struct fb_paired relative = fb_hodges_lehmann(ratio, n_processes, 0.99);
    out->ns = exp(absolute.estimate);
    out->ns95 = (struct fb_interval){exp(absolute.interval.low), exp(absolute.interval.high)};
    out->ratio = exp(relative.estimate);
    out->ratio99 = (struct fb_interval){exp(relative.interval.low), exp(relative.interval.high)};
}

enum fb_err fb_pieces_measure(const struct fb_piece *pieces, size_t n, size_t n_processes,
                              size_t rounds, uint64_t seed, struct fb_piece_estimate *out,
                              bool *complete)
{
    struct job job = {.n = n, .rounds = rounds};
    struct fb_process_report report = {0};
    if (n < 1 || n > FB_MAX_PIECES || rounds < 1 || rounds > FB_PAIRED_MAX || n_processes < 8 ||
        n_processes > FB_PAIRED_MAX)
        return FB_EINVAL;
    memcpy(job.pieces, pieces, n * sizeof *pieces);
    size_t each = n * rounds * sizeof(struct fb_sample);
    struct fb_sample *samples = calloc(n_processes, each);
    int job_fd = fb_memory_file(&job, sizeof job);
    enum fb_err err = samples && job_fd >= 0
                          ? fb_processes_run(&fb_pieces_child, n_processes, seed, job_fd, samples,
                                             each, go_on, NULL, &report)
                          : FB_ENOMEM;
    *complete = !err && report.done == n_processes;
    for (size_t i = 0; *complete && i < n; i++)
        estimate(&job, samples, n_processes, i, &out[i]);
    if (job_fd >= 0)
        close(job_fd);
    free(samples);
    return err;
}
