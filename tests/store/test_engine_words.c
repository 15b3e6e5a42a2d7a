/*
 * What engines are told. Where RocksDB is installed, a database opened with the words says in its
 * OPTIONS file what it understood.
 */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/filter.h"
#include "harness/base/json.h"
#include "harness/store/engine_words.h"

#define TABLE "block_based_table_factory={filter_policy="
#define ALL   "KeyspaceCreateOptions::default().filter_policy(FilterPolicy::"
#define BITS  "FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey("
#define EVERY "for i := range opts.Levels { opts.Levels[i].FilterPolicy = "

static const double split[] = {28.61, 23.75, 18.9, 14.1, 0};
static const double lacks[] = {10, 10, 10, 10, 0};
static const double alike[] = {10, 10};
static const double last_differs[] = {10, 10, 9};
static const double first_has_none[] = {0, 10};
static const double nothing[] = {0, 0, 0};
static const double seven[] = {1.6, 2, 3, 4, 5, 6, 0.3};

static const struct {
    const char *engine, *design;
    double bits;
    const double *levels;
    size_t n_levels;
    const char *text; /* NULL: the engine refuses, and why has this in it */
    const char *part; /* of the note, or of why */
} told[] = {
    {"rocksdb", "rocksdb-fastlocal", 10, NULL, 0,
     TABLE "bloomfilter:10:false;format_version=5;whole_key_filtering=true}", "9.2"},
    {"rocksdb", "rocksdb-fastlocal", 9.6789, NULL, 0,
     TABLE "bloomfilter:9.679:false;format_version=5;whole_key_filtering=true}", ""},
    {"rocksdb", "rocksdb-fastlocal", 0, lacks, 5,
     "optimize_filters_for_hits=true;" TABLE
     "bloomfilter:10:false;format_version=5;whole_key_filtering=true}",
     ""},
    {"rocksdb", "rocksdb-fastlocal", 0, alike, 2,
     TABLE "bloomfilter:10:false;format_version=5;whole_key_filtering=true}", ""},
    {"rocksdb", "rocksdb-ribbon", 14.25, NULL, 0,
     TABLE "ribbonfilter:14.25:-1;format_version=5;whole_key_filtering=true}", "flushes"},
    {"rocksdb", "rocksdb-legacy", 100, NULL, 0,
     TABLE "bloomfilter:100:false;format_version=4;whole_key_filtering=true}", ""},
    {"rocksdb", "rocksdb-fastlocal", 0, split, 5, NULL, "RocksDB has one number for all levels"},
    {"rocksdb", "rocksdb-fastlocal", 0, last_differs, 3, NULL, "one number"},
    {"rocksdb", "rocksdb-fastlocal", 0, first_has_none, 2, NULL, "one number"},
    {"rocksdb", "leveldb", 10, NULL, 0, NULL,
     "RocksDB does not have it; of the designs here it has rocksdb-fastlocal, rocksdb-ribbon, "
     "rocksdb-legacy"},
    {"rocksdb", "leveldb", 0, NULL, 0, TABLE "nullptr}", ""},
    {"rocksdb", "rocksdb-fastlocal", 0, nothing, 3, TABLE "nullptr}", ""},
    {"leveldb", "leveldb", 10, NULL, 0,
     "options.filter_policy = leveldb::NewBloomFilterPolicy(10);", "2 KiB"},
    {"leveldb", "leveldb", 9.6, NULL, 0,
     "options.filter_policy = leveldb::NewBloomFilterPolicy(10);", "LevelDB takes whole bits"},
    {"leveldb", "leveldb", 0, lacks, 5, NULL, "LevelDB has one number for all levels"},
    {"leveldb", "leveldb", 0, split, 5, NULL, "one number"},
    {"leveldb", "sbbf-256", 10, NULL, 0, NULL, "of the designs here it has leveldb"},
    {"leveldb", "sbbf-256", 0, NULL, 0, "options.filter_policy = nullptr;", ""},
    {"fjall", "fjall-3", 10, NULL, 0, ALL "all(" BITS "10.0))))", "fjall 3"},
    {"fjall", "fjall-3", 0, lacks, 5, ALL "all(" BITS "10.0)))).expect_point_read_hits(true)", ""},
    {"fjall", "fjall-3", 0, split, 5,
     ALL "new([" BITS "28.61)), " BITS "23.75)), " BITS "23.75)), " BITS "23.75)), " BITS
         "18.9)), " BITS "14.1)), FilterPolicyEntry::None]))",
     "from the last of seven up: a tree of 5 levels has its last 4 there"},
    {"fjall", "leveldb", 0, NULL, 0, ALL "disabled())", ""},
    {"fjall", "fjall-2", 10, NULL, 0, NULL, "has fjall-3"},
    {"pebble", "rocksdb-legacy", 10, NULL, 0, EVERY "bloom.FilterPolicy(10) }", "6 probes"},
    {"pebble", "rocksdb-legacy", 0, seven, 7,
     "opts.Levels[0].FilterPolicy = bloom.FilterPolicy(2); "
     "opts.Levels[1].FilterPolicy = bloom.FilterPolicy(2); "
     "opts.Levels[2].FilterPolicy = bloom.FilterPolicy(3); "
     "opts.Levels[3].FilterPolicy = bloom.FilterPolicy(4); "
     "opts.Levels[4].FilterPolicy = bloom.FilterPolicy(5); "
     "opts.Levels[5].FilterPolicy = bloom.FilterPolicy(6); "
     "opts.Levels[6].FilterPolicy = bloom.FilterPolicy(1)",
     "Pebble takes whole bits"},
    {"pebble", "rocksdb-legacy", 0, lacks, 2, EVERY "bloom.FilterPolicy(10) }", ""},
    {"pebble", "rocksdb-legacy", 0, first_has_none, 2,
     "opts.Levels[0].FilterPolicy = nil; "
     "opts.Levels[1].FilterPolicy = bloom.FilterPolicy(10); "
     "opts.Levels[2].FilterPolicy = bloom.FilterPolicy(10); "
     "opts.Levels[3].FilterPolicy = bloom.FilterPolicy(10); "
     "opts.Levels[4].FilterPolicy = bloom.FilterPolicy(10); "
     "opts.Levels[5].FilterPolicy = bloom.FilterPolicy(10); "
     "opts.Levels[6].FilterPolicy = bloom.FilterPolicy(10)",
     ""},
    {"pebble", "rocksdb-fastlocal", 10, NULL, 0, NULL, "Pebble does not have it"},
    {"pebble", "leveldb", 0, NULL, 0, EVERY "nil }", ""},
    {"parquet", "sbbf-256", 10, NULL, 0, "fpp = 0.00846, ndv = 1000000", "16.8 bits per key"},
    {"parquet", "sbbf-256", 0, split, 5, NULL, "Parquet has no levels"},
    {"parquet", "sbbf-512", 10, NULL, 0, NULL, "it has sbbf-256"},
    {"parquet", "sbbf-512", 0, NULL, 0, "leave the column's Bloom filter disabled", ""},
};

static json_t *row_of(json_t *all, const char *engine)
{
    size_t i;
    json_t *row;
    json_array_foreach(all, i, row)
        if (!strcmp(fb_json_str(row, "engine"), engine))
            return row;
    return NULL;
}

TEST(each_engine_is_told)
{
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const struct fb_engine_asked asked = {told[i].design, told[i].bits, told[i].levels,
                                              told[i].n_levels, 1000000};
        json_t *all = fb_engine_words(&asked), *row = row_of(all, told[i].engine);
        assert_int_equal(json_array_size(all), 5);
        if (told[i].text)
            assert_string_equal(fb_json_str(row, "text"), told[i].text);
        else
            assert_true(json_is_null(json_object_get(row, "text")));
        assert_non_null(
            strstr(fb_json_str(row, told[i].text ? "note" : "text_reason"), told[i].part));
        assert_true(json_is_string(json_object_get(row, "note")));
        json_decref(all);
    }
}

/* Every design that is offered is one of ours, and no control is offered. */
TEST(every_design_is_known)
{
    size_t offered = 0;
    for (size_t i = 0; i < fb_n_designs(); i++) {
        const struct fb_design *design = fb_design_at(i);
        const struct fb_engine_asked asked = {.design = design->name, .bits_per_key = 10};
        json_t *all = fb_engine_words(&asked), *row;
        size_t at;
        json_array_foreach(all, at, row) {
            bool told_it = json_is_string(json_object_get(row, "text"));
            assert_false(told_it && design->traits & FB_CONTROL);
            offered += told_it;
        }
        json_decref(all);
    }
    assert_int_equal(offered, 7);
}

TEST(parquet_without_keys)
{
    const struct fb_engine_asked asked = {.design = "sbbf-256", .bits_per_key = 16};
    json_t *all = fb_engine_words(&asked), *row = row_of(all, "parquet");
    assert_string_equal(fb_json_str(row, "text"),
                        "fpp = 0.000574, ndv = distinct values of a row group");
    assert_null(strstr(fb_json_str(row, "note"), "bits per key"));
    json_decref(all);
}

#ifdef FB_ROCKSDB
#include <glob.h>
#include <rocksdb/c.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/base/file.h"

/* What the OPTIONS file of a new database has of that name, up to the next one; "" where there is
 * none. To be released. */
static char *understood(const char *words, const char *name)
{
    char folder[] = "/tmp/filterbench-words-XXXXXX", pattern[80], *error = NULL;
    assert_non_null(mkdtemp(folder));
    rocksdb_options_t *base = rocksdb_options_create(), *options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(base, 1);
    rocksdb_get_options_from_string(base, words, options, &error);
    assert_null(error);
    rocksdb_t *db = rocksdb_open(options, folder, &error);
    assert_null(error);
    snprintf(pattern, sizeof pattern, "%s/OPTIONS-*", folder);
    glob_t found;
    uint8_t *bytes;
    size_t n;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(fb_file_read(found.gl_pathv[0], &bytes, &n), FB_EXIT_OK);
    globfree(&found);
    bytes[n - 1] = 0;
    const char *at = strstr((char *)bytes, name);
    assert_non_null(at);
    char *line = strndup(at, strcspn(at, "\n"));
    assert_non_null(line);
    free(bytes);
    rocksdb_close(db);
    rocksdb_destroy_db(options, folder, &error);
    rmdir(folder);
    rocksdb_options_destroy(options);
    rocksdb_options_destroy(base);
    return line;
}

TEST(rocksdb_understands)
{
    static const struct {
        const char *design;
        double bits;
        const double *levels;
        const char *name, *value; /* of the OPTIONS file */
    } asked[] = {
        {"rocksdb-fastlocal", 9.6789, NULL, "  filter_policy=", "bloomfilter:9.679:false"},
        {"rocksdb-fastlocal", 10, NULL, "  format_version=", "format_version=5"},
        {"rocksdb-fastlocal", 10, NULL, "  whole_key_filtering=", "=true"},
        {"rocksdb-fastlocal", 10, NULL, "  optimize_filters_for_hits=", "=false"},
        {"rocksdb-fastlocal", 10, lacks, "  optimize_filters_for_hits=", "=true"},
        {"rocksdb-legacy", 10, NULL, "  format_version=", "format_version=4"},
        {"rocksdb-ribbon", 14.25, NULL, "  filter_policy=", "ribbonfilter:14.25:-1"},
        {"rocksdb-fastlocal", 0, NULL, "  filter_policy=", "nullptr"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct fb_engine_asked a = {asked[i].design, asked[i].bits, asked[i].levels,
                                          asked[i].levels ? 5 : 0, 0};
        json_auto_t *all = fb_engine_words(&a);
        auto_free char *line =
            understood(fb_json_str(row_of(all, "rocksdb"), "text"), asked[i].name);
        if (!strstr(line, asked[i].value))
            fail_msg("%s lacks %s", line, asked[i].value);
    }
}
#endif

TESTS(NULL, NULL)
