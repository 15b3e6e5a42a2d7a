/*
 * leveldb-library: LevelDB's own Bloom filter policy, asked through its public C++ header.
 *
 *     block: what CreateFilter appended: the bits, then one byte k
 *
 * A plugin: build it with the rest where CMake finds a C++ compiler and LevelDB (Debian:
 * libleveldb-dev), or alone:
 *
 *     c++ -std=c++20 -O3 -fPIC -fvisibility=hidden -shared leveldb_library.cc -lleveldb \
 *         $(pkg-config --cflags --libs filterbench-filters) -o leveldb_library.so
 *
 * It stands for what a caller of the library pays: a virtual call for each question, which hashes
 * the key anew. The library has no batches, adds no keys later, takes none out, chooses the number
 * of probes, and sizes a filter by the keys it is given. A capacity above their number is therefore
 * reached by giving the last key again; one below it is not kept. Source: google/leveldb
 * util/bloom.cc, as it is installed; filters/leveldb.c is the same design, written anew.
 */
#include <climits>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include "filters/core/key_digest.h"
#include "filters/core/plugin.h"
#include "filters/core/scattered.h"

namespace
{

enum { BITS, WORDS = 9 }; /* own word 0; keys of at most 64 bytes */

/* Which k a filter has stands in its block: any policy answers for it. */
const leveldb::FilterPolicy *const policy = leveldb::NewBloomFilterPolicy(10);

leveldb::Slice key_of(const uint64_t *digest)
{
    size_t len;
    const uint8_t *key = fb_key_of_digest(digest, WORDS, &len);
    return {reinterpret_cast<const char *>(key), len};
}

/* ---- Sizes ---- */

void settle(struct fb_geometry *geom, uint64_t n_bytes)
{
    geom->digest_words = WORDS;
    geom->n_bytes = n_bytes;
    geom->n_bits = n_bytes > 1 ? 8 * (n_bytes - 1) : 0;
}

enum fb_err plan(const struct fb_params *params, uint64_t n_keys, struct fb_geometry *geom,
                 const char **why)
{
    const uint64_t bits_per_key = static_cast<uint64_t>(params->bits_per_key);
    if (params->probes) {
        *why = "the library chooses the number of probes";
        return FB_EINVAL;
    }
    if (n_keys > INT_MAX) {
        *why = "the library takes at most 2147483647 keys";
        return FB_EINVAL;
    }
    const uint64_t bits = n_keys * bits_per_key;
    const double probes = params->bits_per_key * 0.69;
    settle(geom, ((bits < 64 ? 64 : bits) + 7) / 8 + 1);
    geom->probes = probes < 1 ? 1 : probes > 30 ? 30 : static_cast<uint32_t>(probes);
    geom->own[BITS] = bits_per_key;
    return FB_OK;
}

/* As of filters/leveldb.c: the part that has a formula. */
double fpr(const struct fb_geometry *geom, uint64_t n_keys)
{
    return fb_either(fb_scattered_fpr(geom, n_keys), fb_hash_collision(n_keys, 32));
}

/* ---- Building ---- */

/* Allocates through the count of a build. */
template <typename T> struct counted {
    using value_type = T;
    struct fb_heap *heap;

    T *allocate(size_t n)
    {
        void *taken = fb_heap_take(heap, n * sizeof(T));
        if (!taken)
            throw std::bad_alloc();
        return static_cast<T *>(taken);
    }
    void deallocate(T *taken, size_t n)
    {
        fb_heap_give(heap, taken, n * sizeof(T));
    }
    bool operator==(const counted &other) const
    {
        return heap == other.heap;
    }
};

enum fb_err take_bytes(const char *block, size_t len, struct fb_filter *out)
{
    uint8_t *bytes = static_cast<uint8_t *>(fb_alloc_lines(len));
    if (!bytes)
        return FB_ENOMEM;
    if (len)
        std::memcpy(bytes, block, len);
    free(out->bytes);
    out->bytes = bytes;
    if (len != out->geom.n_bytes) { /* more keys came than it was planned for */
        settle(&out->geom, len);
        out->geom.range = fb_divisor_of(out->geom.n_bits);
    }
    return FB_OK;
}

enum fb_err build(struct fb_build *b, struct fb_filter *out)
{
    try {
        const size_t capacity = out->params.capacity;
        const leveldb::FilterPolicy *sized =
            leveldb::NewBloomFilterPolicy(static_cast<int>(out->geom.own[BITS]));
        std::vector<leveldb::Slice, counted<leveldb::Slice>> keys(b->n,
                                                                  counted<leveldb::Slice>{b->heap});
        std::string block;
        for (size_t i = 0; i < b->n; i++)
            keys[i] = key_of(b->digests + i * WORDS);
        if (b->n && b->n < capacity)
            keys.resize(capacity, keys.back());
        sized->CreateFilter(keys.data(), static_cast<int>(keys.size()), &block);
        delete sized;
        fb_heap_hold(b->heap, block.capacity());
        const enum fb_err err = take_bytes(block.data(), block.size(), out);
        fb_heap_drop(b->heap, block.capacity());
        return err;
    } catch (const std::bad_alloc &) {
        return FB_ENOMEM;
    }
}

/* ---- Asking ---- */

inline bool probe(const struct fb_filter *f, const uint64_t *digest)
{
    const leveldb::Slice block(reinterpret_cast<const char *>(f->bytes), f->geom.n_bytes);
    return policy->KeyMayMatch(key_of(digest), block);
}

#define FB_LOOPS       scalar
#define FB_LOOPS_ISA   FB_ISA_SCALAR
#define FB_LOOPS_WORDS WORDS
#define FB_LOOPS_STYLE "library"
#define FB_LOOPS_STATIC
#include "filters/core/loops.inc"

const struct fb_kernel *const kernels[] = {&scalar_kernel, nullptr};

/* ---- Blocks ---- */

uint64_t block_size(const struct fb_filter *f)
{
    return f->geom.n_bytes;
}

void block_encode(const struct fb_filter *f, uint8_t *block)
{
    std::memcpy(block, f->bytes, f->geom.n_bytes);
}

enum fb_err block_read(const struct fb_design *design, const uint8_t *block, size_t len,
                       struct fb_filter *out, const char **why)
{
    struct fb_geometry geom = {};
    (void)why;
    settle(&geom, len);
    geom.probes = len > 1 ? block[len - 1] : 0;
    const enum fb_err err = fb_filter_alloc(design, &geom, out);
    if (!err && len)
        std::memcpy(out->bytes, block, len);
    return err;
}

const struct fb_format formats[] = {
    {"leveldb", "what CreateFilter appends", block_size, block_encode, block_read},
    {},
};

/* ---- The design, and the plugin ---- */

const char *const own[] = {"bits_per_key", nullptr};

const struct fb_design design = {
    .name = "leveldb-library",
    .summary = "LevelDB's own filter policy, through its library",
    .source = "google/leveldb util/bloom.cc, as installed",
    .caveat = "a virtual call and a hash for each question; no batches; all keys at once; keys of "
              "at most 64 bytes",
    .traits = FB_SIZES_BY_BITS | FB_INTEGER_BITS | FB_COUNTS_DUPLICATES | FB_TAKES_KEYS,
    .hash = "none: the library hashes keys itself, LevelDB hash, seed bc9f1d34",
    .digest_words = WORDS,
    .digest = fb_key_digest,
    .plan = plan,
    .fpr = fpr,
    .scheme = FB_SCHEME_ROTATE17,
    .build = build,
    .own = own,
    .formats = formats,
    .kernels = kernels,
};

const struct fb_design *const designs[] = {&design, nullptr};

const std::string revision =
    std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);

} // namespace

const struct fb_plugin_v1 fb_plugin_v1 = {
    FB_PLUGIN_HEAD,
    .name = "leveldb",
    .revision = revision.c_str(),
    .designs = designs,
};
