/*
 * Designs, kernels and filters: the interface in the middle of the house.
 *
 *     keys --digest--> digests --build--> filter <--query-- digests of query keys
 *
 * The digest is the interface: hashing stands outside the filter, so one digest can be asked of
 * many filters, and hash time is a field of its own.
 *
 * Threads: designs, hashes and formats are const. A filter has one writer until it is built and any
 * number of readers afterwards. No function here prints, exits, opens a file or reads a clock.
 */
#ifndef FILTERBENCH_FILTERS_CORE_FILTER_H
#define FILTERBENCH_FILTERS_CORE_FILTER_H

#include "filters/core/base.h"
#include "filters/core/bits.h"
#include "filters/core/cpu.h"
#include "filters/core/heap.h"
#include "filters/core/theory.h"
#include "filters/hash/batch.h"
#include "filters/hash/hash.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fb_filter;
struct fb_design;

/* What a user asks for. 0 means: not said. Exactly one of bits_per_key and fpr is set, except for
 * controls and designs of one size, which need neither. */
struct fb_params {
    double bits_per_key; /* > 0, finite */
    double fpr;          /* 0 < fpr < 1 */
    uint64_t capacity;   /* keys to size for; 0: as many as are given */
    uint32_t probes;     /* 1..FB_MAX_PROBES; 0: the design's own rule */
};

#define FB_MAX_PROBES 64

/* Words of geometry that are the design's own. */
#define FB_OWN_WORDS 4

/* At a build. */
#define FB_MAX_ATTEMPTS 256

/* Keys a filter may be sized for, and bits it may have: beyond, plan() answers FB_EINVAL. */
#define FB_MAX_KEYS (UINT64_C(1) << 40)
#define FB_MAX_BITS (UINT64_C(1) << 46)

/* The shape that sizing decided. Everything a probe needs besides the bits. */
struct fb_geometry {
    uint32_t block_bits;        /* 256, 512; 0: scattered */
    uint32_t probes;            /* bits tested for a present key */
    uint32_t digest_words;      /* 64-bit words of digest per key */
    uint64_t n_blocks;          /* of block_bits bits; 0: probes scatter over all n_bits */
    struct fb_divisor range;    /* what a hash is reduced by: n_bits, or n_blocks */
    uint64_t n_bytes;           /* of the bit array in memory */
    uint64_t n_bits;            /* bits that probes can address; 0: the filter answers no */
    uint64_t own[FB_OWN_WORDS]; /* the design's: a seed, fingerprint bits, a segment's length; `own`
                                   of struct fb_design names them */
};

/* Kernels that ask nothing of a filter say what they answer. */
enum fb_constant { FB_ASKS = 0, FB_SAYS_NO, FB_SAYS_YES };

/* The hot loops for one instruction set and one style of probing ("early-exit", "branch-free",
 * "columnar", "ring"). They do not allocate. A digest is geom.digest_words consecutive words. */
struct fb_kernel {
    enum fb_isa isa;
    const char *style;
    bool concurrent_add; /* add_batch may run in several threads at a time; chosen by name only */
    enum fb_constant constant;
    bool (*query)(const struct fb_filter *, const uint64_t *digest);
    /* maybe [n] becomes 0 or 1; returns how many are 1. */
    size_t (*query_batch)(const struct fb_filter *, const uint64_t *digests, size_t n,
                          uint8_t *maybe);
    /* The next three answer one key at a time with the probe inlined, and return how many
     * may be present: independent of each other; with a branch on each answer; each digest known
     * only after the previous answer (latency). */
    size_t (*query_each)(const struct fb_filter *, const uint64_t *digests, size_t n);
    size_t (*query_branch)(const struct fb_filter *, const uint64_t *digests, size_t n);
    size_t (*query_chain)(const struct fb_filter *, const uint64_t *digests, size_t n);
    /* One digest asked of up to 64 filters of the design, whatever their sizes and probes: bit r is
     * the answer of filters[r]. NULL says no; filters of a constant kernel answer so.
     * The digest has the words of the one that takes most. */
    uint64_t (*query_across)(const struct fb_filter *const *filters, size_t n,
                             const uint64_t *digest);
    /* The first line that each of these would read is on its way, where the tuning has lines
     * fetched from as far off as they lie together. */
    void (*prefetch_across)(const struct fb_filter *const *filters, size_t n,
                            const uint64_t *digest);
    /* How many of the n, in their order, are in afterwards: n unless the filter is full. NULL: a
     * static design, built from all its keys at once. Neither of these two counts n_keys. */
    size_t (*add_batch)(struct fb_filter *, const uint64_t *digests, size_t n);
    /* How many of the n were found and taken out. A digest that was never added may take another
     * key with it. NULL: no removal. */
    size_t (*remove_batch)(struct fb_filter *, const uint64_t *digests, size_t n);
};

/* A block format of the real system. read takes ownership of nothing. */
struct fb_format {
    const char *name, *summary;
    uint64_t (*size)(const struct fb_filter *); /* bytes of the block, by geometry and params */
    /* Only of a filter that knows its params and keys: outside filters/ fb_filter_write calls it.
     */
    void (*encode)(const struct fb_filter *, uint8_t *block /* [size] */);
    /* Answers exactly as the real reader does, which may be to accept anything (the filter then
     * gets fb_kernel_yes or fb_kernel_no). FB_ECORRUPT where the real reader reports an error, with
     * *why set. Allocates no more than a small multiple of len. Any bytes are safe. */
    enum fb_err (*read)(const struct fb_design *, const uint8_t *block, size_t len,
                        struct fb_filter *out, const char **why);
};

enum fb_trait {
    FB_SIZES_BY_BITS = 1 << 0,     /* the real system takes bits per key... */
    FB_SIZES_BY_RATE = 1 << 1,     /* ... or a target rate; with one only, the other is derived */
    FB_INTEGER_BITS = 1 << 2,      /* bits per key is an integer in the real system */
    FB_FIXED_PROBES = 1 << 3,      /* the number of probes is part of the design */
    FB_DROPS_ADJACENT = 1 << 4,    /* a digest equal to the one just before is not counted */
    FB_COUNTS_DUPLICATES = 1 << 5, /* repeated keys count in the size rule */
    FB_CONTROL = 1 << 6,           /* a yardstick, not a filter anyone would use */
    FB_FALSE_NEGATIVES = 1 << 7,   /* denies keys that it was given, on purpose (null only) */
    FB_TAKES_KEYS = 1 << 8,        /* a digest is the key itself: key_digest.h */
    FB_RANDOM_STANDS = 1 << 9,     /* random bytes, of the geometry that was planned, stand for a
                                    * filter of keys: absent ones pass them as often, within a
                                    * tenth, and take as long */
    FB_ONE_SIZE = 1 << 10,         /* n keys have one size; plan() takes no size, and refuses fewer
                                    * bits per key or a lower rate than it has */
};

/* One attempt at a build from all keys. */
struct fb_build {
    uint64_t *digests;    /* [n * geom.digest_words]; may be reordered */
    size_t n;             /* may be lessened where equal digests are dropped */
    size_t placed;        /* out: digests that found a place, if not all did */
    struct fb_heap *heap; /* through which build() takes and gives all that it allocates */
};

/*
 * A filter design: one file, one exported constant. NULL means not supported, and `describe` says
 * so. `why`, where a function has one, receives a static phrase that says what was wrong and what
 * would be accepted; it is set only on failure.
 */
struct fb_design {
    const char *name, *summary, *source; /* "sbbf-256"; one line; paper section or upstream file */
    const char *caveat;                  /* known flaw or cost, one line; NULL: none known */
    unsigned traits;                     /* of enum fb_trait */

    const char *hash;      /* what digest() computes, in words: "xxh64, seeds 0 and 1" */
    unsigned digest_words; /* 64-bit words per key; 0: one per probe */
    void (*digest)(const void *key, size_t len, unsigned n_words, uint64_t *words);
    /* The same for n keys of one length, one behind the other (filters/hash/batch.h); NULL: one by
     * one. */
    void (*digest_batch)(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                         uint64_t *words);
    /* Types besides bytes; NULL: bytes only. FB_EINVAL for a malformed integer or float. */
    enum fb_err (*digest_typed)(enum fb_key_type, const void *key, size_t len, uint64_t *words);

    /* Sizing by the real system's rule, for n_keys counted as it counts them. It is given what the
     * traits say that it takes: only fb_design_plan calls it. */
    enum fb_err (*plan)(const struct fb_params *, uint64_t n_keys, struct fb_geometry *out,
                        const char **why);
    /* Predicted FPR once n_keys distinct keys are in: the formula, beside the code it predicts.
     * scheme says where no formula fits and a simulation must be asked (simulate.h). */
    double (*fpr)(const struct fb_geometry *, uint64_t n_keys);
    enum fb_scheme scheme;

    /* From all keys at once: fills out->bytes, zeroed, of geom.n_bytes, and may change geom or put
     * other bytes in their place. All other memory is taken and given back through `heap`
     * (heap.h). FB_EFULL: keys found no place. NULL: add_batch. */
    enum fb_err (*build)(struct fb_build *, struct fb_filter *out);
    /* After an attempt at a build that was full, the geometry of the next, attempt 1, 2, ...:
     * another seed, more room. False: give up; so does the 256th. NULL: the first attempt is the
     * last. */
    bool (*retry)(struct fb_geometry *, unsigned attempt);
    /* Makes room for n_keys in all; asked before every add to a filter. NULL: it keeps its size. */
    enum fb_err (*grow)(struct fb_filter *, uint64_t n_keys);
    /* When keys find no place, and what then: "a cycle in 3-partite graph: another seed, 64 times".
     * NULL: every key finds one. */
    const char *when_full;

    const char *const *own;          /* names of geom.own, ends with NULL; NULL: it has none */
    const struct fb_format *formats; /* ends with name == NULL; first = native */
    const void *layout; /* of the formats, where designs share their functions; else NULL */
    const struct fb_kernel *const *kernels; /* scalar first, best last, ends with NULL */

    /* From 1.2 of plugin.h on: how many slots there are, each of which holds a key, and the share
     * of them that the size rule lets keys take. NULL: there are none, and keys beyond those that
     * it was sized for raise its rate. */
    uint64_t (*slots)(const struct fb_geometry *, double *most_load);
};

/* Geometry plus one aligned byte array. A zeroed filter may be closed. What a probe reads stands
 * first, in 64 bytes: a walk visits filters of which a tree has thousands. */
struct fb_filter {
    const struct fb_kernel *kernel;
    uint8_t *bytes; /* [geom.n_bytes], on a cache line, owned */
    struct fb_geometry geom;
    const struct fb_design *design;
    const struct fb_hash *hash; /* replaces the design's own; NULL: its own */
    struct fb_params params;    /* resolved: what plan() was given */
    uint64_t n_keys;   /* as counted by the size rule; 0 if read from a block that does not say,
                          which those of a design that removes do */
    bool finished;     /* built to its end, or read from a block: it may be written */
    uint8_t reach;     /* of filters that are asked in turn: fb_filter_among; else 0 */
    unsigned attempts; /* at its build; 0 if it was read */
    uint64_t temporary_bytes; /* the most that its build held, in all its attempts, beside it and
                                 the caller's digests */
};

/* ---- Kernels (kernel.c) ---- */

/* Kernels that touch nothing: for empty blocks, and for readers that fail open. A plugin has its
 * own pair, so a filter's is known by its member `constant`, not by its address. */
extern const struct fb_kernel fb_kernel_no, fb_kernel_yes;

/* What the filter answers without being asked, where its kernel knows; else FB_ASKS, 0. */
static inline enum fb_constant fb_filter_constant(const struct fb_filter *f)
{
    return f->kernel->constant;
}

/* The design's kernel for one instruction set, NULL if it has none or the machine cannot run it;
 * FB_ISA_NONE asks for the best one. Kernels with concurrent_add are passed over. */
const struct fb_kernel *fb_kernel_find(const struct fb_design *, enum fb_isa);

/* ---- Registry (registry.c) ---- */

size_t fb_n_designs(void);
const struct fb_design *fb_design_at(size_t i);
const struct fb_design *fb_design_find(const char *name); /* NULL: no such design */
/* Adds a design behind those that are there, for as long as the process lives; before any thread
 * starts. FB_EINVAL: there is one of that name. FB_EFULL: there is no room for more. */
enum { FB_MOST_REGISTERED = 256 };
enum fb_err fb_design_register(const struct fb_design *) FB_MUST_USE;
const struct fb_format *fb_format_find(const struct fb_design *, const char *name);

/* ---- Sizes, digests, answers and blocks (filter.c) ---- */

/*
 * Checks params. Where the user gives the one of bits_per_key and fpr that the design does not
 * take, replaces it by the other one, which the design's own rules are solved for: bits become the
 * rate of the smallest filter with at least those bits per key, a rate becomes the fewest bits per
 * key whose fpr() reaches it.
 */
enum fb_err fb_params_resolve(const struct fb_design *, uint64_t n_keys, struct fb_params *params,
                              const char **why) FB_MUST_USE;

/* True if a filter of n keys may have one of several sizes: no control, no design of one size. */
bool fb_design_sized(const struct fb_design *);
/* Bits per key of a filter of n keys, of a design of one size; 0: it has none for so many. */
double fb_design_own_bits(const struct fb_design *, uint64_t n_keys);

/* What fb_params_resolve solves for: "bits per key", "rate"; NULL: nothing. */
const char *fb_params_derived(const struct fb_design *, const struct fb_params *asked);

/* Replaces params->fpr by the fewest bits per key that reach it, whatever the real system's rule
 * for a rate; for designs that take bits. */
enum fb_err fb_params_fewest_bits(const struct fb_design *, uint64_t n_keys,
                                  struct fb_params *params, const char **why) FB_MUST_USE;

/* plan(), with digest_words and range filled in and limits checked. The params must be resolved:
 * FB_EINVAL where the design does not take what they say. */
enum fb_err fb_design_plan(const struct fb_design *, const struct fb_params *, uint64_t n_keys,
                           struct fb_geometry *out, const char **why) FB_MUST_USE;
/* Resolves params, then plans: the shape of the filter that a build of n_keys gives. */
enum fb_err fb_params_plan(const struct fb_design *, uint64_t n_keys, struct fb_params *params,
                           struct fb_geometry *out, const char **why) FB_MUST_USE;

/* Digests of n keys into digests [n * n_words]. With hash != NULL, word i is hash(key, i) (for an
 * unseeded hash: word 0 is hash(key), word i > 0 is fb_mix64(word 0 + i)); the design's own
 * otherwise. FB_EUNSUPPORTED for keys that the design does not take: typed ones, and under
 * FB_TAKES_KEYS those that are longer than a digest, and a hash. */
enum fb_err fb_digest_keys(const struct fb_design *, const struct fb_hash *hash, unsigned n_words,
                           const struct fb_keys *keys, uint64_t *digests) FB_MUST_USE;

/* The same for one key, into words [n_words]. */
enum fb_err fb_digest_key(const struct fb_design *, const struct fb_hash *hash, unsigned n_words,
                          const void *key, size_t len, uint64_t *words) FB_MUST_USE;

/* An empty filter of a known geometry, for readers; the best kernel, or fb_kernel_no if it has no
 * bits. */
enum fb_err fb_filter_alloc(const struct fb_design *, const struct fb_geometry *,
                            struct fb_filter *out) FB_MUST_USE;

/* Answers for keys into maybe [keys->n] (0 or 1) and their number into *n_maybe. */
enum fb_err fb_filter_query_keys(const struct fb_filter *, const struct fb_keys *keys,
                                 uint8_t *maybe, size_t *n_maybe) FB_MUST_USE;

/* Writes the block [format->size]. FB_EINVAL, with *why, for a filter that was neither finished nor
 * read: one that was only allocated, and filled through a kernel, does not know its params and
 * keys, which blocks tell. */
enum fb_err fb_filter_write(const struct fb_filter *, const struct fb_format *, uint8_t *block,
                            const char **why) FB_MUST_USE;

/* Reads a block as the real system's reader would. */
enum fb_err fb_filter_read(const struct fb_design *, const struct fb_format *, const uint8_t *block,
                           size_t len, struct fb_filter *out, const char **why) FB_MUST_USE;

/* The filter is one of several that are asked in turn and have n_bytes together. Its lines are then
 * as far off as those of one filter of that size, and batches fetch them so. Example: 64 filters of
 * 1 MiB lie in memory, though L2 would hold each alone. By the tuning in force (tuning.h); no
 * answer depends on it. */
void fb_filter_among(struct fb_filter *, uint64_t n_bytes);

/* Frees the bytes and zeroes the struct. */
void fb_filter_close(struct fb_filter *);

/* ---- One key at a time ---- */

/*
 * Adds a key, hashed as the filter's other keys were: by its `hash`, or else by the design's own.
 * Nobody else may add to the filter or ask it meanwhile. key may be NULL when len is 0.
 *
 * FB_EUNSUPPORTED: the filter is static, its design takes all keys at once; fb_design_adds() tells
 * beforehand, and builder.h takes keys one by one for such a design, too. FB_EINVAL: the design
 * takes no key of that length (FB_TAKES_KEYS). FB_EFULL: the key found no place. FB_ENOMEM: nor was
 * there memory for a larger filter. After any of them, the keys that were in are in.
 */
enum fb_err fb_filter_add(struct fb_filter *, const void *key, size_t len) FB_MUST_USE;

/*
 * False: the key is not in. True: it may be in, as may one of a length that the design does not
 * take. Any number of threads may ask, as long as none adds.
 */
bool fb_filter_maybe(const struct fb_filter *, const void *key, size_t len);

/* ---- Builds (build.c); step by step: builder.h ---- */

/*
 * Builds out from keys in their order, with the best kernel for this machine. params need not be
 * resolved. On failure out is zeroed and *why says what would be accepted. FB_EFULL: keys found no
 * place, in the last attempt that the design makes.
 */
enum fb_err fb_filter_build(const struct fb_design *, const struct fb_hash *hash,
                            const struct fb_params *params, const struct fb_keys *keys,
                            struct fb_filter *out, const char **why) FB_MUST_USE;

/* The same from digests [n * digest_words]; they may be reordered and shortened. For designs whose
 * digest_words is 0 the words must be those of the planned geometry. */
enum fb_err fb_filter_build_digests(const struct fb_design *, const struct fb_hash *hash,
                                    const struct fb_params *params, uint64_t *digests, size_t n,
                                    struct fb_filter *out, const char **why) FB_MUST_USE;

/* True if the design adds key by key and counts what it is given: fb_filter_add. */
bool fb_design_adds(const struct fb_design *);
/* True if its keys wait until all are there. */
bool fb_design_waits(const struct fb_design *);
bool fb_design_removes(const struct fb_design *);
/* True if no build changes the geometry that was planned, but for keys that are not counted. */
bool fb_design_keeps_plan(const struct fb_design *);
/* True if random bits can stand for a filter's keys: FB_RANDOM_STANDS, or each key sets bits of a
 * planned array. */
bool fb_design_random_stands(const struct fb_design *);

/* Adds n digests to a filter and counts the first *added, which are in. FB_EFULL where that is less
 * than n, FB_EUNSUPPORTED of a design that does not add; *why says why. */
enum fb_err fb_filter_add_digests(struct fb_filter *, const uint64_t *digests, size_t n,
                                  size_t *added, const char **why) FB_MUST_USE;
/* Takes n digests out; *removed were found. A digest that was never added may take another key with
 * it. FB_EUNSUPPORTED of a design that does not remove. */
enum fb_err fb_filter_remove_digests(struct fb_filter *, const uint64_t *digests, size_t n,
                                     size_t *removed, const char **why) FB_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
