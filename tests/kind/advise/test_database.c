/* What a database answers of a question: its runs, by counts of its filters. */
#include "tests/documents.h"

#include "harness/kind/advise/advise.h"

/* A file of 100-byte entries with keys of 20 bytes. */
static json_t *file_of(int level, int entries, int filters, int filter_keys, const char *design)
{
    json_t *file = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "level", level,
                             "file_bytes", 100 * entries, "entries", entries, "deletions", 0,
                             "key_bytes", 20 * entries, "value_bytes", 80 * entries, "filters",
                             filters, "filter_keys", filter_keys, "filter_bytes", filter_keys);
    json_object_set_new(file, "design", *design ? json_string(design) : json_null());
    return file;
}

static json_t *fields_of(const char *engine, const char *settings, json_t *files)
{
    json_auto_t *database = quoted("{}");
    json_object_set_new(database, "engine", json_string(engine));
    json_object_set_new(database, "settings", quoted(settings));
    json_object_set_new(database, "files", files);
    json_t *fields = json_object();
    fb_advise_take_database(database, fields);
    return fields;
}

static void assert_runs(const json_t *fields, const char *expected)
{
    json_auto_t *runs = quoted(expected);
    assert_true(json_equal(json_object_get(fields, "run_bytes"), runs));
}

/* A file of level 0 is a run; those of another level are one. A key that has two versions in a file
 * is in its filter once; a file without a filter has as many keys as entries. */
TEST(runs)
{
    json_auto_t *fields =
        fields_of("rocksdb", "{'prefix_extractor': 'nullptr'}",
                  json_pack("[o, o, o, o]", file_of(0, 50, 1, 40, "rocksdb-ribbon"),
                            file_of(0, 60, 1, 60, "rocksdb-ribbon"),
                            file_of(6, 900, 1, 900, "rocksdb-ribbon"), file_of(6, 100, 0, 0, "")));
    assert_runs(fields, "[{'level': 0, 'bytes': 5000, 'files': 1, 'keys': 40}, {'level': 0, "
                        "'bytes': 6000, 'files': 1, 'keys': 60}, {'level': 6, 'bytes': 100000, "
                        "'files': 2, 'keys': 1000}]");
    assert_string_equal(fb_json_str(fields, "engine"), "rocksdb");
    assert_string_equal(fb_json_str(fields, "from"), "rocksdb-ribbon");
    assert_near(fb_json_num(fields, "key_bytes"), 20, 1e-9);
    assert_near(fb_json_num(fields, "value_bytes"), 80, 1e-9);
    assert_null(json_object_get(fields, "style"));
}

/* Each part of a filter is a filter; with prefixes in it, it does not tell its keys. */
TEST(parts_and_prefixes)
{
    json_auto_t *parts = fields_of("rocksdb", "{'compaction_style': 'kCompactionStyleUniversal'}",
                                   json_pack("[o]", file_of(1, 900, 30, 900, "rocksdb-fastlocal")));
    assert_runs(parts, "[{'level': 1, 'bytes': 90000, 'files': 30, 'keys': 900}]");
    assert_string_equal(fb_json_str(parts, "style"), "universal");
    json_auto_t *prefixes =
        fields_of("rocksdb", "{'prefix_extractor': 'rocksdb.FixedPrefix.4'}",
                  json_pack("[o]", file_of(1, 900, 1, 1100, "rocksdb-fastlocal")));
    assert_runs(prefixes, "[{'level': 1, 'bytes': 90000, 'files': 1, 'keys': 900}]");
}

/* LevelDB's filters of blocks count as one for each table; two designs, no filter of today. */
TEST(leveldb_and_several)
{
    json_auto_t *blocks =
        fields_of("leveldb", "{}", json_pack("[o]", file_of(2, 900, 50, 900, "leveldb")));
    assert_runs(blocks, "[{'level': 2, 'bytes': 90000, 'files': 1, 'keys': 900}]");
    json_auto_t *several = fields_of("rocksdb", "{}",
                                     json_pack("[o, o]", file_of(1, 9, 1, 9, "rocksdb-ribbon"),
                                               file_of(2, 9, 1, 9, "rocksdb-fastlocal")));
    assert_null(json_object_get(several, "from"));
}

TESTS(NULL, NULL)
