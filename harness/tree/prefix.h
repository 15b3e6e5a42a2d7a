/*
 * Prefix filters: which entries a key becomes in a filter, and for which entry a query asks.
 *
 *     fixed:N    the first N bytes; shorter keys are outside the domain
 *     capped:N   the first N bytes, or all of a shorter key; every key is in the domain
 *
 * With whole_key a filter holds keys and prefixes, without it prefixes only. Under fixed:2 the keys
 * "aba" and "abb" become the entries "ab", "aba" and "abb", or "ab" alone. Designs that drop
 * adjacent repeats get the sequence that RocksDB gives its builder (FullFilterBlockBuilder::Add,
 * AddKeyAndAlt); all others get each entry once.
 *
 * Source: facebook/rocksdb include/rocksdb/slice_transform.h, table/block_based/
 * full_filter_block.cc, filter_policy.cc. Pure functions, any thread.
 */
#ifndef FILTERBENCH_HARNESS_TREE_PREFIX_H
#define FILTERBENCH_HARNESS_TREE_PREFIX_H

#include "filters/core/filter.h"

enum fb_prefix_kind { FB_PREFIX_NONE, FB_PREFIX_FIXED, FB_PREFIX_CAPPED };

struct fb_prefix {
    enum fb_prefix_kind kind;
    uint32_t len;
    bool whole_key; /* whole keys are in the filter; always so where kind is FB_PREFIX_NONE */
    char text[24];  /* "fixed:3" */
};

/* "none", "fixed:N", "capped:N", N 1..65535, beside whole_key, which "none" needs. False: *why says
 * what is accepted. */
bool fb_prefix_parse(const char *text, bool whole_key, struct fb_prefix *out, const char **why);

/* What a scan that starts at a key of `len` bytes (Seek) asks the filter for: the key's prefix, its
 * first *asked_len bytes. False: the key is outside the domain, no filter can tell and none is
 * asked. */
bool fb_prefix_seek(const struct fb_prefix *, size_t len, size_t *asked_len);
/* The same for a point read (Get): it asks for the whole key if the filter holds whole keys, else
 * for the prefix. */
bool fb_prefix_get(const struct fb_prefix *, size_t len, size_t *asked_len);

/*
 * Writes the digests of one filter's entries, in the order of its keys, to digests [2 * keys->n *
 * n_words], and how many they are to *n_entries: as fb_filter_build_digests takes them. RocksDB's
 * rule drops repeats of sorted keys, as its files have them. hash replaces the design's own; NULL:
 * none does. FB_EUNSUPPORTED for typed keys, FB_ENOMEM.
 */
enum fb_err fb_prefix_entries(const struct fb_prefix *, const struct fb_design *,
                              const struct fb_hash *, unsigned n_words, const struct fb_keys *keys,
                              uint64_t *digests, size_t *n_entries) FB_MUST_USE;

/* The filter of those entries, sized for their number; *out stays as it is where there are none.
 * Entries that wait for each other (fb_design_waits) are among its temporary_bytes.
 * FB_EUNSUPPORTED also where the digest of a key depends on the number of entries. On failure *why
 * says what would be accepted, where that is known. */
enum fb_err fb_prefix_filter(const struct fb_prefix *, const struct fb_design *,
                             const struct fb_hash *, const struct fb_params *,
                             const struct fb_keys *keys, struct fb_filter *out,
                             const char **why) FB_MUST_USE;

/* Digest of the first `len` bytes of a key. */
enum fb_err fb_prefix_digest(const struct fb_design *, const struct fb_hash *, unsigned n_words,
                             const void *key, size_t len, uint64_t *digest) FB_MUST_USE;

#endif
