#include "filters/core/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/internal/build.h"
#include "filters/core/key_digest.h"
#include "filters/core/math.h"

static enum fb_err refuse(const char **why, const char *reason)
{
    *why = reason;
    return FB_EINVAL;
}

static enum fb_err check_params(const struct fb_design *design, const struct fb_params *p,
                                uint64_t n_keys, const char **why)
{
    bool bits = p->bits_per_key != 0, rate = p->fpr != 0;
    if (bits && !(p->bits_per_key > 0 && p->bits_per_key <= 1e6))
        return refuse(why, "bits per key must be a number above 0 and at most 1000000");
    if (rate && !(p->fpr > 0 && p->fpr < 1))
        return refuse(why, "the false-positive rate must lie between 0 and 1, both excluded");
    if (bits && rate)
        return refuse(why, "give bits per key or a false-positive rate, not both");
    if (!bits && !rate && fb_design_sized(design))
        return refuse(why, "give bits per key or a false-positive rate");
    if (p->probes > FB_MAX_PROBES)
        return refuse(why, "probes must be between 1 and 64");
    if (p->probes && design->traits & FB_FIXED_PROBES)
        return refuse(why, "the number of probes is fixed by this design");
    if (n_keys > FB_MAX_KEYS || p->capacity > FB_MAX_KEYS)
        return refuse(why, "at most 2^40 keys");
    return FB_OK;
}

bool fb_design_sized(const struct fb_design *design)
{
    return !(design->traits & (FB_CONTROL | FB_ONE_SIZE));
}

double fb_design_own_bits(const struct fb_design *design, uint64_t n_keys)
{
    struct fb_geometry geom;
    const char *why;
    if (!n_keys || fb_design_plan(design, &(struct fb_params){0}, n_keys, &geom, &why))
        return 0;
    return 8 * (double)geom.n_bytes / (double)n_keys;
}

enum fb_err fb_geometry_settle(const struct fb_design *design, struct fb_geometry *geom,
                               const char **why)
{
    if (geom->n_bytes > FB_MAX_BITS / 8 || geom->n_bits > FB_MAX_BITS)
        return refuse(why, "the filter would exceed 2^46 bits");
    geom->digest_words = design->digest_words ? design->digest_words : geom->probes;
    if (geom->digest_words > FB_MAX_PROBES)
        return refuse(why, "a key would take more than 64 words of digest");
    geom->range = fb_divisor_of(geom->n_blocks ? geom->n_blocks : geom->n_bits);
    return FB_OK;
}

/* Whether the params say what plan() does not take. */
static bool are_unresolved(const struct fb_design *design, const struct fb_params *params)
{
    return fb_params_derived(design, params) || (design->traits & FB_ONE_SIZE && params->fpr != 0);
}

enum fb_err fb_design_plan(const struct fb_design *design, const struct fb_params *params,
                           uint64_t n_keys, struct fb_geometry *out, const char **why)
{
    *why = NULL;
    memset(out, 0, sizeof *out);
    enum fb_err err = check_params(design, params, n_keys, why);
    if (err)
        return err;
    if (design->traits & FB_INTEGER_BITS && params->bits_per_key != floor(params->bits_per_key))
        return refuse(why, "this design takes an integer number of bits per key");
    if (are_unresolved(design, params))
        return refuse(why, "these params are not resolved: fb_params_plan does both");
    err = design->plan(params, params->capacity ? params->capacity : n_keys, out, why);
    return err ? err : fb_geometry_settle(design, out, why);
}

/* The FPR that the design predicts for itself with params, at capacity; 1 where it cannot plan. */
static double predicted(const struct fb_design *design, const struct fb_params *params,
                        uint64_t n_keys, struct fb_geometry *geom)
{
    const char *why;
    if (fb_design_plan(design, params, n_keys, geom, &why))
        return 1;
    return design->fpr(geom, params->capacity ? params->capacity : n_keys);
}

/* On a grid of 1 or 1/1000 bit. */
enum fb_err fb_params_fewest_bits(const struct fb_design *design, uint64_t n_keys,
                                  struct fb_params *params, const char **why)
{
    double step = design->traits & FB_INTEGER_BITS ? 1 : 0.001, target = params->fpr;
    struct fb_params trial = *params;
    struct fb_geometry geom;
    uint64_t low = 0, high = (uint64_t)(200 / step);
    trial.fpr = 0;
    trial.bits_per_key = (double)high * step;
    if (predicted(design, &trial, n_keys, &geom) > target)
        return refuse(why, "this design does not reach that rate with 200 bits per key");
    while (high - low > 1) {
        uint64_t mid = low + (high - low) / 2;
        trial.bits_per_key = (double)mid * step;
        if (predicted(design, &trial, n_keys, &geom) <= target)
            high = mid;
        else
            low = mid;
    }
    trial.bits_per_key = (double)high * step;
    *params = trial;
    return FB_OK;
}

/* Highest rate whose filter has at least the wanted bits, that is the smallest such filter;
 * bisection on log2 of the rate. */
static enum fb_err solve_rate(const struct fb_design *design, uint64_t n_keys,
                              struct fb_params *params, const char **why)
{
    uint64_t capacity = params->capacity ? params->capacity : n_keys;
    const double wanted = params->bits_per_key * (double)capacity;
    struct fb_params trial = *params;
    struct fb_geometry geom;
    double low = -60, high = 0; /* log2 of a rate whose filter is large enough, and of one not */
    enum fb_err err;
    trial.bits_per_key = 0;
    do { /* the lowest power of two that the design has a filter for */
        trial.fpr = fb_exp(low * FB_LN2);
        err = fb_design_plan(design, &trial, n_keys, &geom, why);
    } while (err == FB_EINVAL && ++low < high);
    if (err)
        return err;
    if ((double)geom.n_bits < wanted)
        return refuse(why, "the lowest rate of this design takes fewer bits per key than that");
    for (int i = 0; i < 50; i++) {
        double mid = (low + high) / 2;
        trial.fpr = fb_exp(mid * FB_LN2);
        if (!fb_design_plan(design, &trial, n_keys, &geom, why) && (double)geom.n_bits >= wanted)
            low = mid;
        else
            high = mid;
    }
    trial.fpr = fb_exp(low * FB_LN2);
    *why = NULL;
    *params = trial;
    return FB_OK;
}

const char *fb_params_derived(const struct fb_design *design, const struct fb_params *asked)
{
    if (!fb_design_sized(design))
        return NULL;
    if (asked->fpr != 0 && !(design->traits & FB_SIZES_BY_RATE))
        return "bits per key";
    return asked->bits_per_key != 0 && !(design->traits & FB_SIZES_BY_BITS) ? "rate" : NULL;
}

enum fb_err fb_params_resolve(const struct fb_design *design, uint64_t n_keys,
                              struct fb_params *params, const char **why)
{
    enum fb_err err = check_params(design, params, n_keys, why);
    if (err || !are_unresolved(design, params))
        return err;
    return params->fpr != 0 ? fb_params_fewest_bits(design, n_keys, params, why)
                            : solve_rate(design, n_keys, params, why);
}

enum fb_err fb_params_plan(const struct fb_design *design, uint64_t n_keys,
                           struct fb_params *params, struct fb_geometry *out, const char **why)
{
    enum fb_err err = fb_params_resolve(design, n_keys, params, why);
    return err ? err : fb_design_plan(design, params, n_keys, out, why);
}

static void digest_replaced(const struct fb_hash *hash, const void *key, size_t len,
                            unsigned n_words, uint64_t *words)
{
    words[0] = hash->hash(key, len, 0);
    for (unsigned i = 1; i < n_words; i++)
        words[i] = hash->seed_bits ? hash->hash(key, len, i) : fb_mix64(words[0] + i);
}

enum { BATCHED_RUN = 16 }; /* keys of one length from which digest_batch pays */

/* How many keys from the i-th on have its length. */
static size_t equal_lengths(const struct fb_keys *keys, size_t i)
{
    size_t run = 1;
    while (i + run < keys->n && fb_key_len(keys, i + run) == fb_key_len(keys, i))
        run++;
    return run;
}

enum fb_err fb_digest_keys(const struct fb_design *design, const struct fb_hash *hash,
                           unsigned n_words, const struct fb_keys *keys, uint64_t *digests)
{
    const bool batched = !hash && !keys->type && design->digest_batch;
    const bool as_keys = design->traits & FB_TAKES_KEYS;
    size_t run_end = 0; /* the keys before it are known to be no run worth batching */
    for (size_t i = 0; i < keys->n; i++) {
        const uint8_t *key = fb_key_at(keys, i);
        size_t len = fb_key_len(keys, i);
        uint64_t *words = digests + i * n_words;
        if (batched && i >= run_end) {
            size_t run = equal_lengths(keys, i);
            run_end = i + run;
            if (run >= BATCHED_RUN) {
                design->digest_batch(key, len, run, n_words, words);
                i += run - 1;
                continue;
            }
        }
        enum fb_key_type type = keys->type ? (enum fb_key_type)keys->type[i] : FB_KEY_BYTES;
        if ((type != FB_KEY_BYTES && !design->digest_typed) ||
            (as_keys && (hash || len > fb_key_digest_most(n_words))))
            return FB_EUNSUPPORTED;
        if (hash) {
            digest_replaced(hash, key, len, n_words, words);
        } else if (type != FB_KEY_BYTES) {
            enum fb_err err = design->digest_typed(type, key, len, words);
            if (err)
                return err;
        } else {
            design->digest(key, len, n_words, words);
        }
    }
    return FB_OK;
}

enum fb_err fb_digest_key(const struct fb_design *design, const struct fb_hash *hash,
                          unsigned n_words, const void *key, size_t len, uint64_t *words)
{
    const uint64_t offset[2] = {0, len};
    const struct fb_keys one = {.bytes = key, .offset = offset, .n = 1};
    return fb_digest_keys(design, hash, n_words, &one, words);
}

enum fb_err fb_filter_alloc(const struct fb_design *design, const struct fb_geometry *geom,
                            struct fb_filter *out)
{
    memset(out, 0, sizeof *out);
    out->bytes = fb_alloc_lines(geom->n_bytes);
    if (!out->bytes)
        return FB_ENOMEM;
    out->design = design;
    out->geom = *geom;
    out->kernel = geom->n_bits || design->traits & FB_CONTROL ? fb_kernel_find(design, FB_ISA_NONE)
                                                              : &fb_kernel_no;
    return FB_OK;
}

enum { QUERY_CHUNK = 256 }; /* keys hashed before they are asked: the digests stay in L1 */

enum fb_err fb_filter_query_keys(const struct fb_filter *filter, const struct fb_keys *keys,
                                 uint8_t *maybe, size_t *n_maybe)
{
    unsigned words = filter->geom.digest_words;
    uint64_t digests[QUERY_CHUNK * FB_MAX_PROBES];
    *n_maybe = 0;
    for (size_t i = 0; i < keys->n; i += QUERY_CHUNK) {
        struct fb_keys chunk = {.bytes = keys->bytes,
                                .offset = keys->offset + i,
                                .type = keys->type ? keys->type + i : NULL,
                                .n = keys->n - i < QUERY_CHUNK ? keys->n - i : QUERY_CHUNK};
        enum fb_err err = fb_digest_keys(filter->design, filter->hash, words, &chunk, digests);
        if (err)
            return err;
        *n_maybe += filter->kernel->query_batch(filter, digests, chunk.n, maybe + i);
    }
    return FB_OK;
}

bool fb_filter_maybe(const struct fb_filter *filter, const void *key, size_t len)
{
    uint64_t digest[FB_MAX_PROBES];
    return fb_digest_key(filter->design, filter->hash, filter->geom.digest_words, key, len,
                         digest) ||
           filter->kernel->query(filter, digest);
}

enum fb_err fb_filter_write(const struct fb_filter *filter, const struct fb_format *format,
                            uint8_t *block, const char **why)
{
    *why = NULL;
    if (!filter->finished)
        return refuse(why, "the filter is not finished: build it at once or step by step");
    format->encode(filter, block);
    return FB_OK;
}

enum fb_err fb_filter_read(const struct fb_design *design, const struct fb_format *format,
                           const uint8_t *block, size_t len, struct fb_filter *out,
                           const char **why)
{
    *why = NULL;
    memset(out, 0, sizeof *out);
    if (!format->read)
        return FB_EUNSUPPORTED;
    enum fb_err err = format->read(design, block, len, out, why);
    out->finished = true;
    if (err)
        fb_filter_close(out);
    return err;
}

void fb_filter_close(struct fb_filter *filter)
{
    free(filter->bytes);
    memset(filter, 0, sizeof *filter);
}
