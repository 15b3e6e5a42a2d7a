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
#include <string.h>

#include "filters/core/tuning.h"
#include "filters/lookup/internal/one_by_one.h"

/* Runs of a block that are asked with query_batch. */
struct common {
    const struct fb_filter *filter[FB_ACROSS]; /* the one of all keys; NULL: there is none */
    bool missing[FB_ACROSS];                   /* some keys are out of its range */
};

static void compare_rows(const struct fb_walks *w, size_t first, size_t n, struct common *common,
                         uintptr_t differs[FB_ACROSS])
{
    for (size_t i = 0; i < w->n; i++) {
        const struct fb_filter *const *row = fb_walk_row(w, i) + first;
        for (size_t r = 0; r < n; r++) {
            differs[r] |= row[r] ? (uintptr_t)row[r] ^ (uintptr_t)common->filter[r] : 0;
            common->missing[r] |= !row[r];
        }
    }
}

/* The one filter that every key of the block has in a run, if they have one and at least half of
 * them want it; else NULL. A key that is out of the run's range does not matter. */
static void find_common(const struct fb_walks *w, size_t first, size_t n, struct common *common)
{
    uintptr_t differs[FB_ACROSS] = {0};
    size_t ending[FB_ACROSS] = {0},
           wanted = w->n; /* walks that end in this run or an earlier one */
    for (size_t r = 0; r < n; r++) {
        common->filter[r] = w->n ? fb_walk_row(w, w->n / 2)[first + r] : NULL;
        common->missing[r] = false;
    }
    if (!w->one_row)
        compare_rows(w, first, n, common, differs);
    for (size_t i = 0; i < w->n; i++) {
        if (w->holder[i] < first)
            wanted--;
        else if (w->holder[i] < first + n)
            ending[w->holder[i] - first]++;
    }
    for (size_t r = 0; r < n; r++) {
        const struct fb_filter *f = common->filter[r];
        if (differs[r] || wanted * 2 < w->n || (f && f->geom.digest_words != w->digest_words))
            common->filter[r] = NULL;
        wanted -= ending[r];
    }
}

/* What run r answers for the keys of the block, which lie in `answers`. */
static void ask_common(const struct fb_walks *w, size_t r, const struct fb_filter *f, bool missing,
                       uint8_t *answers, struct fb_walk_work *work)
{
    const struct fb_kernel *kernel = fb_filter_constant(f) ? f->kernel : w->kernel;
    kernel->query_batch(f, w->digests, w->n, answers);
    for (size_t i = 0; missing && i < w->n; i++)
        answers[i] &= fb_walk_row(w, i)[r] != NULL;
    if (work)
        work->asked += w->n;
}

enum { ABREAST = 8 };

/*
 * Answers of n runs as bits `shift` .. `shift` + n - 1 of a word of each key: eight bytes of 0 or 1
 * for eight keys are one word, and the words of the runs, each moved by its number, are eight bytes
 * of bits. Example: run 0 says yes to keys 0 and 2, run 1 to key 2: 00 01 00 01 and 00 01 00 00,
 * moved by 1 00 02 00 00, give 00 03 00 01.
 */
__attribute__((always_inline)) static inline void
put_bits(const struct fb_walks *w, const uint8_t *answers, size_t n, uint64_t *maybe, size_t shift)
{
    const size_t words = fb_walk_words(w->width), whole = w->n & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t keys = 0;
        for (size_t r = 0; r < n; r++)
            keys |= fb_le64(answers + r * w->n + i) << r;
        for (size_t k = 0; k < 8 && keys; k++, keys >>= 8)
            maybe[(i + k) * words] |= (keys & 255) << shift;
    }
    for (size_t i = whole; i < w->n; i++)
        for (size_t r = 0; r < n; r++)
            maybe[i * words] |= (uint64_t)answers[r * w->n + i] << (shift + r);
}

/* The runs first .. first + n - 1 that have one filter; n at most ABREAST, and their bits are in
 * one word. */
static void ask_abreast(const struct fb_walks *w, const struct common *common, size_t from,
                        size_t first, size_t n, uint64_t *maybe, struct fb_walk_work *work)
{
    const struct fb_filter *const *filter = common->filter + (first - from);
    size_t there = 0;
    for (size_t r = 0; r < n; r++)
        there += filter[r] != NULL;
    for (size_t r = 0; r < n && there; r++) {
        uint8_t *answers = w->answers + r * w->n;
        const struct fb_filter *f = filter[r];
        if (f)
            ask_common(w, first + r, f, common->missing[first - from + r], answers, work);
        else
            memset(answers, 0, w->n);
    }
    maybe += first / FB_ACROSS;
    if (there && n == ABREAST)
        put_bits(w, w->answers, ABREAST, maybe, first % FB_ACROSS);
    else if (there)
        put_bits(w, w->answers, n, maybe, first % FB_ACROSS);
}

/* The filters of walk i in runs [r, end) as far as it goes; 0 if it ends before. */
static size_t reach(const struct fb_walks *w, size_t i, size_t r, size_t end)
{
    size_t n = fb_walk_length(w, i);
    return n <= r ? 0 : (n < end ? n : end) - r;
}

/* How many lines to have on their way: by a key in the middle, whose filters are as far off as the
 * others'. */
static struct fb_prefetch look_ahead(const struct fb_walks *w, size_t r, size_t end)
{
    const struct fb_filter *const *row = fb_walk_row(w, w->n / 2) + r;
    const struct fb_prefetch none = {0, FB_HINT_NONE};
    size_t there = 0;
    while (there < end - r && (!row[there] || fb_filter_constant(row[there])))
        there++;
    return there == end - r
               ? none
               : fb_tuning_now()->prefetch[FB_TUNED_QUERY][fb_tuned_shape(&row[there]->geom)]
                                          [fb_reach_across(row, end - r)];
}

/* Runs [r, end), at most 64 and in one word of answers. */
static void ask_own(const struct fb_walks *w, size_t r, size_t end, uint64_t *maybe,
                    struct fb_walk_work *work)
{
    const size_t words = fb_walk_words(w->width), dw = w->digest_words;
    const struct fb_prefetch how = look_ahead(w, r, end);
    const size_t ahead = (how.ahead + end - r - 1) / (end - r);
    for (size_t i = 0; i < ahead && i < w->n; i++)
        w->kernel->prefetch_across(fb_walk_row(w, i) + r, reach(w, i, r, end), w->digests + i * dw);
    for (size_t i = 0; i < w->n; i++) {
        const struct fb_filter *const *row = fb_walk_row(w, i) + r;
        const size_t n = reach(w, i, r, end);
        if (ahead && i + ahead < w->n)
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

static void hash_block(const struct fb_walks *w, struct fb_walk_work *work)
{
    const struct fb_keys *keys = w->keys;
    const struct fb_keys block = {.bytes = keys->bytes,
                                  .offset = keys->offset + w->first,
                                  .type = keys->type ? keys->type + w->first : NULL,
                                  .n = w->n};
    (void)!fb_digest_keys(w->design, w->hash, w->digest_words, &block, w->digests);
    if (work)
        work->digests += w->n;
}

static void run(const struct fb_walks *w, uint64_t *maybe, struct fb_walk_work *work)
{
    if (w->keys)
        hash_block(w, work);
    for (size_t word = 0; word < w->n * fb_walk_words(w->width); word++)
        maybe[word] = 0;
    for (size_t first = 0; first < w->width; first += FB_ACROSS) {
        const size_t n = w->width - first < FB_ACROSS ? w->width - first : FB_ACROSS;
        struct common common;
        size_t own = 0; /* runs own .. r - 1 of these are to be asked key by key */
        find_common(w, first, n, &common);
        for (size_t r = 0; r < n; r += ABREAST)
            ask_abreast(w, &common, first, first + r, n - r < ABREAST ? n - r : ABREAST, maybe,
                        work);
        for (size_t r = 0; r <= n; r++) {
            if (r < n && !common.filter[r])
                continue;
            if (own < r)
                ask_own(w, first + own, first + r, maybe, work);
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
