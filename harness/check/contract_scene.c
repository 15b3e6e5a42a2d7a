#include "harness/check/contract_scene.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/filter/bits_taken.h"
#include "workloads/core/rng.h"

_Noreturn void fb_contract_break(struct fb_contract *c, const char *what)
{
    fb_answer_wrong(&c->answers, "%s", what);
    longjmp(c->broken, 1);
}

void fb_require_ok(struct fb_contract *c, enum fb_err err, const char *const *why, const char *what)
{
    if (!err)
        return;
    fb_answer_wrong(&c->answers, "%s: %s", what, why && *why ? *why : fb_err_text(err));
    longjmp(c->broken, 1);
}

void *fb_contract_alloc(struct fb_contract *c, size_t n_bytes)
{
    void *bytes = calloc(n_bytes + 1, 1);
    fb_require(c, bytes, fb_err_text(FB_ENOMEM));
    return bytes;
}

void fb_contract_do(struct fb_contract *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->doing, sizeof c->doing, format, args);
    va_end(args);
}

struct fb_params fb_contract_params(const struct fb_design *design)
{
    return (struct fb_params){.bits_per_key =
                                  design->traits & FB_CONTROL ? 0 : fb_bits_taken(design, 10)};
}

enum { MOST_KEY = 64 };

struct fb_keyset fb_contract_keys(struct fb_contract *c, const char *family, uint64_t base,
                                  size_t n, bool others)
{
    struct fb_keyset set;
    const uint64_t stream = fb_stream_word(base, others);
    fb_require_ok(c, fb_keyset_alloc(n, MOST_KEY * (uint64_t)n, false, &set), NULL, "keys");
    for (size_t i = 0; i < n; i++) {
        char key[MOST_KEY];
        const uint64_t word = fb_stream_word(stream, i);
        size_t len = 8;
        if (!strcmp(family, "u64")) {
            fb_put_be64((uint8_t *)key, word);
        } else if (!strcmp(family, "bin")) {
            len = others ? 16 + word % (MOST_KEY - 15) : word % (MOST_KEY + 1);
            for (size_t j = 0; j < MOST_KEY; j += 8)
                fb_put_be64((uint8_t *)key + j, fb_stream_word(word, j));
        } else {
            const uint64_t place = *family == 'd' ? i / 3 : i;
            len = (size_t)snprintf(key, sizeof key, "key%06" PRIu64,
                                   base + place + (others ? 500000 : 0));
        }
        fb_keyset_push(&set, key, len, FB_KEY_BYTES);
    }
    return set;
}

struct fb_digests fb_contract_digests(struct fb_contract *c, const struct fb_filter *f,
                                      const struct fb_keys *keys)
{
    const unsigned words = f->geom.digest_words;
    struct fb_digests d = {fb_contract_alloc(c, keys->n * words * sizeof(uint64_t)), keys->n};
    fb_require_ok(c, fb_digest_keys(f->design, f->hash, words, keys, d.words), NULL, "digests");
    return d;
}

size_t fb_contract_answers_of(struct fb_contract *c, const struct fb_filter *f, struct fb_digests d,
                              uint8_t *maybe)
{
    const struct fb_kernel *kernel = f->kernel;
    const size_t hits = kernel->query_batch(f, d.words, d.n, maybe);
    size_t yes = 0;
    for (size_t i = 0; i < d.n; i++) {
        fb_require(c, maybe[i] <= 1, "a batch answers neither 0 nor 1");
        fb_require(c, kernel->query(f, d.words + i * f->geom.digest_words) == maybe[i],
                   "a batch answers otherwise than one by one");
        yes += maybe[i];
    }
    fb_require(c, hits == yes, "a batch counts other answers than it gives");
    fb_require(c, kernel->query_each(f, d.words, d.n) == hits, "query_each counts otherwise");
    fb_require(c, kernel->query_branch(f, d.words, d.n) == hits, "query_branch counts otherwise");
    fb_require(c, kernel->query_chain(f, d.words, d.n) == hits, "query_chain counts otherwise");
    return hits;
}

/* ---- One set of keys ---- */

enum { N = FB_CONTRACT_N };

void fb_contract_make_digests(struct fb_contract *c)
{
    struct fb_params params = fb_contract_params(c->design);
    struct fb_geometry geom;
    const char *why = NULL;
    fb_require_ok(c, fb_params_plan(c->design, N, &params, &geom, &why), &why, "plan");
    c->words = geom.digest_words;
    c->digests = fb_contract_alloc(c, 2 * (size_t)N * c->words * sizeof *c->digests);
    for (int others = 0; others < 2; others++) {
        struct fb_keyset set = fb_contract_keys(c, "u64", 33, N, others);
        uint64_t *to = c->digests + (size_t)others * N * c->words;
        fb_require_ok(c, fb_digest_keys(c->design, NULL, c->words, &set.keys, to), NULL, "digests");
        fb_keyset_close(&set);
    }
}

enum fb_err fb_contract_try(struct fb_contract *c, const struct fb_design *of, uint64_t capacity,
                            size_t first, size_t n, struct fb_filter *out, const char **why)
{
    struct fb_params params = fb_contract_params(c->design);
    params.capacity = capacity;
    const size_t bytes = n * c->words * sizeof *c->digests;
    uint64_t *copy = fb_contract_alloc(c, bytes); /* builds may reorder them */
    memcpy(copy, c->digests + first * c->words, bytes);
    const enum fb_err err = fb_filter_build_digests(of, NULL, &params, copy, n, out, why);
    free(copy);
    return err;
}

struct fb_filter fb_contract_build(struct fb_contract *c, uint64_t capacity, size_t first, size_t n)
{
    struct fb_filter f;
    const char *why = NULL;
    fb_require_ok(c, fb_contract_try(c, c->design, capacity, first, n, &f, &why), &why, "build");
    return f;
}

size_t fb_contract_hits(const struct fb_contract *c, const struct fb_filter *f, size_t first,
                        size_t n)
{
    return f->kernel->query_each(f, c->digests + first * c->words, n);
}

void fb_contract_all_in(struct fb_contract *c, const struct fb_filter *f, size_t first, size_t n)
{
    const bool denies = c->design->traits & FB_FALSE_NEGATIVES;
    fb_require(c, fb_contract_hits(c, f, first, n) == (denies ? 0 : n),
               "a key that is in is denied");
}

bool fb_contract_same_geometry(const struct fb_geometry *a, const struct fb_geometry *b)
{
    return a->block_bits == b->block_bits && a->probes == b->probes &&
           a->digest_words == b->digest_words && a->n_blocks == b->n_blocks &&
           a->n_bytes == b->n_bytes && a->n_bits == b->n_bits && a->range.m == b->range.m &&
           !memcmp(a->own, b->own, sizeof a->own);
}

void fb_contract_same(struct fb_contract *c, const struct fb_filter *a, const struct fb_filter *b)
{
    const char *why = NULL;
    fb_require(c, fb_contract_same_geometry(&a->geom, &b->geom), "another geometry");
    fb_require(c, !memcmp(a->bytes, b->bytes, (size_t)a->geom.n_bytes), "other bits");
    fb_require(c, a->n_keys == b->n_keys, "another number of keys");
    fb_require(c, a->finished && b->finished, "a filter that was built is not finished");
    for (const struct fb_format *f = c->design->formats; f && f->name; f++) {
        const size_t size = (size_t)f->size(a);
        uint8_t *one = fb_contract_alloc(c, size), *other = fb_contract_alloc(c, size);
        fb_require(c, f->size(b) == size, "a block of another size");
        fb_require_ok(c, fb_filter_write(a, f, one, &why), &why, "write");
        fb_require_ok(c, fb_filter_write(b, f, other, &why), &why, "write");
        fb_require(c, !memcmp(one, other, size), "another block");
        free(one);
        free(other);
    }
}
