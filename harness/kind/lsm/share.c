/* What a shard of an experiment of kind "lsm" does: cells, and parts of cells as fragments, which
 * become cells again. */
#include <string.h>

#include "harness/kind/lsm/run.h"

/* ---- Groups ---- */

/* The adversary knows the hash of the experiment's first filter. */
static bool is_public(const struct fb_lsm *e, size_t filter)
{
    return e->filters[filter].hash == e->filters[0].hash;
}

static bool has_private(const struct fb_lsm *e)
{
    for (size_t i = 0; i < e->n_filters; i++)
        if (!is_public(e, i))
            return true;
    return false;
}

bool fb_lsm_begins_group(const struct fb_lsm *e, size_t filter)
{
    if (!filter || !fb_lsm_has_adversary(e) || !has_private(e))
        return true;
    return is_public(e, filter) && !is_public(e, filter - 1);
}

/* The number of a filter's group, of all of one tree. */
static size_t group_of(const struct fb_lsm *e, size_t filter)
{
    size_t group = 0;
    for (size_t i = 1; i <= filter; i++)
        group += fb_lsm_begins_group(e, i);
    return group;
}

/* ---- Shares ---- */

/* The number by which a whole cell is dealt out: that of its group, so that filters are built in
 * one shard alone; or its own, where there are fewer groups than shards. */
static size_t dealt_by(const struct fb_lsm *e, struct fb_shard shard,
                       const struct fb_lsm_cell *cell, size_t number)
{
    const size_t n_groups = group_of(e, e->n_filters - 1) + 1;
    const bool together = e->timed || (fb_lsm_has_adversary(e) && has_private(e));
    return together || e->n_trees * n_groups >= shard.of
               ? cell->tree * n_groups + group_of(e, cell->filter)
               : number;
}

struct fb_lsm_share fb_lsm_share(const struct fb_lsm *e, struct fb_shard shard,
                                 const struct fb_lsm_cell *cell, size_t number)
{
    struct fb_lsm_share share = {
        .any = true, .end = e->n_queries, .end_scan = e->n_scans, .part = shard.of > 1};
    if (!share.part)
        return share;
    share.part = fb_lsm_splits(e, cell);
    if (share.part) {
        fb_shard_blocks(shard, number, e->n_queries, &share.first, &share.end);
        fb_shard_blocks(shard, number, e->n_scans, &share.first_scan, &share.end_scan);
        share.any = share.first < share.end || share.first_scan < share.end_scan;
    } else {
        share.any = fb_shard_has(shard, dealt_by(e, shard, cell, number));
    }
    return share;
}

/* ---- Fragments ---- */

json_t *fb_lsm_stretch(const struct fb_lsm_share *share)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "first", fb_json_int(share->first), "end",
                     fb_json_int(share->end), "first_scan", fb_json_int(share->first_scan),
                     "end_scan", fb_json_int(share->end_scan));
}

json_t *fb_lsm_fragment(const struct fb_lsm_share *share, json_t *cell)
{
    json_t *fragment = json_pack("{s:O}", "id", json_object_get(cell, "id"));
    json_object_update_new(fragment, fb_lsm_stretch(share));
    json_object_set_new(fragment, "cell", cell);
    return fragment;
}

/* Whether the fragments, one after another, are all of the cell's queries and scans. */
static bool tile(const struct fb_lsm *e, const json_t *fragments)
{
    uint64_t end = 0, end_scan = 0;
    bool gap = false;
    FB_EACH(fragment, fragments) {
        gap = gap || fb_json_uint(fragment, "first") != end ||
              fb_json_uint(fragment, "first_scan") != end_scan;
        end = fb_json_uint(fragment, "end");
        end_scan = fb_json_uint(fragment, "end_scan");
    }
    return !gap && end == e->n_queries && end_scan == e->n_scans;
}

/* A cell without what stretches have of their own, to be released. */
static json_t *common_of(const json_t *cell)
{
    json_t *common = json_copy((json_t *)cell), *prefixes = json_array();
    json_object_del(common, "counts");
    FB_EACH(scan, json_object_get(cell, "scans"))
        json_array_append(prefixes, json_object_get(scan, "prefix"));
    if (json_is_array(json_object_get(cell, "scans")))
        json_object_set(common, "scans", prefixes);
    json_decref(prefixes);
    return common;
}

static bool same_cell(const json_t *a, const json_t *b, struct fb_problem *problem)
{
    json_t *of_a = common_of(a), *of_b = common_of(b);
    const char *where = NULL;
    const bool same = fb_json_agree(of_a, of_b, &where) && fb_json_agree(of_b, of_a, &where);
    if (!same)
        fb_refuse(problem, "%s: two shards have it otherwise", where ? where : "a member");
    json_decref(of_a);
    json_decref(of_b);
    return same;
}

/* Counts of two stretches together, to be released: in objects and lists, too, of which one may be
 * longer. What one of them does not know, both do not. */
static json_t *sum_of(const json_t *a, const json_t *b)
{
    json_t *sum;
    if (json_is_integer(a) && json_is_integer(b))
        return fb_json_int((uint64_t)json_integer_value(a) + (uint64_t)json_integer_value(b));
    if (json_is_object(a) && json_is_object(b)) {
        sum = json_copy((json_t *)b);
        FB_EACH_MEMBER(name, of_a, a)
            json_object_set_new(sum, name, sum_of(of_a, json_object_get(b, name)));
        return sum;
    }
    if (!json_is_array(a) || !json_is_array(b))
        return json_incref((json_t *)(!a || json_is_null(b) ? b : a));
    sum = json_array();
    for (size_t i = 0; i < json_array_size(a) || i < json_array_size(b); i++)
        json_array_append_new(sum, sum_of(json_array_get(a, i), json_array_get(b, i)));
    return sum;
}

bool fb_lsm_unite(const struct fb_lsm *e, const struct fb_lsm_cell *planned,
                  const json_t *fragments, bool partial, json_t **united,
                  struct fb_problem *problem)
{
    static const char *const summed[] = {"counts", "scans"};
    const json_t *first = json_object_get(json_array_get(fragments, 0), "cell");
    *united = NULL;
    if (!fb_lsm_splits(e, planned))
        return fb_refuse(problem, "a fragment of a cell that is not split");
    json_t *sum = json_copy((json_t *)first);
    bool fit = true;
    for (size_t i = 0; fit && i < json_array_size(fragments); i++) {
        const json_t *cell = json_object_get(json_array_get(fragments, i), "cell");
        fit = strcmp(fb_json_str(cell, "id"), planned->id)
                  ? fb_refuse(problem, "cell.id: it is not that of the fragment")
                  : same_cell(first, cell, problem);
        for (size_t j = 0; i && j < 2 && json_object_get(cell, summed[j]); j++)
            json_object_set_new(
                sum, summed[j],
                sum_of(json_object_get(sum, summed[j]), json_object_get(cell, summed[j])));
    }
    if (fit && (partial || tile(e, fragments)))
        *united = json_incref(sum);
    json_decref(sum);
    return fit;
}
