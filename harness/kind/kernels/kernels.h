/*
 * Experiments of kind "kernels": what lookups, inserts, removals and builds cost, for designs,
 * instruction sets, ways to ask, footprints and hit ratios, beside yardsticks measured in the same
 * rounds.
 *
 * fields.c has what such an experiment asks for. A size by rate gives a filter the keys of the
 * classic Bloom filter of that rate and footprint. What writes has no hit ratio. A 95 % interval
 * takes 6 processes. min_processes are measured even where the budget is spent.
 *
 * The yardsticks touch-32, touch-64 and fetch, and null are always measured. A ratio is taken to
 * the yardstick of what a design reads of a line (yardstick.h): touch-32 for blocks of 32 bytes,
 * touch-64 for those of 64, fetch for all others; chains to its chain, inserts to its insert, what
 * has a peer to the peer's, all else to its batch of absent keys. A run measures the family of each
 * yardstick first, in processes of their own, and takes the fastest loop: "yardsticks" of "timing".
 * No id and no count depends on it. A walk is held to the same walk over as many yardsticks, by
 * their best kernel. Its R filters have the footprint together, each bits of its own, and are asked
 * for absent keys.
 */
#ifndef FILTERBENCH_HARNESS_KIND_KERNELS_KERNELS_H
#define FILTERBENCH_HARNESS_KIND_KERNELS_KERNELS_H

#include "harness/document/kind.h"
#include "harness/filter/mixed.h"
#include "harness/filter/plain_loop.h"
#include "harness/filter/timing.h"
#include "harness/measure/group_json.h"
#include "harness/work/turns.h"

enum { FB_KERNELS_ID = 176 };

struct fb_kernels {
    json_t *document; /* resolved, owned */
    const char *name; /* in the document */
    const struct fb_design **designs;
    size_t n_designs;
    struct fb_shard shard; /* which designs are measured; yardsticks always are */
    double bits_per_key[16], fpr[16], budget_s, hit_ratio[16], load[16];
    size_t n_bits_per_key, n_fpr, n_loads;
    uint64_t most_bytes;
    size_t n_hit_ratios, n_runs;
    uint32_t runs[16];
    bool operation[FB_N_OPERATIONS], footprint[FB_N_FOOTPRINTS], histograms, scaling;
    struct fb_timing_options options; /* group: cpu may be FB_CPU_AUTO; the run sets budget_s and
                                       * quantum_ns */
};

extern const struct fb_field fb_kernels_fields[];

/* As open() of struct fb_kind. *out may be closed either way. */
bool fb_kernels_resolve(const json_t *document, struct fb_kernels *out, struct fb_problem *problem);
void fb_kernels_close(struct fb_kernels *);

/* False with *problem set when an instruction set is asked for that this machine does not run. */
bool fb_kernels_can_run(const struct fb_kernels *, struct fb_problem *problem);

/* ---- Cells ---- */

/* What of a machine decides the cells. */
struct fb_kernels_machine {
    struct fb_footprints footprints;
    uint64_t memory_bytes; /* that filters may take */
    bool isa[FB_N_ISAS];   /* that its kernels run with */
};
void fb_kernels_machine_detect(struct fb_kernels_machine *); /* this one */
/* As members of "timing", and back; false: they are not there. */
void fb_kernels_machine_json(const struct fb_kernels_machine *, json_t *timing);
bool fb_kernels_machine_read(const json_t *timing, struct fb_kernels_machine *);

struct fb_kernels_grid {
    struct fb_kernels_machine machine; /* footprints within most_bytes */
    struct fb_timing_job job;          /* owned; filters not built */
    char (*id)[FB_KERNELS_ID];         /* [job.n_cells] "sbbf-256/L1/batch/absent/avx512-ring";
                                        * of several sizes: "sbbf-256/L1/bpk=8/batch/..." */
    json_t *skipped;                   /* rows {id, why} */
    struct fb_mixed_counts *mixed;     /* [job.n_cells], owned; NULL: nothing was mixed */
};

/* Cells of one footprint after the other: yardsticks, plain loops, null, designs. Filters that
 * memory_bytes cannot hold together, with a copy of each of their footprint, are skipped. */
enum fb_err fb_kernels_plan(const struct fb_kernels *, const struct fb_kernels_machine *,
                            struct fb_kernels_grid *out) FB_MUST_USE;
void fb_kernels_grid_close(struct fb_kernels_grid *);

/* Words for what runs in a cell: "avx512" and "ring"; of a yardstick "fastest" and "family"; of a
 * plain loop "avx2" and "T1-64". */
void fb_kernels_loop(const struct fb_timing_cell *, const char **isa, char style[FB_PLAIN_STYLE]);

/* What cell i is, without its time. `same`: another cell of the same filter, whose prediction is
 * taken over; NULL: it is simulated where no formula holds. */
json_t *fb_kernels_cell(const struct fb_kernels_grid *, size_t i, const json_t *same);

/* Why an insert of keys that were not in has no hit ratio. */
extern const char fb_kernels_new_keys[];

/* ---- Running and results ---- */

/*
 * Measures into document ("timing", "cells", "skipped", "warnings"). FB_EXIT_INTERRUPTED: what was
 * delivered is in the document. Another code: with a line on stderr.
 */
enum fb_exit fb_kernels_run(const struct fb_kernels *, struct fb_work *, json_t *document);

/*
 * The families of the yardsticks, measured in processes of their own within about budget_s seconds,
 * and the fastest four loops of each once more; each has one process at least. The fastest loop of
 * each becomes that of its cell in the grid, whose filters are built. *out: "yardsticks" of
 * "timing", a new list; NULL when interrupted.
 */
enum fb_err fb_kernels_screen(struct fb_kernels_grid *, double budget_s, struct fb_turns *,
                              json_t **out) FB_MUST_USE;
/* What follows from the members of "yardsticks": which is the fastest. */
void fb_kernels_screen_derive(json_t *yardsticks);

/* ---- Mixed operations (mixed.c) ---- */

/* Has the mixed operations of a grid done, whose filters are built, and counts their answers. */
enum fb_err fb_kernels_mix(struct fb_kernels_grid *) FB_MUST_USE;
/* FB_EXIT_CORRECTNESS, with a line on stderr: there were false negatives. */
enum fb_exit fb_kernels_mix_judge(const struct fb_kernels_grid *, const char *name);
/* "mixed" of a cell. */
json_t *fb_kernels_mixed(const struct fb_mixed_counts *);
/* What "mixed" of a cell says that cannot be; NULL: nothing. */
const char *fb_kernels_mixed_contradiction(const struct fb_timing_filter *, const json_t *cell);
/* Keys refused in all cells, and in how many cells. */
uint64_t fb_kernels_refused(const json_t *cells, size_t *n_cells);

/* The fastest plain loop beside each yardstick in one half of the processes, and its ratio in the
 * other: rows {design, footprint, isa, style, ratio, faster}, `faster` where the yardstick takes
 * over 1.05 times as long; it is no limit there. */
#define FB_YARDSTICK_SLACK 0.05
json_t *fb_kernels_plain(const json_t *cells);

/* "time" of a cell, all of it derived from its samples; ids [n_members]. */
json_t *fb_kernels_time(const struct fb_group *, char (*ids)[FB_KERNELS_ID], size_t cell);

/* "scaling" of a cell, from per_s [n_threads][FB_SCALING_ROUNDS]. */
json_t *fb_kernels_scaling(const struct fb_timing_options *, const double *per_s);

/* The samples of a document's cells as the members of a group, in their order; *places [n] is to be
 * freed, places may be NULL. NULL, or the id of a cell whose samples cannot be read. Close the
 * group in either case. */
const char *fb_kernels_read(const json_t *cells, struct fb_group *, struct fb_group_place **places);

/* Derives the points of "scaling" again from their samples. False: they cannot be read. */
bool fb_kernels_scaling_derive(json_t *points);

/* "build" of a cell that builds a filter: {attempts, temporary_bytes}, by a build of its own; NULL:
 * there is no memory for one. */
json_t *fb_kernels_build(const struct fb_kernels_grid *, size_t i);
/* Whether a cell is of one. */
static inline bool fb_kernels_has_build(const struct fb_timing_cell *cell)
{
    return cell->operation == FB_OP_BUILD || cell->operation == FB_OP_BUILD_KEYS;
}

/* What a cell says that is not so of cell i of the grid; `same` as for fb_kernels_cell. NULL:
 * nothing. The text lives until the next call. */
const char *fb_kernels_contradiction(const struct fb_kernels_grid *, size_t i, const json_t *same,
                                     const json_t *cell);

/* derive and warn of struct fb_kind. */
bool fb_kernels_derive(const struct fb_kernels *, json_t *document, struct fb_problem *);
void fb_kernels_warn(json_t *document);

void fb_kernels_table(FILE *, const json_t *document, enum fb_table_style);
void fb_kernels_scaling_table(FILE *, const json_t *cells, enum fb_table_style);
/* Of a cell: bits per key over log2(1 / rate), of the rate that the design predicts; bytes a key
 * that its build held beside the filter. NaN: it has none. */
double fb_kernels_over(const json_t *cell);
double fb_kernels_held(const json_t *cell);
/* Whether a cell is of a size by rate, and its design predicts no rate within a tenth of it. */
bool fb_kernels_is_off(const json_t *cell);
/* show() of a column whose path is that of a cell: its instruction set and style. */
void fb_kernels_show_kernel(const json_t *row, const struct fb_column *, char out[FB_TABLE_CELL]);
void fb_kernels_notes(FILE *, const json_t *document);

/* ---- Stored times side by side (compare_times.c) ---- */

/* Whether both documents were measured on the same kind of machine; *why says what differs. */
bool fb_same_machine(const json_t *base, const json_t *head, struct fb_problem *why);

/*
 * Advice: between two runs the machine drifts by more than most changes of code, so nothing here
 * decides an exit code. The cells that both documents of kind "kernels" have, from their samples:
 *
 *     {advice: true, against, compared, faster, slower, tunings (names, where the two differ),
 *      cells: [{cell, base_ns, head_ns, ratio, ratio_ci95, relative, relative_ci95,
 *               repeats_within}]}
 *
 * ratio is head / base of the times; relative the same of the ratios to each run's own yardstick
 * or, where `against` names a design, to its cell that is asked alike: those do not move with the
 * machine's speed. The 95 % interval of each run is over its processes (serial.h), and the two are
 * joined as independent: sqrt(a^2 + b^2) of the distances to their ends. repeats_within is how far
 * the first and the second half of a run's processes are apart in the same ratio, in the run where
 * that is more: 0.02 where one half has 2 % above the other. faster and slower count the cells
 * whose interval of relative excludes 1 and which moved by more than repeats_within, of those
 * compared, which have an interval.
 */
json_t *fb_compare_times(const json_t *base, const json_t *head, const char *against);

void fb_print_times(FILE *, const json_t *times, enum fb_table_style);

/* times of struct fb_versus: the processes that both cells had, pair by pair. */
void fb_kernels_times(const json_t *document, json_t *rows);
extern const struct fb_versus fb_kernels_versus;

extern const struct fb_figure fb_kernels_figures[];

#endif
