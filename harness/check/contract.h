/*
 * The contract of a design: what every one must keep, asked of any design, part by part. Keys that
 * are in are answered yes, all ways to ask agree, every kernel answers as the scalar one, blocks
 * read back the same, no bytes of a block do harm, the rate is near the predicted one, a filter
 * built step by step is the one built at once, keys go in later and out again where the design
 * says so, and what it does not offer it refuses.
 *
 * A part ends at the first fault. Its answers and blocks, of fixed keys, are folded into a word
 * that is equal on every machine and for every instruction set.
 */
#ifndef FILTERBENCH_HARNESS_CHECK_CONTRACT_H
#define FILTERBENCH_HARNESS_CHECK_CONTRACT_H

#include "filters/core/filter.h"

struct fb_contract;

struct fb_contract_part {
    const char *name, *summary;
    void (*ask)(struct fb_contract *);
};

/* Part i, NULL: there are fewer. */
const struct fb_contract_part *fb_contract_part_at(size_t i);

struct fb_contract_answer {
    bool holds;
    uint64_t code; /* of a part that holds */
    char why[256]; /* of one that does not: what, and of which filter */
};

/* What is allocated stays allocated where a part does not hold. Of one thread at a time. */
void fb_contract_ask(const struct fb_contract_part *, const struct fb_design *,
                     struct fb_contract_answer *out);

#endif
