#include "harness/store/query_latency.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "workloads/core/rng.h"

enum fb_err fb_query_total(const struct fb_query_class *classes, size_t n_classes,
                           const struct fb_device *device, uint64_t seed, struct fb_histogram *out)
{
    enum { MOST = 1 << 20 };
    const uint64_t stream = fb_stream_key(seed, FB_DOMAIN_DEVICE, UINT64_MAX);
    const struct fb_histogram *of = NULL;
    struct fb_draws *draws = NULL;
    uint64_t queries = 0, words = 0, up_to = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n_classes; i++) {
        queries += classes[i].queries;
        if (classes[i].queries && !classes[i].ns->n)
            return FB_EINVAL;
    }
    const uint64_t n = fb_min_u64(queries, MOST);
    for (uint64_t i = 0, number = 0; i < n; i++) {
        /* Query floor(i * queries / n) of those sorted by their class. */
        uint64_t query = (uint64_t)((double)i * ((double)queries / (double)n));
        while (number < n_classes - 1 && up_to + classes[number].queries <= query)
            up_to += classes[number++].queries;
        const struct fb_query_class *c = &classes[number];
        double ns = c->more_ns;
        if (of != c->ns) {
            free(draws);
            of = c->ns;
            draws = fb_draws_of(of);
            if (!draws)
                return FB_ENOMEM;
        }
        for (unsigned r = 0; r < c->reads; r++)
            ns += fb_device_draw_ns(device, fb_stream_word(stream, words++));
        const double ps = ns * 1e3 + (double)fb_draw(draws, fb_stream_word(stream, words++));
        fb_histogram_add(out, ps > 0 ? (uint64_t)ps : 0, 1);
    }
    free(draws);
    return n ? FB_OK : FB_EINVAL;
}

/* As fb_latency_json has it, and with p99_99. */
static json_t *to_json(const struct fb_histogram *h, const char *kind, double quantum_ns)
{
    json_t *j = fb_latency_json(h, kind, quantum_ns);
    bool enough = fb_histogram_beyond(h, 0.9999) >= 100;
    fb_json_known(json_object_get(j, "percentiles"), "p99_99",
                  enough ? fb_json_int(fb_histogram_quantile(h, 0.9999)) : NULL,
                  "fewer than 100 samples beyond");
    return j;
}

json_t *fb_query_histograms(const struct fb_latency *walk, double quantum_ns,
                            const struct fb_query_reads *reads)
{
    const struct fb_histogram *cpu = &walk->kind[FB_SINGLE_OP_GROSS];
    struct fb_query_class classes[FB_QUERY_CLASSES];
    struct fb_histogram *total = calloc(1, sizeof *total);
    json_t *list = NULL;
    for (size_t i = 0; i < reads->n; i++)
        classes[i] = (struct fb_query_class){reads->queries[i], cpu, (unsigned)i, 0};
    if (total && !fb_query_total(classes, reads->n, reads->device, reads->seed, total))
        list = json_pack("[o, o, o]", to_json(cpu, "query_cpu", quantum_ns),
                         to_json(total, "query_total", quantum_ns),
                         to_json(&walk->kind[FB_TIMER_EMPTY], "timer_empty", quantum_ns));
    free(total);
    return list;
}

json_t *fb_device_json(const struct fb_device *device, double quantum_ns)
{
    return to_json(device->histogram, "device_read", quantum_ns);
}
