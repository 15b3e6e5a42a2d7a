/* What a query costs, and which part of it is the largest. */
#include "harness/kind/lsm/report/report.h"

#include <math.h>
#include <string.h>

const char *fb_lsm_footprint(double bytes, const json_t *caches)
{
    if (bytes <= fb_json_num(caches, "l1d_bytes"))
        return "L1";
    if (bytes <= fb_json_num(caches, "l2_bytes"))
        return "L2";
    return bytes <= fb_json_num(caches, "l3_bytes") ? "L3" : "DRAM";
}

static const json_t *lookup_named(const json_t *cell, const char *name)
{
    size_t i;
    json_t *each;
    json_array_foreach(json_object_get(cell, "lookups"), i, each) {
        if (!strcmp(fb_json_str(each, "lookup"), name))
            return each;
    }
    return NULL;
}

double fb_lsm_hash_ns(const json_t *cell)
{
    const json_t *rehash = lookup_named(cell, "rehash-each");
    const json_t *shared = lookup_named(cell, "shared-digest");
    double more = fb_json_num(rehash, "digests") - fb_json_num(shared, "digests");
    double ns = fb_json_num(rehash, "time.median") - fb_json_num(shared, "time.median");
    return more > 0.5 ? fmax(0, ns) / more : NAN;
}

/* {hash, walk, probe}, which add up to the median; hash stays in probe where it is not known. */
static json_t *parts_json(const json_t *cell, const json_t *lookup, double each_hash)
{
    static const char *const unknown = "not told apart from asking: needs rehash-each and "
                                       "shared-digest over two filters or more";
    double total = fb_json_num(lookup, "time.median");
    double walk = fmin(total, fb_json_num(cell, "control.median"));
    double hash = fmin(each_hash * fb_json_num(lookup, "digests"), total - walk);
    json_t *parts = json_object();
    fb_json_real(parts, "walk_ns", walk, "the control was not measured");
    fb_json_real(parts, "hash_ns", isfinite(each_hash) ? hash : NAN, unknown);
    fb_json_real(parts, "probe_ns",
                 total - (isfinite(walk) ? walk : 0) - (isfinite(each_hash) ? hash : 0),
                 "not measured");
    return parts;
}

/* The largest part; asking is bound by memory where the filters are larger than L2. */
static const char *bound_of(const json_t *parts, const char *footprint, double io_ns)
{
    bool beyond = !strcmp(footprint, "L3") || !strcmp(footprint, "DRAM");
    const char *probe = json_is_null(json_object_get(parts, "hash_ns")) ? "hash or probe"
                        : beyond                                        ? "memory"
                                                                        : "probe";
    const struct {
        const char *name;
        double ns;
    } all[] = {{"disk", io_ns},
               {probe, fb_json_num(parts, "probe_ns")},
               {"hash", fb_json_num(parts, "hash_ns")},
               {"walk", fb_json_num(parts, "walk_ns")}};
    size_t most = 0;
    for (size_t i = 1; i < sizeof all / sizeof *all; i++)
        if (all[i].ns > all[most].ns)
            most = i;
    return all[most].name;
}

/* ---- Costs ---- */

/* {io_ns, cost_ns, low, high}: CPU time and reads, their errors independent. */
static json_t *cost_json(const json_t *cell, const json_t *time, const json_t *device)
{
    double read_ns = fb_json_num(device, "read_ns"), per_s = fb_json_num(device, "bytes_per_s");
    double io = fb_json_num(cell, "reads.io"), cpu = time ? fb_json_num(time, "median") : 0;
    double beyond =
        fmax(0, fb_json_num(cell, "reads.bytes") - io * fb_json_num(device, "block_bytes"));
    double io_ns = io * read_ns + (per_s > 0 ? beyond / per_s * 1e9 : 0);
    double scale = io > 0 ? io_ns / io : read_ns;
    double below = (io - fb_json_num(cell, "reads.io_ci95.low")) * scale;
    double above = (fb_json_num(cell, "reads.io_ci95.high") - io) * scale;
    double cpu_below = time ? cpu - fb_json_num(time, "ci95.low") : 0;
    double cpu_above = time ? fb_json_num(time, "ci95.high") - cpu : 0;
    static const char *const few = "too few processes";
    json_t *cost = json_object();
    fb_json_real(cost, "io_ns", io_ns, "no queries");
    fb_json_real(cost, "cost_ns", cpu + io_ns, "no queries");
    fb_json_real(cost, "low", fmax(0, cpu + io_ns - hypot(below, cpu_below)), few);
    fb_json_real(cost, "high", cpu + io_ns + hypot(above, cpu_above), few);
    return cost;
}

json_t *fb_lsm_costs(const json_t *cell, const json_t *time, const json_t *devices)
{
    json_t *costs = json_object(), *device;
    size_t i;
    json_array_foreach((json_t *)devices, i, device)
        json_object_set_new(costs, fb_json_str(device, "name"), cost_json(cell, time, device));
    return costs;
}

void fb_lsm_price(const json_t *cell, json_t *lookup, double each_hash, const json_t *devices)
{
    const json_t *chosen = json_array_get(devices, 0);
    json_t *time = json_object_get(lookup, "time");
    json_t *parts = parts_json(cell, lookup, each_hash), *costs = fb_lsm_costs(cell, time, devices);
    double io_ns = fb_json_num(json_object_get(costs, fb_json_str(chosen, "name")), "io_ns");
    json_object_set_new(lookup, "bound",
                        json_string(bound_of(parts, fb_json_str(cell, "memory.footprint"), io_ns)));
    json_object_set_new(lookup, "parts", parts);
    json_object_set_new(lookup, "costs", costs);
}
