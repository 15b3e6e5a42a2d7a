/* What is asked: keys, tree, memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "harness/base/parallel.h"
#include "harness/kind/advise/advise.h"
#include "harness/store/engine_words.h"
#include "workloads/core/tree_plan.h"

/* Trees that are measured have no more keys: building some thirty designs of them takes 15 s. */
static const uint64_t most_measured = UINT64_C(1) << 24;

/* What a filter takes at least: one line of 64 bytes in most designs. */
enum { LEAST_FILTER_BYTES = 64 };

/* ---- The experiment alone ---- */

static bool check_absent(struct fb_question *q, struct fb_problem *problem)
{
    q->absent = fb_json_num(q->document, "absent");
    q->low = fb_json_num(q->document, "absent_low");
    q->high = fb_json_num(q->document, "absent_high");
    if ((q->low < 0 && q->low != -1) || (q->high < 0 && q->high != -1))
        return fb_refuse(problem, "absent_low, absent_high: give shares from 0 to 1, or -1");
    q->low = q->low < 0 ? q->absent : q->low;
    q->high = q->high < 0 ? q->absent : q->high;
    if (q->low > q->absent || q->high < q->absent)
        return fb_refuse(problem,
                         "absent: %.6g lies outside %.6g to %.6g; give absent_low, absent and "
                         "absent_high in ascending order",
                         q->absent, q->low, q->high);
    return true;
}

static bool check_prices(struct fb_question *q, struct fb_problem *problem)
{
    static const char *const names[] = {"memory_dollars", "read_dollars", "query_rate"};
    unsigned n = 0;
    for (size_t i = 0; i < 3; i++)
        n += fb_json_num(q->document, names[i]) > 0;
    q->dollars = n == 3;
    if (n && n < 3)
        return fb_refuse(problem, "memory_dollars, read_dollars, query_rate: a price in money "
                                  "needs all three, above 0");
    if (n && fb_json_num(q->document, "memory_price") > 0)
        return fb_refuse(problem, "memory_price: it excludes a price in money; give one of them");
    return true;
}

static bool check_designs(struct fb_question *q, struct fb_problem *problem)
{
    const json_t *designs = json_object_get(q->document, "designs");
    const char *why = "it is a control";
    size_t n = 0;
    FB_EACH(name, designs) {
        const struct fb_design *design = fb_design_find(json_string_value(name));
        if (!fb_question_excludes(q, design))
            n++;
        else
            why = fb_question_excludes(q, design);
    }
    if (!n)
        return fb_refuse(problem, "designs: none is left: %s: %s",
                         json_string_value(json_array_get(designs, 0)), why);
    if (n > FB_MOST_CONTENDERS)
        return fb_refuse(problem, "designs: at most %d of them", FB_MOST_CONTENDERS);
    return true;
}

bool fb_question_resolve(const json_t *given, struct fb_question *q, struct fb_problem *problem)
{
    memset(q, 0, sizeof *q);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    q->document = fb_fields_resolve(fb_advise_fields, given, problem);
    q->curves = calloc(fb_n_designs() + 1, sizeof *q->curves);
    if (!q->document || !q->curves)
        return false;
    const json_t *d = q->document;
    q->file = !strcmp(fb_json_str(d, "keys"), "file");
    q->all_designs = json_is_true(json_object_get(d, "all_designs"));
    if (fb_json_num(d, "bits_per_key") > 0 && fb_json_uint(d, "memory"))
        return fb_refuse(problem, "memory: it excludes bits_per_key; give one of them");
    if (fb_word_find(fb_styles, fb_json_str(d, "style")) == FB_FLAT)
        return fb_refuse(problem, "style: flat: give leveled, tiered, lazy or universal");
    if (!q->file && !fb_json_uint(d, "n") && !json_array_size(json_object_get(d, "run_bytes")))
        return fb_refuse(problem, "n: how many keys has the tree? give a file of keys, or n");
    return check_absent(q, problem) && check_prices(q, problem) && check_designs(q, problem);
}

void fb_question_close(struct fb_question *q)
{
    for (size_t i = 0; q->curves && i < fb_n_designs(); i++)
        fb_curves_close(&q->curves[i]);
    free(q->curves);
    json_decref(q->document);
    memset(q, 0, sizeof *q);
}

struct fb_curves *fb_question_curves(struct fb_question *q, const struct fb_design *design)
{
    size_t i = 0;
    while (fb_design_at(i) != design)
        i++;
    q->curves[i].design = design;
    return &q->curves[i];
}

const char *fb_question_excludes(const struct fb_question *q, const struct fb_design *design)
{
    if (design->traits & FB_CONTROL)
        return "it is a control";
    if (design->traits & FB_FALSE_NEGATIVES)
        return "it may miss keys that it holds";
    if (json_is_true(json_object_get(q->document, "removal")) && !fb_design_removes(design))
        return "it cannot take keys out again";
    if (!q->all_designs && !fb_question_offers(q, design, FB_ALLOC_UNIFORM))
        return strcmp(fb_json_str(q->document, "engine"), "any") != 0
                   ? "the engine does not have it"
                   : "no engine has it; --all-designs compares it";
    return NULL;
}

/* Whether an engine has words for it: with 16, 12 and 8 bits in three levels, or none in the last
 * one. */
bool fb_question_offers(const struct fb_question *q, const struct fb_design *design,
                        enum fb_allocation allocation)
{
    static const double split[] = {16, 12, 8}, dropped[] = {10, 10, 0};
    const char *engine = fb_json_str(q->document, "engine");
    const bool any = !strcmp(engine, "any");
    const struct fb_engine_asked asked = {.design = design->name,
                                          .bits_per_key = 10,
                                          .level_bits = allocation == FB_ALLOC_UNIFORM     ? NULL
                                                        : allocation == FB_ALLOC_DROP_LAST ? dropped
                                                                                           : split,
                                          .n_levels = 3};
    bool offered = any && q->all_designs;
    json_auto_t *all = offered ? NULL : fb_engine_words(&asked);
    FB_EACH(each, all) {
        if (any || !strcmp(fb_json_str(each, "engine"), engine))
            offered = offered || json_is_string(json_object_get(each, "text"));
    }
    return offered;
}

static enum fb_err make_curve(void *arg, size_t i)
{
    struct fb_question *q = arg;
    const struct fb_design *design = fb_design_at(i);
    double request, taken;
    const char *why;
    if (!fb_json_lists(json_object_get(q->document, "designs"), design->name) ||
        fb_question_excludes(q, design))
        return FB_OK;
    enum fb_err err =
        fb_outlook_request(fb_question_curves(q, design), q->unit_keys, 1, &request, &taken, &why);
    return fb_err_refuses(err) ? FB_OK : err;
}

enum fb_err fb_question_make_curves(struct fb_question *q)
{
    bool complete;
    return fb_parallel_for(fb_n_designs(), 0, make_curve, q, &complete);
}

double fb_question_first_bits(const struct fb_question *q)
{
    return q->most_bits > 0 ? fmin(q->most_bits, 10) : 10;
}

/* ---- With the keys ---- */

static struct fb_tree_shape shape_of(const struct fb_question *q, struct fb_given_run *given)
{
    const json_t *d = q->document, *runs = json_object_get(d, "run_bytes");
    struct fb_tree_shape shape = {
        .style = (enum fb_style)fb_word_find(fb_styles, fb_json_str(d, "style")),
        .n_keys = q->n,
        .key_bytes = q->key_bytes,
        .value_bytes = fb_json_num(d, "value_bytes"),
        .entry_overhead = 8,
        .segment_bytes = fb_json_uint(d, "segment_bytes"),
        .ratio = fb_json_num(d, "ratio"),
        .levels = (unsigned)fb_json_uint(d, "levels"),
        .l0 = (unsigned)fb_json_uint(d, "l0"),
        .fill = 1,
        .size_ratio = 1,
        .scale = 1,
        .given = given,
    };
    double bytes = 0;
    FB_EACH(run, runs)
        bytes += fb_json_num(run, "bytes");
    /* Of a given number of keys each run has its part, however long its entries are. */
    const double entry = q->n ? bytes / (double)q->n : fb_tree_entry_bytes(&shape);
    FB_EACH_AT(i, run, runs) {
        const uint64_t keys = fb_json_uint(run, "keys");
        const double guess = fb_json_num(run, "bytes") / entry;
        if (i < FB_MAX_RUNS)
            given[i] = (struct fb_given_run){keys ? keys : fb_max_u64(1, (uint64_t)guess),
                                             (unsigned)fb_json_uint(run, "level"),
                                             fb_json_uint(run, "files")};
    }
    shape.n_given = json_array_size(runs);
    return shape;
}

/* The runs; segments stay as large as they are where runs are smaller than their levels hold. */
static void take_runs(struct fb_question *q, const struct fb_tree_plan *plan, uint64_t segment)
{
    q->n = plan->n_keys;
    q->n_runs = plan->n_runs;
    q->n_levels = plan->n_levels;
    uint64_t largest = 0;
    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct fb_run_plan *run = &plan->run[i];
        const uint64_t files = run->segments ? run->segments : fb_divide_up(run->n_own, segment);
        q->files[i] = run->segments;
        q->level[i] = run->level;
        q->runs[i] = (struct fb_outlook_run){
            .keys = run->n_own,
            .unit_keys = fb_divide_up(run->n_own, files),
            .pi = (double)run->n_own / (double)plan->n_keys,
            .last = run->level == plan->run[plan->n_runs - 1].level,
        };
        if (run->n_own > largest) {
            largest = run->n_own;
            q->unit_keys = q->runs[i].unit_keys;
        }
    }
}

static bool fill_tree(struct fb_question *q, struct fb_problem *problem)
{
    struct fb_given_run *given = calloc(FB_MAX_RUNS, sizeof *given);
    struct fb_tree_plan *plan = calloc(1, sizeof *plan);
    const char *why = fb_err_text(FB_ENOMEM);
    bool filled = false;
    if (given && plan) {
        const struct fb_tree_shape shape = shape_of(q, given);
        filled = !fb_tree_plan(&shape, q->n, plan, &why);
        if (filled)
            take_runs(q, plan,
                      fb_max_u64(1, (uint64_t)((double)shape.segment_bytes /
                                               fb_tree_entry_bytes(&shape))));
    }
    free(given);
    free(plan);
    return filled || fb_refuse(problem, "%s", why);
}

static bool fill_memory(struct fb_question *q, struct fb_problem *problem)
{
    const uint64_t memory = fb_json_uint(q->document, "memory");
    uint64_t least = 0;
    for (size_t i = 0; i < q->n_runs; i++)
        least += fb_divide_up(q->runs[i].keys, q->runs[i].unit_keys) * LEAST_FILTER_BYTES;
    if (memory && memory < least)
        return fb_refuse(problem,
                         "memory: %llu bytes are less than a block of %d for each filter of the "
                         "tree; give at least %llu",
                         (unsigned long long)memory, LEAST_FILTER_BYTES, (unsigned long long)least);
    q->most_bits = memory ? fmin(8 * (double)memory / (double)q->n, FB_CURVE_MAX_BITS)
                          : fb_json_num(q->document, "bits_per_key");
    return true;
}

bool fb_question_fill(struct fb_question *q, const json_t *about, struct fb_problem *problem)
{
    const uint64_t distinct = fb_json_uint(about, "given") - fb_json_uint(about, "dropped");
    const char *keys = fb_json_str(q->document, "keys"), *why;
    struct fb_keygen keygen;
    q->sample = q->file ? distinct / 2 : 0;
    q->n = fb_json_uint(q->document, "n");
    q->key_bytes = fb_json_num(q->document, "key_bytes");
    if (q->file && !json_is_object(about))
        return fb_refuse(problem, "keys: the question is about \"file\"; give it with --keys FILE");
    if (q->file && !q->n && !json_array_size(json_object_get(q->document, "run_bytes")))
        q->n = q->sample;
    if (q->key_bytes == 0 && q->file)
        q->key_bytes = (double)fb_json_uint(about, "bytes") / (double)distinct;
    else if (q->key_bytes == 0 && fb_keygen_parse(keys, &keygen, &why))
        q->key_bytes = fb_keygen_mean_bytes(&keygen);
    if (!fill_tree(q, problem) || !fill_memory(q, problem))
        return false;
    const bool whole = !q->file || q->n <= q->sample;
    q->n_measured = fb_min_u64(q->n, fb_max_u64(most_measured, q->n_runs));
    if (whole)
        snprintf(q->keys, sizeof q->keys, "%s", keys);
    else
        snprintf(q->keys, sizeof q->keys, "bin:%.0f", fmin(fmax(rint(q->key_bytes), 8), 1024));
    return true;
}

/* ---- Asked again ---- */

/* Fields that no measurement depends on. */
static const char *const inputs[] = {"absent",
                                     "absent_low",
                                     "absent_high",
                                     "device",
                                     "engine_base_ns",
                                     "engine_checks",
                                     "engine_read_low_ns",
                                     "engine_read_high_ns",
                                     "costs_from",
                                     "bits_per_key",
                                     "memory",
                                     "memory_price",
                                     "memory_dollars",
                                     "read_dollars",
                                     "query_rate",
                                     "from",
                                     "from_bits",
                                     "from_split",
                                     NULL};

bool fb_question_again(const struct fb_question *q, const json_t *document, struct fb_question *out,
                       struct fb_problem *problem)
{
    const json_t *given = json_object_get(document, "inputs");
    json_auto_t *fields = json_deep_copy(q->document);
    json_object_update(fields, (json_t *)given);
    bool known = fb_question_resolve(fields, out, problem);
    FB_EACH_MEMBER(name, value, given) {
        bool listed = false;
        for (const char *const *input = inputs; *input; input++)
            listed = listed || !strcmp(*input, name);
        if (known && !listed)
            known = fb_refuse(problem, "inputs: %.40s: what was measured depends on it; ask anew",
                              name);
    }
    known = known && fb_question_fill(out, json_object_get(document, "key_file"), problem);
    if (known && fb_device_folder(fb_json_str(out->document, "device")) &&
        json_object_get(given, "device"))
        known = fb_refuse(problem, "inputs: device: nothing is measured again; give a time, 50us");
    return known;
}

bool fb_question_inputs(const struct fb_question *q, const json_t *document, struct fb_inputs *in)
{
    const double month_s = 365.25 / 12 * 86400;
    const json_t *d = q->document;
    const char *name = fb_json_str(d, "device"), *why;
    struct fb_device device;
    *in = (struct fb_inputs){.absent = q->absent,
                             .low = q->low,
                             .high = q->high,
                             .most_bytes =
                                 q->most_bits > 0 ? q->most_bits / 8 * (double)q->n : INFINITY,
                             .price = fb_json_num(d, "memory_price")};
    const json_t *devices = fb_json_at(document, "parts.survey.devices");
    in->read_ns = fb_json_num(json_array_get(devices, 0), "read_ns");
    if (!fb_device_folder(name) && fb_device_parse(name, &device, &why)) {
        in->read_ns = device.read_ns;
        fb_device_close(&device);
    }
    const double assumed = fb_device_is_assumed(name) ? 2 : 1, /* half to twice as long */
        low = fb_json_num(d, "engine_read_low_ns"), high = fb_json_num(d, "engine_read_high_ns");
    in->read_low = low > 0 && low < in->read_ns ? low : in->read_ns / assumed;
    in->read_high = high > in->read_ns ? high : in->read_ns * assumed;
    /* Dollars for a byte and a query, over dollars for a nanosecond of reading. */
    if (q->dollars)
        in->price_per_ns = fb_json_num(d, "memory_dollars") * 1e-9 /
                           (fb_json_num(d, "query_rate") * month_s) /
                           fb_json_num(d, "read_dollars");
    return in->read_ns > 0;
}
