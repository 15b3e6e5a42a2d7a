/* Procedures: bytes of real blocks, the shape of the blocks that keys fall into, and inserts into
 * one at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/procedure/rig.h"
#include "workloads/core/rng.h"

/* A filter of n keys and its block in the native format; *block is malloc'd. */
static enum fb_err build_block(struct fb_bench *bench, const json_t *args, uint64_t n,
                               struct fb_filter *filter, uint8_t **block, size_t *size)
{
    *block = NULL;
    *size = 0;
    enum fb_err err = fb_bench_filter(bench, args, "design", n, filter);
    const struct fb_format *format = err ? NULL : filter->design->formats;
    if (err)
        return err;
    if (!format || !format->name)
        return fb_bench_fail(bench, FB_EUNSUPPORTED, "%s has no block", filter->design->name);
    *size = (size_t)format->size(filter);
    *block = calloc(*size + 1, 1);
    if (!*block)
        return FB_ENOMEM;
    format->write(filter, *block);
    return FB_OK;
}

static uint64_t little_endian(const uint8_t *p, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n && i < 8; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

/* What a header field should hold, by the text's formulas. */
static double field_value(const char *holds, uint64_t n, uint64_t bits)
{
    if (!strcmp(holds, "bits"))
        return (double)(n * bits);
    if (!strcmp(holds, "bits per key"))
        return (double)bits;
    uint64_t k = (693 * bits + 999) / 1000;
    return (double)(k < 1 ? 1 : k > 30 ? 30 : k);
}

/* A header of little-endian fields: its size in bytes, or the values of the fields. */
static enum fb_err header(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const json_t *fields = json_object_get(args, "fields");
    uint64_t n = fb_arg_count(args, "n", 0), bits = fb_arg_count(args, "bits_per_key", 0);
    bool size_only = fb_arg_is(args, "report", "size"), right = true;
    struct fb_filter filter;
    uint8_t *block;
    size_t size, total = 0;
    enum fb_err err = build_block(bench, args, n, &filter, &block, &size);
    for (size_t i = 0; i < json_array_size(fields) && !err; i++) {
        const json_t *field = json_array_get(fields, i);
        size_t offset = (size_t)fb_arg_count(field, "offset", 0),
               bytes = (size_t)fb_arg_count(field, "bytes", 0);
        double theory = field_value(fb_arg_text(field, "holds", ""), n, bits);
        double found = offset + bytes <= size ? (double)little_endian(block + offset, bytes) : -1;
        total += bytes;
        right &= found == theory;
        if (!size_only)
            fb_find_exact(out, theory, found);
    }
    if (!err && size_only) {
        fb_find_exact(out, (double)total, (double)size - (double)filter.geom.n_bytes);
        right &= !memcmp(block + total, filter.bytes, size - total);
    }
    if (!right)
        out->tolerance = -1;
    free(block);
    fb_filter_close(&filter);
    return err;
}

/* Last byte of the block, whose trailer must be the given one ("k": the number of probes). */
static enum fb_err last_byte(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const json_t *trailer = json_object_get(args, "trailer");
    struct fb_filter filter;
    uint8_t *block;
    size_t size, n = json_array_size(trailer);
    enum fb_err err = build_block(bench, args, fb_arg_count(args, "n", 0), &filter, &block, &size);
    if (!err && (n == 0 || n > size))
        err = fb_bench_fail(bench, FB_EINVAL, "a trailer is needed");
    bool right = true;
    uint64_t expected = 0;
    for (size_t i = 0; i < n && !err; i++) {
        const json_t *byte = json_array_get(trailer, i);
        expected = json_is_string(byte) ? filter.geom.probes : (uint64_t)json_integer_value(byte);
        right &= block[size - n + i] == expected;
    }
    if (!err)
        fb_find_exact(out, (double)expected, block[size - 1]);
    if (!right)
        out->tolerance = -1;
    free(block);
    fb_filter_close(&filter);
    return err;
}

/* Settings whose block does not end with k, or is not read back with it. */
static enum fb_err self_describing(struct fb_bench *bench, const json_t *args,
                                   struct fb_finding *out)
{
    uint64_t bits_to = fb_arg_count(args, "bits_to", 30), misses = 0;
    enum fb_err err = FB_OK;
    for (uint64_t bits = 1; bits <= bits_to && !err; bits++) {
        struct fb_filter filter, copy = {0};
        uint8_t *block;
        size_t size;
        const char *why;
        json_t *one = json_copy((json_t *)args);
        json_object_set_new(one, "bits_per_key", json_integer((json_int_t)bits));
        err = build_block(bench, one, fb_arg_count(args, "n", 100), &filter, &block, &size);
        json_decref(one);
        if (!err)
            err = fb_filter_read(filter.design, filter.design->formats, block, size, &copy, &why);
        if (!err)
            misses +=
                block[size - 1] != filter.geom.probes || copy.geom.probes != filter.geom.probes;
        fb_filter_close(&copy);
        fb_filter_close(&filter);
        free(block);
    }
    if (!err)
        fb_find_exact(out, 0, (double)misses);
    return err;
}

/* Least number of bits of filters of 1, 2, .. keys. */
static enum fb_err minimum_bits(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double least = INFINITY, least_rule = INFINITY;
    double minimum = fb_arg_number(args, "minimum", 0),
           bits = fb_arg_number(args, "bits_per_key", 0);
    uint64_t keys_to = fb_arg_count(args, "keys_to", 10), misses = 0;
    for (uint64_t n = 1; n <= keys_to; n++) {
        struct fb_filter filter;
        enum fb_err err = fb_bench_filter(bench, args, "design", n, &filter);
        if (err)
            return err;
        double rule = 8 * ceil(fmax(minimum, (double)n * bits) / 8);
        misses += (double)filter.geom.n_bits != rule;
        least_rule = fmin(least_rule, rule);
        least = fmin(least, (double)filter.geom.n_bits);
        fb_filter_close(&filter);
    }
    fb_find_exact(out, least_rule, least);
    if (misses)
        out->tolerance = -1;
    return FB_OK;
}

/* Sizes that break max(minimum / 8, ceil(n b / 8)) + trailer bytes, over n = 1.. and several b. */
static enum fb_err size_rule(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    const struct fb_design *design;
    const json_t *sizes = json_object_get(args, "bits");
    uint64_t keys_to = fb_arg_count(args, "keys_to", 100), misses = 0;
    double minimum = fb_arg_number(args, "minimum", 0), trailer = fb_arg_number(args, "trailer", 0);
    enum fb_err err = fb_arg_design(bench, args, "design", &design);
    for (size_t b = 0; b < json_array_size(sizes) && !err; b++)
        for (uint64_t n = 1; n <= keys_to && !err; n++) {
            double bits = json_number_value(json_array_get(sizes, b));
            const struct fb_params params = {.bits_per_key = bits};
            struct fb_filter filter = {.design = design};
            const char *why;
            err = fb_design_plan(design, &params, n, &filter.geom, &why);
            if (err)
                fb_bench_fail(bench, err, "%s: %s", design->name, why);
            else
                misses += (double)design->formats->size(&filter) !=
                          fmax(minimum / 8, ceil((double)n * bits / 8)) + trailer;
        }
    if (!err)
        fb_find_exact(out, 0, (double)misses);
    return err;
}

/* Bytes by which filters of short and of long keys differ. */
static enum fb_err key_length_bytes(struct fb_bench *bench, const json_t *args,
                                    struct fb_finding *out)
{
    const struct fb_design *design;
    const json_t *lengths = json_object_get(args, "lengths");
    struct fb_params params = fb_arg_params(args);
    uint64_t n = fb_arg_count(args, "n", 100), least = UINT64_MAX, most = 0;
    uint64_t *offset = calloc(n + 1, sizeof *offset);
    enum fb_err err = offset ? fb_arg_design(bench, args, "design", &design) : FB_ENOMEM;
    for (size_t l = 0; l < json_array_size(lengths) && !err; l++) {
        size_t length = (size_t)json_integer_value(json_array_get(lengths, l));
        struct fb_filter filter = {0};
        const char *why = NULL;
        uint8_t *bytes = calloc(n, length);
        err = bytes ? FB_OK : FB_ENOMEM;
        for (uint64_t i = 0; i < n && !err; i++) {
            offset[i + 1] = offset[i] + length;
            memcpy(bytes + i * length, &i, length < sizeof i ? length : sizeof i);
        }
        if (!err)
            err = fb_filter_build(design, NULL, &params,
                                  &(struct fb_keys){.bytes = bytes, .offset = offset, .n = n},
                                  &filter, &why);
        least = filter.geom.n_bytes < least ? filter.geom.n_bytes : least;
        most = filter.geom.n_bytes > most ? filter.geom.n_bytes : most;
        fb_filter_close(&filter);
        free(bytes);
    }
    free(offset);
    if (!err)
        fb_find_exact(out, 0, (double)(most - least));
    return err;
}

/* Bits of a block, and with lanes, the lanes and their bits: from where single keys' bits lie. */
static enum fb_err block_shape(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    enum { SAMPLES = 2000 };
    struct fb_probe_rig rig;
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 0),
             word = (unsigned)fb_arg_count(args, "word", 0);
    uint64_t shared = 1, bits_each = 0, digest[FB_MAX_PROBES];
    bool one_per_lane = true;
    enum fb_err err = fb_probe_rig_open(bench, args, "design", &rig);
    for (uint64_t i = 0; i < SAMPLES && !err; i++) {
        err = fb_probe_rig_show(bench, &rig, i, digest);
        if (err)
            break;
        /* The smallest aligned power of two that holds all bits of every key. */
        while (rig.position[0] / shared != rig.position[rig.n - 1] / shared)
            shared *= 2;
        bits_each = rig.n > bits_each ? rig.n : bits_each;
        for (size_t j = 0; j < rig.n && word; j++)
            one_per_lane &= rig.n == lanes && rig.position[j] / word % lanes == j;
    }
    fb_probe_rig_close(&rig);
    if (err)
        return err;
    fb_find_exact(out, word ? (double)lanes * word : 8.0 * FB_CACHE_LINE, (double)shared);
    if (word) {
        fb_find_exact(out, lanes, (double)bits_each);
        fb_find_exact(out, word, (double)shared / (double)bits_each);
    }
    if (!one_per_lane)
        out->tolerance = -1;
    return FB_OK;
}

/* Of `pairs` of inserts into one block, each of which reads the block before the other writes it:
 * those that lose the first key. Plain read, or, write does; one key's bits within the other's are
 * the exception. */
static enum fb_err lost_updates(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    enum { BYTES = 64 };
    const uint64_t pairs = fb_arg_count(args, "pairs", 1000);
    struct fb_filter f = {0};
    uint64_t lost = 0, within = 0;
    enum fb_err err = fb_bench_filter(bench, args, "design", 0, &f);
    for (uint64_t i = 0; i < pairs && !err; i++) {
        uint64_t a = fb_stream_word(bench->root, 2 * i) & UINT32_MAX,
                 b = fb_stream_word(bench->root, 2 * i + 1) & UINT32_MAX;
        uint8_t before[BYTES];
        memset(f.bytes, 0, BYTES);
        memcpy(before, f.bytes, BYTES);
        f.kernel->add_batch(&f, &a, 1); /* the first has written... */
        bool first_is_in = f.kernel->query(&f, &a);
        memcpy(f.bytes, before, BYTES); /* ...but the second had read before that */
        f.kernel->add_batch(&f, &b, 1);
        bool covered = f.kernel->query(&f, &a);
        lost += first_is_in && !covered;
        within += covered;
    }
    fb_filter_close(&f);
    if (!err) {
        fb_find_exact(out, (double)(pairs - within), (double)lost);
        snprintf(out->remark, sizeof out->remark,
                 "replayed one by one; an atomic or loses none of them");
    }
    return err;
}

const struct fb_procedure fb_judge_blocks[] = {
    {"header", header},
    {"last-byte", last_byte},
    {"self-describing", self_describing},
    {"minimum-bits", minimum_bits},
    {"size-rule", size_rule},
    {"key-length-bytes", key_length_bytes},
    {"block-shape", block_shape},
    {"lost-updates", lost_updates},
    {0},
};
