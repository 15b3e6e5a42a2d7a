/* list: what there is. */
#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/print.h"
#include "harness/document/kind.h"
#include "harness/verb/verb.h"
#include "harness/verb/words.h"

/* A row of a table is a JSON object; both renderings come from it. */
struct topic {
    const char *name;
    enum fb_exit (*collect)(json_t *rows); /* NULL: the words of that topic (words.h) */
    const char *columns[6];                /* of the table; the JSON has every member */
};

static json_t *sizes_by(unsigned traits)
{
    json_t *names = json_array();
    if (traits & FB_SIZES_BY_BITS)
        json_array_append_new(names, json_string("bits"));
    if (traits & FB_SIZES_BY_RATE)
        json_array_append_new(names, json_string("rate"));
    return names;
}

static enum fb_exit collect_designs(json_t *rows)
{
    for (size_t i = 0; i < fb_n_designs(); i++) {
        const struct fb_design *d = fb_design_at(i);
        json_t *kernels = json_array();
        for (const struct fb_kernel *const *k = d->kernels; k && *k; k++)
            json_array_append_new(kernels, json_string(fb_isa_name((*k)->isa)));
        json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:b, s:s?, s:s, s:s, s:s?}", "name",
                                              d->name, "sizes_by", sizes_by(d->traits), "kernels",
                                              kernels, "control", !!(d->traits & FB_CONTROL),
                                              "hash", d->hash, "summary", d->summary, "source",
                                              d->source, "caveat", d->caveat));
    }
    return FB_EXIT_OK;
}

static enum fb_exit collect_hashes(json_t *rows)
{
    for (size_t i = 0; i < fb_n_hashes(); i++) {
        const struct fb_hash *h = fb_hash_at(i);
        json_array_append_new(rows, json_pack("{s:s, s:i, s:i, s:s, s:s}", "name", h->name, "bits",
                                              (int)h->bits, "seed_bits", (int)h->seed_bits,
                                              "summary", h->summary, "source", h->source));
    }
    return FB_EXIT_OK;
}

static int json_name(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && !strcmp(dot, ".json");
}

/* Calls each() with every JSON document of a folder of the project's data, by name. A folder that
 * is not there is empty. */
static enum fb_exit each_document(const char *folder, json_t *rows,
                                  void (*each)(json_t *rows, json_t *document))
{
    char path[4096];
    struct dirent **entries;
    enum fb_exit code = FB_EXIT_OK;
    fb_data_path(folder, path, sizeof path);
    int n = scandir(path, &entries, json_name, alphasort);
    for (int i = 0; i < n; i++) {
        char file[4096 + 300];
        json_error_t error;
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        json_t *document = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
        if (document) {
            each(rows, document);
            json_decref(document);
        } else {
            fb_error("%s: line %d: %s", file, error.line, error.text);
            code = FB_EXIT_USAGE;
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return code;
}

static void add_preset(json_t *rows, json_t *document)
{
    struct fb_problem problem;
    const struct fb_kind *kind = fb_kind_of(document, &problem);
    json_t *row =
        json_pack("{s:O?, s:s?, s:O?}", "name", json_object_get(document, "name"), "kind",
                  kind ? kind->name : NULL, "summary", json_object_get(document, "summary"));
    json_array_append_new(rows, row);
}

static enum fb_exit collect_presets(json_t *rows)
{
    return each_document("workloads/presets", rows, add_preset);
}

static void add_claims(json_t *rows, json_t *document)
{
    static const char *const members[] = {"id", "document", "kind", "claim", NULL};
    size_t i;
    json_t *claim;
    json_array_foreach(json_object_get(document, "claims"), i, claim) {
        json_t *row = json_object();
        for (const char *const *m = members; *m; m++)
            json_object_set(row, *m, json_object_get(claim, *m));
        json_array_append_new(rows, row);
    }
}

static enum fb_exit collect_claims(json_t *rows)
{
    return each_document("results/claims", rows, add_claims);
}

static enum fb_exit collect_kinds(json_t *rows)
{
    for (const struct fb_kind *const *kind = fb_kinds; *kind; kind++)
        json_array_append_new(
            rows, json_pack("{s:s, s:s}", "name", (*kind)->name, "summary", (*kind)->summary));
    return FB_EXIT_OK;
}

static const struct topic topics[] = {
    {"designs", collect_designs, {"name", "sizes_by", "hash", "summary"}},
    {"hashes", collect_hashes, {"name", "bits", "seed_bits", "summary"}},
    {"formats", NULL, {"name", "summary"}},
    {"popularities", NULL, {"name", "summary"}},
    {"absent", NULL, {"name", "summary"}},
    {"lookups", NULL, {"name", "summary"}},
    {"allocations", NULL, {"name", "summary"}},
    {"devices", NULL, {"name", "read_ns", "bytes_per_s"}},
    {"kinds", collect_kinds, {"name", "summary"}},
    {"presets", collect_presets, {"name", "kind", "summary"}},
    {"claims", collect_claims, {"id", "document", "kind", "claim"}},
};
#define TOPICS                                                                                     \
    "designs, hashes, formats, popularities, absent, lookups, allocations, devices, kinds, "       \
    "presets, claims"
enum { N_TOPICS = sizeof topics / sizeof *topics };

static const struct topic *topic_find(const char *name)
{
    const char *names[N_TOPICS + 1] = {0};
    for (size_t i = 0; i < N_TOPICS; i++) {
        if (!strcmp(topics[i].name, name))
            return &topics[i];
        names[i] = topics[i].name;
    }
    fb_error("list: no list of '%s'%s (" TOPICS ")", name,
             fb_did_you_mean(name, names, sizeof *names));
    return NULL;
}

static int list(int argc, char **argv)
{
    enum fb_output_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {{"format", 0, FB_OPT_FORMAT, &format, 0, 0}, {0}};
    struct fb_output out;
    if (!fb_opt_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    const struct topic *only = optind < argc ? topic_find(argv[optind]) : NULL;
    if (optind < argc && !only)
        return FB_EXIT_USAGE;
    json_t *document = json_object();
    enum fb_exit code = fb_output_open(NULL, &out);
    for (size_t i = 0; i < N_TOPICS && !code; i++) {
        if (only && only != &topics[i])
            continue;
        json_t *rows = json_array();
        json_object_set_new(document, topics[i].name, rows);
        if (topics[i].collect)
            code = topics[i].collect(rows);
        else
            fb_words_list(topics[i].name, rows);
        if (format == FB_FORMAT_JSON || code)
            continue;
        if (!only)
            fprintf(out.file, "%s%s:\n", i ? "\n" : "", topics[i].name);
        fb_print_rows(out.file, rows, topics[i].columns);
    }
    if (!code && format == FB_FORMAT_JSON)
        code = fb_output_json(&out, document);
    json_decref(document);
    return code ? (int)code : (int)fb_output_commit(&out);
}

const struct fb_verb fb_verb_list = {
    .name = "list",
    .usage = "list [TOPIC] [--format table|json]",
    .summary = "Name the designs, hashes, key formats, presets, claims and other words there are",
    .help = "TOPIC is one of designs, hashes, formats, popularities, absent, lookups,\n"
            "allocations, devices, kinds, presets and claims; without one all are listed.\n",
    .main = list,
};
