/* The answer in one sentence, and what would flip it. */
#include <math.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

void fb_advise_time(double ns, char out[32])
{
    const bool us = ns >= 1e3, ms = ns >= 1e6;
    snprintf(out, 32, "%.3g %s", ns / (ms ? 1e6 : us ? 1e3 : 1), ms ? "ms" : us ? "us" : "ns");
}

/* "sbbf-512 at 9.98 bits per key, its bits split over the levels" */
static void describe(const json_t *row, char out[200])
{
    const char *split = fb_json_str(row, "allocation");
    if (!*fb_json_str(row, "design")) {
        strcpy(out, "no filter");
        return;
    }
    const json_t *bits = json_object_get(row, "level_bits");
    const bool last = json_number_value(json_array_get(bits, json_array_size(bits) - 1)) >= 0;
    snprintf(out, 200, "%.60s at %.4g bits per key%s%s", fb_json_str(row, "design"),
             fb_json_num(row, "memory_bits"),
             strcmp(split, "optimal") ? "" : ", split over the levels",
             !last                      ? ", none in the last level"
             : strcmp(split, "optimal") ? ", the same everywhere"
                                        : "");
}

/* Rows that cannot be told from the first, by name. */
static void list_alike(const json_t *ranking, char out[400])
{
    size_t i, used = 0;
    json_t *row;
    *out = '\0';
    json_array_foreach(ranking, i, row) {
        if (json_is_true(json_object_get(row, "like_first")) && used < 330)
            used += (size_t)snprintf(out + used, 400 - used, "%s%.60s", used ? ", " : "",
                                     fb_json_str(row, "name"));
    }
}

static json_t *sentence(const json_t *answer)
{
    const json_t *ranking = json_object_get(answer, "ranking");
    const json_t *first = json_array_get(ranking, 0), *second = json_array_get(ranking, 1);
    const double cost = fb_json_num(first, "cost_ns.value"),
                 next = fb_json_num(second, "cost_ns.value"),
                 without = fb_json_num(answer, "without_ns");
    char what[200], at[32], other[200], alike[400];
    const char *level = fb_json_str(answer, "confidence");
    describe(first, what);
    describe(second, other);
    fb_advise_time(cost, at);
    list_alike(ranking, alike);
    if (*alike)
        return json_sprintf("Use %s, or %s: these are indistinguishable here, at %s a query (%.3g "
                            "times as fast as without filters); take the smallest or simplest. "
                            "Confidence LOW.",
                            what, alike, at, without / cost);
    if (!strcmp(level, "LOW"))
        return json_sprintf("No claim: %s comes first at %s a query, but %s. Confidence LOW.", what,
                            at, fb_json_str(answer, "why"));
    return json_sprintf("Use %s: %s a query, %.3g %% less than the next best, %s; %.3g times as "
                        "fast as without filters. Confidence %s: %s.",
                        what, at, 100 * (1 - cost / next), other, without / cost, level,
                        fb_json_str(answer, "why"));
}

/* "rocksdb-ribbon comes first if a read takes less than 14 us" */
static json_t *flip_text(const json_t *flip)
{
    const bool reads = !strcmp(fb_json_str(flip, "input"), "read_ns"),
               below = !strcmp(fb_json_str(flip, "side"), "below");
    const double at = fb_json_num(flip, "at");
    char limit[48];
    if (reads)
        fb_advise_time(at, limit);
    else
        snprintf(limit, sizeof limit, "%.3g %% of the queries", 100 * at);
    return json_sprintf("%s comes first if %s%s than %s%s", fb_json_str(flip, "first.name"),
                        reads ? "a read takes " : "", below ? reads ? "less" : "fewer" : "more",
                        limit, reads ? "" : " are for absent keys");
}

void fb_advise_say(json_t *answer)
{
    size_t i;
    json_t *flip;
    json_object_set_new(answer, "sentence", sentence(answer));
    json_array_foreach(json_object_get(answer, "flips"), i, flip)
        json_object_set_new(flip, "text", flip_text(flip));
}
