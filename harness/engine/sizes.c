#include "harness/engine/sizes.h"

enum fb_err fb_sizes_build(struct fb_sizes *s, const struct fb_keys *keys, struct fb_filter *out,
                           const char **why)
{
    struct fb_params params = s->asked;
    struct fb_params *known = keys->n < FB_SIZES_KNOWN ? &s->known[keys->n] : NULL;
    enum fb_err err = FB_OK;
    if (known && (known->bits_per_key > 0 || known->fpr > 0)) {
        params = *known;
    } else {
        err = fb_params_resolve(s->design, keys->n, &params, why);
        if (!err && known)
            *known = params;
    }
    return err ? err : fb_filter_build(s->design, NULL, &params, keys, out, why);
}
