/*
 * Timing filters: cells that ask or fill a filter in one way, measured as a group (group.h).
 *
 * A footprint is a part: a process measures all its cells in the same rounds. A cell's cost is
 * reported in ns, which belongs to this machine, and as a ratio to the yardstick of its line size
 * in the same rounds, which travels.
 *
 * Digests are ideal (words of a counter-based stream), made outside the clock; key i of a filter is
 * word i of its stream, so present digests can be drawn without storing any.
 *
 * Filters are built by timing_build.c; timing.c runs a job, timing_child.c is the measuring
 * process.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_TIMING_H
#define FILTERBENCH_HARNESS_FILTER_TIMING_H

#include "filters/core/filter.h"
#include "filters/core/tuning.h"
#include "harness/base/progress.h"
#include "harness/filter/footprint.h"
#include "harness/filter/operation.h"
#include "harness/filter/scaling.h"
#include "harness/filter/yardstick.h"
#include "harness/measure/group.h"

/* Plain data: travels to the measuring processes through a file. */
struct fb_timing_cell {
    uint32_t design;          /* registry index */
    uint32_t kernel;          /* index into the design's kernels */
    uint32_t operation;       /* enum fb_operation */
    uint32_t footprint;       /* enum fb_footprint: the part it is measured in */
    int32_t yardstick;        /* index of the cell its ratio is taken to; -1: it is one */
    double hit_ratio;         /* share of present keys asked, [0, 1]; 0 where none are asked */
    double bits_per_key, fpr; /* the size asked for, one of them; both 0 for yardsticks */
    double load;              /* the load asked for; 0: the keys that it is sized for */
    uint32_t filter;          /* index into fb_timing_job.filters */
    uint32_t runs;            /* filters that a walk asks; 0: no walk */
    bool aside;               /* shown for comparison: the run does not go on for its precision */
    bool family;   /* a yardstick: the fastest of its family (yardstick.h) stands for it */
    uint32_t loop; /* of FB_OP_PLAIN: fb_plain_loop_at; beside a peer: enum fb_inline_form */
    /* Of pieces of work. */
    uint32_t hash; /* registry index */
    uint32_t key_len, probes;
    uint64_t n_bits; /* the divisor of reductions; of FB_OP_BITS: what it addresses */
    /* While the cell is measured, `prefetch` stands in the tuning for the class `tuned` and the
     * cell's sort of work, whatever the reach. Of a job's cells of a class all have one, or none,
     * and those that have one, but for yardsticks, ask one filter. */
    bool tries;
    uint32_t tuned; /* enum fb_tuned */
    struct fb_prefetch prefetch;
};

struct fb_timing_filter {
    struct fb_params params; /* resolved */
    struct fb_geometry geom;
    uint64_t n_keys, stream; /* present digests: words 0 .. n_keys - 1 of the stream */
    uint32_t runs;     /* filters of a walk, of this geometry and so many keys each, one behind
                          the other; their keys are one behind the other in the stream; 0: one */
    uint64_t checksum; /* XXH64 of the bits, of random ones of their first FB_FILL_TILE bytes */
    int32_t fd;        /* memory file with those; -1 before it is built */
    uint32_t design;
    uint8_t synthetic_fill; /* random bits at the design's density, not built from keys */
};

/* From one filter of a walk to the next, and of all of them, or of the one. */
static inline uint64_t fb_timing_stride(const struct fb_timing_filter *f)
{
    return fb_round_up(f->geom.n_bytes, FB_CACHE_LINE);
}
static inline uint64_t fb_timing_bytes(const struct fb_timing_filter *f)
{
    return f->runs ? f->runs * fb_timing_stride(f) : f->geom.n_bytes;
}

/* Random bits are repeated after so many bytes, all that a filter of them keeps: a measuring
 * process makes the rest. Its checksum is of those. The filters of a walk begin at different places
 * of them, so that their answers differ. */
enum { FB_FILL_TILE = 2 << 20 };

struct fb_timing_options {
    struct fb_group_options group;
    bool huge_pages;                   /* ask for them for the filters */
    unsigned threads[FB_SCALING_MOST]; /* scaling.h; the first is 1 */
    size_t n_threads;
};

/* What a measuring process is started for, and what it writes for each cell. */
enum fb_timing_purpose {
    FB_TIME_SAMPLES,
    FB_TIME_COUNTERS, /* struct fb_counters */
    FB_TIME_LATENCY,  /* struct fb_latency */
    FB_TIME_SCALING,  /* double [n_threads][FB_SCALING_ROUNDS]; 0 where none is measured */
    FB_TIME_ICOUNT,   /* uint64_t: operations counted; icount.h */
    FB_TIME_MIXED,    /* struct fb_mixed_counts: answers; mixed.h */
};
enum { FB_SCALING_ROUNDS = 12 };

struct fb_timing_job {
    struct fb_timing_options options;
    size_t n_cells, n_filters;
    struct fb_timing_cell *cells;     /* [n_cells], owned */
    struct fb_timing_filter *filters; /* [n_filters], owned */
};

void fb_timing_job_close(struct fb_timing_job *); /* closes the memory files as well */

/* Builds every filter of the job (on n_threads; 0: all cores) and its memory file; those with
 * synthetic_fill without keys. Their geometry may then be another than planned. progress counts
 * nothing, but is drawn after each; it may be NULL. When fb_interrupted(), some filters stay
 * unbuilt. */
enum fb_err fb_timing_build(struct fb_timing_job *, unsigned n_threads, struct fb_progress *,
                            const char **why) FB_MUST_USE;

/* What one build of an operation's cell takes: of FB_OP_BUILD or FB_OP_BUILD_KEYS, with the keys
 * that the measuring processes give it. The filter's bits need not be built. */
struct fb_timing_cost {
    unsigned attempts;
    uint64_t temporary_bytes;
};
enum fb_err fb_timing_cost(const struct fb_timing_filter *, enum fb_operation,
                           struct fb_timing_cost *out) FB_MUST_USE;

/* Measures the cells as the members of a group of FB_N_FOOTPRINTS parts; the lookups of a footprint
 * are one series, what writes another. Close the group in either case. */
enum fb_err fb_timing_run(const struct fb_timing_job *, const struct fb_group_watch *,
                          struct fb_group *out) FB_MUST_USE;

/* Makes *out a part of another group, whose members are all cells of a job that is built. */
enum fb_err fb_timing_part(const struct fb_timing_job *, struct fb_part *out) FB_MUST_USE;

/* One more process of each footprint for another purpose; out [n_cells] of bytes_each. `under`: as
 * for fb_process_run_under, or NULL. */
enum fb_err fb_timing_once(const struct fb_timing_job *, enum fb_timing_purpose,
                           const char *const *under, void *out, size_t bytes_each) FB_MUST_USE;

/* The series of a cell in its group. */
uint32_t fb_timing_series(enum fb_footprint, enum fb_operation);

/* The child's side, for fb_processes_child. Its file: a struct fb_timing_task, then the arrays. */
struct fb_timing_task {
    uint32_t purpose; /* enum fb_timing_purpose */
    struct fb_timing_options options;
    struct fb_tuning tuning;   /* in force where the task was made */
    size_t n_cells, n_filters; /* the cells of one footprint, the filters of the job */
};
extern const struct fb_child fb_timing_child;

#endif
