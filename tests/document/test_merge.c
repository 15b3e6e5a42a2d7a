/* Documents of runs as one: of shards, of machines, of repetitions. */
#include "harness/document/merge.h"

#include "harness/base/environment.h"
#include "harness/document/run.h"
#include "tests/documents.h"
#include "tests/heard.h"

#define CELL(design) "{'id': '" design "/bpk=10/n=100/sequential'}"
#define DIFFER       "_reason': 'the runs differ: see parts'"

enum { USAGE = FB_EXIT_USAGE, OTHER = FB_EXIT_NOT_COMPARABLE, WRONG = FB_EXIT_CORRECTNESS };

static json_t *pool;               /* all that the tests make */
static const json_t *by_name[128]; /* '1' to '3': shards; 'w': the whole; 'A' to 'H': ordered */

static json_t *keep(json_t *document)
{
    assert_int_equal(json_array_append_new(pool, document), 0);
    return document;
}

/* JSON with single quotes. */
static json_t *json(const char *format, ...)
{
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return keep(quoted(text));
}

/* A copy with other members and their hash. */
static json_t *altered(const json_t *document, json_t *members)
{
    json_t *copy = keep(json_deep_copy(document));
    assert_int_equal(json_object_update_recursive(copy, members), 0);
    fb_result_finish(copy, at(copy, "run.elapsed_s"),
                     json_is_true(fb_json_at(copy, "run.complete")));
    return copy;
}

/* Merges documents by their names, "(12)3" first 1 and 2. Messages name 1 "123" in "0123". */
static json_t *merge(const char *list, int code, const char *words)
{
    const json_t *documents[9];
    const char *names[9];
    size_t n = 0;
    json_t *merged = NULL;
    for (; *list && *list != ')'; list++) {
        names[n] = list;
        documents[n++] = *list == '(' ? merge(list + 1, 0, NULL) : by_name[(int)*list];
        list = *list == '(' ? strchr(list, ')') : list;
    }
    assert_int_equal(HEARD(words, fb_merge(documents, names, n, false, &merged)), code);
    assert_int_equal(!merged, code != 0);
    return merged ? keep(merged) : NULL;
}

/* To the byte, in the order of members. */
static void assert_same(const json_t *a, const json_t *b)
{
    auto_free char *ours = json_dumps(a, 0), *theirs = json_dumps(b, 0);
    assert_string_equal(ours, theirs);
}

TEST(any_order_and_grouping)
{
    static const char *const same[][2] = {{"123", "132"},
                                          {"123", "213"},
                                          {"123", "231"},
                                          {"123", "312"},
                                          {"123", "321"},
                                          {"123", "(12)3"},
                                          {"123", "1(23)"},
                                          {"123", "(13)(2)(123)1"},
                                          {"123w", "(w(123)3)(12)"},
                                          {"w12", "(21)w"},
                                          {"ww", "w"},
                                          {"abc", "c(ba)b"},
                                          {"kn", "nk"},
                                          {"ABCDEFGH", "CHADBGEF"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_same(merge(same[i][0], 0, NULL), merge(same[i][1], 0, NULL));
}

/* Events of filters are the sums over the parts that shards have of them. All else but the runs is
 * as one run of the whole says it. */
TEST(shards)
{
    json_t *all = merge("123", 0, NULL), *fragments, *part;
    json_int_t sums[2][4] = {{0}};
    size_t c, f;
    for (int s = '1'; s <= '3'; s++) {
        fragments = json_object_get(by_name[s], "fragments");
        for (c = 0; c < 2; c++)
            json_array_foreach(json_object_get(json_array_get(fragments, c), "filters"), f, part)
                sums[c][fb_json_uint(part, "filter")] += (json_int_t)fb_json_uint(part, "events");
    }
    for (c = 0; c < 2; c++)
        assert_same(fb_json_at(json_array_get(json_object_get(all, "cells"), c), "counts.events"),
                    keep(json_pack("[IIII]", sums[c][0], sums[c][1], sums[c][2], sums[c][3])));
    json_t *one =
        altered(by_name['w'], json("{'merged': {'runs': 3, 'machines': 1, 'side_by_side': false, "
                                   "'shards': {'of': 3, 'there': [1, 2, 3]}}, 'run': {'started': "
                                   "'1', 'elapsed_s': 7.5, 'argv': ['filterbench', 'merge']}}"));
    json_object_set_new(one, "parts", json_object());
    json_object_set(one, "counted", json_object_get(all, "counted"));
    assert_true(json_equal(all, altered(one, json("{}"))));
}

/* A line for each shard once all are there; before that, and of a whole run, all of it. */
TEST(a_line_for_a_shard)
{
    json_t *some = merge("13", 0, NULL), *all = merge("w(123)", 0, NULL), *row;
    json_t *group = json_array_get(json_object_get(all, "counted"), 0);
    size_t i, n = 0;
    assert_null(json_object_get(some, "counted"));
    assert_int_equal(json_object_size(json_object_get(some, "parts")), 2);
    assert_int_equal(json_array_size(json_object_get(all, "counted")), 1);
    assert_int_equal(json_object_size(json_object_get(all, "parts")), 1);
    assert_true(
        json_equal(json_object_get(group, "machine"), json_object_get(by_name['1'], "machine")));
    json_array_foreach(json_object_get(group, "runs"), i, row) {
        const json_t *run = by_name['0' + fb_json_uint(row, "shard")];
        char hex[33];
        assert_true(fb_json_hash(json_object_get(run, "fragments"), hex));
        assert_string_equal(fb_json_str(row, "fragments_xxh3_128"), hex);
        assert_string_equal(fb_json_str(row, "content_xxh3_128"),
                            fb_json_str(run, "content_xxh3_128"));
        assert_string_equal(fb_json_str(row, "started"), fb_json_str(run, "run.started"));
        n++;
    }
    assert_int_equal(n, 3);
}

TEST(members)
{
    static const struct {
        const char *merged, *members;
    } rows[] = {
        {"31", "{'merged': {'shards': {'of': 3, 'there': [1, 3]}}, 'cells': [], 'skipped': [], "
               "'run': {'complete': false}}"},
        {"w13", "{'merged': {'shards': {'of': 3, 'there': [1, 3]}}, 'run': {'complete': true}}"},
        {"w", "{'merged': {'shards': null, 'shards_reason': 'the runs are no shards'}, 'run': "
              "{'complete': true}}"},
        {"cba", "{'run': {'plugins': [1]}, 'tool': null, 'tool" DIFFER ", 'build': null, "
                "'build" DIFFER "}"},
        {"kn", "{'merged': {'side_by_side': true}, 'cells': [], 'run': {'complete': true}}"},
        {"yzx", "{'timing': 'y'}"},
        {"HGABCDEF", "{'merged': {'runs': 8, 'machines': 2}, 'run': {'started': '1', "
                     "'elapsed_s': 259.0}, 'machine': null, 'machine" DIFFER "}"},
    };
    char key[17], last[99] = "", place[99];
    const char *hash;
    json_t *merged = NULL, *part, *warnings = keep(json_pack("[s, s, s]", "y", "x", "z"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        merged = merge(rows[i].merged, 0, NULL);
        if (!json_equal(altered(merged, json(rows[i].members)), merged))
            fail_msg("%s: not %s: %s", rows[i].merged, rows[i].members, json_dumps(merged, 0));
    }
    /* Two machines, on each two starts, of each two runs; the first machine starts last. */
    json_object_foreach(json_object_get(merged, "parts"), hash, part) {
        fb_machine_key_of(json_object_get(part, "machine"), key);
        snprintf(place, sizeof place, "%s %s %s", key, fb_json_str(part, "run.started"), hash);
        assert_true(strcmp(last, place) < 0);
        strcpy(last, place);
    }
    merged = merge("13w", 0, NULL);
    for (const char *const *name = (const char *const[]){"cells", "skipped", "build", NULL}; *name;
         name++)
        assert_same(json_object_get(merged, *name), json_object_get(by_name['w'], *name));
    assert_same(json_object_get(merge("kn", 0, NULL), "warnings"),
                json_object_get(by_name['k'], "warnings"));
    assert_null(fb_json_at(merge("wb", 0, NULL), "run.plugins"));
    /* Those of runs, each once, then the one of theory. */
    assert_int_equal(json_array_extend(warnings, json_object_get(by_name['w'], "warnings")), 0);
    assert_int_equal(json_array_size(warnings), 4);
    assert_true(json_equal(json_object_get(merge("ba", 0, NULL), "warnings"), warnings));
}

TEST(refused)
{
    static const struct {
        int code, base;
        const char *change, *merged, *words;
    } rows[] = {
        {OTHER, 'w', "{'kind': 'attack'}", "w!!w", "!!w: of another experiment than the first"},
        {OTHER, 'w', "{'experiment_hash': '0'}", "w!", "!: of another experiment than the first"},
        {OTHER, 'w', "{'run': {'seed_root': '1'}}", "w!", "!: of another experiment than the fir"},
        {OTHER, 'w', "{'key_file': {'xxh3_128': '0'}}", "w!", "!: of another file of keys than t"},
        {OTHER, '1', "{'run': {'shard': {'index': 0}}}", "w!", "!: run.shard: give an index and"},
        {OTHER, 'w', "{'run': {'complete': false}}", "!w", "!w: its run did not finish; run it ag"},
        {OTHER, '2', "{'run': {'shard': {'of': 4}}}", "1w!1", "!1: a shard of another split than"},
        {OTHER, '2', "{'run': {'shard': {'of': 4}}}", "!1", "1: a shard of another split than"},
        {USAGE, 'w', "{'experiment': {'kind': 'x'}}", "!", "kind: 'x' is no kind of experiment"},
        {USAGE, 'q', "{}", "!", "results of kind ab are one measurement each"},
        {WRONG, 'w', "{'cells': [" CELL("nori") "]}", "w!", ""},
        {WRONG, 'w', "{'cells': [" CELL("nori") ", " CELL("leveldb") "]}", "!", "nori/"},
        {WRONG, '1', "{'fragments': []}", "1!", "nori/bpk=10/n=100/sequential: two runs of shard"},
        {WRONG, '1', "{'fragments': []}", "(123)!", "two runs of shard 1 of 3 have not"},
        {WRONG, '1', "{'fragments': []}", "!23", "nori/bpk=10/n=100/sequential: no run has it"},
        {WRONG, 'l', "{'experiment': {'device': 'measured:/tmp'}}", "!", "devices: not those of"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[100];
        snprintf(words, sizeof words, "merge: %s", rows[i].words);
        by_name['!'] = altered(by_name[rows[i].base], json(rows[i].change));
        merge(rows[i].merged, rows[i].code, words);
    }
}

static int make(void **state)
{
    static const char *const shards[] = {"1/3", "2/3", "3/3", NULL};
    static const struct {
        char name, base;
        const char *change;
    } rows[] = {
        {'a', 'w', "{'run': {'plugins': [1]}, 'warnings': ['y', 'x']}"},
        {'b', 'w', "{'run': {'started': '5', 'plugins': [2]}, 'warnings': ['z', 'y'], 'tool': 1}"},
        {'c', 'w', "{'run': {'started': '6'}, 'build': 1}"},
        {'i', 0, FB_TEST_DATA "/fuzz/results/icount.json"},
        {'k', 'i', "{'warnings': ['y']}"},
        {'n', 'k', "{'run': {'started': '6'}}"},
        {'q', 0, FB_TEST_DATA "/fuzz/results/ab.json"},
        {'l', 0, FB_TEST_DATA "/fuzz/results/lsm.json"},
        {'x', 0, FB_TEST_DATA "/fuzz/results/claims.json"},
        {'y', 'x', "{'run': {'started': '5'}, 'timing': 'y'}"},
        {'z', 'x', "{'run': {'started': '6'}, 'timing': 'z'}"},
        {'0', 'w', "{'machine': {'cores': 1001}}"},
        {'9', 'w', "{'machine': {'cores': 1002}}"},
    };
    char keys[2][17];
    FILE *out = stdout;
    (void)state;
    unsetenv("HOME"); /* how long runs took is kept there */
    unsetenv("XDG_CACHE_HOME");
    pool = json_array();
    stdout = fopen("/dev/null", "w");
    for (int i = 0; i < 4; i++) { /* of three cells one is far from theory and one has no room */
        const struct fb_run_options options = {.name = "t", .quiet = true, .shard = shards[i]};
        json_t *run,
            *given =
                json("{'designs': ['nori', 'leveldb', 'cuckoo-12'], 'n': 100, 'bits_per_key': 10, "
                     "'hash': 'fnv1a', 'keys': 'sequential', 'filters': 4, 'probes': 300}");
        assert_int_equal(fb_run_experiment(fb_kind_find("fpr"), &options, given, &run), 0);
        by_name[(int)"123w"[i]] =
            altered(keep(run), json("{'run': {'started': '%d', 'elapsed_s': %d.5}}", i + 1, i + 1));
    }
    fclose(stdout);
    stdout = out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int base = rows[i].base;
        by_name[(int)rows[i].name] = base ? altered(by_name[base], json(rows[i].change))
                                          : keep(json_load_file(rows[i].change, 0, NULL));
    }
    fb_machine_key_of(json_object_get(by_name['0'], "machine"), keys[0]);
    fb_machine_key_of(json_object_get(by_name['9'], "machine"), keys[1]);
    for (int i = 0; i < 8; i++)
        by_name['A' + i] = altered(by_name[(i < 4) == (strcmp(keys[0], keys[1]) < 0) ? '0' : '9'],
                                   json("{'run': {'started': '%d', 'elapsed_s': %d.5}}",
                                        (i < 4 ? 2 : 1) + (i & 2), 1 << i));
    return 0;
}

int main(void)
{
    const int failed = run_unit_tests(make, NULL);
    json_decref(pool);
    return failed;
}
