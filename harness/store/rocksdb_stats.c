#include "harness/store/rocksdb_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"

/* In the order of enum ticker. */
static const char *const names[] = {
    "rocksdb.bloom.filter.useful",
    "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.full.true.positive",
    "rocksdb.memtable.hit",
    "rocksdb.memtable.miss",
    "rocksdb.l0.hit",
    "rocksdb.l1.hit",
    "rocksdb.l2andup.hit",
    "rocksdb.block.cache.data.hit",
    "rocksdb.block.cache.data.miss",
    "rocksdb.number.keys.read",
};
enum ticker {
    USEFUL,
    POSITIVE,
    TRUE_POSITIVE,
    MEMTABLE_HIT,
    MEMTABLE_MISS,
    L0_HIT,
    L1_HIT,
    L2_HIT,
    DATA_HIT,
    DATA_MISS,
    KEYS_READ,
    N_TICKERS
};
static const char mark[] = " COUNT : ";

/* One dump: each ticker's count, and the line it stands in, from 1; 0: not seen. */
struct dump {
    uint64_t count[N_TICKERS];
    size_t line[N_TICKERS], first;
};

/* The place of `part` in the line, NULL where there is none. */
static const char *find(const char *line, size_t len, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= len; i++)
        if (!memcmp(line + i, part, n))
            return line + i;
    return NULL;
}

/* A whole number up to 2^64 - 1, and nothing behind it but blanks. */
static bool read_count(const char *text, size_t len, uint64_t *out)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *out = value;
    size_t digits = i;
    while (i < len && (text[i] == ' ' || text[i] == '\r'))
        i++;
    return digits && i == len;
}

/* The ticker that a line counts, and where its count starts; N_TICKERS: none of ours. `any` is set
 * where the line counts any ticker. */
static enum ticker ticker_of(const char *line, size_t len, size_t *at, bool *any)
{
    const char *found = find(line, len, mark);
    *at = found ? (size_t)(found - line) + strlen(mark) : 0;
    if (!found)
        return N_TICKERS;
    const char *name = found;
    while (name > line && name[-1] != ' ' && name[-1] != '\t')
        name--;
    size_t n = (size_t)(found - name);
    *any = *any || (n > 8 && !memcmp(name, "rocksdb.", 8));
    for (size_t i = 0; i < N_TICKERS; i++)
        if (strlen(names[i]) == n && !memcmp(names[i], name, n))
            return (enum ticker)i;
    return N_TICKERS;
}

static bool read_dump(const char *text, size_t len, struct dump *dump,
                      char why[FB_ROCKSDB_STATS_WHY])
{
    bool any = false;
    size_t number = 0;
    *dump = (struct dump){.first = 0};
    for (size_t start = 0, end; start < len; start = end + 1) {
        const char *newline = memchr(text + start, '\n', len - start);
        end = newline ? (size_t)(newline - text) : len;
        const char *line = text + start;
        size_t n = end - start, at;
        number++;
        if (find(line, n, "STATISTICS:"))
            *dump = (struct dump){.first = number};
        enum ticker ticker = ticker_of(line, n, &at, &any);
        if (ticker == N_TICKERS)
            continue;
        if (dump->line[ticker] || !dump->first)
            *dump = (struct dump){.first = number};
        dump->line[ticker] = number;
        if (!read_count(line + at, n - at, &dump->count[ticker])) {
            snprintf(why, FB_ROCKSDB_STATS_WHY, "line %zu: %s: not a count from 0 to 2^64 - 1",
                     number, names[ticker]);
            return false;
        }
    }
    if (!any) {
        snprintf(why, FB_ROCKSDB_STATS_WHY,
                 "no RocksDB statistics in it, such as \"%s COUNT : 123\"", names[USEFUL]);
        return false;
    }
    for (size_t i = 0; i < N_TICKERS; i++)
        if (!dump->line[i]) {
            snprintf(why, FB_ROCKSDB_STATS_WHY,
                     "line %zu: the last statistics, which begin here, lack %s: cut off, or of a "
                     "release that does not count it",
                     dump->first ? dump->first : 1, names[i]);
            return false;
        }
    return true;
}

/* Whether a + b fits, and their sum. */
static bool add(uint64_t a, uint64_t b, uint64_t *sum)
{
    *sum = a + b;
    return *sum >= a;
}

static bool agree(const struct dump *dump, char why[FB_ROCKSDB_STATS_WHY])
{
    const uint64_t *c = dump->count;
    uint64_t hits, sum;
    char *to = why;
    size_t room = FB_ROCKSDB_STATS_WHY;
    if (c[TRUE_POSITIVE] > c[POSITIVE])
        snprintf(to, room, "line %zu: %s is %" PRIu64 ", more than %s, %" PRIu64,
                 dump->line[TRUE_POSITIVE], names[TRUE_POSITIVE], c[TRUE_POSITIVE], names[POSITIVE],
                 c[POSITIVE]);
    else if (!add(c[USEFUL], c[POSITIVE], &sum))
        snprintf(to, room, "line %zu: %s and %s are together beyond 2^64", dump->line[USEFUL],
                 names[USEFUL], names[POSITIVE]);
    else if (!add(c[DATA_HIT], c[DATA_MISS], &sum))
        snprintf(to, room, "line %zu: %s and %s are together beyond 2^64", dump->line[DATA_HIT],
                 names[DATA_HIT], names[DATA_MISS]);
    else if (!add(c[MEMTABLE_HIT], c[MEMTABLE_MISS], &sum))
        snprintf(to, room, "line %zu: %s and %s are together beyond 2^64", dump->line[MEMTABLE_HIT],
                 names[MEMTABLE_HIT], names[MEMTABLE_MISS]);
    else if (!sum)
        snprintf(to, room,
                 "line %zu: %s and %s are 0: nothing was read, or the statistics' level counts no "
                 "tickers",
                 dump->line[MEMTABLE_HIT], names[MEMTABLE_HIT], names[MEMTABLE_MISS]);
    else if (!add(c[L0_HIT], c[L1_HIT], &hits) || !add(hits, c[L2_HIT], &hits) ||
             hits > c[MEMTABLE_MISS])
        snprintf(to, room, "line %zu: %s, %s and %s are together more than %s, %" PRIu64,
                 dump->line[L0_HIT], names[L0_HIT], names[L1_HIT], names[L2_HIT],
                 names[MEMTABLE_MISS], c[MEMTABLE_MISS]);
    else
        return true;
    return false;
}

bool fb_rocksdb_stats_parse(const char *text, size_t len, struct fb_rocksdb_stats *out,
                            char why[FB_ROCKSDB_STATS_WHY])
{
    struct dump dump;
    *out = (struct fb_rocksdb_stats){.negatives = 0};
    if (!read_dump(text, len, &dump, why) || !agree(&dump, why))
        return false;
    const uint64_t *c = dump.count;
    uint64_t nowhere = c[MEMTABLE_MISS] - c[L0_HIT] - c[L1_HIT] - c[L2_HIT];
    out->false_positives = c[POSITIVE] - c[TRUE_POSITIVE];
    out->negatives = out->false_positives + c[USEFUL];
    out->absent_in_tables = c[MEMTABLE_MISS] ? (double)nowhere / (double)c[MEMTABLE_MISS] : NAN;
    return true;
}

enum fb_exit fb_rocksdb_stats_read(const char *path, struct fb_rocksdb_stats *out)
{
    char why[FB_ROCKSDB_STATS_WHY];
    uint8_t *bytes;
    size_t n;
    enum fb_exit code = fb_file_read(path, &bytes, &n);
    if (code)
        return code;
    if (!fb_rocksdb_stats_parse((const char *)bytes, n, out, why)) {
        fb_error("%s: %s", fb_file_name(path), why);
        code = FB_EXIT_USAGE;
    }
    free(bytes);
    return code;
}
