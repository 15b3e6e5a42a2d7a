/*
 * Any bytes as a block of one design (FB_FUZZ_DESIGN), and real blocks with a few bytes changed.
 *
 * byte 0: the block format. byte 1: even: the rest is the block; odd: a filter is built (byte 2
 * keys, byte 3 bits per key), its block cut by byte 4 at the end and changed by the (position u16,
 * xor) triples that follow.
 *
 * Whatever the reader accepts is asked by every kernel in every way, and they must agree; then it
 * takes keys and gives them back, where the design does.
 */
#include "tests/fuzz/require.h"

#include <string.h>

#include "filters/core/filter.h"

enum { N_DIGESTS = 40, FEW_DIGESTS = 4, MANY_PROBES = 1000 };

static void fill_digests(uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i] = fb_mix64(i + 1);
}

static void ask(const struct fb_filter *f, const struct fb_kernel *kernel, const uint64_t *digests,
                uint8_t *maybe)
{
    size_t words = f->geom.digest_words, sum = 0;
    size_t n = f->geom.probes > MANY_PROBES ? FEW_DIGESTS : N_DIGESTS;
    size_t hits = kernel->query_batch(f, digests, n, maybe);
    for (size_t i = 0; i < n; i++) {
        REQUIRE(FB_FUZZ_DESIGN, maybe[i] <= 1);
        REQUIRE(FB_FUZZ_DESIGN, kernel->query(f, digests + i * words) == maybe[i]);
        sum += maybe[i];
    }
    REQUIRE(FB_FUZZ_DESIGN, hits == sum);
    REQUIRE(FB_FUZZ_DESIGN, kernel->query_each(f, digests, n) == sum);
    REQUIRE(FB_FUZZ_DESIGN, kernel->query_branch(f, digests, n) == sum);
    REQUIRE(FB_FUZZ_DESIGN, kernel->query_chain(f, digests, n) == sum);
}

static void ask_every_kernel(struct fb_filter *f)
{
    static uint64_t digests[N_DIGESTS * FB_MAX_PROBES];
    size_t words = f->geom.digest_words;
    uint8_t first[N_DIGESTS] = {0}, maybe[N_DIGESTS] = {0};
    REQUIRE(FB_FUZZ_DESIGN, words >= 1 && words <= FB_MAX_PROBES);
    fill_digests(digests, N_DIGESTS * words);
    memset(digests, 0, words * sizeof *digests);
    memset(digests + words, 0xFF, words * sizeof *digests);
    memset(digests + 2 * words, 0x80, words * sizeof *digests);
    ask(f, f->kernel, digests, first);
    if (f->kernel == &fb_kernel_yes || f->kernel == &fb_kernel_no)
        return;
    for (const struct fb_kernel *const *k = f->design->kernels; *k; k++) {
        if (!fb_cpu_has((*k)->isa))
            continue;
        f->kernel = *k;
        ask(f, *k, digests, maybe);
        REQUIRE(FB_FUZZ_DESIGN, !memcmp(first, maybe, sizeof maybe));
    }
}

/* Keys go in, where there is room for them, and out again. */
static void change(struct fb_filter *f)
{
    static uint64_t digests[N_DIGESTS * FB_MAX_PROBES];
    const size_t words = f->geom.digest_words;
    const size_t n = f->geom.probes > MANY_PROBES ? FEW_DIGESTS : N_DIGESTS;
    const char *why;
    size_t added, removed;
    fill_digests(digests, n * words);
    if (fb_filter_add_digests(f, digests, n, &added, &why) == FB_EUNSUPPORTED)
        return;
    if (!(f->design->traits & FB_CONTROL))
        REQUIRE(FB_FUZZ_DESIGN, f->kernel->query_each(f, digests, added) == added);
    if (!fb_filter_remove_digests(f, digests, added, &removed, &why))
        REQUIRE(FB_FUZZ_DESIGN, removed == added);
}

static void read_block(const struct fb_design *design, const struct fb_format *format,
                       const uint8_t *block, size_t len)
{
    struct fb_filter filter;
    const char *why = NULL;
    uint8_t *copy = malloc(len ? len : 1); /* exactly as long: the sanitizer sees one byte more */
    REQUIRE(FB_FUZZ_DESIGN, copy);
    memcpy(copy, block, len);
    enum fb_err err = fb_filter_read(design, format, copy, len, &filter, &why);
    free(copy);
    if (err) {
        REQUIRE(FB_FUZZ_DESIGN,
                (err == FB_ECORRUPT || err == FB_EUNSUPPORTED) && why && !filter.bytes);
        return;
    }
    REQUIRE(FB_FUZZ_DESIGN, filter.design == design && filter.kernel);
    REQUIRE(FB_FUZZ_DESIGN, filter.geom.n_bytes <= 2 * len + 2 * FB_CACHE_LINE);
    ask_every_kernel(&filter);
    change(&filter);
    fb_filter_close(&filter);
}

static void edited_block(const struct fb_design *design, const struct fb_format *format,
                         const uint8_t *data, size_t size)
{
    static uint64_t digests[256 * FB_MAX_PROBES];
    struct fb_filter filter;
    const char *why;
    double bits = data[1] % 40 + 1;
    struct fb_params params = {0};
    if (design->traits & FB_SIZES_BY_BITS)
        params.bits_per_key = bits;
    else
        params.fpr = 1 / (1 + bits * bits);
    fill_digests(digests, sizeof digests / sizeof *digests);
    if (fb_filter_build_digests(design, NULL, &params, digests, data[0], &filter, &why))
        return;
    size_t len = format->size(&filter);
    uint8_t *block = malloc(len + 1);
    REQUIRE(FB_FUZZ_DESIGN, block);
    REQUIRE(FB_FUZZ_DESIGN, fb_filter_write(&filter, format, block, &why) == FB_OK);
    fb_filter_close(&filter);
    len -= data[2] < len ? data[2] : len;
    for (size_t i = 3; i + 3 <= size && len; i += 3)
        block[(data[i] | (size_t)data[i + 1] << 8) % len] ^= data[i + 2];
    read_block(design, format, block, len);
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fb_design *design = fb_design_find(FB_FUZZ_DESIGN);
    size_t n_formats = 0;
    REQUIRE(FB_FUZZ_DESIGN, design && design->formats);
    while (design->formats[n_formats].name)
        n_formats++;
    if (size < 2 || !n_formats)
        return 0;
    const struct fb_format *format = &design->formats[data[0] % n_formats];
    if (data[1] % 2 == 0)
        read_block(design, format, data + 2, size - 2);
    else if (size >= 5)
        edited_block(design, format, data + 2, size - 2);
    return 0;
}
