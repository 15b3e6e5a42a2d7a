/* Any bytes as an experiment of every kind; behind the first NUL, a path and a value as --set takes
 * them. */
#include "tests/fuzz/require.h"

#include <string.h>

#include "harness/document/kind.h"

static void override(json_t *document, const uint8_t *data, size_t size)
{
    char path[64] = "", value[256] = "";
    struct fb_problem problem = {""};
    size_t len = 0;
    while (len < size && data[len] != '=' && len < sizeof path - 1)
        len++;
    memcpy(path, data, len);
    if (len < size)
        memcpy(value, data + len + 1,
               size - len - 1 < sizeof value - 1 ? size - len - 1 : sizeof value - 1);
    REQUIRE("experiment", fb_experiment_set(document, path, value, &problem) || *problem.text);
}

/* Resolved, an experiment is one: it resolves to itself. */
static void check_kind(const struct fb_kind *kind, json_t *document)
{
    struct fb_problem problem = {""};
    struct fb_opened e, again;
    json_object_set_new(document, "kind", json_string(kind->name));
    if (fb_kind_open(document, &e, &problem)) {
        REQUIRE("experiment", fb_kind_open(e.resolved, &again, &problem));
        REQUIRE("experiment", json_equal(e.resolved, again.resolved));
        REQUIRE("experiment", !strcmp(e.hash_hex, again.hash_hex));
        fb_kind_close(&again);
    } else {
        REQUIRE("experiment", *problem.text);
    }
    fb_kind_close(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fb_problem problem = {""};
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    char why[FB_JSON_WHY];
    json_t *whole = fb_json_parse((const char *)data, len, 0, why);
    json_t *document = whole ? fb_experiment_in(whole, &problem) : NULL;
    REQUIRE("experiment", !whole || document || *problem.text);
    json_decref(whole);
    if (!document)
        return 0;
    if (nul)
        override(document, nul + 1, size - len - 1);
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        check_kind(*kind, document);
    json_decref(document);
    return 0;
}
