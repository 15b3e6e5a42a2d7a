/* Stored times of two runs, from samples made by hand: eight processes of three rounds. */
#include "tests/documents.h"

#include <math.h>

#include "harness/kind/kernels/kernels.h"

enum { PROCESSES = 8, ROUNDS = 3 };

struct made {
    double yardstick, filter; /* ns of touch-32 and of nori */
    int processes;
    double memory;
    double drift;   /* the filter alone: the second half of the processes takes so much longer */
    bool cpu_clock; /* so many batches were repeated: the other samples are the right ones */
};

static json_t *samples(const struct made *m, double ns, double drift)
{
    static const double round[ROUNDS] = {1, 0.5, 3}; /* the median is the first */
    json_t *all = json_array();
    for (int p = 0; p < m->processes; p++) {
        json_t *one = json_array();
        const double process = 1 + 0.01 * (p % 4 - 1.5), late = 2 * p < m->processes ? 1 : drift;
        for (int r = 0; r < ROUNDS; r++)
            json_array_append_new(one, json_real(ns * process * late * round[r]));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *each(const struct made *m, int value)
{
    json_t *all = json_array();
    for (int p = 0; p < m->processes; p++)
        json_array_append_new(all, json_pack("[i, i, i]", value, value, value));
    return all;
}

static json_t *cell(const struct made *m, const char *design, double ns, double drift,
                    const char *to)
{
    json_t *good = samples(m, ns, drift), *bad = samples(m, ns * 7, 1);
    char id[40];
    snprintf(id, sizeof id, "%s/L1", design);
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:{s:s, s:o, s:o, s:s?, s:o, s:o}}", "id", id,
                     "design", design, "footprint", "L1", "operation", "batch", "hit_ratio", 0,
                     "isa", "scalar", "time", "clock", m->cpu_clock ? "thread_cpu" : "wall",
                     "samples_ns", m->cpu_clock ? bad : good, "samples_cpu_ns",
                     m->cpu_clock ? good : bad, "ratio_to", to, "sample_retries",
                     each(m, m->cpu_clock), "sample_flags", each(m, 0));
}

static json_t *document(struct made m)
{
    m.processes = m.processes ? m.processes : PROCESSES;
    m.drift = m.drift > 0 ? m.drift : 1;
    return json_pack("{s:[o, o], s:{s:{s:f, s:f}}}", "cells",
                     cell(&m, "touch-32", m.yardstick, 1, NULL),
                     cell(&m, "nori", m.filter, m.drift, "touch-32/L1"), "timing", "memory",
                     "ratio", m.memory, "time", m.memory);
}

static const struct made plain = {.yardstick = 1, .filter = 10};

/* The report of plain and this one. */
static json_t *compared(struct made head, const char *against)
{
    json_auto_t *first = document(plain), *second = document(head);
    json_t *report = fb_compare_times(first, second, against);
    return report;
}

static const json_t *nori(const json_t *report)
{
    return json_array_get(json_object_get(report, "cells"), 1);
}

static void assert_moved(const json_t *report, int compared_cells, int slower, int faster)
{
    assert_int_equal(fb_json_uint(report, "compared"), compared_cells);
    assert_int_equal(fb_json_uint(report, "slower"), slower);
    assert_int_equal(fb_json_uint(report, "faster"), faster);
}

TEST(a_filter_that_is_slower)
{
    for (int cpu = 0; cpu < 2; cpu++) {
        json_auto_t *report =
            compared((struct made){.yardstick = 1, .filter = 11, .cpu_clock = cpu}, NULL);
        const double low = at(nori(report), "ratio_ci95.low") / 1.1,
                     high = at(nori(report), "ratio_ci95.high") / 1.1;
        assert_moved(report, 1, 1, 0);
        assert_true(json_is_null(json_object_get(report, "against")));
        assert_true(low > 0.98 && low < 0.995);
        assert_near(low * high, 1, 1e-3);
        /* Yardstick and filter move together from process to process: their ratio is exact. */
        assert_near(at(nori(report), "relative"), 1.1, 1e-9);
        assert_near(at(nori(report), "relative_ci95.low"), 1.1, 1e-9);
        assert_near(at(nori(report), "relative_ci95.high"), 1.1, 1e-9);
        assert_near(at(nori(report), "repeats_within"), 0, 1e-9);
    }
}

/* A machine that is slower moves the times and no ratio. */
TEST(a_machine_that_is_slower)
{
    json_auto_t *report = compared((struct made){.yardstick = 1.1, .filter = 11}, NULL);
    const json_t *touch = json_array_get(json_object_get(report, "cells"), 0);
    assert_moved(report, 1, 0, 0);
    assert_near(at(nori(report), "ratio"), 1.1, 1e-9);
    assert_near(at(nori(report), "relative"), 1, 1e-9);
    assert_true(json_is_null(json_object_get(touch, "relative")));
}

/* A run whose halves are 12 % apart says nothing of 11 %, whatever its interval: a drift of the
 * machine is in all its processes. */
TEST(a_run_that_does_not_repeat)
{
    const struct made drifting = {.yardstick = 1, .filter = 10.5, .drift = 1.12};
    json_t *report = compared(drifting, NULL);
    assert_near(at(nori(report), "repeats_within"), 0.12, 1e-9);
    assert_true(at(nori(report), "relative_ci95.low") > 1.04);
    assert_moved(report, 1, 0, 0);
    json_decref(report);
    report = compared((struct made){.yardstick = 1, .filter = 13, .drift = 1.12}, NULL);
    assert_moved(report, 1, 1, 0);
    json_decref(report);
    report = compared((struct made){.yardstick = 1, .filter = 7}, NULL);
    assert_moved(report, 1, 0, 1);
    json_decref(report);
}

TEST(few_processes_and_memory)
{
    json_auto_t *few = compared((struct made){.yardstick = 1, .filter = 11, .processes = 5}, NULL);
    json_auto_t *plainly = compared((struct made){.yardstick = 1, .filter = 11}, NULL);
    json_auto_t *remembering =
        compared((struct made){.yardstick = 1, .filter = 11, .memory = 2.0 / 3}, NULL);
    assert_true(json_is_null(json_object_get(nori(few), "ratio_ci95")));
    assert_near(at(nori(few), "ratio"), 1.1, 0.02);
    const double narrow = log(at(nori(plainly), "ratio_ci95.high") / at(nori(plainly), "ratio"));
    const double wide =
        log(at(nori(remembering), "ratio_ci95.high") / at(nori(remembering), "ratio"));
    assert_near(wide / narrow, sqrt((1.0 + 7) / 2),
                0.02); /* one of two runs sqrt(7) times as wide */
}

TEST(against_a_design)
{
    json_auto_t *report = compared((struct made){.yardstick = 1, .filter = 11}, "nori");
    const json_t *touch = json_array_get(json_object_get(report, "cells"), 0);
    assert_moved(report, 1, 0, 1);
    assert_string_equal(fb_json_str(report, "against"), "nori");
    assert_near(at(touch, "relative") * 1.1, 1, 1e-9);
    assert_true(json_is_null(json_object_get(nori(report), "relative")));
}

TEST(samples_that_cannot_be_read)
{
    json_auto_t *base = document(plain), *head = document(plain);
    json_object_set_new(json_object_get(json_array_get(json_object_get(head, "cells"), 1), "time"),
                        "samples_ns", json_pack("[[i, s], i]", 1, "x", 3));
    json_auto_t *report = fb_compare_times(base, head, NULL);
    assert_int_equal(json_array_size(json_object_get(report, "cells")), 0);
}

TESTS(NULL, NULL)
