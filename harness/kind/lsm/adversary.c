/* Absent keys that pass the filters of a tree, and queries for them. */
#include <stdlib.h>

#include "harness/base/parallel.h"
#include "harness/kind/lsm/adversary.h"

enum {
    ADVERSARIAL_KEYS = 1024, /* found once and asked again and again */
    CHUNK = 512,
};
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

/* Indices of absent keys that the forest passes, at most `most`, into found; their number. */
static enum fb_err find(const struct fb_forest *forest, size_t most, uint64_t *found,
                        size_t *n_found)
{
    const struct fb_keyspace *space = forest->tree->space;
    struct fb_keyset keys = {0};
    uint64_t *digests = calloc((size_t)CHUNK * (forest->digest_words + 1), sizeof *digests);
    uint8_t *key = malloc(space->max_len + 1);
    enum fb_err err = digests && key ? FB_OK : FB_ENOMEM;
    *n_found = 0;
    if (!err)
        err = fb_keyset_alloc(CHUNK, CHUNK * (space->max_len + 1), false, &keys);
    uint64_t end = space->size - space->n_present;
    end = space->n_present + (end < MOST_TRIED ? end : MOST_TRIED);
    for (uint64_t a = space->n_present; !err && a < end && *n_found < most; a += CHUNK) {
        uint64_t index[CHUNK];
        size_t n = end - a < CHUNK ? (size_t)(end - a) : CHUNK;
        keys.keys.n = 0;
        for (size_t i = 0; i < n; i++) {
            index[i] = fb_keyspace_index(space, a + i);
            size_t len = fb_keyspace_write(space, index[i], key);
            fb_keyset_push(&keys, key, len, FB_KEY_BYTES);
        }
        err = fb_forest_digest(forest, &keys.keys, digests);
        for (size_t i = 0; i < n && !err && *n_found < most && !fb_interrupted(); i++)
            if (passes(forest, index[i], digests + i * forest->digest_words))
                found[(*n_found)++] = index[i];
    }
    fb_keyset_close(&keys);
    free(digests);
    free(key);
    return err;
}

enum fb_err fb_lsm_adversary_queries(const struct fb_lsm *e, const struct fb_lsm_cell *cell,
                                     const struct fb_forest *forest, struct fb_lsm_timed *timed,
                                     const struct fb_queries **out, const char **why)
{
    bool public = e->filters[cell->filter].hash == e->filters[0].hash;
    struct fb_lsm_adversary *a = fb_lsm_timed_adversary(timed, ADVERSARIAL_KEYS);
    struct fb_query_spec spec = e->spec;
    *out = NULL;
    *why = NULL;
    if (!a)
        return FB_ENOMEM;
    enum fb_err err = FB_OK;
    if (public)
        err = find(forest, ADVERSARIAL_KEYS, a->keys, &a->n_keys);
    if (!err && !a->n_keys) {
        *why = "no absent key was found that passes the filters";
        err = FB_EINVAL;
    }
    spec.absent = e->streams[cell->stream].absent;
    spec.absent_kind = FB_ADVERSARIAL;
    spec.adversarial = a->keys;
    spec.n_adversarial = a->n_keys;
    if (!err)
        err = fb_queries_init(&spec, forest->tree, e->seed, &a->queries, why);
    if (!err)
        *out = &a->queries;
    return err;
}
