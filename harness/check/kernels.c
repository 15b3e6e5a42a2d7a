/* Kernels of every instruction set that this processor has, and block formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/parts.h"

enum { ASKED = 1003, N_FILTERS = 3, MORE = 64 /* bytes behind a block */ };

/* Digests as a hash may give them, extreme halves among them. */
static void write_digests(uint64_t stream, size_t n, uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t word = fb_mix64(stream * UINT64_C(0x9E3779B97F4A7C15) + i);
        const uint64_t low = UINT32_MAX, high = ~low;
        const unsigned kind = word >> 8 & 63;
        out[i] = kind == 0 ? word | low : kind == 1 ? word & high : kind == 2 ? word | high : word;
    }
}

/* Filters of different sizes, and what they are asked: every other digest is one that the first of
 * them holds. */
struct bench {
    const struct fb_design *design;
    struct fb_filter filter[N_FILTERS];
    size_t n_keys[N_FILTERS];
    unsigned words;
    uint64_t *keys, *asked, *spare; /* of ASKED digests, at least */
};

static enum fb_err bench_open(const struct fb_design *design, const struct fb_params *params,
                              size_t n_keys, uint64_t stream, struct bench *b)
{
    enum fb_err err = FB_OK;
    const char *why = NULL;
    *b = (struct bench){.design = design, .n_keys = {n_keys, 1, 150}};
    for (size_t i = 0; i < N_FILTERS && !err; i++) {
        struct fb_params asked = *params;
        struct fb_geometry geom;
        err = fb_params_plan(design, b->n_keys[i], &asked, &geom, &why);
        b->words = !err && geom.digest_words > b->words ? geom.digest_words : b->words;
    }
    const size_t n = (n_keys + ASKED) * (b->words + 1);
    b->keys = calloc(n, sizeof *b->keys);
    b->asked = calloc(n, sizeof *b->asked);
    b->spare = calloc(n, sizeof *b->spare);
    if (!err && (!b->keys || !b->asked || !b->spare))
        err = FB_ENOMEM;
    for (size_t i = 0; i < N_FILTERS && !err; i++) {
        write_digests(stream + i, b->n_keys[i] * b->words, b->spare);
        if (i == 0)
            memcpy(b->keys, b->spare, n_keys * b->words * sizeof *b->keys);
        err = fb_filter_build_digests(design, NULL, params, b->spare, b->n_keys[i], &b->filter[i],
                                      &why);
    }
    if (err)
        return err;
    write_digests(stream + 7, ASKED * b->words, b->asked);
    for (size_t i = 0; i < ASKED && i < n_keys; i += 2)
        memcpy(b->asked + i * b->words, b->keys + i * b->words, b->words * sizeof *b->asked);
    return FB_OK;
}

static void bench_close(struct bench *b)
{
    for (size_t i = 0; i < N_FILTERS; i++)
        fb_filter_close(&b->filter[i]);
    free(b->keys);
    free(b->asked);
    free(b->spare);
}

static void blame(struct fb_answers *a, const struct fb_kernel *kernel, const char *what)
{
    fb_answer_wrong(a, "kernel %s %s: %s", fb_isa_name(kernel->isa), kernel->style, what);
}

/* Batches of all sizes around the widths of vectors, against one question at a time. */
static void compare_batches(const struct bench *b, const struct fb_kernel *kernel,
                            const uint8_t *want, struct fb_answers *a)
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 129, ASKED};
    const struct fb_filter *f = &b->filter[0];
    uint8_t maybe[ASKED];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s], first = ASKED - n;
        const uint64_t *asked = b->asked + first * f->geom.digest_words;
        size_t hits = 0;
        for (size_t i = 0; i < n; i++)
            hits += want[first + i];
        if (kernel->query_batch(f, asked, n, maybe) != hits || memcmp(maybe, want + first, n))
            blame(a, kernel, "a batch is answered otherwise");
        if (kernel->query_each(f, asked, n) != hits || kernel->query_branch(f, asked, n) != hits ||
            kernel->query_chain(f, asked, n) != hits)
            blame(a, kernel, "keys one by one are answered otherwise");
    }
    for (size_t i = 0; i < ASKED; i++)
        if (kernel->query(f, b->asked + i * f->geom.digest_words) != want[i])
            blame(a, kernel, "a key is answered otherwise");
}

/* One digest asked of 64 filters, every fourth of them out of range. */
static void compare_across(const struct bench *b, const struct fb_kernel *kernel,
                           struct fb_answers *a)
{
    const struct fb_filter *filters[64];
    const struct fb_kernel *plain = b->design->kernels[0];
    for (size_t r = 0; r < 64; r++)
        filters[r] = r % 4 < N_FILTERS ? &b->filter[r % 4] : NULL;
    for (size_t i = 0; i < 100; i++) {
        const uint64_t *digest = b->asked + i * b->words;
        const size_t n = i % 65;
        uint64_t want = 0;
        for (size_t r = 0; r < n; r++)
            if (filters[r])
                want |= (uint64_t)(fb_filter_constant(filters[r])
                                       ? filters[r]->kernel->query(filters[r], digest)
                                       : plain->query(filters[r], digest))
                        << r;
        kernel->prefetch_across(filters, n, digest);
        if (kernel->query_across(filters, n, digest) != want)
            blame(a, kernel, "filters asked at once answer otherwise");
        fb_answer_word(a, want);
    }
}

/* The same bits from every kernel that inserts, keys at a time and in odd numbers. */
static void compare_bits(struct bench *b, const struct fb_kernel *kernel, struct fb_answers *a)
{
    const struct fb_filter *f = &b->filter[0];
    const size_t words = f->geom.digest_words;
    struct fb_filter again = {0};
    if (!kernel->add_batch || b->design->build ||
        !fb_answer_ok(a, fb_filter_alloc(b->design, &f->geom, &again), "filter"))
        return;
    again.reach = f->reach;
    for (size_t done = 0, n = 1; done < b->n_keys[0]; done += n, n = n % 97 + 4) {
        n = fb_min_u64(n, b->n_keys[0] - done);
        kernel->add_batch(&again, b->keys + done * words, n);
    }
    if (memcmp(again.bytes, f->bytes, (size_t)f->geom.n_bytes))
        blame(a, kernel, "keys set other bits");
    fb_filter_close(&again);
}

void fb_check_kernels_at(const struct fb_design *design, const struct fb_params *params, size_t n,
                         uint64_t stream, struct fb_answers *a)
{
    struct bench b;
    uint8_t want[ASKED] = {0};
    if (fb_answer_ok(a, bench_open(design, params, n, stream, &b), "filters") &&
        !fb_filter_constant(&b.filter[0])) {
        struct fb_filter *f = &b.filter[0];
        const struct fb_kernel *const *kernels = b.design->kernels;
        fb_filter_among(f,
                        (uint64_t)n << n % 32); /* as if far off: kernels look ahead, or do not */
        for (size_t i = 0; i < ASKED; i++) {
            want[i] = kernels[0]->query(f, b.asked + i * f->geom.digest_words);
            if (i % 2 == 0 && i < b.n_keys[0] && !want[i] && !(design->traits & FB_FALSE_NEGATIVES))
                blame(a, kernels[0], "a key that is in is denied");
        }
        for (size_t i = 0; i < N_FILTERS; i++)
            fb_answer_bytes(a, b.filter[i].bytes, (size_t)b.filter[i].geom.n_bytes);
        fb_answer_bytes(a, want, sizeof want);
        for (size_t k = 0; kernels[k]; k++) {
            struct fb_answers across = {0};
            if (!fb_cpu_has(kernels[k]->isa))
                continue;
            compare_batches(&b, kernels[k], want, a);
            compare_bits(&b, kernels[k], a);
            compare_across(&b, kernels[k], k ? &across : a);
            if (across.why[0])
                fb_answer_wrong(a, "%s", across.why);
        }
    }
    bench_close(&b);
}

/* Six probes or so, and more than the eight that fill a vector. */
static void ask_kernels(size_t d, struct fb_answers *a)
{
    const struct fb_design *design = fb_design_at(d);
    const struct fb_params usual = fb_check_params(design, 9, 0.02),
                           large = fb_check_params(design, 16, 1e-4);
    fb_check_kernels_at(design, &usual, 3000, 0, a);
    fb_check_kernels_at(design, &large, 3000, 0, a);
}

/* ---- Block formats ---- */

/* Format number i over all designs; NULL: there are fewer. */
static const struct fb_format *format_at(size_t i, const struct fb_design **design)
{
    *design = NULL;
    for (size_t d = 0; d < fb_n_designs(); d++)
        for (const struct fb_format *f = (*design = fb_design_at(d))->formats; f && f->name; f++)
            if (i-- == 0)
                return f;
    return NULL;
}

static const char *format_name(size_t i)
{
    static char name[64];
    const struct fb_design *design;
    const struct fb_format *format = format_at(i, &design);
    if (format)
        snprintf(name, sizeof name, "%s %s", design->name, format->name);
    return format ? name : NULL;
}

void fb_check_format_at(const struct fb_design *design, const struct fb_format *format,
                        const struct fb_params *params, size_t n, uint64_t stream,
                        struct fb_answers *a)
{
    struct bench b;
    if (fb_answer_ok(a, bench_open(design, params, n, stream, &b), "filters"))
        for (size_t i = 0; i < N_FILTERS; i++) {
            const struct fb_filter *f = &b.filter[i];
            const size_t len = (size_t)format->size(f);
            uint8_t *block = calloc(len + MORE, 1);
            struct fb_filter copy = {0};
            const char *why = NULL;
            if (!fb_answer_ok(a, block ? fb_filter_write(f, format, block, &why) : FB_ENOMEM,
                              "block"))
                break;
            fb_answer_bytes(a, block, len);
            if (format->read &&
                fb_answer_ok(a, fb_filter_read(design, format, block, len, &copy, &why), "read"))
                for (size_t k = 0; k < ASKED; k++) {
                    const uint64_t *digest = b.asked + k * f->geom.digest_words;
                    if (copy.kernel->query(&copy, digest) != f->kernel->query(f, digest))
                        fb_answer_wrong(a, "what is read back answers otherwise");
                }
            fb_filter_close(&copy);
            const size_t other[] = {len - (len > 0), len + MORE};
            for (size_t k = 0; k < 2; k++) {
                fb_answer_word(
                    a, (uint64_t)fb_filter_read(design, format, block, other[k], &copy, &why));
                fb_filter_close(&copy);
            }
            free(block);
        }
    bench_close(&b);
}

static void ask_format(size_t i, struct fb_answers *a)
{
    const struct fb_design *design;
    const struct fb_format *format = format_at(i, &design);
    const struct fb_params usual = fb_check_params(design, 9, 0.02);
    fb_check_format_at(design, format, &usual, 3000, 0, a);
}

const struct fb_check_part fb_check_kernels[] = {
    {"kernels of", ask_kernels, .name = fb_check_design_name},
    {"format", ask_format, .name = format_name},
    {0},
};
