#include "harness/tree/ask.h"

#include <stdlib.h>

#include "harness/base/parallel.h"

enum { CHUNK = 512 };
#define MOST_TRIED (UINT64_C(1) << 24)

static bool passes(const struct fb_forest *forest, uint64_t index, const uint64_t *digest)
{
    for (size_t r = 0; r < forest->tree->n_runs; r++) {
        const struct fb_filter *f = fb_ask_filter(forest, r, index);
        if (f && forest->runs[r].bytes && f->kernel->query(f, digest))
            return true;
    }
    return false;
}

enum fb_err fb_adversary_find(const struct fb_forest *forest, size_t most, uint64_t *found,
                              size_t *n_found)
{
    const struct fb_keyspace *space = forest->tree->space;
    const uint64_t n_absent = fb_min_u64(space->size - space->n_present, MOST_TRIED);
    uint64_t index[CHUNK];
    uint64_t *digests = calloc((size_t)CHUNK * (forest->digest_words + 1), sizeof *digests);
    enum fb_err err = digests ? FB_OK : FB_ENOMEM;
    *n_found = 0;
    for (uint64_t a = 0; !err && a < n_absent && *n_found < most && !fb_interrupted(); a += CHUNK) {
        const size_t n = fb_min_u64(n_absent - a, CHUNK);
        struct fb_keyset keys;
        fb_keyspace_indices(space, space->n_present + a, n, index);
        err = fb_keyspace_keys(space, index, n, &keys);
        if (!err)
            err = fb_forest_digest(forest, &keys.keys, digests);
        for (size_t i = 0; i < n && !err && *n_found < most; i++)
            if (passes(forest, index[i], digests + i * forest->digest_words))
                found[(*n_found)++] = index[i];
        fb_keyset_close(&keys);
    }
    free(digests);
    return err;
}
