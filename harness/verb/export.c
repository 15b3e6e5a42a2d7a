/* export: a result document in other forms. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/document/check.h"
#include "harness/document/compare.h"
#include "harness/document/kind.h"
#include "harness/document/shown.h"
#include "harness/measure/latency.h"
#include "harness/verb/gbench.h"
#include "harness/verb/verb.h"

static enum fb_exit write_counts(struct fb_output *out, const json_t *document)
{
    json_t *counts = fb_counts(document);
    int failed =
        json_dumpf(counts, out->file, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15));
    fputc('\n', out->file);
    json_decref(counts);
    /* What the file refuses, its commit tells. */
    return failed && !ferror(out->file) ? fb_fail("export", FB_ENOMEM, NULL) : FB_EXIT_OK;
}

static enum fb_exit write_csv(struct fb_output *out, const json_t *document)
{
    json_t *rows = fb_document_rows(document);
    fb_csv_rows(out->file, rows);
    json_decref(rows);
    return FB_EXIT_OK;
}

static enum fb_exit write_markdown(struct fb_output *out, const json_t *document)
{
    fb_document_table(out->file, document, FB_TABLE_MARKDOWN);
    return FB_EXIT_OK;
}

static enum fb_exit write_gbench(struct fb_output *out, const json_t *document)
{
    json_t *json;
    enum fb_exit code = fb_gbench(document, &json);
    if (!code)
        code = fb_output_json(out, json);
    json_decref(json);
    return code;
}

/* ---- Histograms, as HdrHistogram's percentile files ---- */

static enum fb_exit write_one(const char *folder, const char *id, const json_t *json,
                              struct fb_histogram *h)
{
    const char *kind = fb_json_str(json, "kind");
    char path[4096], name[216];
    struct fb_output out;
    snprintf(name, sizeof name, "%.200s", id);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
    snprintf(path, sizeof path, "%.3700s/%s.%.40s.hgrm", folder, name, *kind ? kind : "unnamed");
    if (!fb_latency_read(json, h)) {
        fb_error("export: %s: a histogram that cannot be read", id);
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_output_open(path, &out);
    if (!code && fb_histogram_write_hgrm(h, 1000, out.file))
        code = fb_fail(path, FB_EIO, NULL);
    return fb_output_end(&out, code);
}

/* The histograms of a cell, a lookup or a device, and of the lookups of it, into the folder; NULL:
 * they are only counted. */
static enum fb_exit write_of(const json_t *owner, const char *folder, size_t *n)
{
    static struct fb_histogram histogram;
    const char *id = fb_json_str(owner, json_object_get(owner, "id") ? "id" : "name");
    const json_t *lookups = json_object_get(owner, "lookups");
    enum fb_exit code = FB_EXIT_OK;
    size_t i;
    json_t *json;
    json_array_foreach(json_object_get(owner, "histograms"), i, json) {
        if (folder && !code)
            code = write_one(folder, *id ? id : "cell", json, &histogram);
        ++*n;
    }
    for (i = 0; !code && i < json_array_size(lookups); i++)
        code = write_of(json_array_get(lookups, i), folder, n);
    return code;
}

static enum fb_exit write_all(const json_t *document, const char *folder, size_t *n)
{
    const json_t *cells = json_object_get(document, "cells");
    *n = 0;
    enum fb_exit code =
        write_of(json_array_get(json_object_get(document, "devices"), 0), folder, n);
    for (size_t i = 0; !code && i < json_array_size(cells); i++)
        code = write_of(json_array_get(cells, i), folder, n);
    return code;
}

/* A file in the folder (made if need be) for each histogram of each cell, or of each lookup of it,
 * in nanoseconds: "sbbf-256_L1_batch_absent_avx512-ring.single_op_gross.hgrm". */
static enum fb_exit write_hgrm(const json_t *document, const char *folder)
{
    size_t n;
    bool made;
    write_all(document, NULL, &n);
    if (!n) {
        fb_error("export: no histograms in the result; 'run kernels --histograms' takes them, and "
                 "so do trees that are timed");
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_file_folder(folder, &made);
    if (!code)
        code = write_all(document, folder, &n);
    if (!code)
        fb_note("wrote %zu files to %s", n, folder);
    return code;
}

/* ---- The verb ---- */

static const struct form {
    const char *name;
    enum fb_exit (*write)(struct fb_output *, const json_t *); /* NULL: into a folder */
} forms[] = {{"counts", write_counts}, {"csv", write_csv}, {"md", write_markdown},
             {"gbench", write_gbench}, {"hgrm", NULL},     {0}};

static const struct form *form_find(const char *name)
{
    const struct form *form = fb_named(name, forms, sizeof *forms);
    if (!form)
        fb_error("--to: no form '%s'%s (counts, csv, md, gbench, hgrm)", name,
                 fb_did_you_mean(name, forms, sizeof *forms));
    return form;
}

static int export(int argc, char **argv)
{
    const char *to = NULL, *path = NULL, *format = NULL;
    bool unchecked = false;
    const struct fb_opt opts[] = {{"to", 0, FB_OPT_TEXT, &to, 0, 0},
                                  {"output", 'o', FB_OPT_TEXT, &path, 0, 0},
                                  {"format", 0, FB_OPT_TEXT, &format, 0, 0},
                                  {"unchecked", 0, FB_OPT_FLAG, &unchecked, 0, 0},
                                  {0}};
    struct fb_output out;
    json_t *document;
    if (!fb_opt_parse(argc, argv, opts, 1) ||
        fb_opt_wrong(format, "export",
                     "give --to counts, csv, md, gbench or hgrm; --format is of other verbs") ||
        !fb_opt_required("--to", to) ||
        fb_opt_wrong(optind >= argc, "export", "which result? give a file"))
        return FB_EXIT_USAGE;
    const struct form *form = form_find(to);
    if (!form || fb_opt_wrong(!form->write && fb_output_is_stdout(path), "export",
                              "hgrm is a file per histogram; give a folder with -o"))
        return FB_EXIT_USAGE;
    enum fb_exit code = form->write == write_counts ? fb_result_load_facts(argv[optind], &document)
                                                    : fb_result_load(argv[optind], &document);
    if (code)
        return (int)code;
    if (json_integer_value(fb_json_at(document, "schema.major")) == FB_SCHEMA_MAJOR)
        code = fb_document_trust(argv[optind], unchecked, document);
    if (!code && fb_is_side_by_side(document) && (!form->write || form->write == write_gbench)) {
        fb_error("%s: runs side by side; %s is of one run: give its own result", argv[optind],
                 form->name);
        code = FB_EXIT_USAGE;
    }
    if (!code && !form->write)
        code = write_hgrm(document, path);
    else if (!code && !(code = fb_output_open(path, &out)))
        code = fb_output_end(&out, form->write(&out, document));
    json_decref(document);
    return (int)code;
}

const struct fb_verb fb_verb_export = {
    .name = "export",
    .example = "filterbench export r.json --to csv -o r.csv",
    .usage = "export RESULT.json --to FORMAT [options]",
    .summary = "Write a result in another form",
    .help = "--to counts\tcanonical JSON of the exact facts: sorted, without times or "
            "machine, so equal wherever the experiment ran\n"
            "--to csv\tone line per cell or claim, with every field\n"
            "--to md\tthe tables in Markdown\n"
            "--to gbench\ttimes as Google Benchmark writes them, for its compare.py; one "
            "repetition per process\n"
            "--to hgrm\tone file per histogram, in ns, in the folder that -o names\n"
            "-o, --output F\tthe file to write (default: stdout)\n"
            "--unchecked\texport a result although its shape or its hash is wrong\n",
    .main = export,
};
