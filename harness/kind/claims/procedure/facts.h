/*
 * What a procedure counted, apart from what follows from it. Whoever measures notes the counts of a
 * row in records, and whoever derives the row again takes the records back in the same order:
 *
 *     uint64_t lost = 0, bits = 0;
 *     if (bench->phase == FB_MEASURE)
 *         ... count them ...
 *     fb_bench_facts(bench, (struct fb_fact[]){FB_FACT("lost", &lost), FB_FACT("bits", &bits),
 * {0}});
 *     ... theory, interval, test, remark from `lost` and `bits` ...
 *
 * A procedure whose counting takes no time notes nothing: it counts again.
 */
#ifndef FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_FACTS_H
#define FILTERBENCH_HARNESS_KIND_CLAIMS_PROCEDURE_FACTS_H

#include "harness/kind/claims/procedure/bench.h"

/* Whole numbers below 2^63. */
struct fb_fact {
    const char *name;
    uint64_t *value; /* [n]; one number where n is 0 */
    size_t n;
};
#define FB_FACT(name, value)                                                                       \
    {                                                                                              \
        name, value, 0                                                                             \
    }

/* One record; facts end with name == NULL. Notes it (FB_MEASURE), sets the values from it
 * (FB_DERIVE; fails where the document has not exactly these), or only says that there will be one
 * (FB_PREDICT): a procedure that notes nothing does the same in every phase. */
void fb_bench_facts(struct fb_bench *, const struct fb_fact *facts);

#endif
