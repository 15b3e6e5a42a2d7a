#include "harness/tree/prefix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fb_prefix_parse(const char *text, bool whole_key, struct fb_prefix *out, const char **why)
{
    static const struct {
        const char *start;
        enum fb_prefix_kind kind;
    } kinds[] = {{"fixed:", FB_PREFIX_FIXED}, {"capped:", FB_PREFIX_CAPPED}};
    *out = (struct fb_prefix){.whole_key = whole_key};
    *why = "give none, fixed:N or capped:N with N from 1 to 65535";
    if (!strcmp(text, "none")) {
        *why = "without a prefix the filter must hold whole keys";
        snprintf(out->text, sizeof out->text, "none");
        return whole_key;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].start);
        char *end;
        if (strncmp(text, kinds[i].start, n) || text[n] < '1' || text[n] > '9')
            continue;
        unsigned long len = strtoul(text + n, &end, 10);
        if (*end || len > UINT16_MAX)
            return false;
        out->kind = kinds[i].kind;
        out->len = (uint32_t)len;
        snprintf(out->text, sizeof out->text, "%s%lu", kinds[i].start, len);
        return true;
    }
    return false;
}

bool fb_prefix_seek(const struct fb_prefix *prefix, size_t len, size_t *asked_len)
{
    *asked_len = fb_min_u64(len, prefix->len);
    return prefix->kind == FB_PREFIX_CAPPED ||
           (prefix->kind == FB_PREFIX_FIXED && len >= prefix->len);
}

bool fb_prefix_get(const struct fb_prefix *prefix, size_t len, size_t *asked_len)
{
    *asked_len = len;
    return prefix->whole_key || fb_prefix_seek(prefix, len, asked_len);
}

enum fb_err fb_prefix_digest(const struct fb_design *design, const struct fb_hash *hash,
                             unsigned n_words, const void *key, size_t len, uint64_t *digest)
{
    const uint64_t offset[2] = {0, len};
    const struct fb_keys one = {.bytes = key, .offset = offset, .n = 1};
    return fb_digest_keys(design, hash, n_words, &one, digest);
}

/* ---- RocksDB's order ---- */

struct builder {
    uint64_t *digests;
    size_t words, n;
    bool any_prefix;                     /* a key came with one; */
    uint64_t last_prefix[FB_MAX_PROBES]; /* that of the last such key */
};

static bool same(const struct builder *b, const uint64_t *x, const uint64_t *y)
{
    return !memcmp(x, y, b->words * sizeof *x);
}

static bool is_last_entry(const struct builder *b, const uint64_t *digest)
{
    return b->n && same(b, digest, b->digests + (b->n - 1) * b->words);
}

static bool is_last_prefix(const struct builder *b, const uint64_t *digest)
{
    return b->any_prefix && same(b, digest, b->last_prefix);
}

static void keep(struct builder *b, const uint64_t *digest)
{
    memcpy(b->digests + b->n++ * b->words, digest, b->words * sizeof *digest);
}

static void add(struct builder *b, const uint64_t *digest)
{
    if (!is_last_entry(b, digest))
        keep(b, digest);
}

/* AddKeyAndAlt: neither is kept that repeats what came just before, in either role. The prefix goes
 * first. */
static void add_both(struct builder *b, const uint64_t *key, const uint64_t *prefix)
{
    bool keep_key = !is_last_entry(b, key) && !is_last_prefix(b, key);
    if (!is_last_prefix(b, prefix) && !same(b, prefix, key) && !is_last_entry(b, prefix))
        keep(b, prefix);
    if (keep_key)
        keep(b, key);
    memcpy(b->last_prefix, prefix, b->words * sizeof *prefix);
    b->any_prefix = true;
}

/* ---- Each entry once ---- */

/* Keeps the first of equal digests, in their order: an open-addressed table of their places. */
static enum fb_err keep_distinct(uint64_t *digests, size_t words, size_t *n)
{
    size_t size = 16, kept = 0;
    while (size < 2 * *n)
        size *= 2;
    size_t *table = calloc(size, sizeof *table); /* place + 1 */
    if (!table)
        return FB_ENOMEM;
    for (size_t i = 0; i < *n; i++) {
        const uint64_t *digest = digests + i * words;
        size_t slot = (size_t)fb_mix64(digest[0]) & (size - 1);
        while (table[slot] &&
               memcmp(digests + (table[slot] - 1) * words, digest, words * sizeof *digest))
            slot = (slot + 1) & (size - 1);
        if (table[slot])
            continue;
        memmove(digests + kept * words, digest, words * sizeof *digest);
        table[slot] = ++kept;
    }
    *n = kept;
    free(table);
    return FB_OK;
}

enum fb_err fb_prefix_entries(const struct fb_prefix *prefix, const struct fb_design *design,
                              const struct fb_hash *hash, unsigned n_words,
                              const struct fb_keys *keys, uint64_t *digests, size_t *n_entries)
{
    const bool adjacent = design->traits & FB_DROPS_ADJACENT;
    struct builder b = {.digests = digests, .words = n_words};
    uint64_t key[FB_MAX_PROBES], alt[FB_MAX_PROBES];
    enum fb_err err = keys->type ? FB_EUNSUPPORTED : FB_OK;
    *n_entries = 0;
    for (size_t i = 0; !err && i < keys->n; i++) {
        const uint8_t *bytes = fb_key_at(keys, i);
        size_t len = fb_key_len(keys, i), prefix_len;
        bool in_domain = fb_prefix_seek(prefix, len, &prefix_len);
        if (prefix->whole_key)
            err = fb_prefix_digest(design, hash, n_words, bytes, len, key);
        if (!err && in_domain)
            err = fb_prefix_digest(design, hash, n_words, bytes, prefix_len, alt);
        if (err)
            break;
        if (in_domain && prefix->whole_key && adjacent) {
            add_both(&b, key, alt);
            continue;
        }
        if (prefix->whole_key)
            add(&b, key);
        if (in_domain)
            add(&b, alt);
    }
    if (!err && !adjacent)
        err = keep_distinct(digests, n_words, &b.n);
    *n_entries = err ? 0 : b.n;
    return err;
}

enum fb_err fb_prefix_filter(const struct fb_prefix *prefix, const struct fb_design *design,
                             const struct fb_hash *hash, const struct fb_params *params,
                             const struct fb_keys *keys, struct fb_filter *out, const char **why)
{
    struct fb_params resolved = *params;
    struct fb_geometry geom;
    struct fb_filter built;
    size_t n_entries;
    enum fb_err err = fb_params_plan(design, keys->n, &resolved, &geom, why);
    if (err)
        return err;
    uint64_t *digests = malloc((2 * keys->n * geom.digest_words + 1) * sizeof *digests);
    if (!digests)
        return FB_ENOMEM;
    err = fb_prefix_entries(prefix, design, hash, geom.digest_words, keys, digests, &n_entries);
    if (!err && n_entries) {
        err = fb_filter_build_digests(design, hash, params, digests, n_entries, &built, why);
        if (!err && built.geom.digest_words != geom.digest_words) {
            *why = "the digest of this design depends on the number of entries";
            fb_filter_close(&built);
            err = FB_EUNSUPPORTED;
        }
        if (!err)
            *out = built;
        if (!err && fb_design_waits(design))
            out->temporary_bytes += n_entries * geom.digest_words * sizeof *digests;
    }
    free(digests);
    return err;
}
