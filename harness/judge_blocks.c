/* Procedures: bytes of real blocks, and how keys spread over the blocks of a filter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/math.h"
#include "harness/probe_rig.h"

/* The filter's block in its native format; *block is malloc'd. */
static enum fb_err block_of(struct fb_bench *bench, const struct fb_filter *filter, uint8_t **block,
                            size_t *size)
{
    const struct fb_format *format = filter->design->formats;
    *block = NULL;
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
    uint8_t *block = NULL;
    size_t size = 0, total = 0;
    enum fb_err err = fb_bench_filter(bench, args, "design", n, &filter);
    if (!err)
        err = block_of(bench, &filter, &block, &size);
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
    uint8_t *block = NULL;
    size_t size = 0, n = json_array_size(trailer);
    enum fb_err err = fb_bench_filter(bench, args, "design", fb_arg_count(args, "n", 0), &filter);
    if (!err)
        err = block_of(bench, &filter, &block, &size);
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
        uint8_t *block = NULL;
        size_t size = 0;
        const char *why;
        json_t *one = json_copy((json_t *)args);
        json_object_set_new(one, "bits_per_key", json_integer((json_int_t)bits));
        err = fb_bench_filter(bench, one, "design", fb_arg_count(args, "n", 100), &filter);
        json_decref(one);
        if (!err)
            err = block_of(bench, &filter, &block, &size);
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
        err = fb_probe_rig_digest(bench, &rig, i, digest);
        if (err)
            break;
        fb_probe_rig_set(&rig, digest);
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

/* Block of a digest: the upper half mod the blocks, or scaled to them. */
static uint64_t block_by_mod(uint64_t digest, uint64_t n_blocks)
{
    return fb_hi32(digest) % n_blocks;
}

static uint64_t block_by_scale(uint64_t digest, uint64_t n_blocks)
{
    return (uint64_t)fb_hi32(digest) * n_blocks >> 32;
}

/* Keys per block of a built filter, from the digests of its keys. */
static enum fb_err block_loads(struct fb_bench *bench, const struct fb_filter *filter, uint64_t n,
                               uint32_t *loads)
{
    uint64_t (*block_of_digest)(uint64_t, uint64_t) =
        strcmp(filter->design->name, "sbbf-256") ? block_by_mod : block_by_scale;
    struct fb_keyset set = {0};
    enum fb_err err = fb_bench_keys(bench, 0, 0, n, &set);
    memset(loads, 0, filter->geom.n_blocks * sizeof *loads);
    for (uint64_t i = 0; i < n && !err; i++) {
        uint64_t digest;
        filter->design->digest(fb_key_at(&set.keys, i), fb_key_len(&set.keys, i), 1, &digest);
        loads[block_of_digest(digest, filter->geom.n_blocks)]++;
    }
    fb_keyset_close(&set);
    return err;
}

/* Two-sided p of the loads against a Poisson law, loads 0..BINS-1 and the rest; bins that expect
 * fewer than ten blocks are merged with the next. */
static double poisson_p(const uint32_t *loads, uint64_t n_blocks, double mean)
{
    enum { BINS = 512 };
    double counts[BINS + 1] = {0}, chi2 = 0, observed = 0, expected = 0, cumulated = 0;
    int used = 0;
    for (uint64_t b = 0; b < n_blocks; b++)
        counts[loads[b] < BINS ? loads[b] : BINS]++;
    double log_p = -mean;
    for (int i = 0; i <= BINS; i++) {
        double p = i < BINS ? fb_exp(log_p) : 1 - cumulated;
        double left = (1 - cumulated - p) * (double)n_blocks;
        cumulated += p;
        expected += p * (double)n_blocks;
        observed += counts[i];
        log_p += fb_log(mean) - fb_log(i + 1);
        if (expected >= 10 && (left >= 10 || i == BINS)) {
            chi2 += (observed - expected) * (observed - expected) / expected;
            observed = expected = 0;
            used++;
        }
    }
    if (expected > 1) {
        chi2 += (observed - expected) * (observed - expected) / expected;
        used++;
    }
    double tail = fb_chi2_tail(chi2, used - 1);
    return fmin(1, 2 * fmin(tail, 1 - tail));
}

/* Rate of one block, from the bits set in each lane. */
static double block_rate(const uint8_t *block, unsigned lanes, unsigned lane_bytes)
{
    double rate = 1;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned set = 0;
        for (unsigned i = 0; i < lane_bytes; i++)
            set += (unsigned)__builtin_popcount(block[lane * lane_bytes + i]);
        rate *= set / (8.0 * lane_bytes);
    }
    return rate;
}

/* Rate of a built filter, block by block, over the rate of an even load. */
static enum fb_err uneven_loads(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    struct fb_filter filter;
    uint64_t n = fb_arg_count(args, "n", 0);
    unsigned lanes = (unsigned)fb_arg_count(args, "lanes", 8);
    enum fb_err err = fb_bench_filter(bench, args, "design", n, &filter);
    if (err)
        return err;
    const struct fb_geometry *geom = &filter.geom;
    unsigned lane_bits = geom->block_bits / lanes;
    double mean = (double)n / (double)geom->n_blocks, sum = 0, sum2 = 0;
    double even = fb_pow(1 - fb_pow(1 - 1.0 / lane_bits, mean), lanes);
    uint32_t *loads = calloc(geom->n_blocks, sizeof *loads);
    err = loads ? block_loads(bench, &filter, n, loads) : FB_ENOMEM;
    for (uint64_t b = 0; b < geom->n_blocks && !err; b++) {
        double rate = block_rate(filter.bytes + b * geom->block_bits / 8, lanes, lane_bits / 8);
        sum += rate / even;
        sum2 += rate / even * (rate / even);
    }
    if (!err) {
        double blocks = (double)geom->n_blocks, value = sum / blocks;
        double se = sqrt((sum2 / blocks - value * value) / blocks);
        double theory = fb_sbbf_fpr(n, geom->n_blocks, geom->block_bits, lanes) / even;
        double loads_p = poisson_p(loads, geom->n_blocks, mean);
        fb_find_interval(out, theory, value, value - 3.29 * se, value + 3.29 * se);
        out->p = fmin(1, 2 * fmin(loads_p, 2 * fb_normal_tail(fabs(value - theory) / se)));
        snprintf(out->remark, sizeof out->remark, "loads of %.1f on average; as Poisson, p = %.2g",
                 mean, loads_p);
    }
    free(loads);
    fb_filter_close(&filter);
    return err;
}

/* Standard deviation over mean of the block loads. */
static enum fb_err relative_spread(struct fb_bench *bench, const json_t *args, const char *key,
                                   double *spread, double *theory)
{
    struct fb_filter filter;
    uint64_t n = fb_arg_count(args, "n", 0);
    double sum2 = 0;
    enum fb_err err = fb_bench_filter(bench, args, key, n, &filter);
    uint32_t *loads = err ? NULL : calloc(filter.geom.n_blocks, sizeof *loads);
    if (!err)
        err = loads ? block_loads(bench, &filter, n, loads) : FB_ENOMEM;
    if (!err) {
        double blocks = (double)filter.geom.n_blocks, mean = (double)n / blocks;
        for (uint64_t b = 0; b < filter.geom.n_blocks; b++)
            sum2 += (loads[b] - mean) * (loads[b] - mean);
        *spread = sqrt(sum2 / blocks) / mean;
        *theory = 1 / sqrt(mean);
    }
    free(loads);
    fb_filter_close(&filter);
    return err;
}

static enum fb_err load_spread(struct fb_bench *bench, const json_t *args, struct fb_finding *out)
{
    double a, b, theory_a, theory_b;
    enum fb_err err = relative_spread(bench, args, "a", &a, &theory_a);
    if (!err)
        err = relative_spread(bench, args, "b", &b, &theory_b);
    if (err)
        return err;
    fb_find_exact(out, theory_a / theory_b, a / b);
    out->tolerance = 0.02 * theory_a / theory_b;
    snprintf(out->remark, sizeof out->remark, "%.1f %% against %.1f %% of the mean load", 100 * a,
             100 * b);
    return FB_OK;
}

const struct fb_procedure fb_judge_blocks[] = {
    {"header", header},
    {"last-byte", last_byte},
    {"self-describing", self_describing},
    {"minimum-bits", minimum_bits},
    {"size-rule", size_rule},
    {"key-length-bytes", key_length_bytes},
    {"block-shape", block_shape},
    {"block-loads", uneven_loads},
    {"load-spread", load_spread},
    {0},
};
