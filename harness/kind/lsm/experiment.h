/*
 * Experiments of kind "lsm": filters in a tree, asked as a storage engine asks them.
 *
 *     name, summary, source, runtime   as in every experiment
 *     kind             "lsm"
 *   the filters
 *     designs          list
 *     hash             list of names that replace each design's own hash, null: its own
 *     bits_per_key     list of numbers } at least one of the three; each entry is a size, of all
 *     fpr              list of rates   } filters together
 *     run_bits         bits per key of each level, newest first, the last number for all older
 *                      ones; -1: none; one more size
 *     allocations      list of uniform, monkey, optimal, drop-last
 *     filters          list of {design, bits_per_key, allocation}: filters one by one, in place of
 *                      all that the fields above and prefixes make
 *     lookups          list of names, or "all"
 *     prefixes         list of none, fixed:N, capped:N (harness/tree/prefix.h): what filters hold
 *     prefix_whole_key list of true, false: whole keys beside prefixes, or prefixes alone
 *   the tree (workloads/core/tree.h)
 *     style            list; n (list; 0: what the levels hold), levels, ratio, l0, fill,
 *                      runs (list; flat, universal), size_ratio, updates, tombstones, memtables,
 *                      memtable_keys, filter_unit, scale (divides the keys of a segment; filters
 *                      whose rate it changes are not ranked: report/scaled.c)
 *     run_sizes        list of {level, keys}, newest first: runs in place of those that style,
 *                      levels, ratio and l0 make
 *     keys             list of formats, "file", or "trace" alone; key_bytes (0: the format's),
 *                      value_bytes, entry_overhead, segment_bytes, order (list)
 *     trace_memtable_bytes  what a trace puts into one memtable (workloads/core/trace_tree.h); a
 *                      trace has no n, absent or queries: all of its gets are asked
 *   the queries
 *     queries          counted per cell; warm: more of them before, that only fill the cache
 *     absent           list of shares; absent_kind: list; holder, popularity, repeat_keys,
 *                      repeat_theta
 *     scans            of prefixes, counted per cell beside the queries, without a cache. Scan i
 *                      covers all keys sharing query i's prefix. Filters of prefixes are scanned
 *                      for theirs, others for each of `scan_prefix` (list; none given: those of
 *                      `prefixes`)
 *   reading
 *     cache_bytes      list; cache_policy, filter_residency (list), index_residency, block_bytes,
 *                      index_entry_bytes, evict_every, evict_share
 *     device           a name, a time or measured:FOLDER: what the ranking is for
 *     device_bytes     of the file that is written into the folder
 *   measuring
 *     timed            measure CPU time of the lookups, or count only; filters that hold prefixes
 *                      alone are counted only
 *     timed_builds     time builds as well, where lookups are
 *     histograms       of single queries as well (query_latency.h)
 *     rounds           per process; min_processes, max_processes, precision, budget, cpu, seed.
 *                      Where max_processes allows it, 16 processes are taken whatever
 *                      min_processes and budget say: fewer tell nothing of the noise (serial.h)
 *     ci               an object of fields that replace the above for --ci: under 5 s; counts only
 *                      unless it says otherwise
 *
 * A list is an axis: cells are all combinations. A list of one may be written as its element. A
 * cell is what is counted; its lookups, which give the same answers, are what is timed.
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_EXPERIMENT_H
#define FILTERBENCH_HARNESS_KIND_LSM_EXPERIMENT_H

#include "harness/document/kind.h"
#include "harness/filter/timing.h"
#include "harness/store/allocation.h"
#include "harness/store/device.h"
#include "harness/tree/prefix_path.h"
#include "harness/tree/read_path.h"
#include "harness/tree/walk_timing.h"
#include "workloads/core/sorted_space.h"

/* ---- The axes ---- */

struct fb_lsm_tree {
    enum fb_style style;
    uint64_t n;              /* 0: what the levels hold */
    unsigned n_runs;         /* flat and universal, else 0 */
    struct fb_keygen keygen; /* unless file or trace */
    bool file, trace;
    enum fb_order order; /* files: shuffle; traces: arrival */
};

enum fb_lsm_sizing { FB_LSM_NO_SIZE, FB_LSM_BITS, FB_LSM_RATE, FB_LSM_LEVELS };

struct fb_lsm_filter {
    const struct fb_design *design;
    const struct fb_hash *hash; /* NULL: the design's own */
    enum fb_lsm_sizing sizing;  /* FB_LSM_NO_SIZE: the design takes none */
    double size;                /* bits per key, or rate */
    enum fb_allocation allocation;
    struct fb_prefix prefix; /* what of a key is in the filters */
};

struct fb_lsm_stream {
    double absent;
    enum fb_absent_kind kind;
};

struct fb_lsm_reading {
    uint64_t cache_bytes;
    enum fb_residency filters;
};

struct fb_lsm_trace; /* trace.h */

struct fb_lsm {
    json_t *document; /* resolved, owned */
    const char *name; /* in the document */
    uint64_t seed;
    struct fb_lsm_tree *trees; /* the axes, owned */
    struct fb_lsm_filter *filters;
    struct fb_lsm_stream *streams;
    struct fb_lsm_reading *readings;
    const struct fb_lookup **lookups;
    double *run_bits;                /* [n_run_bits] */
    struct fb_prefix *scan_prefixes; /* of filters without prefixes */
    size_t n_trees, n_filters, n_streams, n_readings, n_lookups, n_run_bits;
    size_t n_scan_prefixes;
    struct fb_tree_shape shape;  /* without style, n_keys, key_bytes and n_runs */
    struct fb_given_run *given;  /* of shape, owned */
    double key_bytes;            /* 0: the format's */
    struct fb_query_spec spec;   /* without absent and absent_kind */
    struct fb_read_spec reading; /* without cache_bytes, filters and entry_bytes */
    uint64_t n_queries, warm, n_scans;
    struct fb_device device;
    const char *device_folder; /* in the document; where it is to be measured, else NULL */
    uint64_t device_bytes;     /* of the file that is written there */
    json_t *device_about;      /* once measured; owned */
    uint64_t trace_memtable_bytes;
    uint64_t filter_memory; /* option of a run: filters and the keys that wait for them take no more
                               at a time; 0: all filters stand */
    /* What keys "file" and "trace" stand for, borrowed; NULL: not given. The file's keys are
     * distinct and sorted. */
    const struct fb_keys *file;
    const struct fb_lsm_trace *trace;
    bool timed, timed_builds, histograms;
    struct fb_group_options options; /* budget_s: of all cells together; cpu may be FB_CPU_AUTO */
};

extern const struct fb_field fb_lsm_fields[];

/* As open() of struct fb_kind. *out may be closed either way. */
bool fb_lsm_resolve(const json_t *document, struct fb_lsm *out, struct fb_problem *problem);
void fb_lsm_close(struct fb_lsm *);
/* Sets all axes from the document (axes.c). False: out of memory. */
bool fb_lsm_load_axes(struct fb_lsm *);
/* The short form of --ci, set in a document before it is resolved. */
bool fb_lsm_ci(json_t *document, struct fb_problem *problem);

#endif
