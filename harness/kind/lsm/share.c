/* What a shard of an experiment of kind "lsm" does. */
#include "harness/kind/lsm/run.h"

bool fb_lsm_splits(const struct fb_lsm *e, const struct fb_lsm_cell *cell)
{
    return !e->timed && !e->trees[cell->tree].trace && !e->readings[cell->reading].cache_bytes &&
           e->streams[cell->stream].kind != FB_ADVERSARIAL;
}

const char *fb_lsm_whole(const struct fb_lsm *e)
{
    if (e->timed)
        return "their lookups are timed beside each other; --set timed=false splits them";
    for (size_t i = 0; i < e->n_trees; i++)
        if (e->trees[i].trace)
            return "what a trace asks for is known only where it is";
    for (size_t i = 0; i < e->n_readings; i++)
        if (e->readings[i].cache_bytes)
            return "a block cache is warmed by the queries before; cells without one are split";
    return fb_lsm_has_adversary(e)
               ? "adversarial keys are found against whole filters; cells without are split"
               : NULL;
}

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
