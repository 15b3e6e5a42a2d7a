/* Queries whose keys are listed. */
#include <math.h>
#include <stdlib.h>

#include "workloads/core/queries.h"

/* Into run_share how many queries each run ends, and how often each key is asked for into `times`
 * [space->size]; the number of queries for keys that no run has. */
static uint64_t count_holders(const struct fb_queries *q, uint32_t *times)
{
    uint64_t n_absent = 0;
    for (size_t i = 0; i < q->spec.n_given; i++) {
        bool tombstone;
        size_t holder = fb_tree_holder(q->tree, q->spec.given[i], &tombstone);
        n_absent += holder == q->tree->n_runs;
        if (holder < q->tree->n_runs)
            q->run_share[holder] += 1;
        times[q->spec.given[i]]++;
    }
    return n_absent;
}

/* n queries of which key i is asked for times[i]: as many as would be if all were asked alike. */
static double effective(double n, double squares)
{
    return n > 0 ? n * n / squares : NAN;
}

enum fb_err fb_given_init(struct fb_queries *q, const char **why)
{
    const struct fb_tree *t = q->tree;
    double squares[2] = {0, 0}, sum = 0;
    if (!q->spec.n_given) {
        *why = "no keys to ask for are given";
        return FB_EINVAL;
    }
    uint32_t *times = calloc(t->space->size, sizeof *times);
    q->run_share = calloc(t->n_runs + 1, sizeof *q->run_share);
    if (!times || !q->run_share) {
        free(times);
        return FB_ENOMEM;
    }
    const double n = (double)q->spec.n_given, n_absent = (double)count_holders(q, times);
    for (uint64_t i = 0; i < t->space->size; i++) {
        bool tombstone;
        if (times[i])
            squares[fb_tree_holder(t, i, &tombstone) == t->n_runs] +=
                (double)times[i] * (double)times[i];
    }
    for (size_t j = 0; j < t->n_runs; j++) {
        sum += q->run_share[j];
        q->run_share[j] = n > n_absent ? sum / (n - n_absent) : 0;
    }
    q->spec.absent = n_absent / n;
    q->given_present = effective(n - n_absent, squares[0]);
    q->given_absent = effective(n_absent, squares[1]);
    free(times);
    return FB_OK;
}
