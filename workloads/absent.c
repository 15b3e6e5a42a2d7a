/* Keys that are not in the tree. */
#include <string.h>

#include "workloads/core/queries.h"
#include "workloads/core/rng.h"

static const uint64_t endless = UINT64_C(1) << 63;

static uint64_t n_absent(const struct fb_keyspace *s)
{
    return s->size - s->n_present;
}

static bool is_present(const struct fb_keyspace *s, const uint8_t *key, size_t len,
                       uint8_t *scratch)
{
    uint64_t index;
    return fb_keyspace_find(s, key, len, scratch, &index) && fb_keyspace_present(s, index);
}

static uint64_t slot_of(const struct fb_queries *q, uint64_t i)
{
    return fb_permute(&q->slots, i % q->n_slots);
}

/* ---- Of the universe ---- */

static const char *gap_init(struct fb_queries *q)
{
    q->n_slots = n_absent(q->tree->space);
    return q->n_slots ? NULL : "every key is in the tree: none is held out";
}

static size_t gap_make(const struct fb_queries *q, uint64_t i, uint64_t *index, uint8_t *key)
{
    const struct fb_keyspace *s = q->tree->space;
    *index = fb_keyspace_index(s, s->n_present + slot_of(q, i));
    return fb_keyspace_write(s, *index, key);
}

static const char *repeat_init(struct fb_queries *q)
{
    q->n_slots = endless;
    if (q->spec.repeat_keys < 1 || q->spec.repeat_keys > n_absent(q->tree->space))
        return "the set of repeated keys has at least one and at most as many as are absent";
    q->repeat = (struct fb_popularity){.kind = FB_ZIPF, .theta = q->spec.repeat_theta};
    fb_popularity_init(&q->repeat, q->spec.repeat_keys);
    fb_permutation_init(&q->slots, n_absent(q->tree->space), q->stream);
    return NULL;
}

static size_t repeat_make(const struct fb_queries *q, uint64_t i, uint64_t *index, uint8_t *key)
{
    const struct fb_keyspace *s = q->tree->space;
    uint64_t rank = fb_popularity_rank(&q->repeat, q->popular, i);
    *index = fb_keyspace_index(s, s->n_present + fb_permute(&q->slots, rank));
    return fb_keyspace_write(s, *index, key);
}

static const char *adversarial_init(struct fb_queries *q)
{
    q->n_slots = endless;
    return q->spec.n_adversarial ? NULL : "no adversarial keys are given";
}

static size_t adversarial_make(const struct fb_queries *q, uint64_t i, uint64_t *index,
                               uint8_t *key)
{
    *index =
        q->spec.adversarial[fb_uniform_below(fb_stream_word(q->popular, i), q->spec.n_adversarial)];
    return fb_keyspace_write(q->tree->space, *index, key);
}

/* ---- Behind it ---- */

static const char *next_init(struct fb_queries *q)
{
    q->n_slots = q->tree->space->size - q->tree->space->n_present;
    return q->tree->space->file ? "the keys of a file have no continuation" : NULL;
}

static size_t next_make(const struct fb_queries *q, uint64_t i, uint64_t *index, uint8_t *key)
{
    *index = q->tree->space->size + i % q->n_slots;
    return fb_keyspace_write(q->tree->space, *index, key);
}

static const char *beyond_init(struct fb_queries *q)
{
    q->n_slots = q->tree->space->size - q->tree->space->n_present;
    return NULL;
}

/* Of files: the last key and eight bytes more. */
static size_t beyond_make(const struct fb_queries *q, uint64_t i, uint64_t *index, uint8_t *key)
{
    const struct fb_keyspace *s = q->tree->space;
    uint64_t slot = slot_of(q, i);
    if (s->file) {
        *index = s->size;
        size_t len = fb_keyspace_write(s, s->size - 1, key);
        fb_put_be64(key + len, slot);
        return len + 8;
    }
    *index = s->size + slot;
    return fb_keyspace_write(s, *index, key);
}

/* ---- Made of another key ---- */

static size_t neighbour_of(const struct fb_queries *q, size_t len, bool up, uint8_t *key,
                           uint8_t *scratch)
{
    if (!len)
        return SIZE_MAX;
    uint8_t *last = key + len - 1, byte = *last;
    bool digit = byte >= '0' && byte <= '9';
    for (int way = 0; way < 2; way++, up = !up) {
        if (byte == (up ? digit ? '9' : 0xFF : digit ? '0' : 0))
            continue;
        *last = (uint8_t)(byte + (up ? 1 : -1));
        if (!is_present(q->tree->space, key, len, scratch))
            return len;
    }
    return SIZE_MAX;
}

static size_t suffix_of(const struct fb_queries *q, size_t len, bool unused, uint8_t *key,
                        uint8_t *scratch)
{
    (void)unused;
    for (unsigned more = 0; more < 256; more++) {
        key[len] = (uint8_t)('.' + more);
        if (!is_present(q->tree->space, key, len + 1, scratch))
            return len + 1;
    }
    return SIZE_MAX;
}

static size_t other_space_of(const struct fb_queries *q, size_t len, bool unused, uint8_t *key,
                             uint8_t *scratch)
{
    (void)unused;
    if (!len)
        return SIZE_MAX;
    key[len < 3 ? len - 1 : 2] ^= 0x80;
    return is_present(q->tree->space, key, len, scratch) ? SIZE_MAX : len;
}

/* ---- The table ---- */

const struct fb_word fb_absent_kinds[] = {
    [FB_IN_GAP] = {"in-gap", "held out of the same keys, lying between those present"},
    [FB_NEIGHBOUR] = {"neighbour", "a present key, its last byte one up or down"},
    [FB_SUFFIX] = {"suffix", "a present key and one byte more, as db_bench's readmissing"},
    [FB_NEXT] = {"next", "the sequence goes on behind the last key"},
    [FB_OUT_RANGE] = {"out-range", "outside every run's key range, in no order"},
    [FB_OTHER_SPACE] = {"other-space", "the same format with a prefix that no present key has"},
    [FB_REPEAT] = {"repeat", "zipf over a fixed set of absent keys"},
    [FB_ADVERSARIAL] = {"adversarial", "absent keys that the filters are known to pass"},
    {0},
};

static const struct kind {
    const char *(*init)(struct fb_queries *);
    /* One of the two. The first writes the key; the second makes the key of an origin, an arrival
     * that is present or one that is not, into another; SIZE_MAX: it cannot. */
    size_t (*make)(const struct fb_queries *, uint64_t i, uint64_t *index, uint8_t *key);
    size_t (*derive)(const struct fb_queries *, size_t len, bool coin, uint8_t *key,
                     uint8_t *scratch);
    bool absent_origin;
} kinds[] = {
    [FB_IN_GAP] = {gap_init, gap_make, NULL, false},
    [FB_NEIGHBOUR] = {beyond_init, NULL, neighbour_of, false},
    [FB_SUFFIX] = {beyond_init, NULL, suffix_of, false},
    [FB_NEXT] = {next_init, next_make, NULL, false},
    [FB_OUT_RANGE] = {beyond_init, beyond_make, NULL, false},
    [FB_OTHER_SPACE] = {gap_init, NULL, other_space_of, true},
    [FB_REPEAT] = {repeat_init, repeat_make, NULL, false},
    [FB_ADVERSARIAL] = {adversarial_init, adversarial_make, NULL, false},
};

/* The key of the origin that stands `slot` slots on in their order. */
static size_t derive(const struct fb_queries *q, uint64_t slot, bool coin, uint64_t *index,
                     uint8_t *key, uint8_t *scratch)
{
    const struct fb_keyspace *s = q->tree->space;
    const struct kind *kind = &kinds[q->spec.absent_kind];
    uint64_t first = kind->absent_origin ? s->n_present : 0;
    *index = fb_keyspace_index(s, first + slot_of(q, slot));
    return kind->derive(q, fb_keyspace_write(s, *index, key), coin, key, scratch);
}

/* Origins are tried one after the other; a kind is refused where fewer than one of sixteen serves,
 * so that all attempts fail with probability below 10^-114. */
enum { ATTEMPTS = 4096, SAMPLE = 256, NEEDED = SAMPLE / 16 };

const char *fb_absent_init(struct fb_queries *q, uint8_t *key, uint8_t *scratch)
{
    const struct kind *kind = &kinds[q->spec.absent_kind];
    fb_permutation_init(&q->slots, 1, q->stream);
    const char *why = kind->init(q);
    if (why)
        return why;
    if (q->n_slots != endless)
        fb_permutation_init(&q->slots, q->n_slots, q->stream);
    unsigned n_made = 0;
    uint64_t index;
    for (uint64_t slot = 0; kind->derive && slot < SAMPLE; slot++)
        n_made += derive(q, slot, slot % 2, &index, key, scratch) != SIZE_MAX;
    return kind->derive && n_made < NEEDED ? "hardly any key has such an absent one beside it"
                                           : NULL;
}

size_t fb_absent_make(const struct fb_queries *q, uint64_t i, uint64_t *index, uint8_t *key,
                      uint8_t *scratch)
{
    const struct kind *kind = &kinds[q->spec.absent_kind];
    if (kind->make)
        return kind->make(q, i, index, key);
    bool coin = fb_stream_word(q->popular, i) >> 63;
    size_t len = SIZE_MAX;
    for (uint64_t attempt = 0; len == SIZE_MAX && attempt < ATTEMPTS; attempt++)
        len = derive(q, i % q->n_slots + attempt, coin, index, key, scratch);
    return len;
}
