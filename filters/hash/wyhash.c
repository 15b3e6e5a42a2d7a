/* wyhash from its author's header with the default secret: libwyhash-dev, the "final version" of
 * October 2020. Later versions of wyhash give other values. */
#define _wyp fb_wyhash_secret /* a global name of the header, which a program may have as well */
#include <wyhash/wyhash.h>

#include "filters/hash/hash.h"

static uint64_t wyhash_default(const void *key, size_t len, uint64_t seed)
{
    return wyhash(key, len, seed, fb_wyhash_secret);
}

const struct fb_hash fb_hash_wyhash = {
    .name = "wyhash",
    .summary = "wyhash with the default secret, version of October 2020",
    .source = "wangyi-fudan/wyhash wyhash.h, from libwyhash-dev",
    .bits = 64,
    .seed_bits = 64,
    .hash = wyhash_default,
};
