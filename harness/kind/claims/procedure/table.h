/*
 * Procedures: how a row of the ledger is measured. Each computes the theory from formulas and the
 * measurement from built filters, both in the unit of the claim. claims.h draws the verdicts.
 *
 * This header serves table.c, which knows all subjects, and the files that define their tables: one
 * subject each. What procedures share stands in files that know no subject: arguments, bench, cell,
 * finding, grove, rig.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_TABLE_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_TABLE_H

#include "harness/kind/claims/procedure/arguments.h"
#include "harness/kind/claims/procedure/finding.h"

/* What a procedure finds decides what is judged. */
enum fb_nature {
    FB_COUNTED,     /* theory and measurement, equal on every machine: model and claim */
    FB_COMPUTED,    /* the same, but both are arithmetic: nothing that was built or run is seen */
    FB_TIMED,       /* what this machine does, mostly times; no theory of ours: the claim alone */
    FB_MACHINE_ONLY /* nanoseconds of one machine: printed, not judged */
};

struct fb_procedure {
    const char *name;
    void (*run)(struct fb_bench *, const json_t *args, struct fb_finding *);
    enum fb_nature nature;
};

/* Tables by subject, each ending with name == NULL. */
extern const struct fb_procedure fb_rate_procedures[], fb_bits_procedures[], fb_bytes_procedures[],
    fb_size_procedures[], fb_closed_procedures[], fb_built_procedures[], fb_build_procedures[],
    fb_full_procedures[], fb_block_procedures[], fb_load_procedures[], fb_probe_procedures[],
    fb_hash_procedures[], fb_answer_procedures[], fb_formula_procedures[], fb_cost_procedures[],
    fb_time_procedures[], fb_tree_procedures[], fb_walk_procedures[], fb_walk_time_procedures[],
    fb_prefix_procedures[], fb_replay_procedures[], fb_thread_procedures[], fb_cache_procedures[];
/* All of them; ends with NULL. */
extern const struct fb_procedure *const fb_procedure_tables[];

const struct fb_procedure *fb_procedure_find(const char *name); /* NULL: no such procedure */
/* Of a row's procedure; FB_COUNTED where there is none. */
enum fb_nature fb_procedure_nature(const char *name);
/* A time: there is no theory of ours. */
bool fb_procedure_is_timed(const char *name);

/* Runs the procedure of this name. FB_EINVAL where it does not exist or where the arguments make no
 * sense; bench->why says what. What was found is not to be used after an error. */
enum fb_err fb_procedure_run(const char *name, struct fb_bench *, const json_t *args,
                             struct fb_finding *out) FB_MUST_USE;

#endif
