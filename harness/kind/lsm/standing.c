/* One tree of an experiment, made, and torn down. */
#include "harness/kind/lsm/standing.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"

static enum fb_err make_tree(const struct fb_lsm *e, const struct fb_lsm_tree *spec,
                             const struct fb_keys *file, const struct fb_tree_shape *shape,
                             struct fb_lsm_standing *s, const char **why)
{
    uint64_t n;
    if (spec->trace) {
        s->tree = &s->traced.tree;
        return fb_tree_of_trace(&e->trace->ops, shape, e->trace_memtable_bytes, &s->traced, why);
    }
    enum fb_err err = fb_tree_n_keys(shape, &n, why);
    if (err)
        return err;
    err = fb_lsm_space(e, spec, file, n, &s->sorted, &s->space);
    s->tree = &s->made;
    return err ? err
               : fb_tree_make(shape, &s->space, s->space.file ? UINT64_MAX : FB_LSM_LIST_LIMIT,
                              &s->made, why);
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
                             const struct fb_keys *file, json_t *document,
                             struct fb_lsm_standing *s)
{
    struct fb_tree_shape shape;
    struct fb_problem problem;
    const char *why = NULL;
    if (!fb_lsm_shape(e, first->tree, file, &shape, &problem)) {
        fb_error("%s: %s", e->name, problem.text);
        return FB_EXIT_USAGE;
    }
    s->queries = calloc(e->n_streams + 1, sizeof *s->queries);
    s->n_streams = s->queries ? e->n_streams : 0;
    enum fb_err err =
        s->queries ? make_tree(e, &e->trees[first->tree], file, &shape, s, &why) : FB_ENOMEM;
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
    for (size_t i = 0; i < e->n_streams; i++) {
        struct fb_query_spec queries = query_spec(e, s, &e->streams[i]);
        err = fb_queries_init(&queries, s->tree, e->seed, &s->queries[i], &why);
        if (err == FB_EINVAL)
            fb_note("%s: %s: %s", e->name, fb_absent_kind_name(queries.absent_kind),
                    why ? why : fb_err_text(err));
        else if (err)
            return fb_fail(first->id, err, why);
    }
    return FB_EXIT_OK;
}

void fb_lsm_tear_down(struct fb_lsm_standing *s)
{
    fb_lsm_timed_close(&s->timed);
    for (size_t i = 0; i < s->n_streams; i++)
        fb_queries_close(&s->queries[i]);
    free(s->queries);
    fb_memtables_close(&s->memtables);
    fb_tree_close(&s->made);
    fb_trace_tree_close(&s->traced);
    fb_sorted_space_close(&s->sorted);
    memset(s, 0, sizeof *s);
}
