/* The registries of designs and hashes. CMakeLists.txt holds the two lists and writes designs.def
 * and hashes.def from them, one DESIGN(id) or HASH(id) a line. */
#include "filters/core/filter.h"

#include <string.h>

#define DESIGN(id) extern const struct fb_design fb_design_##id;
#include "designs.def"
#undef DESIGN
#define HASH(id) extern const struct fb_hash fb_hash_##id;
#include "hashes.def"
#undef HASH

static const struct fb_design *const designs[] = {
#define DESIGN(id) &fb_design_##id,
#include "designs.def"
#undef DESIGN
};

static const struct fb_hash *const hashes[] = {
#define HASH(id) &fb_hash_##id,
#include "hashes.def"
#undef HASH
};

enum { N_BUILT_IN = sizeof designs / sizeof *designs };

static const struct fb_design *registered[FB_MOST_REGISTERED];
static size_t n_registered;

size_t fb_n_designs(void)
{
    return N_BUILT_IN + n_registered;
}

const struct fb_design *fb_design_at(size_t i)
{
    return i < N_BUILT_IN ? designs[i] : registered[i - N_BUILT_IN];
}

enum fb_err fb_design_register(const struct fb_design *design)
{
    if (fb_design_find(design->name))
        return FB_EINVAL;
    if (n_registered == FB_MOST_REGISTERED)
        return FB_EFULL;
    registered[n_registered++] = design;
    return FB_OK;
}

const struct fb_design *fb_design_find(const char *name)
{
    for (size_t i = 0; i < fb_n_designs(); i++)
        if (!strcmp(fb_design_at(i)->name, name))
            return fb_design_at(i);
    return NULL;
}

const struct fb_format *fb_format_find(const struct fb_design *design, const char *name)
{
    for (const struct fb_format *format = design->formats; format && format->name; format++)
        if (!strcmp(format->name, name))
            return format;
    return NULL;
}

size_t fb_n_hashes(void)
{
    return sizeof hashes / sizeof *hashes;
}

const struct fb_hash *fb_hash_at(size_t i)
{
    return hashes[i];
}

const struct fb_hash *fb_hash_find(const char *name)
{
    for (size_t i = 0; i < fb_n_hashes(); i++)
        if (!strcmp(hashes[i]->name, name))
            return hashes[i];
    return NULL;
}
