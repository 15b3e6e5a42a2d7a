/* Names, footprints, and the filters of a timing job. Its estimates are timing_estimate.c, its run
 * timing_run.c, the measuring process timing_child.c. */
#include "harness/filter/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filters/core/math.h"
#include "harness/base/parallel.h"
#include "workloads/core/rng.h"

const char *fb_operation_name(enum fb_operation operation)
{
    static const char *const names[FB_N_OPERATIONS] = {"batch", "each",   "branch",
                                                       "chain", "insert", "plain"};
    return names[operation];
}

enum fb_operation fb_operation_find(const char *name)
{
    int i = 0;
    while (i < FB_N_OPERATIONS && strcmp(fb_operation_name((enum fb_operation)i), name) != 0)
        i++;
    return (enum fb_operation)i;
}

const char *fb_footprint_name(enum fb_footprint footprint)
{
    static const char *const names[FB_N_FOOTPRINTS] = {"L1", "L2", "L3", "DRAM"};
    return names[footprint];
}

enum fb_footprint fb_footprint_find(const char *name)
{
    int i = 0;
    while (i < FB_N_FOOTPRINTS && strcmp(fb_footprint_name((enum fb_footprint)i), name) != 0)
        i++;
    return (enum fb_footprint)i;
}

const char *fb_timing_stop_name(enum fb_timing_stop stop)
{
    static const char *const names[] = {"precision", "budget", "processes", "interrupted"};
    return names[stop];
}

/* Size of the data or unified cache of a level as the kernel reports it for the first processor; 0
 * if it does not. (The C library asks the processor itself, which in a virtual machine may name the
 * caches of the whole host: 384 MiB of L3 where the guest shares 32.) */
static uint64_t cache_from_sysfs(int level)
{
    uint64_t bytes = 0;
    for (int index = 0; index < 8 && !bytes; index++) {
        char path[80], line[32] = "";
        int found = 0;
        static const char *const leaves[] = {"level", "type", "size"};
        for (int leaf = 0; leaf < 3; leaf++) {
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                     leaves[leaf]);
            FILE *file = fopen(path, "r");
            if (!file || !fgets(line, sizeof line, file))
                line[0] = '\0';
            if (file)
                fclose(file);
            found += (leaf == 0 && atoi(line) == level) ||
                     (leaf == 1 && line[0] && strncmp(line, "Instruction", 11) != 0);
        }
        char *unit;
        unsigned long size = strtoul(line, &unit, 10);
        if (found == 2)
            bytes = (uint64_t)size << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
    }
    return bytes;
}

static uint64_t cache_bytes(int level, uint64_t guess, bool *assumed)
{
    uint64_t bytes = cache_from_sysfs(level);
    *assumed |= bytes == 0;
    return bytes ? bytes : guess;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

enum { ENOUGH_DRAM = 384 << 20 };

void fb_footprints_derive(struct fb_footprints *out)
{
    out->bytes[FB_FOOT_L1] = 12500;
    out->bytes[FB_FOOT_L2] = out->l2_bytes / 2;
    out->bytes[FB_FOOT_L3] = least(out->l3_bytes / 2, out->l2_bytes * 16);
    uint64_t beyond = out->l3_bytes + out->l3_bytes / 4;
    out->bytes[FB_FOOT_DRAM] =
        least(out->l3_bytes * 4, beyond > ENOUGH_DRAM ? beyond : ENOUGH_DRAM);
}

void fb_footprints_detect(struct fb_footprints *out)
{
    out->assumed = false;
    out->l1d_bytes = cache_bytes(1, UINT64_C(48) << 10, &out->assumed);
    out->l2_bytes = cache_bytes(2, UINT64_C(1) << 20, &out->assumed);
    out->l3_bytes = cache_bytes(3, UINT64_C(32) << 20, &out->assumed);
    fb_footprints_derive(out);
}

void fb_footprints_bound(struct fb_footprints *f, uint64_t most)
{
    const uint64_t inside[FB_N_FOOTPRINTS] = {0, f->l1d_bytes, f->l2_bytes, f->l3_bytes};
    for (int i = 0; i < FB_N_FOOTPRINTS; i++) {
        f->bytes[i] = least(f->bytes[i], most);
        if (f->bytes[i] <= inside[i])
            f->bytes[i] = 0;
    }
}

void fb_timing_job_close(struct fb_timing_job *job)
{
    for (size_t i = 0; i < job->n_filters; i++)
        if (job->filters[i].fd >= 0)
            close(job->filters[i].fd);
    free(job->cells);
    free(job->filters);
    memset(job, 0, sizeof *job);
}

/* ---- Building ---- */

/* Share of bits that are 1 once n_keys are in, in 256ths below 1: each bit of a block escapes the
 * keys' probes with the same probability whatever the layout. */
static unsigned density(const struct fb_geometry *geom, uint64_t n_keys)
{
    double throws = (double)n_keys * geom->probes;
    double share = -fb_expm1(-throws / (double)geom->n_bits);
    return (unsigned)least(255, (uint64_t)(share * 256 + 0.5));
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

/* Adds digests in chunks, so that the largest filter needs no array of all its digests. */
static enum fb_err fill_from_keys(struct fb_filter *filter, const struct fb_timing_filter *spec)
{
    const unsigned words = spec->geom.digest_words;
    uint64_t *digests = calloc((size_t)BUILD_CHUNK * words, sizeof *digests);
    if (!digests)
        return FB_ENOMEM;
    for (uint64_t i = 0; i < spec->n_keys; i += BUILD_CHUNK) {
        size_t n = spec->n_keys - i < BUILD_CHUNK ? (size_t)(spec->n_keys - i) : BUILD_CHUNK;
        for (size_t w = 0; w < n * words; w++)
            digests[w] = fb_mix64(spec->stream + (i * words + w) * FB_GOLDEN64);
        filter->kernel->add_batch(filter, digests, n);
    }
    free(digests);
    return FB_OK;
}

struct build {
    struct fb_timing_job *job;
    void (*built)(void *arg, size_t filter);
    void *arg;
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
    fill_random(words, FB_FILL_TILE / sizeof *words, density(&spec->geom, spec->n_keys),
                spec->stream);
    enum fb_err err = keep(spec, words, least(spec->geom.n_bytes, FB_FILL_TILE));
    free(words);
    return err;
}

static enum fb_err make_from_keys(struct fb_timing_filter *spec)
{
    struct fb_filter filter;
    enum fb_err err = fb_filter_alloc(fb_design_at(spec->design), &spec->geom, &filter);
    if (err)
        return err;
    if (filter.kernel->add_batch)
        err = fill_from_keys(&filter, spec);
    if (!err)
        err = keep(spec, filter.bytes, spec->geom.n_bytes);
    fb_filter_close(&filter);
    return err;
}

static enum fb_err build_one(void *arg, size_t i)
{
    struct build *build = arg;
    struct fb_timing_filter *spec = &build->job->filters[i];
    enum fb_err err = spec->synthetic_fill ? make_random(spec) : make_from_keys(spec);
    if (build->built)
        build->built(build->arg, i);
    return err;
}

enum fb_err fb_timing_build(struct fb_timing_job *job, unsigned n_threads,
                            void (*built)(void *arg, size_t filter), void *arg, const char **why)
{
    struct build build = {job, built, arg};
    bool complete;
    *why = NULL;
    for (size_t i = 0; i < job->n_filters; i++) {
        struct fb_timing_filter *spec = &job->filters[i];
        enum fb_err err = fb_design_plan(fb_design_at(spec->design), &spec->params, spec->n_keys,
                                         &spec->geom, why);
        if (err)
            return err;
    }
    return fb_parallel_for(job->n_filters, n_threads, build_one, &build, &complete);
}
