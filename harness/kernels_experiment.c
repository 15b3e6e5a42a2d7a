/* Experiments of kind "kernels": their fields. */
#include <stdlib.h>
#include <string.h>

#include "harness/experiment_fields.h"
#include "harness/kernels.h"
#include "harness/noise.h"

static json_t *read_kind(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    const char *kind = json_string_value(given);
    return kind && !strcmp(kind, "kernels") ? json_string(kind)
                                            : fb_reject_value(problem, f, path, given);
}

/* One of names [ends with NULL], or `all` for every one of them. */
static json_t *read_one_of(struct fb_problem *problem, const char *what, const char *path,
                           const json_t *given, const char **names, bool all)
{
    const char *name = json_string_value(given);
    char list[200] = "";
    if (name && all && !strcmp(name, "all")) {
        json_t *every = json_array();
        for (; *names; names++)
            json_array_append_new(every, json_string(*names));
        return every;
    }
    for (size_t i = 0; names[i]; i++) {
        size_t used = strlen(list);
        if (name && !strcmp(name, names[i]))
            return json_string(name);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    if (name)
        fb_refuse(problem, "%s: no %s '%.60s'; give %s%s", path, what, name,
                  all ? "all, or of " : "", list);
    else
        fb_refuse(problem, "%s: give the name of a kind of %s: %s", path, what, list);
    return NULL;
}

static json_t *read_footprint(struct fb_problem *problem, const struct fb_field *f,
                              const char *path, const json_t *given)
{
    const char *names[FB_N_FOOTPRINTS + 1] = {0};
    (void)f;
    for (int i = 0; i < FB_N_FOOTPRINTS; i++)
        names[i] = fb_footprint_name((enum fb_footprint)i);
    return read_one_of(problem, "footprint", path, given, names, true);
}

static json_t *read_footprints(struct fb_problem *problem, const struct fb_field *f,
                               const char *path, const json_t *given)
{
    return fb_read_list(problem, f, path, given, read_footprint);
}

static json_t *read_operation(struct fb_problem *problem, const struct fb_field *f,
                              const char *path, const json_t *given)
{
    const char *names[FB_OP_PLAIN + 1] = {0};
    (void)f;
    for (int i = 0; i < FB_OP_PLAIN; i++)
        names[i] = fb_operation_name((enum fb_operation)i);
    return read_one_of(problem, "operation", path, given, names, true);
}

static json_t *read_operations(struct fb_problem *problem, const struct fb_field *f,
                               const char *path, const json_t *given)
{
    return fb_read_list(problem, f, path, given, read_operation);
}

static json_t *read_isa(struct fb_problem *problem, const struct fb_field *f, const char *path,
                        const json_t *given)
{
    const char *names[FB_N_ISAS + 3] = {"best", "all"};
    (void)f;
    for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++)
        names[1 + isa] = fb_isa_name((enum fb_isa)isa);
    return read_one_of(problem, "instruction set", path, given, names, false);
}

static json_t *read_isas(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    return fb_read_list(problem, f, path, given, read_isa);
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
    return read_one_of(problem, "style of kernels", path, given, names, false);
}

static json_t *read_styles(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    return fb_read_list(problem, f, path, given, read_style);
}

/* One number; -b gives a list. */
static json_t *read_bits(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    bool listed = json_array_size(given) == 1;
    return fb_read_real(problem, f, path, listed ? json_array_get(given, 0) : given);
}

static json_t *read_flag(struct fb_problem *problem, const struct fb_field *f, const char *path,
                         const json_t *given)
{
    return json_is_boolean(given) ? json_boolean(json_is_true(given))
                                  : fb_reject_value(problem, f, path, given);
}

static json_t *read_cpu(struct fb_problem *problem, const struct fb_field *f, const char *path,
                        const json_t *given)
{
    const char *name = json_string_value(given);
    if (name && (!strcmp(name, "auto") || !strcmp(name, "none")))
        return json_string(name);
    return fb_read_count(problem, f, path, given);
}

const struct fb_field fb_kernels_fields[] = {
    {.name = "name",
     .fallback = "\"kernels\"",
     .read = fb_read_name,
     .low = 1,
     .high = 80,
     .prose = true,
     .accepted = "up to 80 letters, digits, '-', '_' and '.', not starting with '.'"},
    {.name = "summary",
     .fallback = "\"\"",
     .read = fb_read_text,
     .high = 1000,
     .prose = true,
     .accepted = "a text of up to 1000 bytes"},
    {.name = "source",
     .fallback = "\"\"",
     .read = fb_read_text,
     .high = 1000,
     .prose = true,
     .accepted = "a text of up to 1000 bytes"},
    {.name = "runtime",
     .fallback = "\"\"",
     .read = fb_read_text,
     .high = 1000,
     .prose = true,
     .accepted = "a text of up to 1000 bytes"},
    {.name = "kind", .fallback = "\"kernels\"", .read = read_kind, .accepted = "\"kernels\""},
    {.name = "designs", .fallback = "[\"filters\"]", .read = fb_read_designs},
    {.name = "bits_per_key",
     .fallback = "10",
     .read = read_bits,
     .low = 1,
     .high = 100,
     .accepted = "a number from 1 to 100"},
    {.name = "footprints", .fallback = "[\"all\"]", .read = read_footprints},
    {.name = "most_bytes",
     .fallback = "0",
     .read = fb_read_count,
     .high = 1e15,
     .accepted = "a count of bytes, or 0 for no bound"},
    {.name = "operations", .fallback = "[\"batch\", \"insert\"]", .read = read_operations},
    {.name = "hit_ratios",
     .fallback = "[0]",
     .read = fb_read_reals,
     .low = 0,
     .high = 1,
     .accepted = "a share of present keys from 0 to 1"},
    {.name = "isas", .fallback = "[\"best\"]", .read = read_isas},
    {.name = "styles", .fallback = "[\"best\"]", .read = read_styles},
    {.name = "rounds",
     .fallback = "3",
     .read = fb_read_count,
     .low = 1,
     .high = 1000,
     .accepted = "a count from 1 to 1000"},
    {.name = "min_processes",
     .fallback = "6",
     .read = fb_read_count,
     .low = 1,
     .high = FB_PAIRED_MAX,
     .accepted = "a count from 1 to 64; below 6 there is no 95 % interval"},
    {.name = "max_processes",
     .fallback = "48",
     .read = fb_read_count,
     .low = 1,
     .high = FB_PAIRED_MAX,
     .accepted = "a count from 1 to 64"},
    {.name = "precision",
     .fallback = "0.01",
     .read = fb_read_real,
     .low = 0,
     .high = 1,
     .accepted = "a number from 0 to 1 (0.01: intervals of +-1 %)"},
    {.name = "budget",
     .fallback = "120",
     .read = fb_read_real,
     .low = 0,
     .high = 1e6,
     .accepted = "seconds from 0 to 1000000"},
    {.name = "huge_pages", .fallback = "false", .read = read_flag, .accepted = "true or false"},
    {.name = "cpu",
     .fallback = "\"auto\"",
     .read = read_cpu,
     .high = 4095,
     .accepted = "auto, none, or the number of a processor"},
    {.name = "histograms", .fallback = "false", .read = read_flag, .accepted = "true or false"},
    {.name = "seed",
     .fallback = "\"0x5eed\"",
     .read = fb_read_seed,
     .accepted = "up to 16 hexadecimal digits as a string, \"0x5eed\""},
    {0},
};

static bool contains(const json_t *list, const char *name)
{
    size_t i;
    json_t *each;
    json_array_foreach(list, i, each)
    {
        if (!strcmp(json_string_value(each), name))
            return true;
    }
    return false;
}

static size_t count_of(const json_t *document, const char *name)
{
    return (size_t)json_integer_value(json_object_get(document, name));
}

static double real_of(const json_t *document, const char *name)
{
    return json_number_value(json_object_get(document, name));
}

static void load(struct fb_kernels *e)
{
    const json_t *doc = e->document, *designs = json_object_get(doc, "designs");
    const json_t *hits = json_object_get(doc, "hit_ratios"), *cpu = json_object_get(doc, "cpu");
    const char *cpu_name = json_string_value(cpu);
    e->name = json_string_value(json_object_get(doc, "name"));
    e->n_designs = json_array_size(designs);
    for (size_t i = 0; i < e->n_designs; i++)
        e->designs[i] = fb_design_find(json_string_value(json_array_get(designs, i)));
    e->n_hit_ratios = json_array_size(hits);
    for (size_t i = 0; i < e->n_hit_ratios; i++)
        e->hit_ratio[i] = json_number_value(json_array_get(hits, i));
    for (int i = 0; i < FB_OP_PLAIN; i++)
        e->operation[i] =
            contains(json_object_get(doc, "operations"), fb_operation_name((enum fb_operation)i));
    for (int i = 0; i < FB_N_FOOTPRINTS; i++)
        e->footprint[i] =
            contains(json_object_get(doc, "footprints"), fb_footprint_name((enum fb_footprint)i));
    e->bits_per_key = real_of(doc, "bits_per_key");
    e->most_bytes = count_of(doc, "most_bytes");
    e->budget_s = real_of(doc, "budget");
    e->histograms = json_is_true(json_object_get(doc, "histograms"));
    e->options = (struct fb_timing_options){
        .rounds = count_of(doc, "rounds"),
        .min_processes = count_of(doc, "min_processes"),
        .max_processes = count_of(doc, "max_processes"),
        .precision = real_of(doc, "precision"),
        .seed = strtoull(json_string_value(json_object_get(doc, "seed")), NULL, 16),
        .min_batch_ns = 1e6,
        .cpu = !cpu_name          ? (int)json_integer_value(cpu)
               : *cpu_name == 'a' ? FB_CPU_AUTO
                                  : FB_CPU_NONE,
        .huge_pages = json_is_true(json_object_get(doc, "huge_pages")),
    };
}

bool fb_kernels_resolve(const json_t *document, struct fb_kernels *out, struct fb_problem *problem)
{
    const size_t most_hits = sizeof out->hit_ratio / sizeof *out->hit_ratio;
    memset(out, 0, sizeof *out);
    fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    out->document = fb_fields_resolve(fb_kernels_fields, document, problem);
    if (!out->document)
        return false;
    if (json_array_size(json_object_get(out->document, "hit_ratios")) > most_hits)
        return fb_refuse(problem, "hit_ratios: give at most %zu", most_hits);
    if (count_of(out->document, "max_processes") < count_of(out->document, "min_processes"))
        return fb_refuse(problem, "max_processes: below min_processes; give a count from %zu to 64",
                         count_of(out->document, "min_processes"));
    out->designs = calloc(json_array_size(json_object_get(out->document, "designs")) + 1,
                          sizeof *out->designs);
    if (!out->designs)
        return false;
    load(out);
    return fb_experiment_hash(out->document, out->hash_hex);
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
            snprintf(here + strlen(here), sizeof here - strlen(here), ", %s",
                     fb_isa_name((enum fb_isa)isa));
    for (int isa = FB_ISA_SCALAR; isa < FB_N_ISAS; isa++) {
        const char *name = fb_isa_name((enum fb_isa)isa);
        if (contains(isas, name) && !fb_cpu_has((enum fb_isa)isa))
            return fb_refuse(problem,
                             "isas: this machine does not run %s, or FB_DISABLE_ISA masks it; give "
                             "best, all%s",
                             name, here);
    }
    if (e->options.cpu >= 0 && !fb_cpu_usable(e->options.cpu))
        return fb_refuse(problem,
                         "cpu: this process may not run on processor %d; give auto, none, "
                         "or one that it may run on",
                         e->options.cpu);
    return true;
}

static void set(json_t *document, const char *field, const char *value)
{
    json_object_set_new(document, field, json_loads(value, JSON_DECODE_ANY, NULL));
}

void fb_kernels_quick(json_t *document)
{
    set(document, "footprints", "[\"L1\", \"L2\", \"L3\"]");
    set(document, "most_bytes", "8000000"); /* what is larger takes longer to build */
    set(document, "rounds", "1");
    set(document, "min_processes", "6");
    set(document, "max_processes", "6");
    set(document, "budget", "15");
}

void fb_kernels_full(json_t *document)
{
    set(document, "footprints", "[\"all\"]");
    set(document, "operations", "[\"all\"]");
    set(document, "hit_ratios", "[0, 0.02, 0.5, 0.98, 1]");
    set(document, "isas", "[\"all\"]");
    set(document, "styles", "[\"all\"]");
    set(document, "budget", "900");
}
