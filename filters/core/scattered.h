/*
 * For designs that scatter the k bits of a key over one array of m bits. Here are the size rule of
 * the nori and course documents, and their block formats.
 *
 * Where a function takes `why`, it sets *why to a static phrase on failure.
 */
#ifndef FILTERBENCH_FILTERS_CORE_SCATTERED_H
#define FILTERBENCH_FILTERS_CORE_SCATTERED_H

#include "filters/core/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A hostile block may demand so many probes that the real readers loop for up to 2^64 steps. Our
 * readers refuse more than this. Even 10^6 bits per key lead to fewer. */
#define FB_MAX_BLOCK_PROBES (UINT32_C(1) << 20)

/* Sets *why to the reason and returns FB_ECORRUPT: `return fb_corrupt(why, "too short");` */
enum fb_err fb_corrupt(const char **why, const char *reason);

/*
 * Plans m = floor(n * bits_per_key) bits in whole bytes and k = ceil(0.693 * bits_per_key) probes,
 * clamped to 1..max_probes. FB_EINVAL: params->probes is above max_probes.
 */
enum fb_err fb_scattered_plan(const struct fb_params *, uint64_t n_keys, uint32_t max_probes,
                              struct fb_geometry *out, const char **why);

/* Members of struct fb_design that several designs have in common. fb_xxh64_single of split_block.h
 * computes the same as fb_xxh64_one, for designs that do not include this header. */
void fb_xxh64_one(const void *key, size_t len, unsigned n_words, uint64_t *words);  /* seed 0 */
void fb_xxh64_pair(const void *key, size_t len, unsigned n_words, uint64_t *words); /* seeds 0, 1 */
enum fb_err fb_document_plan(const struct fb_params *, uint64_t n_keys, struct fb_geometry *out,
                             const char **why); /* fb_scattered_plan with at most 30 probes */
double fb_scattered_fpr(const struct fb_geometry *, uint64_t n_keys); /* fb_bloom_fpr */

/* Makes a filter of n_bits bits and copies them from `bits` [ceil(n_bits / 8)]. The caller closes
 * it. */
enum fb_err fb_scattered_load(const struct fb_design *, uint64_t n_bits, uint32_t probes,
                              const uint8_t *bits, struct fb_filter *out);

/* The format of the nori document: num_bits u64 | num_hashes u32, 1..30 | bits_per_key u32 | bits.
 * The array ends with name == NULL. */
#define FB_DOCUMENT_MAX_PROBES 30
extern const struct fb_format fb_document_formats[];

/* The format of nori's code: num_hashes u32 | num_bits u64 | bits. Its reader demands at least the
 * bytes that num_bits needs and ignores what follows them. */
uint64_t fb_nori_size(const struct fb_filter *);
void fb_nori_write(const struct fb_filter *, uint8_t *block);
enum fb_err fb_nori_read(const struct fb_design *, const uint8_t *block, size_t len,
                         struct fb_filter *out, const char **why);

#ifdef __cplusplus
}
#endif

#endif
