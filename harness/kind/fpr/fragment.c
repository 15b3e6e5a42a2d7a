/* What one shard counted of a cell, to JSON, and the fragments of all shards back to the cell. */
#include <stdlib.h>

#include "harness/kind/fpr/rates.h"

/* ---- To JSON ---- */

#define COUNT(member) FB_JSON_COUNT(struct fb_fpr_outcome, member)
#define WORD(member)  FB_JSON_WORD(struct fb_fpr_outcome, member)
static const struct fb_json_count asked[] = {COUNT(first), COUNT(end), {0}};
static const struct fb_json_count counted[] = {COUNT(events),       COUNT(false_negatives),
                                               COUNT(n_entries),    WORD(checksum),
                                               COUNT(block_bytes),  WORD(block_checksum),
                                               COUNT(attempts),     COUNT(temporary_bytes),
                                               COUNT(model_events), {0}};

static json_t *outcome_json(const struct fb_rates_cell *cell, size_t filter,
                            const struct fb_fpr_outcome *o)
{
    json_t *j = json_pack("{s:o, s:b}", "filter", fb_json_int(filter), "failed", o->failed);
    fb_json_set_counts(j, asked, o);
    if (o->failed)
        return j;
    fb_json_set_counts(j, counted, o);
    json_object_set_new(j, "geometry", fb_rates_geometry_json(cell->spec.design, &o->geom));
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

json_t *fb_rates_stretch(const struct fb_rates_cell *cell, size_t number, struct fb_shard shard)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    uint64_t first, end;
    size_t filter;
    fb_shard_blocks(shard, number, fb_fpr_blocks(spec), &first, &end);
    struct fb_fpr_outcome *outcomes = calloc(spec->filters, sizeof *outcomes);
    const size_t n =
        cell->why || !outcomes ? 0 : fb_fpr_lay_out(spec, first, end, &filter, outcomes);
    json_t *filters = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *one = json_pack("{s:o}", "filter", fb_json_int(filter + i));
        fb_json_set_counts(one, asked, &outcomes[i]);
        json_array_append_new(filters, one);
    }
    free(outcomes);
    return n ? json_pack("{s:o}", "filters", filters) : (json_decref(filters), NULL);
}

/* ---- Back ---- */

/* Bytes that no build of n keys holds beside its filter; members.txt says the same of cells. */
static uint64_t most_held(uint64_t n_keys)
{
    return 1024 * n_keys + (UINT64_C(1) << 20);
}

/* The geometry and the size in the real system's format. */
static bool check_size(const struct fb_rates_cell *cell, const json_t *j, struct fb_fpr_outcome *o,
                       struct fb_problem *problem)
{
    const json_t *geometry = json_object_get(j, "geometry");
    struct fb_fpr_counts planned = {.n_entries = o->n_entries};
    const char *where = NULL;
    if (!fb_rates_plan_counts(cell, geometry, &planned, problem))
        return false;
    o->geom = planned.geom;
    json_t *expected = fb_rates_geometry_json(cell->spec.design, &o->geom);
    const bool same = fb_json_agree(expected, geometry, &where);
    json_decref(expected);
    if (!same)
        return fb_refuse(problem, "geometry.%s: this filterbench sizes that filter otherwise",
                         where ? where : "n_bytes");
    return o->block_bytes == planned.block_bytes ||
           fb_refuse(problem, "block_bytes: this filterbench writes that filter otherwise");
}

static bool read_outcome(const struct fb_rates_cell *cell, const json_t *j,
                         struct fb_fpr_outcome *o, struct fb_problem *problem)
{
    const struct fb_fpr_cell *spec = &cell->spec;
    *o =
        (struct fb_fpr_outcome){.failed = json_is_true(json_object_get(j, "failed")), .done = true};
    fb_json_get_counts(j, asked, o);
    fb_json_get_counts(j, counted, o);
    if (o->end > spec->probes_per_filter || o->model_events > spec->probes_per_filter ||
        o->n_entries > spec->n_keys || o->temporary_bytes > most_held(spec->n_keys))
        return fb_refuse(problem, "a filter of it has more than the experiment gives it");
    if (o->failed)
        return true;
    if (spec->keygen && 2 * o->n_entries < spec->n_keys)
        return fb_refuse(problem, "n_entries: fewer than keys of that format give");
    if (o->false_negatives > (spec->design->traits & FB_FALSE_NEGATIVES ? spec->n_keys : 0))
        return fb_refuse(problem, "false_negatives: the design has none, or not so many");
    if (!spec->design->when_full && o->attempts != 1)
        return fb_refuse(problem, "attempts: builds of this design cannot fail");
    return check_size(cell, j, o, problem);
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
            const uint64_t filter = fb_json_uint(j, "filter");
            if (filter >= cell->spec.filters)
                return fb_refuse(problem, "the experiment has no such filter of it");
            if (!read_outcome(cell, j, &part, problem) ||
                !add_part(&part, &sums[filter], &gap, problem))
                return false;
        }
    }
    *whole = !gap;
    for (size_t i = 0; i < cell->spec.filters; i++)
        *whole = *whole && sums[i].done && sums[i].end == cell->spec.probes_per_filter;
    return true;
}

/* Moves the filters of which no part is missing to the front, and returns their number. */
static uint64_t keep_whole(const struct fb_fpr_cell *spec, struct fb_fpr_outcome *sums)
{
    uint64_t n = 0;
    for (size_t i = 0; i < spec->filters; i++)
        if (sums[i].done && sums[i].end == spec->probes_per_filter)
            sums[n++] = sums[i];
    return n;
}

bool fb_rates_unite(const struct fb_rates_cell *cell, const json_t *fragments, bool partial,
                    json_t **united, struct fb_problem *problem)
{
    struct fb_fpr_cell spec = cell->spec;
    struct fb_fpr_outcome *sums = calloc(spec.filters, sizeof *sums);
    struct fb_fpr_counts counts = {0};
    bool whole = false;
    *united = NULL;
    bool read = sums ? put_together(cell, fragments, sums, &whole, problem)
                     : fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    if (read && partial) {
        spec.filters = keep_whole(&spec, sums);
        whole = spec.filters;
    }
    if (read && whole && fb_fpr_collect(&spec, sums, &counts))
        read = fb_refuse(problem, "%s", fb_err_text(FB_ENOMEM));
    else if (read && whole && counts.filters)
        *united = fb_rates_cell_json(cell, &counts);
    else if (read && whole) /* as a run skips it */
        *united = json_pack("{s:s, s:s}", "id", cell->id, "why", cell->spec.design->when_full);
    fb_fpr_counts_close(&counts);
    free(sums);
    return read;
}
