#include "harness/filter/footprint.h"

const struct fb_word fb_footprint_words[] = {
    {.name = "L1"}, {.name = "L2"}, {.name = "L3"}, {.name = "DRAM"}, {0}};

const char *fb_footprint_name(enum fb_footprint footprint)
{
    return fb_footprint_words[footprint].name;
}

enum fb_footprint fb_footprint_find(const char *name)
{
    return (enum fb_footprint)fb_word_find(fb_footprint_words, name);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void fb_footprints_derive(struct fb_footprints *f)
{
    enum { ENOUGH_DRAM = 384 << 20 };
    const uint64_t l2 = f->caches.l2_bytes, l3 = f->caches.l3_bytes, beyond = l3 + l3 / 4;
    f->bytes[FB_FOOT_L1] = 12500;
    f->bytes[FB_FOOT_L2] = l2 / 2;
    f->bytes[FB_FOOT_L3] = least(l3 / 2, l2 * 16);
    f->bytes[FB_FOOT_DRAM] = least(l3 * 4, beyond > ENOUGH_DRAM ? beyond : ENOUGH_DRAM);
}

void fb_footprints_detect(struct fb_footprints *f)
{
    fb_caches_detect(&f->caches);
    fb_footprints_derive(f);
}

void fb_footprints_bound(struct fb_footprints *f, uint64_t most)
{
    const struct fb_caches *c = &f->caches;
    const uint64_t inside[FB_N_FOOTPRINTS] = {0, c->l1d_bytes, c->l2_bytes, c->l3_bytes};
    for (int i = 0; i < FB_N_FOOTPRINTS; i++) {
        f->bytes[i] = least(f->bytes[i], most);
        if (f->bytes[i] <= inside[i])
            f->bytes[i] = 0;
    }
}
