/* A plugin that is not right: WRONG says in what, NOTHING that it is. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "filters/core/plugin.h"

enum {
    NOTHING,
    MAGIC,
    MAJOR,
    STRUCT,
    DESIGN,
    REVISION,
    NO_DESIGN,
    NO_KERNEL,
    UNNAMED,
    TAKEN,
    TWICE,
    LETTERS,
    LENGTH,
    LATER,
    CRASH,
    ENDLESS,
    LEAVES,
    OLDER,
    LAYOUT,
    TUNING,
    STUCK,
};

__attribute__((constructor)) static void start(void)
{
    if (WRONG == CRASH)
        abort();
    if (WRONG == LEAVES)
        exit(0);
    for (volatile bool on = WRONG == ENDLESS; on;)
        continue;
}

static void digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    (void)key, (void)n_words;
    if (WRONG == STUCK)
        fputs("stuck\n", stderr);
    for (volatile bool on = WRONG == STUCK; on;)
        continue;
    words[0] = len;
}

static enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                        const char **why)
{
    (void)params, (void)n_keys, (void)why;
    geom->probes = 1;
    return FB_OK;
}

static double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    (void)geom, (void)n_keys;
    return 1;
}

static const struct fb_kernel *const kernels[] = {WRONG == NO_KERNEL ? NULL : &fb_kernel_yes, NULL};

/* A design of a later minor version has more members. */
static const struct {
    struct fb_design design;
    uint64_t more[4];
} later = {
    .design =
        {
            .name = WRONG == UNNAMED   ? NULL
                    : WRONG == TAKEN   ? "leveldb"
                    : WRONG == LETTERS ? "a/b"
                    : WRONG == LENGTH  ? "a-name-that-is-as-long-as-40-characters-"
                                       : "yes",
            .summary = "answers yes",
            .source = "tests/plugins/wrong.c",
            .traits = FB_CONTROL | FB_FIXED_PROBES,
            .hash = "none",
            .digest_words = 1,
            .digest = digest,
            .plan = plan,
            .fpr = fpr,
            .kernels = kernels,
        },
    .more = {1, 2, 3, 4},
};

/* Not called of an older plugin, which has no such member, nor of one with another layout. */
static enum fb_err tune(const struct fb_tuning *tuning)
{
    (void)tuning;
    if (WRONG == OLDER || WRONG == LAYOUT)
        abort();
    return WRONG == TUNING ? FB_EINVAL : FB_OK;
}

static const struct fb_design *const designs[] = {WRONG == NO_DESIGN ? NULL : &later.design,
                                                  WRONG == TWICE ? &later.design : NULL, NULL};

const struct fb_plugin_v1 fb_plugin_v1 = {
    .magic = WRONG == MAGIC ? 7 : FB_PLUGIN_MAGIC,
    .struct_size = WRONG == STRUCT  ? 16
                   : WRONG == LATER ? sizeof(struct fb_plugin_v1) + 16
                   : WRONG == OLDER ? offsetof(struct fb_plugin_v1, tuning_size)
                                    : sizeof(struct fb_plugin_v1),
    .major = WRONG == MAJOR ? 2 : FB_PLUGIN_MAJOR,
    .minor = WRONG == LATER ? 7 : FB_PLUGIN_MINOR,
    .design_size = WRONG == DESIGN  ? 8
                   : WRONG == LATER ? sizeof later
                                    : sizeof(struct fb_design),
    .name = "wrong",
    .revision = WRONG == REVISION ? NULL : "1",
    .designs = designs,
    .tuning_size = sizeof(struct fb_tuning) + (WRONG == LAYOUT ? 8 : 0),
    .tune = tune,
};
