/* Any bytes as an experiment; behind the first NUL, a path and a value as --set takes them. */
#include "tests/fuzz/require.h"

#include <string.h>

#include "harness/kind/kernels/kernels.h"

enum { MOST_CELLS = 200 }; /* sizing may take milliseconds a cell */

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
static void check_fixed_point(const struct fb_experiment *e)
{
    struct fb_experiment again;
    struct fb_problem problem;
    REQUIRE("experiment", fb_experiment_resolve(e->document, &again, &problem));
    REQUIRE("experiment", json_equal(e->document, again.document));
    REQUIRE("experiment", !strcmp(e->hash_hex, again.hash_hex));
    fb_experiment_close(&again);
}

static void check_kernels(const json_t *document)
{
    struct fb_problem problem = {""};
    struct fb_kernels e, again;
    if (fb_kernels_resolve(document, &e, &problem)) {
        REQUIRE("experiment", fb_kernels_resolve(e.document, &again, &problem));
        REQUIRE("experiment", json_equal(e.document, again.document));
        REQUIRE("experiment", !strcmp(e.hash_hex, again.hash_hex));
        fb_kernels_close(&again);
    } else {
        REQUIRE("experiment", *problem.text);
    }
    fb_kernels_close(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fb_problem problem = {""};
    struct fb_experiment e;
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    json_t *document = fb_experiment_parse((const char *)data, len, &problem);
    REQUIRE("experiment", document || *problem.text);
    if (!document)
        return 0;
    if (nul)
        override(document, nul + 1, size - len - 1);
    problem.text[0] = '\0';
    if (fb_experiment_resolve(document, &e, &problem)) {
        check_fixed_point(&e);
        size_t n_sizes = e.n_bits_per_key + e.n_fpr + 1, n_cells;
        if (e.n_n * e.n_designs * n_sizes * e.n_capacity_factor * e.n_keys <= MOST_CELLS)
            free(fb_experiment_cells(&e, NULL, &n_cells));
    } else {
        REQUIRE("experiment", *problem.text);
    }
    fb_experiment_close(&e);
    check_kernels(document);
    json_decref(document);
    return 0;
}
