#include "harness/store/expectation.h"

#include <string.h>

void fb_expect(const struct fb_expected_run *runs, size_t n, double absent,
               struct fb_expectation *out)
{
    double wasted = 0, wasted_variance = 0; /* reads in vain in the runs so far */
    double in_range = 0, none_false = 1, squares = 0, asked_present = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const struct fb_expected_run *run = runs + i;
        const double own = run->memtable ? 0 : 1, reads = wasted + own;
        const double p = own * run->r * run->f;
        out->io_present += run->pi * reads;
        squares += run->pi * (reads * reads + wasted_variance);
        asked_present += run->pi * (in_range + own);
        wasted += p;
        wasted_variance += p * (1 - p);
        in_range += own * run->r;
        none_false *= 1 - p;
    }
    out->io_absent = wasted;
    out->any_false = 1 - none_false;
    out->io = absent * out->io_absent + (1 - absent) * out->io_present;
    out->asked = absent * in_range + (1 - absent) * asked_present;
    out->io_variance =
        absent * (wasted * wasted + wasted_variance) + (1 - absent) * squares - out->io * out->io;
}
