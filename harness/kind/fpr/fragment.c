/* What one shard counted of a cell, to JSON, and the fragments of all shards back to the cell. */
#include <stdlib.h>
#include <string.h>

#include "harness/filter/build_cost.h"
#include "harness/kind/fpr/rates.h"

/* ---- To JSON ---- */

static json_t *outcome_json(const struct fb_rates_cell *cell, size_t filter,
                            const struct fb_fpr_outcome *o)
{
    json_t *j = json_pack("{s:o, s:o, s:o, s:b}", "filter", fb_json_int(filter), "first",
                          fb_json_int(o->first), "end", fb_json_int(o->end), "failed", o->failed);
    if (o->failed)
        return j;
    json_object_set_new(j, "events", fb_json_int(o->events));
    json_object_set_new(j, "false_negatives", fb_json_int(o->false_negatives));
    json_object_set_new(j, "n_entries", fb_json_int(o->n_entries));
    json_object_set_new(j, "geometry", fb_rates_geometry_json(cell->spec.design, &o->geom));
    json_object_set_new(j, "checksum", fb_json_word(o->checksum));
    json_object_set_new(j, "block_bytes", fb_json_int(o->block_bytes));
    json_object_set_new(j, "block_checksum", fb_json_word(o->block_checksum));
    json_object_set_new(j, "attempts", fb_json_int(o->attempts));
    json_object_set_new(j, "temporary_bytes", fb_json_int(o->temporary_bytes));
    json_object_set_new(j, "model_events", fb_json_int(o->model_events));
    return j;
}

json_t *fb_rates_fragment(const struct fb_rates_cell *cell, const struct fb_fpr_shard *shard)
{
    json_t *filters = json_array();
    for (size_t i = 0; i < shard->n; i++)
        json_array_append_new(filters,
                              outcome_json(cell, shard->first_filter + i, &shard->outcomes[i]));
    return json_pack("{s:s, s:o}", "id", cell->id, "filters", filters);
}

/* ---- Back ---- */

static bool read_outcome(const struct fb_rates_cell *cell, const json_t *j,
                         struct fb_fpr_outcome *o, struct fb_problem *problem)
{
    const uint64_t probes = cell->spec.probes_per_filter;
    memset(o, 0, sizeof *o);
    o->failed = json_is_true(json_object_get(j, "failed"));
    o->checksum = strtoull(fb_json_str(j, "checksum"), NULL, 16);
    o->block_checksum = strtoull(fb_json_str(j, "block_checksum"), NULL, 16);
    if (!fb_rates_count_read(j, "end", probes, &o->end, problem) ||
        !fb_rates_count_read(j, "first", o->end, &o->first, problem))
        return false;
    o->done = true;
    return o->failed ||
           (fb_rates_count_read(j, "events", o->end - o->first, &o->events, problem) &&
            fb_rates_count_read(j, "false_negatives", INT64_MAX, &o->false_negatives, problem) &&
            fb_rates_count_read(j, "n_entries", cell->spec.n_keys, &o->n_entries, problem) &&
            fb_rates_count_read(j, "block_bytes", INT64_MAX, &o->block_bytes, problem) &&
            fb_rates_count_read(j, "attempts", FB_MAX_ATTEMPTS, &o->attempts, problem) &&
            fb_rates_count_read(j, "temporary_bytes", fb_build_bytes_most(cell->spec.n_keys),
                                &o->temporary_bytes, problem) &&
            fb_rates_count_read(j, "model_events", probes, &o->model_events, problem) &&
            fb_rates_geometry_read(cell, o->n_entries, json_object_get(j, "geometry"), &o->geom,
                                   problem));
}

/* Whether two shards tell the same of a filter that both have built. */
static bool same_filter(const struct fb_fpr_outcome *a, const struct fb_fpr_outcome *b)
{
    return a->failed == b->failed && a->checksum == b->checksum &&
           a->block_checksum == b->block_checksum && a->n_entries == b->n_entries &&
           a->false_negatives == b->false_negatives && a->attempts == b->attempts &&
           a->temporary_bytes == b->temporary_bytes && a->block_bytes == b->block_bytes &&
           a->geom.n_bytes == b->geom.n_bytes && a->geom.n_bits == b->geom.n_bits;
}

/* Adds a part of a filter behind what `sum` has of it. False where it lies elsewhere: *gap. */
static bool add_part(const struct fb_fpr_outcome *part, struct fb_fpr_outcome *sum, bool *gap,
                     struct fb_problem *problem)
{
    if (part->first != sum->end) {
        *gap = true;
        return true;
    }
    if (!sum->done)
        *sum = *part;
    else if (!same_filter(sum, part))
        return fb_refuse(problem, "two shards have built one filter and not got the same");
    else
        sum->events += part->events;
    sum->end = part->end;
    return true;
}

/* Puts the parts of all filters together; *whole: none is missing. */
static bool put_together(const struct fb_rates_cell *cell, const json_t *fragments,
                         struct fb_fpr_outcome *sums, bool *whole, struct fb_problem *problem)
{
    bool gap = false;
    for (size_t f = 0; f < json_array_size(fragments); f++) {
        const json_t *filters = json_object_get(json_array_get(fragments, f), "filters");
        for (size_t i = 0; i < json_array_size(filters); i++) {
            const json_t *j = json_array_get(filters, i);
            struct fb_fpr_outcome part;
            uint64_t filter;
            if (!fb_rates_count_read(j, "filter", cell->spec.filters - 1, &filter, problem) ||
                !read_outcome(cell, j, &part, problem) ||
                !add_part(&part, &sums[filter], &gap, problem))
                return false;
        }
    }
    *whole = !gap;
    for (size_t i = 0; i < cell->spec.filters; i++)
        *whole = *whole && sums[i].done && sums[i].end == cell->spec.probes_per_filter;
    return true;
}

bool fb_rates_unite(const struct fb_rates_cell *cell, const json_t *fragments, json_t **united,
                    struct fb_problem *problem)
{
    struct fb_fpr_outcome *sums = calloc(cell->spec.filters, sizeof *sums);
    struct fb_fpr_counts counts = {0};
    bool whole = false;
    *united = NULL;
    bool read = sums ? put_together(cell, fragments, sums, &whole, problem)
                     : fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    if (read && whole && fb_fpr_collect(&cell->spec, sums, &counts))
        read = fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    else if (read && whole && counts.filters)
        *united = fb_rates_cell_json(cell, &counts);
    else if (read && whole) /* as a run skips it */
        *united = json_pack("{s:s, s:s}", "id", cell->id, "why", cell->spec.design->when_full);
    fb_fpr_counts_close(&counts);
    free(sums);
    return read;
}
