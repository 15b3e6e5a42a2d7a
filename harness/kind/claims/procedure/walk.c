/*
 * Procedures: queries walked over a tree of real filters, their reads counted. Theory is
 * walk_theory.c, which knows the arguments alone.
 *
 *     tree, design, ...   as grove.h says; design "always" stands for no filter
 *     queries, warm, cache_bytes, index ("pinned" or "cached")
 *     report  a row of the table below; scale: what it is multiplied by
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/procedure/grove.h"
#include "harness/tree/read_path.h"

struct walk {
    struct fb_walk_theory theory;
    struct fb_grove grove;
    struct fb_read_counts counts; /* expected ones while the bench predicts */
    double index_reads;           /* per data read: 1 where the index is read too */
};

/* ---- The walk ---- */

static uint64_t queries_asked(const json_t *args)
{
    return fb_arg_count(args, "queries", 1000000);
}

/* A full run is given ten times the queries, a quick one a fifth. */
static uint64_t n_queries(const struct fb_bench *bench, uint64_t n)
{
    return fb_bench_times_work(bench, bench->effort == FB_FULL    ? 10 * n
                                      : bench->effort == FB_QUICK ? n / 5
                                                                  : n);
}

/* The counts of so many queries as theory has them. */
static void predict_counts(struct walk *w, uint64_t queries)
{
    const struct fb_expectation *e = &w->theory.expected;
    const double n = (double)queries, absent = w->theory.absent, each = 1 + w->index_reads;
    w->counts = (struct fb_read_counts){
        .queries = queries,
        .absent = (uint64_t)(n * absent),
        .asked = (uint64_t)(n * e->asked),
        .data_found = (uint64_t)(n * (1 - absent)),
        .data_false = (uint64_t)(n * (e->io - (1 - absent))),
        .any_false = (uint64_t)(n * absent * e->any_false),
        .false_squares = (uint64_t)(n * (e->io_variance + e->io * e->io)),
        .io_squares = (uint64_t)(n * each * each * (e->io_variance + e->io * e->io)),
    };
    w->counts.read_found = w->counts.data_found;
    w->counts.read_false = w->counts.data_false;
    w->counts.read_index = (uint64_t)(n * w->index_reads * e->io);
}

/* Whether a walk can have counted this: sums that hold of every query, run and block. */
static bool is_possible(const struct fb_read_counts *c)
{
    const uint64_t held = c->present + c->deleted;
    return c->absent + held == c->queries && c->any_false <= c->absent &&
           c->any_false <= c->false_squares && c->pruned + c->asked <= c->range_checks &&
           c->memtable_found <= c->memtable_searches &&
           c->data_found + c->data_tombstone + c->memtable_found + c->false_negatives == held &&
           c->read_found <= c->data_found && c->read_false <= c->data_false &&
           c->read_tombstone <= c->data_tombstone && c->read_index <= c->index_blocks &&
           c->read_filter <= c->filter_blocks && fb_read_total(c) <= c->io_squares;
}

/* Of queries that were planned. */
static void note_counts(struct fb_bench *bench, struct fb_read_counts *c)
{
    uint64_t *words = (uint64_t *)c;
    struct fb_fact facts[FB_READ_WORDS] = {{0}}; /* all words but `queries`, and an end */
    for (size_t i = 1; i < FB_READ_WORDS; i++)
        facts[i - 1] = (struct fb_fact){fb_read_count_names[i], &words[i], 0};
    fb_bench_facts(bench, facts);
    if (!bench->err && bench->phase == FB_DERIVE && !is_possible(c))
        fb_bench_fail(bench, FB_EINVAL, "facts: no walk of %llu queries has such counts",
                      (unsigned long long)c->queries);
}

static void walk_open(struct fb_bench *bench, const json_t *args, struct walk *w)
{
    const uint64_t cache = fb_arg_count(args, "cache_bytes", 0),
                   n = n_queries(bench, queries_asked(args));
    const bool cached = fb_arg_is(args, "index", "cached");
    const struct fb_read_spec read = {.policy = cache ? FB_CACHE_LRU : FB_CACHE_NONE,
                                      .cache_bytes = cache,
                                      .block_bytes = 4096,
                                      .entry_bytes = FB_CLAIM_ENTRY_BYTES,
                                      .index_entry_bytes = FB_CLAIM_KEY_BYTES + FB_CLAIM_OVERHEAD,
                                      .index = cached ? FB_CACHED : FB_PINNED};
    const struct fb_ask asked = {.forest = &w->grove.forest,
                                 .queries = &w->grove.queries,
                                 .first = fb_arg_count(args, "warm", 0),
                                 .n = n,
                                 .n_threads = bench->threads};
    bool complete = true;
    memset(w, 0, sizeof *w);
    w->index_reads = cached;
    fb_walk_theory(bench, args, &w->theory);
    if (bench->phase == FB_PREDICT)
        predict_counts(w, n);
    if (bench->phase == FB_MEASURE)
        fb_grove_open(bench, args, "random", n, &w->grove);
    if (!bench->err && bench->phase == FB_MEASURE)
        fb_bench_check(bench, fb_read_path_count(&asked, &read, &w->counts, &complete), "walk",
                       NULL);
    if (!complete)
        fb_bench_interrupt(bench);
    w->counts.queries = n;
    note_counts(bench, &w->counts);
}

static void walk_close(struct walk *w)
{
    fb_read_counts_close(&w->counts);
    fb_grove_close(&w->grove);
}

/* ---- What is reported of it ---- */

/* A mean over queries: theory, measurement, its standard error; exact where nothing is random. */
struct metric {
    double theory, measured, se;
    bool exact, share; /* share: at most 1 */
};

static struct metric exact(double theory, double measured)
{
    return (struct metric){theory, measured, 0, true, false};
}

static struct metric mean_of(double theory, uint64_t sum, double squares, double n, double noise)
{
    double mean = (double)sum / n, variance = squares / n - mean * mean;
    return (struct metric){theory, mean, hypot(sqrt(fmax(variance, 0) / n), noise), false, false};
}

/* The same of reads, `each` device reads for a data block. m queries of K present keys ask a key
 * again and again and meet the same false positives v times each: their sum varies as m v (1 + m /
 * K), where over different keys it were m v. */
static struct metric mean_of_reads(const struct walk *w, double theory, uint64_t sum,
                                   double squares, double each, double noise)
{
    const struct fb_walk_theory *t = &w->theory;
    const double n = (double)w->counts.queries, m = n * (1 - t->absent),
                 v = t->absent < 1 ? t->expected.io_present - 1 : 0,
                 again = each * sqrt(m * v * m / t->present_keys) / n;
    struct metric mean = mean_of(theory, sum, squares, n, noise);
    mean.se = hypot(mean.se, again);
    return mean;
}

/* Data blocks wanted, and all reads, index and all. */
static struct metric reads(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    const struct fb_walk_theory *t = &w->theory;
    double each = 1 + w->index_reads, false_reads = t->expected.io - (1 - t->absent);
    return mean_of_reads(w, each * t->expected.io, fb_read_total(c), (double)c->io_squares, each,
                         each * t->f_noise * false_reads);
}

/* Wasted reads per query; a query has few, so their variance is the reads' own. */
static struct metric false_reads(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    const struct fb_walk_theory *t = &w->theory;
    double theory =
        t->absent * t->expected.io_absent + (1 - t->absent) * (t->expected.io_present - 1);
    double squares = t->absent < 1 ? (double)c->read_false : (double)c->false_squares;
    return mean_of_reads(w, theory, c->read_false, squares, 1, t->f_noise * theory);
}

/* Absent keys with a wasted read. */
static struct metric any_false(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    const struct fb_walk_theory *t = &w->theory;
    struct metric any = mean_of(t->expected.any_false, c->any_false, (double)c->any_false,
                                (double)c->absent, t->f_noise * t->expected.any_false);
    any.share = true;
    return any;
}

/* Of an absent key chance decides in how many ranges it lies. Of a present one it decides how many
 * runs come before its holder as well; each asks once at most, which bounds the squares. */
static struct metric asked(const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    const struct fb_walk_theory *t = &w->theory;
    const double n = (double)c->queries, mean = (double)c->asked / n;
    if (t->absent == 1)
        return (struct metric){t->expected.asked, mean,
                               hypot(sqrt(t->range_variance / n), t->range_sd), false, false};
    return mean_of(t->expected.asked, c->asked, (double)c->asked * (double)t->n_runs, n,
                   t->range_sd);
}

static struct metric report(struct fb_bench *bench, const json_t *args, const struct walk *w)
{
    const struct fb_read_counts *c = &w->counts;
    const uint64_t positives = c->data_found + c->data_false + c->data_tombstone;
    const double total = (double)fb_read_total(c), found = (double)c->read_found;
    struct metric r = reads(w), f = false_reads(w), a = asked(w), any = any_false(w);
    double vain = f.measured / a.measured;
    /* A check in reads, and what a query costs. */
    double check = fb_arg_number(args, "check_ns", 0) / fb_arg_number(args, "io_ns", 1e5);
    double cost = r.measured + check;
    const struct {
        const char *name;
        struct metric metric;
    } reports[] = {
        {"reads", r},
        {"found", mean_of(1 - w->theory.absent, c->read_found, found, (double)c->queries, 0)},
        {"false", f},
        {"any", any},
        {"none", {1 - any.theory, 1 - any.measured, any.se, false, true}},
        {"asked", a},
        /* Of the filters asked in vain, the share that said no. */
        {"skipped",
         {1 - f.theory / a.theory, 1 - vain, (f.se + vain * a.se) / a.measured, false, true}},
        /* Filters that spared a read. */
        {"spared", {a.theory - f.theory, a.measured - f.measured, f.se + a.se, false, false}},
        /* Reads that follow a filter's no. */
        {"rejected-reads", exact(0, total - (double)positives)},
        /* Device reads for one file's filter that said maybe. */
        {"reads-per-positive", exact(1 + w->index_reads, total / (double)positives)},
        /* Reads of the device once every block wanted is in the cache. */
        {"warm-reads", exact(0, total)},
        /* How many times faster than with one read a query. */
        {"speedup", {1 / (r.theory + check), 1 / cost, r.se / cost / cost, false, false}},
    };
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (fb_arg_is(args, "report", reports[i].name))
            return reports[i].metric;
    fb_bench_fail(bench, FB_EINVAL, "no report '%.40s' of a walk", fb_arg_text(args, "report", ""));
    return exact(0, 0);
}

/* ---- Findings ---- */

static struct metric metric_of(struct fb_bench *bench, const json_t *args, struct fb_finding *found)
{
    struct walk w;
    walk_open(bench, args, &w);
    struct metric metric = report(bench, args, &w);
    found->probes += w.counts.queries;
    if (w.counts.queries < queries_asked(args))
        found->probes_missing += queries_asked(args) - w.counts.queries;
    if (bench->phase == FB_PREDICT) {
        metric.measured = metric.theory;
    } else {
        found->events += w.counts.data_false;
        found->false_negatives += w.counts.false_negatives;
    }
    walk_close(&w);
    return metric;
}

static void find_metric(struct fb_finding *out, struct metric m, double scale, double offset)
{
    double theory = scale * m.theory + offset, measured = scale * m.measured + offset;
    if (m.exact) {
        fb_find_exact(out, theory, measured);
        return;
    }
    fb_find_normal(out, theory, measured, m.se * fabs(scale));
    if (m.share)
        fb_find_clip(out, 0, scale + offset);
    double p = m.measured == m.theory ? 1
               : m.se > 0             ? fb_p_normal((m.measured - m.theory) / m.se)
                                      : 0;
    out->p = isnan(out->p) ? p : fmin(1, 2 * fmin(out->p, p));
}

/* The report times `scale` plus `offset`. */
FB_PROCEDURE(walk)
{
    find_metric(out, metric_of(bench, args, out), fb_arg_number(args, "scale", 1),
                fb_arg_number(args, "offset", 0));
    if (fb_arg_is(args, "report", "speedup"))
        fb_find_remark(out, "at most %.3g x whatever the filter",
                       1 / (1 - fb_arg_number(args, "absent", 1)));
}

/* The report of the variant "over" over that of the arguments; as "both", one after the other. */
FB_PROCEDURE(walk_over)
{
    json_t *over = fb_arg_over(args);
    struct metric a = metric_of(bench, args, out), b = metric_of(bench, over, out);
    double ratio = b.measured / a.measured;
    struct metric r = {.theory = b.theory / a.theory,
                       .measured = ratio,
                       .se = ratio * hypot(a.se / a.measured, b.se / b.measured),
                       .exact = a.exact && b.exact};
    bool both = fb_arg_is(args, "as", "both");
    if (both)
        find_metric(out, a, 1, 0);
    find_metric(out, both ? b : r, 1, 0);
    json_decref(over);
}
