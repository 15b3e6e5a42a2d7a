/* Random values with the distribution of a histogram. */
#include "harness/store/device.h"

#include <stdlib.h>

#include "filters/core/bits.h"

/* The bins that hold samples, and how many lie in them and below. */
struct fb_draws {
    size_t n;
    struct {
        uint64_t up_to, ps;
    } bin[];
};

struct fb_draws *fb_draws_of(const struct fb_histogram *histogram)
{
    size_t n = 0;
    uint64_t up_to = 0;
    for (unsigned i = 0; i < FB_HISTOGRAM_BINS; i++)
        n += histogram->count[i] > 0;
    struct fb_draws *draws = malloc(sizeof *draws + n * sizeof *draws->bin);
    if (!draws)
        return NULL;
    draws->n = 0;
    for (unsigned i = 0; i < FB_HISTOGRAM_BINS; i++) {
        if (!histogram->count[i])
            continue;
        up_to += histogram->count[i];
        draws->bin[draws->n].up_to = up_to;
        draws->bin[draws->n++].ps = fb_histogram_middle(i);
    }
    return draws;
}

uint64_t fb_draw(const struct fb_draws *draws, uint64_t word)
{
    uint64_t sample = fb_mulhi64(word, draws->bin[draws->n - 1].up_to);
    size_t low = 0, high = draws->n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sample < draws->bin[middle].up_to)
            high = middle;
        else
            low = middle + 1;
    }
    return draws->bin[low].ps;
}
