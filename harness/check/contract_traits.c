/* What only some designs offer, and others must refuse: keys added later, taken out, refused; words
 * of their own; keys as digests. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/builder.h"
#include "harness/check/contract_scene.h"

enum { N = FB_CONTRACT_N };

static void own_words_have_names(struct fb_contract *c)
{
    size_t n = 0;
    fb_contract_make_digests(c);
    struct fb_filter f = fb_contract_build(c, 0, 0, N);
    while (c->design->own && c->design->own[n])
        fb_require(c, c->design->own[n++][0], "a word of its own has an empty name");
    fb_require(c, n <= FB_OWN_WORDS, "more words of its own than there is room for");
    for (; n < FB_OWN_WORDS; n++)
        fb_require(c, f.geom.own[n] == 0, "a word of its own has no name");
    fb_filter_close(&f);
}

/* ---- Adding ---- */

static void keys_that_come_later_count(struct fb_contract *c)
{
    const bool adds = fb_design_adds(c->design);
    const char *why = NULL;
    size_t added = 7;
    fb_contract_make_digests(c);
    struct fb_filter f = fb_contract_build(c, N, 0, N / 2);
    const enum fb_err err =
        fb_filter_add_digests(&f, c->digests + (size_t)(N / 2) * c->words, N / 2, &added, &why);
    fb_require(c, err == (adds ? FB_OK : FB_EUNSUPPORTED), "adding is not refused, or not done");
    fb_require(c, added == (err ? 0 : N / 2), "another number of keys added");
    fb_require(c, !err == !why, "a reason without a refusal, or the reverse");
    if (!err) {
        struct fb_filter whole = fb_contract_build(c, N, 0, N);
        fb_contract_same(c, &f, &whole);
        fb_filter_close(&whole);
    }
    fb_answer_word(&c->answers, f.n_keys);
    fb_filter_close(&f);
}

/* Of n keys; the one behind them was refused. It is refused again and moves nothing; where keys can
 * be taken out there is room for as many afterwards. */
static void check_full(struct fb_contract *c, struct fb_filter *f, size_t n)
{
    enum { SOME = 20 };
    const size_t bytes = (size_t)f->geom.n_bytes;
    uint8_t *before = fb_contract_alloc(c, bytes);
    const char *why = NULL;
    size_t count;
    memcpy(before, f->bytes, bytes);
    fb_require(c, fb_filter_add_digests(f, c->digests + n * c->words, 1, &count, &why) == FB_EFULL,
               "a key that was refused is taken");
    fb_require(c, f->n_keys == n, "a key that was refused is counted");
    fb_require(c, !memcmp(f->bytes, before, bytes), "a key that was refused changes bits");
    free(before);
    if (!fb_design_removes(c->design))
        return;
    fb_require_ok(c, fb_filter_remove_digests(f, c->digests, SOME, &count, &why), &why, "remove");
    fb_require(c, count == SOME, "keys of a full filter are not found");
    fb_require_ok(c, fb_filter_add_digests(f, c->digests, SOME, &count, &why), &why, "add again");
    fb_contract_all_in(c, f, 0, n);
}

static void a_full_filter_keeps_what_is_in(struct fb_contract *c)
{
    const struct fb_design *design = c->design;
    const char *why = NULL;
    size_t added;
    if (!fb_design_adds(design))
        return;
    fb_contract_make_digests(c);
    struct fb_filter f = fb_contract_build(c, 100, 0, 50);
    const enum fb_err err =
        fb_filter_add_digests(&f, c->digests + (size_t)50 * c->words, N - 50, &added, &why);
    fb_require(c, err == (design->when_full && !design->grow ? FB_EFULL : FB_OK),
               "many more keys than it was sized for: full without when_full, or the reverse");
    fb_require(c, err ? added >= 40 && added < N - 50 : added == N - 50,
               "another number of keys added");
    fb_require(c, f.n_keys == 50 + added, "another number of keys counted");
    fb_require(c, why == (err ? design->when_full : NULL), "the reason is not its when_full");
    fb_contract_all_in(c, &f, 0, 50 + added);
    fb_answer_word(&c->answers, added);
    if (err)
        check_full(c, &f, 50 + added);
    fb_filter_close(&f);
}

static void an_infallible_design_never_fails(struct fb_contract *c)
{
    fb_require(c, !c->design->retry || c->design->when_full, "retry() without when_full");
    if (c->design->when_full)
        return;
    fb_contract_make_digests(c);
    struct fb_filter f = fb_contract_build(c, 10, 0, N);
    fb_contract_all_in(c, &f, 0, N);
    fb_filter_close(&f);
}

/* ---- Removing ---- */

/* Takes the first n keys out; the number found. */
static size_t take_out(struct fb_contract *c, struct fb_filter *f, size_t n)
{
    const char *why = NULL;
    size_t removed;
    fb_require_ok(c, fb_filter_remove_digests(f, c->digests, n, &removed, &why), &why, "remove");
    return removed;
}

/* Returns how many of the keys that were taken out are admitted none the less. */
static size_t check_removal(struct fb_contract *c, const struct fb_kernel *kernel)
{
    const char *why = NULL;
    size_t added;
    struct fb_filter f = fb_contract_build(c, 0, 0, N);
    f.kernel = kernel;
    fb_require(c, take_out(c, &f, N / 3) == N / 3, "keys that are in are not found");
    fb_require(c, f.n_keys == N - N / 3, "another number of keys counted");
    fb_contract_all_in(c, &f, N / 3, N - N / 3);
    const size_t left = fb_contract_hits(c, &f, 0, N / 3);
    fb_require(c, (double)left <= 3 * c->design->fpr(&f.geom, N) * N / 3 + 20,
               "keys that were taken out are still in");
    fb_require_ok(c, fb_filter_add_digests(&f, c->digests, N / 3, &added, &why), &why, "add");
    fb_contract_all_in(c, &f, 0, N);
    fb_require(c, take_out(c, &f, N) == N && f.n_keys == 0, "not all keys are taken out");
    fb_require(c, fb_contract_hits(c, &f, 0, 2 * (size_t)N) == 0, "an emptied filter admits keys");
    fb_require(c, take_out(c, &f, N) == 0 && f.n_keys == 0,
               "keys are taken out of an empty filter");
    fb_filter_close(&f);
    return left;
}

/* Keys that were taken out are not found again, but for those that look like others. */
static void check_second_removal(struct fb_contract *c)
{
    struct fb_filter f = fb_contract_build(c, 0, 0, N);
    take_out(c, &f, N / 3);
    const size_t again = take_out(c, &f, N / 3);
    fb_require(c, (double)again <= 3 * c->design->fpr(&f.geom, N) * N / 3 + 20,
               "keys are taken out a second time");
    fb_require(c, f.n_keys == N - N / 3 - again, "another number of keys counted");
    fb_answer_word(&c->answers, again);
    fb_answer_bytes(&c->answers, f.bytes, (size_t)f.geom.n_bytes);
    fb_filter_close(&f);
}

/* A filter that was read takes keys and gives them back as the one that was written. */
static void check_removal_of_read(struct fb_contract *c, const struct fb_format *format)
{
    struct fb_filter f = fb_contract_build(c, 2 * N, 0, N), copy;
    const size_t size = (size_t)format->size(&f);
    uint8_t *block = fb_contract_alloc(c, size);
    const char *why = NULL;
    size_t added;
    fb_require_ok(c, fb_filter_write(&f, format, block, &why), &why, "write");
    fb_require_ok(c, fb_filter_read(c->design, format, block, size, &copy, &why), &why, "read");
    free(block);
    fb_require(c, copy.n_keys == N, "what is read back has another number of keys");
    fb_require(c, take_out(c, &copy, N / 3) == N / 3 && take_out(c, &f, N / 3) == N / 3,
               "keys of what is read back are not found");
    for (struct fb_filter *to = &f; to; to = to == &f ? &copy : NULL)
        fb_require_ok(
            c, fb_filter_add_digests(to, c->digests + (size_t)N * c->words, N / 3, &added, &why),
            &why, "add");
    fb_require(c,
               copy.n_keys == N && fb_contract_same_geometry(&copy.geom, &f.geom) &&
                   !memcmp(copy.bytes, f.bytes, (size_t)f.geom.n_bytes),
               "what is read back takes keys otherwise");
    fb_filter_close(&copy);
    fb_filter_close(&f);
}

static void keys_are_taken_out(struct fb_contract *c)
{
    const bool removes = fb_design_removes(c->design);
    const char *why = NULL;
    size_t removed = 7, left = 0;
    fb_contract_make_digests(c);
    for (const struct fb_kernel *const *k = c->design->kernels; *k; k++) {
        fb_require(c, ((*k)->remove_batch != NULL) == removes, "only some kernels remove");
        if (!removes || !fb_cpu_has((*k)->isa))
            continue;
        const size_t admitted = check_removal(c, *k);
        left = k == c->design->kernels ? admitted : left;
        fb_require(c, admitted == left, "kernels take out other keys");
    }
    if (removes) {
        fb_answer_word(&c->answers, left); /* once, whatever kernels run here */
        check_second_removal(c);
        for (const struct fb_format *format = c->design->formats; format && format->name; format++)
            if (format->read)
                check_removal_of_read(c, format);
        return;
    }
    struct fb_filter f = fb_contract_build(c, 0, 0, N);
    fb_require(c, fb_filter_remove_digests(&f, c->digests, N, &removed, &why) == FB_EUNSUPPORTED,
               "removal is not refused");
    fb_require(c, why && removed == 0, "refused without a reason");
    fb_require(c, c->design->traits & FB_DROPS_ADJACENT || f.n_keys == N,
               "another number of keys counted");
    fb_filter_close(&f);
}

/* ---- Single keys ---- */

/* Keys from first on, one by one; a static filter takes none. */
static void add_keys(struct fb_contract *c, struct fb_filter *f, const struct fb_keys *keys,
                     size_t first)
{
    const enum fb_err expected = fb_design_adds(c->design) ? FB_OK : FB_EUNSUPPORTED;
    const uint64_t before = f->n_keys;
    for (size_t i = first; i < keys->n; i++)
        fb_require(c, fb_filter_add(f, fb_key_at(keys, i), fb_key_len(keys, i)) == expected,
                   "a key is not added, or a static filter takes one");
    fb_require(c, f->n_keys == before + (expected == FB_OK ? keys->n - first : 0),
               "another number of keys counted");
}

/* The same filter from keys one by one, through a builder and, where the design adds, later. */
static void one_by_one_as_at_once(struct fb_contract *c, const struct fb_keys *keys,
                                  const struct fb_filter *whole)
{
    struct fb_params params = fb_contract_params(c->design);
    struct fb_keys half = *keys;
    struct fb_builder b;
    struct fb_filter f;
    const char *why = NULL;
    half.n /= 2;
    fb_require_ok(c, fb_builder_open(&b, c->design, NULL, &params, keys->n, &why), &why, "open");
    for (size_t i = 0; i < keys->n; i++)
        fb_require_ok(c, fb_builder_add_key(&b, fb_key_at(keys, i), fb_key_len(keys, i), &why),
                      &why, "add a key");
    fb_require_ok(c, fb_builder_finish(&b, &f, &why), &why, "finish");
    fb_builder_close(&b);
    fb_contract_same(c, &f, whole);
    fb_filter_close(&f);

    params.capacity = keys->n;
    fb_require_ok(c, fb_filter_build(c->design, NULL, &params, &half, &f, &why), &why, "build");
    add_keys(c, &f, keys, half.n);
    if (fb_design_adds(c->design))
        fb_contract_same(c, &f, whole);
    fb_filter_close(&f);
}

static void a_long_key_is_refused(struct fb_contract *c, struct fb_filter *f)
{
    static const uint8_t zeros[1000];
    const bool takes = !(c->design->traits & FB_TAKES_KEYS);
    const struct fb_params params = fb_contract_params(c->design);
    struct fb_builder b;
    const char *why = NULL;
    fb_require(c, takes || fb_filter_maybe(f, zeros, sizeof zeros),
               "a key that is not taken is denied");
    fb_require(c, (fb_filter_add(f, zeros, sizeof zeros) == FB_EINVAL) == !takes,
               "a key of 1000 bytes is not refused, or not taken");
    fb_require_ok(c, fb_builder_open(&b, c->design, NULL, &params, 10, &why), &why, "open");
    fb_require(c, fb_builder_add_key(&b, zeros, sizeof zeros, &why) == (takes ? FB_OK : FB_EINVAL),
               "a builder does not refuse a key of 1000 bytes, or does not take it");
    fb_require(c, takes == !why, "refused without a reason");
    fb_builder_close(&b);
}

static void one_key_is_asked(struct fb_contract *c)
{
    const bool denies = c->design->traits & FB_FALSE_NEGATIVES;
    const struct fb_params params = fb_contract_params(c->design);
    struct fb_keyset set = fb_contract_keys(c, "bin", 5, 100, false);
    struct fb_keyset others = fb_contract_keys(c, "bin", 6, 100, true);
    uint8_t answers[100];
    size_t n_maybe;
    struct fb_filter f;
    const char *why = NULL;
    fb_require_ok(c, fb_filter_build(c->design, NULL, &params, &set.keys, &f, &why), &why, "build");
    fb_require_ok(c, fb_filter_query_keys(&f, &others.keys, answers, &n_maybe), NULL, "keys");
    for (size_t i = 0; i < 100; i++) {
        const struct fb_keys *in = &set.keys, *out = &others.keys;
        fb_require(c, fb_filter_maybe(&f, fb_key_at(in, i), fb_key_len(in, i)) == !denies,
                   "a key that is in is denied");
        fb_require(c, fb_filter_maybe(&f, fb_key_at(out, i), fb_key_len(out, i)) == answers[i],
                   "a key alone is answered otherwise");
    }
    one_by_one_as_at_once(c, &set.keys, &f);
    a_long_key_is_refused(c, &f);
    fb_filter_close(&f);
    fb_keyset_close(&set);
    fb_keyset_close(&others);
}

/* ---- Random bits ---- */

static void random_bits_stand_for_keys(struct fb_contract *c)
{
    enum { ASKED = 100000 };
    const struct fb_design *design = c->design;
    struct fb_params params = fb_contract_params(design);
    struct fb_geometry geom;
    struct fb_filter f;
    const char *why = NULL;
    size_t hits = 0;
    if (!(design->traits & FB_RANDOM_STANDS))
        return;
    fb_require_ok(c, fb_params_plan(design, N, &params, &geom, &why), &why, "plan");
    fb_require_ok(c, fb_filter_alloc(design, &geom, &f), NULL, "memory");
    for (uint64_t i = 0; i < geom.n_bytes; i++)
        f.bytes[i] = (uint8_t)fb_mix64(i);
    for (uint64_t i = 0; i < ASKED; i++) {
        uint64_t digest[FB_MAX_PROBES];
        for (unsigned w = 0; w < geom.digest_words; w++)
            digest[w] = fb_mix64(~(i * FB_MAX_PROBES + w));
        hits += f.kernel->query(&f, digest);
    }
    fb_filter_close(&f);
    const double expected = ASKED * design->fpr(&geom, N), slack = expected / 10 + 10;
    fb_require(c, fabs((double)hits - expected) < slack + 4 * sqrt(expected),
               "random bits let through another share of absent keys");
}

const struct fb_contract_part fb_contract_traits[] = {
    {"own words", "words of its own have names", own_words_have_names},
    {"adding", "keys that come later count, or are refused", keys_that_come_later_count},
    {"full", "a full filter keeps what is in", a_full_filter_keeps_what_is_in},
    {"never full", "what says that it never fails does not", an_infallible_design_never_fails},
    {"removal", "keys are taken out, or that is refused", keys_are_taken_out},
    {"random bits", "random bits stand for its keys, where it says so", random_bits_stand_for_keys},
    {"single keys", "single keys are answered as many are", one_key_is_asked},
    {0},
};
