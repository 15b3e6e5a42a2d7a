/*
 * Procedures: queries walked over a tree of real filters, their reads counted. Theory is the
 * formula of expectation.h with the designs' predicted rates.
 *
 *     tree    as tree.h says
 *     design, bits_per_key or fpr, k; design "always" stands for no filter
 *     absent, holder, popularity, queries, warm, cache_bytes, index ("pinned" or "cached")
 *     report  a row of the table below; scale: what it is multiplied by
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/kind/claims/procedure/finding.h"
#include "harness/kind/claims/procedure/table.h"
#include "harness/kind/claims/procedure/tree.h"
#include "harness/store/expectation.h"
#include "harness/tree/read_path.h"

struct walk {
    struct fb_keyspace space;
    struct fb_tree tree;
    struct fb_queries queries;
    struct fb_forest forest;
    struct fb_read_counts counts;
    struct fb_expectation expected;
    double absent;
    double index_reads; /* per data read: 1 where the index is read too */
    double f_noise;     /* relative standard deviation of the sum of rates: fill differs */
};

static void walk_close(struct walk *w)
{
    fb_read_counts_close(&w->counts);
    fb_forest_close(&w->forest);
    fb_queries_close(&w->queries);
    fb_tree_close(&w->tree);
}

/* ---- From arguments ---- */

static enum fb_err queries_of(struct fb_bench *bench, const json_t *args, struct walk *w)
{
    struct fb_query_spec spec = {
        .absent = fb_arg_number(args, "absent", 1), .recent_ratio = 10, .repeat_keys = 1};
    const char *why = NULL;
    w->absent = spec.absent;
    if (!fb_holder_parse(fb_arg_text(args, "holder", "proportional"), &spec, &why) ||
        !fb_popularity_parse(fb_arg_text(args, "popularity", "uniform"), &spec.popularity, &why))
        return fb_bench_fail(bench, FB_EINVAL, "%s", why);
    enum fb_err err = fb_queries_init(&spec, &w->tree, bench->root, &w->queries, &why);
    return err ? fb_bench_fail(bench, err, "queries: %s", why ? why : fb_err_text(err)) : FB_OK;
}

/* A full run is given ten times the queries, a quick one a fifth. */
static uint64_t n_queries(const struct fb_bench *bench, const json_t *args)
{
    uint64_t n = fb_arg_count(args, "queries", 1000000);
    return bench->effort == FB_FULL ? 10 * n : bench->effort == FB_QUICK ? n / 5 : n;
}

/* ---- Theory ---- */

/* Relative standard deviation of f between filters of n keys: k sd(rho) / rho, with the variance of
 * the number of empty cells of an occupancy problem, m e^-x (1 - (1 + x) e^-x), x = kn/m. */
static double filter_noise(const struct fb_filter *f)
{
    double m = (double)f->geom.n_bits, k = f->geom.probes;
    if (m == 0 || f->n_keys == 0)
        return 0;
    double x = k * (double)f->n_keys / m, empty = fb_exp(-x), rho = 1 - empty;
    return k * sqrt(empty * (1 - (1 + x) * empty) / m) / rho;
}

static enum fb_err expect(struct walk *w)
{
    size_t n = w->tree.n_runs;
    struct fb_expected_run *runs = calloc(n + 1, sizeof *runs);
    double *share = calloc(n + 1, sizeof *share), sum = 0, variance = 0;
    if (!runs || !share) {
        free(runs);
        free(share);
        return FB_ENOMEM;
    }
    fb_queries_shares(&w->queries, share);
    for (size_t r = 0; r < n; r++) {
        const struct fb_run *run = &w->tree.runs[r];
        const double units = (double)fb_run_units(run);
        const struct fb_filter *filter = &w->forest.filters[run->first_unit];
        bool closed;
        double f = fb_forest_run_rate(&w->forest, r, &closed), noise = 0;
        for (size_t u = 0; u < fb_run_units(run); u++, filter++) {
            double rate = filter->design->fpr(&filter->geom, filter->n_keys);
            double sd = rate * filter_noise(filter);
            noise += sd * sd / units / units;
        }
        /* Few keys fall between two segments; how many is known by now. */
        const struct fb_run_counts *c = &w->counts.run[r];
        runs[r] = (struct fb_expected_run){
            .f = f, .r = c->reached ? (double)c->asked / (double)c->reached : 1, .pi = share[r]};
        sum += f;
        variance += noise;
    }
    fb_expect(runs, n, w->absent, &w->expected);
    w->f_noise = sum > 0 ? sqrt(variance) / sum : 0;
    free(runs);
    free(share);
    return FB_OK;
}

/* ---- The walk ---- */

static enum fb_err walk_open(struct fb_bench *bench, const json_t *args, struct walk *w)
{
    const struct fb_design *design;
    const char *why = NULL;
    bool complete = true;
    memset(w, 0, sizeof *w);
    enum fb_err err = fb_arg_design(bench, args, "design", &design);
    if (!err)
        err = fb_claim_tree(bench, json_object_get(args, "tree"), n_queries(bench, args), &w->space,
                            &w->tree);
    if (!err)
        err = queries_of(bench, args, w);
    if (err)
        return err;
    struct fb_params *params = calloc(w->tree.n_runs + 1, sizeof *params);
    for (size_t r = 0; params && r < w->tree.n_runs; r++)
        params[r] = fb_arg_params(args);
    const struct fb_forest_spec forest = {.design = design,
                                          .params = params,
                                          .window_bytes = UINT64_C(1) << 28,
                                          .n_threads = bench->threads};
    const struct fb_read_spec read = {
        .policy = fb_arg_count(args, "cache_bytes", 0) ? FB_CACHE_LRU : FB_CACHE_NONE,
        .cache_bytes = fb_arg_count(args, "cache_bytes", 0),
        .block_bytes = 4096,
        .entry_bytes = FB_CLAIM_ENTRY_BYTES,
        .index_entry_bytes = FB_CLAIM_KEY_BYTES + FB_CLAIM_OVERHEAD,
        .index = fb_arg_is(args, "index", "cached") ? FB_CACHED : FB_PINNED};
    w->index_reads = read.index == FB_CACHED;
    err = params ? fb_forest_build(&forest, &w->tree, &w->forest, &complete, &why) : FB_ENOMEM;
    free(params);
    const struct fb_ask ask = {.forest = &w->forest,
                               .queries = &w->queries,
                               .first = fb_arg_count(args, "warm", 0),
                               .n = n_queries(bench, args),
                               .n_threads = bench->threads};
    if (!err && complete)
        err = fb_read_path_count(&ask, &read, &w->counts, &complete);
    if (!err && complete)
        err = expect(w);
    if (!err && !complete)
        err = fb_bench_interrupt(bench);
    return err ? fb_bench_fail(bench, err, "%s", why ? why : fb_err_text(err)) : FB_OK;
}

/* ---- What is reported of it ---- */

/* A mean over queries: theory, measurement, its standard error; exact where nothing is random. */
struct metric {
    double theory, measured, se;
    bool exact;
};

static struct metric mean_of(double theory, uint64_t sum, double squares, uint64_t n, double noise)
{
    double mean = (double)sum / (double)n, variance = squares / (double)n - mean * mean;
    return (struct metric){theory, mean, hypot(sqrt(fmax(variance, 0) / (double)n), noise), false};
}

static struct metric report_reads(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    double false_reads = w->expected.io - (1 - w->absent);
    return mean_of((1 + w->index_reads) * w->expected.io, fb_read_total(c), (double)c->io_squares,
                   c->queries, (1 + w->index_reads) * w->f_noise * false_reads);
}

static struct metric report_found(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    return mean_of(1 - w->absent, c->read_found, (double)c->read_found, c->queries, 0);
}

/* Wasted reads per query; a query has few, so their variance is the reads' own. */
static struct metric report_false(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    double theory =
        w->absent * w->expected.io_absent + (1 - w->absent) * (w->expected.io_present - 1);
    struct metric m = mean_of(theory, c->read_false, 0, c->queries, 0);
    double squares = w->absent < 1 ? (double)c->read_false : (double)c->false_squares;
    return mean_of(theory, c->read_false, squares, c->queries, w->f_noise * m.measured);
}

static struct metric report_any(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    return mean_of(w->expected.any_false, c->any_false, (double)c->any_false, c->absent,
                   w->f_noise * w->expected.any_false);
}

static struct metric report_none(const struct walk *w)
{
    struct metric m = report_any(w);
    m.theory = 1 - m.theory;
    m.measured = 1 - m.measured;
    return m;
}

/* Exact for absent keys: a run asks of them the share that theory knows by now. Of a present one,
 * chance decides how many runs come before its holder; each asks once at most, which bounds the
 * squares. */
static struct metric report_asked(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    double asked = (double)c->asked;
    if (w->absent == 1)
        return (struct metric){w->expected.asked, asked / (double)c->queries, 0, true};
    return mean_of(w->expected.asked, c->asked, asked * (double)w->tree.n_runs, c->queries, 0);
}

/* Of the filters asked in vain, the share that said no. */
static struct metric report_skipped(const struct walk *w)
{
    struct metric f = report_false(w), asked = report_asked(w);
    double vain = f.measured / asked.measured;
    return (struct metric){1 - f.theory / asked.theory, 1 - vain,
                           (f.se + vain * asked.se) / asked.measured, false};
}

/* Filters that said maybe. */
static uint64_t positives(const struct fb_read_counts *c)
{
    return c->data_found + c->data_false + c->data_tombstone;
}

/* Reads that follow a filter's no. */
static struct metric report_rejected(const struct walk *w)
{
    uint64_t reads = fb_read_total(&w->counts) - positives(&w->counts);
    return (struct metric){0, (double)reads, 0, true};
}

/* Device reads for one file's filter that said maybe. */
static struct metric report_per_positive(const struct walk *w)
{
    double reads = (double)fb_read_total(&w->counts) / (double)positives(&w->counts);
    return (struct metric){1 + w->index_reads, reads, 0, true};
}

/* Reads of the device once every block wanted is in the cache. */
static struct metric report_warm_reads(const struct walk *w)
{
    return (struct metric){0, (double)fb_read_total(&w->counts), 0, true};
}

/* Filters that spared a read. */
static struct metric report_spared(const struct walk *w)
{
    struct metric f = report_false(w), asked = report_asked(w);
    return (struct metric){asked.theory - f.theory, asked.measured - f.measured, f.se + asked.se,
                           false};
}

static const struct {
    const char *name;
    struct metric (*of)(const struct walk *);
} reports[] = {
    {"reads", report_reads},
    {"found", report_found},
    {"false", report_false},
    {"any", report_any},
    {"none", report_none},
    {"asked", report_asked},
    {"skipped", report_skipped},
    {"rejected-reads", report_rejected},
    {"reads-per-positive", report_per_positive},
    {"warm-reads", report_warm_reads},
    {"spared", report_spared},
};

/* ---- Findings ---- */

static enum fb_err metric_of(struct fb_bench *bench, const json_t *args, struct metric *out,
                             struct fb_finding *found)
{
    struct walk w;
    const char *name = fb_arg_text(args, "report", "reads");
    size_t r = 0;
    while (r < sizeof reports / sizeof *reports && strcmp(reports[r].name, name) != 0)
        r++;
    if (r == sizeof reports / sizeof *reports)
        return fb_bench_fail(bench, FB_EINVAL, "no report '%.40s' of a walk", name);
    enum fb_err err = walk_open(bench, args, &w);
    if (!err) {
        *out = reports[r].of(&w);
        found->probes += w.counts.queries;
        found->events += w.counts.data_false;
        found->false_negatives += w.counts.false_negatives;
    }
    walk_close(&w);
    return err;
}

static void find_metric(struct fb_finding *out, struct metric m, double scale, double offset)
{
    double theory = scale * m.theory + offset, measured = scale * m.measured + offset;
    if (m.exact) {
        fb_find_exact(out, theory, measured);
        return;
    }
    fb_find_normal(out, theory, measured, m.se * fabs(scale));
    double p = m.measured == m.theory ? 1
               : m.se > 0             ? fb_p_normal((m.measured - m.theory) / m.se)
                                      : 0;
    out->p = isnan(out->p) ? p : fmin(1, 2 * fmin(out->p, p));
}

/* The report times `scale` plus `offset`. */
static enum fb_err walk(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct metric m;
    enum fb_err err = metric_of(bench, args, &m, out);
    if (!err)
        find_metric(out, m, fb_arg_number(args, "scale", 1), fb_arg_number(args, "offset", 0));
    return err;
}

/* The report of the arguments and of its variant "over", one after the other. */
static enum fb_err both(struct fb_bench *bench, const json_t *args, struct metric m[2],
                        struct fb_finding *out)
{
    json_t *over = fb_arg_over(args);
    enum fb_err err = metric_of(bench, args, &m[0], out);
    if (!err)
        err = metric_of(bench, over, &m[1], out);
    json_decref(over);
    return err;
}

static enum fb_err walk_pair(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct metric m[2];
    enum fb_err err = both(bench, args, m, out);
    for (size_t i = 0; i < 2 && !err; i++)
        find_metric(out, m[i], fb_arg_number(args, "scale", 1), 0);
    return err;
}

/* Its report over that of the arguments. */
static enum fb_err walk_ratio(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct metric m[2];
    enum fb_err err = both(bench, args, m, out);
    if (!err) {
        double ratio = m[1].measured / m[0].measured;
        struct metric r = {.theory = m[1].theory / m[0].theory,
                           .measured = ratio,
                           .se = ratio * hypot(m[0].se / m[0].measured, m[1].se / m[1].measured),
                           .exact = m[0].exact && m[1].exact};
        find_metric(out, r, 1, 0);
    }
    return err;
}

/* How many times faster than without a filter: seconds per read c_io and per check t, of reads that
 * were counted. */
static enum fb_err walk_speedup(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct metric m;
    double check = fb_arg_number(args, "check_ns", 0) / fb_arg_number(args, "io_ns", 1e5);
    enum fb_err err = metric_of(bench, args, &m, out);
    if (!err) {
        double cost = m.measured + check;
        struct metric speedup = {
            .theory = 1 / (m.theory + check), .measured = 1 / cost, .se = m.se / cost / cost};
        find_metric(out, speedup, 1, 0);
        fb_find_remark(out, "at most %.3g x whatever the filter",
                       1 / (1 - fb_arg_number(args, "absent", 1)));
    }
    return err;
}

const struct fb_procedure fb_walk_procedures[] = {
    {"walk", walk, FB_COUNTED},
    {"walk-pair", walk_pair, FB_COUNTED},
    {"walk-ratio", walk_ratio, FB_COUNTED},
    {"walk-speedup", walk_speedup, FB_COUNTED},
    {0},
};
