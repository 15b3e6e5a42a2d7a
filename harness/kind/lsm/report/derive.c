/* What follows from the facts and samples of a cell of kind "lsm". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/lsm/report/report.h"
#include "harness/store/expectation.h"

/* ---- Reading a cell ---- */

static uint64_t count_at(const json_t *list, size_t i)
{
    json_int_t x = json_integer_value(json_array_get(list, i));
    return x > 0 ? (uint64_t)x : 0;
}

/* Of one run. */
struct run {
    uint64_t asked, wrong, held; /* wrong: false positives */
    double bytes, units, probes, model, share, in_range;
    bool memtable, filtered;
};

static struct run run_of(const json_t *cell, size_t i)
{
    const json_t *run = json_array_get(json_object_get(cell, "runs"), i);
    const json_t *counts = json_object_get(cell, "counts");
    struct run r = {
        .asked = count_at(json_object_get(counts, "run_asked"), i),
        .wrong = count_at(json_object_get(counts, "run_false"), i),
        .held = count_at(json_object_get(counts, "run_held"), i),
        .bytes = fb_json_num(run, "bytes"),
        .units = fb_json_num(run, "units"),
        .probes = fb_json_num(run, "probes"),
        .model = fb_json_num(run, "model"),
        .share = fb_json_num(run, "holder_share"),
        .in_range = fb_json_num(run, "in_range"),
        .memtable = json_is_true(json_object_get(run, "memtable")),
        .filtered = json_is_integer(json_object_get(run, "probes")),
    };
    /* Absent keys pass a filter of prefixes whose prefix it holds: no formula of the design. */
    if (json_is_false(fb_json_at(cell, "params.whole_key")))
        r.model = NAN;
    return r;
}

/* Queries that asked the run's filter in vain. */
static uint64_t vain(const struct run *r)
{
    return r->asked > r->held ? r->asked - r->held : 0;
}

static size_t n_runs_of(const json_t *cell)
{
    size_t n = json_array_size(json_object_get(cell, "runs"));
    return n < FB_MAX_RUNS ? n : FB_MAX_RUNS;
}

/* ---- Rates by run ---- */

static json_t *rates_json(const json_t *cell)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < n_runs_of(cell); i++) {
        struct run r = run_of(cell, i);
        uint64_t n = vain(&r), x = r.wrong < n ? r.wrong : n;
        bool measured = r.filtered && n;
        const char *why = r.filtered ? "no absent key was asked" : "no filter";
        struct fb_interval wilson = measured ? fb_wilson(x, n, 0.95) : (struct fb_interval){0, 0};
        double estimate = measured ? (double)x / (double)n : NAN;
        json_t *row = json_object();
        fb_json_real(row, "bits_per_key",
                     8 * r.bytes /
                         fb_json_num(json_array_get(json_object_get(cell, "runs"), i), "keys"),
                     "the run has no keys");
        fb_json_real(row, "estimate", estimate, why);
        fb_json_known(row, "wilson95", measured ? fb_json_interval(wilson.low, wilson.high) : NULL,
                      why);
        fb_json_real(row, "ratio", measured && r.model > 0 ? estimate / r.model : NAN,
                     "no prediction to compare with");
        json_array_append_new(rows, row);
    }
    return rows;
}

/* ---- Reads ---- */

/* One over the number of independent queries: those of a popular key answer as one. */
static double one_over_n(const json_t *cell, double queries)
{
    double absent = fb_json_num(cell, "params.absent"), sum = 1 / queries;
    double present_keys = fb_json_num(cell, "effective.present");
    double absent_keys = fb_json_num(cell, "effective.absent");
    if (present_keys > 0)
        sum += (1 - absent) * (1 - absent) / present_keys;
    if (absent_keys > 0)
        sum += absent * absent / absent_keys;
    return sum;
}

/* Of the reads of one cause per query, given which keys are asked for: what must be read for a key
 * that is there is no chance, all else are events of their own. */
static double variance_of(const json_t *counts, const char *cause, double read)
{
    char name[32];
    bool block = !strcmp(cause, "found") || !strcmp(cause, "tombstone");
    snprintf(name, sizeof name, "data_%s", cause);
    double wanted = fb_json_num(counts, name) / fb_json_num(counts, "queries");
    return !block ? read : wanted > 0 ? read * (1 - read / wanted) : 0;
}

static json_t *reads_json(const json_t *cell)
{
    static const char *const causes[] = {"found", "false", "tombstone", "index", "filter"};
    const json_t *counts = json_object_get(cell, "counts");
    double q = fb_json_num(counts, "queries"), io = 0, variance = 0;
    uint64_t absent = fb_json_uint(counts, "absent"), any = fb_json_uint(counts, "any_false");
    json_t *j = json_object(), *by_cause = json_object();
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        char name[32];
        snprintf(name, sizeof name, "read_%s", causes[i]);
        double read = fb_json_num(counts, name) / q;
        io += read;
        variance += fmax(0, variance_of(counts, causes[i], read));
        fb_json_real(by_cause, causes[i], read, "no queries");
    }
    double se = sqrt(variance * one_over_n(cell, q));
    fb_lsm_put_estimate(j, "io", (struct fb_lsm_estimate){io, se}, 0, "no queries");
    json_object_set_new(j, "by_cause", by_cause);
    fb_json_real(j, "bytes", fb_json_num(counts, "read_bytes") / q, "no queries");
    fb_json_real(j, "asked", fb_json_num(counts, "asked") / q, "no queries");
    fb_json_real(j, "pruned", fb_json_num(counts, "pruned") / q, "no queries");
    fb_json_real(j, "any_false", absent ? (double)any / (double)absent : NAN,
                 "no query was for an absent key");
    struct fb_interval wilson = {0, 0};
    if (absent && any <= absent)
        wilson = fb_wilson(any, absent, 0.95);
    fb_json_known(j, "any_false_wilson95",
                  absent ? fb_json_interval(wilson.low, wilson.high) : NULL,
                  "no query was for an absent key");
    return j;
}

/* ---- Expectation ---- */

/* Theory closer to the truth than this share of a rate is not asked for. */
#define THEORY_ERROR 0.003

struct expected {
    struct fb_expected_run run[FB_MAX_RUNS];
    double between;  /* variance of the expected reads, over filters of the same sizes and over the
                        queries whose ranges were looked at */
    double bias;     /* of the rates, at most */
    size_t measured; /* runs whose rate is the measured one */
};

/*
 * Filters of m bits and k probes differ from each other by about k / sqrt(m) of their rate (the
 * number of bits set varies; an upper estimate for all designs here), each run's filters
 * independently; but filters that hold the same prefixes beside their keys have bits in common, and
 * deviate together.
 *
 * Nothing here comes from the walk but the share of absent queries, which is drawn with the stream
 * before the walk begins, and the rates of filters that no formula fits.
 */
static void gather(const json_t *cell, double absent, struct expected *out)
{
    double behind = 0, together = 0;
    bool shared = *fb_json_str(cell, "params.prefix");
    memset(out, 0, sizeof *out);
    for (size_t i = n_runs_of(cell); i-- > 0;) {
        struct run r = run_of(cell, i);
        struct fb_expected_run *e = &out->run[i];
        uint64_t n = vain(&r);
        bool by_measurement = r.filtered && !isfinite(r.model);
        double spread = r.bytes > 0 ? r.probes / sqrt(8 * r.bytes) : 0;
        e->memtable = r.memtable;
        e->pi = isfinite(r.share) ? r.share : 0;
        e->r = isfinite(r.in_range) ? r.in_range : 1;
        e->f = r.memtable ? 0 : 1;
        if (by_measurement)
            e->f = n ? (double)r.wrong / (double)n : 0;
        else if (r.filtered)
            e->f = r.model;
        const double come = absent + (1 - absent) * behind, weight = come * e->r * e->f;
        if (fb_json_num(cell, "counts.queries") > FB_REACH_QUERIES)
            out->between += come * e->f * e->f * e->r * (1 - e->r) / FB_REACH_QUERIES;
        if (r.filtered && !by_measurement) {
            out->between += shared ? 0 : weight * weight * spread * spread;
            together += weight * spread;
            out->bias += weight * THEORY_ERROR;
        }
        out->measured += by_measurement;
        behind += e->pi;
    }
    if (shared)
        out->between += together * together;
}

static json_t *expectation_json(const json_t *cell)
{
    const json_t *counts = json_object_get(cell, "counts");
    double q = fb_json_num(counts, "queries"), absent = fb_json_num(counts, "absent") / q;
    double wanted = (fb_json_num(counts, "data_found") + fb_json_num(counts, "data_false") +
                     fb_json_num(counts, "data_tombstone")) /
                    q;
    struct expected *given = malloc(sizeof *given);
    struct fb_expectation mixed, all_absent, all_present;
    if (!given || !(q > 0) ||
        !strcmp(fb_json_str(cell, "params.absent_kind"), fb_absent_kinds[FB_ADVERSARIAL].name)) {
        free(given);
        return NULL;
    }
    gather(cell, absent, given);
    fb_expect(given->run, n_runs_of(cell), absent, &mixed);
    fb_expect(given->run, n_runs_of(cell), 1, &all_absent);
    fb_expect(given->run, n_runs_of(cell), 0, &all_present);
    /* The share of absent queries is known, so it adds nothing. */
    double variance = absent * all_absent.io_variance + (1 - absent) * all_present.io_variance;
    double square = variance * one_over_n(cell, q) + given->between + given->bias * given->bias;
    double se = square > 1e-15 ? sqrt(square) : 0; /* below, what rounding leaves of 0 */
    double off = wanted - mixed.io;
    json_t *j =
        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "data_blocks", mixed.io, "data_blocks_absent",
                  mixed.io_absent, "data_blocks_present", mixed.io_present, "any_false",
                  mixed.any_false, "asked", mixed.asked, "simulated", wanted);
    json_object_set_new(
        j, "rates", json_string(!given->measured ? "theory" : "measured where no formula fits"));
    json_object_set_new(j, "se", json_real(se));
    if (given->measured)
        off = NAN;
    fb_json_real(j, "z", fabs(off) < 1e-12 ? 0 : off / se,
                 given->measured ? "a rate was measured, as no formula fits"
                                 : "the formula leaves no room");
    free(given);
    return j;
}

/* ---- What a query costs, and which part of it is the largest ---- */

/* The smallest of "L1", "L2", "L3", "DRAM" that holds so many bytes; caches as in "timing". */
static const char *footprint(double bytes, const json_t *caches)
{
    if (bytes <= fb_json_num(caches, "l1d_bytes"))
        return "L1";
    if (bytes <= fb_json_num(caches, "l2_bytes"))
        return "L2";
    return bytes <= fb_json_num(caches, "l3_bytes") ? "L3" : "DRAM";
}

/* Nanoseconds to hash one key: what re-hashing costs above sharing, for each digest more. NaN where
 * the two were not measured or hash as often. */
static double hash_ns(const json_t *cell)
{
    const json_t *lookups = json_object_get(cell, "lookups"),
                 *rehash = fb_json_find(lookups, "lookup", "rehash-each"),
                 *shared = fb_json_find(lookups, "lookup", "shared-digest");
    double more = fb_json_num(rehash, "digests") - fb_json_num(shared, "digests");
    double ns = fb_json_num(rehash, "time.median") - fb_json_num(shared, "time.median");
    return more > 0.5 ? fmax(0, ns) / more : NAN;
}

/* {hash, walk, probe}, which add up to the median; hash stays in probe where it is not known. */
static json_t *parts_json(const json_t *cell, const json_t *lookup, double each_hash)
{
    static const char *const unknown = "not told apart from asking: needs rehash-each and "
                                       "shared-digest over two filters or more";
    double total = fb_json_num(lookup, "time.median");
    double walk = fmin(total, fb_json_num(cell, "control.median"));
    double hash = fmin(each_hash * fb_json_num(lookup, "digests"), total - walk);
    json_t *parts = json_object();
    fb_json_real(parts, "walk_ns", walk, "the control was not measured");
    fb_json_real(parts, "hash_ns", isfinite(each_hash) ? hash : NAN, unknown);
    fb_json_real(parts, "probe_ns",
                 total - (isfinite(walk) ? walk : 0) - (isfinite(each_hash) ? hash : 0),
                 "not measured");
    return parts;
}

/* The largest part; asking is bound by memory where the filters are larger than L2. */
static const char *bound_of(const json_t *parts, const char *footprint, double io_ns)
{
    bool beyond = !strcmp(footprint, "L3") || !strcmp(footprint, "DRAM");
    const char *probe = json_is_null(json_object_get(parts, "hash_ns")) ? "hash or probe"
                        : beyond                                        ? "memory"
                                                                        : "probe";
    const struct {
        const char *name;
        double ns;
    } all[] = {{"disk", io_ns},
               {probe, fb_json_num(parts, "probe_ns")},
               {"hash", fb_json_num(parts, "hash_ns")},
               {"walk", fb_json_num(parts, "walk_ns")}};
    size_t most = 0;
    for (size_t i = 1; i < sizeof all / sizeof *all; i++)
        if (all[i].ns > all[most].ns)
            most = i;
    return all[most].name;
}

/* What a query costs beside reads: NaN where the experiment has no costs of an engine. */
static double engine_ns(const json_t *cell, const json_t *experiment)
{
    return fb_json_num(experiment, "engine_base_ns") +
           fb_json_num(cell, "reads.asked") *
               fb_lsm_check_ns(experiment, fb_json_str(cell, "design"));
}

/* {io_ns, cost_ns, low, high}: CPU time and reads, their errors independent. The CPU time is that
 * of an engine where its costs are known. */
static json_t *cost_json(const json_t *cell, const json_t *time, const json_t *experiment,
                         const json_t *device)
{
    const double engine = engine_ns(cell, experiment);
    if (isfinite(engine))
        time = NULL;
    double read_ns = fb_json_num(device, "read_ns"), per_s = fb_json_num(device, "bytes_per_s");
    double io = fb_json_num(cell, "reads.io"), cpu = time ? fb_json_num(time, "median") : 0;
    if (isfinite(engine))
        cpu = engine;
    double beyond =
        fmax(0, fb_json_num(cell, "reads.bytes") - io * fb_json_num(device, "block_bytes"));
    double io_ns = io * read_ns + (per_s > 0 ? beyond / per_s * 1e9 : 0);
    double scale = io > 0 ? io_ns / io : read_ns;
    double below = (io - fb_json_num(cell, "reads.io_ci95.low")) * scale;
    double above = (fb_json_num(cell, "reads.io_ci95.high") - io) * scale;
    double cpu_below = time ? cpu - fb_json_num(time, "ci95.low") : 0;
    double cpu_above = time ? fb_json_num(time, "ci95.high") - cpu : 0;
    static const char *const few = "too few processes";
    json_t *cost = json_object();
    fb_json_real(cost, "io_ns", io_ns, "no queries");
    fb_json_real(cost, "cost_ns", cpu + io_ns, "no queries");
    fb_json_real(cost, "low", fmax(0, cpu + io_ns - hypot(below, cpu_below)), few);
    fb_json_real(cost, "high", cpu + io_ns + hypot(above, cpu_above), few);
    return cost;
}

/* By name of device; time NULL: not measured, reads alone. */
static json_t *costs_json(const json_t *cell, const json_t *time, const json_t *document)
{
    json_t *costs = json_object();
    FB_EACH(device, json_object_get(document, "devices"))
        json_object_set_new(costs, fb_json_str(device, "name"),
                            cost_json(cell, time, json_object_get(document, "experiment"), device));
    return costs;
}

/* Sets "parts", "bound" (on the first device) and "costs" of a lookup. */
static void price(const json_t *cell, json_t *lookup, double each_hash, const json_t *document)
{
    const json_t *chosen = json_array_get(json_object_get(document, "devices"), 0);
    json_t *time = json_object_get(lookup, "time");
    json_t *parts = parts_json(cell, lookup, each_hash), *costs = costs_json(cell, time, document);
    double io_ns = fb_json_num(json_object_get(costs, fb_json_str(chosen, "name")), "io_ns");
    json_object_set_new(lookup, "bound",
                        json_string(bound_of(parts, fb_json_str(cell, "memory.footprint"), io_ns)));
    json_object_set_new(lookup, "parts", parts);
    json_object_set_new(lookup, "costs", costs);
}

/* ---- Everything ---- */

void fb_lsm_derive(json_t *cell, const json_t *document)
{
    const json_t *caches = json_object_get(json_object_get(document, "timing"), "caches");
    json_t *lookups = json_object_get(cell, "lookups"), *memory = json_object();
    double bytes = fb_json_num(cell, "filter.bytes"), n = fb_json_num(cell, "n");
    json_object_set_new(cell, "rates", rates_json(cell));
    json_object_set_new(cell, "reads", reads_json(cell));
    fb_json_known(cell, "expectation", expectation_json(cell),
                  "these keys were chosen against the filters");
    fb_json_real(memory, "bits_per_key", 8 * bytes / n, "there are no keys");
    fb_json_known(memory, "footprint", caches ? json_string(footprint(bytes, caches)) : NULL,
                  "not timed");
    json_object_set_new(cell, "memory", memory);
    json_object_set_new(cell, "per_filter", fb_lsm_per_filter(cell));
    json_object_set_new(cell, "building", fb_lsm_building(cell));
    if (json_is_array(json_object_get(cell, "scans")))
        json_object_set_new(cell, "scan_rates", fb_lsm_scan_rates(cell));
    fb_json_known(cell, "costs", json_array_size(lookups) ? NULL : costs_json(cell, NULL, document),
                  "each lookup has its own");
    double each_hash = hash_ns(cell);
    FB_EACH(lookup, lookups)
        price(cell, lookup, each_hash, document);
}

void fb_lsm_warn(json_t *document)
{
    const json_t *cells = json_object_get(document, "cells");
    if (fb_json_lists(fb_json_at(document, "experiment.keys"), "file") &&
        fb_json_num(json_array_get(cells, 0), "tree.segments") == 1)
        fb_result_warn(document, "one-file", NULL,
                       "all keys fit one file: a query asks one filter, which says little of a "
                       "tree; give more keys");
    FB_EACH(cell, cells) {
        double z = json_number_value(fb_json_at(cell, "expectation.z"));
        const char *id = fb_json_str(cell, "id");
        if (fabs(z) > FB_LSM_SUSPICIOUS_Z)
            fb_result_warn(document, "expectation", id,
                           "%s: formula and simulation disagree: %.5f data blocks per query where "
                           "%.5f are expected, z = %+.1f",
                           id, json_number_value(fb_json_at(cell, "expectation.simulated")),
                           json_number_value(fb_json_at(cell, "expectation.data_blocks")), z);
    }
}
