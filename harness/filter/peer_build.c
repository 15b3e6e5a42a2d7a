#include "harness/filter/peer_build.h"

#include <stdlib.h>
#include <string.h>

#include "filters/inline/cuckoo.h"
#include "filters/inline/fuse.h"
#include "filters/inline/leveldb.h"
#include "filters/inline/xor.h"

static enum fb_err open_like(const struct fb_filter *like, size_t n, struct fb_filter *out)
{
    *out = *like;
    out->n_keys = n;
    out->bytes = fb_alloc_lines(like->geom.n_bytes); /* zeroed */
    return out->bytes ? FB_OK : FB_ENOMEM;
}

static enum fb_err build_leveldb(const struct fb_filter *like, const uint64_t *digests, size_t n,
                                 struct fb_filter *out)
{
    const enum fb_err err = open_like(like, n, out);
    if (err)
        return err;
    const uint32_t bits = (uint32_t)out->geom.n_bits;
    uint8_t *bytes = out->bytes;
    for (size_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)digests[i];
        const uint32_t delta = h >> 17 | h << 15;
        for (uint32_t t = 0; t < like->geom.probes; t++, h += delta)
            bytes[h % bits / 8] = (uint8_t)(bytes[h % bits / 8] | 1 << (h % bits % 8));
    }
    return FB_OK;
}

/* ---- Three slots a key ---- */

/* A slot while keys are peeled: the exclusive or of the hashes that have it, and their number. */
struct cell {
    uint64_t sum;
    uint32_t count;
};

struct waiting {
    uint64_t hash;
    uint32_t slot;
};

/* Memory of a build. */
struct peeling {
    struct cell *cells;
    struct waiting *queue, *order; /* alone in a slot; as they were peeled */
};

static void close_peeling(struct peeling *p)
{
    free(p->cells);
    free(p->queue);
    free(p->order);
}

static enum fb_err open_peeling(struct peeling *p, size_t n_slots, size_t n)
{
    p->cells = calloc(n_slots, sizeof *p->cells);
    p->queue = malloc((n_slots + 1) * sizeof *p->queue);
    p->order = malloc((n + 1) * sizeof *p->order);
    return p->cells && p->queue && p->order ? FB_OK : FB_ENOMEM;
}

static inline void put(struct cell *cells, uint64_t hash, const uint32_t at[3])
{
    for (int j = 0; j < 3; j++) {
        cells[at[j]].sum ^= hash;
        cells[at[j]].count++;
    }
}

/* The fingerprints, from the last key that was peeled to the first. */
#define ASSIGN(bits, SLOTS)                                                                        \
    static void assign_##bits##_##SLOTS(const struct fb_filter *f, const struct waiting *order,    \
                                        size_t n)                                                  \
    {                                                                                              \
        uint##bits##_t *slot = (uint##bits##_t *)(void *)f->bytes;                                 \
        while (n-- > 0) {                                                                          \
            const uint64_t hash = order[n].hash;                                                   \
            const struct fb_slots s = SLOTS(&f->geom, hash);                                       \
            const uint32_t own = order[n].slot;                                                    \
            const uint##bits##_t others =                                                          \
                (uint##bits##_t)(slot[s.at[0]] ^ slot[s.at[1]] ^ slot[s.at[2]] ^ slot[own]);       \
            slot[own] = (uint##bits##_t)(hash ^ hash >> 32 ^ others);                              \
        }                                                                                          \
    }
ASSIGN(8, fb_xor_slots)
ASSIGN(16, fb_xor_slots)
ASSIGN(8, fb_fuse_slots)
ASSIGN(16, fb_fuse_slots)

/* A queue for each segment: those of one are served until it is empty. */
static size_t peel_xor(const struct fb_geometry *geom, struct peeling *p)
{
    const uint32_t length = (uint32_t)geom->own[FB_XOR_SEGMENT];
    size_t in[3] = {0}, peeled = 0;
    for (uint32_t at = 0; at < 3 * length; at++)
        if (p->cells[at].count == 1)
            p->queue[at / length * length + in[at / length]++] =
                (struct waiting){p->cells[at].sum, at};
    while (in[0] + in[1] + in[2]) {
        for (uint32_t q = 0; q < 3; q++) {
            while (in[q]) {
                const struct waiting w = p->queue[q * length + --in[q]];
                if (!p->cells[w.slot].count)
                    continue;
                const struct fb_slots s = fb_xor_slots(geom, w.hash);
                p->order[peeled++] = w;
                p->cells[w.slot].count = 0;
                for (uint32_t j = 0; j < 3; j++) {
                    struct cell *other = &p->cells[s.at[j]];
                    if (j == q)
                        continue;
                    other->sum ^= w.hash;
                    if (--other->count == 1)
                        p->queue[j * length + in[j]++] = (struct waiting){other->sum, s.at[j]};
                }
            }
        }
    }
    return peeled;
}

static enum fb_err build_xor(const struct fb_filter *like, const uint64_t *digests, size_t n,
                             struct fb_filter *out)
{
    struct peeling p = {NULL, NULL, NULL};
    const size_t n_slots = 3 * (size_t)like->geom.own[FB_XOR_SEGMENT];
    enum fb_err err = open_like(like, n, out);
    if (!err)
        err = open_peeling(&p, n_slots, n);
    for (size_t i = 0; i < n && !err; i++) {
        const uint64_t hash = fb_slot_hash(&like->geom, digests[i]);
        put(p.cells, hash, fb_xor_slots(&like->geom, hash).at);
    }
    if (!err && peel_xor(&like->geom, &p) < n)
        err = FB_EFULL;
    if (!err && like->geom.n_bits == n_slots * 8)
        assign_8_fb_xor_slots(out, p.order, n);
    else if (!err)
        assign_16_fb_xor_slots(out, p.order, n);
    close_peeling(&p);
    return err;
}

/* Hashes by their first bits, in as many piles as there are about segments: neighbours in time are
 * neighbours in the table. */
static enum fb_err sort_hashes(const struct fb_geometry *geom, const uint64_t *digests, size_t n,
                               uint64_t *out)
{
    unsigned bits = 1;
    while (UINT64_C(1) << bits < geom->own[FB_FUSE_SEGMENTS])
        bits++;
    size_t *start = calloc(((size_t)1 << bits) + 1, sizeof *start);
    if (!start)
        return FB_ENOMEM;
    for (size_t pile = 0; pile < (size_t)1 << bits; pile++)
        start[pile] = (size_t)((uint64_t)pile * n >> bits);
    memset(out, 0, (n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) { /* a pile that is too full runs into the next */
        const uint64_t hash = fb_slot_hash(geom, digests[i]);
        size_t pile = (size_t)(hash >> (64 - bits));
        while (start[pile] >= n || out[start[pile]])
            pile = (pile + 1) & (((size_t)1 << bits) - 1);
        out[start[pile]++] = hash;
    }
    free(start);
    return FB_OK;
}

static size_t peel_fuse(const struct fb_geometry *geom, struct peeling *p, size_t n_slots)
{
    size_t in = 0, peeled = 0;
    for (uint32_t at = 0; at < n_slots; at++)
        if (p->cells[at].count == 1)
            p->queue[in++].slot = at;
    while (in) {
        const uint32_t slot = p->queue[--in].slot;
        if (p->cells[slot].count != 1)
            continue;
        const uint64_t hash = p->cells[slot].sum;
        const struct fb_slots s = fb_fuse_slots(geom, hash);
        p->order[peeled++] = (struct waiting){hash, slot};
        for (int j = 0; j < 3; j++) {
            struct cell *c = &p->cells[s.at[j]];
            c->sum ^= hash;
            if (--c->count == 1)
                p->queue[in++].slot = s.at[j];
        }
    }
    return peeled;
}

static enum fb_err build_fuse(const struct fb_filter *like, const uint64_t *digests, size_t n,
                              struct fb_filter *out)
{
    struct peeling p = {NULL, NULL, NULL};
    const size_t n_slots =
        (size_t)((like->geom.own[FB_FUSE_SEGMENTS] + 2) * like->geom.own[FB_FUSE_SEGMENT]);
    uint64_t *hashes = malloc((n + 1) * sizeof *hashes);
    enum fb_err err = open_like(like, n, out);
    if (!err)
        err = hashes ? open_peeling(&p, n_slots, n) : FB_ENOMEM;
    if (!err)
        err = sort_hashes(&like->geom, digests, n, hashes);
    for (size_t i = 0; i < n && !err; i++)
        put(p.cells, hashes[i], fb_fuse_slots(&like->geom, hashes[i]).at);
    if (!err && peel_fuse(&like->geom, &p, n_slots) < n)
        err = FB_EFULL;
    if (!err && like->geom.n_bits == n_slots * 8)
        assign_8_fb_fuse_slots(out, p.order, n);
    else if (!err)
        assign_16_fb_fuse_slots(out, p.order, n);
    close_peeling(&p);
    free(hashes);
    return err;
}

/* ---- Two buckets ---- */

static inline uint64_t read_bucket(const uint8_t *bytes, uint32_t bucket, unsigned bits)
{
    return fb_le64(bytes + (size_t)bucket * (bits / 2));
}

/* Puts the fingerprint into a free slot. */
static inline bool put_free(uint8_t *bytes, uint32_t bucket, uint64_t print, unsigned bits)
{
    uint8_t *at = bytes + (size_t)bucket * (bits / 2);
    const uint64_t word = fb_le64(at);
    for (unsigned slot = 0; slot < 4; slot++)
        if (!(word >> slot * bits & ((UINT64_C(1) << bits) - 1))) {
            fb_put_le64(at, word | print << slot * bits);
            return true;
        }
    return false;
}

/* One that stands there goes, chosen by chance. */
static inline uint64_t push_out(uint8_t *bytes, uint32_t bucket, uint64_t print, unsigned slot,
                                unsigned bits)
{
    const uint64_t word = read_bucket(bytes, bucket, bits),
                   victim = word >> slot * bits & ((UINT64_C(1) << bits) - 1);
    fb_put_le64(bytes + (size_t)bucket * (bits / 2), word ^ (victim ^ print) << slot * bits);
    return victim;
}

__attribute__((always_inline)) static inline enum fb_err
build_cuckoo(const struct fb_filter *like, const uint64_t *digests, size_t n, struct fb_filter *out,
             unsigned bits)
{
    enum { MOST_MOVES = 500 };
    uint32_t buckets = 1;
    while ((double)buckets * 4 * 0.96 < (double)n)
        buckets *= 2;
    *out = *like;
    out->n_keys = n;
    out->geom.own[FB_PLACES] = buckets;
    out->geom.n_bytes = (uint64_t)buckets * (bits / 2) + 8;
    out->bytes = fb_alloc_lines(out->geom.n_bytes);
    if (!out->bytes)
        return FB_ENOMEM;
    const uint32_t mask = buckets - 1;
    uint64_t chance = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t print = digests[i] & ((UINT64_C(1) << bits) - 1);
        print += print == 0;
        uint32_t bucket = (uint32_t)(digests[i] >> 32) & mask;
        bool in = put_free(out->bytes, bucket, print, bits);
        for (unsigned move = 0; !in && move < MOST_MOVES; move++) {
            bucket = (bucket ^ (uint32_t)print * UINT32_C(0x5BD1E995)) & mask;
            in = put_free(out->bytes, bucket, print, bits);
            if (in)
                break;
            chance = chance * UINT64_C(6364136223846793005) + 1;
            print = push_out(out->bytes, bucket, print, (unsigned)(chance >> 62), bits);
        }
        if (!in)
            return FB_EFULL;
    }
    return FB_OK;
}

static enum fb_err build_cuckoo_12(const struct fb_filter *like, const uint64_t *digests, size_t n,
                                   struct fb_filter *out)
{
    return build_cuckoo(like, digests, n, out, 12);
}

static enum fb_err build_cuckoo_16(const struct fb_filter *like, const uint64_t *digests, size_t n,
                                   struct fb_filter *out)
{
    return build_cuckoo(like, digests, n, out, 16);
}

fb_peer_build *fb_peer_build_of(const char *design)
{
    static const struct {
        const char *design;
        fb_peer_build *build;
    } peers[] = {{"leveldb", build_leveldb},     {"xor-8", build_xor},
                 {"xor-16", build_xor},          {"fuse-8", build_fuse},
                 {"fuse-16", build_fuse},        {"cuckoo-12", build_cuckoo_12},
                 {"cuckoo-16", build_cuckoo_16}, {NULL, NULL}};
    size_t i = 0;
    while (peers[i].design && strcmp(peers[i].design, design))
        i++;
    return peers[i].build;
}
