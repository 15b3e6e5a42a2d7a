#include "harness/kind/claims/procedure/arguments.h"

#include <stdlib.h>
#include <string.h>

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

json_t *fb_arg_over(const json_t *args)
{
    json_t *over = json_deep_copy(args);
    json_object_update_recursive(over, json_object_get(args, "over"));
    return over;
}
