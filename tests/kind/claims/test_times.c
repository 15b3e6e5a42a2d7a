/* Times of rows: which rows share a part, and whose estimates they get. */
#include "tests/unit.h"

#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/filter/timing.h"
#include "harness/kind/claims/procedure/procedure.h"

/* ---- Parts ---- */

static void ask(struct fb_bench *bench, const char *procedure, const char *pieces)
{
    struct fb_finding found;
    json_auto_t *args = json_pack("{s:o}", "pieces", json_loads(pieces, 0, NULL));
    assert_int_equal(fb_procedure_run(procedure, bench, args, &found), FB_OK);
    assert_int_equal(found.n, 0);
}

#define FNV   "{\"piece\": \"hash\", \"hash\": \"fnv1a\", \"key_len\": 8}"
#define XXH   "{\"piece\": \"hash\", \"hash\": \"xxh64\", \"key_len\": 8}"
#define ASKED "{\"piece\": \"query\", \"design\": \"nori\", \"bits_per_key\": 10, \"n\": 1000}"

TEST(rows_that_ask_for_the_same_share_a_part)
{
    static const struct {
        const char *procedure, *pieces;
        size_t part, members;
    } rows[] = {
        {"time-ratio", "[" XXH ", " FNV "]", 0, 2},
        {"time-ratio", "[" XXH ", " FNV "]", 0, 2},
        {"time-ratio", "[" FNV ", " XXH "]", 1, 2},
        {"time-absolute", "[" XXH "]", 2, 1},
        {"time-ratio", "[" ASKED ", " XXH ", " FNV "]", 3, 3},
        {"time-ratio", "[" XXH ", " FNV "]", 0, 2},
    };
    closed_by(fb_bench_close) struct fb_bench bench = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask(&bench, rows[i].procedure, rows[i].pieces);
        assert_int_equal(bench.times.asked, rows[i].part);
        const struct fb_times_part *part = &bench.times.parts[rows[i].part];
        assert_int_equal(part->n, rows[i].members);
        for (size_t m = 0; m < part->n; m++)
            assert_int_equal(part->to[m], m ? 0 : -1);
    }
    assert_int_equal(bench.times.n, 4);
}

/* ---- Estimates ---- */

/* Members of a part take 1, 2, ... times its unit. */
static int scripted(int job_fd, int out_fd, uint64_t placement)
{
    struct fb_sample row[FB_TIMES_MEMBERS];
    double unit_n[2];
    (void)placement;
    if (!fb_transfer_in(job_fd, unit_n, sizeof unit_n))
        return FB_EXIT_IO;
    const size_t n = (size_t)unit_n[1];
    for (size_t i = 0; i < n; i++) {
        double ns = unit_n[0] * (double)(i + 1);
        row[i] = (struct fb_sample){.wall_ns = ns, .cpu_ns = ns};
    }
    return fb_transfer_out(out_fd, row, n * sizeof *row) ? FB_EXIT_OK : FB_EXIT_IO;
}

static const struct fb_child child = {"scripted", scripted};
static int closed;

static enum fb_err open_part(void *self, const struct fb_group_options *options,
                             struct fb_part *out, const char **why)
{
    const double *unit_n = self;
    (void)options;
    *why = "no unit";
    if (!unit_n[0])
        return FB_EINVAL;
    *out = (struct fb_part){.child = &child, .job_fd = fb_memory_file(self, 2 * sizeof *unit_n)};
    return FB_OK;
}

static void close_part(void *self)
{
    (void)self;
    closed++;
}

static const struct fb_group_options options = {
    .rounds = 1, .min_processes = 8, .max_processes = 8, .cpu = -1};

TEST(rows_get_the_estimates_of_their_part)
{
    double small[2] = {10, 2}, large[2] = {1000, 3};
    struct fb_times times = {0};
    const char *why = NULL;
    closed = 0;
    assert_int_equal(
        fb_times_add(&times,
                     (struct fb_times_part){NULL, small, 2, {-1, 0}, open_part, close_part}),
        FB_OK);
    assert_int_equal(
        fb_times_add(&times,
                     (struct fb_times_part){NULL, large, 3, {-1, 0, -1}, open_part, close_part}),
        FB_OK);
    assert_null(fb_times_members(&times));
    assert_int_equal(fb_times_measure(&times, &options, NULL, &why), FB_OK);
    assert_near(fb_times_members(&times)[2].estimate.ns, 3000, 1e-9);
    assert_near(fb_times_members(&times)[1].estimate.ratio, 2, 1e-12);
    assert_near(fb_times_members(&times)[1].estimate.ratio99.high, 2, 1e-12);
    assert_true(isnan(fb_times_members(&times)[2].estimate.ratio));
    times.asked = 0;
    assert_near(fb_times_members(&times)[1].estimate.ns, 20, 1e-9);
    assert_int_equal(times.group.parts[0].processes, 8);
    fb_times_close(&times);
    assert_int_equal(closed, 2);
}

TEST(a_part_that_cannot_be_made_says_why)
{
    double good[2] = {10, 2}, bad[2] = {0, 2};
    struct fb_times times = {0};
    const char *why = NULL;
    closed = 0;
    assert_int_equal(
        fb_times_add(&times, (struct fb_times_part){NULL, good, 2, {-1, 0}, open_part, close_part}),
        FB_OK);
    assert_int_equal(
        fb_times_add(&times, (struct fb_times_part){NULL, bad, 2, {-1, 0}, open_part, close_part}),
        FB_OK);
    assert_int_equal(fb_times_measure(&times, &options, NULL, &why), FB_EINVAL);
    assert_string_equal(why, "no unit");
    fb_times_close(&times);
    assert_int_equal(closed, 2);
}

/* ---- The pieces themselves ---- */

TEST(every_piece_delivers_its_samples)
{
    enum { N = FB_N_OPERATIONS - FB_OP_CHECK };
    static struct fb_timing_cell cells[N];
    static struct fb_timing_filter filters[N];
    struct fb_timing_job job = {
        .options.group = {.rounds = 2, .min_batch_ns = 1000, .quantum_ns = 1, .cpu = -1},
        .n_cells = N,
        .n_filters = N,
        .cells = cells,
        .filters = filters};
    struct fb_part part;
    struct fb_sample samples[2 * N];
    const char *why = NULL;
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t operation = FB_OP_CHECK + i;
        cells[i] = (struct fb_timing_cell){.operation = operation,
                                           .key_len = operation <= FB_OP_HASH_CHAIN ? 24 : 0,
                                           .probes = 3,
                                           .n_bits = 4096,
                                           .filter = i};
        filters[i] = (struct fb_timing_filter){
            .params = {.bits_per_key = 10}, .n_keys = 1000, .stream = i, .fd = -1};
        assert_int_equal(fb_params_resolve(fb_design_at(0), 1000, &filters[i].params, &why), FB_OK);
    }
    assert_int_equal(fb_timing_build(&job, 0, NULL, &why), FB_OK);
    assert_int_equal(fb_timing_part(&job, &part), FB_OK);
    int fd = fb_memory_file(NULL, 0);
    assert_int_equal(part.child->main(part.job_fd, fd, 7), FB_EXIT_IO); /* read to its end */
    assert_int_equal(lseek(part.job_fd, 0, SEEK_SET), 0);
    assert_int_equal(part.child->main(part.job_fd, fd, 7), FB_EXIT_OK);
    assert_int_equal(pread(fd, samples, sizeof samples, 0), sizeof samples);
    for (size_t s = 0; s < (size_t)2 * N; s++)
        assert_true(samples[s].wall_ns > 0);
    close(fd);
    close(part.job_fd);
    for (size_t i = 0; i < N; i++)
        close(filters[i].fd);
}

/* ---- What rows find in estimates ---- */

/* Members of a part whose ratios to the first, and their 99 % intervals, are given. */
static void find(const char *procedure, const char *args, const double (*ratio)[3], size_t n,
                 struct fb_finding *found)
{
    closed_by(fb_bench_close) struct fb_bench bench = {0};
    json_auto_t *arguments = json_loads(args, 0, NULL);
    assert_non_null(arguments);
    assert_int_equal(fb_procedure_run(procedure, &bench, arguments, found), FB_OK);
    assert_int_equal(found->n, 0);
    assert_int_equal(fb_group_open(&bench.times.group, n, 1, 1, 8), FB_OK);
    bench.times.group.parts[0].processes = 8;
    for (size_t i = 0; i < n; i++)
        bench.times.group.members[i].estimate =
            (struct fb_estimate){.ratio = ratio[i][0], .ratio99 = {ratio[i][1], ratio[i][2]}};
    assert_int_equal(fb_procedure_run(procedure, &bench, arguments, found), FB_OK);
    assert_int_equal(found->n, 1);
}

/* The second piece saves 6 to 7 of 10, the third 5 to 6. One that may save nothing says nothing. */
TEST(a_gain_is_kept_in_part)
{
    static const char args[] = "{\"pieces\": [" XXH ", " FNV ", " ASKED "]}";
    static const double ratio[3][3] = {{1, 1, 1}, {0.35, 0.3, 0.4}, {0.45, 0.4, 0.5}};
    static const double none[3][3] = {{1, 1, 1}, {0.9, 0.8, 1}, {0.45, 0.4, 0.5}};
    struct fb_finding found;
    find("time-gain-kept", args, ratio, 3, &found);
    assert_near(found.measured[0], 55.0 / 65, 1e-12);
    assert_near(found.low[0], 5.0 / 7, 1e-12);
    assert_near(found.high[0], 1, 1e-12);
    find("time-gain-kept", args, none, 3, &found);
    assert_true(isinf(found.low[0]) && isinf(found.high[0]));
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, (const struct fb_child *const[]){&child, NULL});
    return run_unit_tests(NULL, NULL);
}
