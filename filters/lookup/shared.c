/*
 * shared-digest, shared-prefetch, shared-branch-free: one digest per key, whatever the filters'
 * sizes and probes; each reduces it by its own geometry. One indirect call asks a whole walk.
 */
#include "filters/core/tuning.h"
#include "filters/lookup/internal/one_by_one.h"

static void run(const struct fb_walks *w, uint64_t *maybe, struct fb_walk_work *work)
{
    const size_t words = fb_walk_words(w->width);
    for (size_t i = 0; i < w->n; i++, maybe += words) {
        uint64_t *digest = w->digests + i * w->digest_words;
        fb_walk_digest(w, i, w->digest_words, digest, work);
        fb_walk_ask(w, i, digest, maybe, work);
    }
}

/* All candidates: where the walk will end is not known before it is walked. */
static void run_prefetch(const struct fb_walks *w, uint64_t *maybe, struct fb_walk_work *work)
{
    const size_t words = fb_walk_words(w->width);
    if (w->n && fb_reach_across(fb_walk_row(w, 0), w->width) == FB_REACH_NEAR) {
        run(w, maybe, work);
        return;
    }
    for (size_t i = 0; i < w->n; i++, maybe += words) {
        uint64_t *digest = w->digests + i * w->digest_words;
        fb_walk_digest(w, i, w->digest_words, digest, work);
        w->kernel->prefetch_across(fb_walk_row(w, i), w->width, digest);
        fb_walk_ask(w, i, digest, maybe, work);
    }
}

const struct fb_lookup fb_lookup_shared_digest = {
    .name = "shared-digest",
    .summary = "hash once, ask filter after filter",
    .run = run,
};

const struct fb_lookup fb_lookup_shared_prefetch = {
    .name = "shared-prefetch",
    .summary = "hash once, prefetch a line of every candidate, then ask",
    .run = run_prefetch,
};

const struct fb_lookup fb_lookup_shared_branch_free = {
    .name = "shared-branch-free",
    .summary = "hash once, all probes of a filter without a branch",
    .branch_free = true,
    .run = run,
};
