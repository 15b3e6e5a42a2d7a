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
 *     lookups          list of names, or "all"
 *     prefixes         list of none, fixed:N, capped:N (harness/tree/prefix.h): what filters hold
 *     prefix_whole_key list of true, false: whole keys beside prefixes, or prefixes alone
 *   the tree (workloads/core/tree.h)
 *     style            list; n (list; 0: what the levels hold), levels, ratio, l0, fill,
 *                      runs (list; flat, universal), size_ratio, updates, tombstones, memtables,
 *                      memtable_keys, filter_unit, scale
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
#ifndef FILTERBENCH_HARNESS_KIND_LSM_LSM_H
#define FILTERBENCH_HARNESS_KIND_LSM_LSM_H

#include "harness/document/kind.h"
#include "harness/filter/timing.h"
#include "harness/store/allocation.h"
#include "harness/store/device.h"
#include "harness/tree/prefix_path.h"
#include "harness/tree/read_path.h"
#include "harness/tree/walk_timing.h"
#include "workloads/core/sorted_space.h"

enum { FB_LSM_ID = 576 };

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
    enum fb_lsm_sizing sizing;  /* FB_LSM_NO_SIZE: a control */
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
    double key_bytes;            /* 0: the format's */
    struct fb_query_spec spec;   /* without absent and absent_kind */
    struct fb_read_spec reading; /* without cache_bytes, filters and entry_bytes */
    uint64_t n_queries, warm, n_scans;
    struct fb_device device;
    const char *device_folder; /* in the document; where it is to be measured, else NULL */
    uint64_t device_bytes;     /* of the file that is written there */
    json_t *device_about;      /* once measured; owned */
    uint64_t trace_memtable_bytes;
    /* What keys "file" and "trace" stand for, borrowed; NULL: not given. The file's keys are
     * distinct and sorted. */
    const struct fb_keys *file;
    const struct fb_lsm_trace *trace;
    bool timed, histograms;
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

/* ---- Cells ---- */

struct fb_lsm_cell {
    char id[FB_LSM_ID];                   /* "leveled/pad40/sbbf-512/bpk=10/uniform/absent=1" */
    size_t tree, filter, stream, reading; /* of the axes */
};

/* Trees outermost, then filters, streams, readings. NULL when out of memory; free() it. */
struct fb_lsm_cell *fb_lsm_cells(const struct fb_lsm *, size_t *n_cells);

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
    uint64_t n_keys, filter_bytes, memory_bytes; /* at most: tree, filters, and building them */
    double tree_s, build_s, count_s;
};
bool fb_lsm_demand(const struct fb_lsm *, const struct fb_lsm_cell *, struct fb_lsm_demand *out,
                   struct fb_problem *problem);

/* False with *problem set where a tree and the filters of one cell do not fit into memory. */
bool fb_lsm_fits(const struct fb_lsm *, struct fb_problem *problem);

/* Rows {id, keys, filter_bytes, seconds, why_not} for --dry-run. */
json_t *fb_lsm_plan(const struct fb_lsm *);

/* Trees of up to this many keys list them (8 bytes each), so that ranks are exact. */
#define FB_LSM_LIST_LIMIT (UINT64_C(1) << 26)

/* Memtables of up to this many keys together are searched, at a few microseconds a query. What
 * larger ones hold is taken from the tree. */
#define FB_LSM_MEMTABLE_LIMIT (UINT64_C(1) << 18)

/* ---- Prefixes (prefix.c) ---- */

/* Whether the n keys of a tree are sorted so that scans are possible (sorted_space.h): only if
 * scans are asked for and all keys, absent ones included, fit the limit. */
bool fb_lsm_sorts(const struct fb_lsm *, const struct fb_lsm_tree *, uint64_t n);
#define FB_LSM_SORT_LIMIT (UINT64_C(1) << 25)

/* Absent keys for each of n present ones: enough to ask for each once. */
uint64_t fb_lsm_absent_for_each(const struct fb_lsm *, uint64_t n);

/* The keys of a tree of n, and those absent from it; sorted is to be closed in any case. */
enum fb_err fb_lsm_space(const struct fb_lsm *, const struct fb_lsm_tree *, uint64_t n,
                         struct fb_sorted_space *sorted, struct fb_keyspace *out) FB_MUST_USE;

/*
 * Counts the scans for the cells of one forest and one stream, which are called `id`. *scans is
 * owned by the caller. It is NULL where the experiment asks for none, and JSON null, with *why and
 * a warning in the document, where the tree can have none. Else it is [{prefix, counts...}], one
 * for each prefix that is scanned for. A false negative is FB_EXIT_CORRECTNESS, with a line on
 * stderr.
 */
enum fb_exit fb_lsm_scans(const struct fb_lsm *, const char *id, const struct fb_ask *,
                          json_t *document, json_t **scans, const char **why) FB_MUST_USE;

/* The scans of all cells as a table; nothing where there are none (report/scan_table.c). */
void fb_lsm_scan_table(FILE *, const json_t *document, enum fb_table_style);

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

/* ---- Running and results ---- */

/* Measures into document, as run() of struct fb_kind. */
enum fb_exit fb_lsm_run(const struct fb_lsm *, unsigned n_threads, json_t *document);

/* The facts of a cell: what was asked for, the tree, the filters, the counts. */
json_t *fb_lsm_cell_json(const struct fb_lsm *, const struct fb_lsm_cell *, const struct fb_ask *,
                         const struct fb_params *params, const struct fb_read_counts *);

/* Whether a run has a filter of these params. */
bool fb_lsm_has_filter(const struct fb_run *, const struct fb_params *);
/* "tree" of a cell, and what an entry of "runs" says before its filters are built. */
json_t *fb_lsm_tree_json(const struct fb_lsm_tree *, const struct fb_tree *);
json_t *fb_lsm_run_json(const struct fb_run *, const struct fb_params *);

/* "counts" of a cell, and an entry of its "scans" (counts.c). */
json_t *fb_lsm_counts_json(const struct fb_read_counts *);
json_t *fb_lsm_scan_json(const struct fb_prefix *, const struct fb_scan_counts *);

/* "params" of a cell; absent: the share of its queries. */
json_t *fb_lsm_params_json(const struct fb_lsm *, const struct fb_lsm_cell *, double absent);

/* The tree of the cell that was looked at last, made again without a list of its keys. Zeroed at
 * first. */
struct fb_lsm_facts {
    struct fb_keyspace space;
    struct fb_tree tree;
    size_t number; /* of the axis */
};
/* A fact of a cell that contradicts another one or what was asked for; NULL: none does. Facts of
 * trees of files and traces are held against the experiment only as far as it decides them. */
const char *fb_lsm_contradiction(const struct fb_lsm *, const struct fb_lsm_cell *,
                                 const json_t *cell, struct fb_lsm_facts *);

/* "devices" of a document: [{name, read_ns, bytes_per_s, block_bytes}], the chosen one first, with
 * "about" and "histograms" where it was measured (device.c). */
json_t *fb_lsm_devices(const struct fb_lsm *);
/* Measures the device if the experiment says so, on a file without a name in its folder. A line on
 * stderr for every code but OK and INTERRUPTED. */
enum fb_exit fb_lsm_measure_device(struct fb_lsm *, json_t *document);
/* Takes a device that was measured from its document; false: it cannot be read. */
bool fb_lsm_take_device(struct fb_lsm *, const json_t *document);
/* A line about the measured device, if it was. */
void fb_lsm_device_line(FILE *, const json_t *document);

/* Sets everything that follows from a cell's facts and samples, for the devices and caches of the
 * document: rates, expectation, times, costs, what bounds them. */
void fb_lsm_derive(json_t *cell, const json_t *document);

/* derive and warn of struct fb_kind. */
bool fb_lsm_derive_all(const struct fb_lsm *, json_t *document, struct fb_problem *);
void fb_lsm_warn(json_t *document);

void fb_lsm_table(FILE *, const json_t *document, enum fb_table_style);
/* rows of struct fb_kind: one for each lookup of each cell; what is scanned for by prefix, as
 * "scans.fixed:3.skipped" (report/csv.c). */
json_t *fb_lsm_rows(const json_t *document);

/* write() of struct fb_figure (report/plot.c, report/plot_walk.c). */
bool fb_lsm_plot_cost(const json_t *documents, FILE *);
bool fb_lsm_plot_memory(const json_t *documents, FILE *);
bool fb_lsm_plot_cache(const json_t *documents, FILE *);
bool fb_lsm_plot_latency(const json_t *documents, FILE *);
bool fb_lsm_plot_walk_segments(const json_t *documents, FILE *);

#endif
