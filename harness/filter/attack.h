/*
 * Attacks on a design: what absent keys, and what present ones, someone finds who knows the design,
 * the size of a filter and the design's own hash, and how often those keys pass. Every attack uses
 * a design's digest, add and query alone.
 *
 *     offline     knows the present keys: keeps absent keys that pass a copy of the filter
 *     colliding   knows the present keys: keeps absent keys with the digest of one, as far as
 *                 answers depend on it (halves of words), which the copy confirms. They pass any
 *                 filter of those keys, whatever its size
 *     degenerate  knows no key: keeps absent keys that pass filters of any keys far too often. A
 *                 step of 0 makes all probes one bit: the key passes as often as bits are set
 *     flood       gives some of the keys that are inserted: keys that change one block and nothing
 *                 else, or one cache line where there are no blocks. Keeps absent keys of it
 *
 * The keys that are found are asked of several filters: of the design's own hash, and of another
 * hash, for which the attacker found nothing. Its seed stands for one that nobody knows.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_ATTACK_H
#define FILTERBENCH_HARNESS_FILTER_ATTACK_H

#include "filters/core/filter.h"
#include "workloads/core/keys.h"

enum fb_attack {
    FB_ATTACK_OFFLINE,
    FB_ATTACK_COLLIDING,
    FB_ATTACK_DEGENERATE,
    FB_ATTACK_FLOOD,
    FB_N_ATTACKS
};
extern const struct fb_word fb_attacks[];

/* Keys are numbers of one stream of a format: those of the filters, those of the attacker's own
 * filters, the random absent ones, and those that the attacker tries, without overlap. */
struct fb_attack_spec {
    const struct fb_design *design;
    struct fb_params params;
    uint64_t n_keys; /* per filter, at least 1 */
    const struct fb_keygen *keygen;
    size_t filters;  /* that are attacked, at least 1 */
    uint64_t probes; /* random absent keys asked of each */
    uint64_t tries;  /* keys that an attack may try */
    uint64_t most;   /* after so many found it stops */
    uint64_t insert; /* keys that a flood may insert into each filter, less than n_keys */
    uint64_t root;   /* root seed */
};

/* The attacker's own filters, of whose answers `degenerate` judges a key. */
enum { FB_ATTACK_OWN_FILTERS = 64 };
/* Keys whose bits are counted. */
enum { FB_ATTACK_SAMPLE = 100 };

struct fb_attack_key {
    uint64_t number;
    size_t filter; /* that it was found for; FB_ATTACK_ANY: all */
};
#define FB_ATTACK_ANY SIZE_MAX

/* What an attack found. Zeroed, it may be closed. */
struct fb_attack_found {
    struct fb_attack_key *keys; /* [n], owned: to be asked */
    uint64_t *inserted;         /* [n_inserted], owned: to be inserted */
    size_t n, n_inserted;
    uint64_t tries; /* keys tried for both */
};

void fb_attack_found_close(struct fb_attack_found *);

/* Whether a key of the design is put into the array by itself. */
static inline bool fb_attack_adds(const struct fb_design *design)
{
    return design->kernels[0]->add_batch;
}

/* NULL: the attack can be tried. Else why it means nothing to the design. */
const char *fb_attack_why_not(const struct fb_design *, enum fb_attack);

/* Whether a half of a word of the design's own digests is a half of a word of that hash, of each of
 * some keys: xxh64 is then no hash that an attacker of sbbf-512 does not know. `words`: of a
 * digest, as planned. Only the design, keygen and root of the spec are read. */
bool fb_attack_is_own(const struct fb_attack_spec *, const struct fb_hash *, unsigned words);

/* A design and its filters of the design's own hash. One thread at a time; zeroed, it may be
 * closed. */
struct fb_attack_scene {
    struct fb_attack_spec spec;
    struct fb_geometry geom;   /* as planned */
    unsigned words;            /* of a digest */
    uint64_t stream;           /* of all keys */
    uint8_t *bytes;            /* room for a chunk of keys, owned */
    uint64_t *offset;          /* of the same */
    struct fb_filter *filters; /* [spec.filters], owned */
};

/* On failure *why says what would be accepted; the scene is to be closed in any case. */
enum fb_err fb_attack_open(const struct fb_attack_spec *, struct fb_attack_scene *,
                           const char **why) FB_MUST_USE;
void fb_attack_close(struct fb_attack_scene *);

/* Numbers of keys: of filter j from j n_keys on; of the attacker's own filters; random absent ones;
 * and the first that is tried. */
uint64_t fb_attack_own_keys(const struct fb_attack_spec *);
uint64_t fb_attack_random_keys(const struct fb_attack_spec *);
uint64_t fb_attack_first_tried(const struct fb_attack_spec *);

/* Digests of keys first .. first + n - 1, or of those at number [n]; hash NULL: the design's own.
 */
enum fb_err fb_attack_digests(struct fb_attack_scene *, const struct fb_hash *, uint64_t first,
                              const uint64_t *number, size_t n, uint64_t *digests) FB_MUST_USE;
/* A filter of n_keys: inserted [n_inserted], and from `first` on as many as are missing. FB_EFULL
 * where keys found no place. */
enum fb_err fb_attack_build(struct fb_attack_scene *, const struct fb_hash *, uint64_t first,
                            const uint64_t *inserted, size_t n_inserted, struct fb_filter *,
                            const char **why) FB_MUST_USE;

/* Looks for keys, under the design's own hash. *out is to be closed in any case. */
enum fb_err fb_attack_find(struct fb_attack_scene *, enum fb_attack, struct fb_attack_found *out,
                           const char **why) FB_MUST_USE;

/* What the keys did. Counts of a filter whose build failed are 0. */
struct fb_attack_counts {
    size_t filters;
    uint64_t *asked, *passed;               /* [filters], owned: of the keys found */
    uint64_t *random_asked, *random_passed; /* [filters], of random absent keys */
    uint64_t attempts;                      /* at a build, the most of any */
    uint64_t failed;                        /* filters that could not be built */
    uint64_t set_bits;                      /* of the first filter that was built */
    struct fb_geometry geom;                /* of the same */
    /* Of the first FB_ATTACK_SAMPLE of the keys found: how many set so many bits of an empty filter
     * under the hash; more than 64 bits count as 64. All 0 of a static design. */
    uint64_t bits[FB_MAX_PROBES + 1];
};

void fb_attack_counts_close(struct fb_attack_counts *);

/*
 * Asks the keys of filters of that hash. Under the design's own a key is asked of the filter that
 * it was found for; under another it was found for none, and is asked of all. FB_EFULL only where
 * nothing was inserted.
 */
enum fb_err fb_attack_strike(struct fb_attack_scene *, const struct fb_hash *,
                             const struct fb_attack_found *, struct fb_attack_counts *out,
                             const char **why) FB_MUST_USE;

#endif
