#include "harness/store/query_latency.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "workloads/core/rng.h"

enum fb_err fb_query_total(const struct fb_histogram *cpu, const struct fb_query_reads *reads,
                           struct fb_histogram *out)
{
    enum { MOST = 1 << 20 };
    const uint64_t stream = fb_stream_key(reads->seed, FB_DOMAIN_DEVICE, UINT64_MAX);
    uint64_t queries = 0, words = 0, up_to = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < reads->n; i++)
        queries += reads->queries[i];
    if (queries == 0 || cpu->n == 0)
        return FB_EINVAL;
    struct fb_draws *walks = fb_draws_of(cpu);
    if (!walks)
        return FB_ENOMEM;
    const uint64_t n = fb_min_u64(queries, MOST);
    for (uint64_t i = 0, number = 0; i < n; i++) {
        /* Query floor(i * queries / n) of those sorted by their number of reads. */
        uint64_t query = (uint64_t)((double)i * ((double)queries / (double)n));
        while (number < reads->n - 1 && up_to + reads->queries[number] <= query)
            up_to += reads->queries[number++];
        double ns = 0;
        for (uint64_t r = 0; r < number; r++)
            ns += fb_device_draw_ns(reads->device, fb_stream_word(stream, words++));
        fb_histogram_add(out,
                         fb_draw(walks, fb_stream_word(stream, words++)) + (uint64_t)(ns * 1e3), 1);
    }
    free(walks);
    return FB_OK;
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
    struct fb_histogram *total = calloc(1, sizeof *total);
    json_t *list = NULL;
    if (total && !fb_query_total(cpu, reads, total))
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
