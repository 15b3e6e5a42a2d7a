/* Filters of prefixes in a tree, point reads and scans of them, against brute force. */
#include "tests/tree/scene.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/tree/read_path.h"

enum { MAX_KEY = 64, N_SCANS = 9000 }; /* more than one task takes */

static const struct fb_tree_shape shape = {
    .style = FB_TIERED,
    .key_bytes = 16,
    .value_bytes = 100,
    .entry_overhead = 8,
    .segment_bytes = 124 * 100,
    .ratio = 3,
    .levels = 3,
    .l0 = 2,
    .fill = 1,
    .memtables = 1,
    .memtable_keys = 50,
    .bits_per_key = 10,
    .scale = 1,
};

/* "p" and a number, '/', a letter: groups of 1 to 8 keys, and a few keys that others begin with. */
static void make_keys(struct fb_keyset *out, size_t n)
{
    closed_by(fb_keyset_close) struct fb_keyset all;
    size_t n_dropped;
    char key[MAX_KEY];
    assert_int_equal(fb_keyset_alloc(n, n * MAX_KEY, false, &all), FB_OK);
    for (unsigned group = 0; all.keys.n < n; group++)
        for (unsigned i = 0; i <= group * 7 % 8 && all.keys.n < n; i++) {
            int len = snprintf(key, sizeof key, "p%05u/%c", group * 3, 'a' + (int)i);
            if (group % 50 == 0)
                len = i ? 3 : 4; /* "p00", or with the next digit: what other keys begin with */
            fb_keyset_push(&all, key, (size_t)len, FB_KEY_BYTES);
        }
    assert_int_equal(fb_keyset_sorted(&all.keys, out, &n_dropped), FB_OK);
}

static void open_scene(struct scene *s, const struct fb_prefix *prefix, const char *design)
{
    const struct fb_query_spec half_absent = {.absent = 0.5};
    uint64_t n_keys = keys_of(&shape);
    memset(s, 0, sizeof *s);
    assert_true(n_keys > 1000 && n_keys < 20000);
    make_keys(&s->file, (size_t)n_keys * 2);
    if (n_keys > s->file.keys.n / 2)
        n_keys = s->file.keys.n / 2;
    fb_keyspace_of_file(&s->file.keys, n_keys, 3, &s->space);
    s->tree = tree_of(&shape, &s->space, 1 << 20);
    for (size_t r = 0; r < s->tree.n_runs; r++)
        s->params[r].bits_per_key = r % 4 == 3 ? -1 : 8;
    scene_filters(s, design, prefix, 2);
    scene_ask(s, &half_absent, 9);
}

static struct fb_prefix prefix_of(const char *text, bool whole_key)
{
    struct fb_prefix p;
    const char *why;
    assert_true(fb_prefix_parse(text, whole_key, &p, &why));
    return p;
}

/* ---- Scans by brute force: every key of every run is looked at ---- */

static bool begins(const struct scene *s, uint64_t member, const uint8_t *prefix, size_t len)
{
    uint8_t key[MAX_KEY];
    size_t n = fb_keyspace_write(&s->space, member & ~FB_MEMBER_TOMBSTONE, key);
    return n >= len && !memcmp(key, prefix, len);
}

static void expect_scan(const struct scene *s, const struct fb_prefix *prefix, const uint8_t *key,
                        size_t key_len, struct fb_scan_counts *c)
{
    size_t len;
    bool seeks = fb_prefix_seek(prefix, key_len, &len), any = false;
    const bool exact = seeks && len < prefix->len; /* capped, and only this key has the prefix */
    uint64_t reads = 0, range = 0, in_vain = 0, pruned = 0, digest[64];
    assert_int_equal(
        fb_prefix_digest(s->forest.design, NULL, s->forest.digest_words, key, len, digest), FB_OK);
    for (size_t r = 0; r < s->tree.n_runs; r++) {
        const struct fb_run *run = s->tree.runs + r;
        size_t in_range = 0;
        for (size_t segment = 0, rank = 0; segment < run->n_segments; segment++) {
            bool has = false, below = false, above = false;
            struct fb_place at = {0};
            for (; rank < run->n_keys; rank++) {
                const uint64_t index = run->member[rank] & ~FB_MEMBER_TOMBSTONE;
                uint8_t text[MAX_KEY];
                assert_true(fb_run_locate(run, index, &at));
                if (at.segment != segment)
                    break;
                size_t n = fb_keyspace_write(&s->space, index, text);
                int order = memcmp(text, key, n < len ? n : len);
                bool with = begins(s, index, key, len) && (n == len || !exact);
                has |= with;
                below |= order < 0 || (order == 0 && n < len);
                above |= order > 0 || (order == 0 && n > len && !with);
            }
            any |= has;
            if (run->memtable || !(has || (below && above)))
                continue;
            in_range++;
            bool maybe = true;
            if (s->forest.prefix.kind != FB_PREFIX_NONE && s->params[r].bits_per_key > 0 && seeks) {
                const struct fb_filter *f = s->forest.filters + run->first_unit + segment;
                c->asked++;
                maybe = f->kernel->query(f, digest);
                assert_true(maybe || !has);
            }
            *(!maybe ? &c->skipped : has ? &c->read_true : &c->read_false) += 1;
            reads += maybe;
            in_vain += maybe && !has;
        }
        c->memtable_searches += run->memtable;
        c->range_checks += !run->memtable;
        range += in_range;
        pruned += !run->memtable && !in_range;
    }
    c->scans++;
    c->held += any;
    c->blind += !seeks;
    c->pruned += pruned;
    c->range_squares += range * range;
    c->range_reads += range * reads;
    c->range_false += range * in_vain;
    c->reads_false += reads * in_vain;
    c->false_squares += in_vain * in_vain;
    c->pruned_squares += pruned * pruned;
    c->io_squares += reads * reads;
    c->io_histogram[reads]++;
}

static void check_scans(const struct scene *s, const struct fb_prefix *prefix,
                        struct fb_scan_counts *c)
{
    struct fb_scan_counts expected = {0}, one;
    closed_by(fb_keyset_close) struct fb_keyset keys = {0};
    struct fb_query query;
    const char *why;
    bool complete;
    for (uint64_t i = 0; i < 300; i++) {
        assert_int_equal(fb_queries_make(&s->queries, i, 1, &query, &keys), FB_OK);
        expect_scan(s, prefix, keys.bytes, fb_key_len(&keys.keys, 0), &expected);
    }
    struct fb_ask ask = scene_queries(s, 0, 300, 2);
    assert_int_equal(fb_prefix_path_count(&ask, prefix, c, &complete, &why), FB_OK);
    assert_true(complete);
    assert_memory_equal(c, &expected, sizeof expected);
    ask = scene_queries(s, 0, N_SCANS, 1);
    assert_int_equal(fb_prefix_path_count(&ask, prefix, &one, &complete, &why), FB_OK);
    ask = scene_queries(s, 300, N_SCANS - 300, 2);
    assert_int_equal(fb_prefix_path_count(&ask, prefix, c, &complete, &why), FB_OK);
    fb_scan_counts_add(c, &expected);
    assert_memory_equal(c, &one, sizeof one);
    assert_true(!c->false_negatives && c->held < c->scans && c->held > 100);
}

TEST(scans_equal_brute_force)
{
    static const struct {
        const char *prefix, *design;
        bool whole_key;
    } cases[] = {{"fixed:6", "bloom-double", false},
                 {"fixed:6", "rocksdb-fastlocal", true},
                 {"capped:5", "bloom-independent", false}};
    uint64_t without = 0;
    for (size_t i = 0; i < 3; i++) {
        struct scene s;
        struct fb_scan_counts c;
        struct fb_prefix prefix = prefix_of(cases[i].prefix, cases[i].whole_key);
        open_scene(&s, &prefix, cases[i].design);
        check_scans(&s, &prefix, &c);
        assert_true(c.asked > c.scans && c.skipped > 0 && c.read_true > 0);
        assert_true((c.blind > 0) == (prefix.kind == FB_PREFIX_FIXED));
        scene_close(&s);
        if (i > 0)
            continue;
        open_scene(&s, NULL, cases[i].design);
        check_scans(&s, &prefix, &c);
        without = c.read_false;
        assert_true(c.asked == 0 && c.skipped == 0 && without > 0);
        scene_close(&s);
    }
}

/* ---- What is in the filters ---- */

TEST(units_hold_their_entries)
{
    const char *why;
    for (int whole = 0; whole < 2; whole++) {
        closed_by(scene_close) struct scene s;
        struct fb_prefix prefix = prefix_of("fixed:6", whole);
        open_scene(&s, &prefix, "rocksdb-fastlocal");
        for (size_t r = 0; r < s.tree.n_runs; r++) {
            const struct fb_run *run = s.tree.runs + r;
            for (size_t u = 0; !run->memtable && u < run->n_segments; u++) {
                const struct fb_filter *f = s.forest.filters + run->first_unit + u;
                closed_by(fb_keyset_close) struct fb_keyset keys;
                struct fb_filter expected;
                size_t n;
                assert_int_equal(fb_keyset_alloc(run->n_keys, run->n_keys * MAX_KEY, false, &keys),
                                 FB_OK);
                for (size_t i = 0; i < run->n_keys; i++) {
                    uint8_t key[MAX_KEY];
                    struct fb_place at;
                    assert_true(fb_run_locate(run, run->member[i], &at));
                    if (at.unit == u)
                        fb_keyset_push(&keys, key, fb_keyspace_write(&s.space, run->member[i], key),
                                       FB_KEY_BYTES);
                }
                auto_free uint64_t *digests = calloc(2 * keys.keys.n + 1, sizeof *digests);
                assert_int_equal(
                    fb_prefix_entries(&prefix, s.forest.design, NULL, 1, &keys.keys, digests, &n),
                    FB_OK);
                if (s.forest.runs[r].filtered) {
                    assert_int_equal(fb_filter_build_digests(s.forest.design, NULL, s.params + r,
                                                             digests, n, &expected, &why),
                                     FB_OK);
                    assert_true(f->geom.n_bytes == expected.geom.n_bytes);
                    assert_memory_equal(f->bytes, expected.bytes, f->geom.n_bytes);
                    fb_filter_close(&expected);
                } else {
                    assert_true(f->geom.n_bytes == 0 && f->kernel == &fb_kernel_yes);
                }
            }
        }
    }
}

/* Point reads: with prefixes alone no present key is denied, and absent ones pass that share a
 * prefix with a present one; with keys as well, few do. */
TEST(point_reads_ask_for_what_is_in)
{
    uint64_t in_vain[2];
    for (int whole = 0; whole < 2; whole++) {
        closed_by(scene_close) struct scene s;
        closed_by(fb_read_counts_close) struct fb_read_counts c;
        bool complete;
        struct fb_prefix prefix = prefix_of("fixed:6", whole);
        open_scene(&s, &prefix, "bloom-double");
        const struct fb_ask ask = scene_queries(&s, 0, 5000, 2);
        assert_int_equal(fb_read_path_count(&ask, &uncached, &c, &complete), FB_OK);
        assert_true(c.false_negatives == 0 && c.data_found > 1000);
        in_vain[whole] = c.data_false;
        uint64_t in_range = 0;
        for (size_t r = 0; r < s.tree.n_runs; r++)
            in_range += s.forest.runs[r].filtered ? c.run[r].asked : 0;
        assert_true(whole ? c.asked == in_range : c.asked < in_range); /* not for short keys */
    }
    assert_true(in_vain[0] > in_vain[1] + 300);
}

TEST(refuses_with_a_reason)
{
    closed_by(scene_close) struct scene s;
    struct fb_scan_counts c;
    bool complete;
    const char *why = NULL;
    struct fb_prefix built = prefix_of("fixed:6", true), other = prefix_of("fixed:5", true),
                     none = prefix_of("none", true);
    open_scene(&s, &built, "bloom-double");
    const struct fb_ask ask = scene_queries(&s, 0, 1, 1);
    assert_int_equal(fb_prefix_path_count(&ask, &other, &c, &complete, &why), FB_EINVAL);
    assert_non_null(why);
    assert_int_equal(fb_prefix_path_count(&ask, &none, &c, &complete, &why), FB_EINVAL);
    assert_non_null(why);
}

TESTS(NULL, NULL)
