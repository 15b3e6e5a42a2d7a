/*
 * RocksDB. rocksdb_table.sst is a table that RocksDB 7.8.3 wrote: keys "ant" to "cow" in blocks of
 * two or so, and a Bloom filter of 10 bits per key. Where the driver was built, databases on disk.
 */
#include "tests/engine/said.h"

#include "filters/core/filter.h"
#include "harness/base/file.h"
#include "harness/engine/predict.h"
#include "harness/engine/sstable.h"

/* ---- A table ---- */

static uint8_t *table_file(size_t *n)
{
    uint8_t *bytes;
    assert_int_equal(fb_file_read(FB_TEST_DATA "/engine/rocksdb_table.sst", &bytes, n), FB_EXIT_OK);
    return bytes;
}

TEST(table)
{
    char said[400] = "";
    const struct fb_engine_sink sink = {said, NULL, say_key, say_block};
    struct fb_engine_table about = {0};
    size_t n;
    auto_free uint8_t *file = table_file(&n);
    assert_int_equal(fb_sstable_each(file, n, true, &sink, &about), FB_OK);
    assert_string_equal(said, "ant apple <=b@0; badger bee <=c@62; cat cow <=cow@125; ");
    assert_int_equal(about.entries, 6);
    assert_int_equal(about.filter_bytes, 64 + 5);
}

/* Any text: broken tables may say any. */
static bool take_key(void *self, const void *key, size_t len)
{
    volatile uint8_t *sum = self;
    for (size_t i = 0; i < len; i++)
        *sum ^= ((const uint8_t *)key)[i];
    return true;
}

static bool take_block(void *self, uint64_t offset, uint64_t filter, const void *bound, size_t len,
                       bool below)
{
    (void)offset, (void)filter, (void)below;
    return take_key(self, bound, len);
}

/* Whatever a byte is changed to, and wherever the file ends: nothing outside of it is read, which a
 * sanitizer sees. */
TEST(broken_table)
{
    static const uint8_t wrong[] = {0, 1, 127, 128, 255};
    uint8_t sum = 0;
    const struct fb_engine_sink sink = {&sum, NULL, take_key, take_block};
    struct fb_engine_table about = {0};
    size_t n, refused = 0;
    auto_free uint8_t *whole = table_file(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < sizeof wrong; j++) {
            auto_free uint8_t *file = malloc(n);
            assert_non_null(file);
            memcpy(file, whole, n);
            file[i] = wrong[j];
            refused += fb_sstable_each(file, n, true, &sink, &about) == FB_ECORRUPT;
        }
    assert_true(refused > 100);
    for (size_t len = 0; len < n; len++) {
        auto_free uint8_t *file = malloc(len + 1);
        assert_non_null(file);
        memcpy(file, whole + (n - len), len); /* with its footer */
        refused += !fb_sstable_each(file, len, true, &sink, &about);
        memcpy(file, whole, len);
        assert_int_equal(fb_sstable_each(file, len, true, &sink, &about), FB_ECORRUPT);
    }
}

/* ---- What its Gets read ---- */

/* One table; block "b", "d" up to the bound "m", block "p" up to itself. */
static bool tell_tables(void *db, const struct fb_engine_sink *s, struct fb_engine_why *why)
{
    static const struct fb_engine_table table = {.number = 7, .entries = 3, .reads_on = true};
    (void)db, (void)why;
    return s->table(s->self, &table) && s->key(s->self, "b", 1) && s->key(s->self, "d", 1) &&
           s->block(s->self, 0, 0 >> 11, "m", 1, false) && s->key(s->self, "p", 1) &&
           s->block(s->self, 4096, 4096 >> 11, "p", 1, false);
}

/* Behind the last key of a block and not beyond its bound a Get finds the block's end, and reads
 * on. The filter says maybe to all. */
TEST(reads_on)
{
    static const struct fb_engine_driver driver = {.tables = tell_tables};
    static const struct {
        const char *key;
        unsigned reads;
    } gets[] = {{"a", 0}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 2},
                {"m", 2}, {"n", 1}, {"p", 1}, {"q", 0}};
    static const uint8_t unknown[] = {0, 0, 0, 0x80, 0, 0, 0, 0};
    const struct fb_design *design = fb_design_find("rocksdb-fastlocal");
    const struct fb_params params = {.bits_per_key = 10};
    struct fb_engine_why reason;
    closed_by(fb_tables_close) struct fb_tables tables;
    closed_by(fb_prediction_close) struct fb_prediction p;
    const char *why = NULL;
    assert_true(fb_tables_read(&driver, NULL, &tables, &reason));
    assert_int_equal(fb_prediction_open(&tables, design, &params, false, &p, &why), FB_OK);
    assert_int_equal(p.n_filters, 1);
    fb_filter_close(&p.filters[0]);
    assert_int_equal(
        fb_filter_read(design, design->formats, unknown, sizeof unknown, &p.filters[0], &why),
        FB_OK);
    for (size_t i = 0; i < sizeof gets / sizeof *gets; i++) {
        struct fb_get_counts c = {0};
        assert_int_equal(fb_prediction_get(&p, gets[i].key, 1, &c), gets[i].reads);
        assert_int_equal(c.engine.data_reads, gets[i].reads);
        assert_int_equal(c.engine.checks, gets[i].reads > 0);
    }
}

#ifdef FB_ROCKSDB_DRIVER
#include <dlfcn.h>
#include <unistd.h>

#include "harness/engine/scratch.h"
#include "harness/store/rocksdb_stats.h"
#include "workloads/core/keyspace.h"

/* ---- Databases on disk ---- */

enum { PUT = 18000, ASKED = 10000, VALUE = 60 };

static const struct fb_engine_driver *driver;
static struct fb_scratch scratch;
static struct fb_keyspace space;

static int load_driver(void **state)
{
    struct fb_keygen keygen;
    const char *why;
    (void)state;
    void *object = dlopen(FB_ROCKSDB_DRIVER, RTLD_NOW | RTLD_LOCAL);
    driver = object ? dlsym(object, "fb_engine_driver") : NULL;
    if (!driver || !fb_keygen_parse("pad40", &keygen, &why))
        return -1;
    fb_keyspace_generate(&keygen, FB_ORDER_SHUFFLE, PUT, 1, &space);
    return fb_scratch_open("/tmp", 1, false, &scratch);
}

static int remove_scratch(void **state)
{
    (void)state;
    fb_scratch_close(&scratch);
    return 0;
}

static uint64_t write_buffer_bytes = 1 << 17;

/* Small blocks make a large index, which has parts. */
static struct fb_engine_options options_of(const char *folder, const char *filter,
                                           enum fb_engine_residency residency)
{
    return (struct fb_engine_options){.folder = folder,
                                      .filter = filter,
                                      .bits_per_key = 8,
                                      .block_bytes =
                                          residency == FB_ENGINE_PARTITIONED ? 1024 : 4096,
                                      .write_buffer_bytes = write_buffer_bytes,
                                      .file_bytes = 1 << 18,
                                      .cache_bytes = residency == FB_ENGINE_PINNED ? 0 : 1 << 20,
                                      .residency = residency,
                                      .counted = true};
}

/* Puts all keys, 100 at a time; leaves the database closed, in a new folder. */
static void load(const char *name, const char *filter, enum fb_engine_residency residency,
                 bool whole, char folder[4096])
{
    static const uint8_t values[100 * VALUE];
    struct fb_engine_why why = {""};
    assert_int_equal(fb_scratch_folder(&scratch, name, folder, 4096), FB_EXIT_OK);
    const struct fb_engine_options o = options_of(folder, filter, residency);
    void *db = driver->open(&o, true, &why);
    assert_string_equal(why.text, "");
    assert_non_null(db);
    for (uint64_t first = 0; first < PUT; first += 100) {
        uint64_t index[100];
        closed_by(fb_keyset_close) struct fb_keyset keys;
        fb_keyspace_indices(&space, first, 100, index);
        assert_int_equal(fb_keyspace_keys(&space, index, 100, &keys), FB_OK);
        assert_true(driver->put(db, &keys.keys, values, VALUE, &why));
    }
    assert_true(driver->rest(db, whole, &why));
    assert_true(driver->close(db, &why));
}

static void *open_again(const struct fb_engine_options *o)
{
    struct fb_engine_why why = {""};
    void *db = driver->open(o, false, &why);
    assert_string_equal(why.text, "");
    assert_non_null(db);
    return db;
}

static struct fb_tables tables_of(void *db)
{
    struct fb_engine_why why = {""};
    struct fb_tables tables;
    if (!fb_tables_read(driver, db, &tables, &why))
        fail_msg("%s", why.text);
    return tables;
}

/* Gets of the newest keys or of absent ones, by the engine and as predicted; each reads as many
 * blocks. */
static void ask(void *db, struct fb_prediction *p, bool absent, struct fb_get_counts *predicted)
{
    auto_free uint8_t *key = malloc(space.max_len + 1);
    struct fb_engine_why why = {""};
    struct fb_engine_counts before, after;
    assert_non_null(key);
    for (uint64_t i = 0; i < ASKED; i++) {
        const uint64_t index = fb_keyspace_index(&space, absent ? PUT + i : PUT - 1 - i);
        const size_t len = fb_keyspace_write(&space, index, key);
        driver->counts(db, &before);
        assert_int_equal(driver->get(db, key, len, &why),
                         absent ? FB_ENGINE_NOT_FOUND : FB_ENGINE_FOUND);
        driver->counts(db, &after);
        assert_int_equal(fb_prediction_get(p, key, len, predicted),
                         after.data_reads + after.data_hits - before.data_reads - before.data_hits);
    }
}

/* Its filters are ours of the same keys, bit for bit: every Get asks as many, gets as many noes and
 * reads as many blocks. Its statistics count the same. */
static void filters_are_ours(const char *filter, const char *design,
                             enum fb_engine_residency residency)
{
    char folder[4096], why_not[FB_ROCKSDB_STATS_WHY];
    const struct fb_params params = {.bits_per_key = 8};
    const char *why = NULL;
    struct fb_prediction p;
    struct fb_get_counts predicted = {0};
    struct fb_engine_counts c;
    struct fb_rocksdb_stats s;
    load(filter, filter, residency, false, folder);
    const struct fb_engine_options o = options_of(folder, filter, residency);
    void *db = open_again(&o);
    struct fb_tables tables = tables_of(db);
    assert_int_equal(tables.keys.n, PUT);
    assert_true(tables.files[tables.n_files - 1].about.level > 1);
    assert_true(tables.files[1].about.level == 0);
    assert_int_equal(fb_prediction_open(&tables, fb_design_find(design), &params, false, &p, &why),
                     FB_OK);
    ask(db, &p, true, &predicted);
    ask(db, &p, false, &predicted);
    driver->counts(db, &c);
    if (residency == FB_ENGINE_PARTITIONED)
        assert_true(p.n_filters >= 2 * tables.n_files);
    else
        assert_int_equal(p.n_filters, tables.n_files);
    if (residency == FB_ENGINE_PINNED) {
        assert_int_equal(c.data_hits + c.filter_hits + c.index_hits, 0);
    } else {
        /* Each check looks for its filter in the cache, each maybe for the index. */
        assert_int_equal(c.filter_hits + c.filter_reads, c.checks);
        assert_int_equal(c.index_hits + c.index_reads, c.checks - c.negatives);
        assert_true(c.data_reads && c.data_hits && c.filter_hits > c.filter_reads);
    }
    assert_int_equal(c.gets, 2 * ASKED);
    assert_int_equal(c.found, ASKED);
    assert_int_equal(c.checks, predicted.engine.checks);
    assert_int_equal(c.negatives, predicted.engine.negatives);
    assert_int_equal(c.data_reads + c.data_hits, predicted.engine.data_reads);
    assert_true(c.data_reads + c.data_hits > c.checks - c.negatives); /* some read on */

    char *text = driver->statistics(db);
    if (!fb_rocksdb_stats_parse(text, strlen(text), &s, why_not))
        fail_msg("%s", why_not);
    assert_int_equal(s.negatives, c.negatives + s.false_positives);
    assert_true(s.absent_in_tables == 0.5);
    assert_int_equal(s.false_positives,
                     predicted.engine.checks - predicted.engine.negatives - ASKED);
    assert_true(s.false_positives > 400);
    free(text);

    struct fb_tables after = tables_of(db);
    assert_true(fb_tables_same(&tables, &after));
    fb_tables_close(&after);
    fb_prediction_close(&p);
    fb_tables_close(&tables);
    struct fb_engine_why reason;
    assert_true(driver->close(db, &reason));
    assert_int_equal(fb_folder_remove(folder), FB_EXIT_OK);
}

TEST(bloom)
{
    filters_are_ours("bloom", "rocksdb-fastlocal", FB_ENGINE_PINNED);
}

TEST(bloom_in_cache)
{
    filters_are_ours("bloom", "rocksdb-fastlocal", FB_ENGINE_CACHED);
}

TEST(bloom_in_parts)
{
    filters_are_ours("bloom", "rocksdb-fastlocal", FB_ENGINE_PARTITIONED);
}

TEST(ribbon)
{
    filters_are_ours("ribbon", "rocksdb-ribbon", FB_ENGINE_PINNED);
}

TEST(ribbon_in_parts)
{
    filters_are_ours("ribbon", "rocksdb-ribbon", FB_ENGINE_PARTITIONED);
}

TEST(legacy)
{
    filters_are_ours("legacy", "rocksdb-legacy", FB_ENGINE_PINNED);
}

/* Three tables, all in level 0: their filters are asked for keys beyond their ranges as well, and
 * below the range their first block is read where the filter says maybe. */
TEST(few_tables)
{
    enum { OUTSIDE = 5000 };
    char folder[4096];
    const struct fb_params params = {.bits_per_key = 8};
    const char *why = NULL;
    struct fb_engine_why reason = {""};
    struct fb_engine_counts c;
    struct fb_get_counts predicted = {0};
    write_buffer_bytes = 700 << 10;
    load("few", "bloom", FB_ENGINE_PINNED, false, folder);
    const struct fb_engine_options o = options_of(folder, "bloom", FB_ENGINE_PINNED);
    void *db = open_again(&o);
    closed_by(fb_tables_close) struct fb_tables tables = tables_of(db);
    closed_by(fb_prediction_close) struct fb_prediction p;
    assert_true(tables.n_files == 3 && tables.files[tables.n_files - 1].about.level == 0);
    assert_int_equal(
        fb_prediction_open(&tables, fb_design_find("rocksdb-fastlocal"), &params, false, &p, &why),
        FB_OK);
    for (int i = 0; i < OUTSIDE; i++) {
        char key[40];
        const int len = snprintf(key, sizeof key, "%c%d", i % 2 ? '~' : '!', i);
        assert_int_equal(driver->get(db, key, (size_t)len, &reason), FB_ENGINE_NOT_FOUND);
        fb_prediction_get(&p, key, (size_t)len, &predicted);
    }
    driver->counts(db, &c);
    assert_int_equal(c.checks, OUTSIDE * tables.n_files);
    assert_int_equal(c.checks, predicted.engine.checks);
    assert_int_equal(c.negatives, predicted.engine.negatives);
    assert_int_equal(c.data_reads, predicted.engine.data_reads);
    assert_true(c.data_reads > 50 && c.data_reads < c.checks - c.negatives);
    assert_true(driver->close(db, &reason));
    assert_int_equal(fb_folder_remove(folder), FB_EXIT_OK);
    write_buffer_bytes = 1 << 17;
}

/* Equal puts make equal tables; merged, they are in one level. Without filters nothing is asked. */
TEST(trees)
{
    char folder[4096], again[4096], whole[4096];
    struct fb_engine_why why;
    struct fb_engine_counts c;
    load("first", NULL, FB_ENGINE_PINNED, false, folder);
    load("again", NULL, FB_ENGINE_PINNED, false, again);
    load("whole", NULL, FB_ENGINE_PINNED, true, whole);
    struct fb_engine_options o = options_of(folder, NULL, FB_ENGINE_PINNED);
    void *db = open_again(&o);
    struct fb_tables first = tables_of(db);
    assert_int_equal(driver->get(db, "none", 4, &why), FB_ENGINE_NOT_FOUND);
    driver->counts(db, &c);
    assert_int_equal(c.checks, 0);
    assert_true(driver->close(db, &why));
    o.folder = again;
    db = open_again(&o);
    struct fb_tables second = tables_of(db);
    assert_true(fb_tables_same(&first, &second));
    assert_true(driver->close(db, &why));
    o.folder = whole;
    db = open_again(&o);
    struct fb_tables third = tables_of(db);
    assert_int_equal(third.keys.n, PUT);
    assert_int_equal(third.files[0].about.level, third.files[third.n_files - 1].about.level);
    assert_true(third.files[0].about.level > 0 && third.files[0].about.filter_bytes == 0);
    assert_true(driver->close(db, &why));
    fb_tables_close(&first);
    fb_tables_close(&second);
    fb_tables_close(&third);
    assert_int_equal(fb_folder_remove(folder), FB_EXIT_OK);
    assert_int_equal(fb_folder_remove(again), FB_EXIT_OK);
    assert_int_equal(fb_folder_remove(whole), FB_EXIT_OK);
}

/* What was read once is in the cache, where there is one. */
TEST(cache_and_settings)
{
    char folder[4096];
    struct fb_engine_why why;
    load("cached", "bloom", FB_ENGINE_PINNED, false, folder);
    struct fb_engine_options o = options_of(folder, "bloom", FB_ENGINE_PINNED);
    for (int cached = 0; cached < 2; cached++) {
        struct fb_engine_counts c;
        uint8_t *key = malloc(space.max_len + 1);
        assert_non_null(key);
        o.cache_bytes = cached ? 16 << 20 : 0;
        void *db = open_again(&o);
        const size_t len = fb_keyspace_write(&space, fb_keyspace_index(&space, 0), key);
        for (int i = 0; i < 10; i++)
            assert_int_equal(driver->get(db, key, len, &why), FB_ENGINE_FOUND);
        driver->counts(db, &c);
        assert_true(cached ? c.data_reads < 10 : c.data_reads >= 10);
        char *settings = driver->settings(db);
        assert_non_null(strstr(settings, "filter_policy = bloomfilter:8:false\n"));
        assert_non_null(
            strstr(settings, cached ? "no_block_cache = false\n" : "no_block_cache = true\n"));
        assert_non_null(strstr(settings, "compression = kNoCompression\n"));
        assert_non_null(strstr(settings, "optimize_filters_for_memory = false\n"));
        assert_non_null(strstr(settings, "allow_mmap_reads = false\n"));
        assert_non_null(strstr(settings, "disable_auto_compactions = true\n"));
        assert_non_null(strstr(settings, "flushed after = 131072 bytes"));
        free(settings);
        free(key);
        assert_true(driver->close(db, &why));
    }
    assert_int_equal(fb_folder_remove(folder), FB_EXIT_OK);
}

TEST(refused)
{
    static const struct fb_engine_policy policy = {.name = "filterbench.leveldb"};
    char folder[4096];
    struct fb_engine_why why = {""};
    assert_string_equal(driver->name, "rocksdb");
    assert_false(driver->takes_policies);
    assert_int_equal(fb_scratch_folder(&scratch, "empty", folder, sizeof folder), FB_EXIT_OK);
    struct fb_engine_options o = options_of(folder, "bloom", FB_ENGINE_PINNED);
    assert_null(driver->open(&o, false, &why));
    assert_non_null(strstr(why.text, "does not exist"));
    o.folder = "/proc/none";
    assert_null(driver->open(&o, true, &why));
    assert_non_null(strstr(why.text, "/proc/none"));
    o.filter = NULL;
    o.policy = &policy;
    assert_null(driver->open(&o, true, &why));
    assert_string_equal(why.text, "filterbench.leveldb: RocksDB takes no filters from outside");
    assert_int_equal(fb_folder_remove(folder), FB_EXIT_OK);
}

TESTS(load_driver, remove_scratch)
#else
TEST(databases_need_rocksdb)
{
    skip();
}

TESTS(NULL, NULL)
#endif
