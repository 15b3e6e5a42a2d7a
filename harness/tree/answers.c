#include "harness/tree/answers.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/tree/ask.h"

enum {
    TASK_QUERIES = 1 << 15, /* of a thread at a time; a multiple of 64: no word is two threads' */
    CHUNK = 256,            /* queries made at a time */
    ABREAST = 16,           /* whose cache misses overlap */
    ACROSS = 64,            /* filters of one call */
};

uint64_t fb_answers_bytes(uint64_t n_queries, size_t n_runs)
{
    return fb_divide_up(n_queries * n_runs, 64) * 8;
}

enum fb_err fb_answers_open(const struct fb_queries *queries, uint64_t n, unsigned n_threads,
                            struct fb_answers *out)
{
    const size_t n_runs = queries->tree->n_runs;
    *out =
        (struct fb_answers){.queries = queries, .n = n, .n_runs = n_runs, .n_threads = n_threads};
    out->bits = calloc((size_t)fb_answers_bytes(n, n_runs) + 1, 1);
    return out->bits ? FB_OK : FB_ENOMEM;
}

void fb_answers_close(struct fb_answers *a)
{
    free(a->bits);
    memset(a, 0, sizeof *a);
}

/* ---- Asking a window ---- */

struct window {
    struct fb_answers *answers;
    const struct fb_forest *forest;
    const struct fb_kernel *kernel; /* of the design */
    size_t first, end;              /* units */
    size_t first_run, n_runs;       /* with units among them */
};

struct asking {
    const struct window *window;
    struct fb_keyset keys;
    uint64_t *digests;                /* [CHUNK * digest_words], owned */
    const struct fb_filter **filters; /* [ABREAST * n_runs] NULL: not asked here; owned */
    struct fb_query query[CHUNK];
};

static void find_filters(const struct window *w, uint64_t index, const struct fb_filter **row)
{
    for (size_t i = 0; i < w->n_runs; i++) {
        const struct fb_filter *f = fb_ask_filter(w->forest, w->first_run + i, index);
        const size_t unit = f ? (size_t)(f - w->forest->filters) : SIZE_MAX;
        row[i] = unit >= w->first && unit < w->end ? f : NULL;
    }
}

/* `maybe` says of up to 64 runs from `run` on. */
static void note(struct fb_answers *a, uint64_t query, size_t run, uint64_t maybe)
{
    for (; maybe; maybe &= maybe - 1) {
        const uint64_t bit = query * a->n_runs + run + (unsigned)__builtin_ctzll(maybe);
        a->bits[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

static enum fb_err ask_chunk(struct asking *asking, uint64_t first, size_t n)
{
    const struct window *w = asking->window;
    const size_t words = w->forest->digest_words;
    enum fb_err err = fb_queries_make(w->answers->queries, first, n, asking->query, &asking->keys);
    if (!err)
        err = fb_forest_digest(w->forest, &asking->keys.keys, asking->digests);
    for (size_t at = 0; !err && at < n; at += ABREAST) {
        const size_t end = fb_min_u64(at + ABREAST, n);
        for (size_t q = at; q < end; q++)
            find_filters(w, asking->query[q].index, asking->filters + (q - at) * w->n_runs);
        for (size_t q = at; q < end; q++)
            w->kernel->prefetch_across(asking->filters + (q - at) * w->n_runs, w->n_runs,
                                       asking->digests + q * words);
        for (size_t q = at; q < end; q++)
            for (size_t r = 0; r < w->n_runs; r += ACROSS)
                note(w->answers, first + q, w->first_run + r,
                     w->kernel->query_across(asking->filters + (q - at) * w->n_runs + r,
                                             fb_min_u64(w->n_runs - r, ACROSS),
                                             asking->digests + q * words));
    }
    return err;
}

static enum fb_err ask_task(void *arg, size_t i)
{
    const struct window *w = arg;
    const uint64_t first = i * (uint64_t)TASK_QUERIES;
    const uint64_t end = fb_min_u64(first + TASK_QUERIES, w->answers->n);
    struct asking *asking = calloc(1, sizeof *asking);
    if (!asking)
        return FB_ENOMEM;
    asking->window = w;
    asking->digests = calloc(CHUNK * (size_t)w->forest->digest_words, sizeof *asking->digests);
    asking->filters = calloc(ABREAST * w->n_runs + 1, sizeof *asking->filters);
    enum fb_err err = asking->digests && asking->filters ? FB_OK : FB_ENOMEM;
    for (uint64_t at = first; !err && at < end; at += CHUNK)
        err = ask_chunk(asking, at, fb_min_u64(end - at, CHUNK));
    fb_keyset_close(&asking->keys);
    free(asking->digests);
    free(asking->filters);
    free(asking);
    return err;
}

enum fb_err fb_answers_note(void *answers, const struct fb_forest *forest, size_t first, size_t end,
                            bool *complete)
{
    struct window w = {.answers = answers,
                       .forest = forest,
                       .kernel = fb_kernel_find(forest->design, FB_ISA_NONE),
                       .first = first,
                       .end = end,
                       .first_run = SIZE_MAX};
    for (size_t r = 0; r < forest->tree->n_runs; r++) {
        const struct fb_run *run = forest->tree->runs + r;
        if (run->memtable || run->first_unit >= end || run->first_unit + fb_run_units(run) <= first)
            continue;
        w.first_run = fb_min_u64(w.first_run, r);
        w.n_runs = r + 1 - w.first_run;
    }
    w.answers->n_windows++;
    return fb_parallel_for(fb_divide_up(w.answers->n, TASK_QUERIES), w.answers->n_threads, ask_task,
                           &w, complete);
}
