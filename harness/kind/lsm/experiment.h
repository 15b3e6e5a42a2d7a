/*
 * Experiments of kind "lsm": filters in a tree, asked as a storage engine asks them. fields.c says
 * what each field means, and so does `filterbench describe FIELD`.
 *
 * A list is an axis: cells are all combinations. A list of one may be written as its element. A
 * cell is what is counted; its lookups, which give the same answers, are what is timed. Filters
 * that hold prefixes alone are counted only.
 *
 * Scans are counted beside the queries, without a cache: scan i covers all keys sharing query i's
 * prefix. Filters of prefixes are scanned for theirs, others for each of `scan_prefix`, or where it
 * is empty for those of `prefixes`. A trace has no n, absent or queries: all of its gets are asked.
 * Where max_processes allows it, 16 processes are taken whatever min_processes and budget say:
 * fewer tell nothing of the noise (serial.h).
 */
#ifndef FILTERBENCH_HARNESS_KIND_LSM_EXPERIMENT_H
#define FILTERBENCH_HARNESS_KIND_LSM_EXPERIMENT_H

#include "harness/document/kind.h"
#include "harness/filter/timing.h"
#include "harness/store/allocation.h"
#include "harness/store/device.h"
#include "harness/tree/read_path.h"
#include "harness/tree/walk_timing.h"
#include "workloads/core/sorted_space.h"
#include "workloads/core/trace_tree.h"

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

struct fb_lsm_trace; /* below */

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
/* What asking a filter of the design costs the engine of the experiment; NaN: it does not say. */
double fb_lsm_check_ns(const json_t *experiment, const char *design);
/* Sets all axes from the document (axes.c). False: out of memory. */
bool fb_lsm_load_axes(struct fb_lsm *);
/* The short form of --ci, set in a document before it is resolved. */
bool fb_lsm_ci(json_t *document, struct fb_problem *problem);

/* ---- Cells: shapes of trees, and what they take (cells.c) ---- */

enum { FB_LSM_ID = 576 };

struct fb_lsm_cell {
    char id[FB_LSM_ID];                   /* "leveled/pad40/sbbf-512/bpk=10/uniform/absent=1" */
    size_t tree, filter, stream, reading; /* of the axes */
};

/* Trees outermost, then filters, streams, readings. NULL when out of memory; free() it. */
struct fb_lsm_cell *fb_lsm_cells(const struct fb_lsm *, size_t *n_cells);

/* Whether some queries are for keys that are found against filters. */
bool fb_lsm_has_adversary(const struct fb_lsm *);

/* "file", "trace" or the format. */
const char *fb_lsm_keys_name(const struct fb_lsm_tree *);

/* The shape of one tree: with the number of keys and their mean bytes, and for keys of a file
 * half of them; for a trace as many as it puts. False with *problem set where there is no such
 * tree.
 */
bool fb_lsm_shape(const struct fb_lsm *, size_t tree, struct fb_tree_shape *out,
                  struct fb_problem *problem);

/* What a tree and the filters of one cell take, about. */
struct fb_lsm_demand {
    uint64_t n_keys, filter_keys;        /* of the tree, of each filter on average */
    uint64_t filter_bytes, memory_bytes; /* at most: tree, filters, and building them */
    uint64_t window_bytes; /* filters pass in windows of so much (forest.h); 0: they stand */
    uint64_t standing_bytes, room_bytes; /* filters and their keys at a time; what they may take */
    double tree_s, build_s, count_s;
};
bool fb_lsm_demand(const struct fb_lsm *, const struct fb_lsm_cell *, struct fb_lsm_demand *out,
                   struct fb_problem *problem);
/* False with *problem set: it does not fit into memory. */
bool fb_lsm_demand_fits(const struct fb_lsm_demand *, struct fb_problem *problem);

/* False with *problem set where a tree and the filters of one cell do not fit into memory: neither
 * at once nor, where the filters hold no prefixes and no query was found against them, in windows.
 */
bool fb_lsm_fits(const struct fb_lsm *, struct fb_problem *problem);

/* plan() of struct fb_kind (plan.c). */
json_t *fb_lsm_plan(const struct fb_lsm *);

/* Whether shards split a cell's queries; its filters are then built in each of them. */
bool fb_lsm_splits(const struct fb_lsm *, const struct fb_lsm_cell *);

/* Digests held while filters are built: a run of more is gone through again. */
#define FB_LSM_WINDOW_BYTES (UINT64_C(2) << 30)

/* Trees of up to this many keys list them (8 bytes each), so that ranks are exact. */
#define FB_LSM_LIST_LIMIT (UINT64_C(1) << 26)

/* Memtables of up to this many keys together are searched, at a few microseconds a query. What
 * larger ones hold is taken from the tree. */
#define FB_LSM_MEMTABLE_LIMIT (UINT64_C(1) << 18)

/* ---- Keys ---- */

/* Whether the n keys of a tree are sorted so that scans are possible (sorted_space.h): only if
 * scans are asked for and all keys, absent ones included, fit the limit. */
bool fb_lsm_sorts(const struct fb_lsm *, const struct fb_lsm_tree *, uint64_t n);
#define FB_LSM_SORT_LIMIT (UINT64_C(1) << 25)

/* Absent keys for each of n present ones: enough to ask for each once. */
uint64_t fb_lsm_absent_for_each(const struct fb_lsm *, uint64_t n);

/* ---- Filters of a cell (params.c) ---- */

/* Params of the filters of each run [tree->n_runs]; bits_per_key -1: none. A share `absent` of the
 * queries is for absent keys; the others find their keys in the runs by share [n_runs]
 * (fb_queries_shares). FB_EINVAL or FB_EUNSUPPORTED with *why set where the design has no such
 * size.
 */
enum fb_err fb_lsm_params(const struct fb_lsm *, const struct fb_lsm_filter *,
                          const struct fb_tree *, double absent, const double *share,
                          struct fb_params *params, const char **why) FB_MUST_USE;

/* What is asked of the filters of one level, newest first, where memory is not allocated. */
struct fb_params fb_lsm_params_of_level(const struct fb_lsm *, const struct fb_lsm_filter *,
                                        unsigned level);

/* Keys of each filter of a run, on average, rounded up: in the tree, and at scale 1 where no run
 * shrinks. Eighths of segments of 541,200 keys: 67,650 and 541,200. */
struct fb_lsm_sizes {
    uint64_t scaled, unscaled;
};
struct fb_lsm_sizes fb_lsm_sizes(const struct fb_tree *, const struct fb_run *);

/* The rate that the design's formula gives for n keys, NaN where there is no such filter, and how
 * far it may be off. */
struct fb_lsm_rate {
    double value, error;
};
struct fb_lsm_rate fb_lsm_formula(const struct fb_design *, const struct fb_params *asked,
                                  uint64_t n);
/* Rates that differ by less than this share of them are the same to a ranking. */
#define FB_LSM_SAME_RATE 0.01
/* Whether formulas tell the rates of a run's filters at both sizes, to half of that together; true
 * where there is but one size. */
bool fb_lsm_formula_fits(const struct fb_lsm_filter *, const struct fb_params *,
                         struct fb_lsm_sizes);

/* ---- Traces: what was put makes the tree, what was asked for the queries (trace.c) ---- */

struct fb_lsm_trace {
    struct fb_trace ops;
    uint64_t gets, puts, deletes, scans;
    double key_bytes, value_bytes; /* means of what is put */
    json_t *about;                 /* "key_file" of the document, owned */
};

/* Reads a file ("-": stdin) in a --trace-format; NULL: "ops". A line on stderr for every code but
 * OK: which line of the file cannot be read, or what the trace lacks. Close it in any case. */
enum fb_exit fb_lsm_trace_load(const char *path, const char *format, struct fb_lsm_trace *out);
void fb_lsm_trace_close(struct fb_lsm_trace *);

/* "trace" of a cell's tree: what went through memtable and compaction. */
json_t *fb_lsm_traced_json(const struct fb_trace_tree *);

#endif
