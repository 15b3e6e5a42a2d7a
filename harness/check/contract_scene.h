/* Between the files of the contract: what a part asks of a design, and with which keys. */
#ifndef FILTERBENCH_HARNESS_CHECK_CONTRACT_SCENE_H
#define FILTERBENCH_HARNESS_CHECK_CONTRACT_SCENE_H

#include <setjmp.h>

#include "harness/check/contract.h"
#include "harness/check/parts.h"
#include "workloads/core/keys.h"

struct fb_contract {
    const struct fb_design *design;
    struct fb_answers answers;
    char doing[120];   /* what is at work, for a fault; "": no filter in particular */
    uint64_t *digests; /* of fb_contract_make_digests; freed behind the part */
    unsigned words;    /* of each */
    jmp_buf broken;
};

/* Tables, ending with name == NULL. */
extern const struct fb_contract_part fb_contract_answers[], fb_contract_blocks[],
    fb_contract_traits[], fb_contract_builds[];

/* Ends the part with a fault. */
_Noreturn void fb_contract_break(struct fb_contract *, const char *what);
/* Ends it, with `what`, unless the condition holds. */
static inline void fb_require(struct fb_contract *c, bool condition, const char *what)
{
    if (!condition)
        fb_contract_break(c, what);
}
/* The same of what answers with an error, and sets *why: the address, as a compiler may take the
 * arguments of a call in any order. NULL: it gives no reason. */
void fb_require_ok(struct fb_contract *, enum fb_err, const char *const *why, const char *what);
/* Memory, or the end of the part. */
void *fb_contract_alloc(struct fb_contract *, size_t n_bytes);
/* What is at work from here on. */
void fb_contract_do(struct fb_contract *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* 10 bits a key, more where it takes more, or nothing for a control. */
struct fb_params fb_contract_params(const struct fb_design *);

/*
 * n present keys of a family, or n others of the same base:
 *     seq  "key000007" and on    dup  the same, each three times
 *     bin  0..64 random bytes (the others: 16..64)    u64  8 random bytes
 */
struct fb_keyset fb_contract_keys(struct fb_contract *, const char *family, uint64_t base, size_t n,
                                  bool others);

struct fb_digests {
    uint64_t *words; /* owned */
    size_t n;
};
struct fb_digests fb_contract_digests(struct fb_contract *, const struct fb_filter *,
                                      const struct fb_keys *);

/* ---- One set of keys for parts that build many filters ---- */

enum { FB_CONTRACT_N = 3000 };

/* c->digests: of FB_CONTRACT_N present keys, then of as many others. */
void fb_contract_make_digests(struct fb_contract *);
/* A filter of keys first .. first + n - 1 of them by `of`, sized for `capacity` (0: for n). */
enum fb_err fb_contract_try(struct fb_contract *, const struct fb_design *of, uint64_t capacity,
                            size_t first, size_t n, struct fb_filter *out, const char **why);
/* The same by the design, which must build it. */
struct fb_filter fb_contract_build(struct fb_contract *, uint64_t capacity, size_t first, size_t n);
/* How many of the keys are answered yes; all of them must be. */
size_t fb_contract_hits(const struct fb_contract *, const struct fb_filter *, size_t first,
                        size_t n);
void fb_contract_all_in(struct fb_contract *, const struct fb_filter *, size_t first, size_t n);
bool fb_contract_same_geometry(const struct fb_geometry *, const struct fb_geometry *);
/* Two filters have the same geometry, bits, keys and blocks. */
void fb_contract_same(struct fb_contract *, const struct fb_filter *, const struct fb_filter *);

/* ---- Answers ---- */

/* All ways to ask agree; the answers to maybe [n], and how many are yes. */
size_t fb_contract_answers_of(struct fb_contract *, const struct fb_filter *, struct fb_digests,
                              uint8_t *maybe);

#endif
