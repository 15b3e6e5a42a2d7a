/* The contract of builds, asked of a toy that lies in one place: the part says where. Its source is
 * included, so that the library may lie where no design can. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "filters/core/builder.h"
#include "filters/core/scattered.h"
#include "harness/check/contract_scene.h"

/* What the toy is; it adds key by key unless it builds or tries again. */
enum { BUILDS = 1, RETRIES = 2, GROWS = 4, STATIC = 8, FULL = 16, SHAPED = 32, BARE = 64 };

/*
 * REFUSES a plan for `of` keys; NARROW: digests of one word below `of` keys, of two above; BATCHES,
 * CALLS: bytes tell how many batches came, how often it was filled; FINISHES what is only filled;
 * ENDS_WELL though a key more than `of`, which have room, came; DENIES key `of`; HITS: so many of
 * others, where 16.1 / 3 are predicted. A build HOLDS another amount of memory each time, LEAKS
 * where it has `of` keys, FAILS `of` times, FAILS_ONCE and leaks there, COUNTS `of` keys, FORGETS
 * what was held but for `of` bytes. The next attempt is the SAME, or TOO_LARGE; it GIVES_UP after
 * `of`. The last five are lies of the library.
 */
enum { NONE, REFUSES, NARROW, BATCHES, CALLS, FINISHES, ENDS_WELL, DENIES, HITS };
enum { HOLDS = 9, LEAKS, FAILS, FAILS_ONCE, COUNTS, FORGETS, SAME, TOO_LARGE, GIVES_UP };
enum { OPENS = 18, ADDS, ENDS, WRITES, TRIES };
static unsigned toy, lie, calls;
static uint64_t of, denied;
static char took[400]; /* "keys:planned" of each batch, runs of equal ones once */

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    geom->probes = toy & SHAPED && !(lie == NARROW && n_keys < of) ? 2 : 1;
    geom->n_bits = (uint64_t)params->bits_per_key * n_keys;
    geom->n_bytes = geom->n_bits / 64 * 8 + 24;
    if (lie != REFUSES || n_keys != of)
        return FB_OK;
    *why = "refused";
    return FB_EINVAL;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return lie == HITS ? 16.1 / (3 * FB_CONTRACT_N) : fb_bloom_fpr(n_keys, geom->n_bits, 1);
}

static uint64_t bit(const struct fb_filter *f, const uint64_t *digest)
{
    return fb_mod(fb_mix64(*digest + f->geom.own[0]), f->geom.range);
}

/* Behind the bits: how many keys are in, and what a lie leaves. */
static size_t add_batch(struct fb_filter *f, const uint64_t *digests, size_t n)
{
    uint64_t *in = (uint64_t *)(void *)(f->bytes + f->geom.n_bytes) - 2, i = 0;
    const bool full = toy & FULL && lie != ADDS && !(lie == ENDS_WELL && f->n_keys == of + 1);
    char now[40], *last = strrchr(took, ' ');
    snprintf(now, sizeof now, " %zu:%d", n, (int)(f->geom.n_bits / 10));
    if (n && (!last || strcmp(last, now)))
        strncat(took, now, sizeof took - strlen(took) - 1);
    in[1] += lie == BATCHES ? 1 : lie == CALLS ? ++calls : 0;
    f->finished = lie == FINISHES;
    for (; i < n && (!full || in[0] < of); i++, in[0]++)
        fb_set_bit_lsb(f->bytes, bit(f, digests + i * f->geom.digest_words));
    if (lie == DENIES && n > of)
        denied = digests[of * f->geom.digest_words];
    return i;
}

static size_t query_each(const struct fb_filter *f, const uint64_t *digests, size_t n)
{
    const size_t words = f->geom.digest_words;
    size_t yes = 0;
    for (const uint64_t *d = digests; d < digests + n * words; d += words)
        yes += fb_bit_lsb(f->bytes, bit(f, d)) && !(lie == DENIES && *d == denied);
    return lie == HITS && calls++ ? of : yes;
}

static enum fb_err build(struct fb_build *b, struct fb_filter *out)
{
    calls++;
    fb_heap_hold(b->heap, lie == HOLDS ? calls : 0);
    fb_heap_drop(b->heap, lie == HOLDS ? calls : 0);
    fb_heap_hold(b->heap, (lie == LEAKS && b->n == of) || (lie == FAILS_ONCE && calls == 1));
    b->heap->most = lie == FORGETS ? of : b->heap->most;
    if (calls <= (lie == FAILS ? of : lie == FAILS_ONCE))
        return FB_EFULL;
    b->placed = add_batch(out, b->digests, b->n);
    out->n_keys = lie == COUNTS ? of : out->n_keys;
    return b->placed < b->n ? FB_EFULL : FB_OK;
}

static bool retry(struct fb_geometry *geom, unsigned attempt)
{
    geom->own[0] += lie != SAME;
    geom->n_bits = lie == TOO_LARGE ? FB_MAX_BITS + 1 : geom->n_bits;
    return lie != GIVES_UP || attempt < of;
}

static enum fb_err grow(struct fb_filter *f, uint64_t n_keys)
{
    return f->n_keys > n_keys ? FB_EINVAL : FB_OK;
}

static const struct fb_format formats[] = {{"a", "", fb_nori_size, fb_nori_write, NULL},
                                           {"b", "", fb_nori_size, fb_nori_write, NULL},
                                           {0}};

/* ---- The library ---- */

/* of: 0 well, whatever is wrong; 1 an error; 2 no reason. */
static enum fb_err lying_open(struct fb_builder *b, const struct fb_design *design,
                              const struct fb_hash *hash, const struct fb_params *params,
                              uint64_t n, const char **why)
{
    const enum fb_err err = fb_builder_open(b, design, hash, params, n, why);
    *why = lie != OPENS ? *why : of == 2 ? NULL : "lie";
    return lie == OPENS && of < 2 ? (of ? FB_ENOMEM : FB_OK) : err;
}

/* of: 0 half is in, and no error; 1 full, 2 and no reason, 3 though all is in. */
#define LYING_ADD(name, to)                                                                        \
    static enum fb_err lying_##name(struct to *t, const uint64_t *digests, size_t n,               \
                                    size_t *added, const char **why)                               \
    {                                                                                              \
        const size_t some = lie == ADDS && of < 3 ? n / 2 : n;                                     \
        const enum fb_err err = fb_##name(t, digests, some, added, why);                           \
        *why = lie != ADDS ? *why : of == 2 ? NULL : "lie";                                        \
        return lie != ADDS ? err : of ? FB_EFULL : FB_OK;                                          \
    }
LYING_ADD(builder_add, fb_builder)
LYING_ADD(filter_add_digests, fb_filter)

static _Thread_local unsigned failures; /* of contract_builds.c */

/* of: 0 an error; 1 another capacity; 2 less room, and memory that follows; 3 bytes are left; 4 an
 * attempt more; 10 and more: so many placed. */
static enum fb_err lying_finish(struct fb_builder *b, struct fb_filter *out, const char **why)
{
    const enum fb_err err = fb_builder_finish(b, out, why);
    const bool lies = lie == ENDS;
    out->params.capacity += lies && of == 1;
    out->temporary_bytes -= lies && of == 2 ? b->room * b->words * sizeof *b->digests : 0;
    if (lies && of == 2)
        b->heap.held = b->room = 0;
    out->bytes = lies && of == 3 ? (uint8_t *)b : out->bytes;
    failures -= lies && of == 4;
    b->placed = lies && of >= 10 ? of - 10 : b->placed;
    return lies && !of ? FB_ENOMEM : err;
}

/* Of what is not finished, of: 0 the second format is written; 1 another error; 2 no reason. 3: an
 * error for what is finished. */
static enum fb_err lying_write(const struct fb_filter *f, const struct fb_format *format,
                               uint8_t *block, const char **why)
{
    const enum fb_err err = fb_filter_write(f, format, block, why);
    if (lie != WRITES || f->finished != (of == 3))
        return err;
    *why = of == 2 ? NULL : "lie";
    return of % 2 ? FB_ENOMEM : of == 0 && format > formats ? FB_OK : err;
}

/* of: so many attempts more; 3 by the real design; 4 another reason; 5 bytes are left; 10 and more:
 * so many attempts told. */
static enum fb_err lying_try(struct fb_contract *c, const struct fb_design *design,
                             uint64_t capacity, size_t first, size_t n, struct fb_filter *out,
                             const char **why)
{
    const struct fb_design *by = lie == TRIES && of == 3 ? c->design : design;
    enum fb_err err = fb_contract_try(c, by, capacity, first, n, out, why);
    for (uint64_t more = of; lie == TRIES && err == FB_EFULL && of < 3 && more; more--)
        err = fb_contract_try(c, by, capacity, first, n, out, why);
    *why = lie == TRIES && of == 4 ? "lie" : *why;
    out->bytes = lie == TRIES && of == 5 ? (uint8_t *)c : out->bytes;
    out->attempts = lie == TRIES && of >= 10 ? (unsigned)of - 10 : out->attempts;
    return err;
}

#define fb_builder_open       lying_open
#define fb_builder_add        lying_builder_add
#define fb_builder_finish     lying_finish
#define fb_filter_add_digests lying_filter_add_digests
#define fb_filter_write       lying_write
#define fb_contract_try       lying_try
#include "harness/check/contract_builds.c"

/* ---- What the contract says ---- */

static struct fb_contract_answer ask(const struct fb_contract_part *part)
{
    const struct fb_kernel kernel = {.isa = FB_ISA_SCALAR,
                                     .query_each = query_each,
                                     .add_batch = toy & STATIC ? NULL : add_batch};
    const struct fb_kernel *const kernels[] = {&kernel, NULL};
    struct fb_design d = {"toy", .traits = FB_SIZES_BY_BITS, .digest = fb_xxh64_one,
                          .kernels = kernels};
    d.plan = plan;
    d.fpr = fpr;
    d.digest_words = !(toy & SHAPED);
    d.build = toy & BUILDS ? build : NULL;
    d.retry = toy & RETRIES ? retry : NULL;
    d.grow = toy & GROWS ? grow : NULL;
    d.when_full = toy & (FULL | RETRIES) ? "no room" : NULL;
    d.formats = toy & BARE ? NULL : formats;
    struct fb_contract_answer answer;
    calls = 0, *took = '\0';
    fb_contract_ask(part, &d, &answer);
    return answer;
}

/* Of each part: lies, and words that the part says of them. What is honest, however near to a
 * limit: the word that is its code, 0: none, and the batches that it took. */
#define R(toy, lie, of, said)                                                                      \
    {                                                                                              \
        toy, lie, of, said                                                                         \
    }
static const struct {
    unsigned toy, lie;
    uint64_t of;
    const char *said;
} rows[][20] = {
    {R(0, OPENS, 1, "digests; 1 keys, not"), R(SHAPED, OPENS, 0, "digests; 1 keys, not"),
     R(SHAPED, OPENS, 2, "reason; 1 keys, not"), R(SHAPED, NARROW, 300, "words; 1 keys, exp"),
     R(0, ADDS, 3, "add: lie; 1 keys, not"), R(0, ADDS, 0, "added; 1 keys, not"),
     R(FULL, NONE, 2999, "no room; 3000 keys, not"), R(0, BATCHES, 0, "bits; 8 keys, exp"),
     R(BUILDS, HOLDS, 0, "amount of memory; 1"), R(0, ENDS, 2, "amount of memory; 1"),
     R(BUILDS, LEAKS, 300, "took; 300 keys, not"),
     R(BUILDS, NONE, 0, "0 1:1 2:2 8:8 300:300 3000:3000"),
     R(SHAPED, NONE, 0, "0 1:1 2:2 7:8 1:8 8:8 7:300 6:300 300:300 7:3000 4:3000 3000:3000"),
     R(0, NONE, 0, "0")},
    {R(0, REFUSES, 6000, "open: refused"), R(0, ADDS, 1, "add: lie"), R(0, ENDS, 0, "finish: "),
     R(0, BATCHES, 0, "other bits"), R(0, ENDS, 1, "another capacity"),
     R(0, NONE, 0, "0 7:6000 4:6000 3000:6000"), R(RETRIES, NONE, 0, "0 3000:6000")},
    {R(0, REFUSES, 100, "open: refused"), R(0, ADDS, 0, "without an error"),
     R(FULL, ADDS, 3, "without an error"), R(0, ADDS, 1, "that never is"),
     R(FULL | GROWS, ADDS, 1, "that never is"), R(FULL | BUILDS, ADDS, 1, "that never is"),
     R(FULL, ADDS, 2, "that never is"), R(0, ENDS, 0, "finish: "),
     R(BUILDS, COUNTS, 2999, "keys counted"), R(0, DENIES, 0, "is denied"),
     R(0, DENIES, 2999, "is denied"), R(0, CALLS, 0, "other bits"), R(0, NONE, 0, "3000 3000:100"),
     R(BUILDS, NONE, 0, "3000 3000:3000"), R(FULL, NONE, 2000, "2000 3000:100 2000:100"),
     R(GROWS, CALLS, 0, "3000 3000:100")},
    {R(0, FINISHES, 0, "is written"), R(0, WRITES, 0, "is written"), R(0, WRITES, 1, "is written"),
     R(0, WRITES, 2, "is written"), R(0, WRITES, 3, "write: lie"), R(0, NONE, 0, "0 3000:3000"),
     R(STATIC | BUILDS | BARE, NONE, 0, "0 3000:3000")},
    {R(BUILDS, LEAKS, 300, "took; 300 keys"), R(BUILDS | RETRIES, FAILS_ONCE, 0, "took; 1"),
     R(BUILDS, FAILS, 1, "build: a key found no"), R(BUILDS, HOLDS, 0, "0 1:1 300:300 3000:3000")},
    {R(RETRIES, GIVES_UP, 2, "without retry()"), R(0, TRIES, 2, "without retry()"),
     R(0, TRIES, 1, "early or too late"), R(RETRIES, TRIES, 3, "early or too late"),
     R(0, TRIES, 4, "without when_full"), R(0, TRIES, 5, "without when_full"),
     R(BUILDS | RETRIES, FAILS, 8, "of attempts"), R(RETRIES, TRIES, 12, "of attempts"),
     R(BUILDS | RETRIES, FORGETS, 1001, "memory"), R(RETRIES, SAME, 0, "is the same"),
     R(RETRIES, DENIES, 0, "is denied"), R(RETRIES, DENIES, 2999, "is denied"),
     R(RETRIES, HITS, 38, "rate"), R(BUILDS, NONE, 0, "0"), R(RETRIES, HITS, 37, "3 3000:3000"),
     R(BUILDS | RETRIES, FAILS, 7, "10"), R(BUILDS | RETRIES, FORGETS, 1002, "3"),
     R(BUILDS | RETRIES, FORGETS, 5000, "3")},
    {R(0, ADDS, 0, "without an error"), R(FULL, ADDS, 3, "without an error"),
     R(FULL, ENDS_WELL, 0, "ends well"), R(FULL, ENDS_WELL, 11, "ends well"),
     R(FULL, NONE, 5, "0 1:12 2:12 3:12 4:12 5:12 6:12 7:12 8:12 9:12 10:12 11:12 12:12"),
     R(FULL | GROWS, ENDS_WELL, 5, "0"), R(FULL | BUILDS, ENDS_WELL, 5, "0"),
     R(STATIC | BUILDS, NONE, 0, "0")},
    {R(0, OPENS, 1, "open: lie"), R(0, ENDS, 0, "always fails ends"),
     R(0, ENDS, 3, "without when_full"), R(RETRIES, TOO_LARGE, 0, "without when_full"),
     R(0, ENDS, 10, "keys placed"), R(0, ENDS, 1511, "keys placed"),
     R(RETRIES, GIVES_UP, 1, "of attempts"), R(0, ENDS, 4, "of attempts"),
     R(RETRIES, GIVES_UP, 2, "2"), R(RETRIES, NONE, 0, "256"), R(0, ENDS, 11, "1"),
     R(0, ENDS, 1510, "1")}};

TEST(lies_are_named)
{
    for (size_t p = 0; p < sizeof rows / sizeof *rows; p++)
        for (size_t i = 0; rows[p][i].said; i++) {
            const char *said = rows[p][i].said;
            struct fb_answers code = {0};
            char *batches;
            const uint64_t word = strtoull(said, &batches, 10);
            toy = rows[p][i].toy, lie = rows[p][i].lie, of = rows[p][i].of;
            const struct fb_contract_answer a = ask(fb_contract_builds + p);
            if (word)
                fb_answer_word(&code, word);
            const bool honest =
                a.holds && a.code == code.fold && (!*batches || !strcmp(batches, took));
            if (batches == said ? !strstr(a.why, said) : !honest)
                fail_msg("part %zu, of %d: '%s', not '%s';%s", p, (int)of, a.why, said, took);
        }
}

/* A part that breaks frees nothing. */
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

TESTS(NULL, NULL)
