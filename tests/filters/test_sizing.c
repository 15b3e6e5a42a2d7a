/* Size rules and reader rules of the scattered designs that no golden vector pins. */
#include "tests/unit.h"

#include "filters/core/filter.h"
#include "harness/filter/bits_taken.h"
#include "tests/golden.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

TEST(sizes_and_probes)
{
    static const struct {
        const char *design;
        double bits, rate;
        uint64_t n, m;
        uint32_t k;
    } rows[] = {
        /* k stops at 30 where the real system stops it */
        {"nori", 43, 0, 100, 4300, 30},
        {"nori", 44, 0, 100, 4400, 30},
        {"nori", 50, 0, 100, 5000, 30},
        {"nori-disk", 44, 0, 100, 4400, 31},
        {"nori-disk", 50, 0, 100, 5000, 35},
        {"nori-pow2", 50, 0, 100, 8192, 35},
        {"bloom-independent", 50, 0, 100, 5000, 30},
        {"course", 50, 0, 100, 5000, 30},
        {"leveldb", 43, 0, 100, 4304, 29},
        {"leveldb", 44, 0, 100, 4400, 30},
        {"leveldb", 50, 0, 100, 5000, 30},
        {"leveldb", 1, 0, 100, 104, 1},
        {"leveldb", 13, 0, 100, 1304, 8}, /* 0.69 of 13, not ln 2 of them */
        /* LevelDB has 64 bits at least and whole bytes */
        {"leveldb", 10, 0, 0, 64, 6},
        {"leveldb", 10, 0, 6, 64, 6},
        {"leveldb", 10, 0, 7, 72, 6},
        /* a power of two stays, one bit more doubles */
        {"nori-pow2", 8, 0, 1024, 8192, 6},
        {"nori-pow2", 8, 0, 1025, 16384, 6},
        {"nori-pow2", 1, 0, 1, 1, 1},
        {"nori-pow2", 10, 0, 0, 0, 7},
        /* fractions of a bit count where the design is ours... */
        {"bloom-double", 10.5, 0, 1001, 10510, 8},
        {"bloom-double-32", 0.5, 0, 7, 3, 1},
        /* ... and for k alone in fjall-3 */
        {"fjall-3", 8.7, 0, 1000, 8000, 6},
        {"fjall-3", 8, 0, 1000, 8000, 5},
        {"fjall-2", 10, 0, 1000, 10000, 6},
        {"fjall-2", 1, 0, 9, 16, 1},
        /* one probe fewer than k, whole lines */
        {"fjall-blocked", 10, 0, 1000, 10240, 5},
        {"fjall-blocked", 1, 0, 513, 1024, 0},
        {"bloom-enhanced", 10.5, 0, 1001, 10510, 8},
        {"bloom-enhanced", 10, 0, 6, 64, 7},
        {"bloom-64", 10, 0, 100, 1024, 5},
        {"counting", 40, 0, 100, 4000, 7},
        /* no fewer bits than 1.23 slots have: 32 and 123 in three segments */
        {"xor-8", 9.84, 0, 100, 51 * 3 * 8, 3},
        /* segments of 2^18 slots at most: 1.125 slots a key are 859 of them */
        {"fuse-8", 9.01, 0, 200000000, UINT64_C(859) << 21, 3},
        {"bloom-64", 60.8, 0, 0, 64, 10},
        /* single precision: double would give 37984, 30800, 16777224 */
        {"fjall-1", 0, 0.01, 3962, 37976, 10},
        {"fjall-2", 0, 0.01, 3962, 37976, 6},
        {"fjall-3", 0, 0.01, 3962, 37976, 6},
        {"fjall-1", 0, 0.1, 6425, 30792, 4},
        {"fjall-3", 0, 0.1, 6425, 30792, 2},
        {"fjall-2", 1, 0, 16777217, 16777216, 1},
        /* the table of lsm-tree 1: strictly above */
        {"fjall-1", 0, 0.5, 1000, 1448, 1},
        {"fjall-1", 0, 0.4, 1000, 1912, 2},
        {"fjall-1", 0, 0.0100001, 1000, 9592, 7},
        {"fjall-1", 0, 0.00001, 1000, 23968, 20},
        /* rates below the least one: 1e-6, and 1e-7 from version 3 on */
        {"fjall-1", 0, 1e-9, 1000, 28760, 20},
        {"fjall-2", 0, 1e-9, 1000, 28760, 19},
        {"fjall-3", 0, 1e-9, 1000, 33552, 22},
        /* whole blocks: 1000 and 2000 bits are 4 of 256 and 2 or 4 of 512; 1024 and 1025 */
        {"sbbf-256", 10, 0, 100, 1024, 8},
        {"sbbf-256", 10.24, 0, 100, 1024, 8},
        {"sbbf-256", 10.25, 0, 100, 1280, 8},
        {"sbbf-256-libfilter", 10.25, 0, 100, 1280, 8},
        {"sbbf-512-lanes", 10, 0, 100, 1024, 8},
        {"sbbf-512-lanes", 10.24, 0, 100, 1024, 8},
        {"sbbf-512-lanes", 10.25, 0, 100, 1536, 8},
        {"sbbf-512-lanes", 10, 0, 0, 512, 8},
        {"sbbf-512-pow2", 10, 0, 200, 2048, 8},
        {"sbbf-512-pow2", 10, 0, 205, 4096, 8},
        {"rocksdb-fastlocal", 10, 0, 100, 1024, 6},
        {"rocksdb-fastlocal", 10.24, 0, 100, 1024, 7},
        {"rocksdb-fastlocal", 10.25, 0, 100, 1536, 7},
        {"rocksdb-fastlocal", 10, 0, 0, 0, 6},
        /* bits are whole, k is 0.69 of them, lines are odd: 2 are 3, 3 stay */
        {"rocksdb-legacy", 10, 0, 0, 0, 6},
        {"rocksdb-legacy", 10, 0, 51, 512, 6},
        {"rocksdb-legacy", 10, 0, 52, 1536, 6},
        {"rocksdb-legacy", 10, 0, 153, 1536, 6},
        {"rocksdb-legacy", 10, 0, 154, 2560, 6},
        {"rocksdb-legacy", 9.4999, 0, 153, 1536, 6}, /* thousandths first: 9.500, then 10 */
        {"rocksdb-legacy", 9.4994, 0, 171, 2560, 6},
        {"rocksdb-legacy", 0.6, 0, 512, 512, 1},
        {"rocksdb-legacy", 50, 0, 100, 5632, 30},
        {"rocksdb-legacy", 100, 0, UINT64_C(1) << 30, 4294967296 - 512 * 127, 30},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fb_params params = {.bits_per_key = rows[i].bits, .fpr = rows[i].rate};
        struct fb_geometry geom;
        const char *why;
        const struct fb_design *design = fb_design_find(rows[i].design);
        assert_int_equal(fb_design_plan(design, &params, rows[i].n, &geom, &why), FB_OK);
        if (geom.n_bits != rows[i].m || geom.probes != rows[i].k)
            fail_msg("%s, %g bits, rate %g, n %d: m %d, k %d; %d, %d expected", rows[i].design,
                     rows[i].bits, rows[i].rate, (int)rows[i].n, (int)geom.n_bits, (int)geom.probes,
                     (int)rows[i].m, (int)rows[i].k);
        assert_int_equal(geom.n_bytes, (geom.n_bits + 7) / 8);
    }
}

TEST(what_the_real_systems_refuse)
{
    static const struct {
        const char *design;
        struct fb_params params;
        uint64_t n;
    } rows[] = {
        {"course", {.bits_per_key = 10}, 0},
        {"fjall-1", {.fpr = 0.01}, 0},
        {"fjall-2", {.bits_per_key = 10}, 0},
        {"fjall-blocked", {.bits_per_key = 10}, 0},
        {"fjall-3", {.bits_per_key = 10}, 0},
        {"fjall-3", {.bits_per_key = 0.9}, 1000},
        {"fjall-1", {.fpr = 1 - 1e-12}, 1000},
        {"nori", {.bits_per_key = 9.5}, 1000},
        {"leveldb", {.bits_per_key = 9.5}, 1000},
        {"fjall-2", {.bits_per_key = 9.5}, 1000},
        {"fjall-blocked", {.bits_per_key = 9.5}, 1000},
        {"nori", {.bits_per_key = 10, .probes = 31}, 9},
        {"leveldb", {.bits_per_key = 10, .probes = 31}, 9},
        {"cuckoo-12",
         {.fpr = 2.25e-4},
         1000}, /* 8 load / 4095: 0.115 of the slots would be taken */
        {"sbbf-256", {.bits_per_key = 256}, UINT64_C(1) << 31}, /* 2^31 blocks */
        {"sbbf-256-libfilter", {.bits_per_key = 256}, UINT64_C(1) << 31},
        {"sbbf-512-lanes", {.bits_per_key = 512}, UINT64_C(1) << 31},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(
            fb_design_plan(fb_design_find(rows[i].design), &rows[i].params, rows[i].n, &geom, &why),
            FB_EINVAL);
        assert_non_null(why);
    }
}

/* bloom-64 has the number of probes that its formula likes best. */
TEST(words_have_the_best_probes)
{
    const struct fb_design *design = fb_design_find("bloom-64");
    struct fb_params many = {.bits_per_key = 10, .probes = 11};
    struct fb_geometry geom;
    const char *why;
    assert_int_equal(fb_design_plan(design, &many, 1000, &geom, &why), FB_EINVAL);
    for (double bits = 1; bits <= 70; bits += 0.5) {
        const struct fb_params params = {.bits_per_key = bits};
        assert_int_equal(fb_design_plan(design, &params, 1000, &geom, &why), FB_OK);
        const double rate = fb_blocked_fpr_limit(bits, 64, geom.probes);
        if (geom.probes > 1)
            assert_true(rate <= fb_blocked_fpr_limit(bits, 64, geom.probes - 1));
        if (geom.probes < 10)
            assert_true(rate <= fb_blocked_fpr_limit(bits, 64, geom.probes + 1));
    }
}

TEST(probes_can_be_chosen)
{
    static const char *const designs[] = {"nori",    "nori-disk", "nori-pow2",
                                          "leveldb", "course",    "fjall-1",
                                          "fjall-2", "fjall-3",   "bloom-independent"};
    for (size_t i = 0; i < COUNT_OF(designs); i++) {
        const struct fb_design *design = fb_design_find(designs[i]);
        bool by_bits = design->traits & FB_SIZES_BY_BITS;
        const struct fb_params params = {
            .bits_per_key = by_bits ? 10 : 0, .fpr = by_bits ? 0 : 0.01, .probes = 3};
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_design_plan(design, &params, 1000, &geom, &why), FB_OK);
        assert_int_equal(geom.probes, 3);
    }
}

TEST(thirty_probes_are_not_too_many)
{
    static const char *const designs[] = {"nori", "leveldb", "course", "rocksdb-fastlocal"};
    for (size_t i = 0; i < COUNT_OF(designs); i++) {
        const struct fb_params params = {.bits_per_key = 10, .probes = 30};
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_design_plan(fb_design_find(designs[i]), &params, 1000, &geom, &why),
                         FB_OK);
        assert_int_equal(geom.probes, 30);
    }
}

/* A design that is sized by rate takes the smallest filter with at least the bits that were asked
 * for: exactly those where they fill its blocks. */
TEST(bits_become_the_smallest_filter)
{
    static const struct {
        const char *design;
        uint64_t n;
        double bits;
        uint64_t n_bits;
    } rows[] = {
        {"sbbf-512", 512, 10, 5120}, {"sbbf-512", 513, 10, 5632}, {"sbbf-512", 51200, 8, 409600},
        {"fjall-1", 1000, 8, 8000},  {"fjall-1", 1001, 8, 8008},  {"fjall-1", 1001, 9.5, 9512},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fb_design *design = fb_design_find(rows[i].design);
        struct fb_params params = {.bits_per_key = rows[i].bits};
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_params_plan(design, rows[i].n, &params, &geom, &why), FB_OK);
        if (geom.n_bits != rows[i].n_bits)
            fail_msg("row %zu, %s: %d bits, %d expected", i, rows[i].design, (int)geom.n_bits,
                     (int)rows[i].n_bits);
        assert_true(params.bits_per_key == 0 && params.fpr > 0);
    }
}

/* A rate becomes the fewest bits per key whose predicted rate reaches it: one step fewer does not.
 */
TEST(rates_become_the_fewest_bits)
{
    static const struct {
        const char *design;
        double rate, step;
    } rows[] = {{"nori", 0.01, 1},
                {"leveldb", 0.02, 1},
                {"bloom-independent", 0.01, 0.002},
                {"sbbf-512-lanes", 1e-3, 0.002},
                {"rocksdb-fastlocal", 0.01, 0.002}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fb_design *design = fb_design_find(rows[i].design);
        struct fb_params params = {.fpr = rows[i].rate}, fewer;
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_params_plan(design, 1000, &params, &geom, &why), FB_OK);
        assert_true(params.fpr == 0 && design->fpr(&geom, 1000) <= rows[i].rate);
        fewer = params;
        fewer.bits_per_key -= rows[i].step;
        assert_int_equal(fb_design_plan(design, &fewer, 1000, &geom, &why), FB_OK);
        if (!(design->fpr(&geom, 1000) > rows[i].rate))
            fail_msg("%s: %.9g bits are not the fewest", rows[i].design, params.bits_per_key);
    }
}

/* No filter is planned from a rate by a design that takes bits, or the reverse. */
TEST(unresolved_params_are_refused)
{
    for (size_t i = 0; i < fb_n_designs(); i++) {
        const struct fb_design *design = fb_design_at(i);
        const struct fb_params asked[] = {{.bits_per_key = fb_bits_taken(design, 10)},
                                          {.fpr = 0.01}};
        for (size_t way = 0; way < 2; way++) {
            struct fb_params params = asked[way];
            struct fb_geometry direct, geom;
            const char *why;
            const bool takes =
                design->traits & (FB_CONTROL | (way ? FB_SIZES_BY_RATE : FB_SIZES_BY_BITS));
            const enum fb_err err = fb_design_plan(design, &params, 1000, &direct, &why);
            if (err != (takes ? FB_OK : FB_EINVAL))
                fail_msg("%s, way %zu: %s", design->name, way, fb_err_text(err));
            assert_true(takes == !why);
            assert_int_equal(fb_params_plan(design, 1000, &params, &geom, &why), FB_OK);
            if (takes)
                assert_int_equal(geom.n_bits, direct.n_bits);
            assert_int_equal(fb_design_plan(design, &params, 1000, &direct, &why), FB_OK);
            assert_int_equal(geom.n_bits, direct.n_bits);
        }
    }
}

/* With a hash of the user's: word i is its value under seed i, or mixed from the first word. */
TEST(words_of_another_hash)
{
    const uint64_t offset[] = {0, 5, 12};
    const struct fb_keys keys = {
        .bytes = (const uint8_t *)"firstseconds", .offset = offset, .n = 2};
    const struct fb_design *design = fb_design_find("bloom-independent");
    const struct fb_hash *seeded = fb_hash_find("murmur64a"), *unseeded = fb_hash_find("fnv1a");
    uint64_t words[6];
    assert_int_equal(fb_digest_keys(design, seeded, 3, &keys, words), FB_OK);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(words[3 + i], seeded->hash("seconds", 7, i));
    assert_int_equal(fb_digest_keys(design, unseeded, 3, &keys, words), FB_OK);
    assert_int_equal(words[0], unseeded->hash("first", 5, 0));
    assert_int_equal(words[3], unseeded->hash("seconds", 7, 0));
    for (unsigned i = 1; i < 3; i++)
        assert_int_equal(words[3 + i], fb_mix64(words[3] + i));

    /* Single keys go the same way. */
    const struct fb_params params = {.bits_per_key = 10, .capacity = 2};
    const struct fb_keys one = {.bytes = keys.bytes, .offset = offset, .n = 1};
    closed_by(fb_filter_close) struct fb_filter both, added;
    const char *why;
    assert_int_equal(fb_filter_build(design, seeded, &params, &keys, &both, &why), FB_OK);
    assert_int_equal(fb_filter_build(design, seeded, &params, &one, &added, &why), FB_OK);
    assert_false(fb_filter_maybe(&added, "seconds", 7));
    assert_int_equal(fb_filter_add(&added, "seconds", 7), FB_OK);
    assert_true(fb_filter_maybe(&added, "seconds", 7));
    assert_memory_equal(added.bytes, both.bytes, both.geom.n_bytes);
}

/* What a reader makes of a block: refusal, or its answers for two digests. */
enum answer { REFUSES, NO, YES, MIXED };

static enum answer answers(const char *name, const uint8_t *block, size_t len)
{
    const struct fb_design *design = fb_design_find(name);
    const char *why;
    closed_by(fb_filter_close) struct fb_filter filter = {0};
    /* Positions 0 and 1 of any m above 1, by a step that is a multiple of every m here. */
    const uint64_t at_0[] = {0, 0}, at_1[] = {1, 0};
    if (fb_filter_read(design, design->formats, block, len, &filter, &why))
        return REFUSES;
    bool first = filter.kernel->query(&filter, at_0), second = filter.kernel->query(&filter, at_1);
    return first != second ? MIXED : first ? YES : NO;
}

TEST(readers_answer_as_the_real_ones)
{
    static const struct {
        const char *design;
        uint8_t block[28];
        size_t len;
        enum answer answer;
    } rows[] = {
        {"leveldb", {0}, 0, NO},
        {"leveldb", {6}, 1, NO},
        {"leveldb", {0x00, 6}, 2, NO},
        {"leveldb", {0xFF, 6}, 2, YES},
        {"leveldb", {0x01, 1}, 2, MIXED},
        {"leveldb", {0x00, 0}, 2, YES}, /* no probe to fail */
        {"leveldb", {0x00, 30}, 2, NO},
        {"leveldb", {0x00, 31}, 2, YES}, /* a future encoding */
        {"leveldb", {0x00, 127}, 2, YES},
        {"leveldb", {0x00, 128}, 2, YES}, /* a negative char, widened */
        {"leveldb", {0x00, 255}, 2, YES},
        {"nori-disk", {1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0}, 12, REFUSES},
        {"nori-disk", {1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x01}, 13, MIXED},
        {"nori-disk",
         {1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x01, 9},
         14,
         MIXED}, /* more is ignored */
        {"nori-disk", {0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x00}, 13, YES},
        {"nori-disk", {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 12, NO},
        {"nori-disk", {1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0x01}, 13, MIXED},
        {"nori-pow2", {1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0x01}, 13, REFUSES},
        {"nori-pow2", {1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x01}, 13, MIXED},
        {"nori-pow2", {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 12, NO},
        {"course", {0, 0, 0, 0, 7, 0, 0, 0}, 8, REFUSES},
        {"course", {8, 0, 0, 0, 1, 0, 0, 0, 0x01}, 9, MIXED},
        {"fjall-1", "FJLLSBF1\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\1\x80", 26, MIXED},
        {"fjall-1", "FJLLSBF2\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\1\x80", 26, REFUSES},
        {"fjall-1", "FJLLSBF1\0\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0\1\x80", 26, REFUSES},
        {"fjall-1", "FJLLSBF1\0\0\0\0\0\0\0\0\x00\0\0\0\0\0\0\0\1\x80", 26, REFUSES},
        {"fjall-2", "LSM\2\0\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\1\x80", 23, MIXED},
        {"fjall-2", "LSM\2\0\1\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\1\x80", 23, REFUSES},
        {"fjall-3", "LSM\3\0\0\x08\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x80", 23, MIXED},
        {"fjall-3", "LSM\3\0\0\x08\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x80", 22, REFUSES},
        {"fjall-3", "LSM\3\1\0\x08\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x80", 23, REFUSES},
        {"exact", {0}, 0, NO},
        {"exact", {1, 0, 0, 0, 0, 0, 0, 0}, 8, MIXED},
        {"exact", {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 16, REFUSES},
        {"exact", {1, 0, 0, 0, 0, 0, 0}, 7, REFUSES},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum answer got = answers(rows[i].design, rows[i].block, rows[i].len);
        if (got != rows[i].answer)
            fail_msg("row %zu, %s: answer %d, %d expected", i, rows[i].design, (int)got,
                     (int)rows[i].answer);
    }
}

/* fb_mod and its kin of 32 bits against the operator, at the places where a quotient can be one
 * off. */
TEST(reduction_is_exact)
{
    uint64_t random = 3;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t m = golden_splitmix64(&random) >> golden_splitmix64(&random) % 64;
        uint64_t multiple = m ? golden_splitmix64(&random) / m * m : 0;
        if (i < 64)
            m = UINT64_C(1) << i;
        if (m == 0)
            continue;
        const struct fb_divisor d = fb_divisor_of(m);
        const uint64_t xs[] = {0,
                               m - 1,
                               m,
                               m + 1,
                               UINT64_MAX,
                               multiple,
                               multiple - 1,
                               multiple + 1,
                               golden_splitmix64(&random)};
        for (size_t j = 0; j < COUNT_OF(xs); j++) {
            assert_int_equal(fb_mod(xs[j], d), xs[j] % m);
            if (m >= 2)
                assert_int_equal(fb_mod32(fb_lo32(xs[j]), d), fb_lo32(xs[j]) % m);
            if (m <= UINT64_C(1) << 32)
                assert_int_equal(fb_mod32_short(fb_lo32(xs[j]), d), fb_lo32(xs[j]) % m);
        }
        for (unsigned j = 0; j < 4 && m >= 2; j++) {
            uint32_t x = (uint32_t)(UINT32_MAX / m * m - j);
            assert_int_equal(fb_mod32(x, d), x % m);
            if (m <= UINT64_C(1) << 32)
                assert_int_equal(fb_mod32_short(x, d), x % m);
        }
    }
}

TESTS(NULL, NULL)
