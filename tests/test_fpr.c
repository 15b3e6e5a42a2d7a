/* Measuring a false-positive rate: which keys are asked, what is counted, when it stops, and what
 * is concluded. */
#include "tests/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fpr.h"
#include "harness/parallel.h"
#include "workloads/core/rng.h"

static struct fb_fpr_cell cell_of(const char *design, const char *keygen, uint64_t n)
{
    return (struct fb_fpr_cell){.design = fb_design_find(design),
                                .params = {.bits_per_key = 10},
                                .n_keys = n,
                                .keygen = fb_keygen_find(keygen),
                                .filters = 8,
                                .probes_per_filter = 4096,
                                .root = 0x5eed};
}

static struct fb_fpr_counts measure(const struct fb_fpr_cell *cell, unsigned n_threads)
{
    struct fb_fpr_counts counts;
    bool complete = false;
    const char *why;
    if (fb_fpr_measure(cell, n_threads, &counts, &complete, &why))
        fail_msg("%s", why);
    assert_true(complete);
    return counts;
}

static struct fb_fpr_summary summary_of(const struct fb_fpr_cell *cell,
                                        const struct fb_fpr_counts *counts)
{
    struct fb_fpr_summary summary;
    fb_fpr_summarise(cell, counts, &summary);
    return summary;
}

static uint64_t total(const struct fb_fpr_counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < counts->filters; i++)
        sum += counts->events[i];
    return sum;
}

/* ---- Counts ---- */

static void assert_equal_counts(const struct fb_fpr_counts *a, const struct fb_fpr_counts *b)
{
    assert_int_equal(a->filters, b->filters);
    assert_memory_equal(a->events, b->events, a->filters * sizeof *a->events);
    assert_int_equal(a->probes_each, b->probes_each);
    assert_int_equal(a->false_negatives, b->false_negatives);
    assert_int_equal(a->filter_bytes, b->filter_bytes);
    assert_int_equal(a->checksum, b->checksum);
    assert_int_equal(a->model_filters, b->model_filters);
    assert_int_equal(a->model_probes, b->model_probes);
    assert_int_equal(a->model_events, b->model_events);
    assert_int_equal(a->model_squares, b->model_squares);
}

static void threads_do_not_change_counts(void **state)
{
    (void)state;
    static const char *const designs[] = {"nori", "leveldb", "bloom-independent"};
    for (size_t d = 0; d < 3; d++)
        for (const struct fb_keygen *gen = fb_keygens; gen->name; gen++) {
            struct fb_fpr_cell cell = cell_of(designs[d], gen->name, 700);
            struct fb_fpr_counts one = measure(&cell, 1), two = measure(&cell, 2);
            struct fb_fpr_counts many = measure(&cell, 7);
            assert_equal_counts(&one, &two);
            assert_equal_counts(&one, &many);
            assert_int_equal(one.false_negatives, 0);
            fb_fpr_counts_close(&one);
            fb_fpr_counts_close(&two);
            fb_fpr_counts_close(&many);
        }
}

/* Events and checksum agree with a separate program in another language. */
static void counts_are_pinned(void **state)
{
    (void)state;
    struct fb_fpr_cell cell = cell_of("nori", "random", 1000);
    cell.filters = 4;
    struct fb_fpr_counts c = measure(&cell, 2);
    static const uint64_t events[] = {37, 29, 38, 35};
    assert_int_equal(c.filters, 4);
    assert_memory_equal(c.events, events, sizeof events);
    assert_int_equal(c.checksum, UINT64_C(0xf446788807878868));
    assert_int_equal(c.filter_bytes, 1250);
    assert_int_equal(c.block_bytes, 1266);
    assert_int_equal(c.n_entries, 1000);
    assert_int_equal(c.geom.n_bits, 10000);
    assert_int_equal(c.geom.probes, 7);
    assert_false(c.derived);
    fb_fpr_counts_close(&c);

    cell.params = (struct fb_params){.fpr = 0.01}; /* nori sizes by bits */
    c = measure(&cell, 1);
    assert_true(c.derived);
    fb_fpr_counts_close(&c);

    cell.root++;
    struct fb_fpr_counts other = measure(&cell, 1);
    assert_int_not_equal(other.checksum, c.checksum);
    fb_fpr_counts_close(&other);
}

/* The oracle meets no absent key, the yardsticks answer as they do by definition. */
static void absent_keys_are_absent(void **state)
{
    (void)state;
    struct fb_keyset file;
    assert_int_equal(fb_keyset_generate(fb_keygen_find("dec6"), 0, 0, 3000, &file), FB_OK);
    for (const struct fb_keygen *gen = fb_keygens;; gen++) {
        struct fb_fpr_cell cell = cell_of("exact", gen->name ? gen->name : "", 1500);
        if (!cell.keygen)
            cell.file = &file.keys;
        struct fb_fpr_counts exact = measure(&cell, 0);
        assert_int_equal(total(&exact) + exact.false_negatives, 0);
        assert_int_equal(exact.probes_each, cell.keygen ? 4096 : 1500);
        assert_near(summary_of(&cell, &exact).z, 0, 0.01);

        cell.design = fb_design_find("always");
        struct fb_fpr_counts always = measure(&cell, 0);
        assert_int_equal(total(&always), 8 * always.probes_each);
        assert_true(summary_of(&cell, &always).z == 0);
        assert_true(summary_of(&cell, &always).ratio == 1);

        cell.design = fb_design_find("null");
        struct fb_fpr_counts null = measure(&cell, 0);
        assert_int_equal(total(&null), 0);
        assert_int_equal(null.false_negatives, 8 * 1500);
        fb_fpr_counts_close(&exact);
        fb_fpr_counts_close(&always);
        fb_fpr_counts_close(&null);
        if (!gen->name)
            break;
    }
    fb_keyset_close(&file);
}

/* ---- Designs of this test: nori with one part replaced ---- */

static struct fb_kernel odd_kernel;
static const struct fb_kernel *const odd_kernels[] = {&odd_kernel, NULL};

static struct fb_design odd_design(void)
{
    const struct fb_design *nori = fb_design_find("nori");
    struct fb_design design = *nori;
    odd_kernel = *nori->kernels[0];
    design.name = "odd";
    design.kernels = odd_kernels;
    return design;
}

/* Forgets every tenth key. */
static void add_forgetfully(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    const struct fb_kernel *kernel = fb_design_find("nori")->kernels[0];
    for (size_t i = 0; i < n; i++)
        if (i % 10 != 3)
            kernel->add_batch(f, digests + 2 * i, 1);
}

static void false_negatives_are_counted(void **state)
{
    (void)state;
    struct fb_design design = odd_design();
    odd_kernel.add_batch = add_forgetfully;
    struct fb_fpr_cell cell = cell_of("nori", "sequential", 1005);
    cell.design = &design;
    struct fb_fpr_counts c = measure(&cell, 2);
    assert_in_range(c.false_negatives, 8 * 101 - 20, 8 * 101); /* a few are false positives */
    fb_fpr_counts_close(&c);
}

enum { WINDOW_FILTERS = 3, WINDOW_KEYS = 1300, WINDOW_PROBES = 700 };
static uint8_t added[WINDOW_FILTERS * (WINDOW_KEYS + WINDOW_PROBES)];
static uint8_t asked[WINDOW_FILTERS * (WINDOW_KEYS + WINDOW_PROBES)];

static void digest_index(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    assert_int_equal(len, 8);
    assert_int_equal(n_words, 2);
    words[0] = fb_be64(key);
    assert_in_range(words[0], 0, sizeof added - 1);
}

static void add_index(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    (void)f;
    for (size_t i = 0; i < n; i++)
        added[digests[2 * i]]++;
}

static size_t ask_index(const struct fb_filter *f, const uint64_t *digests, size_t n,
                        uint8_t *maybe)
{
    (void)f;
    memset(maybe, 1, n);
    for (size_t i = 0; i < n; i++)
        asked[digests[2 * i]]++;
    return n;
}

/* Every index of every window is asked exactly once, the first ones are present. */
static void windows_do_not_overlap(void **state)
{
    (void)state;
    struct fb_design design = odd_design();
    design.digest = digest_index;
    odd_kernel.add_batch = add_index;
    odd_kernel.query_batch = ask_index;
    struct fb_fpr_cell cell = cell_of("nori", "sequential", WINDOW_KEYS);
    cell.design = &design;
    cell.filters = WINDOW_FILTERS;
    cell.probes_per_filter = WINDOW_PROBES;
    struct fb_fpr_counts c = measure(&cell, 1);
    assert_int_equal(total(&c), WINDOW_FILTERS * WINDOW_PROBES);
    for (size_t i = 0; i < sizeof added; i++) {
        assert_int_equal(asked[i], 1);
        assert_int_equal(added[i], i % (WINDOW_KEYS + WINDOW_PROBES) < WINDOW_KEYS);
    }
    fb_fpr_counts_close(&c);
}

static unsigned builds;

static void add_and_interrupt(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    (void)f, (void)digests, (void)n;
    if (++builds == 3)
        raise(SIGINT);
}

static void interruption_is_reported(void **state)
{
    (void)state;
    struct fb_design design = odd_design();
    odd_kernel.add_batch = add_and_interrupt;
    struct fb_fpr_cell cell = cell_of("nori", "random", 10);
    cell.design = &design;
    struct fb_fpr_counts c;
    bool complete = true;
    const char *why;
    fb_interrupt_install();
    assert_int_equal(fb_fpr_measure(&cell, 1, &c, &complete, &why), FB_OK);
    assert_false(complete);
    assert_int_equal(c.filters, 3);
    fb_fpr_counts_close(&c);
    fb_interrupt_install();
}

/* ---- Against theory ---- */

static void rates_match_the_model(void **state)
{
    (void)state;
    static const struct {
        const char *design, *keygen;
        uint64_t n, capacity;
        bool simulated;
    } cases[] = {
        {"nori", "random", 20000, 0, false},     {"nori", "sequential", 20000, 0, false},
        {"nori", "dec6", 20000, 0, false},       {"nori", "random", 100, 0, true},
        {"leveldb", "dec6", 5000, 0, true},      {"bloom-independent", "dec6", 2000, 0, false},
        {"nori", "random", 20000, 10000, false}, {"nori", "random", 20000, 40000, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fb_fpr_cell cell = cell_of(cases[i].design, cases[i].keygen, cases[i].n);
        cell.params.capacity = cases[i].capacity;
        cell.probes_per_filter = 16384;
        struct fb_fpr_counts c = measure(&cell, 0);
        struct fb_fpr_summary s = summary_of(&cell, &c);
        assert_int_equal(c.false_negatives, 0);
        if (c.model_probes != (cases[i].simulated ? 8 * 16384 : 0))
            fail_msg("case %zu", i);
        assert_int_equal(c.model_filters, cases[i].simulated ? 8 : 0);
        assert_true(s.model_se > 0 || !cases[i].simulated);
        assert_near(s.z, 0, 5);
        fb_fpr_counts_close(&c);
    }
}

static void hash_can_be_replaced(void **state)
{
    (void)state;
    struct fb_fpr_cell cell = cell_of("nori", "dec6", 10000);
    struct fb_fpr_counts own = measure(&cell, 0);
    cell.hash = fb_hash_find("xxh3-64");
    struct fb_fpr_counts other = measure(&cell, 0);
    assert_int_not_equal(own.checksum, other.checksum);
    assert_int_equal(other.false_negatives, 0);
    assert_near(summary_of(&cell, &other).z, 0, 5);
    fb_fpr_counts_close(&own);
    fb_fpr_counts_close(&other);
}

/* A filter sized for half or twice its keys: 5 and 20 bits a key, with 7 probes either way. */
static void misjudged_capacity(void **state)
{
    (void)state;
    struct fb_fpr_cell cell = cell_of("bloom-independent", "random", 5000);
    const uint64_t capacity[] = {2500, 0, 10000};
    const double expected[] = {0.13778, 0.0081937, 0.00019587}; /* (1 - e^(-7/b))^7 */
    for (size_t i = 0; i < 3; i++) {
        cell.params.capacity = capacity[i];
        struct fb_fpr_counts c = measure(&cell, 0);
        struct fb_fpr_summary s = summary_of(&cell, &c);
        assert_int_equal(c.geom.n_bits, 10 * (capacity[i] ? capacity[i] : 5000));
        assert_int_equal(c.n_keys, 5000);
        assert_near(s.model / expected[i], 1, 0.01);
        assert_near(s.z, 0, 5);
        assert_near(s.bits_per_key, 5 << i, 1e-9);
        fb_fpr_counts_close(&c);
    }
}

static void few_keys_and_one_filter(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 3; n++)
        for (const struct fb_keygen *gen = fb_keygens; gen->name; gen++) {
            struct fb_fpr_cell cell = cell_of("nori", gen->name, n);
            cell.filters = 1;
            struct fb_fpr_counts c = measure(&cell, 0);
            struct fb_fpr_summary s = summary_of(&cell, &c);
            assert_int_equal(c.filters, 1);
            assert_int_equal(c.false_negatives, 0);
            assert_int_equal(c.n_entries, n);
            assert_true(isnan(s.sd_filters));
            assert_true(isinf(s.t95.low) && isinf(s.t95.high));
            assert_true(n || (s.events == 0 && s.model == 0 && s.z == 0));
            assert_int_equal(isnan(s.bits_per_key) != 0, n == 0);
            fb_fpr_counts_close(&c);
        }
}

/* ---- Keys of a file ---- */

static void file_gives_what_it_has(void **state)
{
    (void)state;
    struct fb_keyset file;
    assert_int_equal(fb_keyset_generate(fb_keygen_find("dec6"), 0, 0, 1000, &file), FB_OK);
    struct fb_fpr_cell cell = cell_of("nori", "", 600);
    cell.file = &file.keys;
    struct fb_fpr_counts c = measure(&cell, 1), again = measure(&cell, 4);
    assert_int_equal(c.probes_each, 400);
    assert_int_equal(c.n_keys, 600);
    assert_int_equal(c.false_negatives, 0);
    assert_near(summary_of(&cell, &c).z, 0, 5);
    assert_equal_counts(&c, &again);
    fb_fpr_counts_close(&again);
    cell.root++; /* another half */
    again = measure(&cell, 1);
    assert_int_not_equal(again.checksum, c.checksum);
    fb_fpr_counts_close(&again);
    fb_fpr_counts_close(&c);
    fb_keyset_close(&file);
}

static void typed_files_need_a_typed_design(void **state)
{
    (void)state;
    struct fb_keyset file;
    struct fb_fpr_counts c;
    bool complete;
    const char *why;
    assert_int_equal(fb_keyset_alloc(2, 2, true, &file), FB_OK);
    fb_keyset_push(&file, "1", 1, FB_KEY_INT);
    fb_keyset_push(&file, "2", 1, FB_KEY_INT);
    struct fb_fpr_cell cell = cell_of("nori", "", 1);
    cell.file = &file.keys;
    assert_int_equal(fb_fpr_measure(&cell, 2, &c, &complete, &why), FB_EUNSUPPORTED);
    assert_non_null(why);
    assert_null(c.events);
    fb_keyset_close(&file);
}

/* ---- When it stops ---- */

static double half_width(const struct fb_fpr_summary *s)
{
    return (s->t95.high - s->t95.low) / 2;
}

static void stops_once_precise(void **state)
{
    (void)state;
    struct fb_fpr_cell cell = cell_of("nori", "random", 500);
    cell.filters = 4;
    struct fb_fpr_counts fixed = measure(&cell, 2);
    cell.precision = 0.05;
    cell.max_probes = 1 << 22;
    struct fb_fpr_counts c = measure(&cell, 2);
    struct fb_fpr_summary s = summary_of(&cell, &c);
    assert_in_range(c.filters, 8, 1000);
    assert_int_equal(c.filters % 4, 0);
    assert_true(half_width(&s) <= 0.05 * s.estimate);
    assert_memory_equal(c.events, fixed.events, 4 * sizeof *c.events);
    /* Not one batch earlier. */
    size_t enough = c.filters;
    for (c.filters = 4; c.filters < enough; c.filters += 4) {
        s = summary_of(&cell, &c);
        assert_true(half_width(&s) > 0.05 * s.estimate);
    }
    fb_fpr_counts_close(&c);
    fb_fpr_counts_close(&fixed);
}

static void stops_at_the_budget(void **state)
{
    (void)state;
    struct fb_fpr_cell cell = cell_of("nori", "random", 50);
    cell.filters = 2;
    cell.precision = 1e-9;
    cell.max_probes = 7 * 2 * 4096 + 5000; /* seven batches and not enough for an eighth */
    struct fb_fpr_counts c = measure(&cell, 2);
    assert_int_equal(c.filters, 14);
    fb_fpr_counts_close(&c);
    cell.max_probes = 1; /* at least one batch */
    c = measure(&cell, 2);
    assert_int_equal(c.filters, 2);
    fb_fpr_counts_close(&c);
    cell.design = fb_design_find("exact"); /* no event at all is not precise */
    cell.precision = 0.1;
    cell.max_probes = 3 * 2 * 4096;
    c = measure(&cell, 2);
    assert_int_equal(c.filters, 6);
    fb_fpr_counts_close(&c);
}

/* ---- Refusals ---- */

static void refuses(const struct fb_fpr_cell *cell)
{
    struct fb_fpr_counts c;
    bool complete = true;
    const char *why = NULL;
    assert_int_equal(fb_fpr_measure(cell, 1, &c, &complete, &why), FB_EINVAL);
    assert_non_null(why);
    assert_false(complete);
    assert_null(c.events);
    assert_int_equal(c.filters, 0);
}

static void impossible_cells_are_refused(void **state)
{
    (void)state;
    const struct fb_fpr_cell good = cell_of("nori", "random", 100);
    struct fb_fpr_cell bad = good;
    bad.filters = 0;
    refuses(&bad);
    bad = good;
    bad.probes_per_filter = 0;
    refuses(&bad);
    bad = good;
    bad.params.bits_per_key = -1;
    refuses(&bad);
    bad.params.bits_per_key = NAN;
    refuses(&bad);
    bad.params.bits_per_key = 0;
    refuses(&bad);
    bad = good;
    bad.n_keys = UINT64_MAX;
    refuses(&bad);
    bad = good;
    bad.probes_per_filter = UINT64_MAX / 2;
    refuses(&bad);
    bad = cell_of("nori", "sequential", FB_MAX_KEYS);
    bad.filters = 1 << 24;
    refuses(&bad);

    struct fb_keyset file;
    assert_int_equal(fb_keyset_generate(fb_keygens, 0, 0, 10, &file), FB_OK);
    bad = good;
    bad.keygen = NULL;
    bad.file = &file.keys;
    bad.n_keys = 11;
    refuses(&bad);
    bad.n_keys = 10; /* none left to ask */
    refuses(&bad);
    fb_keyset_close(&file);
}

/* ---- What is concluded ---- */

static double two_percent(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 0.02;
}

static void summary_by_hand(void **state)
{
    (void)state;
    struct fb_design design = odd_design();
    design.fpr = two_percent;
    struct fb_fpr_cell cell = cell_of("nori", "random", 1000);
    cell.design = &design;
    uint64_t events[] = {1, 2, 3, 4};
    struct fb_fpr_counts c = {
        .filters = 4, .events = events, .probes_each = 100, .filter_bytes = 1000, .n_keys = 1000};
    struct fb_fpr_summary s = summary_of(&cell, &c);
    assert_int_equal(s.events, 10);
    assert_int_equal(s.probes, 400);
    assert_near(s.estimate, 0.025, 1e-15);
    assert_near(s.best, 0.01, 1e-15);
    assert_near(s.worst, 0.04, 1e-15);
    assert_near(s.sd_filters, 0.012909944487, 1e-12);
    assert_near(s.se, 0.007806247498, 1e-12); /* binomial: above 0.0064550 over filters */
    assert_near(s.t95.low, 0.025 - 3.182446305 * 0.006454972244, 1e-9);
    assert_near(s.t95.high, 0.025 + 3.182446305 * 0.006454972244, 1e-9);
    assert_near(s.wilson95.low, 0.013635091746, 1e-8);
    assert_near(s.wilson95.high, 0.045401587872, 1e-8);
    assert_near(s.model, 0.02, 0);
    assert_near(s.model_se, 0, 0);
    assert_near(s.ratio, 1.25, 1e-12);
    assert_near(s.z, 0.005 / 0.007, 1e-12);
    assert_near(s.upper95, 0.0420365450, 1e-6);
    assert_near(s.bits_per_key, 8, 1e-15);
    assert_near(s.bound_bits, 5.321928094887, 1e-11);
    assert_near(s.wasted, 1 - 5.321928094887 / 8, 1e-11);

    /* A simulated model: two filters of 100 probes with 2 and 4 events. */
    c.model_filters = 2, c.model_probes = 200, c.model_events = 6, c.model_squares = 20;
    s = summary_of(&cell, &c);
    assert_near(s.model, 0.03, 1e-15);
    assert_near(s.model_se, 0.012062338081, 1e-12); /* binomial, above 0.01 between filters */
    assert_near(s.z, -0.005 / sqrt(0.03 * 0.97 / 400 + 0.03 * 0.97 / 200), 1e-9);
    c.model_events = 10, c.model_squares = 100; /* 0 and 10 */
    s = summary_of(&cell, &c);
    assert_near(s.model_se, 0.05, 1e-12);

    /* Filters that differ more than chance: their spread is the error. */
    c = (struct fb_fpr_counts){
        .filters = 4, .events = events, .probes_each = 1000000, .n_keys = 1000};
    for (size_t i = 0; i < 4; i++)
        events[i] = 10000 * (i + 1);
    s = summary_of(&cell, &c);
    assert_near(s.se, 0.006454972244, 1e-12);
    assert_near(s.z, 0.005 / 0.006454972244, 1e-9);
    assert_true(isnan(s.upper95));
}

static double no_model(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 0;
}

static void summary_without_events(void **state)
{
    (void)state;
    struct fb_design design = odd_design();
    design.fpr = two_percent;
    struct fb_fpr_cell cell = cell_of("nori", "random", 1000);
    cell.design = &design;
    uint64_t events[] = {0, 0};
    struct fb_fpr_counts c = {.filters = 2, .events = events, .probes_each = 200, .n_keys = 1000};
    struct fb_fpr_summary s = summary_of(&cell, &c);
    assert_near(s.estimate, 0, 0);
    assert_near(s.ratio, 0, 0);
    assert_near(s.z, -0.02 / 0.007, 1e-12);  /* the model's own chance of none */
    assert_near(s.upper95, 0.0074612, 1e-6); /* 1 - 0.05^(1/400) */
    assert_true(isnan(s.bound_bits));

    design.fpr = no_model;
    assert_near(summary_of(&cell, &c).z, 0, 0);
    assert_true(isnan(summary_of(&cell, &c).ratio));
    events[1] = 1; /* what the model rules out */
    assert_true(isinf(summary_of(&cell, &c).z) || summary_of(&cell, &c).z > 0);
    c.filters = 1, events[0] = 1;
    assert_true(isinf(summary_of(&cell, &c).z));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_counts),
        cmocka_unit_test(counts_are_pinned),
        cmocka_unit_test(absent_keys_are_absent),
        cmocka_unit_test(false_negatives_are_counted),
        cmocka_unit_test(windows_do_not_overlap),
        cmocka_unit_test(interruption_is_reported),
        cmocka_unit_test(rates_match_the_model),
        cmocka_unit_test(hash_can_be_replaced),
        cmocka_unit_test(misjudged_capacity),
        cmocka_unit_test(few_keys_and_one_filter),
        cmocka_unit_test(file_gives_what_it_has),
        cmocka_unit_test(typed_files_need_a_typed_design),
        cmocka_unit_test(stops_once_precise),
        cmocka_unit_test(stops_at_the_budget),
        cmocka_unit_test(impossible_cells_are_refused),
        cmocka_unit_test(summary_by_hand),
        cmocka_unit_test(summary_without_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
