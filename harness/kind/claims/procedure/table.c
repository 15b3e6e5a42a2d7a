#include "harness/kind/claims/procedure/table.h"

#include <math.h>
#include <string.h>

const struct fb_procedure *const fb_procedure_tables[] = {
    fb_rate_procedures,   fb_bits_procedures,    fb_bytes_procedures,     fb_size_procedures,
    fb_closed_procedures, fb_built_procedures,   fb_build_procedures,     fb_full_procedures,
    fb_block_procedures,  fb_load_procedures,    fb_probe_procedures,     fb_hash_procedures,
    fb_answer_procedures, fb_formula_procedures, fb_cost_procedures,      fb_time_procedures,
    fb_tree_procedures,   fb_walk_procedures,    fb_walk_time_procedures, fb_prefix_procedures,
    fb_replay_procedures, fb_thread_procedures,  fb_cache_procedures,     NULL};

const struct fb_procedure *fb_procedure_find(const char *name)
{
    for (const struct fb_procedure *const *table = fb_procedure_tables; *table; table++)
        for (const struct fb_procedure *p = *table; p->name; p++)
            if (!strcmp(p->name, name))
                return p;
    return NULL;
}

enum fb_nature fb_procedure_nature(const char *name)
{
    const struct fb_procedure *procedure = name ? fb_procedure_find(name) : NULL;
    return procedure ? procedure->nature : FB_COUNTED;
}

bool fb_procedure_is_timed(const char *name)
{
    enum fb_nature nature = fb_procedure_nature(name);
    return nature == FB_TIMED || nature == FB_MACHINE_ONLY;
}

enum fb_err fb_procedure_run(const char *name, struct fb_bench *bench, const json_t *args,
                             struct fb_finding *out)
{
    const struct fb_procedure *procedure = fb_procedure_find(name);
    *out = (struct fb_finding){.tolerance = NAN, .p = NAN};
    bench->err = FB_OK;
    bench->why[0] = 0;
    bench->taken = 0;
    if (bench->phase == FB_MEASURE)
        json_array_clear(bench->facts);
    if (!procedure)
        return fb_bench_fail(bench, FB_EINVAL, "no procedure '%s'", name);
    procedure->run(bench, args, out);
    if (bench->phase == FB_DERIVE && bench->taken != json_array_size(bench->facts))
        fb_bench_fail(bench, FB_EINVAL, "facts: %zu records, where %zu are counted",
                      json_array_size(bench->facts), bench->taken);
    return bench->err;
}
