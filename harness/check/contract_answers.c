/* Answers: keys that are in, every kernel, hashes, refusals, the predicted rate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/contract_scene.h"
#include "harness/filter/bits_taken.h"

enum { N_OTHERS = 1000 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static void is_described(struct fb_contract *c)
{
    const struct fb_design *design = c->design;
    fb_require(c, design->summary && design->source && design->hash && design->digest,
               "no summary, source, hash or digest()");
    fb_require(c, design->kernels && design->kernels[0] && design->kernels[0]->isa == FB_ISA_SCALAR,
               "the first kernel is not a scalar one");
    fb_require(c, design->traits & (FB_SIZES_BY_BITS | FB_SIZES_BY_RATE | FB_CONTROL),
               "it takes neither bits per key nor a rate");
    for (const struct fb_format *f = design->formats; f && f->name; f++)
        fb_require(c, fb_format_find(design, f->name) == f, "two block formats of one name");
}

/* ---- Filters of many sizes, sorts of keys and hashes ---- */

/* A build may be refused where the real system has no filter of no keys, where more keys than it
 * was sized for, or one key many times, find no place, and where keys are not for hashing. */
static void check_refusal(struct fb_contract *c, const struct fb_hash *hash,
                          const struct fb_params *params, const char *family, size_t n,
                          enum fb_err err, const char *why)
{
    const struct fb_design *design = c->design;
    if (err == FB_EFULL) {
        const bool repeats = !strcmp(family, "dup") || !strcmp(family, "bin"); /* of empty keys */
        fb_require(c, design->when_full && (repeats || params->capacity),
                   "full, though there is room for each key");
        fb_require(c, why == design->when_full, "full, and the reason is not its when_full");
    } else if (err == FB_EUNSUPPORTED) {
        fb_require(c, hash && design->traits & FB_TAKES_KEYS, "a build is not supported");
    } else {
        fb_require(c, n == 0 && err == FB_EINVAL, why ? why : "a build fails");
        fb_require(c, why, "a build is refused without a reason");
    }
}

static void check_shape(struct fb_contract *c, const struct fb_filter *f,
                        const struct fb_params *params, size_t n)
{
    struct fb_geometry planned;
    const char *why = NULL;
    fb_require(c, (uintptr_t)f->bytes % FB_CACHE_LINE == 0, "bytes that start on no cache line");
    fb_require(c, f->geom.n_bits <= f->geom.n_bytes * 8, "more bits than bytes have");
    fb_require(c, f->n_keys <= n, "more keys are counted than given");
    fb_require(c, f->finished && f->attempts >= 1, "a filter that was built is not finished");
    fb_require(c, f->attempts == 1 || c->design->retry,
               "built in several attempts without retry()");
    fb_require_ok(c, fb_design_plan(c->design, &f->params, f->n_keys, &planned, &why), &why,
                  "plan");
    fb_require(c,
               params->capacity || f->attempts > 1 || c->design->build || /* it may change it */
                   fb_contract_same_geometry(&planned, &f->geom),
               "another geometry than planned");
}

static void check_answers(struct fb_contract *c, struct fb_filter *f, struct fb_digests in,
                          struct fb_digests others)
{
    uint8_t *maybe = fb_contract_alloc(c, others.n + in.n);
    const size_t hits = fb_contract_answers_of(c, f, in, maybe);
    if (c->design->traits & FB_FALSE_NEGATIVES)
        fb_require(c, hits == 0, "a key is admitted by a design that denies all");
    else
        fb_require(c, hits == in.n, "a key that is in is denied");
    fb_answer_word(&c->answers, fb_contract_answers_of(c, f, others, maybe));
    fb_answer_bytes(&c->answers, maybe, others.n);
    fb_answer_bytes(&c->answers, f->bytes, (size_t)f->geom.n_bytes);
    free(maybe);
}

static void ask_filter(struct fb_contract *c, const struct fb_hash *hash,
                       const struct fb_params *params, const char *family, size_t n)
{
    struct fb_keyset present = fb_contract_keys(c, family, 7, n, false);
    struct fb_keyset absent = fb_contract_keys(c, family, 7, N_OTHERS, true);
    struct fb_filter filter;
    const char *why = NULL;
    fb_contract_do(c, "%s, %zu keys, capacity %zu, hash %s", family, n, (size_t)params->capacity,
                   hash ? hash->name : "its own");
    const enum fb_err err = fb_filter_build(c->design, hash, params, &present.keys, &filter, &why);
    fb_answer_word(&c->answers, (uint64_t)err);
    if (err) {
        check_refusal(c, hash, params, family, n, err, why);
        fb_require(c, !filter.bytes, "a build that failed leaves bytes");
    } else {
        fb_require(c, !(hash && c->design->traits & FB_TAKES_KEYS),
                   "another hash is accepted by a design that hashes keys itself");
        check_shape(c, &filter, params, n);
        struct fb_digests in = fb_contract_digests(c, &filter, &present.keys);
        struct fb_digests others = fb_contract_digests(c, &filter, &absent.keys);
        check_answers(c, &filter, in, others);
        free(in.words);
        free(others.words);
    }
    fb_filter_close(&filter);
    fb_keyset_close(&present);
    fb_keyset_close(&absent);
}

static void keys_are_in(struct fb_contract *c)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000};
    static const char *const families[] = {"seq", "dup", "bin", "u64"};
    struct fb_params params = fb_contract_params(c->design);
    for (size_t f = 0; f < COUNT_OF(families); f++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            ask_filter(c, NULL, &params, families[f], sizes[i]);
    for (size_t h = 0; h < fb_n_hashes(); h++)
        ask_filter(c, fb_hash_at(h), &params, "bin", 300);
    for (params.capacity = 150; params.capacity <= 600; params.capacity *= 4)
        ask_filter(c, NULL, &params, "u64", 300);
    if (!(c->design->traits & FB_CONTROL)) {
        params = (struct fb_params){.fpr = 0.03};
        ask_filter(c, NULL, &params, "bin", 300);
    }
}

/* Of fewer keys than a vector holds, and of more. */
static void kernels_agree(struct fb_contract *c)
{
    const struct fb_params params = fb_contract_params(c->design);
    struct fb_answers answers = {0};
    for (size_t n = 1; n < 1000; n = 2 * n + 1) {
        fb_check_kernels_at(c->design, &params, n, 0, &answers);
        fb_contract_do(c, "%zu keys", n);
        fb_require(c, !answers.why[0], answers.why);
    }
}

/* ---- Refused ---- */

static void refuses_bad_parameters(struct fb_contract *c)
{
    const struct fb_params bad[] = {
        {.bits_per_key = -1},
        {.bits_per_key = NAN},
        {.bits_per_key = INFINITY},
        {.bits_per_key = 1e9},
        {.bits_per_key = -INFINITY},
        {.bits_per_key = 10, .fpr = 0.01},
        {.fpr = -0.1},
        {.fpr = NAN},
        {.fpr = INFINITY},
        {.fpr = 1},
        {.fpr = 2},
        {.bits_per_key = 10, .probes = 65},
        {.bits_per_key = 10, .capacity = UINT64_MAX},
        {.probes = 0},
    };
    struct fb_keyset keys = fb_contract_keys(c, "u64", 1, 10, false);
    for (size_t i = 0; i < COUNT_OF(bad) - (fb_design_sized(c->design) ? 0 : 1); i++) {
        struct fb_filter filter;
        const char *why = NULL;
        fb_contract_do(c, "%g bits per key, rate %g, %u probes, capacity %g", bad[i].bits_per_key,
                       bad[i].fpr, (unsigned)bad[i].probes, (double)bad[i].capacity);
        fb_require(
            c, fb_filter_build(c->design, NULL, &bad[i], &keys.keys, &filter, &why) == FB_EINVAL,
            "bad parameters are accepted");
        fb_require(c, why && !filter.bytes, "refused without a reason, or with bytes left");
    }
    fb_keyset_close(&keys);
}

static void refuses_typed_keys_unless_it_takes_them(struct fb_contract *c)
{
    const uint8_t type = FB_KEY_INT;
    const uint64_t offset[] = {0, 2};
    const struct fb_keys keys = {(const uint8_t *)"17", offset, &type, 1};
    const struct fb_params params = fb_contract_params(c->design);
    struct fb_filter filter;
    const char *why;
    fb_require(c,
               fb_filter_build(c->design, NULL, &params, &keys, &filter, &why) ==
                   (c->design->digest_typed ? FB_OK : FB_EUNSUPPORTED),
               "an integer is not refused, or not taken");
    fb_filter_close(&filter);
}

/* ---- The rate ---- */

/* Measured against fpr(): 5 standard errors and 25 %, or a factor of 3 where fpr() is only the part
 * that has a formula. */
static void check_rate(struct fb_contract *c, const struct fb_params *params, size_t n,
                       const struct fb_keys *absent, uint8_t *maybe)
{
    const struct fb_design *design = c->design;
    struct fb_keyset present = fb_contract_keys(c, "u64", 21, n, false);
    struct fb_filter filter;
    const char *why = NULL;
    size_t hits;
    fb_require_ok(c, fb_filter_build(design, NULL, params, &present.keys, &filter, &why), &why,
                  "build");
    fb_require_ok(c, fb_filter_query_keys(&filter, absent, maybe, &hits), NULL, "keys");
    const double rate = (double)hits / (double)absent->n, p = design->fpr(&filter.geom, n);
    const double slack = 5 * sqrt(p * (1 - p) / (double)absent->n);
    const bool closed = design->scheme == FB_SCHEME_CLOSED;
    fb_contract_do(c, "%zu keys, %g bits per key, measured %.4g, predicted %.4g", n,
                   params->bits_per_key, rate, p);
    fb_require(c,
               rate >= (closed ? 0.75 * p : p / 3) - slack &&
                   rate <= (closed ? 1.25 * p : 3 * p) + slack,
               "the rate is not the predicted one");
    fb_answer_word(&c->answers, hits);
    fb_filter_close(&filter);
    fb_keyset_close(&present);
}

/* Also of the small filters that a search for the cheapest one comes to. */
static void keeps_its_predicted_rate(struct fb_contract *c)
{
    enum { N_QUERIES = 100000 };
    const struct fb_params usual = fb_contract_params(c->design);
    struct fb_keyset absent = fb_contract_keys(c, "u64", 21, N_QUERIES, true);
    uint8_t *maybe = fb_contract_alloc(c, N_QUERIES);
    check_rate(c, &usual, 2000, &absent.keys, maybe);
    check_rate(c, &usual, 20000, &absent.keys, maybe);
    for (int bits = 1; usual.bits_per_key > 0 && bits <= 4; bits *= 2) {
        const struct fb_params small = {.bits_per_key = fb_bits_taken(c->design, bits)};
        if (small.bits_per_key < usual.bits_per_key)
            check_rate(c, &small, 20000, &absent.keys, maybe);
    }
    free(maybe);
    fb_keyset_close(&absent);
}

const struct fb_contract_part fb_contract_answers[] = {
    {"description", "it says what it is", is_described},
    {"answers", "keys that are in are answered yes, in batches as one by one", keys_are_in},
    {"kernels", "every kernel answers as the scalar one, and sets the same bits", kernels_agree},
    {"parameters", "sizes that cannot be are refused", refuses_bad_parameters},
    {"types", "typed keys are refused where it does not tell them apart",
     refuses_typed_keys_unless_it_takes_them},
    {"rate", "the false-positive rate is the predicted one", keeps_its_predicted_rate},
    {0},
};
