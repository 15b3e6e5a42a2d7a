/* The built-in designs loaded twice more, as a base and a head: each answers as the design that is
 * built in, and filters of the three may stand in one walk. */
#include "tests/unit.h"

#include <dlfcn.h>

#include "filters/core/filter.h"
#include "harness/filter/bits_taken.h"
#include "harness/filter/plugin.h"
#include "harness/filter/tuning.h"
#include "tests/golden.h"

enum { N = 500 };

static const char *const prefixes[] = {"base", "head"};
static size_t n_built_in;

static int load(void **state)
{
    (void)state;
    n_built_in = fb_n_designs();
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(fb_plugins_load(FB_DESIGNS_PLUGIN, prefixes[i]), FB_EXIT_OK);
    return 0;
}

static const struct fb_design *prefixed(const char *prefix, const struct fb_design *design)
{
    char name[80];
    snprintf(name, sizeof name, "%s:%s", prefix, design->name);
    const struct fb_design *found = fb_design_find(name);
    assert_non_null(found);
    assert_ptr_not_equal(found->kernels, design->kernels);
    return found;
}

TEST(stand_beside_those_built_in)
{
    assert_int_equal(fb_n_designs(), 3 * n_built_in);
    assert_int_equal(fb_n_plugins(), 2);
    for (size_t i = 0; i < n_built_in; i++)
        for (size_t p = 0; p < 2; p++)
            assert_ptr_equal(prefixed(prefixes[p], fb_design_at(i)),
                             fb_design_at((p + 1) * n_built_in + i));
    assert_string_equal(fb_plugin_at(0)->prefix, "base");
    assert_string_equal(fb_plugin_at(0)->content, fb_plugin_at(1)->content);
    assert_int_equal(strlen(fb_plugin_at(0)->content), 32);
    json_auto_t *list = fb_plugins_json();
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(json_array_get(list, 1), "designs"), 0)),
        fb_design_at(2 * n_built_in)->name);
}

TEST(names_are_taken_once)
{
    assert_int_equal(fb_plugins_load(FB_DESIGNS_PLUGIN, "base"), FB_EXIT_PLUGIN);
    assert_int_equal(fb_plugins_load(FB_DESIGNS_PLUGIN, NULL), FB_EXIT_PLUGIN);
    assert_int_equal(fb_plugins_load(FB_DESIGNS_PLUGIN, "a-prefix-that-makes-names-too-long"),
                     FB_EXIT_PLUGIN);
    assert_int_equal(fb_n_plugins(), 2);
    assert_int_equal(fb_n_designs(), 3 * n_built_in);
}

static struct fb_filter build(const struct fb_design *design, size_t n)
{
    closed_by(fb_keyset_close) struct fb_keyset set = golden_keys("u64", 3, n, false);
    const struct fb_params params = {
        .bits_per_key = design->traits & FB_CONTROL ? 0 : fb_bits_taken(design, 10)};
    struct fb_filter f;
    const char *why;
    assert_int_equal(fb_filter_build(design, NULL, &params, &set.keys, &f, &why), FB_OK);
    return f;
}

/* Of each origin a filter, with one that says yes, one that says no, and none, in one walk. */
TEST(answer_alike)
{
    closed_by(fb_keyset_close) struct fb_keyset set = golden_keys("u64", 3, 2 * N, false);
    for (size_t i = 0; i < n_built_in; i++) {
        const struct fb_design *design = fb_design_at(i);
        struct fb_filter f[3] = {build(design, N), build(prefixed("base", design), N),
                                 build(prefixed("head", design), N)};
        const struct fb_filter no = {.kernel = &fb_kernel_no}, yes = {.kernel = &fb_kernel_yes};
        const struct fb_filter *walk[] = {&f[0], &no, &f[1], NULL, &yes, &f[2]};
        for (size_t p = 1; p < 3; p++) {
            assert_int_equal(f[p].geom.n_bytes, f[0].geom.n_bytes);
            assert_memory_equal(f[p].bytes, f[0].bytes, f[0].geom.n_bytes);
        }
        for (size_t k = 0; k < set.keys.n; k++) {
            uint64_t digest[FB_MAX_PROBES] = {0};
            const struct fb_keys one = {set.bytes, set.offset + k, NULL, 1};
            assert_int_equal(fb_digest_keys(design, NULL, f[0].geom.digest_words, &one, digest),
                             FB_OK);
            const uint64_t in = f[0].kernel->query(&f[0], digest);
            const uint64_t want = in | in << 2 | 1 << 4 | in << 5;
            for (size_t p = 0; p < 3; p++) {
                f[p].kernel->prefetch_across(walk, 6, digest);
                assert_int_equal(f[p].kernel->query_across(walk, 6, digest), want);
            }
        }
        for (size_t p = 0; p < 3; p++)
            fb_filter_close(&f[p]);
    }
}

/* The toys note what they are given: what is in force as they are loaded, and what comes after. */
TEST(take_the_tuning)
{
    struct fb_tuning t;
    fb_tuning_of_machine(&t);
    strcpy(t.name, "first");
    assert_int_equal(fb_tuning_use(&t), FB_OK);
    assert_int_equal(fb_plugins_load(FB_TOYS_PLUGIN, NULL), FB_EXIT_OK);
    void *object = dlopen(FB_TOYS_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(object);
    const struct fb_tuning *set = dlsym(object, "toys_tuning");
    assert_non_null(set);
    assert_memory_equal(set, &t, sizeof t);
    strcpy(t.name, "second");
    assert_int_equal(fb_tuning_use(&t), FB_OK);
    assert_memory_equal(set, &t, sizeof t);
    t.l2_bytes = 0;
    assert_int_equal(fb_tuning_use(&t), FB_EINVAL);
    assert_string_equal(set->name, "second");
    assert_int_not_equal(set->l2_bytes, 0);
    dlclose(object);
}

TESTS(load, NULL)
