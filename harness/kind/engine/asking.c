/* A database that is asked: its keys, and what its answers should be. */
#include <string.h>

#include "harness/base/message.h"
#include "harness/kind/engine/gets.h"
#include "workloads/core/rng.h"

enum fb_exit fb_asking_fail(const struct fb_asking *a)
{
    fb_error("%s: %s", a->cell->id, a->why.text);
    return FB_EXIT_IO;
}

struct fb_permutation fb_asking_order(const struct fb_asking *a, bool absent)
{
    const struct fb_keyspace *s = &a->g->space;
    struct fb_permutation order;
    fb_permutation_init(&order, absent ? s->size - s->n_present : s->n_present,
                        fb_stream_key(a->g->seed, FB_DOMAIN_QUERIES, absent));
    return order;
}

size_t fb_asking_beyond(uint64_t number, uint8_t *key)
{
    memset(key, 0xff, FB_GETS_BEYOND - sizeof number);
    memcpy(key + FB_GETS_BEYOND - sizeof number, &number, sizeof number);
    return FB_GETS_BEYOND;
}

enum fb_exit fb_asking_check(const struct fb_asking *a, bool absent, uint64_t i,
                             enum fb_engine_answer answer)
{
    if (answer == FB_ENGINE_FAILED)
        return fb_asking_fail(a);
    if ((answer == FB_ENGINE_FOUND) != absent)
        return FB_EXIT_OK;
    fb_error("%s: query %llu, of %s key, was %s", a->cell->id, (unsigned long long)i,
             absent ? "an absent" : "a present", absent ? "found" : "not found");
    return FB_EXIT_CORRECTNESS;
}

size_t fb_asking_key(const struct fb_asking *a, const struct fb_permutation *order, bool absent,
                     uint64_t i, uint8_t *key)
{
    const struct fb_keyspace *s = &a->g->space;
    const uint64_t arrival = fb_permute(order, i % order->n) + (absent ? s->n_present : 0);
    return fb_keyspace_write(s, fb_keyspace_index(s, arrival), key);
}
