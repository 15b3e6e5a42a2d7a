/* Revisions of two designs for `filterbench ab`: sbbf-256 and nori as they are (SAME), or with one
 * fault in the first. */
#include "filters/core/plugin.h"

#define SAME    0
#define SLOW    1 /* each batch is asked eight times */
#define PROBES  2 /* a probe fewer, it says */
#define TWICE   3 /* twice the bits */
#define BLOCK   4 /* the block's last byte is inverted */
#define MISSING 5 /* nori is gone */
#define FORGETS 6 /* no key is found */

extern const struct fb_design fb_design_sbbf_256, fb_design_nori;

static struct fb_design changed;
static struct fb_kernel kernel;
static struct fb_format formats[2];

static inline size_t query_slowly(const struct fb_filter *filter, const uint64_t *digests, size_t n,
                                  uint8_t *maybe)
{
    size_t found = 0;
    for (int i = 0; i < (REVISION == SLOW ? 8 : 1); i++)
        found = fb_design_sbbf_256.kernels[0]->query_batch(filter, digests, n, maybe);
    for (size_t i = 0; REVISION == FORGETS && i < n; i++)
        maybe[i] = 0;
    return REVISION == FORGETS ? 0 : found;
}

static inline enum fb_err plan(const struct fb_params *params, uint64_t n_keys,
                               struct fb_geometry *out, const char **why)
{
    struct fb_params asked = *params;
    asked.bits_per_key *= REVISION == TWICE ? 2 : 1;
    const enum fb_err err = fb_design_sbbf_256.plan(&asked, n_keys, out, why);
    out->probes -= REVISION == PROBES;
    return err;
}

static inline void encode(const struct fb_filter *filter, uint8_t *block)
{
    fb_design_sbbf_256.formats[0].encode(filter, block);
    block[formats[0].size(filter) - 1] ^= REVISION == BLOCK ? 0xff : 0;
}

static const struct fb_kernel *const kernels[] = {&kernel, NULL};
static const struct fb_design *const designs[] = {
    &changed, REVISION == MISSING ? NULL : &fb_design_nori, NULL};

FB_PLUGIN_EXPORT const struct fb_plugin_v1 fb_plugin_v1 = {FB_PLUGIN_HEAD, .name = "revision",
                                                           .revision = "tests", .designs = designs};

/* Copies what a constant initialiser cannot. */
__attribute__((constructor)) static void make(void)
{
    changed = fb_design_sbbf_256;
    kernel = *fb_design_sbbf_256.kernels[0];
    kernel.query_batch = query_slowly;
    formats[0] = fb_design_sbbf_256.formats[0];
    formats[0].encode = encode;
    changed.kernels = kernels;
    changed.formats = formats;
    changed.plan = plan;
}
