/* The filters of a timing job, and their memory files. */
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/base/parallel.h"
#include "harness/filter/timing.h"
#include "workloads/core/rng.h"

/* Share of bits that are 1 once n_keys are in, in 256ths below 1: each bit of a block escapes the
 * keys' probes with the same probability whatever the layout. */
static unsigned density(const struct fb_design *design, const struct fb_geometry *geom,
                        uint64_t n_keys)
{
    if (design->traits & FB_RANDOM_STANDS)
        return 128;
    double throws = (double)n_keys * geom->probes;
    double share = -fb_expm1(-throws / (double)geom->n_bits);
    return share * 256 + 0.5 < 255 ? (unsigned)(share * 256 + 0.5) : 255;
}

/* Words of random bits of a density in 256ths, from eight random words each: taking its binary
 * digits from the last to the first, a 1 ors the next word in and a 0 ands. */
static void fill_random(uint64_t *words, size_t n, unsigned share, uint64_t stream)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t w = 0;
        for (unsigned digit = 0; digit < 8; digit++) {
            uint64_t r = fb_mix64(stream + (i * 8 + digit) * FB_GOLDEN64);
            w = share >> digit & 1 ? w | r : w & r;
        }
        words[i] = w;
    }
}

enum { BUILD_CHUNK = 4096 };

/* Digests of n keys from the first on. */
static void digest_keys(const struct fb_timing_filter *spec, uint64_t first, size_t n,
                        uint64_t *digests)
{
    const unsigned words = spec->geom.digest_words;
    for (size_t w = 0; w < n * words; w++)
        digests[w] = fb_mix64(spec->stream + (first * words + w) * FB_GOLDEN64);
}

/* Adds digests in chunks, so that the largest filter needs no array of all its digests; from key
 * `first` of the stream on. */
static enum fb_err fill_from_keys(struct fb_filter *filter, const struct fb_timing_filter *spec,
                                  uint64_t first)
{
    uint64_t *digests = calloc((size_t)BUILD_CHUNK * spec->geom.digest_words, sizeof *digests);
    enum fb_err err = digests ? FB_OK : FB_ENOMEM;
    for (uint64_t i = 0; !err && i < spec->n_keys; i += BUILD_CHUNK) {
        size_t n = spec->n_keys - i < BUILD_CHUNK ? (size_t)(spec->n_keys - i) : BUILD_CHUNK;
        digest_keys(spec, first + i, n, digests);
        if (filter->kernel->add_batch(filter, digests, n) < n)
            err = FB_EFULL;
    }
    free(digests);
    return err;
}

static enum fb_err build_at_once(const struct fb_timing_filter *spec, struct fb_filter *out,
                                 const char **why)
{
    const size_t n = (size_t)spec->n_keys;
    uint64_t *digests = malloc((n * spec->geom.digest_words + 1) * sizeof *digests);
    if (!digests)
        return FB_ENOMEM;
    digest_keys(spec, 0, n, digests);
    enum fb_err err = fb_filter_build_digests(fb_design_at(spec->design), NULL, &spec->params,
                                              digests, n, out, why);
    free(digests);
    return err;
}

/* From keys that are words of the stream, as a measuring process makes them. */
static enum fb_err build_from_keys(const struct fb_timing_filter *spec, struct fb_filter *out,
                                   const char **why)
{
    enum { WORDS = FB_BUILD_KEY_BYTES / sizeof(uint64_t) };
    const size_t n = (size_t)spec->n_keys;
    uint64_t *words = malloc((n * WORDS + 1) * sizeof *words);
    uint64_t *offsets = malloc((n + 1) * sizeof *offsets);
    enum fb_err err = words && offsets ? FB_OK : FB_ENOMEM;
    for (size_t w = 0; !err && w < n * WORDS; w++)
        words[w] = fb_mix64(spec->stream + w * FB_GOLDEN64);
    for (size_t i = 0; !err && i <= n; i++)
        offsets[i] = i * FB_BUILD_KEY_BYTES;
    const struct fb_keys keys = {.bytes = (const uint8_t *)words, .offset = offsets, .n = n};
    if (!err)
        err = fb_filter_build(fb_design_at(spec->design), NULL, &spec->params, &keys, out, why);
    free(words);
    free(offsets);
    return err;
}

enum fb_err fb_timing_cost(const struct fb_timing_filter *spec, enum fb_operation operation,
                           struct fb_timing_cost *out)
{
    struct fb_filter filter = {0};
    const char *why;
    *out = (struct fb_timing_cost){.attempts = 1};
    if (!fb_design_waits(fb_design_at(spec->design)))
        return FB_OK;
    enum fb_err err = operation == FB_OP_BUILD ? build_at_once(spec, &filter, &why)
                                               : build_from_keys(spec, &filter, &why);
    *out = (struct fb_timing_cost){filter.attempts, filter.temporary_bytes};
    fb_filter_close(&filter);
    return err;
}

struct build {
    struct fb_timing_job *job;
    struct fb_progress *progress;
    const char *_Atomic why;
};

static enum fb_err keep(struct fb_timing_filter *spec, const void *bits, uint64_t n_bytes)
{
    spec->checksum = fb_xxh64(bits, (size_t)n_bytes, 0);
    spec->fd = fb_memory_file(bits, n_bytes);
    return spec->fd < 0 ? FB_ENOMEM : FB_OK;
}

static enum fb_err make_random(struct fb_timing_filter *spec)
{
    uint64_t *words = calloc(FB_FILL_TILE, 1);
    if (!words)
        return FB_ENOMEM;
    fill_random(words, FB_FILL_TILE / sizeof *words,
                density(fb_design_at(spec->design), &spec->geom, spec->n_keys), spec->stream);
    enum fb_err err = keep(spec, words, fb_min_u64(fb_timing_bytes(spec), FB_FILL_TILE));
    free(words);
    return err;
}

static enum fb_err make_from_keys(struct fb_timing_filter *spec, const char **why)
{
    const struct fb_design *design = fb_design_at(spec->design);
    struct fb_filter filter = {0};
    enum fb_err err = FB_OK;
    if (!fb_design_keeps_plan(design)) {
        err = build_at_once(spec, &filter, why);
    } else {
        err = fb_filter_alloc(design, &spec->geom, &filter);
        if (!err)
            err = fill_from_keys(&filter, spec, 0);
        *why = err == FB_EFULL ? design->when_full : NULL;
    }
    if (!err) {
        spec->geom = filter.geom;
        err = keep(spec, filter.bytes, spec->geom.n_bytes);
    }
    fb_filter_close(&filter);
    return err;
}

/* The filters of a walk, which keep their plan. */
static enum fb_err make_row(struct fb_timing_filter *spec, const char **why)
{
    const struct fb_design *design = fb_design_at(spec->design);
    uint8_t *bits = calloc(fb_timing_bytes(spec), 1);
    enum fb_err err = bits ? FB_OK : FB_ENOMEM;
    for (uint64_t r = 0; r < spec->runs && !err; r++) {
        struct fb_filter filter = {0};
        err = fb_filter_alloc(design, &spec->geom, &filter);
        if (!err)
            err = fill_from_keys(&filter, spec, r * spec->n_keys);
        if (!err)
            memcpy(bits + r * fb_timing_stride(spec), filter.bytes, spec->geom.n_bytes);
        fb_filter_close(&filter);
    }
    *why = err == FB_EFULL ? design->when_full : NULL;
    if (!err)
        err = keep(spec, bits, fb_timing_bytes(spec));
    free(bits);
    return err;
}

static enum fb_err build_one(void *arg, size_t i)
{
    struct build *build = arg;
    struct fb_timing_filter *spec = &build->job->filters[i];
    const char *why = NULL;
    enum fb_err err = spec->synthetic_fill ? make_random(spec)
                      : spec->runs         ? make_row(spec, &why)
                                           : make_from_keys(spec, &why);
    if (why)
        build->why = why;
    if (build->progress)
        fb_progress_add(build->progress, 0, "building filters");
    return err;
}

enum fb_err fb_timing_build(struct fb_timing_job *job, unsigned n_threads,
                            struct fb_progress *progress, const char **why)
{
    struct build build = {.job = job, .progress = progress};
    bool complete;
    *why = NULL;
    for (size_t i = 0; i < job->n_filters; i++) {
        struct fb_timing_filter *spec = &job->filters[i];
        enum fb_err err = fb_design_plan(fb_design_at(spec->design), &spec->params, spec->n_keys,
                                         &spec->geom, why);
        if (err)
            return err;
    }
    enum fb_err err = fb_parallel_for(job->n_filters, n_threads, build_one, &build, &complete);
    *why = build.why;
    return err;
}
