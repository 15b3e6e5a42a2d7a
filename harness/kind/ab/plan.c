/* Experiments of kind "ab": from a document to the cells. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/fields.h"
#include "harness/kind/ab/ab.h"

static const struct fb_word operations[] = {{"batch", NULL}, {"each", NULL},   {"branch", NULL},
                                            {"chain", NULL}, {"insert", NULL}, {"remove", NULL},
                                            {"build", NULL}, {NULL, NULL}};

const struct fb_field fb_ab_fields[] = {
    FB_FIELDS_FIRST("ab", "ab"),
    FB_FIELD("designs", "[\"sbbf-256\"]", fb_read_name, .list = true, .low = 1, .high = 34,
             .accepted = "the name of a design, without prefix",
             .meaning = "which designs of the two plugins are compared",
             .example = "[\"sbbf-256\", \"nori\"]"),
    FB_FIELD_REAL("bits_per_key", "10", 1, 100, "a number from 1 to 100",
                  .meaning = "size of a filter: bits of memory for each key that it holds",
                  .of = "bits per key", .example = "12"),
    FB_FIELD_WORDS("footprints", "[\"L1\", \"L2\"]", fb_footprint_words, "footprint", true,
                   .meaning = "how large the filters are together: so large that they just fit the "
                              "cache of that name, or only main memory",
                   .example = "[\"L1\"]"),
    FB_FIELD_WORDS("operations", "[\"batch\"]", operations, "operation", true,
                   .meaning = "what is timed: batch (many keys a call), each (a call for each), "
                              "branch (and a decision on it) or chain",
                   .example = "[\"batch\", \"chain\"]"),
    FB_FIELD_SHARE(
        "delta", "0", 0, 1, "a number from 0 to 1 (0.05: 5 %), or 0 for the default",
        .meaning = "the smallest change of time that matters; a smaller one is called unchanged",
        .of = "a share", .example = "0.02"),
    FB_FIELD_SHARE(
        "alpha", "0.01", 1e-6, 0.5, "a probability from 0.000001 to 0.5",
        .meaning =
            "the probability with which a comparison of equal revisions may say that one is slower",
        .of = "a probability", .example = "0.001"),
    FB_FIELD_COUNT("looks", "3", 1, 3, "1, 2 or 3",
                   .meaning = "how often a verdict may be tried: at 16, 32 and 64 processes, of "
                              "which a clear one ends the run",
                   .of = "looks", .example = "1"),
    FB_FIELD_COUNT("processes", "16", 1, FB_PAIRED_MAX, "a count from 1 to 64",
                   .meaning = "fresh processes that measure before the first look",
                   .of = "processes", .example = "32"),
    FB_FIELD_COUNT(
        "rounds", "32", 1, FB_GROUP_ROUNDS, "a count from 1 to 1000",
        .meaning =
            "how often a process times everything; the two revisions alternate within a round",
        .of = "rounds", .example = "4"),
    FB_FIELD_BUDGET("4"),
    FB_FIELD_CPU,
    FB_FIELD_SEED,
    {0},
};

/* A change that matters, where nobody asked for another; and where nobody measured what the machine
 * makes of none. */
static const double least_delta = 0.03, uncalibrated_delta = 0.05;

/* Of a sample's batch. What disturbs a machine for a millisecond, as a neighbour on the other half
 * of the core, then disturbs few of a process's rounds, and the median over rounds drops them.
 * Between processes the log ratio of equal designs has, on a 2-core guest, a standard deviation
 * of 2.5 % with 2 rounds of 1 ms, 1 % with 8 of 0.25 ms and 0.1 % with 32 of 0.05 ms, which take no
 * longer.
 */
static const double batch_ns = 5e4;

static int cpu_of(const json_t *document)
{
    const json_t *cpu = json_object_get(document, "cpu");
    if (json_is_integer(cpu))
        return (int)json_integer_value(cpu);
    return strcmp(json_string_value(cpu), "auto") ? FB_CPU_NONE : FB_CPU_AUTO;
}

static void load(struct fb_ab *ab)
{
    const json_t *doc = ab->document;
    const double delta = fb_json_num(doc, "delta");
    const size_t least = fb_json_uint(doc, "processes");
    const unsigned looks = (unsigned)fb_json_uint(doc, "looks");
    size_t most = least << (looks - 1);
    ab->bits_per_key = fb_json_num(doc, "bits_per_key");
    ab->budget_s = fb_json_num(doc, "budget");
    ab->seed = strtoull(fb_json_str(doc, "seed"), NULL, 16);
    ab->asked = delta > 0;
    ab->rules = (struct fb_change_rules){.delta = ab->asked ? delta : uncalibrated_delta,
                                         .alpha = fb_json_num(doc, "alpha"),
                                         .looks = looks};
    most = most > FB_PAIRED_MAX ? FB_PAIRED_MAX : most;
    ab->group = (struct fb_group_options){.rounds = fb_json_uint(doc, "rounds"),
                                          .min_processes = least,
                                          .max_processes = most,
                                          .budget_s = ab->budget_s,
                                          .seed = ab->seed,
                                          .cpu = cpu_of(doc),
                                          .min_batch_ns = batch_ns};
}

static void add_cell(struct fb_ab *ab, const char *design, const char *footprint,
                     const char *operation)
{
    struct fb_ab_cell *cell = &ab->cells[ab->n_cells++];
    *cell = (struct fb_ab_cell){.design = design,
                                .footprint = fb_footprint_find(footprint),
                                .operation = fb_operation_find(operation)};
    snprintf(cell->id, sizeof cell->id, "%s/%s/%s", design, footprint, operation);
}

void fb_ab_calibrate(struct fb_ab *ab, const json_t *summary)
{
    if (!json_is_object(summary))
        return;
    json_decref(ab->profile);
    ab->profile = json_incref((json_t *)summary);
    if (!ab->asked)
        ab->rules.delta = least_delta;
}

double fb_ab_floor(const struct fb_ab *ab, enum fb_footprint footprint)
{
    const double floor = fb_profile_floor(ab->profile, footprint);
    return !ab->profile ? 0 : floor >= 0 ? floor : ab->asked ? 0 : uncalibrated_delta;
}

bool fb_ab_resolve(const json_t *given, struct fb_ab *out, struct fb_problem *problem)
{
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_ab_fields, given, problem);
    if (!out->document)
        return false;
    const json_t *designs = json_object_get(out->document, "designs"),
                 *footprints = json_object_get(out->document, "footprints"),
                 *asked = json_object_get(out->document, "operations");
    const json_t *d, *f, *o;
    size_t i, j, k;
    out->cells =
        calloc(json_array_size(designs) * json_array_size(footprints) * json_array_size(asked) + 1,
               sizeof *out->cells);
    if (!out->cells)
        return false;
    load(out);
    json_array_foreach((json_t *)designs, i, d)
        json_array_foreach((json_t *)footprints, j, f)
            json_array_foreach((json_t *)asked, k, o)
                add_cell(out, json_string_value(d), json_string_value(f), json_string_value(o));
    return true;
}

void fb_ab_close(struct fb_ab *ab)
{
    json_decref(ab->document);
    json_decref(ab->profile);
    free(ab->cells);
    memset(ab, 0, sizeof *ab);
}
