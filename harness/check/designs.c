/* Designs: sizes, rates, digests, bits, answers, and how many filters are asked at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/lookup/lookup.h"
#include "harness/check/parts.h"
#include "harness/filter/bits_taken.h"
#include "harness/filter/fpr.h"

const char *fb_check_design_name(size_t i)
{
    return i < fb_n_designs() ? fb_design_at(i)->name : NULL;
}

static bool reaches(const struct fb_design *design, struct fb_params rate)
{
    enum { N_KEYS = 1000 };
    struct fb_geometry geom;
    const char *why;
    return !fb_design_plan(design, &rate, N_KEYS, &geom, &why);
}

struct fb_params fb_check_params(const struct fb_design *design, double bits, double fpr)
{
    const bool by_bits = design->traits & FB_SIZES_BY_BITS;
    struct fb_params params = {0};
    if (!(design->traits & FB_CONTROL))
        *(by_bits ? &params.bits_per_key : &params.fpr) =
            by_bits ? fb_bits_taken(design, bits) : fpr;
    while (params.fpr > 0 && params.fpr < 0.5 && !reaches(design, params))
        params.fpr *= 2;
    return params;
}

/* ---- Sizes and rates ---- */

/* Whether there is such a filter. */
static bool answer_geometry(const struct fb_design *design, uint64_t n, struct fb_params params,
                            struct fb_geometry *geom, struct fb_answers *a)
{
    const char *why = NULL;
    const enum fb_err err = fb_params_plan(design, n, &params, geom, &why);
    fb_answer_word(a, (uint64_t)err);
    if (err)
        return false;
    const uint64_t words[] = {geom->block_bits, geom->probes,  geom->digest_words,
                              geom->n_blocks,   geom->n_bytes, geom->n_bits};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fb_answer_word(a, words[i]);
    return true;
}

static void answer_plan(const struct fb_design *design, uint64_t n, struct fb_params params,
                        struct fb_answers *a)
{
    struct fb_geometry geom;
    if (answer_geometry(design, n, params, &geom, a))
        fb_answer_real(a, design->fpr(&geom, n));
}

/* Where rules begin and end, and more keys than 32 bits count. */
static void answer_edges(const struct fb_design *design, struct fb_answers *a)
{
    static const double bits[] = {0.4, 0.5, 0.7, 0.95, 1, 10, 43, 44, 50, 50.001, 99.99, 100},
                        rates[] = {0.995, 0.99, 0.97, 0.9, 0.6, 1e-12};
    static const uint64_t numbers[] = {0, 7, 1000, 3435973829, 6000000000};
    const bool by_bits = design->traits & FB_SIZES_BY_BITS,
               by_rate = design->traits & FB_SIZES_BY_RATE;
    struct fb_geometry geom;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (size_t j = 0; by_bits && j < sizeof bits / sizeof *bits; j++)
            answer_geometry(design, numbers[i], (struct fb_params){.bits_per_key = bits[j]}, &geom,
                            a);
        for (size_t j = 0; by_rate && j < sizeof rates / sizeof *rates; j++)
            answer_geometry(design, numbers[i], (struct fb_params){.fpr = rates[j]}, &geom, a);
    }
}

/* Bits and rates that the designs' own rules turn into whole probes and whole blocks. */
static void ask_sizes(size_t d, struct fb_answers *a)
{
    static const uint64_t numbers[] = {1, 2, 10, 63, 100, 999, 4096, 100000};
    const struct fb_design *design = fb_design_at(d);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (unsigned tenths = 10; tenths <= 300; tenths += tenths % 10 ? 5 : 18)
            if (design->traits & FB_SIZES_BY_BITS)
                answer_plan(design, numbers[i], (struct fb_params){.bits_per_key = tenths / 10.0},
                            a);
        for (double rate = 0.5; rate > 1e-9; rate *= 0.37)
            if (design->traits & FB_SIZES_BY_RATE)
                answer_plan(design, numbers[i], (struct fb_params){.fpr = rate}, a);
    }
    answer_edges(design, a);
    /* The one that the design does not take, and a number of probes that is asked for. */
    answer_plan(design, 5000, (struct fb_params){.bits_per_key = 9.5}, a);
    answer_plan(design, 5000, (struct fb_params){.fpr = 0.005}, a);
    struct fb_params params = fb_check_params(design, 8, 0.01);
    params.probes = 3;
    answer_plan(design, 5000, params, a);
}

/* ---- A filter whose block and answers the real systems' vectors have ---- */

enum { GOLDEN_KEYS = 100, GOLDEN_ABSENT = 1000 };

/* "key000000" and on; absent ones from 500000 on. */
static enum fb_err write_keys(uint64_t first, size_t n, struct fb_keyset *out)
{
    enum fb_err err = fb_keyset_alloc(n, 16 * n, false, out);
    for (size_t i = 0; i < n && !err; i++) {
        char key[16];
        int len = snprintf(key, sizeof key, "key%06u", (unsigned)(first + i));
        fb_keyset_push(out, key, (size_t)len, FB_KEY_BYTES);
    }
    return err;
}

static void answer_block(const struct fb_filter *f, const struct fb_format *format,
                         struct fb_answers *a)
{
    const size_t size = (size_t)format->size(f);
    uint8_t *block = malloc(size + 1);
    const char *why;
    if (fb_answer_ok(a, block ? fb_filter_write(f, format, block, &why) : FB_ENOMEM, "block"))
        fb_answer_bytes(a, block, size);
    free(block);
}

/* How many pass, and one bit for each. */
static void answer_absent(const struct fb_filter *f, const struct fb_keys *keys,
                          struct fb_answers *a)
{
    uint8_t maybe[GOLDEN_ABSENT], bits[GOLDEN_ABSENT / 8] = {0};
    size_t n_maybe = 0;
    if (!fb_answer_ok(a, fb_filter_query_keys(f, keys, maybe, &n_maybe), "query"))
        return;
    for (size_t i = 0; i < GOLDEN_ABSENT; i++)
        bits[i / 8] |= (uint8_t)(maybe[i] << i % 8);
    fb_answer_word(a, n_maybe);
    fb_answer_bytes(a, bits, sizeof bits);
}

static void ask_design(size_t d, struct fb_answers *a)
{
    const struct fb_design *design = fb_design_at(d);
    const struct fb_params params = fb_check_params(design, 10, 0.01);
    struct fb_keyset present = {0}, absent = {0};
    struct fb_filter f = {0};
    const char *why = NULL;
    if (fb_answer_ok(a, write_keys(0, GOLDEN_KEYS, &present), "keys") &&
        fb_answer_ok(a, write_keys(500000, GOLDEN_ABSENT, &absent), "keys") &&
        fb_answer_ok(a, fb_filter_build(design, NULL, &params, &present.keys, &f, &why), "build")) {
        if (design->formats)
            answer_block(&f, design->formats, a);
        else
            fb_answer_bytes(a, f.bytes, (size_t)f.geom.n_bytes);
        answer_absent(&f, &absent.keys, a);
    }
    fb_filter_close(&f);
    fb_keyset_close(&present);
    fb_keyset_close(&absent);
}

/* ---- Digests of keys ---- */

/* Keys of equal lengths in a row go by vectors, and all lengths come one by one. */
void fb_check_digests(const struct fb_design *design, struct fb_answers *a)
{
    enum { N = 400, WORDS = 7, LONGEST = 1300 };
    const unsigned words = design->digest_words ? design->digest_words : WORDS;
    uint8_t key[LONGEST];
    struct fb_keyset keys = {0};
    uint64_t *digests = calloc(N * FB_MAX_PROBES, sizeof *digests), one[FB_MAX_PROBES];
    enum fb_err err = digests ? fb_keyset_alloc(N, N * LONGEST, false, &keys) : FB_ENOMEM;
    for (size_t i = 0; i < N && !err; i++) {
        size_t len = i < 200 ? 8 * (i / 50) + 8 : i < 300 ? i - 200 : 13 * (i - 300);
        for (size_t j = 0; j < len; j++)
            key[j] = (uint8_t)fb_mix64(i * LONGEST + j);
        fb_keyset_push(&keys, key, len, FB_KEY_BYTES);
    }
    if (!err)
        err = fb_digest_keys(design, NULL, words, &keys.keys, digests);
    if (fb_answer_ok(a, err, "digest"))
        for (size_t i = 0; i < N; i++) {
            design->digest(fb_key_at(&keys.keys, i), fb_key_len(&keys.keys, i), words, one);
            if (memcmp(one, digests + i * words, words * sizeof *one))
                fb_answer_wrong(a, "a key of %zu bytes has another digest among others",
                                fb_key_len(&keys.keys, i));
            for (unsigned w = 0; w < words; w++)
                fb_answer_word(a, one[w]);
        }
    if (design->digest_typed) {
        err = design->digest_typed(FB_KEY_INT, "-12345678901234567890", 21, one);
        if (fb_answer_ok(a, err, "digest of an integer"))
            fb_answer_word(a, *one);
    }
    fb_keyset_close(&keys);
    free(digests);
}

static void ask_digests(size_t d, struct fb_answers *a)
{
    fb_check_digests(fb_design_at(d), a);
}

/* ---- Rates as they are counted ---- */

static void ask_rate(size_t d, struct fb_answers *a)
{
    const struct fb_design *design = fb_design_at(d);
    const struct fb_fpr_cell cell = {.design = design,
                                     .params = fb_check_params(design, 8, 0.02),
                                     .n_keys = 500,
                                     .keygen = fb_keygen_find("random"),
                                     .filters = 2,
                                     .probes_per_filter = 4000,
                                     .root = 0x5eed};
    struct fb_fpr_counts counts;
    struct fb_fpr_summary summary;
    const char *why = NULL;
    bool complete = false;
    const enum fb_err err = fb_fpr_measure(&cell, 1, &counts, &complete, &why);
    if (!fb_answer_complete(a, err, complete, "rate")) {
        fb_fpr_counts_close(&counts);
        return;
    }
    fb_fpr_summarise(&cell, &counts, &summary);
    fb_answer_word(a, summary.events);
    fb_answer_word(a, counts.false_negatives);
    fb_answer_word(a, counts.checksum);
    fb_answer_real(a, summary.wilson95.low);
    fb_answer_real(a, summary.t95.high);
    fb_answer_real(a, summary.se);
    fb_fpr_counts_close(&counts);
}

/* ---- Lookups over many filters ---- */

static const char *lookup_name(size_t i)
{
    return fb_lookups[i] ? fb_lookups[i]->name : NULL;
}

static void ask_lookup(size_t l, struct fb_answers *a)
{
    enum { WALKS = 40, WIDTH = 70, WORDS = (WIDTH + 63) / 64 };
    const struct fb_design *design = fb_design_find("bloom-double");
    struct fb_filter f[2] = {0};
    struct fb_keyset keys[2] = {0}, asked = {0};
    const struct fb_params params = {.bits_per_key = 3};
    static const struct fb_filter *filters[WALKS * WIDTH];
    uint32_t holder[WALKS];
    uint64_t digests[WALKS * 2], maybe[WALKS * WORDS];
    static uint8_t answers[WALKS * WIDTH];
    const char *why = NULL;
    bool ok = fb_answer_ok(a, write_keys(30, WALKS, &asked), "keys");
    for (size_t i = 0; i < 2 && ok; i++)
        ok = fb_answer_ok(a, write_keys(1000 * i, 50 + 50 * i, &keys[i]), "keys") &&
             fb_answer_ok(a, fb_filter_build(design, NULL, &params, &keys[i].keys, &f[i], &why),
                          "build");
    for (size_t i = 0; i < WALKS; i++)
        for (size_t r = 0; r < WIDTH; r++)
            filters[i * WIDTH + r] = (i + r) % 5 ? &f[(i + 3 * r) % 7 % 2] : NULL;
    for (size_t i = 0; i < WALKS; i++)
        holder[i] = i % 3 ? WIDTH : (uint32_t)i;
    if (ok) {
        const struct fb_walks walks = {.design = design,
                                       .kernel =
                                           fb_lookup_kernel(fb_lookups[l], design, FB_ISA_NONE),
                                       .keys = &asked.keys,
                                       .n = WALKS,
                                       .width = WIDTH,
                                       .filters = filters,
                                       .holder = holder,
                                       .digest_words = 2,
                                       .digests = digests,
                                       .answers = answers};
        struct fb_walk_work work = {0};
        fb_lookups[l]->run(&walks, maybe, &work);
        fb_answer_word(a, work.digests);
        for (size_t i = 0; i < WALKS * WORDS; i++)
            fb_answer_word(a, maybe[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        fb_filter_close(&f[i]);
        fb_keyset_close(&keys[i]);
    }
    fb_keyset_close(&asked);
}

const struct fb_check_part fb_check_designs[] = {
    {"design", ask_design, .name = fb_check_design_name},
    {"sizes of", ask_sizes, .name = fb_check_design_name},
    {"digests of", ask_digests, .name = fb_check_design_name},
    {"rate of", ask_rate, .name = fb_check_design_name},
    {"lookup", ask_lookup, .name = lookup_name},
    {0},
};
