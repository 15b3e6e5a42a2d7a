/* Groups: estimates from samples made by hand, and children that deliver what the test wants. */
#include "tests/made_group.h"

#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/measure/group_json.h"
#include "harness/stats/serial.h"
#include "workloads/core/rng.h"

/* ---- Estimates ---- */

TEST(common_weather_leaves_the_ratio)
{
    closed_by(fb_group_close) struct fb_group g = make_group(8, 1.5, 0);
    const struct fb_estimate *base = &g.members[0].estimate, *e = &g.members[1].estimate;
    assert_false(g.cpu_clock);
    assert_true(g.independent);
    assert_near(e->ratio, 1.5, 1e-12);
    assert_near(e->ratio95.low, 1.5, 1e-12);
    assert_near(e->ratio95.high, 1.5, 1e-12);
    assert_near(e->ratio99.high, 1.5, 1e-12);
    assert_near(g.half_width, 0, 1e-12);
    assert_true(isnan(base->ratio));
    assert_near(base->ns_min, 2, 1e-12);
    assert_true(base->ns95.low < base->ns && base->ns < base->ns95.high);
    assert_true(base->ns99.low < base->ns95.low && base->ns95.high < base->ns99.high);
    assert_true(e->sd_process > 5 * e->sd_round && e->sd_round > 0);
}

/* One process in which the member took ten times as long moves no estimate. */
TEST(an_outlier_moves_nothing)
{
    closed_by(fb_group_close) struct fb_group g = make_group(8, 1.5, 0);
    const double ns = g.members[1].estimate.ns;
    for (size_t r = 0; r < MADE_ROUNDS; r++)
        g.members[1].samples[7 * MADE_ROUNDS + r].wall_ns *= 10;
    g.members[1].samples[5].flags = 1;
    assert_int_equal(fb_group_estimate(&g), FB_OK);
    assert_near(g.members[1].estimate.ratio, 1.5, 1e-12);
    assert_near(g.members[1].estimate.ns, ns, 1e-12);
    assert_true(g.members[1].estimate.ratio95.high > 1.5);
    assert_true(g.members[0].estimate.flagged == 0 && g.members[1].estimate.flagged == 1);
}

TEST(few_processes_give_no_interval)
{
    struct fb_group g = make_group(5, 2, 0);
    assert_near(g.members[1].estimate.ratio, 2, 1e-12);
    assert_false(isfinite(g.members[1].estimate.ratio95.high));
    assert_false(isfinite(g.half_width));
    fb_group_close(&g);
    g = make_group(6, 2, 0);
    assert_true(isfinite(g.members[1].estimate.ratio95.high));
    assert_false(isfinite(g.members[1].estimate.ratio99.high));
    fb_group_close(&g);
}

TEST(many_repeats_change_the_clock)
{
    closed_by(fb_group_close) struct fb_group g = make_group(6, 1.5, 1);
    assert_true(g.cpu_clock); /* a third of all batches was repeated */
    assert_near(g.members[1].estimate.ratio, 4.5, 1e-12);
    assert_near(g.members[0].estimate.ns_min, 1, 1e-12);
    assert_int_equal(g.members[1].estimate.retries, 6 * MADE_ROUNDS);
}

/* A tenth of all batches, of two for each sample: 72 of 36 samples. */
TEST(a_tenth_changes_the_clock)
{
    closed_by(fb_group_close) struct fb_group g = make_group(6, 1.5, 0);
    for (size_t retries = 7; retries <= 9; retries++) {
        for (size_t s = 0; s < retries; s++)
            g.members[1].samples[s].retries = 1;
        assert_int_equal(fb_group_estimate(&g), FB_OK);
        assert_int_equal(g.cpu_clock, retries > 8);
    }
}

/* Spread about the median, and intervals by the memory of the times themselves. */
TEST(times_alone)
{
    closed_by(fb_group_close) struct fb_group g = make_group(16, 1.5, 0);
    const struct fb_estimate *e = &g.members[0].estimate;
    double x[16 * MADE_ROUNDS], d[FB_PAIRED_MAX];
    g.members[0].samples[3].wall_ns *= 30; /* the mean is another number than the median */
    assert_int_equal(fb_group_estimate(&g), FB_OK);
    for (size_t i = 0; i < 16 * MADE_ROUNDS; i++)
        x[i] = fabs(g.members[0].samples[i].wall_ns - e->ns);
    assert_near(e->ns_mad, fb_median(x, 16 * MADE_ROUNDS), 1e-12);
    assert_true(g.memory != g.memory_ns);
    const size_t n = fb_group_logs(&g, 0, -1, d, NULL);
    assert_near(e->ns95.low, exp(fb_serial_interval(d, n, 0.95, g.memory_ns).interval.low), 1e-12);
    assert_near(e->ns99.high, exp(fb_serial_interval(d, n, 0.99, g.memory_ns).interval.high),
                1e-12);
}

TEST(memory_is_told_from_sixteen_processes_on)
{
    for (size_t processes = FB_MEMORY_LEAST - 1; processes <= FB_MEMORY_LEAST; processes++) {
        closed_by(fb_group_close) struct fb_group g = make_group(processes, 2, 0);
        assert_int_equal(g.independent, processes < FB_MEMORY_LEAST);
        assert_near(g.memory_ns, processes < FB_MEMORY_LEAST ? 0 : FB_MEMORY_MOST, 1e-12);
    }
}

TEST(observations_of_a_member)
{
    closed_by(fb_group_close) struct fb_group g = make_group(7, 1.5, 0);
    double d[FB_PAIRED_MAX], sd_round;
    assert_int_equal(fb_group_logs(&g, 1, -1, d, NULL), 7);
    assert_near(d[3], log(2 * 1.3 * 1.01 * 1.5), 1e-12);
    assert_int_equal(fb_group_logs(&g, 0, 1, d, &sd_round), 7);
    assert_near(d[3], -log(1.5), 1e-12);
    assert_near(sd_round, 0, 1e-12);
}

TEST(documents_give_the_samples_back)
{
    closed_by(fb_group_close) struct fb_group g = make_group(6, 1.5, 1), back = make_group(6, 2, 0);
    for (size_t i = 0; i < MADE_MEMBERS; i++) {
        json_auto_t *time =
            fb_group_time_json(&g, i, "ns_per_op", i ? "base" : NULL, "it is the base");
        assert_int_equal(json_is_null(json_object_get(time, "ratio")), i == 0);
        assert_true(fb_group_time_read(time, &back, i));
        for (size_t s = 0; s < (size_t)6 * MADE_ROUNDS; s++) {
            assert_near(back.members[i].samples[s].cpu_ns, g.members[i].samples[s].cpu_ns, 0);
            assert_int_equal(back.members[i].samples[s].retries, 1);
        }
        json_array_remove(json_array_get(json_object_get(time, "sample_flags"), 5), 1);
        assert_false(fb_group_time_read(time, &back, i));
    }
    json_auto_t *noise = json_object();
    g.members[1].samples[4].flags = FB_SAMPLE_GAP | FB_SAMPLE_PREEMPTED;
    g.members[1].samples[5].flags = FB_SAMPLE_GAP;
    fb_group_noise_json(&g, noise);
    assert_int_equal(json_integer_value(json_object_get(noise, "samples")), 36);
    assert_int_equal(json_integer_value(json_object_get(noise, "samples_with_gap")), 2);
    assert_int_equal(json_integer_value(json_object_get(noise, "samples_preempted")), 1);
    assert_int_equal(json_integer_value(json_object_get(noise, "batches_repeated")), 36);
}

/* ---- Processes ---- */

/* What a child of the test delivers: member i of its part takes 10 (i + 1) ns in every sample, but
 * for the noise of members that are not the first. */
struct script {
    size_t started; /* processes, counted by themselves */
    size_t n, rounds;
    double noise; /* sd of ln ns */
    bool trend;   /* it grows from process to process instead of being drawn anew */
};

static int scripted(int job_fd, int out_fd, uint64_t placement)
{
    struct script s;
    struct fb_sample row[64];
    if (pread(job_fd, &s, sizeof s, 0) != (ssize_t)sizeof s || s.n * s.rounds > 64)
        return FB_EXIT_IO;
    s.started++;
    if (pwrite(job_fd, &s, sizeof s, 0) != (ssize_t)sizeof s)
        return FB_EXIT_IO;
    double drawn = (double)(fb_mix64(placement) >> 11) * 0x1p-53 - 0.5;
    double noise = s.noise * (s.trend ? (double)s.started : drawn);
    for (size_t i = 0; i < s.n * s.rounds; i++) {
        double ns = 10 * (double)(i % s.n + 1) * exp(i % s.n ? noise : 0);
        row[i] = (struct fb_sample){.wall_ns = ns, .cpu_ns = ns};
    }
    bool delivered = fb_transfer_out(out_fd, row, s.n * s.rounds * sizeof *row);
    return delivered ? FB_EXIT_OK : FB_EXIT_IO;
}

static int failing(int job_fd, int out_fd, uint64_t placement)
{
    (void)job_fd, (void)out_fd, (void)placement;
    return FB_EXIT_IO;
}

static const struct fb_child quick = {"quick", scripted}, broken = {"broken", failing};

/* A second for every look at the clock: all processes take as long. */
static double ticks(void *arg)
{
    static double seconds;
    (void)arg;
    return seconds += 1;
}
static const struct fb_group_watch ticking = {.seconds = ticks};

enum { ROUNDS = 2, MOST = 64 };
static const struct fb_group_options plain = {.rounds = ROUNDS,
                                              .min_processes = 6,
                                              .max_processes = 12,
                                              .precision = 0.01,
                                              .budget_s = 1000,
                                              .seed = 5,
                                              .cpu = -1};

/* Members 0, 2, 4, ... are of part 0 and the others of part 1; the first of each is the base of the
 * others. Part 2 has none. */
static struct fb_group two_parts(size_t n_members, const struct script script[2])
{
    struct fb_group g;
    assert_int_equal(fb_group_open(&g, n_members, 3, ROUNDS, MOST), FB_OK);
    for (uint32_t i = 0; i < n_members; i++) {
        g.members[i].part = g.members[i].series = i % 2;
        g.members[i].to = i < 2 ? -1 : (int32_t)(i % 2);
    }
    for (size_t p = 0; p < 2; p++) {
        g.parts[p].child = &quick;
        g.parts[p].job_fd = fb_memory_file(&script[p], sizeof script[p]);
        assert_true(g.parts[p].job_fd >= 0);
    }
    return g;
}

static size_t started(const struct fb_part *part)
{
    struct script s;
    assert_int_equal(pread(part->job_fd, &s, sizeof s, 0), sizeof s);
    return s.started;
}

TEST(samples_reach_their_members)
{
    static const struct script quiet[2] = {{.n = 3, .rounds = ROUNDS}, {.n = 2, .rounds = ROUNDS}};
    closed_by(fb_group_close) struct fb_group g = two_parts(5, quiet);
    assert_int_equal(fb_group_run(&g, &plain, &ticking), FB_OK);
    assert_int_equal(g.stopped, FB_STOP_PRECISION);
    assert_int_equal(fb_group_processes(&g), 12);
    for (size_t i = 0; i < 5; i++) {
        const struct fb_member *m = &g.members[i];
        assert_int_equal(g.parts[m->part].processes, 6);
        for (size_t s = 0; s < 6 * ROUNDS; s++)
            assert_near(m->samples[s].wall_ns, 10 * (double)(i / 2 + 1), 1e-12);
        assert_true(i < 2 ? isnan(m->estimate.ratio)
                          : fabs(m->estimate.ratio - (double)(i / 2 + 1)) < 1e-12);
    }
    assert_int_equal(started(&g.parts[0]), 6);
    assert_int_equal(g.parts[2].processes, 0);
}

TEST(noisy_parts_go_on_alone)
{
    static const struct script one[2] = {{.n = 2, .rounds = ROUNDS},
                                         {.n = 2, .rounds = ROUNDS, .noise = 1}};
    struct fb_group g = two_parts(4, one);
    assert_int_equal(fb_group_run(&g, &plain, &ticking), FB_OK);
    assert_int_equal(g.stopped, FB_STOP_PROCESSES);
    assert_int_equal(g.parts[0].processes, 6);
    assert_int_equal(g.parts[0].stopped, FB_STOP_PRECISION);
    assert_int_equal(g.parts[1].processes, 12);
    assert_true(g.half_width > 0.01 && g.half_width == fb_group_half_width(&g, 1));
    fb_group_close(&g);
    g = two_parts(4, one); /* what is aside holds up nothing */
    g.members[3].aside = true;
    assert_int_equal(fb_group_run(&g, &plain, &ticking), FB_OK);
    assert_int_equal(g.parts[1].processes, 6);
    fb_group_close(&g);
    struct fb_group_options options = plain;
    options.budget_s = 0;
    g = two_parts(4, one);
    assert_int_equal(fb_group_run(&g, &options, &ticking), FB_OK);
    assert_int_equal(g.stopped, FB_STOP_BUDGET);
    assert_int_equal(fb_group_processes(&g), 12);
    fb_group_close(&g);
}

/* After each process: what is expected in all. A process takes 1 s. */
static void expect(void *arg, const struct fb_group *g)
{
    double *expected = arg;
    expected[fb_group_processes(g)] = fb_group_expected_s(g, &plain, 1000);
}

/* A quiet part will end at the least processes and a noisy one with the most, which two processes
 * show. The budget bounds that, but for the least processes. */
TEST(seconds_that_a_run_will_take)
{
    static const struct script one[2] = {{.n = 2, .rounds = ROUNDS},
                                         {.n = 2, .rounds = ROUNDS, .noise = 1}};
    double expected[MOST] = {0};
    struct fb_group_watch watch = ticking;
    watch.progress = expect;
    watch.arg = expected;
    watch.seconds = NULL;
    closed_by(fb_group_close) struct fb_group g = two_parts(4, one);
    assert_int_equal(fb_group_run(&g, &plain, &watch), FB_OK);
    for (size_t p = 0; p < 2; p++)
        g.parts[p].spent_s = (double)g.parts[p].processes;
    assert_near(fb_group_expected_s(&g, &plain, 1000), 18, 1e-9); /* 6 and 12: all have ended */
    g.parts[1].ended = false;
    assert_near(fb_group_expected_s(&g, &plain, 1000), 18, 1e-9);
    assert_near(fb_group_expected_s(&g, &plain, 15), 15, 1e-9);
    assert_near(fb_group_expected_s(&g, &plain, 1), 12, 1e-9);
    for (size_t n = 4; n < 18; n++)
        assert_true(expected[n] > 0 && isfinite(expected[n]));
}

struct seen {
    size_t processes, judged;
};

static void count_progress(void *arg, const struct fb_group *g)
{
    struct seen *seen = arg;
    assert_int_equal(fb_group_processes(g), ++seen->processes);
}

/* Part 1 is never precise enough. */
static bool part_0_only(void *arg, const struct fb_group *g, size_t part)
{
    struct seen *seen = arg;
    seen->judged++;
    assert_true(g->parts[part].processes == 6 || g->parts[part].processes == 12);
    return part == 0;
}

TEST(the_caller_says_what_is_precise)
{
    static const struct script noisy[2] = {{.n = 2, .rounds = ROUNDS, .noise = 1},
                                           {.n = 2, .rounds = ROUNDS}};
    struct seen seen = {0, 0};
    const struct fb_group_watch watch = {
        .arg = &seen, .progress = count_progress, .precise = part_0_only, .seconds = ticks};
    closed_by(fb_group_close) struct fb_group g = two_parts(4, noisy);
    assert_int_equal(fb_group_run(&g, &plain, &watch), FB_OK);
    assert_int_equal(g.parts[0].processes, 6);
    assert_int_equal(g.parts[1].processes, 12);
    assert_int_equal(seen.processes, 18);
    assert_true(seen.judged >= 3);
}

/* What processes delivered, as a journal has it: the first n_known of an earlier run. */
struct kept {
    struct fb_sample rows[64][4 * ROUNDS];
    double spent_s[64]; /* whose turn it is follows from it */
    size_t part[64], n_known, n_recalled;
    bool full; /* nothing can be kept */
};

static bool recall(void *arg, size_t number, struct fb_turn *turn)
{
    struct kept *kept = arg;
    if (number >= kept->n_known)
        return false;
    assert_int_equal(kept->part[number], turn->part);
    memcpy(turn->row, kept->rows[number], turn->n * sizeof *turn->row);
    turn->spent_s = kept->spent_s[number];
    turn->executed = true;
    kept->n_recalled++;
    return true;
}

static bool keep(void *arg, size_t number, const struct fb_turn *turn)
{
    struct kept *kept = arg;
    kept->part[number] = turn->part;
    kept->spent_s[number] = turn->spent_s;
    memcpy(kept->rows[number], turn->row, turn->n * sizeof *turn->row);
    return !kept->full;
}

TEST(a_run_goes_on_from_what_was_kept)
{
    static const struct script noisy[2] = {{.n = 2, .rounds = ROUNDS, .noise = 0.001},
                                           {.n = 2, .rounds = ROUNDS, .noise = 0.001}};
    static struct kept kept;
    const struct fb_group_watch watch = {
        .arg = &kept, .recall = recall, .keep = keep, .seconds = ticks};
    struct fb_group first = two_parts(4, noisy), second = two_parts(4, noisy);
    assert_int_equal(fb_group_run(&first, &plain, &watch), FB_OK);
    const size_t n = fb_group_processes(&first);
    kept.n_known = 5;
    assert_int_equal(fb_group_run(&second, &plain, &watch), FB_OK);
    assert_int_equal(kept.n_recalled, 5);
    assert_int_equal(fb_group_processes(&second), n);
    assert_int_equal(started(&second.parts[0]) + started(&second.parts[1]), n - 5);
    for (size_t i = 0; i < 4; i++)
        for (size_t s = 0; s < 2 * ROUNDS; s++)
            assert_near(second.members[i].samples[s].wall_ns, first.members[i].samples[s].wall_ns,
                        0);
    fb_group_close(&first);
    fb_group_close(&second);
    kept = (struct kept){.full = true};
    first = two_parts(4, noisy);
    assert_int_equal(fb_group_run(&first, &plain, &watch), FB_EIO);
    assert_int_equal(started(&first.parts[0]) + started(&first.parts[1]), 1);
    fb_group_close(&first);
}

TEST(precise_parts_go_on_once_memory_shows)
{
    static const struct script remembering[2] = {{.n = 2, .rounds = ROUNDS, .noise = 0.01},
                                                 {.n = 2, .rounds = ROUNDS, .trend = true}};
    struct script trending[2] = {remembering[0], remembering[1]};
    struct fb_group_options options = plain;
    options.min_processes = 16;
    options.max_processes = 32;
    options.precision = 0.008;
    struct fb_group g = two_parts(4, trending);
    assert_int_equal(fb_group_run(&g, &options, &ticking), FB_OK);
    assert_int_equal(g.parts[0].processes, 16);
    fb_group_close(&g);
    trending[1].noise = 0.001;
    g = two_parts(4, trending);
    assert_int_equal(fb_group_run(&g, &options, &ticking), FB_OK);
    assert_true(g.memory > 0.5);
    assert_int_equal(g.parts[0].processes, 32);
    fb_group_close(&g);
}

TEST(a_child_that_fails_ends_the_run)
{
    static const struct script quiet[2] = {{.n = 2, .rounds = ROUNDS}, {.n = 2, .rounds = ROUNDS}};
    closed_by(fb_group_close) struct fb_group g = two_parts(4, quiet);
    g.parts[1].child = &broken;
    assert_int_equal(fb_group_run(&g, &plain, &ticking), FB_EIO);
}

/* ---- The child's side ---- */

static void nothing(void *self, uint64_t block)
{
    (void)self, (void)block;
}

static uint64_t counted(void *self)
{
    uint64_t *n = self;
    for (int i = 0; i < 1000; i++)
        *n = fb_mix64(*n);
    return *n;
}

TEST(deliver_writes_every_sample)
{
    uint64_t n[2] = {1, 2};
    const struct fb_candidate candidates[2] = {{&n[0], 1000, NULL, nothing, counted},
                                               {&n[1], 1000, NULL, nothing, counted}};
    const struct fb_group_options options = {.rounds = 4, .min_batch_ns = 1000, .quantum_ns = 1};
    struct fb_sample samples[8];
    int fd = fb_memory_file(NULL, 0);
    assert_int_equal(fb_group_deliver(&options, candidates, 2, 7, fd), FB_EXIT_OK);
    assert_int_equal(pread(fd, samples, sizeof samples, 0), sizeof samples);
    assert_int_equal(lseek(fd, 0, SEEK_END), sizeof samples);
    for (size_t s = 0; s < 8; s++)
        assert_true(samples[s].wall_ns > 0 && samples[s].cpu_ns <= samples[s].wall_ns);
    close(fd);
    assert_int_equal(fb_group_deliver(&options, candidates, 2, 7, -1), FB_EXIT_IO);
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, (const struct fb_child *const[]){&quick, &broken, NULL});
    return run_unit_tests(NULL, NULL);
}
