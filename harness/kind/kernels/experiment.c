/* Experiments of kind "kernels": from a document to what is measured. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/document/fields.h"
#include "harness/kind/kernels/kernels.h"

/* Not too many, as fb_kernels_resolve has made sure. */
static size_t reals_of(const json_t *document, const char *name, double *out)
{
    const json_t *list = json_object_get(document, name);
    for (size_t i = 0; i < json_array_size(list); i++)
        out[i] = json_number_value(json_array_get(list, i));
    return json_array_size(list);
}

static int ascending(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* The numbers of threads, from 1 up, each once. False: too many. */
static bool load_threads(const json_t *list, struct fb_timing_options *o)
{
    unsigned all[2 * FB_SCALING_MOST + 1] = {1};
    size_t n = 1;
    if (json_array_size(list) > FB_SCALING_MOST)
        return false;
    FB_EACH(each, list) {
        if (json_is_string(each))
            n += fb_scaling_cores(all + n);
        else
            all[n++] = (unsigned)json_integer_value(each);
    }
    qsort(all, n, sizeof *all, ascending);
    o->n_threads = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || all[i] != all[i - 1]) {
            if (o->n_threads == FB_SCALING_MOST)
                return false;
            o->threads[o->n_threads++] = all[i];
        }
    return true;
}

static void load(struct fb_kernels *e)
{
    const json_t *doc = e->document, *designs = json_object_get(doc, "designs");
    const json_t *cpu = json_object_get(doc, "cpu");
    const char *cpu_name = json_string_value(cpu);
    e->name = json_string_value(json_object_get(doc, "name"));
    e->n_designs = json_array_size(designs);
    for (size_t i = 0; i < e->n_designs; i++)
        e->designs[i] = fb_design_find(json_string_value(json_array_get(designs, i)));
    e->n_hit_ratios = reals_of(doc, "hit_ratios", e->hit_ratio);
    e->n_loads = reals_of(doc, "loads", e->load);
    e->n_bits_per_key = reals_of(doc, "bits_per_key", e->bits_per_key);
    e->n_fpr = reals_of(doc, "fpr", e->fpr);
    for (int i = 0; i <= FB_OP_PLAIN; i++)
        e->operation[i] = fb_json_lists(json_object_get(doc, "operations"),
                                        fb_operation_name((enum fb_operation)i));
    for (int i = 0; i < FB_N_FOOTPRINTS; i++)
        e->footprint[i] = fb_json_lists(json_object_get(doc, "footprints"),
                                        fb_footprint_name((enum fb_footprint)i));
    e->n_runs = json_array_size(json_object_get(doc, "runs"));
    for (size_t i = 0; i < e->n_runs; i++)
        e->runs[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(doc, "runs"), i));
    e->most_bytes = fb_json_uint(doc, "most_bytes");
    e->budget_s = fb_json_num(doc, "budget");
    const json_t *threads = json_object_get(doc, "threads");
    e->scaling =
        json_array_size(threads) > 1 || json_integer_value(json_array_get(threads, 0)) != 1;
    e->histograms = json_is_true(json_object_get(doc, "histograms"));
    e->options.huge_pages = json_is_true(json_object_get(doc, "huge_pages"));
    e->options.group = (struct fb_group_options){
        .rounds = fb_json_uint(doc, "rounds"),
        .min_processes = fb_json_uint(doc, "min_processes"),
        .max_processes = fb_json_uint(doc, "max_processes"),
        .precision = fb_json_num(doc, "precision"),
        .seed = strtoull(json_string_value(json_object_get(doc, "seed")), NULL, 16),
        .min_batch_ns = 1e6,
        .cpu = !cpu_name          ? (int)json_integer_value(cpu)
               : *cpu_name == 'a' ? FB_CPU_AUTO
                                  : FB_CPU_NONE,
    };
}

static bool asks_walks(const json_t *document)
{
    const json_t *operations = json_object_get(document, "operations");
    return fb_json_lists(operations, fb_operation_name(FB_OP_WALK)) ||
           fb_json_lists(operations, fb_operation_name(FB_OP_WALK_BATCH));
}

bool fb_kernels_resolve(const json_t *document, struct fb_kernels *out, struct fb_problem *problem)
{
    static const char *const lists[] = {"hit_ratios", "bits_per_key", "fpr", "runs", "loads"};
    const size_t most = sizeof out->hit_ratio / sizeof *out->hit_ratio;
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_kernels_fields, document, problem);
    if (!out->document)
        return false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (json_array_size(json_object_get(out->document, lists[i])) > most)
            return fb_refuse(problem, "%s: the list is too long; give at most %zu values", lists[i],
                             most);
    if (!asks_walks(out->document))
        json_object_del(out->document, "runs");
    if (!json_array_size(json_object_get(out->document, "loads")))
        json_object_del(out->document, "loads");
    if (!json_array_size(json_object_get(out->document, "fpr")) &&
        !json_array_size(json_object_get(out->document, "bits_per_key")))
        json_object_set_new(out->document, "bits_per_key", json_pack("[i]", 10));
    if (fb_json_uint(out->document, "max_processes") < fb_json_uint(out->document, "min_processes"))
        return fb_refuse(problem, "max_processes: below min_processes; give a count from %zu to 64",
                         fb_json_uint(out->document, "min_processes"));
    out->shard = FB_WHOLE;
    out->designs = calloc(json_array_size(json_object_get(out->document, "designs")) + 1,
                          sizeof *out->designs);
    if (!out->designs)
        return false;
    load(out);
    if (!load_threads(json_object_get(out->document, "threads"), &out->options))
        return fb_refuse(problem, "threads: give at most %d different ones", FB_SCALING_MOST);
    return true;
}

void fb_kernels_close(struct fb_kernels *e)
{
    json_decref(e->document);
    free(e->designs);
    memset(e, 0, sizeof *e);
}

bool fb_kernels_can_run(const struct fb_kernels *e, struct fb_problem *problem)
{
    const json_t *isas = json_object_get(e->document, "isas");
    char here[80] = "";
    for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++)
        if (fb_cpu_has((enum fb_isa)isa))
            fb_append(here, sizeof here, ", %s", fb_isa_name((enum fb_isa)isa));
    for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++) {
        const char *name = fb_isa_name((enum fb_isa)isa);
        if (fb_json_lists(isas, name) && !fb_cpu_has((enum fb_isa)isa))
            return fb_refuse(problem,
                             "isas: this machine has no %s, or FB_DISABLE_ISA masks it; give best, "
                             "all%s",
                             name, here);
    }
    unsigned most = e->options.threads[e->options.n_threads - 1], cores = fb_parallel_cores();
    if (most > cores)
        return fb_refuse(
            problem,
            "threads: %u threads on %u cores would wait for each other; give counts up "
            "to %u, or cores",
            most, cores, cores);
    return true;
}
