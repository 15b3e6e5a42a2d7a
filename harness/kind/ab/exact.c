/* The exact facts of two plugins' designs: what must not differ at all. */
#include <stdlib.h>
#include <string.h>

#include "harness/document/compare.h"
#include "harness/filter/fpr.h"
#include "harness/filter/plugin.h"
#include "harness/kind/ab/ab.h"

/* Each design counted at these sizes, controls at none: a rule for bits and one for a rate. */
static const struct fb_params sizes[] = {{.bits_per_key = 10}, {.fpr = 0.01}};
enum { N_SIZES = sizeof sizes / sizeof *sizes, KEYS = 2000, FILTERS = 4, PROBES = 4096 };

static void set_facts(json_t *cell, const struct fb_fpr_counts *c)
{
    static const char *const no_block = "the design has no block format";
    json_t *events = json_array();
    for (size_t i = 0; i < c->filters; i++)
        json_array_append_new(events, fb_json_int(c->events[i]));
    json_object_set_new(cell, "false_negatives", fb_json_int(c->false_negatives));
    json_object_set_new(cell, "filter_bytes", fb_json_int(c->filter_bytes));
    json_object_set_new(cell, "n_bits", fb_json_int(c->geom.n_bits));
    json_object_set_new(cell, "probes", fb_json_int(c->geom.probes));
    json_object_set_new(cell, "digest_words", fb_json_int(c->geom.digest_words));
    json_object_set_new(cell, "n_entries", fb_json_int(c->n_entries));
    json_object_set_new(cell, "events", events);
    json_object_set_new(cell, "checksum", fb_json_word(c->checksum));
    fb_json_known(cell, "block_bytes", c->block_bytes ? fb_json_int(c->block_bytes) : NULL,
                  no_block);
    fb_json_known(cell, "block_checksum", c->block_bytes ? fb_json_word(c->block_checksum) : NULL,
                  no_block);
}

/* Of one design at one size; NULL: interrupted, or no memory. A size that there is no filter of is
 * a fact as well. */
static json_t *facts_of(const struct fb_design *design, const char *name,
                        const struct fb_params *size, uint64_t seed, unsigned n_threads)
{
    const struct fb_fpr_cell spec = {.design = design,
                                     .params = *size,
                                     .n_keys = KEYS,
                                     .keygen = fb_keygen_find("random"),
                                     .filters = FILTERS,
                                     .probes_per_filter = PROBES,
                                     .root = seed};
    struct fb_fpr_counts counts;
    char id[80] = "";
    const char *why;
    bool complete;
    const enum fb_err err = fb_fpr_measure(&spec, n_threads, &counts, &complete, &why);
    if (!err && !complete) {
        fb_fpr_counts_close(&counts);
        return NULL;
    }
    if (size->bits_per_key > 0)
        snprintf(id, sizeof id, "/bpk=%g", size->bits_per_key);
    else if (size->fpr > 0)
        snprintf(id, sizeof id, "/fpr=%g", size->fpr);
    json_t *cell =
        json_pack("{s:o, s:s}", "id", json_sprintf("%s%s/n=%d", name, id, KEYS), "design", name);
    if (err)
        json_object_set_new(cell, "no_filter", json_string(why));
    else
        set_facts(cell, &counts);
    fb_fpr_counts_close(&counts);
    return cell;
}

/* Of the designs that were loaded with a prefix. */
static json_t *side_of(const char *prefix, uint64_t seed, unsigned n_threads)
{
    static const struct fb_params none = {0};
    json_t *cells = json_array();
    const size_t len = strlen(prefix);
    for (size_t i = 0; cells && i < fb_n_designs(); i++) {
        const struct fb_design *design = fb_design_at(i);
        const bool control = design->traits & FB_CONTROL;
        if (strncmp(design->name, prefix, len) != 0 || design->name[len] != ':')
            continue;
        for (size_t s = 0; cells && s < (control ? 1 : N_SIZES); s++) {
            json_t *cell = facts_of(design, design->name + len + 1, control ? &none : &sizes[s],
                                    seed, n_threads);
            if (cell) {
                json_array_append_new(cells, cell);
            } else {
                json_decref(cells);
                cells = NULL;
            }
        }
    }
    return cells ? json_pack("{s:o}", "cells", cells) : NULL;
}

json_t *fb_ab_exact(uint64_t seed, unsigned n_threads)
{
    json_t *base = side_of("base", seed, n_threads);
    json_t *head = base ? side_of("head", seed, n_threads) : NULL;
    if (head)
        return json_pack("{s:o, s:o}", "base", base, "head", head);
    json_decref(base);
    return NULL;
}

void fb_ab_exact_derive(json_t *exact)
{
    json_t *report = fb_compare(json_object_get(exact, "base"), json_object_get(exact, "head"));
    json_object_update(exact, report);
    json_decref(report);
}

enum fb_exit fb_ab_exact_judge(const json_t *exact)
{
    return fb_compare_judge("ab", exact, "cells of exact facts");
}
