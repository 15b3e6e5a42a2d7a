/* The keys of a tree as scans need them, and scans of prefixes. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/lsm/run.h"

/* ---- Key spaces ---- */

bool fb_lsm_sorts(const struct fb_lsm *e, const struct fb_lsm_tree *tree, uint64_t n)
{
    return e->n_scans && !tree->file && !tree->trace && !tree->keygen.ordered &&
           n < FB_LSM_SORT_LIMIT / (1 + fb_lsm_absent_for_each(e, n));
}

uint64_t fb_lsm_absent_for_each(const struct fb_lsm *e, uint64_t n)
{
    uint64_t asked = e->n_queries + e->warm;
    return asked > n ? (asked + n - 1) / n : 1;
}

enum fb_err fb_lsm_space(const struct fb_lsm *e, const struct fb_lsm_tree *tree, uint64_t n,
                         struct fb_sorted_space *sorted, struct fb_keyspace *out)
{
    struct fb_keyspace generated;
    if (tree->file) {
        fb_keyspace_of_file(e->file, n, e->seed, out);
        return FB_OK;
    }
    fb_keyspace_generate_sparse(&tree->keygen, tree->order, n, fb_lsm_absent_for_each(e, n),
                                e->seed, &generated);
    if (fb_lsm_sorts(e, tree, n))
        return fb_sorted_space_make(&generated, sorted, out);
    *out = generated;
    return FB_OK;
}

/* ---- Scans ---- */

/* *n_missed: false negatives. *out is NULL after an error and when interrupted. */
static enum fb_err count_scans(const struct fb_lsm *e, const struct fb_ask *ask, json_t **out,
                               uint64_t *n_missed, bool *complete, const char **why)
{
    bool held = ask->forest->prefix.kind != FB_PREFIX_NONE;
    const struct fb_prefix *prefixes = held ? &ask->forest->prefix : e->scan_prefixes;
    enum fb_err err = FB_OK;
    *out = json_array();
    for (size_t i = 0; !err && *complete && i < (held ? 1 : e->n_scan_prefixes); i++) {
        struct fb_scan_counts counts;
        err = fb_prefix_path_count(ask, &prefixes[i], &counts, complete, why);
        *n_missed += counts.false_negatives;
        if (!err)
            json_array_append_new(*out, fb_lsm_scan_json(prefixes[i].text, &counts));
    }
    if (err || !*complete) {
        json_decref(*out);
        *out = NULL;
    }
    return err;
}

enum fb_exit fb_lsm_scans(const struct fb_lsm *e, const char *id, const struct fb_ask *ask,
                          json_t *document, json_t **scans, const char **why)
{
    bool complete = true;
    uint64_t missed = 0;
    *scans = NULL;
    *why = NULL;
    if (!e->n_scans)
        return FB_EXIT_OK;
    enum fb_err err = count_scans(e, ask, scans, &missed, &complete, why);
    if (fb_err_refuses(err)) {
        *why = *why ? *why : fb_err_text(err);
        fb_result_warn(document, "scans", id, "%s: no scans: %s", id, *why);
        *scans = json_null();
        return FB_EXIT_OK;
    }
    if (err)
        return fb_fail(id, err, *why);
    if (!complete)
        return FB_EXIT_INTERRUPTED;
    if (!missed || ask->forest->design->traits & FB_FALSE_NEGATIVES)
        return FB_EXIT_OK;
    fb_error("%s: %llu prefixes denied that are there; the run ends here", id,
             (unsigned long long)missed);
    return FB_EXIT_CORRECTNESS;
}
