/* What users ask for: quantities with units, and names that were meant. */
#include "tests/unit.h"

#include <string.h>

#include "harness/base/message.h"
#include "harness/base/quantity.h"

TEST(quantities)
{
    static const struct {
        const char *text;
        enum fb_unit unit;
        double value;
    } good[] = {
        {"50M", FB_UNIT_COUNT, 50e6},
        {"1k", FB_UNIT_COUNT, 1000},
        {"2K", FB_UNIT_COUNT, 2000},
        {"1.5G", FB_UNIT_COUNT, 1.5e9},
        {"1T", FB_UNIT_COUNT, 1e12},
        {"4Ki", FB_UNIT_COUNT, 4096},
        {"50m", FB_UNIT_COUNT, 50e6},
        {"4ki", FB_UNIT_COUNT, 4096},
        {"1 GiB", FB_UNIT_BYTES, 1073741824},
        {"256Mi", FB_UNIT_BYTES, 268435456},
        {"64MB", FB_UNIT_BYTES, 64e6},
        {"64M", FB_UNIT_BYTES, 64e6},
        {"512B", FB_UNIT_BYTES, 512},
        {"512 B", FB_UNIT_BYTES, 512},
        {"1TiB", FB_UNIT_BYTES, 1099511627776},
        {"70%", FB_UNIT_SHARE, 0.7},
        {"1.1%", FB_UNIT_SHARE, 0.011}, /* 1.1 / 100 is another double */
        {"57%", FB_UNIT_SHARE, 0.57},   /* and so is 57 * 0.01 */
        {"2e-1 %", FB_UNIT_SHARE, 0.002},
        {"0.3", FB_UNIT_SHARE, 0.3},
        {"10us", FB_UNIT_SECONDS, 1e-5},
        {"10us", FB_UNIT_NS, 1e4},
        {"1ns", FB_UNIT_NS, 1},
        {"1.5ms", FB_UNIT_NS, 1.5e6},
        {"2m", FB_UNIT_SECONDS, 120},
        {"1h", FB_UNIT_SECONDS, 3600},
        {"60", FB_UNIT_SECONDS, 60},
        {"1e6", FB_UNIT_COUNT, 1e6},
        {"-3", FB_UNIT_COUNT, -3},
        {".5", FB_UNIT_NONE, 0.5},
    };
    static const struct {
        const char *text;
        enum fb_unit unit;
    } bad[] = {
        {"50MB", FB_UNIT_COUNT},  {"50m", FB_UNIT_BYTES},    {"1Gib", FB_UNIT_BYTES},
        {"1GB/s", FB_UNIT_BYTES}, {"1b", FB_UNIT_BYTES},     {"70%%", FB_UNIT_SHARE},
        {"70k", FB_UNIT_SHARE},   {"10 ", FB_UNIT_COUNT},    {"10  us", FB_UNIT_NS},
        {"100", FB_UNIT_NS},      {"10US", FB_UNIT_SECONDS}, {"", FB_UNIT_COUNT},
        {"M", FB_UNIT_COUNT},     {"1M", FB_UNIT_NONE},      {"nan", FB_UNIT_COUNT},
        {"inf", FB_UNIT_COUNT},   {"0x10", FB_UNIT_COUNT},   {" 1", FB_UNIT_COUNT},
        {"+1", FB_UNIT_COUNT},    {"1e999", FB_UNIT_COUNT},  {"1e308k", FB_UNIT_COUNT},
        {"1,5M", FB_UNIT_COUNT},  {"1.2.3", FB_UNIT_COUNT},  {"1e9999999999", FB_UNIT_COUNT},
    };
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!fb_quantity_read(good[i].text, good[i].unit, &value))
            fail_msg("'%s' is refused", good[i].text);
        if (value != good[i].value)
            fail_msg("'%s' is %.17g", good[i].text, value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (fb_quantity_read(bad[i].text, bad[i].unit, &value))
            fail_msg("'%s' is %g", bad[i].text, value);
}

TEST(examples)
{
    assert_string_equal(fb_quantity_example(FB_UNIT_COUNT, 0, 1e9), ", such as 1M");
    assert_string_equal(fb_quantity_example(FB_UNIT_COUNT, 1, 1024), ""); /* of threads, say */
    assert_string_equal(fb_quantity_example(FB_UNIT_SHARE, 0, 1), ", such as 1%");
    assert_string_equal(fb_quantity_example(FB_UNIT_BYTES, 512, 1 << 24), ", such as 4KiB");
}

TEST(nearest)
{
    static const char *const names[] = {"kernels-rates", "kernels",    "batch",   "each", "L1",
                                        "nori",          "zipf:THETA", "uniform", NULL};
    static const struct {
        const char *given, *meant; /* NULL: nothing */
    } cases[] = {{"kernel", "kernels"},
                 {"KERNELS", "kernels"},
                 {"kernels-rate", "kernels-rates"},
                 {"bach", "batch"},
                 {"l1", "L1"},
                 {"Nori", "nori"},
                 {"nroi", "nori"},
                 {"Zipf:0.99", "zipf:THETA"},
                 {"zpif:1", "zipf:THETA"},
                 {"UNIFROM", "uniform"},
                 {"xyzzy", NULL},
                 {"q", NULL},
                 {"", NULL},
                 {"xyz", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = fb_nearest(cases[i].given, names, sizeof *names);
        if (!near != !cases[i].meant || (near && strcmp(near, cases[i].meant) != 0))
            fail_msg("'%s' is taken for '%s'", cases[i].given, near ? near : "nothing");
    }
}

TESTS(NULL, NULL)
