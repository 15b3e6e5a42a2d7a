/* Experiments of kind "ab": from a document to the cells. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/document/fields.h"
#include "harness/kind/ab/ab.h"

static const struct fb_word operations[] = {
    {"batch", NULL},  {"each", NULL},   {"branch", NULL}, {"chain", NULL},  {"walk", NULL},
    {"insert", NULL}, {"remove", NULL}, {"build", NULL},  {"digest", NULL}, {NULL, NULL}};

static const struct fb_word again[] = {{"candidates", NULL}, {"all", NULL}, {NULL, NULL}};

#define PROCESSES(name, value, least, text)                                                        \
    FB_FIELD_COUNT(name, value, least, FB_PAIRED_MAX, "a count up to 64", .meaning = (text),       \
                   .of = "processes", .example = "16")

const struct fb_field fb_ab_fields[] = {
    FB_FIELDS_FIRST("ab", "ab"),
    FB_FIELD("designs", "[\"sbbf-256\"]", fb_read_name, .list = true, .low = 1, .high = 34,
             .accepted = "the name of a design, without prefix",
             .meaning = "which designs of the two plugins are compared, the most important first; "
                        "`filterbench ab` takes all that both have",
             .example = "[\"sbbf-256\", \"nori\"]"),
    FB_FIELD_REAL("bits_per_key", "10", 1, 100, "a number from 1 to 100",
                  .meaning = "size of a filter: bits of memory for each key that it holds; a "
                             "design that needs more gets more",
                  .of = "bits per key", .example = "12"),
    FB_FIELD_WORDS("footprints", "[\"L1\", \"L2\", \"L3\", \"DRAM\"]", fb_footprint_words,
                   "footprint", true,
                   .meaning = "how large a filter is: so large that it just fits the cache of that "
                              "name, or only main memory",
                   .example = "[\"L1\"]"),
    FB_FIELD_WORDS(
        "operations", "[\"batch\", \"each\", \"walk\", \"insert\", \"build\", \"digest\"]",
        operations, "operation", true,
        .meaning = "what is timed: lookups by batch, each (a call for each), branch (and "
                   "a decision on it), chain or walk (a key over 8 filters); insert, "
                   "remove, build, digest (the hash alone)",
        .example = "[\"batch\", \"chain\"]"),
    FB_FIELD_SHARE("delta", "0.03", 1e-6, 1, "a number from 0.000001 to 1 (0.05: 5 %)",
                   .meaning = "the smallest slowdown that is to be found; two thirds of it are the "
                              "smallest that is called one",
                   .of = "a share", .example = "0.05"),
    FB_FIELD_SHARE(
        "alpha", "0.01", 1e-6, 0.5, "a probability from 0.000001 to 0.5",
        .meaning =
            "the probability with which a comparison of equal revisions may say that they differ",
        .of = "a probability", .example = "0.001"),
    PROCESSES("first", "8", 0,
              "processes that measure all cells; 0: only exact facts are compared"),
    PROCESSES("second", "40", 1, "fresh processes that measure what the first found suspicious"),
    PROCESSES("plain", "8", 0,
              "processes with the ordinary link of both, to tell a slow place from slow code"),
    FB_FIELD_WORD("again", "\"candidates\"", again, "choice",
                  .meaning = "what the second set of processes measures: candidates, or all cells "
                             "(to see what equal code shows)",
                  .example = "\"all\""),
    FB_FIELD_COUNT(
        "rounds", "32", 1, FB_GROUP_ROUNDS, "a count from 1 to 1000",
        .meaning =
            "how often a process times everything; the two revisions alternate within a round",
        .of = "rounds", .example = "4"),
    FB_FIELD_BUDGET("120"),
    FB_FIELD_CPU,
    FB_FIELD_SEED,
    {0},
};

/* Of a sample's batch. What disturbs a machine for a millisecond, as a neighbour on the other half
 * of the core, then disturbs few of a process's rounds, and the median over rounds drops them.
 * Between processes the log ratio of equal designs has, on a 2-core guest, a standard deviation
 * of 2.5 % with 2 rounds of 1 ms, 1 % with 8 of 0.25 ms and 0.1 % with 32 of 0.05 ms, which take no
 * longer.
 */
static const double batch_ns = 5e4;

/* The rule's delta, of the slowdown that is to be found: fb_slowdown_finds is above the gate. */
static const double gate_of_delta = 2.0 / 3;

/* What a cell takes in a process, in ms (Sapphire Rapids and Zen 4 guests, 32 rounds), in the order
 * in which cells are left out last: one footprint of each operation before the others. */
static const struct way {
    enum fb_operation operation;
    enum fb_footprint footprint;
    double ms;
} ways[] = {
    {FB_OP_BATCH, FB_FOOT_L2, 9},     {FB_OP_EACH, FB_FOOT_L1, 8},   {FB_OP_INSERT, FB_FOOT_L1, 8},
    {FB_OP_BUILD, FB_FOOT_L1, 20},    {FB_OP_WALK, FB_FOOT_L2, 10},  {FB_OP_DIGEST, FB_FOOT_L1, 15},
    {FB_OP_BATCH, FB_FOOT_DRAM, 200}, {FB_OP_BATCH, FB_FOOT_L1, 8},  {FB_OP_EACH, FB_FOOT_L2, 9},
    {FB_OP_INSERT, FB_FOOT_L2, 9},    {FB_OP_BATCH, FB_FOOT_L3, 60}, {FB_OP_EACH, FB_FOOT_DRAM, 20},
    {FB_OP_WALK, FB_FOOT_DRAM, 250},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

/* Of those that are only timed when asked for, after the others. */
static double ms_of(enum fb_operation operation, enum fb_footprint footprint)
{
    return operation == FB_OP_BUILD    ? 1000
           : footprint == FB_FOOT_DRAM ? 200
           : footprint == FB_FOOT_L3   ? 60
                                       : 9;
}

/* Builds of the larger footprints take seconds, and what is hashed does not depend on a filter.
 * Lookups in L3 show what a lost prefetch costs where no filter of main memory can be had. */
static bool makes_sense(enum fb_operation operation, enum fb_footprint footprint)
{
    return operation == FB_OP_DIGEST  ? footprint == FB_FOOT_L1
           : operation == FB_OP_BUILD ? footprint == FB_FOOT_L1
           : footprint == FB_FOOT_L3  ? operation == FB_OP_BATCH || operation == FB_OP_EACH
                                      : operation != FB_OP_INSERT || footprint != FB_FOOT_DRAM;
}

static int cpu_of(const json_t *document)
{
    const json_t *cpu = json_object_get(document, "cpu");
    if (json_is_integer(cpu))
        return (int)json_integer_value(cpu);
    return strcmp(json_string_value(cpu), "auto") ? FB_CPU_NONE : FB_CPU_AUTO;
}

static void load(struct fb_ab *ab)
{
    static const char *const sets[] = {"first", "second", "plain"};
    const json_t *doc = ab->document;
    ab->bits_per_key = fb_json_num(doc, "bits_per_key");
    ab->budget_s = fb_json_num(doc, "budget");
    ab->delta = fb_json_num(doc, "delta");
    ab->seed = strtoull(fb_json_str(doc, "seed"), NULL, 16);
    ab->again_all = !strcmp(fb_json_str(doc, "again"), "all");
    for (int i = 0; i < 3; i++)
        ab->processes[i] = fb_json_uint(doc, sets[i]);
    ab->rules = (struct fb_slowdown_rules){.delta = ab->delta * gate_of_delta,
                                           .alpha = fb_json_num(doc, "alpha")};
    ab->group = (struct fb_group_options){.rounds = fb_json_uint(doc, "rounds"),
                                          .budget_s = ab->budget_s,
                                          .seed = ab->seed,
                                          .cpu = cpu_of(doc),
                                          .min_batch_ns = batch_ns};
}

static void add_cell(struct fb_ab *ab, const char *design, enum fb_operation operation,
                     enum fb_footprint footprint, double ms)
{
    struct fb_ab_cell *cell = &ab->cells[ab->n_cells++];
    *cell = (struct fb_ab_cell){.design = design,
                                .footprint = footprint,
                                .operation = operation,
                                .expected_s = ms / 1e3 * (double)ab->group.rounds / 32};
    snprintf(cell->id, sizeof cell->id, "%s/%s/%s", design, fb_footprint_name(footprint),
             fb_operation_name(operation));
}

static bool is_way(enum fb_operation operation, enum fb_footprint footprint)
{
    for (size_t i = 0; i < N_WAYS; i++)
        if (ways[i].operation == operation && ways[i].footprint == footprint)
            return true;
    return false;
}

/* Cells of one way of all designs, where it is asked for. */
static void add_way(struct fb_ab *ab, enum fb_operation operation, enum fb_footprint footprint,
                    double ms)
{
    const json_t *designs = json_object_get(ab->document, "designs");
    if (!fb_json_lists(json_object_get(ab->document, "operations"), fb_operation_name(operation)) ||
        !fb_json_lists(json_object_get(ab->document, "footprints"), fb_footprint_name(footprint)))
        return;
    for (size_t i = 0; i < ab->n_designs; i++)
        add_cell(ab, json_string_value(json_array_get(designs, i)), operation, footprint, ms);
}

bool fb_ab_resolve(const json_t *given, struct fb_ab *out, struct fb_problem *problem)
{
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_ab_fields, given, problem);
    if (!out->document)
        return false;
    load(out);
    out->n_designs = json_array_size(json_object_get(out->document, "designs"));
    out->cells = calloc(out->n_designs * FB_N_OPERATIONS * FB_N_FOOTPRINTS + 1, sizeof *out->cells);
    if (!out->cells)
        return false;
    for (size_t i = 0; i < N_WAYS; i++)
        add_way(out, ways[i].operation, ways[i].footprint, ways[i].ms);
    for (int f = 0; f < FB_N_FOOTPRINTS; f++)
        for (int o = 0; o < FB_N_OPERATIONS; o++)
            if (!is_way((enum fb_operation)o, (enum fb_footprint)f) &&
                makes_sense((enum fb_operation)o, (enum fb_footprint)f))
                add_way(out, (enum fb_operation)o, (enum fb_footprint)f,
                        ms_of((enum fb_operation)o, (enum fb_footprint)f));
    return true;
}

void fb_ab_close(struct fb_ab *ab)
{
    json_decref(ab->document);
    json_decref(ab->profile);
    free(ab->cells);
    memset(ab, 0, sizeof *ab);
}

json_t *fb_ab_designs(void)
{
    static const char prefix[] = "base:";
    json_t *names = json_array();
    for (size_t i = 0; i < fb_n_designs(); i++) {
        const struct fb_design *design = fb_design_at(i);
        char head[64];
        if (strncmp(design->name, prefix, sizeof prefix - 1) || design->traits & FB_CONTROL)
            continue;
        snprintf(head, sizeof head, "head:%.50s", design->name + sizeof prefix - 1);
        if (fb_design_find(head))
            json_array_append_new(names, json_string(design->name + sizeof prefix - 1));
    }
    return names;
}

double fb_ab_gate(const struct fb_ab *ab, enum fb_footprint footprint)
{
    const double floor = fb_profile_floor(ab->profile, ab->links, footprint);
    return floor > ab->rules.delta ? floor : ab->rules.delta;
}
