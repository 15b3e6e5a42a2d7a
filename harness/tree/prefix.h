/*
 * Prefix filters: which entries a key becomes in a filter, and which one a query asks for.
 *
 *     fixed:N    the first N bytes; shorter keys are outside the domain
 *     capped:N   the first N bytes, or all of a shorter key; every key is in the domain
 *
 * With whole_key a filter holds keys and prefixes, without it prefixes only; both kinds of entry
 * share one filter. Designs that drop adjacent repeats get the sequence that RocksDB gives its
 * builder (FullFilterBlockBuilder::Add, AddKeyAndAlt); all others get each entry once.
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
    bool whole_key; /* must be set where kind is FB_PREFIX_NONE: nothing would be in the filter */
    char text[24];  /* "fixed:3" */
};

/* "none", "fixed:N", "capped:N", N 1..65535. False: *why says what is accepted. whole_key is as
 * given. */
bool fb_prefix_parse(const char *text, bool whole_key, struct fb_prefix *out, const char **why);

/* Whether a key of `len` bytes is in the domain, and how many bytes of it are its prefix. */
bool fb_prefix_domain(const struct fb_prefix *, size_t len, size_t *prefix_len);

/* What a point read (Get) or a scan of a prefix that starts at the key (Seek) asks the filter for:
 * the first *asked_len bytes of a key of `len` bytes. False: the filter cannot tell, and need not
 * be asked. Get asks for the whole key if the filter holds those, else for the prefix; Seek for the
 * prefix, if the key is in the domain. */
bool fb_prefix_get(const struct fb_prefix *, size_t len, size_t *asked_len);
bool fb_prefix_seek(const struct fb_prefix *, size_t len, size_t *asked_len);

/*
 * Digests of the entries of one filter from its keys in their order, as fb_filter_build_digests
 * takes them: digests [2 * keys->n * n_words], *n_entries of them filled. RocksDB's rule needs
 * sorted keys to drop repeats, as its files have them. hash: NULL, or what replaces the design's.
 * FB_EUNSUPPORTED for typed keys, FB_ENOMEM.
 */
enum fb_err fb_prefix_entries(const struct fb_prefix *, const struct fb_design *,
                              const struct fb_hash *, unsigned n_words, const struct fb_keys *keys,
                              uint64_t *digests, size_t *n_entries) FB_MUST_USE;

/* The filter of those entries, sized for their number; *out stays as it is where there are none.
 * FB_EUNSUPPORTED also where the digest of a key depends on that number. On failure *why says what
 * would be accepted, where that is known. */
enum fb_err fb_prefix_filter(const struct fb_prefix *, const struct fb_design *,
                             const struct fb_hash *, const struct fb_params *,
                             const struct fb_keys *keys, struct fb_filter *out,
                             const char **why) FB_MUST_USE;

/* Digest of the first `len` bytes of a key. */
enum fb_err fb_prefix_digest(const struct fb_design *, const struct fb_hash *, unsigned n_words,
                             const void *key, size_t len, uint64_t *digest) FB_MUST_USE;

#endif
