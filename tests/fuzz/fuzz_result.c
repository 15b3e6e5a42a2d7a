/*
 * Result documents (JSON), damaged in their structure, asked of every reader: validate, show,
 * export, compare and run, checked and unchecked, and the data of every figure.
 *
 * The size of the input chooses what is read: the document as it is; sealed again (hashes of the
 * experiment and of the content), so that it gets past them; or its numbers derived again from what
 * it says, and sealed, so that only what a reader takes for granted is wrong.
 */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/require.h"

#include <getopt.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/document/figure.h"
#include "harness/document/kind.h"
#include "harness/verb/verb.h"

extern const struct fb_verb fb_verb_validate, fb_verb_show, fb_verb_export, fb_verb_compare;

/* ---- Damage ---- */

static uint64_t state;

static size_t below(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

/* The node number *left of a tree, in the order of a walk, and what holds it. */
struct place {
    json_t *holder, *node;
    char name[128]; /* in an object */
    size_t at;      /* in a list */
};

static bool find(json_t *holder, size_t *left, struct place *out)
{
    size_t i;
    const char *name;
    json_t *node;
    if (json_is_array(holder)) {
        json_array_foreach(holder, i, node) {
            *out = (struct place){.holder = holder, .node = node, .at = i};
            if (!(*left)-- || find(node, left, out))
                return true;
        }
    }
    json_object_foreach(holder, name, node) {
        *out = (struct place){.holder = holder, .node = node};
        snprintf(out->name, sizeof out->name, "%s", name);
        if (!(*left)-- || find(node, left, out))
            return true;
    }
    return false;
}

static size_t count(const json_t *node)
{
    size_t n = 1, i;
    const char *name;
    json_t *child;
    json_array_foreach((json_t *)node, i, child)
        n += count(child);
    json_object_foreach((json_t *)node, name, child)
        n += count(child);
    return n;
}

static struct place anywhere(json_t *document)
{
    struct place place = {0};
    size_t left = below(count(document) - 1);
    if (!find(document, &left, &place))
        place.node = NULL;
    return place;
}

/* What stands for something else: numbers at their limits, other types, much of something. */
static json_t *strange(const json_t *node)
{
    static const double reals[] = {0,      -1,   1,   2,     -1.5, 0.5,  1e308, -1e308,
                                   5e-324, 1e19, 1e9, 65536, 1e-9, 4096, 1e6};
    static const char *const texts[] = {"",       "NaN",
                                        "inf",    "-0",
                                        "0x",     "all",
                                        "%s%n",   "/",
                                        "nori",   "\xf0\x9f\x8c\xb8",
                                        "always", "a b\nc\t|d,\"e\""};
    const double real = reals[below(sizeof reals / sizeof *reals)];
    json_t *much;
    switch (below(10)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(below(2));
    case 2:
        return json_object();
    case 3:
        return json_array();
    case 4:
        return json_string(texts[below(sizeof texts / sizeof *texts)]);
    case 5:
        much = json_array();
        for (size_t n = below(70); n > 0; n--)
            json_array_append(much, (json_t *)node);
        return much;
    case 6:
        return json_integer(below(2) ? INT64_MAX : INT64_MIN);
    case 7:
        return json_is_number(node) ? json_real(json_number_value(node) * real)
                                    : json_pack("{s:O}", "id", node);
    default:
        return real > -1e18 && real < 1e18 && real == (double)(json_int_t)real && below(2)
                   ? json_integer((json_int_t)real)
                   : json_real(real);
    }
}

static void set(const struct place *place, json_t *value)
{
    if (json_is_array(place->holder))
        json_array_set_new(place->holder, place->at, value);
    else
        json_object_set_new(place->holder, place->name, value);
}

static void damage(json_t *document)
{
    const struct place place = anywhere(document), other = anywhere(document);
    if (!place.node || !other.node)
        return;
    switch (below(6)) {
    case 0:
        if (json_is_array(place.holder))
            json_array_remove(place.holder, place.at);
        else
            json_object_del(place.holder, place.name);
        return;
    case 1:
        if (json_is_array(place.holder))
            json_array_append_new(place.holder, json_deep_copy(place.node));
        return;
    case 2:
        set(&place, json_deep_copy(other.node));
        return;
    case 3:
        if (json_is_object(other.holder) && *place.name)
            json_object_set_new(other.holder, place.name, json_deep_copy(place.node));
        return;
    default:
        set(&place, strange(place.node));
    }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    json_t *document = json_loadb((const char *)data, size, 0, NULL);
    state = seed;
    if (!json_is_object(document)) {
        json_decref(document);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    for (size_t n = 1 + below(3); n > 0; n--)
        damage(document);
    char *text = json_dumps(document, JSON_COMPACT);
    const size_t len = text ? strlen(text) : 0;
    if (len && len + 2 < max_size) {
        memcpy(data, text, len);
        memset(data + len, ' ', 2);
        size = len + below(3); /* which chooses what is read */
    }
    free(text);
    json_decref(document);
    return size;
}

/* ---- What is read ---- */

static void seal(json_t *document)
{
    struct fb_opened e;
    struct fb_problem problem;
    if (fb_kind_open(json_object_get(document, "experiment"), &e, &problem))
        json_object_set_new(document, "experiment_hash", json_string(e.hash_hex));
    fb_kind_close(&e);
    if (json_is_object(json_object_get(document, "run")))
        fb_result_finish(document, 1, json_is_true(fb_json_at(document, "run.complete")));
}

static void derive(json_t *document)
{
    struct fb_opened e;
    struct fb_problem problem;
    if (fb_kind_open(json_object_get(document, "experiment"), &e, &problem))
        if (e.kind->derive(e.self, document, &problem) && e.kind->warn) {
            json_object_set_new(document, "warnings", json_array());
            e.kind->warn(document);
        }
    fb_kind_close(&e);
}

/* ---- The readers ---- */

static FILE *nowhere;
static char path[32];

static void write_file(const json_t *document)
{
    static int fd = -1;
    char *text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15));
    REQUIRE("result", text);
    if (fd < 0)
        fd = memfd_create("result", 0);
    REQUIRE("result", fd >= 0 && !ftruncate(fd, 0));
    REQUIRE("result", pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    free(text);
}

/* Who refuses says why; returns the exit code. */
static int ask(const struct fb_verb *verb, const char *first, const char *second, const char *third)
{
    char *argv[] = {(char *)verb->name, path, (char *)first, (char *)second, (char *)third, NULL};
    int argc = 2;
    while (argv[argc])
        argc++;
    char *said = NULL;
    size_t n_said = 0;
    FILE *out = stdout, *err = stderr;
    optind = 0;
    stdout = nowhere;
    stderr = open_memstream(&said, &n_said);
    const int code = verb->main(argc, argv);
    fclose(stderr);
    stdout = out;
    stderr = err;
    REQUIRE(verb->name, code >= 0 && (!code || !strncmp(said, "filterbench: ", 13)));
    free(said);
    return code;
}

static void draw(json_t *document)
{
    json_t *documents = json_pack("[O]", document);
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_figure *f = (*kind)->figures; f && f->name; f++)
            free(fb_drawn_table(f, documents));
    json_decref(documents);
}

static void run_again(const json_t *document)
{
    struct fb_opened e;
    struct fb_problem problem = {""};
    const json_t *experiment = json_object_get(document, "experiment");
    REQUIRE("run", !experiment || fb_kind_open(experiment, &e, &problem) || *problem.text);
    if (experiment)
        fb_kind_close(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const forms[] = {"counts", "csv", "md", "gbench"};
    json_t *document = json_loadb((const char *)data, size, 0, NULL);
    if (!json_is_object(document)) {
        json_decref(document);
        return 0;
    }
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    if (size % 3 == 2 && json_is_array(json_object_get(document, "cells")))
        derive(document);
    if (size % 3)
        seal(document);
    write_file(document);
    const bool valid = !ask(&fb_verb_validate, NULL, NULL, NULL);
    const bool readable = !ask(&fb_verb_show, "--unchecked", NULL, NULL);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        ask(&fb_verb_export, "--to", forms[i], "--unchecked");
    REQUIRE("show", !valid || !ask(&fb_verb_show, NULL, NULL, NULL));
    REQUIRE("export", !valid || !ask(&fb_verb_export, "--to", "csv", NULL));
    if (size / 3 % 4 == 2)
        ask(&fb_verb_compare, path, NULL, NULL);
    if (readable)
        draw(document);
    run_again(document);
    json_decref(document);
    return 0;
}
