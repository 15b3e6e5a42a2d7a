/* Ribbon filters: RocksDB's sizes, seeds and second choice where no vector of RocksDB has them; the
 * equations of the homogeneous one, which has no vectors. */
#include "tests/unit.h"

#include <stdlib.h>

#include "filters/core/filter.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { BLOCKS, SHORT, SEED }; /* own words */

static const struct fb_design *rocksdb(void)
{
    return fb_design_find("rocksdb-ribbon");
}

/* Blocks and segments computed beforehand by another program from RocksDB's rules; blocks 0: a
 * FastLocalBloom of so many bytes. */
TEST(sizes)
{
    static const struct {
        double bits;
        uint64_t n, blocks, size;
    } rows[] = {
        /* slots are rounded up from 0.000000001 on, then to blocks: 257, 385, 513, 641 */
        {20, 249, 3, 39},
        {20, 375, 4, 51},
        {20, 500, 5, 64},
        {20, 625, 6, 76},
        /* below 1024 slots, what is smaller: 14 segments and 320 bytes, 224 and 320 */
        {10, 249, 0, 320},
        {10, 248, 2, 14},
        {5, 2, 0, 64},
        {1, 2, 2, 2},
        {0.5, 2, 2, 2},
        {100, 70, 0, 896},
        {100, 100, 2, 64},
        {20, 900, 8, 102},
        /* tables end at 2^17 slots; rates below 2^-32 have 32 columns; 100 bits are the most */
        {10, 126507, 1025, 6950},
        {100, 126507, 1025, 32800},
        {1000, 126507, 1025, 32800},
        {10, 1000000, 8184, 55487},
        {10, 100000000, 838390, 5684132},
        {10, 950000000, 8055224, 54612951},
        {10, 950000001, 0, 1187500032},
        /* keys on both sides of a block more, which tells a thousandth of the table's numbers */
        {10, 2629, 21, 143},
        {10, 2630, 22, 150},
        {10, 10489, 84, 570},
        {10, 10490, 85, 577},
        {10, 41462, 334, 2265},
        {10, 41463, 335, 2272},
        /* as many bytes as a FastLocalBloom; between one bit per key and two */
        {1, 375, 4, 4},
        {1.5, 5000, 40, 44},
        /* one of 127 starts that there are not; the first key's share is a half, no quarter more */
        {5, 22247, 179, 631},
        {8, 27582, 222, 1227},
        {9.5, 16039, 129, 839},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fb_params params = {.bits_per_key = rows[i].bits};
        const uint64_t bytes = rows[i].blocks ? 16 * rows[i].size : rows[i].size;
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_design_plan(rocksdb(), &params, rows[i].n, &geom, &why), FB_OK);
        if (geom.own[BLOCKS] != rows[i].blocks || geom.n_bytes != bytes)
            fail_msg("%g bits, %g keys: %d blocks, %d bytes; %d, %d expected", rows[i].bits,
                     (double)rows[i].n, (int)geom.own[BLOCKS], (int)geom.n_bytes,
                     (int)rows[i].blocks, (int)bytes);
    }
}

static void fill(uint64_t *digests, size_t n)
{
    for (size_t i = 0; i < n; i++)
        digests[i] = fb_mix64(i + 1);
}

static void all_in(const struct fb_filter *f, const uint64_t *digests, size_t n)
{
    for (const struct fb_kernel *const *k = f->design->kernels; *k; k++)
        if (fb_cpu_has((*k)->isa))
            assert_int_equal((*k)->query_each(f, digests, n), n);
}

/* The high half of the first hash rounds the number of short blocks, its lowest byte is the first
 * seed. */
TEST(the_first_key_decides)
{
    static const struct {
        uint64_t n, first, segments;
    } rows[] = {
        {7376, 0, 401}, {7376, UINT64_MAX, 401}, {7377, 0x80, 408}, {7377, UINT64_MAX - 0x40, 407},
        {7378, 0, 408}, {7379, UINT64_MAX, 407},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fb_params params = {.bits_per_key = 10};
        uint64_t *digests = calloc(rows[i].n, sizeof *digests);
        struct fb_filter f;
        const char *why;
        fill(digests, rows[i].n);
        digests[0] = rows[i].first;
        assert_int_equal(
            fb_filter_build_digests(rocksdb(), NULL, &params, digests, rows[i].n, &f, &why), FB_OK);
        assert_int_equal(f.geom.n_bytes, 16 * rows[i].segments);
        assert_int_equal(f.geom.own[SEED], (rows[i].first + f.attempts - 1) % 256);
        assert_true(f.temporary_bytes >= 24 * rows[i].n);
        all_in(&f, digests, rows[i].n);
        fb_filter_close(&f);
        free(digests);
    }
}

/* As many keys as slots: some seeds have a solution. Whichever of the keys is the first, the build
 * ends with the next of them, counted modulo 256 from the first key's lowest byte. */
TEST(seeds_count_up)
{
    enum { N = 1020 };
    const struct fb_params params = {.bits_per_key = 20, .capacity = 900};
    unsigned attempts[256], n_longer = 0;
    uint64_t digests[N];
    for (size_t first = 0; first < 256; first++) {
        struct fb_filter f;
        const char *why;
        fill(digests, N);
        for (size_t i = 0; i < N; i++)
            digests[i] = digests[i] / 256 * 256 + i % 256;
        const uint64_t other = digests[0];
        digests[0] = digests[first];
        digests[first] = other;
        assert_int_equal(fb_filter_build_digests(rocksdb(), NULL, &params, digests, N, &f, &why),
                         FB_OK);
        attempts[first] = f.attempts;
        assert_int_equal(f.geom.own[SEED], (first + f.attempts - 1) % 256);
        all_in(&f, digests, N);
        fb_filter_close(&f);
    }
    for (size_t first = 0; first < 256; first++) {
        n_longer += attempts[first] > 1;
        assert_true(attempts[first] == 1 || attempts[first] == attempts[(first + 1) % 256] + 1);
    }
    assert_true(n_longer > 100 && attempts[255] > 1);
}

/* More equations than slots contradict whatever the seed. */
TEST(falls_back_after_256_seeds)
{
    enum { N = 3000 };
    const struct fb_params params = {.bits_per_key = 10, .capacity = 1500};
    uint64_t digests[N];
    uint8_t block[1920 + 5];
    struct fb_filter f, copy;
    const char *why;
    fill(digests, N);
    assert_int_equal(fb_filter_build_digests(rocksdb(), NULL, &params, digests, N, &f, &why),
                     FB_OK);
    assert_int_equal(f.attempts, 256);
    assert_int_equal(f.geom.n_bytes, 1920); /* 1500 keys at 10 bits in lines */
    assert_int_equal(f.geom.n_blocks, 30);
    assert_true(f.geom.own[BLOCKS] == 0 && f.geom.own[SHORT] == 0 && f.geom.own[SEED] == 0);
    all_in(&f, digests, N);
    assert_int_equal(rocksdb()->formats->size(&f), sizeof block);
    assert_int_equal(fb_filter_write(&f, rocksdb()->formats, block, &why), FB_OK);
    assert_int_equal(block[1920], 0xFF);
    /* The same block as the other design's. */
    assert_int_equal(fb_filter_read(fb_design_find("rocksdb-fastlocal"), rocksdb()->formats, block,
                                    sizeof block, &copy, &why),
                     FB_OK);
    all_in(&copy, digests, N);
    fb_filter_close(&copy);
    fb_filter_close(&f);
}

/* Between two whole numbers of columns, by the share of starts that have one less. */
TEST(rate_of_short_blocks)
{
    const struct fb_geometry geom = {
        .n_bits = 8 * 16 * 23, .probes = 3, .own = {[BLOCKS] = 8, [SHORT] = 1}};
    const double share = 128.0 / (8 * 128 - 127);
    assert_true(rocksdb()->fpr(&geom, 900) == (1 + share) / 8);
    assert_true(rocksdb()->fpr(&geom, 0) == 0);
    const struct fb_geometry nothing = {.digest_words = 1},
                             bloom = {.n_bits = 512, .n_blocks = 1, .probes = 6};
    assert_true(rocksdb()->fpr(&nothing, 900) == 0);
    assert_true(rocksdb()->fpr(&bloom, 0) == 0);
    assert_true(rocksdb()->fpr(&bloom, 50) == fb_design_find("rocksdb-fastlocal")->fpr(&bloom, 50));
}

/* ---- Homogeneous ---- */

static const struct fb_design *homogeneous(void)
{
    return fb_design_find("ribbon-homogeneous");
}

/* Columns for the rate; short blocks as far as the rate allows; 1 + (4 + columns / 4) / 128 slots a
 * key and 127, in whole blocks. */
TEST(sizes_by_rate)
{
    static const struct {
        double rate;
        uint64_t n, blocks, n_short;
        uint32_t columns;
    } rows[] = {
        {0.5, 0, 0, 0, 0},
        {0.5, 1, 1, 0, 2}, /* not a whole block may be short */
        {0.25, 1, 1, 0, 3},
        {0.2, 1, 1, 0, 3},
        {0x1p-10, 1000, 10, 9, 11},   /* 10 columns but in the last block, where a start is left */
        {0x1.8p-10, 1000, 10, 4, 10}, /* half of 1153 starts are 4.5 blocks */
        {0x1p-20, 122, 3, 2, 21},     /* 9.25 / 128 more: 130 and 127 are 257 slots... */
        {0x1p-20, 121, 2, 1, 21},     /* ... and 129 and 127 are 256 */
        {0x1p-63, 1000, 11, 10, 64},
        {0x1p-64, 1000, 11, 0, 64},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct fb_params params = {.fpr = rows[i].rate};
        struct fb_geometry geom;
        const char *why;
        assert_int_equal(fb_design_plan(homogeneous(), &params, rows[i].n, &geom, &why), FB_OK);
        if (geom.own[BLOCKS] != rows[i].blocks || geom.own[SHORT] != rows[i].n_short ||
            geom.probes != rows[i].columns)
            fail_msg("rate %g, %d keys: %d blocks, %d short, %d columns", rows[i].rate,
                     (int)rows[i].n, (int)geom.own[BLOCKS], (int)geom.own[SHORT], (int)geom.probes);
        assert_true(rows[i].n == 0 || homogeneous()->fpr(&geom, rows[i].n) <= rows[i].rate + 1e-15);
    }
    const struct fb_params low = {.fpr = 0x0.8p-64};
    struct fb_geometry geom;
    const char *why = NULL;
    assert_int_equal(fb_design_plan(homogeneous(), &low, 1000, &geom, &why), FB_EINVAL);
    assert_non_null(why);
}

/* Xor of the bits of column j where the key's coefficients are 1, bit by bit. */
static bool column_of(const struct fb_geometry *geom, const uint8_t *segments, uint64_t digest,
                      uint32_t j)
{
    const uint64_t words[] = {fb_mix64(digest + UINT64_C(0x9E3779B97F4A7C15)) | 1,
                              fb_mix64(digest)};
    const uint64_t starts = geom->own[BLOCKS] * 128 - 127, start = fb_mulhi64(digest, starts);
    bool sum = false;
    for (uint64_t i = 0; i < 128; i++) {
        uint64_t segment = 0;
        for (uint64_t b = 0; b < (start + i) / 128; b++)
            segment += geom->probes - (b < geom->own[SHORT]);
        if (words[i / 64] >> i % 64 & 1)
            sum ^= fb_bit_lsb(segments + 16 * (segment + j), (start + i) % 128);
    }
    return sum;
}

/* The block's solution against every key's equation; repeated keys change nothing. */
TEST(equations_are_solved)
{
    enum { N = 700 };
    const struct fb_params params = {.fpr = 0.011};
    uint64_t digests[N], n_passed = 0;
    uint8_t block[10000];
    struct fb_filter f;
    const char *why;
    fill(digests, N);
    for (size_t i = 0; i < N; i += 7)
        digests[i] = digests[0];
    assert_int_equal(fb_filter_build_digests(homogeneous(), NULL, &params, digests, N, &f, &why),
                     FB_OK);
    assert_int_equal(f.attempts, 1);
    assert_true(f.geom.own[SHORT] > 0);
    assert_true(homogeneous()->formats->size(&f) <= sizeof block);
    assert_int_equal(fb_filter_write(&f, homogeneous()->formats, block, &why), FB_OK);
    assert_memory_equal(block, "RBH1", 4);
    assert_int_equal(fb_le32(block + 4), f.geom.own[BLOCKS]);
    all_in(&f, digests, N);
    for (size_t i = 0; i < 2 * N; i++) {
        const uint64_t digest = i < N ? digests[i] : fb_mix64(i + 1);
        const uint64_t at = fb_mulhi64(digest, f.geom.own[BLOCKS] * 128 - 127) / 128;
        bool passes = true;
        for (uint32_t j = 0; j < f.geom.probes - (at < f.geom.own[SHORT]); j++)
            passes &= !column_of(&f.geom, block + 8, digest, j);
        assert_true(passes || i >= N);
        assert_int_equal(f.kernel->query(&f, &digest), passes);
        n_passed += passes;
    }
    assert_true(n_passed >= N && n_passed < N + 40);
    fb_filter_close(&f);
}

/* More keys than slots: equations that follow from others, and a filter that answers yes. */
TEST(never_fails)
{
    enum { N = 3000 };
    const struct fb_params params = {.fpr = 0.01, .capacity = 100};
    uint64_t digests[N];
    struct fb_filter f;
    const char *why;
    fill(digests, N);
    assert_int_equal(fb_filter_build_digests(homogeneous(), NULL, &params, digests, N, &f, &why),
                     FB_OK);
    assert_int_equal(f.geom.own[BLOCKS], 2);
    all_in(&f, digests, N);
    fb_filter_close(&f);
}

TESTS(NULL, NULL)
