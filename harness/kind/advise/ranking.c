/* What was measured of the finalists, and their order. */
#include <math.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

/* ---- Costs of what was measured ---- */

double fb_ranked_cost_if(const struct fb_ranking *k, const struct fb_ranked *r, double absent,
                         double read_ns, double slower)
{
    return slower * r->cpu_scale * fb_candidate_cpu(r->c, absent) +
           read_ns * r->reads_scale * fb_outlook_reads(&r->c->outlook, absent) +
           fb_question_price(k->q, read_ns) * r->c->outlook.bytes;
}

double fb_ranked_cost(const struct fb_ranking *k, const struct fb_ranked *r)
{
    return fb_ranked_cost_if(k, r, k->q->absent, k->w->read_ns, 1);
}

double fb_ranked_low(const struct fb_ranking *k, const struct fb_ranked *r)
{
    return fb_ranked_cost(k, r) -
           hypot(r->cpu - r->cpu_low, k->w->read_ns * (r->reads - r->reads_low));
}

double fb_ranked_high(const struct fb_ranking *k, const struct fb_ranked *r)
{
    return fb_ranked_cost(k, r) +
           hypot(r->cpu_high - r->cpu, k->w->read_ns * (r->reads_high - r->reads));
}

bool fb_ranking_is_scaled(const struct fb_ranking *k)
{
    return k->q->n_measured < k->q->n;
}

/* The cell that was measured of a candidate; of each design and split there is one finalist. */
static const json_t *cell_of(const struct fb_candidate *c, const json_t *document)
{
    const char *split = fb_allocations[c->allocation].name;
    size_t i;
    json_t *cell;
    json_array_foreach(fb_json_at(document, "parts.final.cells"), i, cell) {
        if (!strcmp(fb_json_str(cell, "design"), c->by->design->name) &&
            !strcmp(fb_json_str(cell, "params.allocation"), split))
            return cell;
    }
    return NULL;
}

/* Reads per query: as counted, or, where the tree that was measured is smaller than the real one,
 * as reckoned for that, less what the block cache kept. */
static void take_reads(const struct fb_ranking *k, struct fb_ranked *r)
{
    const double reckoned = fb_outlook_reads(&r->c->outlook, k->q->absent);
    const double counted = fb_json_num(r->cell, "reads.io");
    const double blocks = fb_json_num(r->cell, "expectation.simulated");
    r->reads = counted;
    if (fb_ranking_is_scaled(k))
        r->reads = reckoned * (blocks > 0 ? counted / blocks : 1);
    const double scale = counted > 0 ? r->reads / counted : 1;
    r->reads_low = r->reads - scale * (counted - fb_json_num(r->cell, "reads.io_ci95.low"));
    r->reads_high = r->reads + scale * (fb_json_num(r->cell, "reads.io_ci95.high") - counted);
    r->reads_scale = reckoned > 0 ? r->reads / reckoned : 1;
    r->events = fb_json_uint(r->cell, "counts.data_false");
}

static void take_times(const struct fb_ranking *k, struct fb_ranked *r)
{
    const json_t *time = fb_json_at(json_array_get(json_object_get(r->cell, "lookups"), 0), "time");
    r->cpu = fb_json_num(time, "median");
    /* The interval is of processes; the median, of all rounds, may lie beside it. NaN stays NaN. */
    const double low = fb_json_num(time, "ci95.low"), high = fb_json_num(time, "ci95.high");
    r->cpu_low = low > r->cpu ? r->cpu : low;
    r->cpu_high = high < r->cpu ? r->cpu : high;
    const double engine = fb_candidate_engine(r->c, k->q->absent);
    r->cpu += engine;
    r->cpu_low += engine;
    r->cpu_high += engine;
    r->cpu_scale = r->cpu / fb_candidate_cpu(r->c, k->q->absent);
}

/* ---- Ranking ---- */

/* The block cache is taken to keep the same share of reads as with the best of the finalists. */
static void add_nothing(struct fb_ranking *k)
{
    struct fb_ranked *r = &k->rows[k->n++];
    const double kept =
        k->n > 1 && fb_json_uint(k->q->document, "cache_bytes") ? k->rows[0].reads_scale : 1;
    *r = (struct fb_ranked){.c = &k->w->nothing, .cpu_scale = 1, .reads_scale = kept};
    r->cpu = r->cpu_low = r->cpu_high = fb_candidate_cpu(r->c, k->q->absent);
    r->reads = r->reads_low = r->reads_high = kept * fb_outlook_reads(&r->c->outlook, k->q->absent);
    k->without_ns = fb_ranked_cost(k, r);
}

bool fb_ranking_make(struct fb_ranking *k, struct fb_problem *problem)
{
    k->n = 0;
    for (size_t i = 0; i < k->w->n_finalists; i++) {
        struct fb_ranked *r = &k->rows[k->n];
        *r = (struct fb_ranked){.c = &k->w->at[k->w->finalist[i]]};
        if (!(r->cell = cell_of(r->c, k->document)))
            continue; /* that it could not be built is said by the part */
        take_times(k, r);
        take_reads(k, r);
        if (!isfinite(r->cpu) || !isfinite(r->reads))
            return fb_refuse(problem, "parts.final: %.200s: its costs cannot be read",
                             fb_json_str(r->cell, "id"));
        k->n++;
    }
    add_nothing(k);
    for (size_t i = 1; i < k->n; i++)
        for (size_t j = i;
             j > 0 && fb_ranked_cost(k, &k->rows[j]) < fb_ranked_cost(k, &k->rows[j - 1]); j--) {
            const struct fb_ranked moved = k->rows[j];
            k->rows[j] = k->rows[j - 1];
            k->rows[j - 1] = moved;
        }
    return true;
}

const struct fb_ranked *fb_ranking_best_if(const struct fb_ranking *k, double absent,
                                           double read_ns, double slower)
{
    const struct fb_ranked *best = k->rows;
    for (size_t i = 1; i < k->n; i++)
        if (fb_ranked_cost_if(k, &k->rows[i], absent, read_ns, slower) <
            fb_ranked_cost_if(k, best, absent, read_ns, slower))
            best = &k->rows[i];
    return best;
}
