#include "filters/core/internal/rocksdb.h"

enum { MOST_PROBES = 30 };

void fb_rocksdb_digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)n_words;
    words[0] = fb_xxph3(key, len, 0);
}

enum fb_err fb_rocksdb_check(const struct fb_params *params, const char **why)
{
    if (params->bits_per_key < 0.5) {
        *why = "RocksDB builds no filter below 0.5 bits per key";
        return FB_EINVAL;
    }
    if (params->probes > MOST_PROBES) {
        *why = "RocksDB's reader takes 1 to 30 probes";
        return FB_EINVAL;
    }
    return FB_OK;
}

uint32_t fb_rocksdb_millibits(double bits_per_key)
{
    if (bits_per_key < 1)
        return 1000;
    return bits_per_key >= 100 ? 100000 : (uint32_t)(bits_per_key * 1000 + 0.500001);
}

/* ---- Blocks ---- */

/* The first byte of the trailer: -1 FastLocalBloom, -2 Ribbon, 1 and more the legacy filter's
 * number of probes. */
enum fb_rocksdb_sort fb_rocksdb_sort_of(const uint8_t *block, size_t len)
{
    if (len <= FB_ROCKSDB_TRAILER)
        return FB_ROCKSDB_EMPTY;
    const int8_t implementation = (int8_t)block[len - FB_ROCKSDB_TRAILER];
    if (implementation >= 1)
        return FB_ROCKSDB_LEGACY;
    return implementation == -1   ? FB_ROCKSDB_BLOOM
           : implementation == -2 ? FB_ROCKSDB_RIBBON
                                  : FB_ROCKSDB_UNKNOWN;
}

enum fb_err fb_rocksdb_constant(const struct fb_design *design, const struct fb_kernel *answer,
                                struct fb_filter *out)
{
    const struct fb_geometry geom = {.digest_words = 1};
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        out->kernel = answer;
    return err;
}

enum fb_err fb_rocksdb_read_other(const struct fb_design *design, enum fb_rocksdb_sort sort,
                                  struct fb_filter *out, const char **why)
{
    switch (sort) {
    case FB_ROCKSDB_LEGACY:
        *why = "a legacy Bloom filter, which RocksDB reads with other code";
        return FB_EUNSUPPORTED;
    case FB_ROCKSDB_BLOOM:
        *why = "a FastLocalBloom filter, which RocksDB reads with other code";
        return FB_EUNSUPPORTED;
    case FB_ROCKSDB_RIBBON:
        *why = "a Ribbon filter, which RocksDB reads with other code";
        return FB_EUNSUPPORTED;
    default:
        return fb_rocksdb_constant(design,
                                   sort == FB_ROCKSDB_EMPTY ? &fb_kernel_no : &fb_kernel_yes, out);
    }
}

/* ---- FastLocalBloom ---- */

uint32_t fb_fastlocal_probes_of(uint32_t millibits)
{
    static const uint32_t up_to[] = {2080,  3580,  5100,  6640,  8300,  10070,
                                     11720, 14001, 16050, 18300, 22001, 25501};
    for (uint32_t i = 0; i < sizeof up_to / sizeof *up_to; i++)
        if (millibits <= up_to[i])
            return i + 1;
    return millibits > 50000 ? 24 : (millibits - 1) / 2000 - 1;
}

static void geometry(uint64_t n_lines, uint32_t probes, struct fb_geometry *out)
{
    out->n_blocks = n_lines;
    out->block_bits = FB_ROCKSDB_LINE_BITS;
    out->n_bytes = n_lines * FB_ROCKSDB_LINE_BYTES;
    out->n_bits = n_lines * FB_ROCKSDB_LINE_BITS;
    out->probes = probes;
}

void fb_fastlocal_plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom)
{
    const uint32_t millibits = fb_rocksdb_millibits(params->bits_per_key);
    uint64_t bytes = (n_keys * millibits + 7999) / 8000;
    if (bytes > UINT32_C(0xFFFFFFC0))
        bytes = UINT32_C(0xFFFFFFC0);
    geometry((bytes + FB_ROCKSDB_LINE_BYTES - 1) / FB_ROCKSDB_LINE_BYTES,
             params->probes ? params->probes : fb_fastlocal_probes_of(millibits), geom);
}

double fb_fastlocal_fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_blocked_fpr(n_keys, geom->n_blocks, FB_ROCKSDB_LINE_BITS, geom->probes),
                     fb_half_hash_collision(n_keys, geom->n_blocks));
}

uint64_t fb_fastlocal_size(const struct fb_filter *f)
{
    return f->geom.n_bytes ? f->geom.n_bytes + FB_ROCKSDB_TRAILER : 0;
}

void fb_fastlocal_write(const struct fb_filter *f, uint8_t *block)
{
    if (!f->geom.n_bytes)
        return;
    const uint8_t trailer[FB_ROCKSDB_TRAILER] = {0xFF, 0, (uint8_t)f->geom.probes, 0, 0};
    memcpy(block, f->bytes, f->geom.n_bytes);
    memcpy(block + f->geom.n_bytes, trailer, FB_ROCKSDB_TRAILER);
}

/* Sub-implementation 0, 64-byte lines (top three bits of the k byte), k in 1..30, two zero bytes;
 * anything else may come from the future and answers yes. */
enum fb_err fb_fastlocal_read(const struct fb_design *design, const uint8_t *block, size_t len,
                              struct fb_filter *out, const char **why)
{
    const uint8_t *trailer = block + len - FB_ROCKSDB_TRAILER;
    const uint32_t k = trailer[2];
    if (trailer[1] != 0 || k < 1 || k > MOST_PROBES || trailer[3] || trailer[4])
        return fb_rocksdb_constant(design, &fb_kernel_yes, out);
    const uint64_t n_lines = (len - FB_ROCKSDB_TRAILER) / FB_ROCKSDB_LINE_BYTES;
    if (n_lines < 1 || n_lines > UINT32_MAX) {
        *why = "fewer bytes than one 64-byte line (RocksDB would read beyond them)";
        return FB_ECORRUPT;
    }
    struct fb_geometry geom = {.digest_words = 1, .range = fb_divisor_of(n_lines)};
    geometry(n_lines, k, &geom);
    enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err)
        memcpy(out->bytes, block, geom.n_bytes);
    return err;
}
