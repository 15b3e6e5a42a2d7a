/* Procedures: what a text prints with its own inputs, done again with those inputs. Nothing is
 * random: every root and every machine finds the same. Kinds draw their keys from the root. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/claims/procedure/procedure.h"

/* Keys first .. first + n - 1 that the filter answers "maybe" to. */
static uint64_t passed(struct fb_bench *bench, const struct fb_filter *filter, const char *format,
                       uint64_t first, size_t n)
{
    struct fb_keyset keys = fb_bench_keys(bench, format, 0, first, n);
    const uint64_t n_maybe = fb_bench_ask(bench, filter, &keys.keys);
    fb_keyset_close(&keys);
    return n_maybe;
}

/* The text's own test: a filter of keys 0 .. n - 1 is asked for keys n .. n + absent - 1 of the
 * same numbered format. Reports the percent that pass, without an interval: there is one such
 * filter and one such list of keys. The test of the model takes the keys for any others. It is as
 * cheap to run as to predict: it does so in every phase, and when a document is held against it. */
FB_PROCEDURE(replay_test)
{
    struct fb_recipe recipe = fb_arg_recipe(bench, args);
    const uint64_t absent = fb_arg_count(args, "absent", recipe.n);
    struct fb_geometry geom = fb_recipe_plan(bench, &recipe);
    if (bench->err)
        return;
    const double n = (double)absent, model = recipe.design->fpr(&geom, recipe.n);
    struct fb_filter filter = fb_recipe_build(bench, &recipe, 0);
    out->events = passed(bench, &filter, recipe.keys, recipe.n, absent);
    out->false_negatives = recipe.n - passed(bench, &filter, recipe.keys, 0, recipe.n);
    fb_filter_close(&filter);
    const double x = (double)out->events;
    fb_find_interval(out, 100 * model, 100 * x / n, 100 * x / n, 100 * x / n);
    out->probes = absent;
    out->p = fb_p_normal((x - n * model) / sqrt(n * model * (1 - model)));
    fb_find_remark(out, "the printed test, run: %.0f of %.0f absent keys pass; theory expects %.0f",
                   x, n, n * model);
}

/* A word of a design's digest of a text, in halves of 32 bits, high half first, or as a number of
 * 32 bits. Theory is `known`, the answer of another program. */
FB_PROCEDURE(replay_hash)
{
    const struct fb_design *design = fb_arg_design(bench, args);
    const char *key = fb_arg_text(args, "key", "");
    const uint64_t known = fb_arg_hex(args, "known"), word = fb_arg_count(args, "word", 0);
    uint64_t words[2] = {0};
    if (!bench->err && word < 2)
        design->digest(key, strlen(key), 2, words);
    if (fb_arg_is(args, "as", "halves"))
        fb_find_exact(out, fb_hi32(known), fb_hi32(words[word % 2]));
    fb_find_exact(out, fb_lo32(known), fb_lo32(words[word % 2]));
    fb_find_remark(out, "of \"%s\" it is 0x%llX", key, (unsigned long long)words[word % 2]);
}
