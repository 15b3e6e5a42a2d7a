/* What is set in JSON documents, read from them and compared; and the names that were meant. */
#include "tests/unit.h"

#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"

static json_t *parsed(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

/* Releases both. */
static void assert_json(json_t *value, const char *expected)
{
    json_auto_t *other = parsed(expected);
    if (!json_equal(value, other))
        fail_msg("not %s", expected);
    json_decref(value);
}

TEST(loops)
{
    json_auto_t *list = parsed("[1, 2, 3, 4]"), *object = parsed("{\"a\": 1, \"b\": 2, \"c\": 3}");
    json_int_t sum = 0, places = 0;
    char names[8] = "";
    FB_EACH(entry, list) {
        if (json_integer_value(entry) == 2)
            continue;
        if (json_integer_value(entry) == 4)
            break;
        sum += json_integer_value(entry);
    }
    assert_int_equal(sum, 1 + 3);
    FB_EACH_AT(i, entry, list)
        places += (json_int_t)i * json_integer_value(entry);
    assert_int_equal(places, 2 + 6 + 12);
    FB_EACH(entry, object)
        fail_msg("%d: an object is no list", (int)json_integer_value(entry));
    FB_EACH(entry, NULL)
        fail_msg("%d: nothing is no list", (int)json_integer_value(entry));
    FB_EACH_MEMBER(name, value, object) {
        if (json_integer_value(value) == 1)
            continue;
        fb_append(names, sizeof names, "%s", name);
        if (json_integer_value(value) == 2)
            break;
    }
    assert_string_equal(names, "b");
    FB_EACH_MEMBER(name, value, object)
        FB_EACH(entry, list)
            sum += json_integer_value(value) * json_integer_value(entry);
    assert_int_equal(sum, 4 + 6 * 10);
    FB_EACH_MEMBER(name, value, list)
        fail_msg("%s: a list is no object", name);
}

TEST(found)
{
    json_auto_t *list =
        parsed("[{\"a\": {\"b\": \"x\"}, \"n\": 1}, {\"a\": {\"b\": \"y\"}, \"n\": 2},"
               " {\"a\": {\"b\": \"y\"}, \"n\": 3}]");
    assert_int_equal(fb_json_uint(fb_json_find(list, "a.b", "y"), "n"), 2);
    assert_null(fb_json_find(list, "a.b", "z"));
    assert_null(fb_json_find(NULL, "a.b", "x"));
}

TEST(appended)
{
    char text[8] = "";
    fb_append(text, sizeof text, "%d", 123);
    fb_append(text, sizeof text, "%s", "45");
    assert_string_equal(text, "12345");
    fb_append(text, sizeof text, "%s", "678");
    assert_string_equal(text, "1234567");
    fb_append(text, sizeof text, "%s", "9");
    assert_string_equal(text, "1234567");
}

TEST(unknown)
{
    json_t *j = json_object();
    fb_json_known(j, "git", NULL, "no checkout");
    fb_json_known(j, "cores", json_integer(2), "not said");
    fb_json_real(j, "z", NAN, "no error");
    fb_json_real(j, "ratio", 0.5, "no error");
    json_object_set_new(j, "ci", fb_json_interval(1, 2));
    assert_null(fb_json_interval(1, INFINITY));
    json_object_set_new(j, "inside", parsed("[{\"x\": null, \"x_reason\": \"why\"}]"));
    json_t *copy = json_deep_copy(j);
    assert_json(copy, "{\"git\": null, \"git_reason\": \"no checkout\", \"cores\": 2, \"z\": null,"
                      " \"z_reason\": \"no error\", \"ratio\": 0.5, \"ci\": {\"low\": 1.0,"
                      " \"high\": 2.0}, \"inside\": [{\"x\": null, \"x_reason\": \"why\"}]}");
    fb_json_drop_reasons(j);
    assert_json(j, "{\"git\": null, \"cores\": 2, \"z\": null, \"ratio\": 0.5, \"ci\":"
                   " {\"low\": 1.0, \"high\": 2.0}, \"inside\": [{\"x\": null}]}");
    assert_json(fb_json_number(NAN), "null");
    assert_json(fb_json_word(255), "\"0x00000000000000ff\"");
    assert_json(fb_json_text("a\xff"), "\"a?\"");
}

TEST(paths)
{
    json_auto_t *j = parsed("{\"fpr\": {\"model\": {\"value\": 2, \"kind\": \"formula\"}}}");
    assert_true(fb_json_num(j, "fpr.model.value") == 2);
    assert_string_equal(fb_json_str(j, "fpr.model.kind"), "formula");
    assert_string_equal(fb_json_str(j, "fpr.model.value"), "");
    assert_true(isnan(fb_json_num(j, "fpr.model.kind")));
    assert_true(isnan(fb_json_num(j, "fpr.none.value")));
    assert_null(fb_json_at(j, "fpr.model.value.deeper"));
    assert_null(fb_json_at(NULL, "fpr"));
}

/* The same up to rounding and reasons; else where. */
static const char *differs(const char *a, const char *b)
{
    json_auto_t *x = parsed(a), *y = parsed(b);
    const char *where = NULL;
    bool agree = fb_json_agree(x, y, &where);
    assert_true(agree == !where || !strchr(a, '{'));
    return agree ? "" : where ? where : "value";
}

TEST(agree)
{
    assert_string_equal(differs("{\"a\": [1, 2]}", "{\"a\": [1.0, 2.0000000001]}"), "");
    assert_string_equal(differs("{\"a\": null, \"a_reason\": \"x\"}", "{\"a\": null}"), "");
    assert_string_equal(differs("{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1.1}}"), "a.b");
    assert_string_equal(differs("{\"a\": 1000000000000}", "{\"a\": 1000000000001}"), "a");
    assert_string_equal(differs("{\"a\": [1, 2]}", "{\"a\": [1]}"), "a");
    assert_string_equal(differs("[1]", "[2]"), "value");
    assert_string_equal(differs("2.0", "2.00000001"), "value");
    assert_string_equal(differs("0.0", "1e-13"), "");
    assert_string_equal(differs("0.0", "1e-11"), "value");
}

TEST(hash)
{
    char one[33], two[33];
    json_auto_t *a = parsed("{\"x\": 1, \"y\": [0.5]}"), *b = parsed("{\"y\": [0.5], \"x\": 1}");
    assert_true(fb_json_hash(a, one) && fb_json_hash(b, two));
    assert_string_equal(one, two);
    json_object_set_new(b, "x", json_integer(2));
    assert_true(fb_json_hash(b, two) && strcmp(one, two));
    json_object_set_new(b, "x", json_integer(1));
    json_object_set_new(b, "y", parsed("[0.50000000000001]"));
    assert_true(fb_json_hash(b, two) && strcmp(one, two));
    json_object_set_new(b, "y", parsed("[0.5000000000000001]")); /* what rounding may leave */
    assert_true(fb_json_hash(b, two));
    assert_string_equal(one, two);
}

TEST(nearest)
{
    static const struct {
        const char *name;
        int more;
    } rows[] = {{"zipf:THETA", 1}, {"uniform", 2}, {"latest", 3}, {NULL, 0}};
    assert_string_equal(fb_nearest("unifrom", rows, sizeof *rows), "uniform");
    assert_string_equal(fb_nearest("zipf:0.99", rows, sizeof *rows), "zipf:THETA");
    assert_string_equal(fb_nearest("form", rows, sizeof *rows), "uniform");
    assert_null(fb_nearest("xyzzy", rows, sizeof *rows));
    assert_string_equal(fb_did_you_mean("latst", rows, sizeof *rows), ", did you mean 'latest'?");
    assert_string_equal(fb_did_you_mean("xyzzy", rows, sizeof *rows), "");
}

TESTS(NULL, NULL)
