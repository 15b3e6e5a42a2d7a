/*
 * Claims about time: ratios of pieces of work measured in the same rounds, with 99 % intervals over
 * processes. There is no theory of ours to confirm, so these rows have no model; nanoseconds belong
 * to this machine and are printed, never judged. Kind kernels times whole lookups, these are
 * pieces.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/filter/timing.h"
#include "harness/kind/claims/procedure/procedure.h"
#include "workloads/core/rng.h"

static size_t registry_index(const char *name, bool hash)
{
    size_t n = hash ? fb_n_hashes() : fb_n_designs();
    for (size_t i = 0; i < n; i++)
        if (!strcmp(hash ? fb_hash_at(i)->name : fb_design_at(i)->name, name))
            return i;
    return n;
}

/* The kernel of a style, or the best this machine runs ("best"); the first is the plain loop. */
static uint32_t kernel_index(const struct fb_design *design, const char *style)
{
    const struct fb_kernel *best = fb_kernel_find(design, FB_ISA_NONE);
    for (uint32_t i = 0; design->kernels[i]; i++)
        if (!strcmp(style, "best") ? design->kernels[i] == best
                                   : !strcmp(design->kernels[i]->style, style))
            return i;
    return 0;
}

/* What is asked for in a filter; every piece has one, if only of the control that does nothing. */
static enum fb_err parse_filter(struct fb_bench *bench, const json_t *json,
                                struct fb_timing_cell *cell, struct fb_timing_filter *filter)
{
    enum {
        FAR_BYTES = 4 << 20
    }; /* reading a filter of more takes longer than half a millisecond,
        * which is what warming costs those beyond the caches */
    const struct fb_design *design = fb_arg_design(bench, json);
    struct fb_geometry geom;
    const char *why = NULL;
    if (bench->err)
        return bench->err;
    filter->n_keys = fb_arg_count(json, "n", 100000);
    filter->params = fb_arg_params(json);
    filter->design = cell->design = (uint32_t)registry_index(design->name, false);
    cell->kernel = kernel_index(design, fb_arg_text(json, "style", "best"));
    cell->hit_ratio = fb_arg_number(json, "hit_ratio", 0);
    enum fb_err err = fb_params_plan(design, filter->n_keys, &filter->params, &geom, &why);
    if (!err && geom.n_bytes > FAR_BYTES)
        cell->footprint = FB_FOOT_DRAM;
    return fb_bench_check(bench, err, design->name, why);
}

static enum fb_err parse_piece(struct fb_bench *bench, const json_t *json,
                               struct fb_timing_cell *cell, struct fb_timing_filter *filter)
{
    const char *piece = fb_arg_text(json, "piece", ""), *hash = fb_arg_text(json, "hash", "xxh64");
    const enum fb_operation operation = fb_operation_find(strcmp(piece, "query") ? piece : "batch");
    if (operation == FB_N_OPERATIONS || operation == FB_OP_PLAIN ||
        fb_operation_has_peer(operation) || operation == FB_OP_MIXED ||
        fb_operation_walks(operation))
        return fb_bench_fail(bench, FB_EINVAL, "no piece of work '%.40s'", piece);
    *cell = (struct fb_timing_cell){.operation = operation,
                                    .hash = (uint32_t)registry_index(hash, true),
                                    .key_len = (uint32_t)fb_arg_count(json, "key_len", 0),
                                    .probes = (uint32_t)fb_arg_count(json, "probes", 1),
                                    .n_bits = fb_arg_count(json, "m", 1000000)};
    if (cell->hash == fb_n_hashes())
        return fb_bench_fail(bench, FB_EINVAL, "no hash '%.40s'", hash);
    if (operation <= FB_OP_CHECK)
        return parse_filter(bench, json, cell, filter);
    filter->design = cell->design =
        (uint32_t)registry_index(operation == FB_OP_BITS ? "touch-64" : "null", false);
    filter->params.bits_per_key = 8;
    filter->n_keys = operation == FB_OP_BITS ? cell->n_bits / 8 + FB_CACHE_LINE : 1;
    return FB_OK;
}

static enum fb_err open_set(void *self, const struct fb_group_options *options, struct fb_part *out,
                            const char **why)
{
    struct fb_timing_job *job = self;
    job->options.group = *options;
    for (size_t i = 0; i < job->n_filters; i++)
        job->filters[i].stream = fb_stream_word(options->seed, i);
    enum fb_err err = fb_timing_build(job, 0, NULL, why);
    return err ? err : fb_timing_part(job, out);
}

static void close_set(void *self)
{
    fb_timing_job_close(self);
    free(self);
}

/* Asks for the pieces under "pieces", of which ratios are to the first. */
static enum fb_err ask(struct fb_bench *bench, const json_t *args)
{
    json_t *list = json_object_get(args, "pieces");
    struct fb_times_part part = {
        .key = list, .n = json_array_size(list), .open = open_set, .close = close_set};
    if (part.n < 1 || part.n > FB_TIMES_MEMBERS)
        return fb_bench_fail(bench, FB_EINVAL, "1 to %d pieces are measured together",
                             FB_TIMES_MEMBERS);
    if (bench->err || fb_times_find(&bench->times, list))
        return bench->err;
    for (size_t i = 0; i < part.n; i++)
        part.to[i] = i ? 0 : -1;
    if (bench->phase == FB_DERIVE)
        return fb_bench_check(bench, fb_times_add(&bench->times, part), "pieces", NULL);
    struct fb_timing_job *job = part.self = fb_bench_alloc(bench, 1, sizeof *job);
    if (bench->err)
        return bench->err;
    job->cells = fb_bench_alloc(bench, part.n, sizeof *job->cells);
    job->filters = fb_bench_alloc(bench, part.n, sizeof *job->filters);
    for (size_t i = 0; i < part.n && !bench->err; i++) {
        job->filters[i].fd = -1;
        parse_piece(bench, json_array_get(list, i), &job->cells[i], &job->filters[i]);
        job->cells[i].filter = (uint32_t)i;
        job->n_cells = job->n_filters = i + 1;
    }
    if (!bench->err)
        return fb_bench_check(bench, fb_times_add(&bench->times, part), "pieces", NULL);
    close_set(job);
    return bench->err;
}

/* The pieces with their estimates; NULL if they are not known yet. */
static const struct fb_member *times_of(struct fb_bench *bench, const json_t *args)
{
    return ask(bench, args) ? NULL : fb_times_members(&bench->times);
}

/* What each piece took, for the remark. */
static void list_times(const json_t *args, const struct fb_member *m, struct fb_finding *out)
{
    FB_EACH_AT(i, piece, json_object_get(args, "pieces"))
        fb_find_remark(out, "%s%s %.3g ns", i ? ", " : "", fb_arg_text(piece, "name", "it"),
                       m[i].estimate.ns);
}

/* pieces[1] against pieces[0]; further pieces are only told. */
FB_PROCEDURE(time_ratio)
{
    if (json_array_size(json_object_get(args, "pieces")) == 1)
        fb_bench_fail(bench, FB_EINVAL, "a ratio takes two pieces");
    const struct fb_member *m = times_of(bench, args);
    if (!m)
        return;
    fb_find_time(out, m[1].estimate.ratio, m[1].estimate.ratio99, 0.99);
    list_times(args, m, out);
}

/* How much of the time that pieces[1] gains on pieces[0] is gained by pieces[2] as well: 1 is all
 * of it. Its interval takes the ends of the two ratios that oppose it, so it is wider than 99 %. */
FB_PROCEDURE(time_gain_kept)
{
    if (json_array_size(json_object_get(args, "pieces")) < 3)
        fb_bench_fail(bench, FB_EINVAL, "a gain that is kept takes three pieces");
    const struct fb_member *m = times_of(bench, args);
    if (!m)
        return;
    const struct fb_estimate *gains = &m[1].estimate, *keeps = &m[2].estimate;
    const struct fb_interval a = gains->ratio99, b = keeps->ratio99;
    const bool sure = a.high < 1;
    fb_find_time(out, (1 - keeps->ratio) / (1 - gains->ratio),
                 (struct fb_interval){sure ? (1 - b.high) / (1 - a.low) : -INFINITY,
                                      sure ? (1 - b.low) / (1 - a.high) : INFINITY},
                 0.99);
    list_times(args, m, out);
}

/* Nanoseconds of one piece, printed beside the machine. */
FB_PROCEDURE(time_absolute)
{
    const struct fb_member *m = times_of(bench, args);
    if (m)
        fb_find_time(out, m[0].estimate.ns, m[0].estimate.ns95, 0.95);
}
