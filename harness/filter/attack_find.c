/* How keys for an attack are found (attack.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/base/parallel.h"
#include "harness/filter/attack.h"

enum { CHUNK = 512 };

/* Keys to try, a chunk at a time. */
struct trial {
    struct fb_attack_scene *scene;
    struct fb_attack_found *out;
    uint64_t next;     /* number of the first key of the next chunk, from 0 */
    uint64_t *digests; /* [CHUNK * words], owned */
    size_t n;          /* in the chunk */
};

/* Whether there is a chunk to try. */
static bool next_chunk(struct trial *t, enum fb_err *err)
{
    const struct fb_attack_spec *spec = &t->scene->spec;
    t->next += t->n;
    t->n = fb_min_u64(spec->tries - t->next, CHUNK);
    if (*err || !t->n || t->out->n == spec->most || fb_interrupted())
        return false;
    *err = fb_attack_digests(t->scene, NULL, fb_attack_first_tried(spec) + t->next, NULL, t->n,
                             t->digests);
    return !*err;
}

static const uint64_t *digest_at(const struct trial *t, size_t i)
{
    return t->digests + i * t->scene->words;
}

static uint64_t number_at(const struct trial *t, size_t i)
{
    return fb_attack_first_tried(&t->scene->spec) + t->next + i;
}

/* Keeps key i of the chunk, unless there are enough. */
static void keep(struct trial *t, size_t i, size_t filter)
{
    struct fb_attack_found *out = t->out;
    if (out->n == t->scene->spec.most)
        return;
    out->keys[out->n++] = (struct fb_attack_key){number_at(t, i), filter};
    out->tries = t->next + i + 1; /* of the last that was wanted */
}

/* ---- offline ---- */

static enum fb_err find_offline(struct trial *t, const char **why)
{
    uint8_t maybe[CHUNK];
    enum fb_err err = FB_OK;
    (void)why;
    while (next_chunk(t, &err)) {
        const size_t j = t->next / CHUNK % t->scene->spec.filters;
        const struct fb_filter *f = &t->scene->filters[j];
        if (!f->kernel->query_batch(f, t->digests, t->n, maybe))
            continue;
        for (size_t i = 0; i < t->n; i++)
            if (maybe[i])
                keep(t, i, j);
    }
    return err;
}

/* ---- colliding ---- */

struct present {
    uint64_t mixed, number_plus_1; /* of a digest; 0: an empty slot */
};

struct table {
    struct present *slots; /* [mask + 1], at most half full */
    uint64_t mask;
    uint64_t used[FB_MAX_PROBES]; /* bits of each word of a digest that answers depend on */
};

enum { WITNESSES = 32 };

/* A half of a word is used if some present key is denied once all of the half's bits are turned
 * over. Where it is, a key passes nevertheless as often as absent keys do, and 32 keys never do. */
static enum fb_err find_used(struct trial *t, struct table *table)
{
    static const uint64_t halves[] = {UINT32_MAX, ~(uint64_t)UINT32_MAX};
    const struct fb_filter *f = t->scene->filters;
    const size_t n = fb_min_u64(t->scene->spec.n_keys, WITNESSES);
    enum fb_err err = fb_attack_digests(t->scene, NULL, 0, NULL, n, t->digests);
    for (size_t i = 0; i < n && !err; i++)
        for (unsigned w = 0; w < t->scene->words; w++)
            for (int half = 0; half < 2; half++) {
                uint64_t *word = &t->digests[i * t->scene->words + w];
                *word ^= halves[half];
                if (!f->kernel->query(f, digest_at(t, i)))
                    table->used[w] |= halves[half];
                *word ^= halves[half];
            }
    return err;
}

static uint64_t mix(const struct table *table, const uint64_t *digest, unsigned words)
{
    uint64_t mixed = 0;
    for (unsigned w = 0; w < words; w++)
        mixed = fb_mix64(mixed ^ (digest[w] & table->used[w])) + w;
    return mixed;
}

static bool is_equal(const struct table *table, const uint64_t *a, const uint64_t *b,
                     unsigned words)
{
    uint64_t differing = 0;
    for (unsigned w = 0; w < words; w++)
        differing |= (a[w] ^ b[w]) & table->used[w];
    return !differing;
}

/* The digests of the present keys of all filters. */
static enum fb_err fill_table(struct trial *t, struct table *table)
{
    const uint64_t n = fb_attack_own_keys(&t->scene->spec);
    uint64_t size = 2;
    enum fb_err err = find_used(t, table);
    while (size < 2 * n)
        size *= 2;
    table->mask = size - 1;
    table->slots = calloc((size_t)size, sizeof *table->slots);
    if (!table->slots)
        return FB_ENOMEM;
    for (uint64_t at = 0; at < n && !err; at += CHUNK) {
        const size_t chunk = fb_min_u64(n - at, CHUNK);
        err = fb_attack_digests(t->scene, NULL, at, NULL, chunk, t->digests);
        for (size_t i = 0; i < chunk && !err; i++) {
            const uint64_t mixed = mix(table, digest_at(t, i), t->scene->words);
            uint64_t slot = mixed & table->mask;
            while (table->slots[slot].number_plus_1)
                slot = (slot + 1) & table->mask;
            table->slots[slot] = (struct present){mixed, at + i + 1};
        }
    }
    return err;
}

/* The filter that has a key of this digest, in *filter. */
static enum fb_err find_equal(struct trial *t, const struct table *table, const uint64_t *digest,
                              size_t *filter)
{
    const unsigned words = t->scene->words;
    const uint64_t mixed = mix(table, digest, words);
    uint64_t other[FB_MAX_PROBES];
    enum fb_err err = FB_OK;
    *filter = FB_ATTACK_ANY;
    for (uint64_t slot = mixed & table->mask; table->slots[slot].number_plus_1 && !err;
         slot = (slot + 1) & table->mask) {
        if (table->slots[slot].mixed != mixed)
            continue;
        const uint64_t number = table->slots[slot].number_plus_1 - 1;
        err = fb_attack_digests(t->scene, NULL, number, NULL, 1, other);
        if (!err && is_equal(table, digest, other, words)) {
            *filter = (size_t)(number / t->scene->spec.n_keys);
            break;
        }
    }
    return err;
}

static enum fb_err find_colliding(struct trial *t, const char **why)
{
    struct table table = {0};
    size_t filter;
    enum fb_err err = fill_table(t, &table);
    (void)why;
    while (next_chunk(t, &err)) {
        for (size_t i = 0; i < t->n && !err; i++) {
            err = find_equal(t, &table, digest_at(t, i), &filter);
            if (err || filter == FB_ATTACK_ANY)
                continue;
            const struct fb_filter *f = &t->scene->filters[filter];
            if (f->kernel->query(f, digest_at(t, i)))
                keep(t, i, filter);
        }
    }
    free(table.slots);
    return err;
}

/* ---- degenerate ---- */

/* How many of the attacker's filters say yes. */
static unsigned count_yes(const struct fb_filter *own, const uint64_t *digest)
{
    unsigned yes = 0;
    for (size_t j = 0; j < FB_ATTACK_OWN_FILTERS; j++)
        yes += own[j].kernel->query(&own[j], digest);
    return yes;
}

/*
 * Filters that say yes to a key that is kept: 4 and five standard deviations above what is expected
 * of other keys, by the attacker's own count. At a rate of 1 % that is 0.64 + 4 + 5 * 0.8, so 9:
 * one key in 10^8 does so by chance. A key of one bit, where half are set, has 32, and 4 standard
 * deviations below that are 16.
 */
static enum fb_err find_threshold(struct trial *t, const struct fb_filter *own, unsigned *threshold)
{
    uint64_t yes = 0;
    enum fb_err err = fb_attack_digests(t->scene, NULL, fb_attack_first_tried(&t->scene->spec),
                                        NULL, CHUNK, t->digests);
    for (size_t i = 0; i < CHUNK && !err; i++)
        yes += count_yes(own, digest_at(t, i));
    const double expected = (double)yes / CHUNK, rate = expected / FB_ATTACK_OWN_FILTERS;
    *threshold = (unsigned)(expected + 4 + 5 * sqrt(expected * (1 - rate))) + 1;
    return err;
}

/* A key passes the attacker's first filter, and then as many of all as no other key does. */
static enum fb_err find_degenerate(struct trial *t, const char **why)
{
    const struct fb_attack_spec *spec = &t->scene->spec;
    struct fb_filter own[FB_ATTACK_OWN_FILTERS] = {0};
    uint8_t maybe[CHUNK];
    unsigned threshold = 0;
    enum fb_err err = FB_OK;
    for (size_t j = 0; j < FB_ATTACK_OWN_FILTERS && !err; j++)
        err = fb_attack_build(t->scene, NULL, fb_attack_own_keys(spec) + j * spec->n_keys, NULL, 0,
                              &own[j], why);
    if (!err)
        err = find_threshold(t, own, &threshold);
    while (next_chunk(t, &err)) {
        if (!own->kernel->query_batch(own, t->digests, t->n, maybe))
            continue;
        for (size_t i = 0; i < t->n; i++)
            if (maybe[i] && count_yes(own, digest_at(t, i)) >= threshold)
                keep(t, i, FB_ATTACK_ANY);
    }
    for (size_t j = 0; j < FB_ATTACK_OWN_FILTERS; j++)
        fb_filter_close(&own[j]);
    return err;
}

/* ---- flood ---- */

enum { NEARLY_EMPTY = 8 }; /* a filter with an eighth of its keys is emptied */

/* A filter, and a part of its array that only some keys change. */
struct part {
    struct fb_filter filter;
    uint64_t first, n_bytes, n_added;
};

static void empty(struct part *p)
{
    memset(p->filter.bytes, 0, (size_t)p->filter.geom.n_bytes);
    p->n_added = 0;
}

static bool is_zero(const uint8_t *bytes, uint64_t n)
{
    uint8_t any = 0;
    for (uint64_t i = 0; i < n; i++)
        any |= bytes[i];
    return !any;
}

/* Whether the key changes the part, and nothing else. */
static bool stays_within(struct part *p, uint64_t n_keys, const uint64_t *digest)
{
    const struct fb_filter *f = &p->filter;
    const uint64_t behind = p->first + p->n_bytes;
    if (p->n_added >= n_keys / NEARLY_EMPTY)
        empty(p);
    p->n_added++;
    f->kernel->add_batch(&p->filter, digest, 1);
    if (is_zero(f->bytes + p->first, p->n_bytes))
        return false;
    empty(p);
    f->kernel->add_batch(&p->filter, digest, 1);
    const bool within =
        is_zero(f->bytes, p->first) && is_zero(f->bytes + behind, f->geom.n_bytes - behind);
    empty(p);
    return within;
}

/* The block, or else the cache line, that the first key to be tried changes first. */
static enum fb_err open_part(struct trial *t, struct part *p)
{
    uint64_t digest[FB_MAX_PROBES], at = 0;
    enum fb_err err = fb_filter_alloc(t->scene->spec.design, &t->scene->geom, &p->filter);
    if (!err)
        err = fb_attack_digests(t->scene, NULL, fb_attack_first_tried(&t->scene->spec), NULL, 1,
                                digest);
    if (err)
        return err;
    const struct fb_geometry *geom = &p->filter.geom;
    const uint64_t unit = geom->block_bits >= 8 ? geom->block_bits / 8 : FB_CACHE_LINE;
    p->filter.kernel->add_batch(&p->filter, digest, 1);
    while (at + 1 < geom->n_bytes && !p->filter.bytes[at])
        at++;
    p->first = at / unit * unit;
    p->n_bytes = fb_min_u64(unit, geom->n_bytes - p->first);
    empty(p);
    return FB_OK;
}

/* The first keys, as many as may be, are inserted; those that come then are asked. They come at one
 * rate, so half of the tries belong to each. */
static enum fb_err find_flood(struct trial *t, const char **why)
{
    const struct fb_attack_spec *spec = &t->scene->spec;
    struct fb_attack_found *out = t->out;
    struct part part = {0};
    (void)why;
    enum fb_err err = open_part(t, &part);
    while (next_chunk(t, &err)) {
        const bool inserts = out->n_inserted < spec->insert && t->next < spec->tries / 2;
        for (size_t i = 0; i < t->n; i++) {
            if (!stays_within(&part, spec->n_keys, digest_at(t, i)))
                continue;
            if (inserts && out->n_inserted < spec->insert)
                out->inserted[out->n_inserted++] = number_at(t, i);
            else
                keep(t, i, FB_ATTACK_ANY);
        }
    }
    fb_filter_close(&part.filter);
    return err;
}

/* ---- All of them ---- */

enum fb_err fb_attack_find(struct fb_attack_scene *scene, enum fb_attack attack,
                           struct fb_attack_found *out, const char **why)
{
    static enum fb_err (*const find[FB_N_ATTACKS])(struct trial *, const char **) = {
        find_offline, find_colliding, find_degenerate, find_flood};
    struct trial t = {.scene = scene, .out = out};
    *out = (struct fb_attack_found){0};
    out->keys = calloc((size_t)scene->spec.most + 1, sizeof *out->keys);
    out->inserted = calloc((size_t)scene->spec.insert + 1, sizeof *out->inserted);
    t.digests = malloc(CHUNK * scene->words * sizeof *t.digests);
    enum fb_err err = out->keys && out->inserted && t.digests ? FB_OK : FB_ENOMEM;
    if (!err)
        err = find[attack](&t, why);
    if (out->n < scene->spec.most)
        out->tries = scene->spec.tries;
    free(t.digests);
    return err;
}
