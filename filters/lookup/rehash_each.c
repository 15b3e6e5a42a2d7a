/*
 * rehash-each: every filter hashes the key again, as engines whose filters take keys do. What the
 * shared lookups save.
 */
#include "filters/lookup/internal/one_by_one.h"

static void run(const struct fb_walks *w, uint64_t *maybe, struct fb_walk_work *work)
{
    const size_t words = fb_walk_words(w->width);
    for (size_t i = 0; i < w->n; i++, maybe += words) {
        const struct fb_filter *const *row = fb_walk_row(w, i);
        const size_t n = fb_walk_length(w, i);
        uint64_t *digest = w->digests + i * w->digest_words;
        for (size_t word = 0; word < words; word++)
            maybe[word] = 0;
        for (size_t r = 0; r < n; r++) {
            if (!row[r])
                continue;
            if (row[r]->geom.digest_words) /* a run without a filter has none */
                fb_walk_digest(w, i, row[r]->geom.digest_words, digest, work);
            uint64_t yes = w->kernel->query_across(row + r, 1, digest);
            maybe[r / FB_ACROSS] |= yes << r % FB_ACROSS;
        }
        if (work)
            work->asked += fb_walk_count(row, n);
    }
}

const struct fb_lookup fb_lookup_rehash_each = {
    .name = "rehash-each",
    .summary = "hash the key again for every filter",
    .run = run,
};
