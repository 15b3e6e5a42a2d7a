/* Which run holds the keys that are asked for. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/bits.h"
#include "filters/core/math.h"
#include "workloads/core/decimal.h"
#include "workloads/core/queries.h"

bool fb_holder_parse(const char *text, struct fb_query_spec *out, const char **why)
{
    static const struct {
        const char *text;
        enum fb_holder_kind kind;
    } words[] = {
        {"proportional", FB_PROPORTIONAL},
        {"popularity", FB_BY_POPULARITY},
        {"recent", FB_RECENT},
        {"last", FB_LEVEL},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i].text)) {
            out->holder = words[i].kind;
            out->level = UINT_MAX;
            return true;
        }
    uint64_t level;
    if (fb_word_read(&text, "level:") && fb_count_read(&text, &level) && !*text &&
        level < UINT_MAX) {
        out->holder = FB_LEVEL;
        out->level = (unsigned)level;
        return true;
    }
    *why = "accepted are proportional, popularity, recent, level:NUMBER and last";
    return false;
}

/* ---- Which versions are the newest ---- */

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t holder_of_arrival(const struct fb_tree *t, uint64_t arrival)
{
    bool tombstone;
    return fb_tree_holder(t, fb_keyspace_index(t->space, arrival), &tombstone);
}

/* Arrivals between which the holder does not change, ascending; returns how many. */
static size_t boundaries(const struct fb_tree *t, uint64_t *out /* [4 n_runs + 2] */)
{
    size_t n = 0;
    for (size_t j = 0; j < t->n_runs; j++) {
        const struct fb_run *r = &t->runs[j];
        out[n++] = r->first;
        out[n++] = r->first + r->n_own;
        if (r->n_updates) {
            uint64_t end = r->updates_first + r->n_updates;
            out[n++] = r->updates_first;
            out[n++] = end > r->first ? end - r->first : end;
        }
    }
    out[n++] = 0;
    out[n++] = t->space->n_present;
    qsort(out, n, sizeof *out, ascending);
    return n;
}

/*
 * share[run] = share of the arrivals whose newest version it has; with `ages`, a popularity whose
 * rank is the age, of the queries. Runs that are lists only, without arrivals of their own, hold
 * what they hold: of them 2^16 arrivals are looked up.
 */
static enum fb_err live_shares(const struct fb_tree *t, const struct fb_popularity *ages,
                               double *share)
{
    enum { SAMPLE = 1 << 16 };
    bool listed = t->n_runs && !t->runs[0].n_own;
    uint64_t n = t->space->n_present;
    size_t n_bounds = SAMPLE + 1;
    uint64_t *bound = malloc((n_bounds + 4 * t->n_runs + 2) * sizeof *bound);
    if (!bound)
        return FB_ENOMEM;
    if (listed)
        for (size_t i = 0; i < n_bounds; i++)
            bound[i] = (uint64_t)((fb_u128)n * i / SAMPLE);
    else
        n_bounds = boundaries(t, bound);
    memset(share, 0, t->n_runs * sizeof *share);
    for (size_t i = 0; i + 1 < n_bounds; i++) {
        uint64_t first = bound[i], end = bound[i + 1] < n ? bound[i + 1] : n;
        size_t holder = first < end ? holder_of_arrival(t, first) : t->n_runs;
        if (holder == t->n_runs)
            continue;
        share[holder] +=
            ages ? fb_popularity_below(ages, n - first) - fb_popularity_below(ages, n - end)
                 : (double)(end - first) / (double)n;
    }
    free(bound);
    return FB_OK;
}

/* ---- Which run ---- */

static double proportional_weight(const struct fb_query_spec *spec, const struct fb_tree *t,
                                  size_t run)
{
    (void)spec;
    return (double)t->runs[run].n_keys;
}

static double recent_weight(const struct fb_query_spec *spec, const struct fb_tree *t, size_t run)
{
    (void)t;
    return fb_exp(-(double)run * fb_log(spec->recent_ratio));
}

static double level_weight(const struct fb_query_spec *spec, const struct fb_tree *t, size_t run)
{
    const struct fb_run *r = &t->runs[run];
    return r->level == spec->level && !r->memtable ? (double)r->n_keys : 0;
}

static double (*const weights[])(const struct fb_query_spec *, const struct fb_tree *, size_t) = {
    [FB_BY_POPULARITY] = NULL,
    [FB_PROPORTIONAL] = proportional_weight,
    [FB_RECENT] = recent_weight,
    [FB_LEVEL] = level_weight,
};

/* A run whose keys are all written again in newer ones ends no walk. */
static const char *share_runs(struct fb_queries *q)
{
    const struct fb_tree *t = q->tree;
    double total = 0, sum = 0;
    for (size_t j = 0; j < t->n_runs; j++) {
        q->run_share[j] = q->run_live[j] > 0 ? weights[q->spec.holder](&q->spec, t, j) : 0;
        total += q->run_share[j];
    }
    if (!(total > 0))
        return q->spec.holder == FB_LEVEL ? "no keys in that level to ask for"
                                          : "no keys in any run to ask for";
    for (size_t j = 0; j < t->n_runs; j++) {
        sum += q->run_share[j];
        q->run_share[j] = sum / total;
    }
    return NULL;
}

enum fb_err fb_holders_init(struct fb_queries *q, const char **why)
{
    enum fb_err err = live_shares(q->tree, NULL, q->run_live);
    if (!err && q->run_share)
        *why = share_runs(q);
    return err ? err : *why ? FB_EINVAL : FB_OK;
}

void fb_queries_shares(const struct fb_queries *q, double *share)
{
    enum { FAVOURITES = 1 << 16 };
    const struct fb_tree *t = q->tree;
    memset(share, 0, t->n_runs * sizeof *share);
    if (!q->items && !q->run_share) /* all absent */
        return;
    if (q->run_share) {
        for (size_t j = 0; j < t->n_runs; j++)
            share[j] = q->run_share[j] - (j ? q->run_share[j - 1] : 0);
        return;
    }
    uint64_t n = t->space->n_present, rank;
    const struct fb_popularity *p = &q->items->popularity;
    if (p->kind == FB_LATEST && !live_shares(t, p, share))
        return;
    double others = 1;
    for (uint64_t k = 0; k < n && k < FAVOURITES; k++) {
        double each = fb_popularity_top(p, k, &rank);
        if (!(each > 0))
            break;
        size_t holder = holder_of_arrival(t, fb_item_of(q->items, rank, n));
        if (holder < t->n_runs)
            share[holder] += each;
        others -= each;
    }
    for (size_t j = 0; j < t->n_runs; j++)
        share[j] += others * q->run_live[j];
}
