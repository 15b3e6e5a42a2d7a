#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tree/read_path.h"

const char *fb_residency_name(enum fb_residency residency)
{
    static const char *const names[] = {"pinned", "cached", "partitioned"};
    return (size_t)residency < sizeof names / sizeof *names ? names[residency] : NULL;
}

enum { N_WORDS = offsetof(struct fb_read_counts, run_reached) / sizeof(uint64_t) };
static_assert(offsetof(struct fb_read_counts, queries) == 0, "counts start with words alone");

enum fb_err fb_read_counts_open(size_t n_runs, struct fb_read_counts *c)
{
    memset(c, 0, sizeof *c);
    c->n_runs = n_runs;
    c->run_reached = calloc(n_runs + 1, sizeof *c->run_reached);
    c->run_asked = calloc(n_runs + 1, sizeof *c->run_asked);
    c->run_false = calloc(n_runs + 1, sizeof *c->run_false);
    c->run_held = calloc(n_runs + 1, sizeof *c->run_held);
    return c->run_reached && c->run_asked && c->run_false && c->run_held ? FB_OK : FB_ENOMEM;
}

void fb_read_counts_close(struct fb_read_counts *c)
{
    free(c->run_reached);
    free(c->run_asked);
    free(c->run_false);
    free(c->run_held);
    memset(c, 0, sizeof *c);
}

static void add(uint64_t *into, const uint64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        into[i] += from[i];
}

enum fb_err fb_read_counts_add(struct fb_read_counts *into, const struct fb_read_counts *from)
{
    enum fb_err err = FB_OK;
    if (!into->run_reached)
        err = fb_read_counts_open(from->n_runs, into);
    if (into->n_runs != from->n_runs)
        err = FB_EINVAL;
    if (err)
        return err;
    add(&into->queries, &from->queries, N_WORDS);
    add(into->run_reached, from->run_reached, from->n_runs);
    add(into->run_asked, from->run_asked, from->n_runs);
    add(into->run_false, from->run_false, from->n_runs);
    add(into->run_held, from->run_held, from->n_runs);
    add(into->asked_histogram, from->asked_histogram, 65);
    add(into->io_histogram, from->io_histogram, 65);
    return FB_OK;
}
