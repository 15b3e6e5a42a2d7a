/*
 * Loops of a caller who has one key at a time. The header form has the design's header of
 * filters/inline/ compiled into the loop. The peer form is the same loop with the structure of the
 * fastest other library of that design, written here from its description: whose time the header's
 * is held to. Both are compiled for each instruction set by a caller's own flags (-mavx2).
 *
 * Of sbbf-512, nori, bloom-double and the cuckoo filters the peer has another layout, which costs
 * less: a product picks the block, or each bit, where the design says a modulus, or buckets are a
 * power of two. There the peer answers at random, and its insert spoils the filter. Of all others
 * both forms answer and insert alike.
 */
#ifndef FILTERBENCH_HARNESS_FILTER_INLINE_LOOP_H
#define FILTERBENCH_HARNESS_FILTER_INLINE_LOOP_H

#include "filters/core/filter.h"

/* The library's has no loop here: it is the kernel's call for a whole batch, or a build. */
enum fb_inline_form {
    FB_INLINE_HEADER,
    FB_INLINE_PEER,
    FB_N_INLINE_LOOPS,
    FB_INLINE_LIBRARY = FB_N_INLINE_LOOPS
};

struct fb_inline_loop {
    /* query_batch of struct fb_kernel. */
    size_t (*query)(const struct fb_filter *, const uint64_t *digests, size_t n, uint8_t *maybe);
    /* Of n digests; n_keys stays. NULL: none is held to a peer's. */
    void (*insert)(struct fb_filter *, const uint64_t *digests, size_t n);
};

struct fb_inline_loops {
    const char *design;
    bool same_layout; /* of header and peer */
    struct fb_inline_loop form[FB_N_INLINE_LOOPS];
};

extern const struct fb_word fb_inline_form_words[]; /* "header", "peer", "library" */

/* NULL: the design has no header, or this build no loops of that instruction set. On aarch64 there
 * are those of NEON, elsewhere those without vectors and of x86-64. */
const struct fb_inline_loops *fb_inline_loops_of(const char *design, enum fb_isa);

#endif
