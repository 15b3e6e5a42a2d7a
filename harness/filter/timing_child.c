/* The measuring process: maps the filters of a footprint at random offsets and measures its cells.
 */
#define _GNU_SOURCE /* sched_setaffinity, madvise */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/filter/plain_loop.h"
#include "harness/filter/timing_child.h"
#include "workloads/core/rng.h"

enum {
    DIGEST_BYTES = FB_DIGEST_WORDS * 8,
    OFFSETS = 4096 / FB_CACHE_LINE,
    HUGE_PAGE = 2 << 20,
};

struct bits {
    void *map;
    size_t map_bytes;
    uint8_t *at; /* on a cache line at a random offset within a page */
};

/* Room for the bits, on a cache line at a random offset within a page. */
static bool map_bits(const struct fb_timing_filter *spec, uint64_t random, bool huge,
                     struct bits *out)
{
    size_t offset = random % OFFSETS * FB_CACHE_LINE;
    out->map_bytes = (size_t)spec->geom.n_bytes + 4096 + FB_CACHE_LINE + (huge ? HUGE_PAGE : 0);
    out->map =
        mmap(NULL, out->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out->map == MAP_FAILED) {
        out->map = NULL;
        return false;
    }
    out->at = (uint8_t *)out->map + offset;
    if (huge)
        out->at += HUGE_PAGE - (uintptr_t)out->map % HUGE_PAGE;
#ifdef MADV_HUGEPAGE
    madvise(out->map, out->map_bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
    return true;
}

/* Pages for all maps, a piece of each in turn, so that near and far memory (of another node of the
 * host, for one) falls to all alike. Else a whole filter lies in one or the other, and its lookups
 * take up to twice as long as its neighbour's. */
static void populate(const struct bits *bits, size_t n)
{
#ifdef MADV_POPULATE_WRITE
    bool any = true;
    for (size_t at = 0; any; at += HUGE_PAGE) {
        any = false;
        for (size_t i = 0; i < n; i++) {
            if (at >= bits[i].map_bytes)
                continue;
            size_t rest = bits[i].map_bytes - at;
            madvise((uint8_t *)bits[i].map + at, rest < HUGE_PAGE ? rest : HUGE_PAGE,
                    MADV_POPULATE_WRITE);
            any = true;
        }
    }
#else
    (void)bits, (void)n;
#endif
}

static bool fill_bits(const struct fb_timing_filter *spec, const struct bits *b)
{
    size_t bytes = (size_t)spec->geom.n_bytes;
    size_t kept = spec->synthetic_fill && bytes > FB_FILL_TILE ? FB_FILL_TILE : bytes;
    for (size_t done = 0; done < kept;) {
        ssize_t got = pread(spec->fd, b->at + done, kept - done, (off_t)done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    for (size_t done = kept; done < bytes; done += kept)
        memcpy(b->at + done, b->at, bytes - done < kept ? bytes - done : kept);
    return true;
}

/* The filters of a footprint, each a copy of its own for each process: physical pages are a matter
 * of placement too. (One mapping of the same pages for all processes made whole runs differ by a
 * quarter beyond the caches, and no interval showed it. Nor do filters of random bits share them:
 * whoever asks the same memory more often finds more of it in the last-level cache.) */
static bool place_all(const struct fb_timing_job *job, uint32_t footprint, uint64_t placement,
                      struct bits *bits)
{
    for (size_t i = 0; i < job->n_cells; i++) {
        uint32_t filter = job->cells[i].filter;
        if (job->cells[i].footprint == footprint && !bits[filter].map &&
            !map_bits(&job->filters[filter], fb_stream_word(placement, ~(uint64_t)filter),
                      job->options.huge_pages, &bits[filter]))
            return false;
    }
    populate(bits, job->n_filters);
    for (size_t i = 0; i < job->n_filters; i++)
        if (bits[i].map && !fill_bits(&job->filters[i], &bits[i]))
            return false;
    return true;
}

/* Reads every line once. */
static void warm(void *self)
{
    struct fb_timed *t = self;
    uint64_t sum = 0;
    for (uint64_t at = 0; at < t->spec->geom.n_bytes; at += FB_CACHE_LINE)
        sum += t->filter.bytes[at];
    fb_opaque(sum);
}

/* A fresh block of digests: absent ones from words no key uses, present ones drawn among the keys.
 */
static void prepare(void *self, uint64_t block)
{
    struct fb_timed *t = self;
    const uint32_t words = t->spec->geom.digest_words;
    const uint64_t stream = t->spec->stream, first = ~(block * DIGEST_BYTES);
    uint64_t threshold = (uint64_t)(t->cell->hit_ratio * 0x1p32);
    if (t->cell->operation == FB_OP_INSERT)
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

static uint64_t run_batch(struct fb_timed *t, size_t n)
{
    return t->filter.kernel->query_batch(&t->filter, t->digests, n, t->maybe);
}

static uint64_t run_each(struct fb_timed *t, size_t n)
{
    return t->filter.kernel->query_each(&t->filter, t->digests, n);
}

static uint64_t run_branch(struct fb_timed *t, size_t n)
{
    return t->filter.kernel->query_branch(&t->filter, t->digests, n);
}

static uint64_t run_chain(struct fb_timed *t, size_t n)
{
    return t->filter.kernel->query_chain(&t->filter, t->digests, n);
}

static uint64_t run_insert(struct fb_timed *t, size_t n)
{
    t->filter.kernel->add_batch(&t->filter, t->digests, n);
    return t->filter.bytes[0];
}

static uint64_t run_plain(struct fb_timed *t, size_t n)
{
    return fb_plain_loop(&t->filter, t->digests, n, t->maybe);
}

uint64_t fb_timed_run(struct fb_timed *t, size_t n)
{
    static uint64_t (*const runs[FB_N_OPERATIONS])(struct fb_timed *, size_t n) = {
        run_batch, run_each, run_branch, run_chain, run_insert, run_plain};
    return runs[t->cell->operation](t, n);
}

static uint64_t run_block(void *self)
{
    struct fb_timed *t = self;
    return fb_timed_run(t, t->n);
}

/* Half a millisecond of the work itself: filters beyond the caches cannot be brought back, but the
 * dirty lines that the candidate before left behind are written back before the clock starts. */
static void warm_far(void *self)
{
    enum { WARM_NS = 500000 };
    const struct fb_clock *clock = &fb_system_clock;
    struct fb_timed *t = self;
    uint64_t sink = 0, end = clock->wall_ns(clock->self) + WARM_NS;
    do {
        prepare(t, (UINT64_C(1) << 48) + t->warmed++); /* far from the measured blocks */
        sink ^= fb_timed_run(t, t->n);
    } while (clock->wall_ns(clock->self) < end);
    fb_opaque(sink);
}

/* Where a process writes what it measured; one of these, by the job's purpose. */
struct outputs {
    struct fb_sample *samples; /* [rounds][n_cells] */
    struct fb_counters *counters;
    struct fb_latency *latencies;
    double *per_s; /* [n_cells][n_threads][FB_SCALING_ROUNDS] */
};

static int measure_times(const struct fb_timing_job *job, const struct fb_candidate *candidates,
                         const size_t *column, size_t n, uint64_t seed, struct fb_sample *samples)
{
    struct fb_sample *own = calloc(n * job->options.rounds, sizeof *own);
    struct fb_measure_options options = {.rounds = job->options.rounds,
                                         .seed = seed,
                                         .min_batch_ns = job->options.min_batch_ns,
                                         .quantum_ns = job->timer.quantum_ns,
                                         .max_retries = 3,
                                         .gap_ns = 1e4};
    uint64_t sink = 0;
    if (!own)
        return FB_EXIT_IO;
    fb_measure(&fb_system_clock, candidates, n, &options, own, &sink);
    for (size_t r = 0; r < options.rounds; r++)
        for (size_t i = 0; i < n; i++)
            samples[r * job->n_cells + column[i]] = own[r * n + i];
    fb_opaque(sink);
    free(own);
    return FB_EXIT_OK;
}

static int measure_extras(const struct fb_timing_job *job, const struct fb_candidate *candidates,
                          const size_t *column, size_t n, const struct outputs *out)
{
    const size_t n_rates = job->options.n_threads * FB_SCALING_ROUNDS;
    enum fb_err err = FB_OK;
    int fd[FB_N_COUNTERS];
    char why[80];
    uint64_t block = 0;
    bool counted = out->counters && fb_counters_open(fd, why, sizeof why);
    for (size_t i = 0; i < n; i++) {
        if (counted)
            fb_timed_count(&candidates[i], &block, fd, &out->counters[column[i]]);
        if (out->latencies)
            fb_timed_latency(&candidates[i], &block, &out->latencies[column[i]]);
        if (out->per_s && !err)
            err = fb_timed_scaling(&candidates[i], &job->options, out->per_s + column[i] * n_rates);
    }
    if (out->counters)
        fb_counters_close(fd);
    return err ? FB_EXIT_IO : FB_EXIT_OK;
}

/* Measures the cells of one footprint into their own columns. */
static int measure_group(const struct fb_timing_job *job, uint32_t footprint, uint64_t placement,
                         const struct outputs *out)
{
    struct fb_candidate *candidates = calloc(job->n_cells, sizeof *candidates);
    struct fb_timed *timed = calloc(job->n_cells, sizeof *timed);
    struct bits *bits = calloc(job->n_filters, sizeof *bits);
    size_t *column = calloc(job->n_cells, sizeof *column);
    uint64_t *digests = fb_alloc_lines(DIGEST_BYTES + 1024);
    uint8_t *maybe = fb_alloc_lines(DIGEST_BYTES);
    int status = FB_EXIT_IO;
    size_t n = 0;
    if (!candidates || !timed || !bits || !column || !digests || !maybe ||
        !place_all(job, footprint, placement, bits))
        goto out;
    for (size_t i = 0; i < job->n_cells; i++) {
        const struct fb_timing_cell *cell = &job->cells[i];
        const struct fb_timing_filter *spec = &job->filters[cell->filter];
        if (cell->footprint != footprint)
            continue;
        struct fb_timed *t = &timed[n];
        const struct fb_design *design = fb_design_at(cell->design);
        t->filter = (struct fb_filter){.design = design,
                                       .kernel = design->kernels[cell->kernel],
                                       .params = spec->params,
                                       .geom = spec->geom,
                                       .n_keys = spec->n_keys,
                                       .bytes = bits[cell->filter].at};
        t->cell = cell;
        t->spec = spec;
        t->n = FB_DIGEST_WORDS / spec->geom.digest_words;
        if (t->n > 64)
            t->n &= ~(size_t)63;
        t->digests = digests;
        t->maybe = maybe;
        candidates[n] = (struct fb_candidate){.name = design->name,
                                              .self = t,
                                              .ops_per_block = t->n,
                                              .warm = footprint == FB_FOOT_DRAM ? warm_far : warm,
                                              .prepare = prepare,
                                              .run = run_block};
        column[n++] = i;
    }
    status = FB_EXIT_OK;
    if (n && out->samples)
        status = measure_times(job, candidates, column, n,
                               fb_stream_word(placement, ~(uint64_t)footprint), out->samples);
    else if (n)
        status = measure_extras(job, candidates, column, n, out);
out:
    for (size_t i = 0; bits && i < job->n_filters; i++)
        if (bits[i].map)
            munmap(bits[i].map, bits[i].map_bytes);
    free(candidates);
    free(timed);
    free(bits);
    free(column);
    free(digests);
    free(maybe);
    return status;
}

static void pin(int cpu)
{
#ifdef CPU_SET
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
#else
    (void)cpu;
#endif
}

static int timing_main(int job_fd, int out_fd, uint64_t placement)
{
    struct fb_timing_job job;
    struct outputs out = {0};
    void *data = NULL;
    int status = FB_EXIT_IO;
    if (!fb_transfer_in(job_fd, &job, sizeof job))
        return status;
    const size_t bytes[FB_N_PURPOSES] = {
        job.options.rounds * sizeof *out.samples, sizeof *out.counters, sizeof *out.latencies,
        job.options.n_threads * FB_SCALING_ROUNDS * sizeof *out.per_s};
    job.cells = calloc(job.n_cells, sizeof *job.cells);
    job.filters = calloc(job.n_filters, sizeof *job.filters);
    data = calloc(job.n_cells, bytes[job.purpose]);
    if (!job.cells || !job.filters || !data ||
        !fb_transfer_in(job_fd, job.cells, job.n_cells * sizeof *job.cells) ||
        !fb_transfer_in(job_fd, job.filters, job.n_filters * sizeof *job.filters))
        goto out;
    out.samples = job.purpose == FB_TIME_SAMPLES ? data : NULL;
    out.counters = job.purpose == FB_TIME_COUNTERS ? data : NULL;
    out.latencies = job.purpose == FB_TIME_LATENCY ? data : NULL;
    out.per_s = job.purpose == FB_TIME_SCALING ? data : NULL;
    if (!out.per_s) /* its threads have a processor each */
        pin(job.options.cpu);
    status = FB_EXIT_OK;
    for (uint32_t footprint = 0; footprint < FB_N_FOOTPRINTS && !status; footprint++)
        if (job.footprint == footprint || job.footprint == FB_N_FOOTPRINTS)
            status = measure_group(&job, footprint, placement, &out);
    if (!status && !fb_transfer_out(out_fd, data, job.n_cells * bytes[job.purpose]))
        status = FB_EXIT_IO;
out:
    free(job.cells);
    free(job.filters);
    free(data);
    return status;
}

const struct fb_child fb_timing_child = {"timing", timing_main};
