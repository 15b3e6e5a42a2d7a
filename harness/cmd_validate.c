/* validate: the shape of a result document by its schema, its numbers by deriving them again. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/kernels.h"

/* ---- Shape: python3-jsonschema, a validator that shares nothing with us ---- */

static const char script[] =
    "import sys, json\n"
    "try:\n"
    "    from jsonschema import Draft202012Validator\n"
    "    from jsonschema.exceptions import best_match\n"
    "except ImportError:\n"
    "    sys.exit(3)\n"
    "schema = json.load(open(sys.argv[1], encoding='utf-8'))\n"
    "Draft202012Validator.check_schema(schema)\n"
    "error = best_match(Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2], "
    "encoding='utf-8'))))\n"
    "if error:\n"
    "    print('filterbench: %s: %s: %s' % (sys.argv[2], error.json_path, error.message[:300]), "
    "file=sys.stderr)\n"
    "    sys.exit(4)\n";

/* Exit status of the script under one interpreter; 3 where that lacks it, 127 where there is none.
 */
static int run_python(const char *python, const char *schema, const char *path)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execlp(python, python, "-c", script, schema, path, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static enum fb_exit check_schema(const char *path)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char schema[4096];
    fb_data_path("results/result.schema.json", schema, sizeof schema);
    if (access(schema, R_OK)) {
        fb_error("%s: %s; FILTERBENCH_DATA names the folder of the project's data", schema,
                 strerror(errno));
        return FB_EXIT_USAGE;
    }
    for (size_t i = 0; i < 2; i++) {
        switch (run_python(pythons[i], schema, path)) {
        case 0:
            return FB_EXIT_OK;
        case 3:
        case 127:
            continue;
        case 4:
            return FB_EXIT_USAGE; /* said by the script */
        default:
            fb_error("%s: the schema validator failed", path);
            return FB_EXIT_USAGE;
        }
    }
    fb_error("validate needs Python 3 with jsonschema (Debian: python3-jsonschema); --no-schema "
             "checks the numbers alone");
    return FB_EXIT_USAGE;
}

/* ---- Numbers ---- */

/* The geometry that this build plans for the cell, which is what the formula is then asked about.
 */
static bool same_geometry(const struct fb_cell *cell, const struct fb_fpr_counts *counts)
{
    struct fb_params params = cell->spec.params;
    struct fb_geometry planned;
    const char *why;
    bool derived;
    if (fb_params_resolve(cell->spec.design, counts->n_entries, &params, &derived, &why) ||
        fb_design_plan(cell->spec.design, &params, counts->n_entries, &planned, &why))
        return false;
    const struct fb_geometry *g = &counts->geom;
    return derived == counts->derived && planned.n_bytes == g->n_bytes &&
           planned.n_bits == g->n_bits && planned.n_blocks == g->n_blocks &&
           planned.block_bits == g->block_bits && planned.probes == g->probes &&
           planned.digest_words == g->digest_words;
}

static enum fb_exit check_cell(const char *path, const json_t *json)
{
    struct fb_cell cell;
    struct fb_fpr_counts counts;
    struct fb_problem problem;
    const char *where = NULL;
    enum fb_exit code = FB_EXIT_OK;
    if (!fb_result_cell_read(json, &cell, &counts, &problem)) {
        fb_error("%s: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    } else if (counts.false_negatives && !(cell.spec.design->traits & FB_FALSE_NEGATIVES)) {
        fb_error("%s: %s: %llu false negatives", path, cell.id,
                 (unsigned long long)counts.false_negatives);
        code = FB_EXIT_CORRECTNESS;
    } else if (!same_geometry(&cell, &counts)) {
        fb_error("%s: %s: geometry: this filterbench sizes that filter otherwise", path, cell.id);
        code = FB_EXIT_CORRECTNESS;
    } else {
        json_t *derived = fb_result_summary(&cell, &counts);
        const json_t *written = json_object_get(json, "fpr");
        if (!fb_json_agree(derived, written, &where)) {
            fb_error("%s: %s: fpr.%s is not what the counts give", path, cell.id,
                     where ? where : "?");
            code = FB_EXIT_CORRECTNESS;
        }
        json_decref(derived);
    }
    fb_fpr_counts_close(&counts);
    return code;
}

static bool is_kernels(const json_t *document)
{
    const char *kind = json_string_value(json_object_get(document, "kind"));
    return kind && !strcmp(kind, "kernels");
}

static enum fb_exit check_cells(const char *path, const json_t *document, size_t *n_cells)
{
    const json_t *cells = json_object_get(document, "cells");
    enum fb_exit code = FB_EXIT_OK;
    *n_cells = json_array_size(cells);
    if (is_kernels(document))
        return fb_kernels_check(path, document);
    for (size_t i = 0; i < *n_cells && !code; i++)
        code = check_cell(path, json_array_get(cells, i));
    return code;
}

/* The experiment resolves to itself and has the hash that is written beside it. */
static enum fb_exit check_experiment(const char *path, const json_t *document)
{
    const json_t *written = json_object_get(document, "experiment");
    const char *hash = json_string_value(json_object_get(document, "experiment_hash"));
    struct fb_experiment e = {0};
    struct fb_kernels k = {0};
    struct fb_problem problem;
    enum fb_exit code = FB_EXIT_OK;
    if (!written)
        return FB_EXIT_OK;
    bool kernels = is_kernels(document);
    const char *own_hash = kernels ? k.hash_hex : e.hash_hex;
    if (kernels ? !fb_kernels_resolve(written, &k, &problem)
                : !fb_experiment_resolve(written, &e, &problem)) {
        fb_error("%s: experiment: %s", path, problem.text);
        code = FB_EXIT_USAGE;
    } else if (!hash || strcmp(hash, own_hash)) {
        fb_error("%s: experiment_hash is not that of the experiment (%s)", path, own_hash);
        code = FB_EXIT_CORRECTNESS;
    }
    fb_experiment_close(&e);
    fb_kernels_close(&k);
    return code;
}

static int validate(int argc, char **argv)
{
    bool no_schema = false;
    enum fb_cli_format format = FB_FORMAT_TABLE;
    const struct fb_opt opts[] = {{"no-schema", 0, FB_OPT_FLAG, &no_schema, 0, 0},
                                  {"format", 0, FB_OPT_FORMAT, &format, 0, 0},
                                  {0}};
    json_t *document;
    size_t n_cells = 0;
    if (!fb_cli_parse(argc, argv, opts, 1))
        return FB_EXIT_USAGE;
    if (optind >= argc) {
        fb_error("validate: which result? give a file");
        return FB_EXIT_USAGE;
    }
    const char *path = argv[optind];
    if (!no_schema && !strcmp(path, "-")) {
        fb_error("validate: the schema validator reads a file, not stdin");
        return FB_EXIT_USAGE;
    }
    enum fb_exit code = fb_result_load(path, &document);
    if (code)
        return (int)code;
    if (!no_schema)
        code = check_schema(path);
    if (!code)
        code = check_experiment(path, document);
    if (!code)
        code = check_cells(path, document, &n_cells);
    bool complete = json_is_true(json_object_get(json_object_get(document, "run"), "complete"));
    json_decref(document);
    if (code)
        return (int)code;
    if (format == FB_FORMAT_JSON)
        printf("{\"file\": \"valid\", \"cells\": %zu, \"complete\": %s}\n", n_cells,
               complete ? "true" : "false");
    else
        printf("valid%s: %zu cells derived again from what was counted\n",
               complete ? "" : ", of a run that did not finish", n_cells);
    return FB_EXIT_OK;
}

const struct fb_verb fb_verb_validate = {
    .name = "validate",
    .usage = "validate RESULT.json [--no-schema]",
    .summary = "Check a result: its shape by the schema, its numbers from the raw counts",
    .help = "  --no-schema   do without Python's jsonschema: only derive the numbers again\n"
            "\n"
            "Exit 2: no result document; 4: of a later schema; 5: a number is not what the counts\n"
            "give, or there are false negatives.\n",
    .main = validate,
};
