/* export: a result document in other forms. */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/csv.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/option.h"
#include "harness/base/output.h"
#include "harness/base/printable.h"
#include "harness/document/check.h"
#include "harness/document/compare.h"
#include "harness/document/shown.h"
#include "harness/measure/group_json.h"
#include "harness/measure/latency.h"
#include "harness/verb/verb.h"

static enum fb_exit write_counts(struct fb_output *out, const json_t *document)
{
    json_auto_t *counts = fb_counts(document);
    int failed =
        json_dumpf(counts, out->file, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(15));
    fputc('\n', out->file);
    /* What the file refuses, its commit tells. */
    return failed && !ferror(out->file) ? fb_fail("export", FB_ENOMEM, NULL) : FB_EXIT_OK;
}

static enum fb_exit write_csv(struct fb_output *out, const json_t *document)
{
    json_auto_t *rows = fb_document_rows(document);
    fb_csv_rows(out->file, rows);
    return FB_EXIT_OK;
}

/* A copy in which texts are only text to a reader of Markdown: no HTML, link, mention or end of a
 * cell. GitHub makes links of "://" and "www." too. */
static json_t *escaped(const json_t *value)
{
    const char *text = json_string_value(value);
    json_t *copy = json_is_object(value)  ? json_object()
                   : json_is_array(value) ? json_array()
                   : text                 ? NULL
                                          : json_incref((json_t *)value);
    size_t n = 0;
    FB_EACH(member, value)
        json_array_append_new(copy, escaped(member));
    FB_EACH_MEMBER(key, member, value)
        json_object_set_new(copy, key, escaped(member));
    char *out = text ? malloc(2 * strlen(text) + 1) : NULL;
    for (size_t i = 0; out && text[i]; i++) {
        const char *at = text + i;
        if (strchr("\\|[@", *at) || !strncmp(at, "://", 3) ||
            (*at == '<' && (isalpha((unsigned char)at[1]) || (at[1] && strchr("/!?", at[1])))) ||
            (*at == '.' && i >= 3 && !strncasecmp(at - 3, "www", 3)))
            out[n++] = '\\';
        out[n++] = *at;
    }
    if (out)
        copy = json_stringn(out, n);
    free(out);
    return copy;
}

static enum fb_exit write_markdown(struct fb_output *out, const json_t *document)
{
    json_auto_t *copy = escaped(document);
    fb_document_table(out->file, copy, &(struct fb_shown){.style = FB_TABLE_MARKDOWN});
    return FB_EXIT_OK;
}

/* ---- Times in the form that Google Benchmark writes and its compare.py reads ---- */

static json_t *caches_of(const json_t *machine)
{
    static const struct {
        const char *path, *type;
        int level;
    } caches[] = {{"caches_bytes.l1d", "Data", 1},
                  {"caches_bytes.l2", "Unified", 2},
                  {"caches_bytes.l3", "Unified", 3}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
        if (fb_json_uint(machine, caches[i].path))
            json_array_append_new(list,
                                  json_pack("{s:s, s:i, s:o, s:i}", "type", caches[i].type, "level",
                                            caches[i].level, "size",
                                            fb_json_int(fb_json_uint(machine, caches[i].path)),
                                            "num_sharing", 0));
    return list;
}

static json_t *context_of(const json_t *document)
{
    const json_t *machine = json_object_get(document, "machine");
    const char *governor = fb_json_str(document, "timing.settings.governor");
    char type[32];
    snprintf(type, sizeof type, "%s", fb_json_str(document, "build.type"));
    for (char *c = type; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:b, s:o, s:[], s:s, s:i}", "date",
                     fb_json_str(document, "run.started"), "host_name", "unknown", "executable",
                     "filterbench", "cpu_model", fb_json_str(machine, "cpu_model"), "num_cpus",
                     fb_json_int(fb_json_uint(machine, "cores")), "mhz_per_cpu", 0,
                     "cpu_scaling_enabled", *governor && strcmp(governor, "performance") != 0,
                     "caches", caches_of(machine), "load_avg", "library_build_type", type,
                     "json_schema_version", 1);
}

enum { N_CLOCKS = 2 }; /* wall, thread */

struct benchmark {
    char name[512];
    size_t family, repetitions, rounds;
    double ns[N_CLOCKS][FB_PAIRED_MAX]; /* of each repetition */
};

static json_t *entry_of(const struct benchmark *b, const char *suffix, size_t iterations)
{
    return json_pack("{s:s+, s:o, s:i, s:s, s:o, s:i, s:o, s:s}", "name", b->name, suffix,
                     "family_index", fb_json_int(b->family), "per_family_instance_index", 0,
                     "run_name", b->name, "repetitions", fb_json_int(b->repetitions), "threads", 1,
                     "iterations", fb_json_int(iterations), "time_unit", "ns");
}

static void add_repetition(json_t *benchmarks, const struct benchmark *b, size_t p)
{
    json_t *j = entry_of(b, "", b->rounds);
    json_object_set_new(j, "run_type", json_string("iteration"));
    json_object_set_new(j, "repetition_index", fb_json_int(p));
    json_object_set_new(j, "real_time", json_real(b->ns[0][p]));
    json_object_set_new(j, "cpu_time", json_real(b->ns[1][p]));
    json_array_append_new(benchmarks, j);
}

enum aggregate { MEAN, MEDIAN, STDDEV, CV, N_AGGREGATES };
static const char *const aggregates[N_AGGREGATES] = {"mean", "median", "stddev", "cv"};

static double aggregate_of(const double *ns, size_t n, enum aggregate which)
{
    double x[FB_PAIRED_MAX];
    const struct fb_mean m = fb_mean_of(ns, n);
    memcpy(x, ns, n * sizeof *x);
    switch (which) {
    case MEAN:
        return m.mean;
    case STDDEV:
        return m.sd;
    case CV:
        return m.sd / m.mean;
    default:
        return fb_median(x, n);
    }
}

static void add_aggregate(json_t *benchmarks, const struct benchmark *b, enum aggregate which)
{
    char suffix[16];
    snprintf(suffix, sizeof suffix, "_%s", aggregates[which]);
    json_t *j = entry_of(b, suffix, b->repetitions);
    json_object_set_new(j, "run_type", json_string("aggregate"));
    json_object_set_new(j, "aggregate_name", json_string(aggregates[which]));
    json_object_set_new(j, "aggregate_unit", json_string(which == CV ? "percentage" : "time"));
    json_object_set_new(j, "real_time", json_real(aggregate_of(b->ns[0], b->repetitions, which)));
    json_object_set_new(j, "cpu_time", json_real(aggregate_of(b->ns[1], b->repetitions, which)));
    json_array_append_new(benchmarks, j);
}

/* The samples of a time as repetitions. False: they cannot be read. */
static bool read_samples(json_t *owner, const char *member, struct benchmark *b)
{
    const struct fb_group_place place = {.object = owner, .name = member, .id = b->name, .to = -1};
    struct fb_group group = {0};
    bool read = !fb_group_read(&group, &place, 1, 1);
    b->repetitions = read ? group.parts[0].processes : 0;
    b->rounds = group.rounds;
    for (size_t p = 0; p < b->repetitions; p++) {
        double ns[N_CLOCKS][FB_GROUP_ROUNDS];
        for (size_t r = 0; r < group.rounds; r++) {
            const struct fb_sample *sample = &group.members[0].samples[p * group.rounds + r];
            ns[0][r] = sample->wall_ns;
            ns[1][r] = sample->cpu_ns;
        }
        for (int clock = 0; clock < N_CLOCKS; clock++)
            b->ns[clock][p] = fb_median(ns[clock], group.rounds);
    }
    fb_group_close(&group);
    return read;
}

/* The time owner[member], if it has one. False with a line on stderr: its samples cannot be read.
 */
static bool add_time(json_t *benchmarks, json_t *owner, const char *member, const char *id,
                     const char *of, size_t *family)
{
    struct benchmark b = {.family = *family};
    if (!json_is_object(json_object_get(owner, member)))
        return true;
    snprintf(b.name, sizeof b.name, "%.300s%s%.200s", id, *of ? "/" : "", of);
    if (!read_samples(owner, member, &b)) {
        fb_error("export: %s: its samples cannot be read", b.name);
        return false;
    }
    for (size_t p = 0; p < b.repetitions; p++)
        add_repetition(benchmarks, &b, p);
    for (int which = 0; which < N_AGGREGATES && b.repetitions > 1; which++)
        add_aggregate(benchmarks, &b, (enum aggregate)which);
    ++*family;
    return true;
}

static bool add_cell(json_t *benchmarks, json_t *cell, size_t *family)
{
    const char *id = fb_json_str(cell, "id");
    bool read = add_time(benchmarks, cell, "time", id, "", family) &&
                add_time(benchmarks, cell, "control", id, "control", family);
    FB_EACH(lookup, json_object_get(cell, "lookups")) {
        if (!read)
            break;
        read = add_time(benchmarks, lookup, "time", id, fb_json_str(lookup, "lookup"), family);
    }
    return read;
}

/*
 * {context, benchmarks}, to be released. A time is a benchmark, named by its cell, and its lookup
 * where a cell has several: "sbbf-256/L1/batch/absent/avx2", "t=10/shared-digest". A process is a
 * repetition: the medians over its rounds, in ns. `iterations` is their number. Aggregates over the
 * processes (mean, median, stddev, cv) follow. What a result does not know (clock rate, sharing of
 * caches) is 0, as that form has no null.
 *
 * FB_EXIT_USAGE with a line on stderr: the result has no times, or samples that cannot be read.
 */
static enum fb_exit make_gbench(const json_t *document, json_t **out)
{
    json_auto_t *benchmarks = json_array();
    size_t families = 0;
    bool read = true;
    *out = NULL;
    FB_EACH(cell, json_object_get(document, "cells")) {
        if (read)
            read = add_cell(benchmarks, cell, &families);
    }
    if (read && families)
        *out = json_pack("{s:o, s:O}", "context", context_of(document), "benchmarks", benchmarks);
    else if (read)
        fb_error("export: no times in the result; kernels and trees that are timed have them");
    return *out ? FB_EXIT_OK : FB_EXIT_USAGE;
}

static enum fb_exit write_gbench(struct fb_output *out, const json_t *document)
{
    json_auto_t *json = NULL;
    enum fb_exit code = make_gbench(document, &json);
    if (!code)
        code = fb_output_json(out, json);
    return code;
}

/* ---- Histograms, as HdrHistogram's percentile files ---- */

static enum fb_exit write_one(const char *folder, const char *id, const json_t *json,
                              struct fb_histogram *h)
{
    const char *kind = fb_json_str(json, "kind");
    char path[4096], name[FB_FILE_WORD], of[FB_FILE_WORD];
    struct fb_output out;
    snprintf(path, sizeof path, "%.3700s/%s.%.40s.hgrm", folder, fb_file_word(id, '_', name),
             fb_file_word(*kind ? kind : "unnamed", '_', of));
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
    FB_EACH(json, json_object_get(owner, "histograms")) {
        if (folder && !code)
            code = write_one(folder, *id ? id : "cell", json, &histogram);
        ++*n;
    }
    for (size_t i = 0; !code && i < json_array_size(lookups); i++)
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
        fb_error("--to: there is no form '%s'%s (give counts, csv, md, gbench or hgrm)", name,
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
                     "--format is of other verbs; give --to counts, csv, md, gbench or hgrm") ||
        !fb_opt_required("--to", to) ||
        fb_opt_wrong(optind >= argc, "export",
                     "which result? give the file that `filterbench run -o FILE` wrote"))
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
