/*
 * Designs, kernels and filters: the central interface of the library.
 *
 *     keys --hash--> digests --build--> filter <--query-- digests of query keys
 *
 * A filter takes the hash of a key, its digest, in the key's place. Hashing stands outside, so one
 * digest can be asked of many filters, and the time of hashing is measured by itself.
 *
 * Errors: functions return enum fb_err. Where a function takes `why`, it sets *why to a static
 * phrase that says what would be accepted. It is NULL where there is nothing to add.
 *
 * Threads: designs, hashes and formats are const. A filter has one writer at a time. While none
 * writes, any number of threads may ask it.
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

/* The size that a user asks for. A member that is not given is 0. Give either bits_per_key or fpr.
 * Controls and designs of one size need neither. */
struct fb_params {
    double bits_per_key; /* > 0, finite */
    double fpr;          /* 0 < fpr < 1 */
    uint64_t capacity;   /* keys to size for; 0: as many as a build gets */
    uint32_t probes;     /* k, the bits tested per key, 1..FB_MAX_PROBES; 0: the design's rule */
};

#define FB_MAX_PROBES 64

/* Words of geometry whose meaning the design defines. */
#define FB_OWN_WORDS 4

/* The most attempts at a build whose keys find no place. */
#define FB_MAX_ATTEMPTS 256

/* The most keys that a filter may be sized for, and the most bits that it may have. Beyond these
 * fb_design_plan returns FB_EINVAL. */
#define FB_MAX_KEYS (UINT64_C(1) << 40)
#define FB_MAX_BITS (UINT64_C(1) << 46)

/* The shape that sizing decided: all that a probe needs besides the bits. */
struct fb_geometry {
    uint32_t block_bits;        /* 256, 512; 0: scattered */
    uint32_t probes;            /* bits tested for a present key */
    uint32_t digest_words;      /* 64-bit words of digest per key */
    uint64_t n_blocks;          /* blocks of block_bits; 0: probes scatter over all n_bits */
    struct fb_divisor range;    /* a hash is reduced modulo this: n_bits, or n_blocks */
    uint64_t n_bytes;           /* bytes of the bit array in memory */
    uint64_t n_bits;            /* bits that probes can address; 0: the filter answers no */
    uint64_t own[FB_OWN_WORDS]; /* the design's own, such as a seed or the length of a segment;
                                   `own` of struct fb_design names them */
};

/* A kernel that always gives the same answer tells which one, so that callers need not ask. */
enum fb_constant { FB_ASKS = 0, FB_SAYS_NO, FB_SAYS_YES };

/* The hot loops of a design for one instruction set and one style of probing ("early-exit",
 * "branch-free", "columnar", "ring"). They do not allocate. A digest is geom.digest_words
 * consecutive words. loops.inc makes all of these functions from one probe. */
struct fb_kernel {
    enum fb_isa isa;
    const char *style;
    /* Several threads may call add_batch at once. No function of the library picks such a kernel.
     * Find it in the design's `kernels`, and store it in the member `kernel` of the filter. */
    bool concurrent_add;
    enum fb_constant constant;
    bool (*query)(const struct fb_filter *, const uint64_t *digest); /* true: may be present */
    /* Sets each of maybe [n] to 0 or 1, and returns how many are 1. */
    size_t (*query_batch)(const struct fb_filter *, const uint64_t *digests, size_t n,
                          uint8_t *maybe);
    /* The next three ask one key at a time, with the probe inlined, and return how many keys may be
     * present. They differ in what the timing includes. In _each the questions are independent. In
     * _branch the program branches on each answer. In _chain a digest is known only after the
     * previous answer, so that it times the latency. */
    size_t (*query_each)(const struct fb_filter *, const uint64_t *digests, size_t n);
    size_t (*query_branch)(const struct fb_filter *, const uint64_t *digests, size_t n);
    size_t (*query_chain)(const struct fb_filter *, const uint64_t *digests, size_t n);
    /* Asks up to 64 filters of the design about one digest; bit r is the answer of filters[r].
     * Sizes and probes may differ. The digest has the words of the filter that needs most. A NULL
     * says no, and a filter with a constant kernel gives its constant answer. */
    uint64_t (*query_across)(const struct fb_filter *const *filters, size_t n,
                             const uint64_t *digest);
    /* Prefetches the first line that each of these filters would read, if the tuning prefetches at
     * the reach that the filters have together. */
    void (*prefetch_across)(const struct fb_filter *const *filters, size_t n,
                            const uint64_t *digest);
    /* Adds n digests in their order and returns how many found a place: n unless the filter is
     * full. NULL: the design is static, built from all its keys at once. Neither this nor
     * remove_batch updates n_keys. */
    size_t (*add_batch)(struct fb_filter *, const uint64_t *digests, size_t n);
    /* Removes n digests and returns how many it found. Never remove a digest that was not added:
     * that may remove another key. NULL: the design has no removal. */
    size_t (*remove_batch)(struct fb_filter *, const uint64_t *digests, size_t n);
};

/* A block format of the real system: the bytes that it stores for a filter. */
struct fb_format {
    const char *name, *summary;
    uint64_t (*size)(const struct fb_filter *); /* bytes of the block, by geometry and params */
    /* Writes the block of a filter that knows its params and keys. Callers outside filters/ use
     * fb_filter_write, which checks that. */
    void (*encode)(const struct fb_filter *, uint8_t *block /* [size] */);
    /* Reads a block as the real reader does, and copies what it needs. The real reader may accept
     * anything; the filter then gets fb_kernel_yes or fb_kernel_no. FB_ECORRUPT: the real reader
     * reports an error. Any bytes are safe, and memory is at most a small multiple of len. */
    enum fb_err (*read)(const struct fb_design *, const uint8_t *block, size_t len,
                        struct fb_filter *out, const char **why);
};

enum fb_trait {
    FB_SIZES_BY_BITS = 1 << 0,     /* the real system takes bits per key */
    FB_SIZES_BY_RATE = 1 << 1,     /* the real system takes a target rate */
    FB_INTEGER_BITS = 1 << 2,      /* the real system takes only integer bits per key */
    FB_FIXED_PROBES = 1 << 3,      /* the number of probes is part of the design */
    FB_DROPS_ADJACENT = 1 << 4,    /* a digest equal to the one just before is not counted */
    FB_COUNTS_DUPLICATES = 1 << 5, /* repeated keys count in the size rule */
    FB_CONTROL = 1 << 6,           /* for comparison only; nobody would use it as a filter */
    FB_FALSE_NEGATIVES = 1 << 7,   /* denies keys that it was given, on purpose (null only) */
    FB_TAKES_KEYS = 1 << 8,        /* a digest is the key itself: key_digest.h */
    FB_RANDOM_STANDS = 1 << 9,     /* random bytes of the planned geometry behave as a filter of
                                    * keys: lookups of absent keys take as long, and the rate is
                                    * the same within a tenth */
    FB_ONE_SIZE = 1 << 10,         /* n keys have one size; plan() takes no size, and refuses fewer
                                    * bits per key or a lower rate than it has */
};

/* One attempt to build a filter from all its keys. */
struct fb_build {
    uint64_t *digests;    /* [n * geom.digest_words]; build() may reorder them */
    size_t n;             /* build() may lessen it when it drops equal digests */
    size_t placed;        /* out: digests that found a place, if not all did */
    struct fb_heap *heap; /* counts what build() allocates: heap.h */
};

/*
 * A filter design: one file, one exported constant. A function that is NULL means that the design
 * does not support it. Set *why only on failure.
 */
struct fb_design {
    const char *name, *summary, *source; /* "sbbf-256"; one line; paper section or upstream file */
    const char *caveat;                  /* known flaw or cost, one line; NULL: none known */
    unsigned traits;                     /* of enum fb_trait */

    const char *hash;      /* describes what digest() computes: "xxh64, seeds 0 and 1" */
    unsigned digest_words; /* 64-bit words per key; 0: one per probe */
    void (*digest)(const void *key, size_t len, unsigned n_words, uint64_t *words);
    /* The same for n keys of one length that lie one behind another (filters/hash/batch.h). NULL:
     * digest() is called for each. */
    void (*digest_batch)(const uint8_t *keys, size_t len, size_t n, unsigned n_words,
                         uint64_t *words);
    /* Digests of keys that are not bytes; NULL: the design takes bytes only. FB_EINVAL: the integer
     * or float is malformed. */
    enum fb_err (*digest_typed)(enum fb_key_type, const void *key, size_t len, uint64_t *words);

    /* Sizes the filter by the real system's rule, for n_keys as that system counts them. Only
     * fb_design_plan calls it, with the params that the traits promise. */
    enum fb_err (*plan)(const struct fb_params *, uint64_t n_keys, struct fb_geometry *out,
                        const char **why);
    /* Returns the predicted FPR of a filter that holds n_keys distinct keys. `scheme` tells when no
     * formula fits and a simulation is needed (simulate.h). */
    double (*fpr)(const struct fb_geometry *, uint64_t n_keys);
    enum fb_scheme scheme;

    /* Builds the filter from all keys at once. out->bytes are zeroed and have geom.n_bytes; build()
     * may replace them and change geom. It takes all other memory through `heap`. FB_EFULL: keys
     * found no place. NULL: add_batch builds the filter. */
    enum fb_err (*build)(struct fb_build *, struct fb_filter *out);
    /* Changes the geometry for attempt 1, 2, ... after a build found no place for a key: another
     * seed, or more room. False: give up. At most FB_MAX_ATTEMPTS are made. NULL: there is no
     * second attempt. */
    bool (*retry)(struct fb_geometry *, unsigned attempt);
    /* Makes room for n_keys in all. It is called before each add. NULL: a filter keeps its size. */
    enum fb_err (*grow)(struct fb_filter *, uint64_t n_keys);
    /* Says when keys find no place, and what happens then: "a cycle in 3-partite graph: another
     * seed, 64 times". NULL: every key finds a place. */
    const char *when_full;

    const char *const *own;          /* names of geom.own, ends with NULL; NULL: it has none */
    const struct fb_format *formats; /* ends with name == NULL; the first is the native one */
    const void *layout; /* tells formats apart whose functions several designs share; else NULL */
    const struct fb_kernel *const *kernels; /* scalar first, best last, ends with NULL */

    /* From 1.2 of plugin.h on. Returns the number of slots, each of which holds one key, and the
     * share of slots that the size rule lets keys take. NULL: the design has no slots, so that keys
     * beyond its capacity raise its rate. */
    uint64_t (*slots)(const struct fb_geometry *, double *most_load);
};

/* A filter: its geometry and one aligned byte array. A zeroed filter may be closed. The members
 * that a probe reads come first, because a lookup in a tree visits many filters. */
struct fb_filter {
    const struct fb_kernel *kernel;
    uint8_t *bytes; /* [geom.n_bytes], on a cache line, owned */
    struct fb_geometry geom;
    const struct fb_design *design;
    const struct fb_hash *hash; /* replaces the design's own; NULL: the design's own */
    struct fb_params params;    /* resolved, as plan() got them */
    uint64_t n_keys;   /* as the size rule counts them; 0 if read from a block that does not tell,
                          and only blocks of designs that remove tell */
    bool finished;     /* built to its end, or read from a block, so it may be written */
    uint8_t reach;     /* enum fb_reach (tuning.h) plus 1, set by fb_filter_among; 0: asked alone */
    unsigned attempts; /* that its build took; 0 if it was read */
    uint64_t temporary_bytes; /* the most that its build held, in all attempts, beside the
                                 filter and the caller's digests */
};

/* ---- Kernels (kernel.c) ---- */

/* Kernels that always say no, and always yes, for empty blocks and for readers that let every key
 * through. A plugin has its own copies, so compare the member `constant`, not the address. */
extern const struct fb_kernel fb_kernel_no, fb_kernel_yes;

/* Returns the constant answer of a filter, or FB_ASKS (0) if it must be asked. */
static inline enum fb_constant fb_filter_constant(const struct fb_filter *f)
{
    return f->kernel->constant;
}

/* Returns the design's kernel for an instruction set, or its best one for FB_ISA_NONE. Returns NULL
 * if the design has none or the machine cannot run it. It never picks a kernel with
 * concurrent_add. */
const struct fb_kernel *fb_kernel_find(const struct fb_design *, enum fb_isa);

/* ---- Registry (registry.c) ---- */

size_t fb_n_designs(void);
const struct fb_design *fb_design_at(size_t i);
const struct fb_design *fb_design_find(const char *name); /* NULL: no such design */
/* Adds a design to the registry until the process ends. The struct must live as long. Call it
 * before any thread starts. FB_EINVAL: the name is taken. FB_EFULL: the registry is full. */
enum { FB_MOST_REGISTERED = 256 };
enum fb_err fb_design_register(const struct fb_design *) FB_MUST_USE;
const struct fb_format *fb_format_find(const struct fb_design *, const char *name);

/* ---- Sizes, digests, answers and blocks (filter.c) ---- */

/*
 * Checks params, and converts a size that the design does not take into the one that it takes.
 * Bits per key become the rate of the smallest filter with at least so many bits per key. A rate
 * becomes the fewest bits per key whose fpr() reaches it.
 */
enum fb_err fb_params_resolve(const struct fb_design *, uint64_t n_keys, struct fb_params *params,
                              const char **why) FB_MUST_USE;

/* True if a filter of n keys may have several sizes. Controls and designs of one size have not. */
bool fb_design_sized(const struct fb_design *);
/* Returns the bits per key of n keys in a design of one size, or 0 if it takes no such n. */
double fb_design_own_bits(const struct fb_design *, uint64_t n_keys);

/* Tells what fb_params_resolve converts to, "bits per key" or "rate"; NULL if nothing. */
const char *fb_params_derived(const struct fb_design *, const struct fb_params *asked);

/* Replaces params->fpr by the fewest bits per key that reach it, even if the real system converts
 * a rate by a rule of its own. For designs that take bits per key. */
enum fb_err fb_params_fewest_bits(const struct fb_design *, uint64_t n_keys,
                                  struct fb_params *params, const char **why) FB_MUST_USE;

/* Calls plan(), fills in digest_words and range, and checks the limits. The params must be
 * resolved. FB_EINVAL: the design does not take them. */
enum fb_err fb_design_plan(const struct fb_design *, const struct fb_params *, uint64_t n_keys,
                           struct fb_geometry *out, const char **why) FB_MUST_USE;
/* Resolves params, then plans. The result is the shape that a build of n_keys would have. */
enum fb_err fb_params_plan(const struct fb_design *, uint64_t n_keys, struct fb_params *params,
                           struct fb_geometry *out, const char **why) FB_MUST_USE;

/*
 * Computes the digests of n keys into digests [n * n_words], by the design's own rule if hash is
 * NULL. Otherwise word i is hash(key, i). A hash without seeds gives word 0, and word i > 0 is
 * fb_mix64(word 0 + i).
 *
 * FB_EUNSUPPORTED: the design does not take typed keys. Under FB_TAKES_KEYS it takes no key that
 * is longer than a digest, and no hash. FB_EINVAL: a typed key is no valid integer or float.
 */
enum fb_err fb_digest_keys(const struct fb_design *, const struct fb_hash *hash, unsigned n_words,
                           const struct fb_keys *keys, uint64_t *digests) FB_MUST_USE;

/* Computes the digest of one key of bytes into words [n_words]. */
enum fb_err fb_digest_key(const struct fb_design *, const struct fb_hash *hash, unsigned n_words,
                          const void *key, size_t len, uint64_t *words) FB_MUST_USE;

/* Makes an empty filter of a known geometry, for readers of blocks. It gets the best kernel, or
 * fb_kernel_no if it has no bits. The caller closes *out. FB_ENOMEM, its only error, leaves *out
 * zeroed. */
enum fb_err fb_filter_alloc(const struct fb_design *, const struct fb_geometry *,
                            struct fb_filter *out) FB_MUST_USE;

/* Asks for each key, sets maybe [keys->n] to 0 or 1, and *n_maybe to how many are 1. It fails as
 * fb_digest_keys does, if the design does not take a key. Then maybe is written for some keys only,
 * so do not use it or *n_maybe. */
enum fb_err fb_filter_query_keys(const struct fb_filter *, const struct fb_keys *keys,
                                 uint8_t *maybe, size_t *n_maybe) FB_MUST_USE;

/* Writes the block [format->size(filter)]. FB_EINVAL: the filter was neither finished nor read. A
 * filter that was allocated and filled through a kernel does not know its params and its number of
 * keys, which blocks contain. */
enum fb_err fb_filter_write(const struct fb_filter *, const struct fb_format *, uint8_t *block,
                            const char **why) FB_MUST_USE;

/* Reads a block as the real system's reader would. Any bytes are safe. The caller closes *out,
 * which is zeroed on failure.
 *
 * FB_ECORRUPT: the real reader rejects the bytes. FB_EUNSUPPORTED: the block is one of another
 * design of the same system, or the format has no reader. FB_ENOMEM: memory is lacking. */
enum fb_err fb_filter_read(const struct fb_design *, const struct fb_format *, const uint8_t *block,
                           size_t len, struct fb_filter *out, const char **why) FB_MUST_USE;

/* Tells a filter that it is one of several that are asked in turn, with n_bytes together. Batches
 * then prefetch as for one filter of that size. Example: 64 filters of 1 MiB lie in memory,
 * although L2 would hold each alone. The tuning in force decides (tuning.h). Answers do not
 * change. */
void fb_filter_among(struct fb_filter *, uint64_t n_bytes);

/* Frees the bytes and zeroes the struct. A zeroed filter is accepted. */
void fb_filter_close(struct fb_filter *);

/* ---- One key at a time ---- */

/*
 * Adds a key, hashed as the filter's other keys were. No other thread may add or ask meanwhile. key
 * may be NULL if len is 0. After an error the filter still holds its former keys.
 *
 * FB_EUNSUPPORTED: the design needs all keys at once. There is one exception: until you finish a
 * filter of fb_filter_new (handle.h), it takes keys of any design. fb_design_adds() tells which
 * designs take keys one by one. For the others, builder.h collects the keys.
 *
 * FB_EINVAL: the design takes no key of that length. FB_EFULL: the key found no place. FB_ENOMEM:
 * the filter could not grow.
 */
enum fb_err fb_filter_add(struct fb_filter *, const void *key, size_t len) FB_MUST_USE;

/*
 * Returns false if the key was not added, and true if it may have been. It also returns true for a
 * key whose length the design does not take. Any number of threads may ask while none adds.
 */
bool fb_filter_maybe(const struct fb_filter *, const void *key, size_t len);

/* ---- Builds (build.c); step by step: builder.h ---- */

/*
 * Builds a filter from keys in their order, with the best kernel for this machine. The caller
 * closes *out, which is zeroed on failure. A hash of NULL is the design's own. params need not be
 * resolved. FB_EFULL: keys found no place, not even in the design's last attempt.
 */
enum fb_err fb_filter_build(const struct fb_design *, const struct fb_hash *hash,
                            const struct fb_params *params, const struct fb_keys *keys,
                            struct fb_filter *out, const char **why) FB_MUST_USE;

/* Builds a filter from digests [n * digest_words], which it may reorder and overwrite. If the
 * design's digest_words is 0, use the number in the planned geometry. */
enum fb_err fb_filter_build_digests(const struct fb_design *, const struct fb_hash *hash,
                                    const struct fb_params *params, uint64_t *digests, size_t n,
                                    struct fb_filter *out, const char **why) FB_MUST_USE;

/* True if fb_filter_add works: the design adds key by key and counts its keys. */
bool fb_design_adds(const struct fb_design *);
/* True if a builder must keep the keys until all have come. */
bool fb_design_waits(const struct fb_design *);
/* True if keys can be taken out: fb_filter_remove_digests. */
bool fb_design_removes(const struct fb_design *);
/* True if each build has the planned geometry, unless it drops keys that do not count. */
bool fb_design_keeps_plan(const struct fb_design *);
/* True if random bits behave as a filter of keys does. So it is for FB_RANDOM_STANDS, and if each
 * key sets bits of a planned array. */
bool fb_design_random_stands(const struct fb_design *);

/* Adds n digests and sets *added to how many of the first are in. FB_EFULL: not all found a place.
 * FB_EUNSUPPORTED: the design does not add. */
enum fb_err fb_filter_add_digests(struct fb_filter *, const uint64_t *digests, size_t n,
                                  size_t *added, const char **why) FB_MUST_USE;
/* Removes n digests and sets *removed to how many were found. Never remove a digest that was not
 * added: that may remove another key. FB_EUNSUPPORTED: the design does not remove. */
enum fb_err fb_filter_remove_digests(struct fb_filter *, const uint64_t *digests, size_t n,
                                     size_t *removed, const char **why) FB_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
