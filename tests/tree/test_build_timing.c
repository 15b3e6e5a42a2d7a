/*
 * Builds timed in processes of their own: members, refusals, what a tree's filters say of their
 * builds. No figure here depends on a clock.
 */
#include "tests/tree/scene.h"

#include <stdlib.h>

#include "harness/tree/build_timing.h"

static const struct fb_group_options options = {
    .max_processes = 2, .budget_s = 1e-9, .seed = 9, .cpu = -1};

static struct fb_build_candidate candidate_of(const struct scene *s, size_t run, double bits,
                                              uint64_t filter_keys)
{
    return (struct fb_build_candidate){
        .forest = &s->forest, .run = run, .params.bits_per_key = bits, .filter_keys = filter_keys};
}

/* Files and blocks of 16 keys, and a size that the design does not have: that one is left out. A
 * budget of nothing is one process. */
TEST(builds_are_measured)
{
    closed_by(scene_close) struct scene s;
    closed_by(fb_group_close) struct fb_group group;
    scene_open(&s, &small, 1 << 20, "fuse-8", 10, 10);
    const size_t last = s.tree.n_runs - 1;
    struct fb_build_candidate c[] = {candidate_of(&s, last, 10, 400),
                                     candidate_of(&s, last, 4, 400),
                                     candidate_of(&s, last, 10, 16)};
    assert_int_equal(fb_builds_measure(c, 3, &options, &group), FB_OK);
    assert_int_equal(group.n_members, 2);
    assert_int_equal(c[0].member, 0);
    assert_int_equal(c[1].member, -1);
    assert_int_equal(c[2].member, 1);
    assert_int_equal(fb_group_processes(&group), 1);
    for (size_t i = 0; i < 2; i++)
        assert_true(group.members[i].estimate.ns > 0 && group.members[i].estimate.ns < 1e7);
}

/* Of prefixes; and nothing that can be built. */
TEST(of_prefixes)
{
    closed_by(scene_close) struct scene s;
    struct fb_group group;
    struct fb_prefix prefix;
    const char *why;
    scene_open(&s, &small, 1 << 20, "rocksdb-fastlocal", 10, 10);
    assert_true(fb_prefix_parse("capped:4", true, &prefix, &why));
    fb_forest_close(&s.forest);
    scene_filters(&s, "rocksdb-fastlocal", &prefix, 1);
    struct fb_build_candidate c = candidate_of(&s, s.tree.n_runs - 1, 10, 400);
    assert_int_equal(fb_builds_measure(&c, 1, &options, &group), FB_OK);
    assert_int_equal(fb_group_processes(&group), 1);
    fb_group_close(&group);
    c.params.bits_per_key = 1e9;
    assert_int_equal(fb_builds_measure(&c, 1, &options, &group), FB_OK);
    assert_int_equal(fb_group_processes(&group), 0);
    fb_group_close(&group);
}

/* Attempts and memory of a filter in a tree are those of a filter of its keys alone; what waits of
 * them is counted too. */
static void assert_alike(const struct scene *s, const struct fb_run *run, const char *name)
{
    const struct fb_design *design = fb_design_find(name);
    const struct fb_filter *f = &s->forest.filters[run->first_unit];
    const size_t n = (size_t)f->n_keys, words = f->geom.digest_words;
    auto_free uint64_t *index = calloc(n, sizeof *index),
                       *digests = calloc(n * words, sizeof *digests);
    closed_by(fb_keyset_close) struct fb_keyset keys;
    closed_by(fb_filter_close) struct fb_filter alone;
    const char *why;
    assert_true(index && digests);
    for (size_t i = 0; i < n; i++)
        index[i] = fb_run_member(run, i);
    assert_int_equal(fb_keyspace_keys(&s->space, index, n, &keys), FB_OK);
    assert_int_equal(fb_digest_keys(design, NULL, (unsigned)words, &keys.keys, digests), FB_OK);
    assert_int_equal(fb_filter_build_digests(design, NULL, &s->params[0], digests, n, &alone, &why),
                     FB_OK);
    assert_int_equal(alone.geom.n_bytes, f->geom.n_bytes);
    assert_memory_equal(alone.bytes, f->bytes, f->geom.n_bytes);
    assert_int_equal(alone.attempts, f->attempts);
    assert_int_equal(alone.temporary_bytes + (fb_design_waits(design) ? 8 * n * words : 0),
                     f->temporary_bytes);
}

TEST(tree_tells_what_builds_took)
{
    static const char *const designs[] = {
        "sbbf-256",           "rocksdb-fastlocal", "rocksdb-ribbon", "fuse-8",   "xor-8",
        "ribbon-homogeneous", "leveldb",           "counting",       "cuckoo-12"};
    for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
        closed_by(scene_close) struct scene s;
        scene_open(&s, &small, 1 << 20, designs[d], 14, 14);
        for (size_t r = small.memtables; r < s.tree.n_runs; r++)
            assert_alike(&s, &s.tree.runs[r], designs[d]);
    }
}

int main(int argc, char **argv)
{
    fb_processes_child(argc, argv, (const struct fb_child *const[]){&fb_build_child, NULL});
    return run_unit_tests(NULL, NULL);
}
