#include "harness/kind/claims/procedure/procedure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/core/rng.h"

static const struct fb_procedure *const tables[] = {
    fb_judge_rates,     fb_judge_sizes,    fb_judge_blocks, fb_judge_loads, fb_judge_probes,
    fb_judge_hashes,    fb_judge_formulas, fb_judge_time,   fb_judge_trees, fb_judge_walk,
    fb_judge_walk_time, fb_judge_costs,    fb_judge_prefix};

const struct fb_procedure *fb_procedure_find(const char *name)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct fb_procedure *p = tables[t]; p->name; p++)
            if (!strcmp(p->name, name))
                return p;
    return NULL;
}

double fb_arg_number(const json_t *args, const char *key, double otherwise)
{
    const json_t *value = json_object_get(args, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

uint64_t fb_arg_count(const json_t *args, const char *key, uint64_t otherwise)
{
    const json_t *value = json_object_get(args, key);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : otherwise;
}

const char *fb_arg_text(const json_t *args, const char *key, const char *otherwise)
{
    const char *value = json_string_value(json_object_get(args, key));
    return value ? value : otherwise;
}

uint64_t fb_arg_hex(const json_t *args, const char *key)
{
    return strtoull(fb_arg_text(args, key, "0"), NULL, 16);
}

bool fb_arg_is(const json_t *args, const char *key, const char *text)
{
    return !strcmp(fb_arg_text(args, key, ""), text);
}

enum fb_err fb_bench_fail(struct fb_bench *bench, enum fb_err err, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(bench->why, sizeof bench->why, format, list);
    va_end(list);
    return err;
}

enum fb_err fb_arg_design(struct fb_bench *bench, const json_t *args, const char *key,
                          const struct fb_design **design)
{
    const char *name = fb_arg_text(args, key, "");
    *design = fb_design_find(name);
    return *design ? FB_OK : fb_bench_fail(bench, FB_EINVAL, "no design '%s'", name);
}

struct fb_params fb_arg_params(const json_t *args)
{
    return (struct fb_params){.bits_per_key = fb_arg_number(args, "bits_per_key", 0),
                              .fpr = fb_arg_number(args, "fpr", 0),
                              .probes = (uint32_t)fb_arg_count(args, "k", 0)};
}

void fb_find_interval(struct fb_finding *found, double theory, double measured, double low,
                      double high)
{
    size_t i = found->n++;
    found->theory[i] = theory;
    found->measured[i] = measured;
    found->low[i] = low;
    found->high[i] = high;
}

int fb_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

double fb_find_z(void)
{
    return fb_normal_quantile(1 - FB_FIND_TAIL);
}

void fb_find_normal(struct fb_finding *found, double theory, double measured, double se)
{
    double half = fb_find_z() * se;
    fb_find_interval(found, theory, measured, measured - half, measured + half);
}

void fb_find_exact(struct fb_finding *found, double theory, double measured)
{
    fb_find_interval(found, theory, measured, measured, measured);
    if (isnan(found->tolerance))
        found->tolerance = 0;
}

enum fb_err fb_bench_keys(const struct fb_bench *bench, uint64_t stream, uint64_t first, size_t n,
                          struct fb_keyset *out)
{
    return fb_keyset_generate(fb_keygen_find("random"),
                              fb_stream_key(bench->root, FB_DOMAIN_KEYS, stream), first, n, out);
}

enum fb_err fb_bench_filter(struct fb_bench *bench, const json_t *args, const char *design_key,
                            uint64_t n, struct fb_filter *out)
{
    const struct fb_design *design;
    struct fb_keyset set = {0};
    struct fb_params params = fb_arg_params(args);
    const char *why = NULL;
    memset(out, 0, sizeof *out);
    enum fb_err err = fb_arg_design(bench, args, design_key, &design);
    if (!n)
        params.capacity = fb_arg_count(args, "n", 1000);
    if (!err)
        err = fb_bench_keys(bench, 0, 0, n, &set);
    if (!err)
        err = fb_filter_build(design, NULL, &params, &set.keys, out, &why);
    if (err && design)
        fb_bench_fail(bench, err, "%s: %s", design->name, why ? why : fb_err_text(err));
    fb_keyset_close(&set);
    return err;
}
