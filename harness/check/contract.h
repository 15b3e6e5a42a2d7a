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

#include <jansson.h>

#include "filters/core/filter.h"
#include "harness/base/exit.h"

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

/* What is allocated stays allocated where a part does not hold. */
void fb_contract_ask(const struct fb_contract_part *, const struct fb_design *,
                     struct fb_contract_answer *out);

/* ---- plugin_check.c ---- */

/*
 * A plugin held to the contract in a process of its own: one that crashes there, or comes to no
 * end, takes nothing with it, and the part at which it did is named.
 *
 * {"plugin", "name", "revision", "code", "designs": [{"design", "holds", "parts_held", "code",
 * "wrong", "parts": [{"part", "summary", "holds", "code", "why"}]}]}. The codes are equal on every
 * machine and for every instruction set; a code is null where a part does not hold, and so is the
 * `why` of one that does. FB_EXIT_PLUGIN where there is no report, with a line on stderr: the
 * plugin cannot be loaded; and where a part does not hold, with a line for each.
 * limit_s: processor time that loading, or a part of a design, may take; above 0.
 */
enum fb_exit fb_plugin_check(const char *path, double limit_s, json_t **report);

#endif
