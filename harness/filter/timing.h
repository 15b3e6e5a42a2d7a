/*
 * Timing filters: footprints, operations, yardsticks. Joins the measurement core (measure.h), which
 * knows no filter, with the designs; measured in several processes (processes.h).
 *
 * A process measures one footprint: all its cells are candidates of the same rounds. Processes of
 * all footprints take turns, so that each is spread over the whole run. A cell's cost is reported
 * in ns, which belongs to this machine, and as a ratio to the yardstick of its line size in the
 * same rounds, which travels. Intervals are over processes, in the order of time (serial.h).
 *
 * Digests are ideal (words of a counter-based stream), made outside the clock; key i of a filter is
 * word i of its stream, so present digests can be drawn without storing any.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_TIMING_H
#define FILTERBENCH_HARNESS_FILTER_TIMING_H

#include "filters/core/filter.h"
#include "harness/filter/scaling.h"
#include "harness/measure/measure.h"
#include "harness/measure/processes.h"
#include "harness/stats/paired.h"

enum fb_operation {
    FB_OP_BATCH,  /* query_batch: independent, all digests at hand */
    FB_OP_EACH,   /* one by one, probe inlined, answers summed */
    FB_OP_BRANCH, /* one by one, a branch taken on each answer */
    FB_OP_CHAIN,  /* each digest waits for the previous answer: latency */
    FB_OP_INSERT, /* add_batch of keys that are in already */
    FB_OP_PLAIN,  /* a yardstick's batch as anyone would write it: plain_loop.h */
    FB_N_OPERATIONS
};
/* "batch", "each", "branch", "chain", "insert", "plain" */
const char *fb_operation_name(enum fb_operation);
enum fb_operation fb_operation_find(const char *name); /* FB_N_OPERATIONS: no such name */

/* Footprints by bytes of filter, from the machine's own caches. */
enum fb_footprint { FB_FOOT_L1, FB_FOOT_L2, FB_FOOT_L3, FB_FOOT_DRAM, FB_N_FOOTPRINTS };
struct fb_footprints {
    uint64_t l1d_bytes, l2_bytes, l3_bytes; /* of the machine; assumed where unknown */
    bool assumed;                    /* some cache size is 48 KiB, 1 MiB or 32 MiB by guess */
    uint64_t bytes[FB_N_FOOTPRINTS]; /* 0: left out */
};
const char *fb_footprint_name(enum fb_footprint);      /* "L1", "L2", "L3", "DRAM" */
enum fb_footprint fb_footprint_find(const char *name); /* FB_N_FOOTPRINTS: no such name */

/* 12.5 kB, half of L2, half of L3, four times L3. A guest sees the last-level cache of its whole
 * host and has a share of it: L3 is at most 16 times L2; DRAM 384 MiB, or L3 and a quarter where
 * that is more. */
void fb_footprints_detect(struct fb_footprints *);
void fb_footprints_derive(struct fb_footprints *); /* `bytes` from the sizes of the caches */

/* Footprints above `most` bytes shrink to it; one that would fit a smaller cache then is left out.
 */
void fb_footprints_bound(struct fb_footprints *, uint64_t most);

/* Plain data: travels to the measuring processes through a file. */
struct fb_timing_cell {
    uint32_t design;          /* registry index */
    uint32_t kernel;          /* index into the design's kernels */
    uint32_t operation;       /* enum fb_operation */
    uint32_t footprint;       /* enum fb_footprint: the group it is measured in */
    int32_t yardstick;        /* index of the cell its ratio is taken to; -1: it is one */
    double hit_ratio;         /* share of present keys asked, [0, 1]; 0 for inserts */
    double bits_per_key, fpr; /* the size asked for, one of them; both 0 for yardsticks */
    uint32_t filter;          /* index into fb_timing_job.filters */
    bool aside;               /* shown for comparison: the run does not go on for its precision */
};

struct fb_timing_filter {
    struct fb_params params; /* resolved */
    struct fb_geometry geom;
    uint64_t n_keys, stream; /* present digests: words 0 .. n_keys - 1 of the stream */
    uint64_t checksum; /* XXH64 of the bits, of random ones of their first FB_FILL_TILE bytes */
    int32_t fd;        /* memory file with those; -1 before it is built */
    uint32_t design;
    uint8_t synthetic_fill; /* random bits at the design's density, not built from keys */
};

/* Random bits are repeated after so many bytes, all that a filter of them keeps: a measuring
 * process makes the rest. Its checksum is of those. */
enum { FB_FILL_TILE = 2 << 20 };

enum { FB_TIMING_ROUNDS = 1000 }; /* at most */

struct fb_timing_options {
    size_t rounds;        /* per process, 1 to FB_TIMING_ROUNDS */
    size_t min_processes; /* of a footprint; at least 6, so that a 95 % interval exists */
    size_t max_processes; /* of a footprint; at most FB_PAIRED_MAX */
    double precision;     /* relative half-width of the 95 % interval of each ratio */
    double budget_s;      /* no process starts later than this */
    uint64_t seed;
    double min_batch_ns;
    int cpu;                           /* pinned to; -1: not pinned */
    bool huge_pages;                   /* ask for them for the filters */
    unsigned threads[FB_SCALING_MOST]; /* scaling.h; the first is 1 */
    size_t n_threads;
};

/* What a measuring process is started for. */
enum fb_timing_purpose {
    FB_TIME_SAMPLES,
    FB_TIME_COUNTERS,
    FB_TIME_LATENCY,
    FB_TIME_SCALING, /* double [n_threads][FB_SCALING_ROUNDS] a cell; 0 where none is measured */
    FB_N_PURPOSES
};
enum { FB_SCALING_ROUNDS = 12 };

struct fb_timing_job {
    uint32_t purpose;   /* enum fb_timing_purpose */
    uint32_t footprint; /* whose cells a process measures; FB_N_FOOTPRINTS: all, in turn */
    struct fb_timing_options options;
    struct fb_timer_quality timer;
    size_t n_cells, n_filters;
    struct fb_timing_cell *cells;     /* [n_cells], owned */
    struct fb_timing_filter *filters; /* [n_filters], owned */
};

void fb_timing_job_close(struct fb_timing_job *); /* closes the memory files as well */

/* Builds every filter of the job (on all cores) and its memory file; those with synthetic_fill
 * without keys. built(arg, i) is called after each, from any thread; it may be NULL. When
 * fb_interrupted(), some filters stay unbuilt. */
enum fb_err fb_timing_build(struct fb_timing_job *, unsigned n_threads,
                            void (*built)(void *arg, size_t filter), void *arg,
                            const char **why) FB_MUST_USE;

struct fb_timing_estimate {
    double ns, ns_min, ns_mean, ns_mad;  /* over all rounds of all processes; median first */
    struct fb_interval ns95;             /* over processes */
    double ratio;                        /* to the yardstick; NaN for yardsticks */
    struct fb_interval ratio95, ratio99; /* over processes */
    uint32_t retries, flagged;           /* batches repeated; rounds with a flag */
    double sd_process, sd_round;         /* of ln ns: between processes, between rounds of one */
};

enum fb_timing_stop { FB_STOP_PRECISION, FB_STOP_BUDGET, FB_STOP_PROCESSES, FB_STOP_INTERRUPTED };
const char *fb_timing_stop_name(enum fb_timing_stop);

struct fb_timing_result {
    size_t processes[FB_N_FOOTPRINTS], rounds, n_cells;
    /* [max_processes][rounds][n_cells], owned; a cell has those of its footprint's processes. */
    struct fb_sample *samples;
    struct fb_timing_estimate *estimate; /* [n_cells], owned */
    double memory, memory_ns;            /* of the noise (serial.h), in ratios and in times */
    double half_width; /* the widest relative one of a 95 % ratio interval, but for cells aside */
    bool cpu_clock; /* estimates are of thread CPU time: over a tenth of the batches were repeats */
    bool executed;  /* each process was started anew, not only forked */
    enum fb_timing_stop stopped;
};

void fb_timing_result_close(struct fb_timing_result *);

/* The widest relative half-width of a 95 % ratio interval, but for cells aside, of a footprint or
 * of all (FB_N_FOOTPRINTS); infinite where one has none. */
double fb_timing_half_width(const struct fb_timing_job *, const struct fb_timing_result *,
                            uint32_t footprint);

/* Processes of all footprints. */
size_t fb_timing_processes(const struct fb_timing_result *);

/* Measures. progress(arg, result so far) may be NULL; it is called after each process. */
enum fb_err fb_timing_run(const struct fb_timing_job *,
                          void (*progress)(void *arg, const struct fb_timing_result *), void *arg,
                          struct fb_timing_result *out) FB_MUST_USE;

/* The estimates, memories, half_width and cpu_clock, from the samples alone; used by fb_timing_run
 * and by `validate`. Of the job's cells only footprint, operation, yardstick and aside are read. */
void fb_timing_estimates(const struct fb_timing_job *, struct fb_timing_result *);

/* Runs one more process for another purpose; it writes bytes_each bytes for each cell to out. */
enum fb_err fb_timing_once(const struct fb_timing_job *, enum fb_timing_purpose, void *out,
                           size_t bytes_each) FB_MUST_USE;

/* The child's side, for fb_processes_child. */
extern const struct fb_child fb_timing_child;

#endif
