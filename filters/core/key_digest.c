#include "filters/core/key_digest.h"

#include <string.h>

void fb_key_digest(const void *key, size_t len, unsigned n_words, uint64_t *words)
{
    const size_t most = fb_key_digest_most(n_words);
    words[0] = len < most ? len : most;
    memset(words + 1, 0, most);
    if (len)
        memcpy(words + 1, key, (size_t)words[0]);
}
