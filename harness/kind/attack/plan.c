/* The cells of an experiment of kind "attack". */
#include <stdlib.h>
#include <string.h>

#include "harness/kind/attack/attack.h"

enum { MOST_CELLS = 100000 };

static bool is_keygen(const char *text, const char **why)
{
    struct fb_keygen keygen;
    return fb_keygen_parse(text, &keygen, why);
}

const struct fb_field fb_attack_fields[] = {
    FB_FIELDS_FIRST("attack", "attack"),
    FB_FIELD_DESIGNS("[\"filters\"]"),
    {.name = "hash",
     .fallback = "[null, \"siphash-2-4\"]",
     .read = fb_read_hash,
     .list = true,
     .meaning = "hashes of the filters; null: each design's own, which the attacker knows; the "
                "others stand for hashes of a secret seed, so they must have one ('filterbench "
                "list hashes': seed bits) and not be the design's own",
     .example = "[null, \"siphash-2-4\"]"},
    FB_FIELD_WORDS("attacks", "[\"all\"]", fb_attacks, "attack", true,
                   .meaning = "how keys are found: offline (they pass a copy of the filter), "
                              "colliding (their digest is that of a present key), degenerate (they "
                              "pass filters of any keys), flood (they fill one block)",
                   .example = "[\"colliding\"]"),
    FB_FIELD_REALS("bits_per_key", "[10]", 1, 100, false, "a number from 1 to 100",
                   .meaning = "size of a filter: bits of memory for each key that it holds",
                   .of = "bits per key", .example = "[8, 12]"),
    FB_FIELD_COUNTS("n", "[50000]", 2, 1e8, "a count of keys from 2 to 100000000",
                    .meaning = "how many keys a filter holds", .of = "keys",
                    .example = "[1000, 100000]"),
    FB_FIELD("keys", "\"random\"", fb_read_grammar, .valid = is_keygen, FB_KNOWN(fb_keygens),
             .accepted = "the name of a key format",
             .meaning = "which keys there are ('filterbench list formats')",
             .example = "\"uuid4\""),
    FB_FIELD_COUNT("filters", "16", 1, 1024, "a count from 1 to 1024",
                   .meaning = "how many filters of each sort are attacked, each of keys of its own",
                   .of = "filters", .example = "4"),
    FB_FIELD_COUNT("probes", "10000", 1, 1e9, "a count from 1 to 1e9",
                   .meaning = "how many random absent keys each filter is asked for, beside those "
                              "of the attacker",
                   .of = "queries", .example = "100000"),
    FB_FIELD_COUNT("tries", "4194304", 512, 1e12, "a count from 512 to 1e12",
                   .meaning = "how many keys an attack may try", .of = "keys",
                   .example = "1000000"),
    FB_FIELD_COUNT("found", "1000", 1, 1e6, "a count from 1 to 1000000",
                   .meaning = "an attack stops once it has found so many keys", .of = "keys",
                   .example = "100"),
    FB_FIELD_SHARE("insert", "0.01", 0, 0.5, "a share from 0 to 0.5",
                   .meaning = "which share of a filter's keys a flood may insert",
                   .of = "a share of the keys", .example = "0.1"),
    FB_FIELD_SEED,
    {0},
};

/* ---- Planning ---- */

static const json_t *list_of(const struct fb_attack_plan *p, const char *name)
{
    return json_object_get(p->document, name);
}

static struct fb_attack_group make_group(const struct fb_attack_plan *p, const char *design,
                                         double bits_per_key, uint64_t n)
{
    const double insert = fb_json_num(p->document, "insert") * (double)n;
    struct fb_attack_group g = {
        .spec = {.design = fb_design_find(design),
                 .n_keys = n,
                 .keygen = &p->keygen,
                 .filters = (size_t)fb_json_uint(p->document, "filters"),
                 .probes = fb_json_uint(p->document, "probes"),
                 .tries = fb_json_uint(p->document, "tries"),
                 .most = fb_json_uint(p->document, "found"),
                 .insert = (uint64_t)insert,
                 .root = strtoull(fb_json_str(p->document, "seed"), NULL, 16)},
    };
    const char *why = NULL;
    if (fb_design_sized(g.spec.design))
        g.spec.params.bits_per_key = bits_per_key;
    struct fb_params params = g.spec.params;
    const enum fb_err err = fb_params_plan(g.spec.design, n, &params, &g.geom, &why);
    g.why = !err ? NULL : why ? why : fb_err_text(err);
    return g;
}

static void add_cells(struct fb_attack_plan *p, const struct fb_attack_group *g,
                      double bits_per_key)
{
    static const char known[] = "it is the design's own hash, which the attacker knows; give "
                                "another, such as siphash-2-4";
    char size[32] = "";
    if (!(g->spec.design->traits & FB_ONE_SIZE))
        snprintf(size, sizeof size, "/bpk=%.15g", bits_per_key);
    for (size_t h = 0; h < p->n_hashes; h++) {
        const char *hash = json_string_value(json_array_get(list_of(p, "hash"), h));
        const bool is_own = hash && !g->why &&
                            fb_attack_is_own(&g->spec, fb_hash_find(hash),
                                             (unsigned)fb_max_u64(g->geom.digest_words, 1));
        for (size_t a = 0; a < p->n_attacks; a++) {
            struct fb_attack_cell *cell = &p->cells[p->n_cells++];
            const char *attack = json_string_value(json_array_get(list_of(p, "attacks"), a));
            cell->group = g;
            cell->hash = hash ? fb_hash_find(hash) : NULL;
            cell->attack = (enum fb_attack)fb_word_find(fb_attacks, attack);
            cell->why = fb_attack_why_not(g->spec.design, cell->attack);
            cell->why = cell->why ? cell->why : g->why ? g->why : is_own ? known : NULL;
            snprintf(cell->id, sizeof cell->id, "%.60s%s%.30s%s/n=%llu/%s", g->spec.design->name,
                     hash ? "+" : "", hash ? hash : "", size, (unsigned long long)g->spec.n_keys,
                     attack);
        }
    }
}

static void add_groups(struct fb_attack_plan *p)
{
    const json_t *designs = list_of(p, "designs"), *sizes = list_of(p, "bits_per_key"),
                 *counts = list_of(p, "n");
    for (size_t n = 0; n < json_array_size(counts); n++)
        for (size_t b = 0; b < json_array_size(sizes); b++)
            for (size_t d = 0; d < json_array_size(designs); d++) {
                const double bits_per_key = json_number_value(json_array_get(sizes, b));
                const char *design = json_string_value(json_array_get(designs, d));
                if (b && fb_design_find(design)->traits & FB_ONE_SIZE)
                    continue;
                struct fb_attack_group *g = &p->groups[p->n_groups++];
                *g = make_group(p, design, bits_per_key,
                                (uint64_t)json_integer_value(json_array_get(counts, n)));
                add_cells(p, g, bits_per_key);
            }
}

/* Whoever knows a hash without a seed knows all of it. */
static bool check_seeds(const json_t *hashes, struct fb_problem *problem)
{
    for (size_t h = 0; h < json_array_size(hashes); h++) {
        const char *hash = json_string_value(json_array_get(hashes, h));
        if (hash && !fb_hash_find(hash)->seed_bits)
            return fb_refuse(problem,
                             "hash: %s has no seed that could be secret; give one that has, such "
                             "as siphash-2-4 ('filterbench list hashes': seed bits)",
                             hash);
    }
    return true;
}

static bool resolve(const json_t *given, struct fb_attack_plan *out, struct fb_problem *problem)
{
    const char *why;
    out->document = fb_fields_resolve(fb_attack_fields, given, problem);
    if (!out->document || !check_seeds(list_of(out, "hash"), problem))
        return false;
    out->n_hashes = json_array_size(list_of(out, "hash"));
    out->n_attacks = json_array_size(list_of(out, "attacks"));
    const double n_groups = (double)json_array_size(list_of(out, "designs")) *
                            (double)json_array_size(list_of(out, "bits_per_key")) *
                            (double)json_array_size(list_of(out, "n"));
    const double n_cells = n_groups * (double)out->n_hashes * (double)out->n_attacks;
    if (n_cells > MOST_CELLS)
        return fb_refuse(problem, "%.0f cells; at most %d fit one experiment", n_cells, MOST_CELLS);
    if (!fb_keygen_parse(fb_json_str(out->document, "keys"), &out->keygen, &why))
        return fb_refuse(problem, "keys: %s", why);
    out->groups = calloc((size_t)n_groups + 1, sizeof *out->groups);
    out->cells = calloc((size_t)n_cells + 1, sizeof *out->cells);
    if (!out->groups || !out->cells)
        return false;
    add_groups(out);
    return true;
}

const json_t *fb_attack_plan_open(void *self, const json_t *given, struct fb_problem *problem)
{
    struct fb_attack_plan *p = self;
    return resolve(given, p, problem) ? p->document : NULL;
}

void fb_attack_plan_close(void *self)
{
    struct fb_attack_plan *p = self;
    free(p->groups);
    free(p->cells);
    json_decref(p->document);
}

void fb_attack_describe(const struct fb_attack_plan *p, const struct fb_attack_cell *cell,
                        json_t *json)
{
    const struct fb_attack_spec *spec = &cell->group->spec;
    json_t *own = json_pack(
        "{s:s, s:s, s:s, s:f, s:o, s:s}", "id", cell->id, "design", spec->design->name, "attack",
        fb_attacks[cell->attack].name, "bits_per_key",
        spec->design->traits & FB_ONE_SIZE ? fb_design_own_bits(spec->design, spec->n_keys)
                                           : spec->params.bits_per_key,
        "n", fb_json_int(spec->n_keys), "keys", p->keygen.text);
    fb_json_known(own, "hash", cell->hash ? json_string(cell->hash->name) : NULL,
                  "the design's own");
    json_object_update_new(json, own);
}
