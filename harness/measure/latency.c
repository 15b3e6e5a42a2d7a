#include "harness/measure/latency.h"

#include <math.h>
#include <string.h>

#include "harness/base/json.h"

const char *const fb_latency_names[FB_N_LATENCIES] = {"batch64_mean", "single_op_gross",
                                                      "timer_empty"};

json_t *fb_latency_json(const struct fb_histogram *h, const char *kind, double quantum_ns)
{
    static const struct {
        const char *name;
        double q;
    } percentiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}};
    const bool batch = !strcmp(kind, fb_latency_names[FB_BATCH64_MEAN]);
    const double least_ps = 5e3 * quantum_ns / (batch ? FB_LATENCY_BATCH : 1);
    json_t *shown = json_object(), *bins = json_array();
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        uint64_t ps = fb_histogram_quantile(h, percentiles[i].q);
        bool few = fb_histogram_beyond(h, percentiles[i].q) < 100, low = (double)ps < least_ps;
        fb_json_known(shown, percentiles[i].name, few || low ? NULL : fb_json_int(ps),
                      few ? "fewer than 100 samples beyond" : "below five timer quanta");
    }
    for (unsigned bin = 0; bin < FB_HISTOGRAM_BINS; bin++)
        if (h->count[bin])
            json_array_append_new(bins, json_pack("[o, o]", fb_json_int(fb_histogram_low(bin)),
                                                  fb_json_int(h->count[bin])));
    json_t *j =
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "kind", kind, "unit", "ps", "count",
                  fb_json_int(h->n), "min", fb_json_int(h->min_ps), "max", fb_json_int(h->max_ps));
    fb_json_real(j, "mean", h->n ? h->sum_ps / (double)h->n : NAN, "no samples");
    json_object_set_new(j, "percentiles", shown);
    json_object_set_new(j, "bins", bins);
    return j;
}

bool fb_latency_read(const json_t *json, struct fb_histogram *out)
{
    memset(out, 0, sizeof *out);
    FB_EACH(pair, json_object_get(json, "bins")) {
        json_int_t low = json_integer_value(json_array_get(pair, 0));
        json_int_t times = json_integer_value(json_array_get(pair, 1));
        if (!json_is_integer(json_array_get(pair, 0)) || low < 0 || times < 1)
            return false;
        unsigned bin = fb_histogram_bin((uint64_t)low);
        fb_histogram_add(out, fb_histogram_middle(bin), (uint64_t)times);
    }
    out->min_ps = fb_json_uint(json, "min");
    out->max_ps = fb_json_uint(json, "max");
    return out->n > 0;
}
