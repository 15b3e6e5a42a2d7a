#include "harness/work/shard.h"

#include <stdlib.h>

#include "filters/core/bits.h"
#include "harness/base/json.h"

/* A number from 1 to FB_MAX_SHARDS; 0: it is none. */
static unsigned number(const char *text, char **end)
{
    if (*text < '1' || *text > '9')
        return 0;
    const unsigned long n = strtoul(text, end, 10);
    return n <= FB_MAX_SHARDS ? (unsigned)n : 0;
}

bool fb_shard_parse(const char *text, struct fb_shard *shard)
{
    char *end = NULL;
    const unsigned index = number(text, &end);
    const unsigned of = index && *end == '/' ? number(end + 1, &end) : 0;
    if (!of || *end || index > of)
        return false;
    *shard = (struct fb_shard){index - 1, of};
    return true;
}

bool fb_shard_has(struct fb_shard shard, size_t cell)
{
    return cell % shard.of == shard.index;
}

size_t fb_shard_count(struct fb_shard shard, size_t n)
{
    return n / shard.of + (n % shard.of > shard.index);
}

unsigned fb_shard_stretch(struct fb_shard shard, size_t cell)
{
    return (unsigned)((shard.index + shard.of - cell % shard.of) % shard.of);
}

void fb_shard_blocks(struct fb_shard shard, size_t cell, uint64_t n_blocks, uint64_t *first,
                     uint64_t *end)
{
    const uint64_t stretch = fb_shard_stretch(shard, cell);
    *first = (uint64_t)((fb_u128)n_blocks * stretch / shard.of);
    *end = (uint64_t)((fb_u128)n_blocks * (stretch + 1) / shard.of);
}

json_t *fb_shard_json(struct fb_shard shard)
{
    return json_pack("{s:i, s:i}", "index", (int)shard.index + 1, "of", (int)shard.of);
}

bool fb_shard_read(const json_t *document, struct fb_shard *shard)
{
    const json_t *given = fb_json_at(document, "run.shard");
    const uint64_t index = fb_json_uint(given, "index"), of = fb_json_uint(given, "of");
    *shard = FB_WHOLE;
    if (!given)
        return true;
    if (!index || index > of || of > FB_MAX_SHARDS)
        return false;
    *shard = (struct fb_shard){(unsigned)index - 1, (unsigned)of};
    return true;
}
