/*
 * batched: a block of keys at a time. All are hashed first, in vectors where their length allows;
 * then
 *
 *     runs whose filter is the same for most keys (a run of one segment) are asked with
 *     query_batch, many keys of one filter in flight;
 *     the others are asked key by key, with the lines of the keys behind on the way already.
 *
 * Keys whose walk has ended are asked along where a run is asked for all; their answers are
 * dropped.
 */
#include "filters/lookup/internal/one_by_one.h"

enum { LINES_AHEAD = 128 }; /* prefetched and not yet asked */

/* The one filter that every key of the block has in a run, if they have one and at least half of
 * them want it; else NULL. A key that is out of the run's range does not matter. */
static void find_common(const struct fb_walks *w, size_t first, size_t n,
                        const struct fb_filter *common[FB_ACROSS])
{
    uintptr_t differs[FB_ACROSS] = {0};
    size_t ending[FB_ACROSS] = {0},
           wanted = w->n; /* walks that end in this run or an earlier one */
    for (size_t r = 0; r < n; r++)
        common[r] = w->n ? fb_walk_row(w, w->n / 2)[first + r] : NULL;
    for (size_t i = 0; i < w->n; i++) {
        const struct fb_filter *const *row = fb_walk_row(w, i) + first;
        for (size_t r = 0; r < n; r++)
            differs[r] |= row[r] ? (uintptr_t)row[r] ^ (uintptr_t)common[r] : 0;
        if (w->holder[i] < first)
            wanted--;
        else if (w->holder[i] < first + n)
            ending[w->holder[i] - first]++;
    }
    for (size_t r = 0; r < n; r++) {
        if (differs[r] || wanted * 2 < w->n ||
            (common[r] && common[r]->geom.digest_words != w->digest_words))
            common[r] = NULL;
        wanted -= ending[r];
    }
}

/* Most answers are no: they are looked at eight at a time. */
static void ask_common(const struct fb_walks *w, size_t r, const struct fb_filter *f,
                       uint64_t *maybe, struct fb_walk_work *work)
{
    const size_t words = fb_walk_words(w->width);
    const struct fb_kernel *kernel = fb_filter_constant(f) ? f->kernel : w->kernel;
    size_t hits = kernel->query_batch(f, w->digests, w->n, w->answers);
    for (size_t i = 0; hits; i++) {
        if (i % 8 == 0 && i + 8 <= w->n && fb_le64(w->answers + i) == 0) {
            i += 7;
            continue;
        }
        if (!w->answers[i])
            continue;
        hits--;
        if (fb_walk_row(w, i)[r])
            maybe[i * words + r / FB_ACROSS] |= UINT64_C(1) << r % FB_ACROSS;
    }
    if (work)
        work->asked += w->n;
}

/* The filters of walk i in runs [r, end) as far as it goes; 0 if it ends before. */
static size_t reach(const struct fb_walks *w, size_t i, size_t r, size_t end)
{
    size_t n = fb_walk_length(w, i);
    return n <= r ? 0 : (n < end ? n : end) - r;
}

/* Runs [r, end), at most 64 and in one word of answers. */
static void ask_own(const struct fb_walks *w, size_t r, size_t end, uint64_t *maybe,
                    struct fb_walk_work *work)
{
    const size_t words = fb_walk_words(w->width), dw = w->digest_words;
    const size_t ahead = (LINES_AHEAD + end - r - 1) / (end - r);
    for (size_t i = 0; i < ahead && i < w->n; i++)
        w->kernel->prefetch_across(fb_walk_row(w, i) + r, reach(w, i, r, end), w->digests + i * dw);
    for (size_t i = 0; i < w->n; i++) {
        const struct fb_filter *const *row = fb_walk_row(w, i) + r;
        const size_t n = reach(w, i, r, end);
        if (i + ahead < w->n)
            w->kernel->prefetch_across(fb_walk_row(w, i + ahead) + r, reach(w, i + ahead, r, end),
                                       w->digests + (i + ahead) * dw);
        maybe[i * words + r / 64] |= w->kernel->query_across(row, n, w->digests + i * dw) << r % 64;
        if (work)
            work->asked += fb_walk_count(row, n);
    }
}

/* Answers past the end of a walk, from runs that were asked for all. */
static void drop_answers(const struct fb_walks *w, uint64_t *maybe)
{
    const size_t words = fb_walk_words(w->width);
    for (size_t i = 0; i < w->n; i++, maybe += words) {
        const size_t n = fb_walk_length(w, i);
        for (size_t word = n / 64; word < words; word++)
            maybe[word] &= word > n / 64 ? 0 : (UINT64_C(1) << n % 64) - 1;
    }
}

static void run(const struct fb_walks *w, uint64_t *maybe, struct fb_walk_work *work)
{
    const struct fb_keys *keys = w->keys;
    const struct fb_keys block = {.bytes = keys->bytes,
                                  .offset = keys->offset + w->first,
                                  .type = keys->type ? keys->type + w->first : NULL,
                                  .n = w->n};
    (void)!fb_digest_keys(w->design, w->hash, w->digest_words, &block, w->digests);
    if (work)
        work->digests += w->n;
    for (size_t word = 0; word < w->n * fb_walk_words(w->width); word++)
        maybe[word] = 0;
    for (size_t first = 0; first < w->width; first += FB_ACROSS) {
        const size_t n = w->width - first < FB_ACROSS ? w->width - first : FB_ACROSS;
        const struct fb_filter *common[FB_ACROSS];
        size_t own = 0; /* runs own .. r - 1 of these are to be asked key by key */
        find_common(w, first, n, common);
        for (size_t r = 0; r <= n; r++) {
            if (r < n && !common[r])
                continue;
            if (own < r)
                ask_own(w, first + own, first + r, maybe, work);
            if (r < n)
                ask_common(w, first + r, common[r], maybe, work);
            own = r + 1;
        }
    }
    drop_answers(w, maybe);
}

const struct fb_lookup fb_lookup_batched = {
    .name = "batched",
    .summary = "hash a block of keys, ask run by run, many keys in flight",
    .batched = true,
    .run = run,
};
