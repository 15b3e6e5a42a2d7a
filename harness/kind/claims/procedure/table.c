#include "harness/kind/claims/procedure/procedure.h"

#include <math.h>

#include "harness/base/message.h"

const struct fb_procedure fb_procedures[] = {
#define PROCEDURE(text, name, nature) {text, fb_procedure_##name, nature},
#include "harness/kind/claims/procedure/procedures.def"
#undef PROCEDURE
    {0},
};

const struct fb_procedure *fb_procedure_find(const char *name)
{
    return fb_named(name, fb_procedures, sizeof *fb_procedures);
}

enum fb_nature fb_procedure_nature(const char *name)
{
    const struct fb_procedure *procedure = name ? fb_procedure_find(name) : NULL;
    return procedure ? procedure->nature : FB_COUNTED;
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
