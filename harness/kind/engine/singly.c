/*
 * How long single Gets take: each of both streams between two clock reads.
 *
 * A stream is asked in parts, several times over where the machine is busy. Of each part count the
 * times of the pass whose yardstick was least.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/kind/engine/gets.h"
#include "harness/kind/engine/yardstick.h"
#include "harness/measure/latency.h"

enum { PARTS = 16, MOST_PASSES = 3 };

/* Writes the times in ns of queries from .. to - 1. */
static enum fb_exit time_part(struct fb_asking *a, bool absent, uint64_t from, uint64_t to,
                              uint64_t *ns)
{
    const struct fb_clock *clock = &fb_system_clock;
    const struct fb_permutation order = fb_asking_order(a, absent);
    enum fb_exit code = FB_EXIT_OK;
    for (uint64_t i = from; i < to && !code; i++) {
        const size_t len = fb_asking_key(a, &order, absent, i, a->key);
        const uint64_t start = clock->wall_ns(clock->self);
        const enum fb_engine_answer answer = a->g->driver->get(a->db, a->key, len, &a->why);
        *ns++ = clock->wall_ns(clock->self) - start;
        code = fb_asking_check(a, absent, i, answer);
        if (!code && !(i & 255) && fb_interrupted())
            code = FB_EXIT_INTERRUPTED;
    }
    return code;
}

/* Times each query of a stream; *spare has as much room. */
static enum fb_exit time_stream(struct fb_asking *a, bool absent, uint64_t *ns, uint64_t *spare)
{
    const uint64_t n = a->g->queries;
    double least[PARTS], slowest = INFINITY;
    enum fb_exit code = FB_EXIT_OK;
    for (unsigned i = 0; i < PARTS; i++)
        least[i] = INFINITY;
    for (unsigned pass = 0;
         pass < MOST_PASSES && !code && slowest > FB_GETS_QUIET * fb_yardstick_quiet(); pass++) {
        double before = fb_yardstick();
        slowest = 0;
        for (unsigned i = 0; i < PARTS && !code; i++) {
            const uint64_t from = n * i / PARTS, to = n * (i + 1) / PARTS;
            code = time_part(a, absent, from, to, spare);
            const double behind = fb_yardstick(), yardstick = fmax(before, behind);
            if (!code && yardstick < least[i]) {
                least[i] = yardstick;
                memcpy(ns + from, spare, (to - from) * sizeof *ns);
            }
            slowest = fmax(slowest, least[i]);
            before = behind;
        }
    }
    return code;
}

/* ---- As JSON ---- */

/* Appends the histogram of the Gets that read so many data blocks, as predicted. */
static void tell(const struct fb_asking *a, bool absent, int reads, const uint64_t *ns,
                 struct fb_histogram *h, json_t *cell)
{
    static const char *const kinds[2][3] = {{"get_present", NULL, "get_present_1"},
                                            {"get_absent", "get_absent_0", "get_absent_1"}};
    const char *stream = absent ? "absent" : "present";
    uint64_t spent_ns = 0;
    memset(h, 0, sizeof *h);
    for (uint64_t i = 0; i < a->g->queries; i++)
        if (reads < 0 || a->work[absent][i].reads == reads) {
            fb_histogram_add(h, 1000 * ns[i], 1);
            spent_ns += ns[i];
        }
    if (reads < 0)
        json_object_set_new(json_object_get(json_object_get(cell, "times"), stream), "spent_ns",
                            fb_json_int(spent_ns));
    if (h->n)
        json_array_append_new(json_object_get(cell, "histograms"),
                              fb_latency_json(h, kinds[absent][reads + 1], 0));
}

enum fb_exit fb_gets_time_singly(struct fb_asking *a, json_t *cell)
{
    const uint64_t n = a->g->queries;
    struct fb_histogram *h = malloc(sizeof *h);
    uint64_t *ns = malloc(3 * n * sizeof *ns);
    enum fb_exit code = h && ns ? FB_EXIT_OK : fb_fail(a->cell->id, FB_ENOMEM, NULL);
    for (unsigned absent = 0; absent < 2 && !code; absent++)
        code = time_stream(a, absent, ns + absent * n, ns + 2 * n);
    json_object_set_new(cell, "histograms", json_array());
    if (!code) {
        tell(a, true, -1, ns + n, h, cell);
        tell(a, false, -1, ns, h, cell);
        tell(a, true, 0, ns + n, h, cell);
        tell(a, true, 1, ns + n, h, cell);
        tell(a, false, 1, ns, h, cell);
    }
    free(ns);
    free(h);
    return code;
}
