/* Rules of the one-block designs that the common golden runner does not reach: abloom's sizes and
 * typed keys, Parquet's header and columns, RocksDB's thresholds. */
#include "tests/unit.h"

#include "filters/core/filter.h"
#include "filters/hash/python_hash.h"
#include "tests/golden.h"
#include "tests/sha256.h"

static struct fb_geometry planned(const char *design, struct fb_params params, uint64_t n)
{
    struct fb_geometry geom;
    const char *why;
    assert_int_equal(fb_design_plan(fb_design_find(design), &params, n, &geom, &why), FB_OK);
    return geom;
}

/* ---- abloom ---- */

TEST(abloom_sizes)
{
    json_t *document = golden_load("abloom_sizing"), *rows = json_object_get(document, "rows");
    size_t i;
    json_t *row;
    assert_int_equal(json_array_size(rows), 88);
    json_array_foreach(rows, i, row) {
        uint64_t capacity = (uint64_t)json_integer_value(json_object_get(row, "capacity"));
        struct fb_params params = {.fpr = json_number_value(json_object_get(row, "fp_rate"))};
        assert_int_equal(planned("sbbf-512", params, capacity).n_blocks,
                         json_integer_value(json_object_get(row, "blocks")));
    }
    json_decref(document);
}

/* Rules that no vector pins: the middle of the last interval is taken (its ends give the blocks in
 * the remarks), the sum stops after adding the first term below 1e-15 (before: 137507842), and it
 * has 500 terms (2000: 2340). The interval ends at 300 bits. */
TEST(abloom_bisection)
{
    static const struct {
        uint64_t capacity;
        double fpr;
        uint64_t blocks;
    } rows[] = {
        {1000000000, 0.02, 17023003},     /* low end: 17023002 */
        {1000000000, 0.01, 19725211},     /* high end: 19725212 */
        {1000000000, 1.74e-7, 137507843}, /* high end: 137507844 */
        {1000000000, 1e-10, 585937500},   /* low end: 585937499 */
        {1000000, 0.99, 977},
        {0, 0.01, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(
            planned("sbbf-512", (struct fb_params){.fpr = rows[i].fpr}, rows[i].capacity).n_blocks,
            rows[i].blocks);
}

/* Bits are rounded up before blocks are: the bits per key, known to 2^-27 from a large filter, are
 * had by filters of every size. */
TEST(abloom_rounds_up_twice)
{
    const struct fb_params params = {.fpr = 0.01};
    const uint64_t large = UINT64_C(1) << 36;
    const double bits =
        (double)(planned("sbbf-512", params, large).n_blocks - 1) * 512 / (double)large;
    for (uint64_t n = 1; n < 20000; n++)
        assert_true((double)planned("sbbf-512", params, n).n_bits >= (double)n * bits);
}

/* One golden item as a key: the prefix says the type, as --keys-format typed writes it. */
static struct fb_keyset typed_keys(const json_t *items, size_t first, size_t n)
{
    char text[16384];
    size_t len = 0;
    struct fb_keyset keys;
    struct fb_keyfile_error error;
    for (size_t i = first; i < first + n; i++) {
        const json_t *item = json_array_get(items, i);
        const char *type = json_string_value(json_object_get(item, "type"));
        len += (size_t)snprintf(text + len, sizeof text - len, "%c:%s\n", type[0],
                                json_string_value(json_object_get(item, "value")));
    }
    assert_int_equal(fb_keyfile_parse("typed", (const uint8_t *)text, len, &keys, &error), FB_OK);
    assert_int_equal(keys.keys.n, n);
    return keys;
}

static void check_block(const struct fb_keyset *keys, uint64_t capacity, double fpr,
                        const char *want_hex)
{
    const struct fb_design *design = fb_design_find("sbbf-512");
    const struct fb_format *format = design->formats;
    struct fb_params params = {.fpr = fpr, .capacity = capacity};
    closed_by(fb_filter_close) struct fb_filter filter;
    const char *why;
    assert_int_equal(fb_filter_build(design, NULL, &params, &keys->keys, &filter, &why), FB_OK);
    auto_free uint8_t *block = malloc((size_t)format->size(&filter));
    assert_int_equal(fb_filter_write(&filter, format, block, &why), FB_OK);
    auto_free char *hex = golden_hex(block, (size_t)format->size(&filter));
    assert_string_equal(hex, want_hex);
}

TEST(abloom_typed_keys)
{
    json_t *document = golden_load("abloom_typed"), *items = json_object_get(document, "items");
    size_t n = json_array_size(items);
    assert_int_equal(n, 44);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(items, i);
        const char *type = json_string_value(json_object_get(item, "type"));
        const char *value = json_string_value(json_object_get(item, "value"));
        json_int_t want = json_integer_value(json_object_get(item, "python_hash"));
        int64_t hash;
        if (type[0] == 'i') {
            assert_true(fb_python_hash_int(value, strlen(value), &hash));
            assert_true(hash == want);
        } else if (type[0] == 'f') {
            assert_true(fb_python_hash_float(strtod(value, NULL), &hash));
            assert_true(hash == want);
        }
        closed_by(fb_keyset_close) struct fb_keyset key = typed_keys(items, i, 1);
        check_block(&key, 1, 1e-5, json_string_value(json_object_get(item, "single_filter_hex")));
    }
    closed_by(fb_keyset_close) struct fb_keyset all = typed_keys(items, 0, n);
    check_block(&all, 100, 0.01, json_string_value(json_object_get(document, "all_hex")));
    json_decref(document);
}

TEST(python_hash_of_long_integers)
{
    static const struct {
        size_t zeros; /* after a 1 */
        int64_t hash; /* 10^zeros mod 2^61 - 1 */
    } rows[] = {{0, 1},
                {18, 1000000000000000000},
                {19, 776627963145224196},
                {100, 910685213754167845},
                {1000, 88588427293594263}};
    char text[1002];
    int64_t hash;
    memset(text, '0', sizeof text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text[0] = '-';
        text[1] = '1';
        assert_true(fb_python_hash_int(text + 1, rows[i].zeros + 1, &hash));
        assert_true(hash == rows[i].hash);
        assert_true(fb_python_hash_int(text, rows[i].zeros + 2, &hash));
        assert_true(hash == (rows[i].hash == 1 ? -2 : -rows[i].hash));
    }
    assert_true(fb_python_hash_int("+0007", 5, &hash));
    assert_int_equal(hash, 7);
}

TEST(python_hash_refuses)
{
    static const char *const bad[] = {"", "-", "+", "1x", "0x10", " 1", "1.0"};
    int64_t hash;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(fb_python_hash_int(bad[i], strlen(bad[i]), &hash));
    assert_false(fb_python_hash_float(NAN, &hash));
}

/* ---- Parquet ---- */

TEST(duckdb_columns)
{
    static const struct {
        const char *column, *format;
    } columns[] = {{"k", NULL}, {"b", "i64"}, {"i4", "i32"}, {"d", "f64"}, {"f4", "f32"}};
    const struct fb_design *design = fb_design_find("sbbf-256");
    const struct fb_format *format = fb_format_find(design, "parquet");
    json_t *document = golden_load("parquet_duckdb"),
           *vectors = json_object_get(document, "vectors");
    json_t *vector;
    size_t v;
    assert_int_equal(json_array_size(vectors), 90);
    json_array_foreach(vectors, v, vector) {
        const char *column = json_string_value(json_object_get(vector, "column"));
        uint64_t base = (uint64_t)json_integer_value(json_object_get(vector, "base"));
        size_t n = (size_t)json_integer_value(json_object_get(vector, "n")), c = 0, len = 0;
        while (strcmp(columns[c].column, column) != 0)
            c++;
        auto_free char *text = malloc(16 * n + 1);
        for (size_t i = 0; i < n; i++)
            len += (size_t)snprintf(text + len, 16, columns[c].format ? "%llu\n" : "key%06llu\n",
                                    (unsigned long long)(base + i));
        closed_by(fb_keyset_close) struct fb_keyset keys;
        struct fb_keyfile_error error;
        assert_int_equal(fb_keyfile_parse(columns[c].format ? columns[c].format : "lines",
                                          (const uint8_t *)text, len, &keys, &error),
                         FB_OK);
        struct fb_params params = {.fpr = json_number_value(json_object_get(vector, "fpp"))};
        closed_by(fb_filter_close) struct fb_filter filter;
        const char *why;
        assert_int_equal(fb_filter_build(design, NULL, &params, &keys.keys, &filter, &why), FB_OK);
        uint64_t size = format->size(&filter);
        auto_free uint8_t *block = malloc((size_t)size);
        assert_int_equal(fb_filter_write(&filter, format, block, &why), FB_OK);
        size_t header = (size_t)(size - filter.geom.n_bytes);
        char *hex = golden_hex(block, header), digest[65];
        assert_string_equal(hex, json_string_value(json_object_get(vector, "header_hex")));
        sha256_hex(block + header, filter.geom.n_bytes, digest);
        assert_string_equal(digest, json_string_value(json_object_get(vector, "bitset_sha256")));
        free(hex);
    }
    json_decref(document);
}

/* numBytes is a varint of twice the length: it grows at 64 and at 8192 bytes. */
TEST(parquet_lengths)
{
    static const struct {
        size_t n_blocks;
        const char *head;
    } rows[] = {{1, "15401c"}, {2, "1580011c"}, {255, "15c07f1c"}, {256, "158080011c"}};
    const struct fb_design *design = fb_design_find("sbbf-256");
    const struct fb_format *format = fb_format_find(design, "parquet");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fb_params params = {.bits_per_key = 256};
        uint64_t digests[256] = {0};
        uint8_t block[8192 + 20];
        closed_by(fb_filter_close) struct fb_filter filter;
        const char *why;
        assert_int_equal(fb_filter_build_digests(design, NULL, &params, digests, rows[i].n_blocks,
                                                 &filter, &why),
                         FB_OK);
        const size_t head = strlen(rows[i].head) / 2;
        assert_int_equal(format->size(&filter), head + 12 + 32 * rows[i].n_blocks);
        assert_int_equal(fb_filter_write(&filter, format, block, &why), FB_OK);
        auto_free char *hex = golden_hex(block, head);
        assert_string_equal(hex, rows[i].head);
    }
}

TEST(arrow_sizes)
{
    /* n = 2549, p = 0.5: m = 8192.97 bits is cut to 8192, a power of two, before rounding. */
    assert_int_equal(planned("sbbf-256", (struct fb_params){.fpr = 0.5}, 2549).n_bits, 8192);
    assert_int_equal(planned("sbbf-256", (struct fb_params){.fpr = 0.5}, 2550).n_bits, 16384);
    assert_int_equal(planned("sbbf-256", (struct fb_params){.fpr = 0.5}, 0).n_bits, 256);
    assert_int_equal(planned("sbbf-256", (struct fb_params){.fpr = 1e-9}, 1u << 30).n_bits,
                     1u << 30);
}

/* ---- RocksDB ---- */

/* A digest that repeats the one just before it is not counted, a later one is. */
TEST(rocksdb_repeats)
{
    static const struct {
        uint64_t digests[6];
        uint64_t n_keys;
    } rows[] = {{{5, 5, 7, 7, 7, 5}, 3},
                {{5, 5, 5, 5, 5, 5}, 1},
                {{1, 2, 3, 4, 5, 6}, 6},
                {{1, 2, 1, 2, 1, 1}, 5}};
    const struct fb_design *design = fb_design_find("rocksdb-fastlocal");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fb_params params = {.bits_per_key = 100};
        uint64_t digests[6];
        closed_by(fb_filter_close) struct fb_filter filter;
        const char *why;
        memcpy(digests, rows[i].digests, sizeof digests);
        assert_int_equal(fb_filter_build_digests(design, NULL, &params, digests, 6, &filter, &why),
                         FB_OK);
        assert_int_equal(filter.n_keys, rows[i].n_keys);
        assert_int_equal(filter.geom.n_bits, (100 * rows[i].n_keys + 511) / 512 * 512);
        assert_true(filter.kernel->query(&filter, rows[i].digests + 2));
    }
}

TEST(rocksdb_thresholds)
{
    static const struct {
        double bits;
        uint32_t probes;
    } rows[] = {{0.5, 1},   {1, 1},       {2.08, 1}, {2.081, 2},   {3.58, 2},    {5.1, 3},
                {6.64, 4},  {8.3, 5},     {9.9, 6},  {10, 6},      {10.07, 6},   {10.071, 7},
                {14, 8},    {14.002, 9},  {16, 9},   {18.3, 10},   {18.301, 11}, {22.001, 11},
                {25.5, 12}, {25.502, 11}, {50, 23},  {50.001, 24}, {100, 24},    {5000, 24}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_geometry geom =
            planned("rocksdb-fastlocal", (struct fb_params){.bits_per_key = rows[i].bits}, 1000);
        assert_int_equal(geom.probes, rows[i].probes);
    }
    /* 512000 keys fill as many lines as there are millibits: rounded up from 0.499999 on. */
    static const struct {
        double bits;
        uint64_t lines;
    } rounded[] = {{9.9996, 10000}, {9.9995, 10000}, {9.9994999995, 10000},
                   {9.99949, 9999}, {0.5, 1000},     {0.9999, 1000}};
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
        struct fb_params params = {.bits_per_key = rounded[i].bits};
        assert_int_equal(planned("rocksdb-fastlocal", params, 512000).n_blocks, rounded[i].lines);
    }
    struct fb_params hundred = {.bits_per_key = 100}, more = {.bits_per_key = 1000};
    assert_int_equal(planned("rocksdb-fastlocal", hundred, 1000).n_bytes,
                     planned("rocksdb-fastlocal", more, 1000).n_bytes);
    /* The cap: 2^32 - 64 bytes. */
    assert_int_equal(planned("rocksdb-fastlocal", hundred, UINT64_C(1) << 30).n_bytes, 0xFFFFFFC0);
    struct fb_params low = {.bits_per_key = 0.49};
    struct fb_geometry geom;
    const char *why;
    assert_int_equal(fb_design_plan(fb_design_find("rocksdb-fastlocal"), &low, 1000, &geom, &why),
                     FB_EINVAL);
}

/* At 80 bits per key the width of the hash decides: one block holds 6.4 keys, and 32 bits choose
 * all of a key's bits in it. Only sbbf-512-lanes takes more. */
TEST(rates_know_the_width_of_the_hash)
{
    static const struct {
        const char *design;
        double rate; /* without collisions, and the collisions */
    } rows[] = {{"rocksdb-fastlocal", 1.08e-9 + 1.490e-9},
                {"sbbf-256", 3.56e-7 + 0.745e-9},
                {"sbbf-512-lanes", 8.50e-8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fb_params params = {.bits_per_key = 80};
        struct fb_geometry geom = planned(rows[i].design, params, 1 << 20);
        double rate = fb_design_find(rows[i].design)->fpr(&geom, 1 << 20);
        assert_near(rate / rows[i].rate, 1, 0.005);
    }
    /* 32 bits of hash: where probes hardly ever fail, collisions of 2^24 keys are all there is. */
    static const char *const narrow[] = {"leveldb", "bloom-double-32"};
    for (size_t i = 0; i < 2; i++) {
        struct fb_geometry wide =
            planned(narrow[i], (struct fb_params){.bits_per_key = 43}, 1 << 24);
        double rate = fb_design_find(narrow[i])->fpr(&wide, 1 << 24);
        assert_near(rate / (1 - exp(-0x1p-8)), 1, 1e-5);
    }
    /* A yardstick's block is touched by chance alone. */
    struct fb_geometry touched = planned("touch-64", (struct fb_params){.bits_per_key = 512}, 999);
    assert_int_equal(touched.n_blocks, 1000);
    assert_near(fb_design_find("touch-64")->fpr(&touched, 999), 1 - exp(-0.999), 1e-12);
    /* The same blocks, one hash or two. */
    struct fb_params params = {.bits_per_key = 64};
    struct fb_geometry geom = planned("sbbf-512-pow2", params, 1 << 20);
    double lanes = fb_design_find("sbbf-512-lanes")->fpr(&geom, 1 << 20);
    double salts = fb_design_find("sbbf-512-pow2")->fpr(&geom, 1 << 20);
    assert_near((salts - lanes) * 0x1p32, 8, 1e-5);
}

TESTS(NULL, NULL)
