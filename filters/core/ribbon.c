#include "filters/core/internal/ribbon.h"

#include <math.h> /* ldexp: exact */

void fb_ribbon_geometry(uint64_t n_blocks, uint64_t n_segments, uint32_t most,
                        struct fb_geometry *out)
{
    uint64_t columns = fb_divide_up(n_segments, n_blocks);
    if (columns > most) {
        columns = most;
        n_segments = columns * n_blocks;
    }
    out->probes = (uint32_t)columns;
    out->n_bytes = n_segments * FB_RIBBON_SEGMENT;
    out->n_bits = 8 * out->n_bytes;
    out->own[FB_RIBBON_BLOCKS] = n_blocks;
    out->own[FB_RIBBON_SHORT] = columns * n_blocks - n_segments;
}

double fb_ribbon_fpr(const struct fb_geometry *geom)
{
    const uint64_t starts = fb_ribbon_starts(geom);
    const double in_short =
        (double)fb_min_u64(geom->own[FB_RIBBON_SHORT] * FB_RIBBON_WIDTH, starts) / (double)starts;
    return ldexp(1 + in_short, -(int)geom->probes);
}

/* ---- Builds ---- */

enum fb_err fb_band_open(struct fb_band *band, const struct fb_geometry *geom, struct fb_heap *heap)
{
    const uint64_t n_slots = geom->own[FB_RIBBON_BLOCKS] * FB_RIBBON_WIDTH;
    *band = (struct fb_band){.n_slots = n_slots, .heap = heap};
    band->coefficients = fb_heap_take_zeroed(heap, n_slots * sizeof *band->coefficients);
    band->results = fb_heap_take_zeroed(heap, n_slots * sizeof *band->results);
    return band->coefficients && band->results ? FB_OK : FB_ENOMEM;
}

void fb_band_close(struct fb_band *band)
{
    fb_heap_give(band->heap, band->coefficients, band->n_slots * sizeof *band->coefficients);
    fb_heap_give(band->heap, band->results, band->n_slots * sizeof *band->results);
}

/* next[b]: where the next digest of bucket b goes; a digest that is moved there drives out the one
 * that it finds, until one comes that belongs where the first was taken. */
void fb_ribbon_gather(const struct fb_geometry *geom, uint64_t *digests, size_t n,
                      uint64_t (*order)(const struct fb_geometry *, uint64_t digest))
{
    enum { BITS = 12, BUCKETS = 1 << BITS };
    size_t next[BUCKETS] = {0}, end[BUCKETS], sum = 0;
    for (size_t i = 0; i < n; i++)
        next[order(geom, digests[i]) >> (64 - BITS)]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        const size_t count = next[b];
        next[b] = sum;
        sum += count;
        end[b] = sum;
    }
    for (size_t b = 0; b < BUCKETS; b++)
        while (next[b] < end[b]) {
            uint64_t digest = digests[next[b]];
            for (size_t to; (to = order(geom, digest) >> (64 - BITS)) != b;) {
                const uint64_t driven = digests[next[to]];
                digests[next[to]++] = digest;
                digest = driven;
            }
            digests[next[b]++] = digest;
        }
}

static unsigned trailing_zeros(fb_u128 x)
{
    const uint64_t low = (uint64_t)x;
    return (unsigned)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(x >> 64)));
}

/* Gauss: the equation loses its first slot to the one that stands there, until a slot is free or
 * nothing is left of it. A row starts at its slot, so it never reaches beyond the last. */
bool fb_band_add(struct fb_band *band, const struct fb_ribbon_key *key)
{
    fb_u128 coefficients = key->coefficients;
    uint64_t result = key->result;
    uint64_t slot = key->start;
    while (band->coefficients[slot]) {
        coefficients ^= band->coefficients[slot];
        result ^= band->results[slot];
        if (!coefficients)
            return result == 0;
        const unsigned zeros = trailing_zeros(coefficients);
        coefficients >>= zeros;
        slot += zeros;
    }
    band->coefficients[slot] = coefficients;
    band->results[slot] = result;
    return true;
}

/* state[j]: bits of column j at the 128 slots from this one on. */
void fb_band_solve(const struct fb_band *band, struct fb_filter *out)
{
    const uint32_t columns = out->geom.probes;
    fb_u128 state[FB_RIBBON_MOST_COLUMNS] = {0};
    uint8_t *segment = out->bytes + out->geom.n_bytes;
    for (uint64_t slot = band->n_slots; slot-- > 0;) {
        const fb_u128 coefficients = band->coefficients[slot];
        const uint64_t result = band->results[slot];
        for (uint32_t j = 0; j < columns; j++) {
            const fb_u128 shifted = state[j] << 1, both = shifted & coefficients;
            const uint64_t folded = (uint64_t)both ^ (uint64_t)(both >> 64);
            state[j] = shifted | (((uint64_t)__builtin_parityll(folded) ^ result >> j) & 1);
        }
        if (slot % FB_RIBBON_WIDTH)
            continue;
        const bool is_short = slot / FB_RIBBON_WIDTH < out->geom.own[FB_RIBBON_SHORT];
        for (uint32_t j = columns - is_short; j-- > 0;) {
            segment -= FB_RIBBON_SEGMENT;
            fb_put_le64(segment, (uint64_t)state[j]);
            fb_put_le64(segment + 8, (uint64_t)(state[j] >> 64));
        }
    }
}
