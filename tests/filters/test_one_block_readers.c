/* What the readers of the one-block designs make of blocks with one thing changed. */
#include "tests/unit.h"

#include "filters/core/filter.h"
#include "tests/golden.h"

enum { MAX_BLOCK = 256 };

enum answer {
    PROBES,  /* a filter of n_blocks blocks */
    NO,      /* to everything */
    YES,     /* to everything */
    CORRUPT, /* the real reader fails */
    OTHER,   /* a block of another design */
};

struct edit {
    size_t len; /* of the block, shortened or lengthened by zeros */
    size_t at;  /* this byte becomes value */
    uint8_t value;
    enum answer answer;
    uint64_t n_blocks;
};

static void check_edits(const char *design_name, const char *format_name, const uint8_t *valid,
                        size_t n_valid, const struct edit *edits, size_t n)
{
    const struct fb_design *design = fb_design_find(design_name);
    const struct fb_format *format = fb_format_find(design, format_name);
    static const enum fb_err errors[] = {FB_OK, FB_OK, FB_OK, FB_ECORRUPT, FB_EUNSUPPORTED};
    assert_non_null(format);
    for (size_t i = 0; i < n; i++) {
        uint8_t block[MAX_BLOCK] = {0};
        closed_by(fb_filter_close) struct fb_filter filter;
        const char *why;
        memcpy(block, valid, n_valid);
        block[edits[i].at] = edits[i].value;
        enum fb_err err = fb_filter_read(design, format, block, edits[i].len, &filter, &why);
        if (err != errors[edits[i].answer])
            fail_msg("%s, %s, row %zu: %s (%s)", design_name, format_name, i, fb_err_text(err),
                     why ? why : "no reason");
        if (err)
            assert_non_null(why);
        else if (edits[i].answer == PROBES)
            assert_int_equal(filter.geom.n_blocks, edits[i].n_blocks);
        if (!err) {
            assert_int_equal(filter.kernel == &fb_kernel_yes, edits[i].answer == YES);
            assert_int_equal(filter.kernel == &fb_kernel_no, edits[i].answer == NO);
        }
    }
}

#define CHECK(design, format, valid, edits)                                                        \
    check_edits(design, format, valid, sizeof(valid), edits, sizeof(edits) / sizeof *(edits))

/* Implementation byte -1, sub-implementation 0, six probes, two zeros. */
TEST(rocksdb)
{
    static const uint8_t valid[69] = {[64] = 0xFF, [66] = 6};
    static const struct edit edits[] = {
        {69, 0, 0, PROBES, 1},    {69, 66, 1, PROBES, 1}, {69, 66, 30, PROBES, 1},
        {0, 0, 0, NO, 0},         {4, 0, 0, NO, 0},       {5, 0, 0xFF, NO, 0},
        {69, 64, 0, YES, 0},                              /* the name for "always yes" */
        {69, 64, 0xFE, OTHER, 0},                         /* -2: Ribbon */
        {69, 64, 1, OTHER, 0},                            /* the legacy filter's probes */
        {69, 64, 0x7F, OTHER, 0}, {69, 64, 0xFD, YES, 0}, /* -3 and below: the future */
        {69, 64, 0x80, YES, 0},   {69, 65, 1, YES, 0},    /* another sub-implementation */
        {69, 66, 0x26, YES, 0},                           /* 128-byte lines */
        {69, 66, 0, YES, 0},      {69, 66, 31, YES, 0},   {69, 67, 1, YES, 0},
        {69, 68, 1, YES, 0},
    };
    CHECK("rocksdb-fastlocal", "rocksdb", valid, edits);
    /* Lines are whole ones of what precedes the trailer; what remains is not looked at. */
    static const uint8_t longer[132] = {[127] = 0xFF, [129] = 6}, shorter[68] = {[63] = 0xFF, 0, 6};
    static const uint8_t two[80] = {0x15, 0x80, 0x01, 0x1C, 0x1C, 0, 0, 0x1C,
                                    0x1C, 0,    0,    0x1C, 0x1C, 0, 0, 0};
    static const struct edit both[] = {{80, 0, 0x15, PROBES, 2}, {79, 0, 0x15, CORRUPT, 0}};
    CHECK("sbbf-256", "parquet", two, both);
    static const struct edit whole[] = {{132, 0, 0, PROBES, 1}};
    static const struct edit none[] = {{68, 0, 0, CORRUPT, 0}};
    CHECK("rocksdb-fastlocal", "rocksdb", longer, whole);
    CHECK("rocksdb-fastlocal", "rocksdb", shorter, none);
}

/* Seed, number of blocks in 24 bits; three blocks of two columns but for the first. */
TEST(rocksdb_ribbon)
{
    static const uint8_t five[85] = {[80] = 0xFE, 7, 3};
    static const struct edit edits[] = {
        {85, 0, 0, PROBES, 0},     {85, 81, 0xFF, PROBES, 0}, {85, 82, 2, PROBES, 0},
        {85, 82, 1, YES, 0},       {85, 82, 0, YES, 0}, /* fewer than two blocks */
        {85, 82, 6, PROBES, 0},                         /* five blocks have no column... */
        {85, 84, 0xFF, PROBES, 0},                      /* ... and these hardly any */
        {0, 0, 0, NO, 0},          {5, 0, 0, NO, 0},          {85, 80, 0, YES, 0},
        {85, 80, 0xFD, YES, 0},    {85, 80, 1, OTHER, 0},
    };
    CHECK("rocksdb-ribbon", "rocksdb", five, edits);
    static const uint8_t none[20] = {[15] = 0xFE, 7, 3};
    static const struct edit no_segment[] = {{20, 0, 0, YES, 0}};
    CHECK("rocksdb-ribbon", "rocksdb", none, no_segment);
    static const uint8_t bloom[69] = {[64] = 0xFF, [66] = 6};
    static const struct edit fallback[] = {{69, 0, 0, PROBES, 1}, {69, 66, 31, YES, 0}};
    CHECK("rocksdb-ribbon", "rocksdb", bloom, fallback);
    static const uint8_t longer[96] = {[91] = 0xFE, 7, 3};
    const struct fb_design *design = fb_design_find("rocksdb-ribbon");
    closed_by(fb_filter_close) struct fb_filter f;
    const char *why;
    assert_int_equal(fb_filter_read(design, design->formats, longer, 96, &f, &why), FB_OK);
    assert_int_equal(f.geom.n_bytes, 80); /* what is no whole segment is not looked at */
    assert_int_equal(f.geom.probes, 2);
    assert_int_equal(f.geom.own[0], 3);
    assert_int_equal(f.geom.own[1], 1);
    assert_int_equal(f.geom.own[2], 7);
}

/* What precedes the bits: lines and k; k and bits; k, a zero, counters and keys. */
TEST(headers)
{
    static const uint8_t line[86] = {'L', 'S', 'M', 3, 1, 0, 1, [14] = 7};
    static const struct edit lines[] = {
        {86, 0, 'L', PROBES, 1},  {86, 14, 0, PROBES, 1},  {86, 14, 1, PROBES, 1},
        {150, 0, 'L', PROBES, 1}, /* more bytes than the lines need */
        {85, 0, 'L', CORRUPT, 0}, {86, 6, 0, CORRUPT, 0},  {86, 6, 2, CORRUPT, 0},
        {86, 5, 1, CORRUPT, 0},   {86, 17, 1, CORRUPT, 0}, {21, 0, 'L', CORRUPT, 0},
    };
    CHECK("fjall-blocked", "fjall-blocked", line, lines);
    static const uint8_t enhanced[20] = {7, [4] = 64};
    static const struct edit bits[] = {
        {20, 4, 64, PROBES, 0},  {20, 4, 63, CORRUPT, 0}, {12, 4, 0, NO, 0},
        {20, 0, 30, PROBES, 0},  {20, 0, 31, CORRUPT, 0}, {20, 0, 0, CORRUPT, 0},
        {20, 4, 65, CORRUPT, 0}, {11, 4, 0, CORRUPT, 0},
    };
    CHECK("bloom-enhanced", "enhanced", enhanced, bits);
    static const uint8_t four[26] = {7, [8] = 4, [20] = 1};
    static const struct edit counters[] = {
        {26, 0, 30, PROBES, 0}, {26, 8, 3, PROBES, 0},   {26, 4, 1, CORRUPT, 0},
        {26, 0, 0, CORRUPT, 0}, {26, 0, 31, CORRUPT, 0}, {26, 8, 5, CORRUPT, 0},
        {23, 0, 7, CORRUPT, 0},
    };
    CHECK("counting", "counters", four, counters);
    const struct fb_design *design = fb_design_find("counting");
    struct fb_filter f;
    const char *why;
    assert_int_equal(fb_filter_read(design, design->formats, four, 26, &f, &why), FB_OK);
    assert_true(f.n_keys == UINT64_C(1) << 32);
    fb_filter_close(&f);
}

/* Magic, number of blocks; from one segment on, up to 64 for each block. */
TEST(ribbon_homogeneous)
{
    static const uint8_t two[56] = {'R', 'B', 'H', '1', 2};
    static const struct edit edits[] = {
        {56, 4, 2, PROBES, 0},   {56, 4, 1, PROBES, 0},    {56, 4, 200, PROBES, 0},
        {56, 7, 255, PROBES, 0}, {56, 4, 0, CORRUPT, 0},   {8, 4, 0, NO, 0},
        {8, 4, 2, CORRUPT, 0},   {55, 4, 2, CORRUPT, 0},   {57, 4, 2, CORRUPT, 0},
        {7, 4, 2, CORRUPT, 0},   {56, 3, '2', CORRUPT, 0}, {0, 0, 0, CORRUPT, 0},
    };
    CHECK("ribbon-homogeneous", "ribbon", two, edits);
    static uint8_t many[8 + 65 * 16] = {'R', 'B', 'H', '1', 1};
    const struct fb_design *design = fb_design_find("ribbon-homogeneous");
    struct fb_filter f;
    const char *why;
    assert_int_equal(fb_filter_read(design, design->formats, many, 8 + 64 * 16, &f, &why), FB_OK);
    assert_int_equal(f.geom.probes, 64);
    fb_filter_close(&f);
    assert_int_equal(fb_filter_read(design, design->formats, many, sizeof many, &f, &why),
                     FB_ECORRUPT);
}

/* Probes, number of lines; lines of the power of two of bytes that fits. */
TEST(rocksdb_legacy)
{
    static const uint8_t three[197] = {[192] = 6, 3};
    static const struct edit edits[] = {
        {197, 0, 0, PROBES, 3},
        {197, 192, 1, PROBES, 3},
        {197, 192, 127, PROBES, 3},
        {0, 0, 0, NO, 0},
        {5, 0, 6, NO, 0},
        {197, 192, 0, YES, 0},
        {197, 192, 0x80, YES, 0},
        {197, 192, 0xFD, YES, 0},
        {197, 192, 0xFF, OTHER, 0},
        {197, 192, 0xFE, OTHER, 0},
        {197, 193, 0, YES, 0},        /* no lines */
        {197, 193, 6, PROBES, 6},     /* of 32 bytes */
        {197, 193, 192, PROBES, 192}, /* of one byte */
        {197, 193, 5, YES, 0},        /* 192 is no multiple of 5... */
        {197, 193, 4, YES, 0},        /* ... and 48 no power of two */
        {197, 193, 193, YES, 0},
        {197, 196, 4, YES, 0}, /* 2^26 + 3 lines: 3 in 32 bits */
    };
    CHECK("rocksdb-legacy", "rocksdb", three, edits);
    static const uint8_t one[133] = {[128] = 6, 1};
    static const struct edit long_line[] = {{133, 0, 0, PROBES, 1}};
    CHECK("rocksdb-legacy", "rocksdb", one, long_line);
}

/* Positions in a line of 128 bytes are the lowest ten bits of a hash, whatever the kernel. */
TEST(rocksdb_legacy_lines_of_other_builds)
{
    const struct fb_design *design = fb_design_find("rocksdb-legacy");
    uint8_t block[3 * 128 + 5] = {[384] = 2, 3};
    const uint64_t h = 1000 + 1024 * 3 * 5 + 1; /* line 2, bit 1001, then that plus delta */
    const uint32_t delta = fb_rotr32((uint32_t)h, 17);
    closed_by(fb_filter_close) struct fb_filter filter;
    const char *why;
    fb_set_bit_lsb(block + (h % 3) * 128, h % 1024);
    fb_set_bit_lsb(block + (h % 3) * 128, (h + delta) % 1024);
    assert_int_equal(fb_filter_read(design, design->formats, block, sizeof block, &filter, &why),
                     FB_OK);
    assert_int_equal(filter.geom.block_bits, 1024);
    for (const struct fb_kernel *const *k = design->kernels; *k; k++) {
        uint64_t digests[130];
        uint8_t maybe[130];
        if (!fb_cpu_has((*k)->isa))
            continue;
        for (size_t i = 0; i < 130; i++)
            digests[i] = h + i % 2;
        assert_int_equal((*k)->query_batch(&filter, digests, 130, maybe), 65);
        assert_true((*k)->query(&filter, &h));
    }
}

/* Capacity 1 and rate 1e-5 make one block. */
TEST(abloom)
{
    static const uint8_t valid[94] = {'A',  'B', 'L', 'M',  2,    0,    0,    0,    0,    0,
                                      0,    0,   1,   0x3E, 0xE4, 0xF8, 0xB5, 0x88, 0xE3, 0x68,
                                      0xF1, 0,   0,   0,    0,    0,    0,    0,    1,    0};
    static const struct edit edits[] = {
        {94, 0, 'A', PROBES, 1},    {94, 29, 1, PROBES, 1}, /* free-threading: any byte */
        {94, 29, 0xFF, PROBES, 1},  {94, 12, 2, PROBES, 1}, /* two keys need one block too... */
        {94, 11, 1, CORRUPT, 0},                            /* ... but 257 do not */
        {94, 12, 0, CORRUPT, 0},    {94, 5, 0x80, CORRUPT, 0},
        {94, 13, 0xBE, CORRUPT, 0}, /* rate below 0 */
        {94, 13, 0x40, CORRUPT, 0}, /* above 1 */
        {94, 13, 0x7F, CORRUPT, 0}, /* 1e306 */
        {94, 28, 2, CORRUPT, 0},    {94, 28, 0, CORRUPT, 0},
        {158, 28, 2, CORRUPT, 0}, /* two blocks, consistent with the length alone */
        {94, 0, 'B', CORRUPT, 0},   {94, 4, 1, CORRUPT, 0},
        {94, 4, 3, CORRUPT, 0},     {93, 0, 'A', CORRUPT, 0},
        {95, 0, 'A', CORRUPT, 0},   {30, 0, 'A', CORRUPT, 0},
        {29, 0, 'A', CORRUPT, 0},   {0, 0, 'A', CORRUPT, 0},
    };
    CHECK("sbbf-512", "abloom", valid, edits);
    CHECK("sbbf-512", "abloom-free-threading", valid, edits);
}

/* The two formats differ in the one byte that says which build wrote it. */
TEST(abloom_free_threading)
{
    const struct fb_design *design = fb_design_find("sbbf-512");
    const struct fb_format *with = fb_format_find(design, "abloom-free-threading");
    const struct fb_params params = {.fpr = 1e-5};
    struct fb_keyset keys = golden_keys("seq", 0, 1, false);
    uint8_t plain[94], threaded[94];
    struct fb_filter filter;
    const char *why;
    assert_int_equal(fb_filter_build(design, NULL, &params, &keys.keys, &filter, &why), FB_OK);
    assert_int_equal(design->formats->size(&filter), sizeof plain);
    assert_int_equal(with->size(&filter), sizeof threaded);
    assert_int_equal(fb_filter_write(&filter, design->formats, plain, &why), FB_OK);
    assert_int_equal(fb_filter_write(&filter, with, threaded, &why), FB_OK);
    assert_int_equal(plain[29], 0);
    assert_int_equal(threaded[29], 1);
    threaded[29] = 0;
    assert_memory_equal(plain, threaded, sizeof plain);
    fb_filter_close(&filter);
    fb_keyset_close(&keys);
    /* A filter of no keys has room for one, as the reader wants it. */
    keys = golden_keys("seq", 0, 0, false);
    assert_int_equal(fb_filter_build(design, NULL, &params, &keys.keys, &filter, &why), FB_OK);
    assert_int_equal(fb_filter_write(&filter, design->formats, plain, &why), FB_OK);
    assert_int_equal(plain[12], 1);
    fb_filter_close(&filter);
    assert_int_equal(fb_filter_read(design, design->formats, plain, sizeof plain, &filter, &why),
                     FB_OK);
    fb_filter_close(&filter);
    fb_keyset_close(&keys);
}

TEST(parquet)
{
    static const uint8_t valid[47] = {0x15, 0x40, 0x1C, 0x1C, 0, 0, 0x1C, 0x1C,
                                      0,    0,    0x1C, 0x1C, 0, 0, 0};
    static const struct edit edits[] = {
        {47, 46, 0xFF, PROBES, 1},  {79, 1, 0x80 | 0x40, CORRUPT, 0}, /* a varint without its end */
        {79, 1, 0x7E, CORRUPT, 0},                                    /* 63 bytes */
        {47, 1, 0x41, CORRUPT, 0},                                    /* negative */
        {47, 1, 0, CORRUPT, 0},     {15, 1, 0, CORRUPT, 0},           /* an empty bitset */
        {47, 1, 0x3E, CORRUPT, 0},  {46, 0, 0x15, CORRUPT, 0},        {48, 0, 0x15, CORRUPT, 0},
        {14, 0, 0x15, CORRUPT, 0},  {1, 0, 0x15, CORRUPT, 0},         {0, 0, 0x15, CORRUPT, 0},
        {47, 0, 0x25, CORRUPT, 0},  /* field 2 first */
        {47, 3, 0x2C, CORRUPT, 0},  /* algorithm: another member */
        {47, 7, 0x2C, CORRUPT, 0},  /* hash */
        {47, 11, 0x2C, CORRUPT, 0}, /* compression */
        {47, 14, 0x1C, CORRUPT, 0}, /* a fifth field */
    };
    CHECK("sbbf-256", "parquet", valid, edits);
    /* A varint may be longer than it must be, up to five bytes. */
    static const uint8_t long_size[51] = {0x15, 0xC0, 0x80, 0x80, 0x80, 0,    0x1C, 0x1C, 0, 0,
                                          0x1C, 0x1C, 0,    0,    0x1C, 0x1C, 0,    0,    0};
    static const struct edit longest[] = {{51, 0, 0x15, PROBES, 1}, {51, 5, 0x80, CORRUPT, 0}};
    CHECK("sbbf-256", "parquet", long_size, longest);
    /* 64 bytes and more take two bytes of varint. */
    static const uint8_t four[144] = {0x15, 0x80, 0x02, 0x1C, 0x1C, 0, 0, 0x1C,
                                      0x1C, 0,    0,    0x1C, 0x1C, 0, 0, 0};
    static const struct edit whole[] = {{144, 0, 0x15, PROBES, 4}, {143, 0, 0x15, CORRUPT, 0}};
    CHECK("sbbf-256", "parquet", four, whole);
}

TEST(raw)
{
    static const uint8_t zeros[1] = {0};
    static const struct edit of_32[] = {
        {32, 0, 1, PROBES, 1},  {96, 0, 1, PROBES, 3},  {0, 0, 0, CORRUPT, 0},
        {31, 0, 1, CORRUPT, 0}, {33, 0, 1, CORRUPT, 0},
    };
    static const struct edit of_64[] = {
        {64, 0, 1, PROBES, 1},  {192, 0, 1, PROBES, 3}, {0, 0, 0, CORRUPT, 0},
        {63, 0, 1, CORRUPT, 0}, {96, 0, 1, CORRUPT, 0},
    };
    static const struct edit of_powers[] = {
        {64, 0, 1, PROBES, 1},  {128, 0, 1, PROBES, 2},  {0, 0, 0, CORRUPT, 0},
        {32, 0, 1, CORRUPT, 0}, {192, 0, 1, CORRUPT, 0},
    };
    CHECK("sbbf-256", "raw", zeros, of_32);
    CHECK("sbbf-512-lanes", "raw", zeros, of_64);
    CHECK("sbbf-512-pow2", "raw", zeros, of_powers);
}

/* Bits, then k; shorter than two bytes is no filter, 31 probes are of the future. */
TEST(leveldb)
{
    static const uint8_t valid[9] = {[8] = 6};
    static const struct edit edits[] = {
        {9, 8, 30, PROBES, 0}, {9, 8, 31, YES, 0}, {9, 8, 255, YES, 0},
        {2, 1, 6, PROBES, 0},  {1, 0, 31, NO, 0},  {0, 0, 31, NO, 0},
    };
    CHECK("leveldb", "leveldb", valid, edits);
}

/* Magic, m, k, bits of m / 8 bytes: m is in whole bytes, and more bytes than m may follow. */
TEST(fjall)
{
    static const struct {
        const char *design, *format;
    } rows[] = {{"fjall-1", NULL}, {"fjall-2", NULL}, {"fjall-3", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fb_design *design = fb_design_find(rows[i].design);
        const struct fb_format *format = design->formats;
        const struct fb_params params = {.bits_per_key = 8};
        closed_by(fb_keyset_close) struct fb_keyset keys = golden_keys("seq", 0, 4, false);
        struct fb_filter filter;
        uint8_t block[MAX_BLOCK] = {0};
        const char *why;
        assert_int_equal(fb_filter_build(design, NULL, &params, &keys.keys, &filter, &why), FB_OK);
        const size_t size = (size_t)format->size(&filter), low = size - 4 - 8; /* 32 bits, k, m */
        assert_int_equal(fb_filter_write(&filter, format, block, &why), FB_OK);
        fb_filter_close(&filter);
        const size_t at[] = {low - 8, low - 1}; /* of the lowest byte of m: little, big endian */
        size_t m = block[at[0]] == 32 ? at[0] : at[1];
        assert_int_equal(block[m], 32);
        static const struct {
            uint8_t m;
            enum fb_err err;
        } edits[] = {{32, FB_OK},       {24, FB_OK},       {31, FB_ECORRUPT},
                     {33, FB_ECORRUPT}, {40, FB_ECORRUPT}, {0, FB_ECORRUPT}};
        for (size_t e = 0; e < sizeof edits / sizeof *edits; e++) {
            block[m] = edits[e].m;
            assert_int_equal(fb_filter_read(design, format, block, size, &filter, &why),
                             edits[e].err);
            fb_filter_close(&filter);
        }
    }
}

/* Equal digests are two keys of one hash. */
TEST(exact)
{
    static const uint8_t valid[16] = {7, [8] = 7};
    static const struct edit edits[] = {
        {16, 0, 7, PROBES, 0},  {16, 0, 6, PROBES, 0},  {16, 0, 8, CORRUPT, 0},
        {15, 0, 7, CORRUPT, 0}, {16, 7, 1, CORRUPT, 0}, {8, 0, 9, PROBES, 0},
    };
    CHECK("exact", "exact", valid, edits);
}

/* "FBCK", version, width, number of buckets; buckets of 6 or 8 bytes, which any bytes are. */
TEST(cuckoo)
{
    static const uint8_t of_12[28] = {'F', 'B', 'C', 'K', 1, 12, [8] = 2},
                         of_16[32] = {'F', 'B', 'C', 'K', 1, 16, [8] = 2};
    static const struct edit edits_12[] = {
        {28, 27, 255, PROBES, 0}, {28, 3, 'Q', CORRUPT, 0}, {28, 4, 2, CORRUPT, 0},
        {28, 5, 16, CORRUPT, 0},  {28, 6, 1, CORRUPT, 0},   {28, 8, 3, CORRUPT, 0},
        {28, 15, 1, CORRUPT, 0},  {16, 8, 0, CORRUPT, 0},   {15, 8, 0, CORRUPT, 0},
        {29, 8, 2, CORRUPT, 0},   {34, 8, 3, PROBES, 0},    {0, 0, 0, CORRUPT, 0},
    };
    static const struct edit edits_16[] = {
        {32, 31, 255, PROBES, 0}, {32, 5, 12, CORRUPT, 0}, {24, 8, 1, PROBES, 0},
        {28, 8, 2, CORRUPT, 0},   {32, 8, 4, CORRUPT, 0},  {16, 8, 0, CORRUPT, 0},
    };
    CHECK("cuckoo-12", "cuckoo", of_12, edits_12);
    CHECK("cuckoo-16", "cuckoo", of_16, edits_16);
}

/* "FBVQ", version, width, number of blocks; in the metadata of each 80 ones, xor 2^80 - 1. */
TEST(quotient)
{
    static const uint8_t valid[80] = {'F', 'B', 'V', 'Q', 1, 8, [8] = 1};
    static const struct edit edits[] = {
        {80, 79, 255, PROBES, 0}, {80, 16, 1, CORRUPT, 0},   {80, 25, 128, CORRUPT, 0},
        {80, 26, 1, CORRUPT, 0},  {80, 31, 128, CORRUPT, 0}, {80, 2, 'C', CORRUPT, 0},
        {80, 4, 0, CORRUPT, 0},   {80, 5, 16, CORRUPT, 0},   {80, 8, 2, CORRUPT, 0},
        {79, 8, 1, CORRUPT, 0},   {144, 8, 2, PROBES, 0},    {144, 88, 1, CORRUPT, 0},
        {16, 8, 0, CORRUPT, 0},
    };
    CHECK("quotient", "vqf", valid, edits);
}

TESTS(NULL, NULL)
