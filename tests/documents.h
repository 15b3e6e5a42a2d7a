/* Experiments as texts and what becomes of them. */
#ifndef FILTERBENCH_TESTS_DOCUMENTS_H
#define FILTERBENCH_TESTS_DOCUMENTS_H

#include "harness/base/json.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/document/experiment.h"
#include "harness/document/result.h"

/* The experiment in a text; NULL with *problem set. */
static inline json_t *experiment_of(const char *text, size_t len, struct fb_problem *problem)
{
    char why[FB_JSON_WHY];
    json_t *whole = fb_json_parse(text, len, 0, why);
    json_t *experiment = whole ? fb_experiment_in(whole, problem) : NULL;
    if (!whole)
        fb_refuse(problem, "%s", why);
    json_decref(whole);
    return experiment;
}

/* Release with json_decref(). */
static inline json_t *parsed(const char *text)
{
    struct fb_problem problem;
    json_t *document = experiment_of(text, strlen(text), &problem);
    if (!document)
        fail_msg("%s: %s", text, problem.text);
    return document;
}

/* JSON as C writes it best, with 'text' for "text". */
static inline json_t *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; (c = strchr(c, '\''));)
        *c = '"';
    json_t *json = json_loads(copy, 0, NULL);
    free(copy);
    assert_non_null(json);
    return json;
}

/* What was said of a refused text names what is wrong with it. */
static inline void assert_says(const char *text, const struct fb_problem *problem,
                               const char *words)
{
    if (!strstr(problem->text, words))
        fail_msg("%s: '%s' does not say '%s'", text, problem->text, words);
}

/* The number at a path of names, with dots between them. */
static inline double at(const json_t *object, const char *path)
{
    const json_t *value = fb_json_at(object, path);
    if (!json_is_number(value))
        fail_msg("no number at %s", path);
    return json_number_value(value);
}

struct hash {
    char hex[33];
};

static inline struct hash hash_of(const json_t *resolved)
{
    struct hash hash;
    assert_true(fb_experiment_hash(resolved, hash.hex));
    return hash;
}

#endif
