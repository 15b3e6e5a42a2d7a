/* Tables of an engine without the engine: LevelDB's files read byte by byte, the tree they make,
 * and what a Get reads of it. */
#include "tests/engine/said.h"

#include <sys/stat.h>
#include <unistd.h>

#include "filters/core/bits.h"
#include "harness/engine/policy.h"
#include "harness/engine/predict.h"
#include "harness/engine/scratch.h"
#include "harness/engine/sstable.h"

/* ---- A file of LevelDB's ---- */

struct bytes {
    uint8_t at[4096];
    size_t n;
};

static void add(struct bytes *b, const void *from, size_t n)
{
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

static void add_number(struct bytes *b, uint64_t x, int n)
{
    for (int i = 0; i < n; i++)
        b->at[b->n++] = (uint8_t)(x >> 8 * i);
}

/* `shared` bytes of the key are those of the entry before. */
static void add_entry(struct bytes *b, const char *key, size_t shared, uint64_t tag,
                      const void *value, size_t value_len)
{
    const size_t len = strlen(key);
    const uint8_t head[] = {(uint8_t)shared, (uint8_t)(len + 8 - shared), (uint8_t)value_len};
    add(b, head, sizeof head);
    add(b, key + shared, len - shared);
    add_number(b, tag, 8);
    add(b, value, value_len);
}

/* Restarts, compression and checksum; returns the block's size without the last two. */
static size_t end_block(struct bytes *b, size_t start)
{
    add_number(b, 0, 4);
    add_number(b, 1, 4);
    const size_t size = b->n - start;
    add_number(b, 0, 5);
    return size;
}

static void add_handle(struct bytes *b, size_t offset, size_t size)
{
    for (size_t i = 0; i < 2; i++) { /* varints of two bytes */
        const size_t x = i ? size : offset;
        b->at[b->n++] = (uint8_t)(x | 128);
        b->at[b->n++] = (uint8_t)(x >> 7);
    }
}

/* Blocks "ant", "apple" (twice) and "bee", a filter of 3 bytes "xyz". The index bounds the first
 * block by "b", which is no key, and the second by its key. */
static struct bytes table_file(void)
{
    struct bytes b = {.n = 0}, handle = {.n = 0};
    const uint64_t newer = 2 << 8 | 1, older = 1 << 8 | 1, none = UINT64_MAX << 8 | 1;
    add_entry(&b, "ant", 0, older, "1", 1);
    add_entry(&b, "apple", 1, newer, "22", 2);
    add_entry(&b, "apple", 5, older, "", 0);
    const size_t first = end_block(&b, 0), second_at = b.n;
    add_entry(&b, "bee", 0, older, "4", 1);
    const size_t second = end_block(&b, second_at), filter_at = b.n;
    add(&b, "xyz", 3);
    add_number(&b, 0, 5);
    const size_t meta_at = b.n;
    add_handle(&handle, filter_at, 3);
    const char *name = "filter.leveldb.BuiltinBloomFilter2";
    const uint8_t head[] = {0, (uint8_t)strlen(name), (uint8_t)handle.n};
    add(&b, head, sizeof head);
    add(&b, name, strlen(name));
    add(&b, handle.at, handle.n);
    const size_t meta = end_block(&b, meta_at), index_at = b.n;
    handle.n = 0;
    add_handle(&handle, 0, first);
    add_entry(&b, "b", 0, none, handle.at, handle.n);
    handle.n = 0;
    add_handle(&handle, second_at, second);
    add_entry(&b, "bee", 1, older, handle.at, handle.n);
    const size_t index = end_block(&b, index_at), footer = b.n;
    add_handle(&b, meta_at, meta);
    add_handle(&b, index_at, index);
    b.n = footer + 40;
    add_number(&b, UINT64_C(0xdb4775248b80fb57), 8);
    return b;
}

TEST(sstable)
{
    const struct bytes b = table_file();
    char said[200] = "";
    const struct fb_engine_sink sink = {said, NULL, say_key, say_block};
    struct fb_engine_table about = {0};
    struct fb_sstable table;
    assert_int_equal(fb_sstable_each(b.at, b.n, false, &sink, &about), FB_OK);
    assert_string_equal(said, "ant apple <b@0; bee <=bee@56; ");
    assert_int_equal(about.entries, 4);
    assert_true(fb_sstable_footer(b.at + b.n - FB_SSTABLE_FOOTER, b.n, &table));
    assert_int_equal(table.filter.offset, table.metaindex.offset);
    assert_true(fb_sstable_filter(b.at + table.metaindex.offset, &table));
    assert_int_equal(table.filter.size, 3);
    assert_memory_equal(b.at + table.filter.offset, "xyz", 3);
}

/* Whatever a byte is changed to: nothing outside of the file is read, which a sanitizer sees. */
TEST(broken_sstable)
{
    static const uint8_t wrong[] = {0, 1, 127, 128, 255};
    const struct bytes whole = table_file();
    size_t refused = 0;
    for (size_t i = 0; i < whole.n; i++)
        for (size_t j = 0; j < sizeof wrong; j++) {
            char said[4096] = "";
            const struct fb_engine_sink sink = {said, NULL, say_key, say_block};
            struct fb_sstable table;
            struct fb_engine_table about = {0};
            auto_free uint8_t *b = malloc(whole.n);
            assert_non_null(b);
            memcpy(b, whole.at, whole.n);
            b[i] = wrong[j];
            refused += fb_sstable_each(b, whole.n, false, &sink, &about) == FB_ECORRUPT;
            if (fb_sstable_footer(b + whole.n - FB_SSTABLE_FOOTER, whole.n, &table))
                (void)fb_sstable_filter(b + table.metaindex.offset, &table);
        }
    assert_true(refused > whole.n);
    for (size_t n = 0; n < whole.n; n++) {
        char said[4096] = "";
        const struct fb_engine_sink sink = {said, NULL, say_key, say_block};
        struct fb_engine_table about = {0};
        auto_free uint8_t *b = malloc(n + 1);
        assert_non_null(b);
        memcpy(b, whole.at, n);
        assert_int_equal(fb_sstable_each(b, n, false, &sink, &about), FB_ECORRUPT);
    }
}

/* ---- A tree without an engine ---- */

static bool tell_table(const struct fb_engine_sink *s, unsigned level, uint64_t number,
                       uint64_t entries, bool by_blocks)
{
    const struct fb_engine_table table = {.level = level,
                                          .number = number,
                                          .entries = entries,
                                          .file_bytes = level ? 9 << 20 : 9000,
                                          .by_blocks = by_blocks};
    return s->table(s->self, &table);
}

/* Level 0: table 7, of "b" and "d"; the older table 5, of "a" to "c". Level 1: tables 1 and 2, in
 * blocks: "ab", "ad" | "e", "f" and "k" | "n". The first block of table 1 ends below "e". */
static bool tell_tables(void *db, const struct fb_engine_sink *s, struct fb_engine_why *why)
{
    (void)db, (void)why;
    return tell_table(s, 0, 7, 2, false) && s->key(s->self, "b", 1) && s->key(s->self, "d", 1) &&
           tell_table(s, 0, 5, 3, false) && s->key(s->self, "a", 1) && s->key(s->self, "b", 1) &&
           s->key(s->self, "c", 1) && tell_table(s, 1, 1, 4, true) && s->key(s->self, "ab", 2) &&
           s->key(s->self, "ad", 2) && s->block(s->self, 0, 0 >> 11, "e", 1, true) &&
           s->key(s->self, "e", 1) && s->key(s->self, "f", 1) &&
           s->block(s->self, 2048, 2048 >> 11, "f", 1, false) && tell_table(s, 1, 2, 2, true) &&
           s->key(s->self, "k", 1) && s->block(s->self, 0, 0 >> 11, "l", 1, true) &&
           s->key(s->self, "n", 1) && s->block(s->self, 2047, 2047 >> 11, "n", 1, false);
}

static const struct fb_engine_driver driver = {.tables = tell_tables};

static struct fb_get_counts ask(struct fb_prediction *p, const char *key)
{
    struct fb_get_counts counts = {0};
    fb_prediction_get(p, key, strlen(key), &counts);
    return counts;
}

TEST(coldness)
{
    assert_int_equal(fb_level_cold(0), 0);
    assert_int_equal(fb_level_cold(1 << 20), 1); /* 16 / 17 */
    assert_int_equal(fb_level_cold(16 << 20), 8);
    assert_int_equal(fb_level_cold(UINT64_C(1) << 50), 16);
}

/* The design `exact` errs never: a Get reads where its key is, and nowhere else. */
TEST(prediction)
{
    static const struct {
        const char *key;
        /* Of filters and reads those of level 1, whose 18 MiB are cold to 18 / (18 + 16). */
        unsigned checks, cold_checks, found, cold_reads;
    } gets[] = {
        {"b", 1, 0, 1, 0},  /* in the newest table, though the second has it too */
        {"c", 2, 0, 1, 0},  /* both tables of level 0 */
        {"a", 1, 0, 1, 0},  /* before table 7 */
        {"ab", 2, 1, 1, 1}, /* table 5, then table 1 */
        {"d", 1, 0, 1, 0},  {"f", 1, 1, 1, 1},  {"n", 1, 1, 1, 1},
        {"ac", 2, 1, 0, 0}, {"dd", 1, 1, 0, 0}, /* in the range of table 1 alone */
        {"e", 1, 1, 1, 1}, /* the bound of its first block, and in its second */
        {"g", 0, 0, 0, 0}, /* between tables 1 and 2 */
        {"z", 0, 0, 0, 0},
    };
    const struct fb_params params = {0};
    struct fb_engine_why reason;
    closed_by(fb_tables_close) struct fb_tables tables;
    struct fb_prediction p;
    const char *why = NULL;
    assert_true(fb_tables_read(&driver, NULL, &tables, &reason));
    assert_int_equal(tables.n_files, 4);
    assert_int_equal(tables.n_blocks, 4);
    assert_true(fb_tables_same(&tables, &tables));
    assert_int_equal(fb_prediction_open(&tables, fb_design_find("exact"), &params, false, &p, &why),
                     FB_OK);
    assert_int_equal(p.n_filters, 5); /* the blocks of table 2 start in one stretch of 2 KiB */
    for (size_t i = 0; i < sizeof gets / sizeof *gets; i++) {
        const struct fb_get_counts c = ask(&p, gets[i].key);
        assert_int_equal(c.engine.checks, gets[i].checks);
        assert_int_equal(c.engine.found, gets[i].found);
        assert_int_equal(c.engine.data_reads, gets[i].found);
        assert_int_equal(c.cold_checks, 8 * gets[i].cold_checks);
        assert_int_equal(c.cold_reads, 8 * gets[i].cold_reads);
        assert_int_equal(c.engine.negatives, gets[i].checks - gets[i].found);
    }
    fb_prediction_close(&p);
    assert_int_equal(fb_prediction_open(&tables, fb_design_find("exact"), &params, true, &p, &why),
                     FB_OK);
    assert_int_equal(p.n_filters, 4);
    fb_prediction_close(&p);
}

/* Which blocks are read shows in the hash. */
TEST(reads)
{
    const struct fb_params params = {0};
    struct fb_engine_why reason;
    closed_by(fb_tables_close) struct fb_tables tables;
    closed_by(fb_prediction_close) struct fb_prediction p;
    const char *why = NULL;
    assert_true(fb_tables_read(&driver, NULL, &tables, &reason));
    assert_int_equal(fb_prediction_open(&tables, fb_design_find("exact"), &params, false, &p, &why),
                     FB_OK);
    (void)ask(&p, "ad");
    const uint64_t first = fb_engine_read_hash(0, 1, 0);
    assert_int_equal(p.read_hash, first);
    (void)ask(&p, "dd");
    (void)ask(&p, "e");
    const uint64_t second = fb_engine_read_hash(first, 1, 2048);
    assert_int_equal(p.read_hash, second);
    (void)ask(&p, "n");
    assert_int_equal(p.read_hash, fb_engine_read_hash(second, 2, 2047));
}

static bool tell_old_version(void *db, const struct fb_engine_sink *s, struct fb_engine_why *why)
{
    static const struct fb_engine_table table = {.number = 7, .entries = 2};
    (void)db, (void)why;
    return s->table(s->self, &table) && s->key(s->self, "b", 1);
}

TEST(versions)
{
    static const struct fb_engine_driver versions = {.tables = tell_old_version};
    struct fb_engine_why why;
    closed_by(fb_tables_close) struct fb_tables tables;
    assert_false(fb_tables_read(&versions, NULL, &tables, &why));
    assert_non_null(strstr(why.text, "table 7 has 2 entries of 1 keys"));
}

/* ---- Designs as policies ---- */

enum { MANY = 1200 };

/* More filters than a policy has places for at first, each known by its address. */
TEST(policy)
{
    const struct fb_params params = {.bits_per_key = 10};
    static struct fb_policy p;
    static uint8_t *block[MANY];
    static size_t len[MANY];
    assert_null(fb_policy_why_not(fb_design_find("sbbf-512")));
    assert_non_null(fb_policy_why_not(fb_design_find("always")));
    assert_non_null(fb_policy_why_not(fb_design_find("null")));
    fb_policy_open(fb_design_find("sbbf-512"), &params, NULL, &p);
    assert_string_equal(p.policy.name, "filterbench.sbbf-512");
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t offset[] = {0, 8}, key = fb_mix64(i);
        const struct fb_keys keys = {.bytes = (const uint8_t *)&key, .offset = offset, .n = 1};
        assert_true(p.policy.create(&p, &keys, &block[i], &len[i]));
    }
    size_t wrong = 0;
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < MANY; i++) {
            const uint64_t key = fb_mix64(i), other = fb_mix64(MANY + i);
            assert_true(p.policy.maybe(&p, &key, 8, block[i], len[i]));
            wrong += p.policy.maybe(&p, &other, 8, block[i], len[i]);
        }
    assert_true(wrong < MANY / 100);
    assert_int_equal(p.n, MANY);
    assert_int_equal(p.err, FB_OK);
    fb_policy_close(&p);
    for (size_t i = 0; i < MANY; i++)
        free(block[i]);
    fb_policy_open(fb_design_find("fuse-16"), &params, "other", &p);
    const uint64_t offset[] = {0, 8}, key = 1;
    const struct fb_keys keys = {.bytes = (const uint8_t *)&key, .offset = offset, .n = 1};
    assert_false(p.policy.create(&p, &keys, block, len));
    assert_true(fb_err_refuses(p.err));
    assert_non_null(p.why);
    fb_policy_close(&p);
}

/* ---- Folders ---- */

TEST(scratch)
{
    struct fb_scratch s, kept;
    char from[4096], to[4096], file[5000];
    struct stat about;
    assert_int_equal(fb_scratch_open(".", 1000, false, &s), FB_EXIT_OK);
    assert_int_equal(fb_scratch_folder(&s, "from", from, sizeof from), FB_EXIT_OK);
    snprintf(file, sizeof file, "%s/000005.ldb", from);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    for (int i = 0; i < 100000; i++)
        fputc('x', out);
    assert_int_equal(fclose(out), 0);
    snprintf(to, sizeof to, "%s/to", s.path);
    assert_int_equal(fb_folder_copy(from, to), FB_EXIT_OK);
    snprintf(file, sizeof file, "%s/000005.ldb", to);
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_size, 100000);
    assert_int_equal(fb_folder_copy(from, to), FB_EXIT_IO); /* it is there */
    assert_int_equal(fb_folder_remove(from), FB_EXIT_OK);
    assert_int_equal(fb_folder_remove(from), FB_EXIT_IO);
    snprintf(from, sizeof from, "%s", s.path);
    fb_scratch_close(&s);
    assert_int_not_equal(stat(from, &about), 0);

    assert_int_equal(fb_scratch_open(".", 1000, true, &kept), FB_EXIT_OK);
    snprintf(from, sizeof from, "%s", kept.path);
    fb_scratch_close(&kept);
    assert_int_equal(rmdir(from), 0);
    assert_int_equal(fb_scratch_open(".", UINT64_MAX, false, &s), FB_EXIT_IO);
    assert_int_equal(fb_scratch_open("/proc/none", 0, false, &s), FB_EXIT_IO);
}

TESTS(NULL, NULL)
