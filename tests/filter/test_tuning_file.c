/* Profiles of the tuning: written and read again, what is refused and why, what FB_TUNING takes. */
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/filter/tuning.h"

static char path[64];

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/test_tuning_file.XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path) || fb_tuning_begin(NULL);
}

static struct fb_tuning some_tuning(void)
{
    struct fb_tuning t = {.name = "measured", .l2_bytes = 1 << 20, .l3_bytes = 16 << 20};
    for (unsigned work = 0, i = 0; work < FB_N_TUNED_WORKS; work++)
        for (unsigned tuned = 0; tuned < FB_N_TUNED_DESIGNS; tuned++)
            for (unsigned reach = 0; reach < FB_N_REACHES; reach++, i++) {
                const unsigned hint = i % (FB_HINT_T1 + 1 + work);
                t.prefetch[work][tuned][reach] =
                    (struct fb_prefetch){(uint16_t)(hint ? 8 * (i % 32 + 1) : 0), (uint16_t)hint};
            }
    fb_tuning_follow(&t);
    return t;
}

/* Writes a profile with the value (taken over; NULL: it is taken out) at a place. */
static void write_with(const char *at, const char *member, json_t *value)
{
    const struct fb_tuning t = some_tuning();
    json_auto_t *profile = fb_tuning_profile(&t, NULL);
    json_t *object = *at ? (json_t *)fb_json_at(profile, at) : profile;
    assert_non_null(object);
    if (value)
        json_object_set_new(object, member, value);
    else
        json_object_del(object, member);
    assert_int_equal(json_dump_file(profile, path, 0), 0);
}

TEST(is_read_as_it_was_written)
{
    const struct fb_tuning t = some_tuning();
    struct fb_tuning back;
    char *other;
    write_with("", "measured", json_array());
    assert_int_equal(fb_tuning_load(path, &back, &other), FB_EXIT_OK);
    assert_null(other);
    assert_memory_equal(&back, &t, sizeof t);
    assert_int_equal(fb_tuning_begin(path), FB_EXIT_OK);
    assert_memory_equal(fb_tuning_now(), &t, sizeof t);
    json_auto_t *told = fb_tuning_json();
    char text[200], expected[200];
    assert_string_equal(fb_json_str(told, "from"), "file");
    assert_string_equal(fb_json_str(told, "path"), path);
    assert_null(json_object_get(told, "forced"));
    fb_tuning_say(told, text, sizeof text);
    snprintf(expected, sizeof expected, "measured (%s)", path);
    assert_string_equal(text, expected);
}

TEST(what_is_wrong_is_refused)
{
    static const struct {
        const char *at, *member, *value; /* JSON; NULL: none */
    } faults[] = {
        {"", "schema", NULL},
        {"", "schema", "\"filterbench tuning 2\""},
        {"", "key", "\"short\""},
        {"", "name", "\"\""},
        {"", "name", "\"a name of more than thirty-one bytes\""},
        {"", "l2_bytes", "0"},
        {"", "l2_bytes", "1.5"},
        {"", "l3_bytes", "1000"},
        {"", "l3_bytes", NULL},
        {"", "more", "1"},
        {"", "prefetch", NULL},
        {"", "prefetch", "[]"},
        {"prefetch", "query", NULL},
        {"prefetch", "remove", "{}"},
        {"prefetch.query", "line-64", NULL},
        {"prefetch.query", "touch-32", "{}"},
        {"prefetch.insert.scattered", "memory", NULL},
        {"prefetch.insert.scattered", "moon", "\"none\""},
        {"prefetch.query.block-32", "L2", "8"},
        {"prefetch.query.block-32", "L2", "\"T1\""},
        {"prefetch.query.block-32", "L2", "\"T1 12\""},
        {"prefetch.query.block-32", "L2", "\"T1 264\""},
        {"prefetch.query.block-32", "L2", "\"T1 08\""},
        {"prefetch.query.block-32", "L2", "\"none 8\""},
        {"prefetch.query.block-32", "L2", "\"write 8\""},
        {"prefetch.insert.block-32", "L2", "\"write 0\""},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct fb_tuning back;
        const struct fb_tuning before = *fb_tuning_now();
        write_with(faults[i].at, faults[i].member,
                   faults[i].value ? json_loads(faults[i].value, JSON_DECODE_ANY, NULL) : NULL);
        assert_int_equal(fb_tuning_load(path, &back, NULL), FB_EXIT_USAGE);
        assert_int_equal(fb_tuning_begin(path), FB_EXIT_USAGE);
        assert_memory_equal(&before, fb_tuning_now(), sizeof before);
    }
}

TEST(another_machines_is_refused_or_said)
{
    struct fb_tuning back;
    char forced[80], *other;
    write_with("", "key", json_string("0123456789abcdef"));
    assert_int_equal(fb_tuning_load(path, &back, NULL), FB_EXIT_NOT_COMPARABLE);
    assert_int_equal(fb_tuning_begin(path), FB_EXIT_NOT_COMPARABLE);
    assert_int_equal(fb_tuning_load(path, &back, &other), FB_EXIT_OK);
    assert_non_null(other);
    free(other);
    snprintf(forced, sizeof forced, "force:%s", path);
    assert_int_equal(fb_tuning_begin(forced), FB_EXIT_OK);
    json_auto_t *told = fb_tuning_json();
    assert_true(*fb_json_str(told, "forced"));
}

TEST(rows_are_taken_by_name)
{
    struct fb_tuning machine;
    fb_tuning_of_machine(&machine);
    for (size_t i = 0; i < fb_n_tunings(); i++) {
        assert_int_equal(fb_tuning_begin(fb_tuning_at(i)->name), FB_EXIT_OK);
        const struct fb_tuning *now = fb_tuning_now();
        assert_string_equal(now->name, fb_tuning_at(i)->name);
        struct fb_tuning fitted = *fb_tuning_at(i);
        fb_tuning_fit(&fitted, machine.l2_bytes, machine.l3_bytes);
        assert_memory_equal(now->prefetch, fitted.prefetch, sizeof now->prefetch);
        assert_int_equal(now->l2_bytes, machine.l2_bytes);
        assert_int_equal(now->l3_bytes, machine.l3_bytes);
    }
    assert_int_equal(fb_tuning_begin("amd-zen-0"), FB_EXIT_USAGE);
    assert_int_equal(fb_tuning_begin("./amd-zen-4"), FB_EXIT_USAGE);
    assert_int_equal(fb_tuning_begin("force:amd-zen-4"), FB_EXIT_USAGE);
    assert_int_equal(fb_tuning_begin(""), FB_EXIT_OK);
    assert_memory_equal(fb_tuning_now(), &machine, sizeof machine);
    assert_in_range(machine.l3_bytes, machine.l2_bytes, 16 * machine.l2_bytes);
}

TESTS_EACH(make_path, remove_path)
