/* Intervals, quantiles and tests. */
#include <string.h>

#include "filters/core/math.h"
#include "harness/check/parts.h"
#include "harness/stats/change.h"
#include "harness/stats/histogram.h"
#include "harness/stats/serial.h"
#include "harness/stats/slowdown.h"
#include "workloads/core/rng.h"

/* Numbers between 0 and 1. */
static double draw(uint64_t i)
{
    return (double)(fb_stream_word(0x5eed, i) >> 11) * 0x1p-53;
}

static void answer_interval(struct fb_answers *a, struct fb_interval interval)
{
    fb_answer_real(a, interval.low);
    fb_answer_real(a, interval.high);
}

static void ask_math(struct fb_answers *a)
{
    for (double x = 1e-9; x < 1e9; x *= 13.7) {
        fb_answer_real(a, fb_log(x));
        fb_answer_real(a, fb_log1p(x));
        fb_answer_real(a, fb_log2(x));
        fb_answer_real(a, fb_exp(-fb_log1p(x)));
        fb_answer_real(a, fb_expm1(fb_log1p(x) / 3));
        fb_answer_real(a, fb_pow(x, 0.7));
        fb_answer_real(a, fb_pow(x, 5));
    }
}

static void ask_quantiles(struct fb_answers *a)
{
    for (double p = 0.0005; p < 1; p += 0.0717) {
        fb_answer_real(a, fb_normal_quantile(p));
        fb_answer_real(a, fb_normal_tail(20 * p - 10));
        for (unsigned df = 1; df < 60; df = 3 * df + 1) {
            fb_answer_real(a, fb_t_quantile(p, df));
            fb_answer_real(a, fb_chi2_tail(3 * p * df, df));
        }
    }
}

static void ask_intervals(struct fb_answers *a)
{
    double x[40];
    for (uint64_t n = 1; n < 1000000; n = 7 * n + 2)
        for (uint64_t events = 0; events <= n; events += n / 3 + 1) {
            answer_interval(a, fb_wilson(events, n, 0.95));
            answer_interval(a, fb_wilson(events, n, 0.999));
            fb_answer_real(a, fb_binomial_upper(events, n, 0.95));
        }
    for (size_t i = 0; i < 40; i++)
        x[i] = 3 + draw(i);
    for (size_t n = 2; n <= 40; n += 7)
        answer_interval(a, fb_t_interval(fb_mean_of(x, n), 0.99));
}

static void ask_tests(struct fb_answers *a)
{
    double p[20], adjusted[20];
    uint64_t counts[20];
    for (size_t i = 0; i < 20; i++) {
        p[i] = draw(100 + i) * draw(200 + i) * draw(300 + i);
        counts[i] = (uint64_t)(1000 * draw(i));
    }
    fb_holm(p, 20, adjusted);
    for (size_t i = 0; i < 20; i++)
        fb_answer_real(a, adjusted[i]);
    fb_answer_real(a, fb_chi2_even(counts, 20, 500));
}

static void ask_pairs(struct fb_answers *a)
{
    double d[64], x[64], scratch[64];
    struct fb_memory memory = {0};
    for (size_t i = 0; i < 64; i++)
        d[i] = draw(i) - 0.4 + (i ? 0.6 * d[i - 1] : 0);
    for (size_t n = 5; n <= 64; n += 11) {
        const struct fb_paired pair = fb_hodges_lehmann(d, n, 0.99);
        memcpy(x, d, sizeof x);
        fb_answer_real(a, pair.estimate);
        fb_answer_real(a, pair.level);
        if (pair.bounded)
            answer_interval(a, pair.interval);
        fb_answer_real(a, fb_median(x, n));
        fb_answer_real(a, fb_median_deviation(x, n, 0.2, scratch));
        fb_answer_word(a, fb_memory_add(&memory, d, n, n % 2));
        fb_answer_real(a, fb_memory_exponent(&memory));
        const struct fb_paired serial = fb_serial_interval(d, n, 0.95, fb_memory_exponent(&memory));
        fb_answer_real(a, serial.estimate);
        if (serial.bounded)
            answer_interval(a, serial.interval);
    }
}

/* Rows that did not change, changed a little and much. */
static void ask_changes(struct fb_answers *a)
{
    enum { CELLS = 5, N = 40 };
    static const double moved[CELLS] = {0, 0.01, 0.04, -0.05, 0.2};
    double d[CELLS][N];
    for (size_t c = 0; c < CELLS; c++)
        for (size_t i = 0; i < N; i++)
            d[c][i] = moved[c] + 0.06 * (draw(N * c + i) - 0.5);
    for (size_t n = 8; n <= N; n += 8) {
        struct fb_change_cell cells[CELLS];
        const struct fb_change_rules rules = {
            .delta = 0.03, .alpha = 0.01, .memory = n > 16 ? 0.2 : 0};
        for (size_t c = 0; c < CELLS; c++)
            cells[c] = (struct fb_change_cell){.d = d[c], .n = n};
        fb_change_judge(&rules, cells, CELLS);
        for (size_t c = 0; c < CELLS; c++) {
            fb_answer_word(a, cells[c].change);
            fb_answer_real(a, cells[c].paired.estimate);
            answer_interval(a, cells[c].paired.interval);
        }
    }
}

/* Cells that are as fast, slower by a little and much, and faster; by gates of two sizes. */
static void ask_slowdowns(struct fb_answers *a)
{
    enum { CELLS = 6 };
    static const double moved[CELLS] = {0, 0.012, 0.04, -0.05, 0.2, 0.03};
    double d[CELLS][FB_FIRST_SET + FB_SECOND_SET];
    for (size_t c = 0; c < CELLS; c++)
        for (size_t i = 0; i < FB_FIRST_SET + FB_SECOND_SET; i++)
            d[c][i] = moved[c] + 0.06 * (draw(CELLS * i + c) - 0.5);
    for (double gate = 0.02; gate < 0.1; gate += 0.03) {
        struct fb_slowdown_cell cells[CELLS];
        const struct fb_slowdown_rules rules = {.delta = 0.02, .alpha = 0.01};
        for (size_t c = 0; c < CELLS; c++)
            cells[c] = (struct fb_slowdown_cell){.first = d[c],
                                                 .n_first = FB_FIRST_SET,
                                                 .second = d[c] + FB_FIRST_SET,
                                                 .n_second = c < 5 ? FB_SECOND_SET : 0,
                                                 .gate = gate};
        fb_slowdown_judge(&rules, cells, CELLS);
        for (size_t c = 0; c < CELLS; c++) {
            fb_answer_word(a, cells[c].verdict);
            fb_answer_real(a, cells[c].estimate);
            fb_answer_real(a, cells[c].p);
        }
        fb_answer_real(a, fb_slowdown_finds(&rules, gate, gate));
    }
}

static void ask_histogram(struct fb_answers *a)
{
    static struct fb_histogram h;
    memset(&h, 0, sizeof h);
    for (uint64_t i = 0; i < 2000; i++) {
        const uint64_t ps = fb_stream_word(7, i) >> (20 + i % 40);
        fb_answer_word(a, fb_histogram_bin(ps));
        fb_answer_word(a, fb_histogram_middle(fb_histogram_bin(ps)));
        fb_histogram_add(&h, ps, 1 + i % 4);
    }
    for (double q = 0; q <= 1; q += 0.0625) {
        fb_answer_word(a, fb_histogram_quantile(&h, q));
        fb_answer_word(a, fb_histogram_beyond(&h, q));
    }
}

static const struct subject {
    const char *name;
    void (*ask)(struct fb_answers *);
} subjects[] = {
    {"logarithms", ask_math},     {"quantiles", ask_quantiles},  {"intervals", ask_intervals},
    {"tests", ask_tests},         {"pairs", ask_pairs},          {"changes", ask_changes},
    {"slowdowns", ask_slowdowns}, {"histograms", ask_histogram}, {NULL, NULL}};

static void ask_subject(size_t i, struct fb_answers *a)
{
    subjects[i].ask(a);
}

const struct fb_check_part fb_check_statistics[] = {
    {"statistics", ask_subject, FB_NAMED(subjects)},
    {0},
};
