/*
 * FastLocalBloom on NEON: eight probes at once. The line is a table of 64 bytes, so one lookup
 * takes the byte of each probe (the top 6 of its 9 bits) and a shifted one tests the bit in it.
 * Included by rocksdb_fastlocal.c only, after its scalar loops.
 */
#if defined(__aarch64__)

#define POWER2 (GOLDEN * GOLDEN)
#define POWER4 (POWER2 * POWER2)
#define POWER8 (POWER4 * POWER4)

static const uint32_t golden_power[8] = {
    1,      GOLDEN,         POWER2,         POWER2 *GOLDEN,
    POWER4, POWER4 *GOLDEN, POWER4 *POWER2, POWER4 *POWER2 *GOLDEN};

static inline void offsets_neon(const struct fb_filter *f, const uint64_t *digests, uint64_t *out)
{
    fb_offsets_mul_neon(f, digests, out, false, LINE_SHIFT);
}

/* The low bytes of eight words. */
static inline uint8x8_t low_bytes(uint32x4_t a, uint32x4_t b)
{
    return vmovn_u16(vcombine_u16(vmovn_u32(a), vmovn_u32(b)));
}

static inline bool probe_neon(const struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    static const uint8_t lane[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint8x16x4_t line = vld1q_u8_x4(f->bytes + offset);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t done = 0; done < f->geom.probes; done += 8, x *= POWER8) {
        uint32x4_t a = vmulq_n_u32(vld1q_u32(golden_power), x);
        uint32x4_t b = vmulq_n_u32(vld1q_u32(golden_power + 4), x);
        uint8x8_t byte = vqtbl4_u8(line, low_bytes(vshrq_n_u32(a, 26), vshrq_n_u32(b, 26)));
        uint8x8_t at = vand_u8(low_bytes(vshrq_n_u32(a, 23), vshrq_n_u32(b, 23)), vdup_n_u8(7));
        uint8x8_t set = vtst_u8(byte, vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(at)));
        uint8x8_t unused = vcge_u8(vld1_u8(lane), vdup_n_u8((uint8_t)(f->geom.probes - done)));
        if (vminv_u8(vorr_u8(set, unused)) == 0)
            return false;
    }
    return true;
}

static inline void insert_neon(struct fb_filter *f, const uint64_t *digest, uint64_t offset)
{
    uint64_t *line = (uint64_t *)(void *)(f->bytes + offset);
    uint32_t x = fb_hi32(*digest);
    for (uint32_t i = 0; i < f->geom.probes; i++, x *= GOLDEN)
        line[x >> 29] |= UINT64_C(1) << (x >> 23 & 63);
}

#define FB_RING     neon
#define FB_RING_ISA FB_ISA_NEON
#define FB_RING_TARGET
#define FB_RING_OFFSETS offsets_neon
#define FB_RING_PROBE   probe_neon
#define FB_RING_INSERT  insert_neon
#include "filters/simd/one_block_ring.inc"

#undef POWER2
#undef POWER4
#undef POWER8

#endif
