#include "harness/filter/attack.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "workloads/core/rng.h"

enum { CHUNK = 512 }; /* keys written and hashed at a time */

const struct fb_word fb_attacks[] = {
    {"offline", "absent keys that pass a copy of the filter; the attacker knows the present keys"},
    {"colliding", "absent keys with the whole digest of a present key; the attacker knows those"},
    {"degenerate", "absent keys that pass filters of any other keys far too often: few bits"},
    {"flood", "inserts keys of one block, then asks for absent keys of that block"},
    {NULL, NULL}};

void fb_attack_found_close(struct fb_attack_found *f)
{
    free(f->keys);
    free(f->inserted);
    memset(f, 0, sizeof *f);
}

const char *fb_attack_why_not(const struct fb_design *design, enum fb_attack attack)
{
    if (design->traits & FB_CONTROL)
        return "a control is no filter that anyone would attack";
    if (attack == FB_ATTACK_FLOOD && !fb_attack_adds(design))
        return "a static design: where a key lies follows from all keys, not from one";
    return NULL;
}

static unsigned half_of(const uint64_t *digest, unsigned half)
{
    return (unsigned)(digest[half / 2] >> (32 * (half % 2)));
}

enum { SOME_KEYS = 4, LONGEST_KEY = 64 }; /* four halves are equal by chance once in 2^128 */

bool fb_attack_is_own(const struct fb_attack_spec *spec, const struct fb_hash *hash, unsigned words)
{
    const struct fb_keygen *keygen = spec->keygen;
    const uint64_t stream = fb_stream_key(spec->root, FB_DOMAIN_KEYS, 0);
    uint64_t own[SOME_KEYS][FB_MAX_PROBES], other[SOME_KEYS][FB_MAX_PROBES];
    bool any = false;
    if (keygen->max_len > LONGEST_KEY)
        return false;
    for (size_t i = 0; i < SOME_KEYS; i++) {
        uint8_t key[LONGEST_KEY];
        const size_t len = keygen->write(keygen, stream, i, key);
        if (fb_digest_key(spec->design, NULL, words, key, len, own[i]) ||
            fb_digest_key(spec->design, hash, words, key, len, other[i]))
            return false;
    }
    for (unsigned a = 0; a < 2 * words; a++)
        for (unsigned b = 0; b < 2 * words; b++) {
            bool all = true;
            for (size_t i = 0; i < SOME_KEYS; i++)
                all = all && half_of(own[i], a) == half_of(other[i], b) && half_of(own[i], a);
            any = any || all;
        }
    return any;
}

/* ---- Keys ---- */

uint64_t fb_attack_own_keys(const struct fb_attack_spec *s)
{
    return s->filters * s->n_keys;
}

uint64_t fb_attack_random_keys(const struct fb_attack_spec *s)
{
    return fb_attack_own_keys(s) + FB_ATTACK_OWN_FILTERS * s->n_keys;
}

uint64_t fb_attack_first_tried(const struct fb_attack_spec *s)
{
    return fb_attack_random_keys(s) + s->probes;
}

enum fb_err fb_attack_digests(struct fb_attack_scene *s, const struct fb_hash *hash, uint64_t first,
                              const uint64_t *number, size_t n, uint64_t *digests)
{
    const struct fb_keygen *keygen = s->spec.keygen;
    enum fb_err err = FB_OK;
    for (size_t at = 0; at < n && !err; at += CHUNK) {
        struct fb_keys keys = {.bytes = s->bytes, .offset = s->offset};
        keys.n = fb_min_u64(n - at, CHUNK);
        for (size_t i = 0; i < keys.n; i++) {
            const uint64_t index = number ? number[at + i] : first + at + i;
            s->offset[i + 1] =
                s->offset[i] + keygen->write(keygen, s->stream, index, s->bytes + s->offset[i]);
        }
        err = fb_digest_keys(s->spec.design, hash, s->words, &keys, digests + at * s->words);
    }
    return err;
}

enum fb_err fb_attack_build(struct fb_attack_scene *s, const struct fb_hash *hash, uint64_t first,
                            const uint64_t *inserted, size_t n_inserted, struct fb_filter *out,
                            const char **why)
{
    const size_t n = (size_t)s->spec.n_keys, honest = n - n_inserted;
    uint64_t *digests = malloc(n * s->words * sizeof *digests);
    enum fb_err err = digests ? FB_OK : FB_ENOMEM;
    if (!err)
        err = fb_attack_digests(s, hash, first, NULL, honest, digests);
    if (!err)
        err = fb_attack_digests(s, hash, 0, inserted, n_inserted, digests + honest * s->words);
    if (!err)
        err = fb_filter_build_digests(s->spec.design, hash, &s->spec.params, digests, n, out, why);
    free(digests);
    return err;
}

/* ---- The scene ---- */

enum fb_err fb_attack_open(const struct fb_attack_spec *spec, struct fb_attack_scene *s,
                           const char **why)
{
    struct fb_params params = spec->params;
    *s = (struct fb_attack_scene){.spec = *spec};
    enum fb_err err = fb_params_plan(spec->design, spec->n_keys, &params, &s->geom, why);
    if (err)
        return err;
    s->words = (unsigned)fb_max_u64(s->geom.digest_words, 1);
    s->stream = fb_stream_key(spec->root, FB_DOMAIN_KEYS, 0);
    s->bytes = malloc(CHUNK * spec->keygen->max_len);
    s->offset = calloc(CHUNK + 1, sizeof *s->offset);
    s->filters = calloc(spec->filters, sizeof *s->filters);
    if (!s->bytes || !s->offset || !s->filters)
        return FB_ENOMEM;
    for (size_t j = 0; j < spec->filters && !err; j++)
        err = fb_attack_build(s, NULL, j * spec->n_keys, NULL, 0, &s->filters[j], why);
    return err;
}

void fb_attack_close(struct fb_attack_scene *s)
{
    for (size_t j = 0; s->filters && j < s->spec.filters; j++)
        fb_filter_close(&s->filters[j]);
    free(s->filters);
    free(s->offset);
    free(s->bytes);
    memset(s, 0, sizeof *s);
}

/* ---- The strike ---- */

void fb_attack_counts_close(struct fb_attack_counts *c)
{
    free(c->asked);
    memset(c, 0, sizeof *c);
}

static uint64_t count_bits(const struct fb_filter *f)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < f->geom.n_bytes; i++)
        n += (uint64_t)__builtin_popcount(f->bytes[i]);
    return n;
}

/* The bits that the first keys set, each of them alone. */
static enum fb_err count_key_bits(struct fb_attack_scene *s, const struct fb_hash *hash,
                                  const struct fb_attack_found *found, struct fb_attack_counts *out)
{
    struct fb_filter empty = {0};
    uint64_t digest[FB_MAX_PROBES];
    if (!fb_attack_adds(s->spec.design))
        return FB_OK;
    enum fb_err err = fb_filter_alloc(s->spec.design, &s->geom, &empty);
    for (size_t i = 0; i < found->n && i < FB_ATTACK_SAMPLE && !err; i++) {
        err = fb_attack_digests(s, hash, found->keys[i].number, NULL, 1, digest);
        if (err)
            break;
        memset(empty.bytes, 0, (size_t)empty.geom.n_bytes);
        empty.kernel->add_batch(&empty, digest, 1);
        out->bits[fb_min_u64(count_bits(&empty), FB_MAX_PROBES)]++;
    }
    fb_filter_close(&empty);
    return err;
}

static enum fb_err ask_random(struct fb_attack_scene *s, const struct fb_filter *f, uint64_t *asked,
                              uint64_t *passed)
{
    uint64_t *digests = malloc(CHUNK * s->words * sizeof *digests);
    uint8_t maybe[CHUNK];
    enum fb_err err = digests ? FB_OK : FB_ENOMEM;
    for (uint64_t at = 0; at < s->spec.probes && !err; at += CHUNK) {
        const size_t n = fb_min_u64(s->spec.probes - at, CHUNK);
        err = fb_attack_digests(s, f->hash, fb_attack_random_keys(&s->spec) + at, NULL, n, digests);
        if (!err)
            *passed += f->kernel->query_batch(f, digests, n, maybe);
        *asked += n;
    }
    free(digests);
    return err;
}

/* Filter j, against the digests of the keys found. */
static void ask_found(const struct fb_attack_scene *s, const struct fb_filter *f, size_t j,
                      const struct fb_attack_found *found, const uint64_t *digests,
                      struct fb_attack_counts *out)
{
    for (size_t i = 0; i < found->n; i++) {
        const size_t of = found->keys[i].filter;
        if (!f->hash && of != FB_ATTACK_ANY && of != j)
            continue;
        out->asked[j]++;
        out->passed[j] += f->kernel->query(f, digests + i * s->words);
    }
}

static enum fb_err strike_filter(struct fb_attack_scene *s, const struct fb_filter *f, size_t j,
                                 const struct fb_attack_found *found, const uint64_t *digests,
                                 struct fb_attack_counts *out)
{
    if (!out->geom.n_bytes) {
        out->geom = f->geom;
        out->set_bits = count_bits(f);
    }
    out->attempts = fb_max_u64(out->attempts, f->attempts);
    ask_found(s, f, j, found, digests, out);
    return ask_random(s, f, &out->random_asked[j], &out->random_passed[j]);
}

static enum fb_err found_digests(struct fb_attack_scene *s, const struct fb_hash *hash,
                                 const struct fb_attack_found *found, uint64_t **digests)
{
    enum fb_err err = FB_OK;
    *digests = malloc((found->n + 1) * s->words * sizeof **digests);
    if (!*digests)
        return FB_ENOMEM;
    for (size_t i = 0; i < found->n && !err; i++)
        err = fb_attack_digests(s, hash, found->keys[i].number, NULL, 1, *digests + i * s->words);
    return err;
}

enum fb_err fb_attack_strike(struct fb_attack_scene *s, const struct fb_hash *hash,
                             const struct fb_attack_found *found, struct fb_attack_counts *out,
                             const char **why)
{
    const size_t n = s->spec.filters;
    uint64_t *digests = NULL;
    *out = (struct fb_attack_counts){.filters = n, .asked = calloc(4 * n, sizeof *out->asked)};
    if (!out->asked)
        return FB_ENOMEM;
    out->passed = out->asked + n;
    out->random_asked = out->passed + n;
    out->random_passed = out->random_asked + n;
    enum fb_err err = found_digests(s, hash, found, &digests);
    if (!err)
        err = count_key_bits(s, hash, found, out);
    for (size_t j = 0; j < n && !err && !fb_interrupted(); j++) {
        struct fb_filter built = {0};
        const bool there = !hash && !found->n_inserted;
        if (!there)
            err = fb_attack_build(s, hash, j * s->spec.n_keys, found->inserted, found->n_inserted,
                                  &built, why);
        if (err == FB_EFULL && found->n_inserted) {
            out->failed++;
            err = FB_OK;
            continue;
        }
        if (!err)
            err = strike_filter(s, there ? &s->filters[j] : &built, j, found, digests, out);
        fb_filter_close(&built);
    }
    free(digests);
    return err;
}
