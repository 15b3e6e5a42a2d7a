/* Every hash against vectors of its authors or of the real systems, at every alignment, and with a
 * page behind its last byte that must not be touched. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */
#include "tests/unit.h"

#include <sys/mman.h>
#include <unistd.h>

#include "filters/hash/hash.h"
#include "filters/hash/internal/siphash.h"
#include "tests/golden.h"

#define COURSE_SUFFIX UINT32_C(0xDEADBEEF)

/* Any seed; each hash must ignore the part that it does not take. */
#define SEED UINT64_C(0x123456789ABCDEF0)

/* Lengths of the sweeps; every hash changes its ways below 1100. */
static bool interesting(size_t len)
{
    return len <= 300 || (len >= 1000 && len <= 1100);
}

enum { MAX_LEN = 8192, SWEEP_LEN = 1100 };

static void fill_key(uint8_t *key, size_t len)
{
    for (size_t i = 0; i < len; i++)
        key[i] = (uint8_t)(i * 131 + len);
}

static uint64_t registered(const char *name, const void *key, size_t len, uint64_t seed)
{
    const struct fb_hash *hash = fb_hash_find(name);
    assert_non_null(hash);
    return hash->hash(key, len, seed);
}

TEST(agrees_with_the_real_systems)
{
    json_t *document = golden_load("hashes"), *row;
    static uint8_t key[MAX_LEN], wrapped[MAX_LEN + 12];
    size_t i, n_rows = 0;
    json_array_foreach(json_object_get(document, "vectors"), i, row) {
        size_t len = (size_t)json_integer_value(json_object_get(row, "len"));
        uint64_t high, low, once, twice;
        assert_true(len <= MAX_LEN);
        fill_key(key, len);
        fb_xxh3_128(key, len, 0, &high, &low);
        fb_seahash_twice(key, len, &once, &twice);
        fb_put_le64(wrapped, len);
        memcpy(wrapped + 8, key, len);
        fb_put_le32(wrapped + 8 + len, COURSE_SUFFIX);

        assert_int_equal(registered("xxh64", key, len, 0), golden_word(row, "xxh64_seed0"));
        assert_int_equal(registered("xxh64", key, len, 1), golden_word(row, "xxh64_seed1"));
        assert_int_equal(registered("xxh3-64", key, len, 0), golden_word(row, "xxh3_64"));
        assert_int_equal(high, golden_word(row, "xxh3_128_high"));
        assert_int_equal(low, golden_word(row, "xxh3_128_low"));
        assert_int_equal(registered("xxh3-128", key, len, 0), low);
        assert_int_equal(registered("rocksdb-hash64", key, len, 0),
                         golden_word(row, "rocksdb_hash64"));
        assert_int_equal(registered("rocksdb-hash64", key, len, SEED),
                         golden_word(row, "rocksdb_hash64_seed_123456789abcdef0"));
        assert_int_equal(registered("rocksdb-hash", key, len, FB_BLOOM_HASH_SEED),
                         golden_word(row, "rocksdb_bloomhash32"));
        assert_int_equal(registered("leveldb-hash", key, len, FB_BLOOM_HASH_SEED),
                         golden_word(row, "leveldb_bloomhash32"));
        assert_int_equal(registered("siphash-1-3", wrapped, len + 8, 0),
                         golden_word(row, "seed4_hash1"));
        assert_int_equal(registered("siphash-1-3", wrapped, len + 12, 0),
                         golden_word(row, "seed4_hash2"));
        assert_int_equal(registered("seahash", key, len, 0), golden_word(row, "lsmtree112_h1"));
        assert_int_equal(once, golden_word(row, "lsmtree112_h1"));
        assert_int_equal(twice, golden_word(row, "lsmtree112_h2"));
        n_rows++;
    }
    assert_int_equal(n_rows, 311);

    fill_key(key, 20);
    json_array_foreach(json_object_get(document, "xxh64_seeds_len20"), i, row) {
        uint64_t seed = (uint64_t)json_integer_value(json_object_get(row, "seed"));
        assert_int_equal(fb_xxh64(key, 20, seed), golden_word(row, "xxh64"));
    }
    assert_int_equal(i, 30);
    json_decref(document);
}

TEST(siphash_24_matches_its_paper)
{
    uint8_t input[15];
    for (unsigned i = 0; i < sizeof input; i++)
        input[i] = (uint8_t)i;
    assert_int_equal(fb_siphash24(input, sizeof input, UINT64_C(0x0706050403020100),
                                  UINT64_C(0x0F0E0D0C0B0A0908)),
                     UINT64_C(0xA129CA6149BE45E5));
}

TEST(siphash_takes_the_seed_as_its_first_word)
{
    uint8_t key[20];
    fill_key(key, sizeof key);
    assert_int_equal(registered("siphash-1-3", key, sizeof key, SEED),
                     fb_siphash13(key, sizeof key, SEED, 0));
    assert_int_equal(registered("siphash-2-4", key, sizeof key, SEED),
                     fb_siphash24(key, sizeof key, SEED, 0));
}

TEST(siphash_is_fed_in_pieces)
{
    uint8_t key[40];
    fill_key(key, sizeof key);
    for (size_t cut = 0; cut <= sizeof key; cut++) {
        struct fb_sip s = fb_sip_start(1, 2);
        fb_sip_feed(&s, key, cut, 1);
        fb_sip_feed(&s, key + cut, sizeof key - cut, 1);
        assert_int_equal(fb_sip_finish(&s, 1, 3), fb_siphash13(key, sizeof key, 1, 2));
    }
}

TEST(published_strings)
{
    static const struct {
        const char *hash, *key;
        uint64_t seed, value;
    } rows[] = {
        {"fnv1a", "", 0, UINT64_C(0xCBF29CE484222325)},
        {"fnv1a", "a", 0, UINT64_C(0xAF63DC4C8601EC8C)},
        {"fnv1a", "foobar", 0, UINT64_C(0x85944171F73967E8)},
        /* test_vector.cpp of wyhash_final, October 2020 */
        {"wyhash", "", 0, UINT64_C(0x42BC986DC5EEC4D3)},
        {"wyhash", "a", 1, UINT64_C(0x84508DC903C31551)},
        {"wyhash", "abc", 2, UINT64_C(0x0BC54887CFC9ECB1)},
        {"wyhash", "message digest", 3, UINT64_C(0xADC146444841C430)},
        {"wyhash", "abcdefghijklmnopqrstuvwxyz", 4, UINT64_C(0x4C0977BD4F14F34A)},
        {"wyhash", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 5,
         UINT64_C(0x6F8BD609A8A276D2)},
        {"wyhash",
         "12345678901234567890123456789012345678901234567890123456789012345678901234567890", 6,
         UINT64_C(0x498D7C21668259AD)},
        /* Rules of filters/hash/words.c */
        {"identity", "", 0, 0},
        {"identity", "\x01\x02", 0, 0x0201},
        {"identity", "abcdefghabcdefgi", 0, UINT64_C(0x0100000000000000)},
        {"mix64", "\x01", 0, UINT64_C(0xB456BCFC34C2CB2C)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(registered(rows[i].hash, rows[i].key, strlen(rows[i].key), rows[i].seed),
                         rows[i].value);
}

/* SMHasher's verification value: keys {}, {0}, {0, 1}, ... {0 .. 254} under seeds 256, 255, ... 1,
 * the 256 results hashed once more; the first four bytes of that. */
static uint32_t verification(size_t width, void (*hash)(const void *, size_t, uint32_t, uint8_t *))
{
    uint8_t key[256], results[256 * 16], final[16];
    for (unsigned i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        hash(key, i, 256 - i, results + i * width);
    }
    hash(results, 256 * width, 0, final);
    return fb_le32(final);
}

static void murmur64a_bytes(const void *key, size_t len, uint32_t seed, uint8_t *out)
{
    fb_put_le64(out, registered("murmur64a", key, len, seed));
}

static void murmur3_bytes(const void *key, size_t len, uint32_t seed, uint8_t *out)
{
    uint64_t first, second;
    fb_murmur3_128(key, len, seed, &first, &second);
    assert_int_equal(registered("murmur3-128", key, len, seed), first);
    fb_put_le64(out, first);
    fb_put_le64(out + 8, second);
}

TEST(murmur_has_smhashers_verification_values)
{
    assert_int_equal(verification(8, murmur64a_bytes), 0x1F0D3804);
    assert_int_equal(verification(16, murmur3_bytes), 0x6384BA69);
}

TEST(alignment_does_not_matter)
{
    static _Alignas(64) uint8_t aligned[SWEEP_LEN], shifted[SWEEP_LEN + 16];
    for (size_t h = 0; h < fb_n_hashes(); h++) {
        const struct fb_hash *hash = fb_hash_at(h);
        for (size_t len = 0; len <= SWEEP_LEN; len++) {
            if (!interesting(len))
                continue;
            fill_key(aligned, len);
            uint64_t want = hash->hash(aligned, len, SEED);
            for (size_t shift = 1; shift < 16; shift++) {
                memcpy(shifted + shift, aligned, len);
                assert_int_equal(hash->hash(shifted + shift, len, SEED), want);
            }
        }
    }
}

/* The key ends, then starts, at a page that may not be read. */
TEST(reads_nothing_outside_the_key)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (SWEEP_LEN + page - 1) / page * page;
    uint8_t *guarded =
        mmap(NULL, room + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(guarded, MAP_FAILED);
    assert_int_equal(mprotect(guarded, page, PROT_NONE), 0);
    assert_int_equal(mprotect(guarded + page + room, page, PROT_NONE), 0);
    uint8_t *first = guarded + page, *end = first + room;
    for (size_t len = 0; len <= SWEEP_LEN; len++) {
        if (!interesting(len))
            continue;
        fill_key(first, len);
        fill_key(end - len, len);
        for (size_t h = 0; h < fb_n_hashes(); h++) {
            const struct fb_hash *hash = fb_hash_at(h);
            uint64_t behind = hash->hash(end - len, len, 1);
            fill_key(first, len);
            assert_int_equal(hash->hash(first, len, 1), behind);
            fill_key(end - len, len);
        }
    }
    munmap(guarded, room + 2 * page);
}

TEST(empty_key_may_be_null)
{
    for (size_t h = 0; h < fb_n_hashes(); h++)
        assert_int_equal(fb_hash_at(h)->hash(NULL, 0, 7), fb_hash_at(h)->hash("", 0, 7));
}

/* bits and seed_bits of the table say what the functions do. */
TEST(width_and_seeds_are_as_declared)
{
    const char *key = "a key of some length";
    for (size_t h = 0; h < fb_n_hashes(); h++) {
        const struct fb_hash *hash = fb_hash_at(h);
        uint64_t seen = 0, zero = hash->hash(key, strlen(key), 0);
        for (uint64_t len = 0; len <= 20; len++)
            seen |= hash->hash(key, len, 0);
        assert_true(hash->bits == (seen >> 32 ? 64 : 32));
        assert_true((hash->hash(key, strlen(key), 1) != zero) == (hash->seed_bits > 0));
        assert_true((hash->hash(key, strlen(key), UINT64_C(1) << 63) != zero) ==
                    (hash->seed_bits == 64));
        assert_ptr_equal(fb_hash_find(hash->name), hash);
    }
    assert_null(fb_hash_find("no-such-hash"));
}

TESTS(NULL, NULL)
