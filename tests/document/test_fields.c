/*
 * The fields of all kinds of experiments. Each is told, and accepts its own example and what lies
 * on a limit. One list of wrong values, bad_values.json, is held against every field of every kind.
 * A refusal names the field and the place in its list, says what is accepted, and leaves nothing
 * resolved. A field that a kind reads itself gets the values that are wrong for everything.
 */
#include "tests/documents.h"

#include <stdio.h>
#include <stdlib.h>

#include "filters/core/filter.h"
#include "harness/document/kind.h"

/* What a field is of: the lists of bad_values.json that are wrong for it. */
static const struct {
    fb_read_fn *read;
    const char *lists[2];
} sorts[] = {
    {fb_read_text, {"text"}},   {fb_read_name, {"text", "name"}},     {fb_read_kind, {"word"}},
    {fb_read_real, {"number"}}, {fb_read_count, {"number", "count"}}, {fb_read_seed, {"seed"}},
    {fb_read_word, {"word"}},   {fb_read_design, {"word"}},           {fb_read_hash, {"word"}},
    {fb_read_flag, {"flag"}},   {fb_read_grammar, {"word"}},          {fb_read_cpu, {"cpu"}},
};

static bool is_known(const struct fb_field *f)
{
    size_t i = 0;
    while (i < sizeof sorts / sizeof *sorts && sorts[i].read != f->read)
        i++;
    return i < sizeof sorts / sizeof *sorts;
}

static json_t *bad; /* bad_values.json */

/* What the field accepts; of a list, one entry. */
static json_t *good_value(const struct fb_field *f)
{
    json_auto_t *value = json_loads(f->example ? f->example : f->fallback, JSON_DECODE_ANY, NULL);
    json_t *one = f->list && json_is_array(value) ? json_array_get(value, 0) : value;
    assert_non_null(one);
    json_incref(one);
    return one;
}

/* Whether the line says what is accepted, or where that is listed. */
static bool tells(const char *line)
{
    static const char *const words[] = {"give ", "accepted are ", "did you mean '",
                                        "(`filterbench list", "unknown field"};
    bool told = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        told = told || strstr(line, words[i]);
    return told;
}

/* The line starts with `path`; `words`, if any, stand in it. */
static void assert_refused(const struct fb_kind *kind, const struct fb_field *f, json_t *value,
                           const char *path, const char *words)
{
    struct fb_problem problem = {"nothing is said"};
    closed_by(fb_kind_close) struct fb_opened opened;
    json_auto_t *given = json_pack("{s:O}", f->name, value);
    auto_free char *text = json_dumps(given, JSON_COMPACT);
    if (fb_kind_open_as(kind, given, &opened, &problem) || opened.resolved)
        fail_msg("%s accepts %s", kind->name, text);
    const size_t len = strlen(path);
    if (strncmp(problem.text, path, len) != 0 || !strchr(":.[", problem.text[len]))
        fail_msg("%s: %s: '%s' does not name %s", kind->name, text, problem.text, path);
    if (!tells(problem.text) || (words && !strstr(problem.text, words)))
        fail_msg("%s: %s: '%s' does not say what is accepted", kind->name, text, problem.text);
}

/* By itself, and behind a good one where the field has a list. */
static void refuse(const struct fb_kind *kind, const struct fb_field *f, json_t *value,
                   const char *words)
{
    assert_refused(kind, f, value, f->name, words);
    if (f->list) {
        char path[64];
        snprintf(path, sizeof path, "%s[1]", f->name);
        json_auto_t *list = json_pack("[o, O]", good_value(f), value);
        assert_refused(kind, f, list, path, words);
    }
    json_decref(value);
}

static void refuse_all(const struct fb_kind *kind, const struct fb_field *f, const char *list)
{
    size_t i;
    json_t *value;
    if (list && !json_object_get(bad, list))
        fail_msg("bad_values.json has no '%s'", list);
    json_array_foreach(json_object_get(bad, list), i, value)
        refuse(kind, f, json_incref(value), NULL);
}

/* The field accepts the value as it is. */
static void accept(const struct fb_kind *kind, const struct fb_field *f, json_t *value)
{
    struct fb_problem problem;
    json_auto_t *given = json_pack("{s:O}", f->name, value);
    json_auto_t *resolved = fb_fields_resolve(kind->fields, given, &problem);
    if (!resolved)
        fail_msg("%s: %s", kind->name, problem.text);
    const json_t *read = json_object_get(resolved, f->name);
    if (f->list)
        read = json_array_get(read, 0);
    assert_true(json_is_string(value) ? json_equal(read, value)
                                      : json_number_value(read) == json_number_value(value));
    json_decref(value);
}

static json_t *letters(double n)
{
    char text[2000];
    assert_true(n < sizeof text);
    memset(text, 'a', (size_t)n);
    return json_stringn(text, (size_t)n);
}

/* Numbers on both sides of each limit, and texts of such lengths. */
static void check_limits(const struct fb_kind *kind, const struct fb_field *f)
{
    if (f->read == fb_read_text || f->read == fb_read_name) {
        accept(kind, f, letters(f->high));
        refuse(kind, f, letters(f->high + 1), f->accepted);
    } else if (f->read == fb_read_real || f->read == fb_read_count) {
        const double step = f->read == fb_read_count; /* counts stand apart, reals touch */
        accept(kind, f, json_real(f->high));
        refuse(kind, f, json_real(fmax(f->high + step, nextafter(f->high, INFINITY))), f->accepted);
        refuse(kind, f, json_real(fmin(f->low - step, nextafter(f->low, -INFINITY))), f->accepted);
        if (f->above)
            refuse(kind, f, json_real(f->low), f->accepted);
        else
            accept(kind, f, json_real(f->low));
    }
}

/* "10k" for seconds: the units that a number is not of. */
static void check_units(const struct fb_kind *kind, const struct fb_field *f)
{
    static const char *const units[] = {"none", "count", "bytes", "share", "seconds"};
    const char *unit;
    json_t *of;
    if (f->read != fb_read_real && f->read != fb_read_count)
        return;
    json_object_foreach(json_object_get(bad, "units"), unit, of) {
        if (!strstr(json_string_value(of), units[f->unit]))
            refuse(kind, f, json_sprintf("%.15g%s", f->high, unit), f->accepted);
    }
}

/* A list has entries where it must, and not too many; what is no list takes none. */
static void check_lists(const struct fb_kind *kind, const struct fb_field *f)
{
    json_auto_t *list = json_array(), *one = good_value(f);
    if (!f->may_miss)
        assert_refused(kind, f, list, f->name, "give ");
    while (json_array_size(list) < 4097)
        json_array_append(list, one);
    if (f->list)
        assert_refused(kind, f, list, f->name, "a list of 4097; give 1 to 4096 entries");
    else if (is_known(f))
        assert_refused(kind, f, list, f->name, NULL);
}

/* A name whose first letter stands twice is told apart from what was meant. */
static void check_near(const struct fb_kind *kind, const struct fb_field *f, const char *name)
{
    char meant[100];
    snprintf(meant, sizeof meant, "did you mean '%s'?", name);
    refuse(kind, f, json_sprintf("%c%s", *name, name), meant);
}

static void check_names(const struct fb_kind *kind, const struct fb_field *f)
{
    for (size_t i = 0; f->read == fb_read_design && i < fb_n_designs(); i++)
        check_near(kind, f, fb_design_at(i)->name);
    for (size_t i = 0; f->read == fb_read_hash && i < fb_n_hashes(); i++)
        check_near(kind, f, fb_hash_at(i)->name);
    for (const struct fb_word *w = f->words; w && w->name; w++)
        check_near(kind, f, w->name);
}

TEST(meanings)
{
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_field *f = (*kind)->fields; f->name; f++)
            if (!f->meaning || strlen(f->meaning) < 10)
                fail_msg("%s.%s has no meaning", (*kind)->name, f->name);
}

TEST(examples)
{
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_field *f = (*kind)->fields; f->name; f++) {
            struct fb_problem problem;
            json_auto_t *given =
                json_pack("{s:o}", f->name,
                          json_loads(f->example ? f->example : f->fallback, JSON_DECODE_ANY, NULL));
            json_auto_t *resolved = fb_fields_resolve((*kind)->fields, given, &problem);
            if (!resolved)
                fail_msg("%s: %s", (*kind)->name, problem.text);
        }
}

TEST(values)
{
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_field *f = (*kind)->fields; f->name; f++) {
            refuse_all(*kind, f, "everything");
            if (f->read != fb_read_hash)
                refuse_all(*kind, f, "all but a hash");
            for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
                for (size_t j = 0; j < 2 && f->read == sorts[i].read; j++)
                    refuse_all(*kind, f, sorts[i].lists[j]);
            check_limits(*kind, f);
            check_lists(*kind, f);
            check_names(*kind, f);
            check_units(*kind, f);
        }
}

/* A field that is not there: the one that was meant is named. */
TEST(unknown_fields)
{
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_field *f = (*kind)->fields; f->name; f++) {
            char typed[64], meant[120];
            snprintf(typed, sizeof typed, "%c%s", *f->name, f->name);
            snprintf(meant, sizeof meant, "unknown field, did you mean '%s'?", f->name);
            const struct fb_field unknown = {.name = typed};
            json_auto_t *one = json_integer(1);
            assert_refused(*kind, &unknown, one, typed, meant);
        }
}

static void assert_no_experiment(const char *text, size_t len, const char *words)
{
    struct fb_problem problem = {"nothing is said"};
    assert_null(experiment_of(text, len, &problem));
    assert_says(text, &problem, words);
}

TEST(no_experiment)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(bad, "no experiment"), i, row) {
        const json_t *text = json_object_get(row, "text"), *times = json_object_get(row, "times");
        const size_t len = json_string_length(text),
                     n = times ? (size_t)json_integer_value(times) : 1;
        auto_free char *repeated = malloc(len * n + 1);
        assert_non_null(repeated);
        for (size_t at = 0; at < n; at++)
            memcpy(repeated + at * len, json_string_value(text), len);
        repeated[len * n] = '\0';
        assert_no_experiment(repeated, len * n, fb_json_str(row, "says"));
    }
    assert_no_experiment("{\"name\": \"\xff\"}", 13,
                         "line 1: not JSON: unable to decode byte 0xff");
    assert_no_experiment("{\"n\": 1}\0{}", 11, "line 1: not JSON: end of file expected");
}

static int read_values(void **state)
{
    json_error_t error;
    (void)state;
    bad = json_load_file(FB_TEST_DATA "/document/bad_values.json", 0, &error);
    return bad ? 0 : -1;
}

static int close_values(void **state)
{
    (void)state;
    json_decref(bad);
    return 0;
}

TESTS(read_values, close_values)
