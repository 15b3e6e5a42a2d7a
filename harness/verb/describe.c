/* describe: everything there is to know about a design or a preset before using it. */
#include <getopt.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/base/print.h"
#include "harness/document/kind.h"
#include "harness/document/members.h"
#include "harness/document/presets.h"
#include "harness/verb/field.h"
#include "harness/verb/verb.h"
#include "harness/verb/words.h"

enum { EXAMPLE_KEYS = 100000 };

static const char *theory_of(enum fb_scheme scheme)
{
    switch (scheme) {
    case FB_SCHEME_CLOSED:
        return "closed form";
    case FB_SCHEME_WRAPPED:
    case FB_SCHEME_WRAPPED_POW2:
    case FB_SCHEME_WRAPPED_32:
    case FB_SCHEME_ENHANCED:
    case FB_SCHEME_ENHANCED_REDUCED:
        return "closed form for large filters; small ones are simulated by run";
    default:
        return "no closed form fits; run simulates it (below: ideal probes)";
    }
}

static json_t *kernels_of(const struct fb_design *design)
{
    json_t *rows = json_array();
    for (const struct fb_kernel *const *k = design->kernels; k && *k; k++)
        json_array_append_new(rows,
                              json_pack("{s:s, s:s?, s:b}", "isa", fb_isa_name((*k)->isa), "style",
                                        (*k)->style, "on_this_machine", fb_cpu_has((*k)->isa)));
    return rows;
}

static json_t *formats_of(const struct fb_design *design)
{
    json_t *rows = json_array();
    for (const struct fb_format *f = design->formats; f && f->name; f++)
        json_array_append_new(rows, json_pack("{s:s, s:s, s:b}", "name", f->name, "summary",
                                              f->summary, "reads", f->read != NULL));
    return rows;
}

/* Size and predicted rate for EXAMPLE_KEYS keys at whole bits per key. */
static json_t *sizes_of(const struct fb_design *design)
{
    static const double bits[] = {4, 6, 8, 10, 12, 14, 16, 20};
    const bool own = design->traits & FB_ONE_SIZE;
    json_t *rows = json_array();
    for (size_t i = 0; i < (own ? 1 : sizeof bits / sizeof *bits); i++) {
        struct fb_params params = {.bits_per_key = own ? 0 : bits[i]};
        struct fb_geometry geom;
        const char *why;
        if (fb_params_plan(design, EXAMPLE_KEYS, &params, &geom, &why))
            continue;
        json_array_append_new(rows, json_pack("{s:o, s:I, s:f, s:i, s:o}", "bits_per_key",
                                              own ? json_string("its own") : json_real(bits[i]),
                                              "bytes", (json_int_t)geom.n_bytes, "delivered",
                                              8 * (double)geom.n_bytes / EXAMPLE_KEYS, "probes",
                                              (int)geom.probes, "predicted_fpr",
                                              fb_json_number(design->fpr(&geom, EXAMPLE_KEYS))));
    }
    return rows;
}

/* How keys come to be in, and out again. */
static const char *filled_by(const struct fb_design *d)
{
    return !fb_design_adds(d)     ? "all keys at once"
           : fb_design_removes(d) ? "key by key, which can be taken out"
           : fb_design_waits(d)   ? "key by key, or all keys at once"
                                  : "key by key";
}

static json_t *own_words_of(const struct fb_design *d)
{
    json_t *names = json_array();
    for (size_t i = 0; d->own && d->own[i]; i++)
        json_array_append_new(names, json_string(d->own[i]));
    return names;
}

static json_t *traits_of(unsigned traits)
{
    static const struct {
        unsigned bit;
        const char *text;
    } texts[] = {
        {FB_CONTROL, "control, a yardstick"},
        {FB_INTEGER_BITS, "whole bits per key only"},
        {FB_FIXED_PROBES, "fixed number of probes"},
        {FB_DROPS_ADJACENT, "a digest equal to the one before is not counted"},
        {FB_COUNTS_DUPLICATES, "repeated keys count in the size"},
        {FB_FALSE_NEGATIVES, "denies keys it was given"},
        {FB_TAKES_KEYS, "hashes keys itself"},
        {FB_RANDOM_STANDS, "random bits stand for its keys"},
        {FB_ONE_SIZE, "one size for so many keys"},
    };
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (traits & texts[i].bit)
            json_array_append_new(names, json_string(texts[i].text));
    return names;
}

static json_t *design_document(const struct fb_design *d)
{
    return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:b, s:s, s:s?, s:b, s:o, s:s, "
                     "s:o, s:o, s:i, s:o}",
                     "design", d->name, "summary", d->summary, "source", d->source, "caveat",
                     d->caveat, "hash", d->hash, "digest_words",
                     d->digest_words ? json_integer(d->digest_words) : json_string("one per probe"),
                     "sizes_by", fb_words_sizing(d), "traits", traits_of(d->traits), "typed_keys",
                     d->digest_typed != NULL, "filled", filled_by(d), "when_full", d->when_full,
                     "grows", d->grow != NULL, "own_words", own_words_of(d), "theory",
                     theory_of(d->scheme), "kernels", kernels_of(d), "block_formats", formats_of(d),
                     "example_keys", EXAMPLE_KEYS, "example_sizes", sizes_of(d));
}

/* As JSON the preset with every field of its kind. */
static enum fb_exit describe_preset(const char *path, enum fb_output_format format)
{
    json_auto_t *given = NULL;
    struct fb_opened e = {0};
    struct fb_problem problem;
    enum fb_exit code = fb_experiment_load(path, &given);
    if (!code && !fb_kind_open(given, &e, &problem)) {
        fb_error("%s: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    } else if (!code && format == FB_FORMAT_JSON) {
        code = fb_print_answer(json_incref((json_t *)e.resolved), format, NULL);
    } else if (!code) {
        fb_field_print_experiment(stdout, e.kind, given, e.resolved);
    }
    fb_kind_close(&e);
    return code;
}

static void unknown(const char *name)
{
    const char *names[1025] = {0};
    size_t n = 0;
    json_auto_t *words = json_array();
    fb_words_list(NULL, words);
    for (size_t i = 0; i < fb_n_designs() && n < 200; i++)
        names[n++] = fb_design_at(i)->name;
    for (size_t i = 0; i < json_array_size(words) && n < 768; i++)
        names[n++] = fb_json_str(json_array_get(words, i), "name");
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        for (const struct fb_field *f = (*kind)->fields; f->name && n < 1024; f++)
            names[n++] = f->name;
    fb_error("describe: there is no design, preset, field, claim or column '%s'%s (`filterbench "
             "list` shows their names)",
             name, fb_preset_near(name, names));
}

/* Adds the member of cells or documents that has this path from there: "fpr.t95.low". */
static void add_member_at(const char *path, const struct fb_kind *kind, json_t *rows)
{
    char place[300];
    snprintf(place, sizeof place, "cells.%.290s", path);
    const json_t *member = fb_member_at(kind->name, place);
    if (!member)
        member = fb_member_at(kind->name, path);
    if (json_object_get(member, "x-type"))
        json_array_append_new(rows,
                              json_pack("{s:s, s:s, s:O, s:O?, s:O, s:O}", "kind", kind->name,
                                        "member", path, "type", json_object_get(member, "x-type"),
                                        "unit", json_object_get(member, "x-unit"), "nature",
                                        json_object_get(member, "x-nature"), "meaning",
                                        json_object_get(member, "description")));
}

/* And what members of that name mean in results, each meaning once. */
static json_t *with_members(json_t *document, const char *name)
{
    json_auto_t *rows = json_array(), *known = json_object();
    fb_members_list(name, rows);
    for (const struct fb_kind *const *kind = fb_kinds; *kind && strchr(name, '.'); kind++)
        if (!json_array_size(rows) || json_object_get(json_array_get(rows, 0), "kind"))
            add_member_at(name, *kind, rows);
    for (size_t i = 0; i < json_array_size(rows);) {
        char key[400];
        json_t *row = json_array_get(rows, i);
        snprintf(key, sizeof key, "%.60s %.300s", fb_json_str(row, "type"),
                 fb_json_str(row, "meaning"));
        json_object_del(row, "member");
        if (json_object_get(known, key))
            json_array_remove(rows, i);
        else
            i += !json_object_set(known, key, row);
    }
    if (json_array_size(rows) && !document)
        document = json_pack("{s:s}", "member", name);
    if (json_array_size(rows))
        json_object_set(document, "in_results", rows);
    return document;
}

static int describe(int argc, char **argv)
{
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {{"format", 0, FB_OPT_FORMAT, &format, 0, 0}, {0}};
    if (!fb_opt_parse(argc, argv, opts, 1) ||
        !fb_opt_required("describe: the word to explain", argv[optind]))
        return FB_EXIT_USAGE;
    const char *name = argv[optind];
    const struct fb_design *design = fb_design_find(name);
    json_t *document = NULL;
    char path[4096];
    if (design)
        return (int)fb_print_answer(design_document(design), format, fb_print_document);
    if (fb_preset_find(name, path, sizeof path))
        return (int)describe_preset(path, format);
    json_t *field = fb_field_about(name);
    document = fb_words_about(name);
    document = with_members(document, name);
    if (field && document)
        json_object_set_new(field, "in_tables", document);
    if (field || document)
        return (int)fb_print_answer(field ? field : document, format,
                                    field ? fb_field_print : fb_print_document);
    unknown(name);
    return FB_EXIT_USAGE;
}

const struct fb_verb fb_verb_describe = {
    .name = "describe",
    .example = "filterbench describe rocksdb-fastlocal",
    .usage = "describe WORD [--format table|json]",
    .summary = "Explain a design, a preset, an option, a claim or a column",
    .help = "WORD is one of these:\n"
            "\n"
            "a design\tits layout, sizes, theory, caveats and block formats\n"
            "a preset\tits fields and their values\n"
            "a field\twhat --set takes: meaning, unit, range, default, example\n"
            "a claim\twhat was printed, and how it is checked, by its id\n"
            "a column\twhat a word that a table prints means: wasted, z, worst, ratio\n"
            "a member\twhat a member of a result file means: fpr.model.value, samples_ns\n"
            "another name\ta key format, popularity, attack, lookup, allocation or device\n"
            "\n"
            "`filterbench list` prints the names.\n",
    .main = describe,
};
