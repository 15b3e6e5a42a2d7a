#include "filters/core/scattered.h"

enum fb_err fb_corrupt(const char **why, const char *reason)
{
    *why = reason;
    return FB_ECORRUPT;
}

static uint64_t bytes_for(uint64_t n_bits)
{
    return n_bits / 8 + (n_bits % 8 != 0);
}

enum fb_err fb_scattered_plan(const struct fb_params *params, uint64_t n_keys, uint32_t max_probes,
                              struct fb_geometry *out, const char **why)
{
    const double bits = params->bits_per_key, k = 0.693 * bits;
    const uint64_t whole = (uint64_t)bits;
    if (params->probes > max_probes) {
        *why = "this design has at most 30 probes";
        return FB_EINVAL;
    }
    out->n_bits = n_keys * whole + (uint64_t)((double)n_keys * (bits - (double)whole));
    out->n_bytes = bytes_for(out->n_bits);
    out->probes = (uint32_t)k + (k > (uint32_t)k);
    if (out->probes > max_probes)
        out->probes = max_probes;
    if (params->probes)
        out->probes = params->probes;
    return FB_OK;
}

void fb_xxh64_one(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_xxh64(key, len, 0);
}

void fb_xxh64_pair(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_xxh64(key, len, 0);
    words[1] = fb_xxh64(key, len, 1);
}

enum fb_err fb_document_plan(const struct fb_params *params, uint64_t n_keys,
                             struct fb_geometry *out, const char **why)
{
    return fb_scattered_plan(params, n_keys, FB_DOCUMENT_MAX_PROBES, out, why);
}

double fb_scattered_fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_bloom_fpr(n_keys, geom->n_bits, geom->probes);
}

enum fb_err fb_scattered_load(const struct fb_design *design, uint64_t n_bits, uint32_t probes,
                              const uint8_t *bits, struct fb_filter *out)
{
    struct fb_geometry geom = {
        .n_bytes = bytes_for(n_bits),
        .n_bits = n_bits,
        .probes = probes,
        .digest_words = design->digest_words ? design->digest_words : probes,
        .range = fb_divisor_of(n_bits),
    };
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, bits, geom.n_bytes);
    return err;
}

enum { DOCUMENT_HEADER = 16, NORI_HEADER = 12 };

static uint64_t document_size(const struct fb_filter *f)
{
    return DOCUMENT_HEADER + f->geom.n_bytes;
}

static void document_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le64(block, f->geom.n_bits);
    fb_put_le32(block + 8, f->geom.probes);
    fb_put_le32(block + 12, (uint32_t)f->params.bits_per_key);
    memcpy(block + DOCUMENT_HEADER, f->bytes, f->geom.n_bytes);
}

static enum fb_err document_read(const struct fb_design *design, const uint8_t *block, size_t len,
                                 struct fb_filter *out, const char **why)
{
    if (len < DOCUMENT_HEADER)
        return fb_corrupt(why, "shorter than its 16-byte header");
    uint64_t n_bits = fb_le64(block);
    uint32_t probes = fb_le32(block + 8);
    if (probes < 1 || probes > FB_DOCUMENT_MAX_PROBES)
        return fb_corrupt(why, "num_hashes is outside 1..30");
    if (bytes_for(n_bits) != len - DOCUMENT_HEADER)
        return fb_corrupt(why, "num_bits does not match the length of the block");
    enum fb_err err = fb_scattered_load(design, n_bits, probes, block + DOCUMENT_HEADER, out);
    if (!err)
        out->params.bits_per_key = fb_le32(block + 12);
    return err;
}

const struct fb_format fb_document_formats[] = {
    {"document", "16-byte header of the nori document, then the bits", document_size,
     document_write, document_read},
    {0},
};

uint64_t fb_nori_size(const struct fb_filter *f)
{
    return NORI_HEADER + f->geom.n_bytes;
}

void fb_nori_write(const struct fb_filter *f, uint8_t *block)
{
    fb_put_le32(block, f->geom.probes);
    fb_put_le64(block + 4, f->geom.n_bits);
    memcpy(block + NORI_HEADER, f->bytes, f->geom.n_bytes);
}

enum fb_err fb_nori_read(const struct fb_design *design, const uint8_t *block, size_t len,
                         struct fb_filter *out, const char **why)
{
    if (len < NORI_HEADER)
        return fb_corrupt(why, "shorter than its 12-byte header");
    uint32_t probes = fb_le32(block);
    uint64_t n_bits = fb_le64(block + 4);
    if (bytes_for(n_bits) > len - NORI_HEADER)
        return fb_corrupt(why, "num_bits needs more bytes than the block has");
    if (probes > FB_MAX_BLOCK_PROBES)
        return fb_corrupt(why, "num_hashes is above 1048576");
    return fb_scattered_load(design, n_bits, probes, block + NORI_HEADER, out);
}
