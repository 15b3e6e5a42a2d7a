/* What follows from the counts of the scans of a cell of kind "lsm". */
#include "harness/kind/lsm/report/report.h"

#include <math.h>

#include "harness/stats/stats.h"

/* ---- Sums over scans ---- */

/* Per scan: files in range, files read, files read in vain. */
enum { RANGE, READS, VAIN, N_SUMS };

struct sums {
    double n, one[N_SUMS], two[N_SUMS][N_SUMS]; /* scans; sums; of products */
};

static void sums_of(const json_t *scan, struct sums *s)
{
    static const char *const products[N_SUMS][N_SUMS] = {
        {"range_squares", "range_reads", "range_false"},
        {"range_reads", "io_squares", "reads_false"},
        {"range_false", "reads_false", "false_squares"}};
    s->n = fb_json_num(scan, "scans");
    s->one[VAIN] = fb_json_num(scan, "read_false");
    s->one[READS] = fb_json_num(scan, "read_true") + s->one[VAIN];
    s->one[RANGE] = s->one[READS] + fb_json_num(scan, "skipped");
    for (int i = 0; i < N_SUMS; i++)
        for (int j = 0; j < N_SUMS; j++)
            s->two[i][j] = fb_json_num(scan, products[i][j]);
}

/* A ratio of two sums over scans, each a combination of the three; its error over scans drawn
 * independently, by the variance of what is left of its linear form. */
static struct fb_lsm_estimate share_of(const struct sums *s, const double top[N_SUMS],
                                       const double bottom[N_SUMS])
{
    double above = 0, below = 0, variance = 0, weight[N_SUMS];
    for (int i = 0; i < N_SUMS; i++) {
        above += top[i] * s->one[i];
        below += bottom[i] * s->one[i];
    }
    if (!(below > 0))
        return (struct fb_lsm_estimate){NAN, NAN};
    for (int i = 0; i < N_SUMS; i++)
        weight[i] = top[i] - above / below * bottom[i];
    for (int i = 0; i < N_SUMS; i++)
        for (int j = 0; j < N_SUMS; j++)
            variance += weight[i] * weight[j] * s->two[i][j];
    return (struct fb_lsm_estimate){above / below, sqrt(fmax(0, variance)) / below};
}

/* A mean per scan from its sum and its sum of squares. */
static struct fb_lsm_estimate mean_of(double n, double sum, double squares)
{
    double mean = sum / n;
    return (struct fb_lsm_estimate){mean, sqrt(fmax(0, squares / n - mean * mean) / n)};
}

/* ---- Members ---- */

#define NORMAL_95 1.959963984540054

void fb_lsm_put_estimate(json_t *j, const char *name, struct fb_lsm_estimate x, double trials,
                         const char *why)
{
    const double half = NORMAL_95 * x.se;
    const bool share = trials > 0;
    struct fb_interval ci = {fmax(0, x.value - half), x.value + half};
    if (share)
        ci.high = fmin(1, ci.high);
    if (share && half == 0)
        ci = fb_wilson_rate(x.value, trials, 0.95);
    char ci95[48];
    snprintf(ci95, sizeof ci95, "%s_ci95", name);
    fb_json_real(j, name, x.value, why);
    fb_json_known(j, ci95, isfinite(half) ? fb_json_interval(ci.low, ci.high) : NULL, why);
}

static double files_of(const json_t *cell)
{
    const json_t *runs = json_object_get(cell, "runs");
    double files = 0;
    FB_EACH(run, runs) {
        files += json_is_true(json_object_get(run, "memtable")) ? 0 : fb_json_num(run, "segments");
    }
    return files;
}

/* The rate that the design's formula gives, where it does so for every run and nearly the same. */
static double model_of(const json_t *cell)
{
    const json_t *runs = json_object_get(cell, "runs");
    double least = INFINITY, most = 0, sum = 0, files = 0;
    FB_EACH(run, runs) {
        double model = fb_json_num(run, "model"), n = fb_json_num(run, "segments");
        if (json_is_true(json_object_get(run, "memtable")))
            continue;
        if (!isfinite(model))
            return NAN;
        least = fmin(least, model);
        most = fmax(most, model);
        sum += model * n;
        files += n;
    }
    return files > 0 && most <= 1.25 * least ? sum / files : NAN;
}

static json_t *rates_of(const json_t *cell, const json_t *scan)
{
    static const double range[N_SUMS] = {1, 0, 0}, skipped[N_SUMS] = {1, -1, 0};
    static const double vain[N_SUMS] = {0, 0, 1}, without[N_SUMS] = {1, -1, 1};
    static const char *const none = "no scans", *const nowhere = "no file was in range";
    struct sums s;
    sums_of(scan, &s);
    double runs = fb_json_num(scan, "range_checks") / s.n, files = files_of(cell);
    struct fb_lsm_estimate reads = mean_of(s.n, s.one[READS], s.two[READS][READS]);
    struct fb_lsm_estimate pruned =
        mean_of(s.n, fb_json_num(scan, "pruned"), fb_json_num(scan, "pruned_squares"));
    struct fb_lsm_estimate wrong = share_of(&s, vain, without);
    bool asked = fb_json_num(scan, "asked") > 0;
    json_t *j = json_pack("{s:s}", "prefix", fb_json_str(scan, "prefix"));
    fb_lsm_put_estimate(j, "files_in_range", mean_of(s.n, s.one[RANGE], s.two[RANGE][RANGE]), 0,
                        none);
    fb_lsm_put_estimate(j, "reads", reads, 0, none);
    fb_lsm_put_estimate(j, "runs_pruned",
                        (struct fb_lsm_estimate){pruned.value / runs, pruned.se / runs}, s.n, none);
    fb_lsm_put_estimate(j, "skipped", share_of(&s, skipped, range), s.n, nowhere);
    fb_lsm_put_estimate(j, "read_in_vain", wrong, s.n, "every file in range had the prefix");
    fb_lsm_put_estimate(j, "unread",
                        (struct fb_lsm_estimate){1 - reads.value / files, reads.se / files}, s.n,
                        none);
    double model = asked && fb_json_num(scan, "blind") == 0 ? model_of(cell) : NAN;
    fb_json_real(j, "model", model,
                 asked ? "no one formula fits all filters" : "no filter was asked");
    fb_json_real(j, "ratio", model > 0 ? wrong.value / model : NAN,
                 "no prediction to compare with");
    fb_json_real(j, "held", fb_json_num(scan, "held") / s.n, none);
    return j;
}

json_t *fb_lsm_scan_rates(const json_t *cell)
{
    const json_t *scans = json_object_get(cell, "scans");
    json_t *rates = json_array();
    for (size_t i = 0; i < json_array_size(scans); i++)
        json_array_append_new(rates, rates_of(cell, json_array_get(scans, i)));
    return rates;
}
