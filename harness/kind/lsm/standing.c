/* One tree of an experiment, made, and torn down. */
#include "harness/kind/lsm/run.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"

/* The keys of a tree of n, and those absent from it; sorted is to be closed in any case. */
static enum fb_err space_of(const struct fb_lsm *e, const struct fb_lsm_tree *tree, uint64_t n,
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

static enum fb_err make_tree(const struct fb_lsm *e, const struct fb_lsm_tree *spec,
                             struct fb_lsm_standing *s, const char **why)
{
    uint64_t n;
    s->tree = spec->trace ? &s->traced.tree : &s->made;
    if (spec->trace)
        return fb_tree_of_trace(&e->trace->ops, &s->shape, e->trace_memtable_bytes, &s->traced,
                                why);
    enum fb_err err = fb_tree_n_keys(&s->shape, &n, why);
    if (!err)
        err = space_of(e, spec, n, &s->sorted, &s->space);
    if (!err)
        err = fb_tree_make(&s->shape, &s->space, s->space.file ? UINT64_MAX : FB_LSM_LIST_LIMIT,
                           &s->made, why);
    return err;
}

static struct fb_query_spec query_spec(const struct fb_lsm *e, const struct fb_lsm_standing *s,
                                       const struct fb_lsm_stream *stream)
{
    struct fb_query_spec spec = e->spec;
    spec.absent = stream->absent;
    spec.absent_kind = stream->kind == FB_ADVERSARIAL ? FB_IN_GAP : stream->kind;
    spec.given = s->traced.get;
    spec.n_given = s->traced.n_gets;
    return spec;
}

enum fb_exit fb_lsm_stand_up(const struct fb_lsm *e, const struct fb_lsm_cell *first,
                             json_t *document, struct fb_lsm_standing *s)
{
    struct fb_problem problem;
    const char *why = NULL;
    if (!fb_lsm_shape(e, first->tree, &s->shape, &problem)) {
        fb_error("%s: %s", e->name, problem.text);
        return FB_EXIT_USAGE;
    }
    s->queries = calloc(e->n_streams + 1, sizeof *s->queries);
    s->adversaries = calloc(e->n_filters * e->n_streams + 1, sizeof *s->adversaries);
    s->n_streams = s->queries ? e->n_streams : 0;
    enum fb_err err = s->queries && s->adversaries ? fb_lsm_timed_open(e, &s->timed) : FB_ENOMEM;
    if (!err)
        err = make_tree(e, &e->trees[first->tree], s, &why);
    if (!err)
        err = fb_memtables_fill(s->tree, FB_LSM_MEMTABLE_LIMIT, &s->memtables);
    if (err)
        return fb_fail(first->id, err, why);
    if (!s->tree->n_units)
        fb_result_warn(
            document, "trace", first->id,
            "%s: the memtable holds all of the trace: no filter is asked; give a smaller "
            "trace_memtable_bytes",
            first->id);
    s->in_range = calloc(e->n_streams * s->tree->n_runs + 1, sizeof *s->in_range);
    if (!s->in_range)
        return fb_fail(first->id, FB_ENOMEM, NULL);
    for (size_t i = 0; i < e->n_streams; i++) {
        struct fb_query_spec queries = query_spec(e, s, &e->streams[i]);
        err = fb_queries_init(&queries, s->tree, e->seed, &s->queries[i], &why);
        if (!err)
            err = fb_reach(&s->queries[i], e->n_queries, s->in_range + i * s->tree->n_runs);
        if (err == FB_EINVAL)
            fb_note("%s: %s: %s", e->name, fb_absent_kinds[queries.absent_kind].name,
                    why ? why : fb_err_text(err));
        else if (err)
            return fb_fail(first->id, err, why);
    }
    return FB_EXIT_OK;
}

void fb_lsm_tear_down(struct fb_lsm_standing *s)
{
    fb_lsm_timed_close(&s->timed);
    for (size_t i = 0; i < s->n_adversaries; i++) {
        fb_queries_close(&s->adversaries[i].queries);
        free(s->adversaries[i].keys);
    }
    free(s->adversaries);
    for (size_t i = 0; i < s->n_streams; i++)
        fb_queries_close(&s->queries[i]);
    free(s->queries);
    free(s->in_range);
    fb_memtables_close(&s->memtables);
    fb_tree_close(&s->made);
    fb_trace_tree_close(&s->traced);
    fb_sorted_space_close(&s->sorted);
    memset(s, 0, sizeof *s);
}

enum fb_err fb_lsm_adversary(const struct fb_lsm *e, const struct fb_lsm_cell *cell,
                             const struct fb_forest *forest, struct fb_lsm_standing *s,
                             const struct fb_queries **out, const char **why)
{
    enum { KEYS = 1024 }; /* found once and asked for again and again */
    struct fb_lsm_adversary *a = &s->adversaries[s->n_adversaries];
    struct fb_query_spec spec = e->spec;
    enum fb_err err = FB_OK;
    a->keys = calloc(KEYS, sizeof *a->keys);
    if (!a->keys)
        return FB_ENOMEM;
    if (e->filters[cell->filter].hash == e->filters[0].hash) {
        err = fb_adversary_find(forest, KEYS, a->keys, &a->n_keys);
    } else if (s->n_adversaries > s->n_earlier) {
        a->n_keys = a[-1].n_keys;
        memcpy(a->keys, a[-1].keys, KEYS * sizeof *a->keys);
    }
    s->n_adversaries++;
    if (!err && !a->n_keys) {
        *why = "no absent key was found that passes the filters";
        err = FB_EINVAL;
    }
    spec.absent = e->streams[cell->stream].absent;
    spec.absent_kind = FB_ADVERSARIAL;
    spec.adversarial = a->keys;
    spec.n_adversarial = a->n_keys;
    if (!err)
        err = fb_queries_init(&spec, s->tree, e->seed, &a->queries, why);
    *out = &a->queries;
    return err;
}
