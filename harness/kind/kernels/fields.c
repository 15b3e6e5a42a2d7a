/* Experiments of kind "kernels": their fields. */
#include <stdlib.h>
#include <string.h>

#include "harness/document/fields.h"
#include "harness/kind/kernels/kernels.h"

static json_t *read_operation(struct fb_problem *problem, const struct fb_field *f,
                              const char *path, const json_t *given)
{
    const char *names[FB_OP_PLAIN + 2] = {0}, *name = json_string_value(given);
    (void)f;
    for (int i = 0; i <= FB_OP_PLAIN; i++)
        names[i] = fb_operation_name((enum fb_operation)i);
    if (name && !strcmp(name, "all")) /* plain loops only by their name */
        names[FB_OP_PLAIN] = NULL;
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
    FB_FIELD_REALS("bits_per_key", "[]", 1, 100, true, "a number from 1 to 100",
                   .meaning = "size of a filter: bits of memory for each key that it holds",
                   .of = "bits per key", .example = "[8, 12]"),
    FB_FIELD_SHARES("fpr", "[]", 1e-9, 0.5, true, "a rate from 1e-9 to 0.5",
                    .meaning = "size of a filter: the share of absent keys that it may let "
                               "through; the design chooses the bits",
                    .of = "a rate", .example = "[0.01, 0.001]"),
    FB_FIELD_SHARES("loads", "[]", 1e-3, 1, true, "a share from 0.001 to 1", .may_lack = true,
                    .meaning = "how full a filter is: the share of its slots that keys take "
                               "(cuckoo, quotient), of other designs that take keys one by one "
                               "the share of the keys that it is sized for; it has the bytes of "
                               "its size either way. Without one it holds all of these",
                    .of = "a share", .example = "[0.5, 0.9]"),
    FB_FIELD_WORDS("footprints", "[\"all\"]", fb_footprint_words, "footprint", true,
                   .meaning = "how large the filters are together: so large that they just fit the "
                              "cache of that name, or only main memory",
                   .example = "[\"L1\", \"DRAM\"]"),
    FB_FIELD_BYTES("most_bytes", "0", 0, 1e15, "a count of bytes, or 0 for no bound",
                   .meaning = "footprints above so many bytes are left out; 0: none is",
                   .of = "bytes", .example = "8000000"),
    FB_FIELD(
        "operations", "[\"batch\", \"insert\"]", read_operation, .list = true,
        .meaning =
            "what is timed: batch (many keys a call), each (a call for each), branch (and a "
            "decision on it), chain (each key follows from the answer before), insert, remove, "
            "mixed (the oldest key goes, a key is looked up, present or not by the toss of a coin, "
            "a new one comes, and again; of designs that remove), build (from digests), digest "
            "(hashing all keys), build-keys (both), walk (a key "
            "over so many filters as runs says), walk-batch (many keys over them), inline and "
            "insert-inline (a caller's own loop with a header of filters/inline, and a batch of "
            "the "
            "library, beside a loop with the structure of the fastest other library), build-peer "
            "(a build, beside one of that structure); plain: loops anyone would write, which "
            "must not beat the yardsticks; all: all but plain",
        .example = "[\"batch\", \"chain\"]"),
    FB_FIELD("runs", "[8, 64]", fb_read_count, .list = true, .may_lack = true, .low = 1, .high = 64,
             .unit = FB_UNIT_COUNT, .accepted = "a count from 1 to 64",
             .meaning = "how many filters a walk asks for each key; they have the footprint "
                        "together. Without a walk among operations it is left out",
             .of = "filters", .example = "[8]"),
    FB_FIELD_SHARES("hit_ratios", "[0]", 0, 1, false, "a share of present keys from 0 to 1",
                    .meaning = "which share of the keys that are asked for is in the filter; walks "
                               "and plain loops ask for absent ones",
                    .of = "a share", .example = "[0, 0.5, 1]"),
    FB_FIELD("isas", "[\"best\"]", read_isa, .list = true,
             .meaning =
                 "which instruction sets are timed: best takes the fastest kernel there is here",
             .example = "[\"scalar\", \"avx2\"]"),
    FB_FIELD("styles", "[\"best\"]", read_style, .list = true,
             .meaning = "which kernels are timed, where a design has several for one instruction "
                        "set; 'filterbench describe DESIGN' names them",
             .example = "[\"all\"]"),
    FB_FIELD_COUNT("rounds", "3", 1, FB_GROUP_ROUNDS, "a count from 1 to 1000",
                   .meaning =
                       "how often a process times everything; candidates alternate within a round",
                   .of = "rounds", .example = "5"),
    FB_FIELD_COUNT("min_processes", "6", 1, FB_PAIRED_MAX,
                   "a count from 1 to 64; below 6 there is no 95 % interval",
                   .meaning = "fresh processes that measure in any case; between them memory and "
                              "alignment are drawn anew",
                   .of = "processes", .example = "16"),
    FB_FIELD_COUNT("max_processes", "48", 1, FB_PAIRED_MAX, "a count from 1 to 64",
                   .meaning = "fresh processes that measure at most", .of = "processes",
                   .example = "64"),
    FB_FIELD_SHARE("precision", "0.01", 0, 1, "a number from 0 to 1 (0.01: intervals of +-1 %)",
                   .meaning = "stop when the half of every ratio's 95 % interval is such a share "
                              "of the ratio; 0: never before the budget",
                   .of = "a share of the ratio", .example = "0.02"),
    FB_FIELD_BUDGET("120"),
    FB_FIELD_FLAG("huge_pages", "false",
                  .meaning = "ask the system for huge pages for the filters, as engines may",
                  .example = "true"),
    FB_FIELD_CPU,
    FB_FIELD_FLAG("histograms", "false",
                  .meaning = "time single operations as well, for their distribution",
                  .example = "true"),
    FB_FIELD("threads", "[1]", read_threads_entry, .list = true, .shape = "count 1.. | 'cores'",
             .low = 1, .high = 1024, .unit = FB_UNIT_COUNT,
             .accepted = "\"cores\", or a number of threads from 1 to 1024",
             .meaning = "numbers of threads that look up at once, for the speed-up; cores: 1, 2, 4 "
                        "and so on up to all",
             .of = "threads", .example = "[1, 2]"),
    FB_FIELD_SEED,
    {0},
};
