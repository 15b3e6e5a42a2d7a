/* Prefixes in experiments of kind "lsm": which filters hold them, and scans of them. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/lsm/lsm.h"
#include "harness/tree/prefix_path.h"

/* ---- Fields ---- */

json_t *fb_lsm_read_prefix(struct fb_problem *problem, const struct fb_field *f, const char *path,
                           const json_t *given)
{
    struct fb_prefix prefix;
    const char *text = json_string_value(given), *why = "give none, fixed:N or capped:N";
    if (text && fb_prefix_parse(text, true, &prefix, &why)) {
        if (strcmp(f->name, "scan_prefix") != 0 || prefix.kind != FB_PREFIX_NONE)
            return json_string(prefix.text);
        why = "a scan needs a prefix: fixed:N or capped:N";
    }
    fb_refuse(problem, "%s: '%.60s': %s", path, text ? text : "", why);
    return NULL;
}

/* Prefixes other than none of a list of the document into out, each with `whole`. */
static size_t load_list(const json_t *list, bool whole, struct fb_prefix *out)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *why;
        if (fb_prefix_parse(json_string_value(json_array_get(list, i)), whole, &out[n], &why) &&
            out[n].kind != FB_PREFIX_NONE)
            n++;
    }
    return n;
}

static bool has_none(const json_t *prefixes)
{
    struct fb_prefix p;
    const char *why;
    for (size_t i = 0; i < json_array_size(prefixes); i++)
        if (fb_prefix_parse(json_string_value(json_array_get(prefixes, i)), true, &p, &why) &&
            p.kind == FB_PREFIX_NONE)
            return true;
    return false;
}

/* none first, then the others in their order, each with what is asked for of whole keys. */
static size_t load_held(const json_t *doc, struct fb_prefix *out)
{
    const json_t *prefixes = json_object_get(doc, "prefixes");
    const json_t *whole = json_object_get(doc, "prefix_whole_key");
    size_t n = 0;
    if (has_none(prefixes))
        out[n++] = (struct fb_prefix){.kind = FB_PREFIX_NONE, .whole_key = true};
    for (size_t w = 0; w < json_array_size(whole); w++)
        n += load_list(prefixes, json_is_true(json_array_get(whole, w)), out + n);
    return n;
}

bool fb_lsm_load_prefixes(struct fb_lsm *e)
{
    static const struct fb_prefix none = {.kind = FB_PREFIX_NONE, .whole_key = true};
    const json_t *prefixes = json_object_get(e->document, "prefixes");
    const json_t *scanned = json_object_get(e->document, "scan_prefix");
    size_t most = 2 * json_array_size(prefixes) + 1, n_filters = 0;
    struct fb_prefix *held = calloc(most, sizeof *held);
    size_t n_held = held ? load_held(e->document, held) : 0;
    struct fb_lsm_filter *crossed = calloc(e->n_filters * (n_held + 1) + 1, sizeof *crossed);
    e->scan_prefixes =
        calloc(json_array_size(scanned) + json_array_size(prefixes) + 1, sizeof *e->scan_prefixes);
    bool loaded = held && crossed && e->scan_prefixes;
    for (size_t f = 0; loaded && f < e->n_filters; f++) {
        bool control = e->filters[f].sizing == FB_LSM_NO_SIZE;
        for (size_t p = 0; p < (control ? 1 : n_held); p++) {
            crossed[n_filters] = e->filters[f];
            crossed[n_filters++].prefix = control ? none : held[p];
        }
    }
    if (loaded) {
        e->n_scan_prefixes =
            load_list(json_array_size(scanned) ? scanned : prefixes, true, e->scan_prefixes);
        free(e->filters);
        e->filters = crossed;
        e->n_filters = n_filters;
    } else {
        free(crossed);
    }
    free(held);
    return loaded;
}

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
            json_array_append_new(*out, fb_lsm_scan_json(&prefixes[i], &counts));
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
    if (err == FB_EINVAL || err == FB_EUNSUPPORTED) {
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
