#include "harness/kind/claims/procedure/procedure.h"

static json_t *noted(const struct fb_fact *fact)
{
    if (!fact->n)
        return fb_json_int(*fact->value);
    json_t *list = json_array();
    for (size_t i = 0; i < fact->n; i++)
        json_array_append_new(list, fb_json_int(fact->value[i]));
    return list;
}

static bool take(const json_t *json, uint64_t *value)
{
    *value = json_is_integer(json) ? (uint64_t)json_integer_value(json) : 0;
    return json_is_integer(json) && json_integer_value(json) >= 0;
}

static bool taken(const json_t *json, const struct fb_fact *fact)
{
    if (!fact->n)
        return take(json, fact->value);
    bool all = json_array_size(json) == fact->n;
    for (size_t i = 0; i < fact->n; i++)
        all &= take(json_array_get(json, i), &fact->value[i]);
    return all;
}

void fb_bench_facts(struct fb_bench *bench, const struct fb_fact *facts)
{
    const size_t number = bench->taken++;
    size_t n = 0;
    if (bench->err || bench->phase == FB_PREDICT)
        return;
    json_t *record =
        bench->phase == FB_MEASURE ? json_object() : json_array_get(bench->facts, number);
    for (; facts[n].name; n++)
        if (bench->phase == FB_MEASURE)
            json_object_set_new(record, facts[n].name, noted(&facts[n]));
        else if (!taken(json_object_get(record, facts[n].name), &facts[n]))
            fb_bench_fail(bench, FB_EINVAL, "facts: record %zu lacks '%s'", number, facts[n].name);
    if (bench->phase == FB_MEASURE)
        json_array_append_new(bench->facts, record);
    else if (json_object_size(record) != n)
        fb_bench_fail(bench, FB_EINVAL, "facts: record %zu says more than was counted", number);
}
