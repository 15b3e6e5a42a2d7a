/* Experiments of kind "kernels": their fields. */
#include <stdlib.h>
#include <string.h>

#include "harness/document/fields.h"
#include "harness/kind/kernels/kernels.h"

static json_t *read_operation(struct fb_problem *problem, const struct fb_field *f,
                              const char *path, const json_t *given)
{
    const char *names[FB_OP_PLAIN + 1] = {0};
    (void)f;
    for (int i = 0; i < FB_OP_PLAIN; i++)
        names[i] = fb_operation_name((enum fb_operation)i);
    return fb_read_one_of(problem, "operation", path, given, names, true);
}

static json_t *read_isa(struct fb_problem *problem, const struct fb_field *f, const char *path,
                        const json_t *given)
{
    const char *names[FB_N_ISAS + 3] = {"best", "all"};
    (void)f;
    for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++)
        names[1 + isa] = fb_isa_name((enum fb_isa)isa);
    return fb_read_one_of(problem, "instruction set", path, given, names, false);
}

static json_t *read_style(struct fb_problem *problem, const struct fb_field *f, const char *path,
                          const json_t *given)
{
    enum { MOST = 60 };
    const char *names[MOST + 3] = {"best", "all"};
    size_t n = 2;
    (void)f;
    for (size_t d = 0; d < fb_n_designs(); d++) {
        for (const struct fb_kernel *const *k = fb_design_at(d)->kernels; *k; k++) {
            size_t known = 0;
            while (known < n && strcmp(names[known], (*k)->style))
                known++;
            if (known == n && n < MOST)
                names[n++] = (*k)->style;
        }
    }
    return fb_read_one_of(problem, "style of kernels", path, given, names, false);
}

static json_t *read_threads_entry(struct fb_problem *problem, const struct fb_field *f,
                                  const char *path, const json_t *given)
{
    const char *name = json_string_value(given);
    return name && !strcmp(name, "cores") ? json_string(name)
                                          : fb_read_count(problem, f, path, given);
}

const struct fb_field fb_kernels_fields[] = {
    FB_FIELDS_FIRST("kernels", "kernels"),
    FB_FIELD_DESIGNS("[\"filters\"]"),
    FB_FIELD_REALS("bits_per_key", "[]", 1, 100, true, "a number from 1 to 100"),
    FB_FIELD_SHARES("fpr", "[]", 1e-9, 0.5, true, "a rate from 1e-9 to 0.5"),
    FB_FIELD_WORDS("footprints", "[\"all\"]", fb_footprint_words, "footprint", true),
    FB_FIELD_BYTES("most_bytes", "0", 0, 1e15, "a count of bytes, or 0 for no bound"),
    FB_FIELD("operations", "[\"batch\", \"insert\"]", read_operation, .list = true),
    FB_FIELD_SHARES("hit_ratios", "[0]", 0, 1, false, "a share of present keys from 0 to 1"),
    FB_FIELD("isas", "[\"best\"]", read_isa, .list = true),
    FB_FIELD("styles", "[\"best\"]", read_style, .list = true),
    FB_FIELD_COUNT("rounds", "3", 1, FB_GROUP_ROUNDS, "a count from 1 to 1000"),
    FB_FIELD_COUNT("min_processes", "6", 1, FB_PAIRED_MAX,
                   "a count from 1 to 64; below 6 there is no 95 % interval"),
    FB_FIELD_COUNT("max_processes", "48", 1, FB_PAIRED_MAX, "a count from 1 to 64"),
    FB_FIELD_SHARE("precision", "0.01", 0, 1, "a number from 0 to 1 (0.01: intervals of +-1 %)"),
    FB_FIELD_BUDGET("120"),
    FB_FIELD_FLAG("huge_pages", "false"),
    FB_FIELD_CPU,
    FB_FIELD_FLAG("histograms", "false"),
    FB_FIELD("threads", "[1]", read_threads_entry, .list = true, .low = 1, .high = 1024,
             .unit = FB_UNIT_COUNT, .accepted = "\"cores\", or a number of threads from 1 to 1024"),
    FB_FIELD_SEED,
    {0},
};
