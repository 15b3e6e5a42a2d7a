#include "filters/core/internal/fjall.h"

#include <math.h>

#include "filters/core/math.h"
#include "filters/core/scattered.h"

static float round_up_to_bytes(float bits)
{
    return ceilf(bits / 8) * 8;
}

uint64_t fb_fjall_bits_for_rate(uint64_t n_keys, float p)
{
    const float ln2_squared = FB_FJALL_LN2 * FB_FJALL_LN2;
    const float ln_p = (float)fb_log((double)p);
    const float product = (float)n_keys * ln_p;
    return (uint64_t)round_up_to_bytes(-(product / ln2_squared));
}

static uint32_t probes_for(float bits_per_key)
{
    uint32_t k = (uint32_t)(bits_per_key * FB_FJALL_LN2);
    return k < 1 ? 1 : k;
}

enum fb_err fb_fjall_set_bits(uint64_t m, struct fb_geometry *out, const char **why)
{
    if (m == 0) {
        *why = "fjall has no filter of 0 bits: give at least 1 key and 1 bit per key";
        return FB_EINVAL;
    }
    out->n_bits = m;
    out->n_bytes = m / 8;
    return FB_OK;
}

enum fb_err fb_fjall_plan(const struct fb_params *params, uint64_t n_keys, float min_rate,
                          struct fb_geometry *out, const char **why)
{
    uint64_t m;
    if (params->fpr != 0) {
        float p = (float)params->fpr;
        m = fb_fjall_bits_for_rate(n_keys, p < min_rate ? min_rate : p);
        out->probes = n_keys ? probes_for((float)(m / n_keys)) : 1;
    } else {
        float bits = (float)params->bits_per_key;
        m = (uint64_t)round_up_to_bytes((float)(n_keys * (uint64_t)bits));
        out->probes = probes_for(bits);
    }
    if (params->probes)
        out->probes = params->probes;
    return fb_fjall_set_bits(m, out, why);
}

static size_t header_bytes(const struct fb_fjall_layout *layout)
{
    return (size_t)layout->n_magic + layout->n_zero + 16;
}

static const struct fb_fjall_layout *layout_of(const struct fb_design *design)
{
    return design->layout;
}

uint64_t fb_fjall_size(const struct fb_filter *f)
{
    return header_bytes(layout_of(f->design)) + f->geom.n_bytes;
}

void fb_fjall_write(const struct fb_filter *f, uint8_t *block)
{
    const struct fb_fjall_layout *layout = layout_of(f->design);
    void (*put)(void *, uint64_t) = layout->little_endian ? fb_put_le64 : fb_put_be64;
    memcpy(block, layout->magic, layout->n_magic);
    block += layout->n_magic;
    memset(block, 0, layout->n_zero);
    block += layout->n_zero;
    put(block, f->geom.n_bits);
    put(block + 8, f->geom.probes);
    memcpy(block + 16, f->bytes, f->geom.n_bytes);
}

enum fb_err fb_fjall_read(const struct fb_design *design, const uint8_t *block, size_t len,
                          struct fb_filter *out, const char **why)
{
    const struct fb_fjall_layout *layout = layout_of(design);
    const size_t header = header_bytes(layout);
    if (len < header)
        return fb_corrupt(why, "shorter than its header");
    if (memcmp(block, layout->magic, layout->n_magic))
        return fb_corrupt(why, "the magic bytes of this lsm-tree version are missing");
    for (unsigned i = 0; i < layout->n_zero; i++)
        if (block[layout->n_magic + i])
            return fb_corrupt(why, "unknown filter type or hash type, 0 is expected");
    const uint8_t *fields = block + header - 16;
    uint64_t m = layout->little_endian ? fb_le64(fields) : fb_be64(fields);
    uint64_t k = layout->little_endian ? fb_le64(fields + 8) : fb_be64(fields + 8);
    if (m == 0 || m % 8)
        return fb_corrupt(why, "m is not a positive multiple of 8");
    if (m / 8 > len - header)
        return fb_corrupt(why, "m needs more bytes than the block has");
    if (k > FB_MAX_BLOCK_PROBES)
        return fb_corrupt(why, "k is above 1048576");
    return fb_scattered_load(design, m, (uint32_t)k, block + header, out);
}
