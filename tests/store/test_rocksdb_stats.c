/*
 * RocksDB's statistics. rocksdb_statistics.txt is what RocksDB 7.8.3 printed after 120000 Gets of a
 * database with 100000 keys, 53334 of them of keys that it had.
 */
#include "tests/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/store/rocksdb_stats.h"

static const char path[] = FB_TEST_DATA "/store/rocksdb_statistics.txt";

static char *whole(void)
{
    uint8_t *bytes;
    size_t n;
    assert_int_equal(fb_file_read(path, &bytes, &n), FB_EXIT_OK);
    char *text = malloc(n + 1);
    assert_non_null(text);
    memcpy(text, bytes, n);
    text[n] = 0;
    free(bytes);
    return text;
}

/* The dump with the first `from` in it replaced. To be released. */
static char *with(const char *from, const char *to)
{
    char *text = whole(), *at = strstr(text, from);
    assert_non_null(at);
    size_t size = strlen(text) + strlen(to) + 1;
    char *changed = malloc(size);
    assert_non_null(changed);
    snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return changed;
}

static void check_whole(const struct fb_rocksdb_stats *s)
{
    assert_int_equal(s->false_positives, 51409 - 49261);
    assert_int_equal(s->negatives, 2148 + 221260);
    assert_near(s->absent_in_tables, 66666. / (120000 - 4073), 1e-15);
}

TEST(a_real_dump)
{
    struct fb_rocksdb_stats s;
    assert_int_equal(fb_rocksdb_stats_read(path, &s), FB_EXIT_OK);
    check_whole(&s);
}

/* In a LOG the first ticker is indented; some tools put a time before every line. */
TEST(the_last_dump_of_a_log)
{
    char *text = whole(), *other = with("useful COUNT : 221260", "useful COUNT : 7"), why[300];
    size_t size = 3 * strlen(text) + 1000;
    auto_free char *log = malloc(size);
    struct fb_rocksdb_stats s;
    assert_non_null(log);
    snprintf(log, size,
             "2026/11/23-02:32:13.7 22143 [/version_set.cc:5049] Recovered from manifest\n"
             "2026/11/23-02:32:13.7 22143 [db/db_impl/db_impl.cc:788] STATISTICS:\n %s\n"
             "2026/11/23-02:32:14.7 22143 [db/db_impl/db_impl.cc:988] ------- DUMPING STATS\n"
             "2026/11/23-02:32:14.7 22143 [db/db_impl/db_impl.cc:788] STATISTICS:\n %s\n"
             "2026/11/23-02:32:15.7 22143 [db/db_impl/db_impl.cc:470] Shutdown complete\n",
             other, text);
    assert_true(fb_rocksdb_stats_parse(log, strlen(log), &s, why));
    check_whole(&s);
    /* Without headings a ticker that comes again begins another dump. */
    snprintf(log, size, "%s%s", text, other);
    assert_true(fb_rocksdb_stats_parse(log, strlen(log), &s, why));
    assert_int_equal(s.negatives, 2148 + 7);
    /* A dump that is cut is not filled up from the one before. */
    for (int heading = 0; heading < 2; heading++) {
        snprintf(log, size, "%s\n%srocksdb.bloom.filter.useful COUNT : 9\n", text,
                 heading ? "STATISTICS:\n " : "");
        assert_false(fb_rocksdb_stats_parse(log, strlen(log), &s, why));
        assert_non_null(strstr(why, "lack rocksdb.bloom.filter.full.positive"));
    }
    size_t n = 0;
    for (const char *c = text; *c; c++) {
        if (c == text || c[-1] == '\n')
            n += (size_t)snprintf(log + n, size - n, "12:00:00 db: ");
        if (*c == '\n')
            log[n++] = '\r';
        log[n++] = *c;
    }
    assert_true(fb_rocksdb_stats_parse(log, n, &s, why));
    check_whole(&s);
    free(text);
    free(other);
}

TEST(nothing_to_divide_by)
{
    static const char text[] =
        "rocksdb.bloom.filter.useful COUNT : 0\nrocksdb.bloom.filter.full.positive COUNT : 5\n"
        "rocksdb.bloom.filter.full.true.positive COUNT : 5\nrocksdb.memtable.hit COUNT : 4\n"
        "rocksdb.memtable.miss COUNT : 0\nrocksdb.l0.hit COUNT : 0\nrocksdb.l1.hit COUNT : 0\n"
        "rocksdb.l2andup.hit COUNT : 0\nrocksdb.block.cache.data.hit COUNT : 0\n"
        "rocksdb.block.cache.data.miss COUNT : 0\nrocksdb.number.keys.read COUNT : 1";
    struct fb_rocksdb_stats s;
    char why[FB_ROCKSDB_STATS_WHY];
    assert_true(fb_rocksdb_stats_parse(text, sizeof text - 1, &s, why));
    assert_true(s.negatives == 0 && isnan(s.absent_in_tables));
    /* The text ends behind "COUNT : ". */
    assert_false(fb_rocksdb_stats_parse(text, sizeof text - 2, &s, why));
    assert_string_equal(why, "line 11: rocksdb.number.keys.read: not a count from 0 to 2^64 - 1");
}

TEST(refused)
{
    static const struct {
        const char *from, *to, *why;
    } bad[] = {
        {"full.true.positive COUNT : 49261", "full.true.positive COUNT : 51410",
         "rocksdb.bloom.filter.full.true.positive is 51410, more than "
         "rocksdb.bloom.filter.full.positive, 51409"},
        {"useful COUNT : 221260", "useful COUNT : -1",
         "rocksdb.bloom.filter.useful: not a count from 0 to 2^64 - 1"},
        {"useful COUNT : 221260", "useful COUNT : 18446744073709551616",
         "rocksdb.bloom.filter.useful: not a count from 0 to 2^64 - 1"},
        {"useful COUNT : 221260", "useful COUNT : 18446744073709551615",
         "rocksdb.bloom.filter.useful and rocksdb.bloom.filter.full.positive are together beyond "
         "2^64"},
        {"data.miss COUNT : 2834", "data.miss COUNT : 18446744073709551615",
         "rocksdb.block.cache.data.hit and rocksdb.block.cache.data.miss are together beyond 2^64"},
        {"memtable.miss COUNT : 115927", "memtable.miss COUNT : 18446744073709551615",
         "rocksdb.memtable.hit and rocksdb.memtable.miss are together beyond 2^64"},
        {"l1.hit COUNT : 9815", "l1.hit COUNT : 98150",
         "rocksdb.l0.hit, rocksdb.l1.hit and rocksdb.l2andup.hit are together more than "
         "rocksdb.memtable.miss, 115927"},
        {"l1.hit COUNT : 9815", "l1.hit COUNT : 18446744073709551615",
         "rocksdb.l0.hit, rocksdb.l1.hit and rocksdb.l2andup.hit are together more than "
         "rocksdb.memtable.miss, 115927"},
        {"l1.hit COUNT : 9815", "l1.hit COUNT : 9815 or so",
         "rocksdb.l1.hit: not a count from 0 to 2^64 - 1"},
        {"rocksdb.l1.hit", "rocksdb.l1.hits",
         "the last statistics, which begin here, lack rocksdb.l1.hit: cut off, or of a "
         "release that does not count it"},
    };
    struct fb_rocksdb_stats s;
    char why[FB_ROCKSDB_STATS_WHY];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        auto_free char *text = with(bad[i].from, bad[i].to);
        assert_false(fb_rocksdb_stats_parse(text, strlen(text), &s, why));
        assert_true(!strncmp(why, "line ", 5) && strstr(why, bad[i].why));
    }
    static const char *const none[] = {
        "", "\n", "hello\n", "rocksdb.db.get.micros P50 : 0.0\n", "COUNT : 1\n", " COUNT : 1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(fb_rocksdb_stats_parse(none[i], strlen(none[i]), &s, why));
        assert_string_equal(why, "no RocksDB statistics in it, such as "
                                 "\"rocksdb.bloom.filter.useful COUNT : 123\"");
    }
    assert_int_equal(fb_rocksdb_stats_read("no/such/file", &s), FB_EXIT_USAGE);
    assert_int_equal(fb_rocksdb_stats_read(FB_TEST_DATA "/unit.h", &s), FB_EXIT_USAGE);
    assert_int_equal(fb_rocksdb_stats_read(FB_TEST_DATA, &s), FB_EXIT_USAGE);
}

/* All tickers are 0 where the statistics' level counts none. */
TEST(counting_was_off)
{
    char *text = whole(), why[FB_ROCKSDB_STATS_WHY];
    struct fb_rocksdb_stats s;
    for (char *at = text; (at = strstr(at, " COUNT : "));)
        for (at += 9; *at >= '0' && *at <= '9'; at++)
            *at = '0';
    assert_false(fb_rocksdb_stats_parse(text, strlen(text), &s, why));
    assert_non_null(strstr(why, "rocksdb.memtable.hit and rocksdb.memtable.miss are 0: nothing was "
                                "read, or the statistics' level counts no tickers"));
    free(text);
}

TESTS(NULL, NULL)
