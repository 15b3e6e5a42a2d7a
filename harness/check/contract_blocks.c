/* Blocks: what is written reads back the same; whatever bytes do no harm. */
#include <stdlib.h>
#include <string.h>

#include "harness/check/contract_scene.h"
#include "workloads/core/rng.h"

enum { N_OTHERS = 1000 };

/* ---- Written and read ---- */

static void check_format(struct fb_contract *c, const struct fb_filter *f,
                         const struct fb_format *format, struct fb_digests in,
                         struct fb_digests others)
{
    uint8_t *want = fb_contract_alloc(c, others.n), *maybe = fb_contract_alloc(c, others.n + in.n);
    const size_t n_bytes = (size_t)format->size(f);
    uint8_t *block = fb_contract_alloc(c, n_bytes), *again = fb_contract_alloc(c, n_bytes);
    struct fb_filter copy;
    const char *why = NULL;
    fb_contract_answers_of(c, f, others, want);
    fb_require_ok(c, fb_filter_write(f, format, block, &why), &why, "write");
    fb_answer_bytes(&c->answers, block, n_bytes);
    if (format->read) {
        fb_require_ok(c, fb_filter_read(f->design, format, block, n_bytes, &copy, &why), &why,
                      "read");
        fb_contract_answers_of(c, &copy, others, maybe);
        fb_require(c, !memcmp(maybe, want, others.n), "what is read back answers otherwise");
        fb_require(c, fb_contract_answers_of(c, &copy, in, maybe) == in.n,
                   "what is read back denies a key that is in");
        fb_require(c, format->size(&copy) == n_bytes, "what is read back has another size");
        fb_require_ok(c, fb_filter_write(&copy, format, again, &why), &why, "write again");
        fb_require(c, !memcmp(again, block, n_bytes), "what is read back is written otherwise");
        fb_filter_close(&copy);
    }
    free(block);
    free(again);
    free(want);
    free(maybe);
}

static void reads_back_what_it_wrote(struct fb_contract *c)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 300, 1000};
    static const char *const families[] = {"seq", "dup", "bin", "u64"};
    const struct fb_params params = fb_contract_params(c->design);
    for (size_t i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
        struct fb_keyset present = fb_contract_keys(c, families[i % 4], 7, sizes[i / 4], false);
        struct fb_keyset absent = fb_contract_keys(c, families[i % 4], 7, N_OTHERS, true);
        struct fb_filter f;
        const char *why;
        if (!fb_filter_build(c->design, NULL, &params, &present.keys, &f, &why)) {
            struct fb_digests in = fb_contract_digests(c, &f, &present.keys);
            struct fb_digests others = fb_contract_digests(c, &f, &absent.keys);
            for (const struct fb_format *b = c->design->formats; b && b->name; b++) {
                fb_contract_do(c, "%s, %zu keys, format %s", families[i % 4], sizes[i / 4],
                               b->name);
                check_format(c, &f, b, in, others);
            }
            free(in.words);
            free(others.words);
        }
        fb_filter_close(&f);
        fb_keyset_close(&present);
        fb_keyset_close(&absent);
    }
}

/* ---- Hostile blocks ---- */

/* Whatever the bytes are: an error with a reason, or a filter that can be asked and written. */
static void read_anything(struct fb_contract *c, const struct fb_format *format,
                          const uint8_t *block, size_t len)
{
    enum { ASKED = 32 };
    struct fb_filter filter;
    const char *why = NULL;
    uint8_t *exact = malloc(len ? len : 1); /* a sanitizer sees a read behind the last byte */
    fb_require(c, exact, fb_err_text(FB_ENOMEM));
    memcpy(exact, block, len);
    const enum fb_err err = fb_filter_read(c->design, format, exact, len, &filter, &why);
    free(exact);
    fb_answer_word(&c->answers, (uint64_t)err);
    if (err) {
        fb_require(c, err == FB_ECORRUPT || err == FB_EUNSUPPORTED, /* another design's block */
                   "a block is refused with another error than corrupt or unsupported");
        fb_require(c, why && !filter.bytes, "refused without a reason, or with bytes left");
        return;
    }
    fb_require(c, filter.geom.n_bytes <= 4 * (uint64_t)len + 2 * FB_CACHE_LINE,
               "a block makes a filter of many times its bytes");
    fb_require(c, filter.geom.digest_words >= 1 && filter.geom.digest_words <= FB_MAX_PROBES,
               "a block makes a filter whose digests have no words, or too many");
    uint64_t words[ASKED * FB_MAX_PROBES];
    uint8_t maybe[ASKED];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = fb_stream_word(5, i);
    fb_contract_answers_of(c, &filter, (struct fb_digests){words, ASKED}, maybe);
    fb_answer_bytes(&c->answers, maybe, ASKED);
    fb_answer_word(&c->answers, filter.n_keys);
    uint8_t *again = fb_contract_alloc(c, (size_t)format->size(&filter));
    fb_require_ok(c, fb_filter_write(&filter, format, again, &why), &why, "write");
    free(again);
    fb_filter_close(&filter);
}

static void read_noise(struct fb_contract *c, const struct fb_format *format, const uint8_t *block,
                       size_t n_bytes)
{
    for (size_t i = 0; i < 500; i++) {
        uint8_t noise[128];
        fb_contract_do(c, "format %s, noise %zu", format->name, i);
        for (size_t j = 0; j < sizeof noise; j++)
            noise[j] = (uint8_t)fb_stream_word(i, j);
        /* Half of them behind an honest header, with a header's few fields disturbed. */
        if (i % 2)
            memcpy(noise, block, n_bytes < 24 ? n_bytes : 24);
        read_anything(c, format, noise, fb_stream_word(i, sizeof noise) % sizeof noise);
    }
}

static void reads_any_bytes_safely(struct fb_contract *c)
{
    enum { MORE = 8 };
    const struct fb_params params = fb_contract_params(c->design);
    struct fb_keyset keys = fb_contract_keys(c, "u64", 3, 6, false);
    struct fb_filter filter;
    const char *why = NULL;
    fb_require_ok(c, fb_filter_build(c->design, NULL, &params, &keys.keys, &filter, &why), &why,
                  "build");
    for (const struct fb_format *f = c->design->formats; f && f->name; f++) {
        if (!f->read)
            continue;
        const size_t n_bytes = (size_t)f->size(&filter);
        uint8_t *block = fb_contract_alloc(c, n_bytes + MORE);
        fb_require_ok(c, fb_filter_write(&filter, f, block, &why), &why, "write");
        memset(block + n_bytes, 0xA5, MORE);
        for (size_t len = 0; len <= n_bytes + MORE; len++) {
            fb_contract_do(c, "format %s, first %zu bytes", f->name, len);
            read_anything(c, f, block, len);
        }
        for (size_t bit = 0; bit < n_bytes * 8; bit++) {
            fb_contract_do(c, "format %s, bit %zu is another", f->name, bit);
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
            read_anything(c, f, block, n_bytes);
            block[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        read_noise(c, f, block, n_bytes);
        free(block);
    }
    fb_filter_close(&filter);
    fb_keyset_close(&keys);
}

const struct fb_contract_part fb_contract_blocks[] = {
    {"blocks", "what is written reads back to the same answers and the same bytes",
     reads_back_what_it_wrote},
    {"hostile blocks", "whatever bytes are read do no harm", reads_any_bytes_safely},
    {0},
};
