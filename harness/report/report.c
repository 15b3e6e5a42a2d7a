#include "harness/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/version.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/message.h"
#include "harness/document/kind.h"
#include "harness/report/facts.h"
#include "harness/report/figures.h"
#include "harness/report/html.h"
#include "harness/report/parts.h"
#include "harness/report/svg.h"
#include "harness/report/tables.h"

/* The results of one experiment. What is in it belongs to it. */
struct group {
    const json_t *documents[FB_REPORT_BESIDE];
    json_t *names;                     /* of their files */
    json_t *parts[FB_REPORT_BESIDE];   /* of each: parts.h */
    json_t *beside;                    /* all as one, or NULL */
    json_t *figures[FB_REPORT_BESIDE]; /* of each: figures.h */
    json_t *differing;                 /* exact facts: facts.h */
    size_t n, n_equal;
    char id[16]; /* "r2" */
};

struct report {
    FILE *file;
    struct group *groups; /* [n] */
    size_t n;
    bool drawn;
    char nonce[33];
};

/* ---- What there is ---- */

static bool same_experiment(const json_t *a, const json_t *b)
{
    static const char *const paths[] = {"kind", "experiment_hash", NULL};
    return fb_json_same(a, b, paths);
}

static enum fb_exit add_document(struct report *r, const json_t *document, const json_t *name)
{
    struct group *group = r->groups;
    while (group < r->groups + r->n && !same_experiment(group->documents[0], document))
        group++;
    for (size_t i = 0; i < group->n; i++)
        if (json_equal(json_object_get(group->documents[i], "content_xxh3_128"),
                       json_object_get(document, "content_xxh3_128"))) {
            fb_error("%s: the same result as %s", json_string_value(name),
                     json_string_value(json_array_get(group->names, i)));
            return FB_EXIT_USAGE;
        }
    if (group->n == FB_REPORT_BESIDE) {
        fb_error("%s: more than %d results of one experiment", json_string_value(name),
                 FB_REPORT_BESIDE);
        return FB_EXIT_USAGE;
    }
    if (!group->n) {
        snprintf(group->id, sizeof group->id, "r%zu", ++r->n);
        group->names = json_array();
    }
    group->documents[group->n++] = document;
    json_array_append(group->names, (json_t *)name);
    return FB_EXIT_OK;
}

static enum fb_exit fill_group(struct report *r, struct group *group)
{
    enum fb_exit code = FB_EXIT_OK;
    for (size_t i = 0; i < group->n && !code; i++) {
        group->parts[i] = fb_parts(group->documents[i]);
        code = fb_report_figures(group->documents[i], &group->figures[i], &r->drawn);
    }
    if (code || group->n < 2)
        return code;
    group->differing = fb_facts_differing(group->documents, group->n, &group->n_equal);
    group->beside = fb_parts_beside((const json_t *const *)group->parts, group->n);
    return FB_EXIT_OK;
}

static void close_group(struct group *group)
{
    for (size_t i = 0; i < group->n; i++) {
        json_decref(group->parts[i]);
        json_decref(group->figures[i]);
    }
    json_decref(group->names);
    json_decref(group->beside);
    json_decref(group->differing);
}

/* ---- Words ---- */

static const char *title_of(const struct group *group)
{
    const char *name = fb_json_str(group->documents[0], "experiment.name");
    return *name ? name : fb_json_str(group->documents[0], "kind");
}

static const char *letter_of(const struct group *group, size_t i, char letter[4])
{
    snprintf(letter, 4, "%c: ", (char)('A' + i));
    return group->n > 1 ? letter : "";
}

static bool any_partial(const struct group *group)
{
    bool any = false;
    for (size_t i = 0; i < group->n; i++)
        any |= fb_facts_partial(group->documents[i]);
    return any;
}

/* The kind, beside a title that does not name it. */
static void print_kind(FILE *file, const struct group *group)
{
    const char *kind = fb_json_str(group->documents[0], "kind");
    if (strcmp(kind, title_of(group)))
        fb_html(file, " <span class=\"kind\">%s</span>", kind);
}

/* "AMD EPYC (x86_64), 23 November 2026", or a list with letters. */
static void print_machines(FILE *file, const struct group *group)
{
    char letter[4], date[64];
    fputs("<ul class=\"machines\">\n", file);
    for (size_t i = 0; i < group->n; i++) {
        const json_t *document = group->documents[i];
        char *machine = fb_facts_machine(document), count[32];
        fb_facts_date(document, date, sizeof date);
        snprintf(count, sizeof count, "%zu", json_array_size(json_object_get(document, "cells")));
        fb_html(file, "<li>%s%s, %s; %s %s%s</li>\n", letter_of(group, i, letter),
                machine ? machine : "", date, count,
                fb_kind_find(fb_json_str(document, "kind"))->unit,
                fb_facts_partial(document) ? "; of a run that did not finish" : "");
        free(machine);
    }
    fputs("</ul>\n", file);
}

static void print_asked(FILE *file, const struct group *group)
{
    const json_t *document = group->documents[0];
    const char *summary = fb_json_str(document, "experiment.summary");
    const char *source = fb_json_str(document, "experiment.source");
    const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
    fb_html(file, "<p class=\"asked\">%s", *summary ? summary : kind->summary);
    if (*source)
        fb_html(file, " <span class=\"quiet\">(%s)</span>", source);
    fputs("</p>\n", file);
}

/* ---- Summary ---- */

/* Sentences of what was found: those of tables that tell something, then those of figures. */
static void print_answer(FILE *file, const struct group *group)
{
    enum { MOST = 12 };
    char letter[4];
    json_t *part, *figure;
    size_t i, n = 0;
    fputs("<ul class=\"answer\">\n", file);
    for (size_t d = 0; d < (group->beside ? 1 : group->n); d++) {
        json_array_foreach(group->beside ? group->beside : group->parts[d], i, part) {
            const char *text = fb_json_str(part, "text");
            const json_t *of = json_object_get(part, "of");
            const size_t whose = of ? (size_t)json_integer_value(of) : d;
            if (!*text || json_is_true(json_object_get(part, "aside")) ||
                json_is_true(json_object_get(part, "set")) || n++ >= MOST)
                continue;
            fb_html(file, "<li>%s%s</li>\n",
                    of || !group->beside ? letter_of(group, whose, letter) : "", text);
        }
    }
    for (size_t d = 0; d < group->n; d++)
        json_array_foreach(group->figures[d], i, figure) {
            const char *see = fb_json_str(figure, "see");
            if (*see)
                fb_html(file, "<li>%s<b>%s.</b> %s%s</li>\n", letter_of(group, d, letter),
                        fb_json_str(figure, "title"), see, see[strlen(see) - 1] == '.' ? "" : ".");
        }
    if (n > MOST)
        fb_html(file, "<li>And more: <a href=\"#%s\">below the tables</a>.</li>\n", group->id);
    fputs("</ul>\n", file);
}

static size_t count_all(const struct group *group, const char *list)
{
    size_t n = 0;
    for (size_t i = 0; i < group->n; i++)
        n += json_array_size(json_object_get(group->documents[i], list));
    return n;
}

/* What keeps the answer from being whole, in a line. */
static void print_doubts(FILE *file, const struct group *group)
{
    const size_t n_warnings = count_all(group, "warnings"), n_skipped = count_all(group, "skipped");
    if (any_partial(group))
        fputs(
            "<p class=\"alert\">Not complete: a run was interrupted, and cells are missing.</p>\n",
            file);
    if (json_array_size(group->differing))
        fprintf(file,
                "<p class=\"alert\">Exact facts differ in %zu cells, where the machines should "
                "have counted the same.</p>\n",
                json_array_size(group->differing));
    if (n_warnings || n_skipped) {
        fb_html(file, "<p class=\"doubts\"><a href=\"#%s-missing\">", group->id);
        if (n_warnings)
            fprintf(file, "%zu warning%s", n_warnings, n_warnings > 1 ? "s" : "");
        fputs(n_warnings && n_skipped ? ", " : "", file);
        if (n_skipped)
            fprintf(file, "%zu not measured", n_skipped);
        fputs("</a></p>\n", file);
    }
}

static void print_summary(const struct report *r)
{
    fputs("<section id=\"summary\">\n<h2>Summary</h2>\n", r->file);
    for (size_t i = 0; i < r->n; i++) {
        const struct group *group = &r->groups[i];
        fb_html(r->file, "<article>\n<h3><a href=\"#%s\">%s</a>", group->id, title_of(group));
        print_kind(r->file, group);
        fputs("</h3>\n", r->file);
        print_asked(r->file, group);
        print_answer(r->file, group);
        print_doubts(r->file, group);
        print_machines(r->file, group);
        fputs("</article>\n", r->file);
    }
    fputs("</section>\n", r->file);
}

/* ---- An experiment ---- */

static void print_parts(FILE *file, const json_t *parts, const struct group *group)
{
    char letter[4];
    bool set = false;
    json_t *part;
    size_t i;
    json_array_foreach((json_t *)parts, i, part) {
        const json_t *of = json_object_get(part, "of");
        const bool is_set = json_is_true(json_object_get(part, "set"));
        if (is_set != set)
            fputs(is_set ? "<div class=\"box\" role=\"region\" tabindex=\"0\" "
                           "aria-label=\"list\"><pre>"
                         : "</pre></div>\n",
                  file);
        set = is_set;
        if (json_object_get(part, "rows"))
            fb_report_table(file, part, group->n);
        else if (set)
            fb_html(file, "%s\n", fb_json_str(part, "text"));
        else
            fb_html(file,
                    json_is_true(json_object_get(part, "aside")) ? "<p class=\"quiet\">%s%s</p>\n"
                                                                 : "<p>%s%s</p>\n",
                    of ? letter_of(group, (size_t)json_integer_value(of), letter) : "",
                    fb_json_str(part, "text"));
    }
    if (set)
        fputs("</pre></div>\n", file);
}

static void print_tables(FILE *file, const struct group *group)
{
    char letter[4];
    json_t *cell;
    size_t i;
    fb_html(file, "<h3 id=\"%s-tables\">Tables</h3>\n", group->id);
    if (group->differing && !json_array_size(group->differing))
        fprintf(
            file,
            "<p>Exact facts of all %zu cells are equal on these machines. What differs is shown "
            "for each, lettered as above; times of one machine say nothing of another.</p>\n",
            group->n_equal);
    if (json_array_size(group->differing))
        fputs("<details open=\"open\"><summary class=\"alert\">Exact facts that "
              "differ</summary><ul>\n",
              file);
    json_array_foreach(group->differing, i, cell)
        fb_html(file, "<li><code>%s</code>: %s</li>\n", fb_json_str(cell, "id"),
                fb_json_str(cell, "differs"));
    if (json_array_size(group->differing))
        fputs("</ul></details>\n", file);
    if (group->beside) {
        print_parts(file, group->beside, group);
        return;
    }
    for (i = 0; i < group->n; i++) {
        if (group->n > 1)
            fb_html(file, "<h4>%s%s</h4>\n", letter_of(group, i, letter),
                    json_string_value(json_array_get(group->names, i)));
        print_parts(file, group->parts[i], group);
    }
}

/* False where the picture cannot be taken over. */
static bool print_picture(FILE *file, const json_t *figure, const char *prefix)
{
    const char *svg = fb_json_str(figure, "svg");
    char *text = NULL, *label = NULL;
    size_t size;
    FILE *held = open_memstream(&text, &size);
    json_t *both = json_sprintf("%s. %s", fb_json_str(figure, "title"), fb_json_str(figure, "see"));
    label = both ? (char *)json_string_value(both) : NULL;
    bool well = held && fb_svg_inline(held, svg, prefix, label ? label : "");
    if (held)
        fclose(held);
    if (well) {
        fb_html(file,
                "<div class=\"box picture\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">",
                fb_json_str(figure, "title"));
        fputs(text, file);
        fputs("</div>\n", file);
    }
    free(text);
    json_decref(both);
    return well;
}

static enum fb_exit print_figures(const struct report *r, const struct group *group)
{
    char letter[4], prefix[64];
    json_t *figure;
    size_t k, n = 0;
    for (size_t i = 0; i < group->n; i++)
        json_array_foreach(group->figures[i], k, figure) {
            const char *name = fb_json_str(figure, "figure"), *title = fb_json_str(figure, "title");
            if (!n++)
                fb_html(r->file, "<h3 id=\"%s-figures\">Figures</h3>\n", group->id);
            if (n == 1 && !r->drawn)
                fputs("<p class=\"alert\">Data alone: gnuplot, which draws, was not at hand; "
                      "install gnuplot-nox (scripts/setup plots) and write the report anew.</p>\n",
                      r->file);
            snprintf(prefix, sizeof prefix, "%s%c-%.40s", group->id, (char)('a' + i), name);
            fb_html(r->file,
                    "<figure id=\"%s\" data-figure=\"%s\">\n<figcaption>%s%s</figcaption>\n",
                    prefix, name, letter_of(group, i, letter),
                    *title ? title : fb_json_str(figure, "summary"));
            strcat(prefix, "-");
            if (r->drawn && !print_picture(r->file, figure, prefix)) {
                fb_error("figure %s: gnuplot's picture has what no picture of its has", name);
                return FB_EXIT_IO;
            }
            fputs(r->drawn ? "<details><summary>Data of this figure</summary>\n"
                           : "<details open=\"open\"><summary>Data of this figure</summary>\n",
                  r->file);
            fb_report_data(r->file, fb_json_str(figure, "data"));
            fputs("</details>\n</figure>\n", r->file);
        }
    return FB_EXIT_OK;
}

static enum fb_exit print_group(const struct report *r, const struct group *group)
{
    char letter[4];
    fb_html(r->file, "<section id=\"%s\">\n<h2>%s", group->id, title_of(group));
    print_kind(r->file, group);
    fputs("</h2>\n", r->file);
    print_asked(r->file, group);
    print_machines(r->file, group);
    print_tables(r->file, group);
    enum fb_exit code = print_figures(r, group);
    fb_html(r->file, "<h3 id=\"%s-missing\">What is missing</h3>\n", group->id);
    if (!count_all(group, "warnings") && !count_all(group, "skipped") && !any_partial(group))
        fputs("<p>Nothing: every cell that was asked for was measured, without a warning.</p>\n",
              r->file);
    for (size_t i = 0; i < group->n; i++) {
        if (fb_facts_partial(group->documents[i]))
            fb_html(r->file,
                    "<p class=\"alert\">%sThe run did not finish; these are the cells until "
                    "then.</p>\n",
                    letter_of(group, i, letter));
        fb_facts_missing(r->file, group->documents[i], letter_of(group, i, letter));
    }
    fb_html(r->file, "<h3 id=\"%s-provenance\">Where it comes from</h3>\n", group->id);
    fb_facts_provenance(r->file, group->documents, group->names);
    fb_facts_experiment(r->file, group->documents[0]);
    fputs("</section>\n", r->file);
    return code;
}

/* ---- The page ---- */

/* A file of plots/ between what hides it from XML. */
static enum fb_exit print_asset(FILE *file, const char *name)
{
    char path[4096];
    uint8_t *bytes = NULL;
    size_t n;
    fb_data_path(name, path, sizeof path);
    enum fb_exit code = fb_file_read(path, &bytes, &n);
    if (!code) {
        fputs("/*<![CDATA[*/\n", file);
        fwrite(bytes, 1, n, file);
        fputs("/*]]>*/", file);
    }
    free(bytes);
    return code;
}

static enum fb_exit print_head(const struct report *r)
{
    enum fb_exit code;
    fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
          "<meta charset=\"utf-8\"/>\n",
          r->file);
    fb_html(r->file,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'nonce-%s'; base-uri 'none'; "
            "form-action 'none'\"/>\n",
            r->nonce);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
          "<meta name=\"referrer\" content=\"no-referrer\"/>\n",
          r->file);
    fb_html(r->file, "<meta name=\"generator\" content=\"filterbench %s\"/>\n<title>", FB_VERSION);
    for (size_t i = 0; i < r->n; i++)
        fb_html(r->file, i ? ", %s" : "%s", title_of(&r->groups[i]));
    fputs(" - filterbench report</title>\n<style>", r->file);
    code = print_asset(r->file, "plots/report.css");
    fputs("</style>\n</head>\n", r->file);
    return code;
}

static void print_contents(const struct report *r)
{
    fputs("<nav aria-label=\"Contents\">\n<ol>\n<li><a href=\"#summary\">Summary</a></li>\n",
          r->file);
    for (size_t i = 0; i < r->n; i++) {
        const struct group *group = &r->groups[i];
        const char *id = group->id;
        fb_html(r->file,
                "<li><a href=\"#%s\">%s</a> <span class=\"quiet\">"
                "<a href=\"#%s-tables\">tables</a> ",
                id, title_of(group), id);
        bool figures = false;
        for (size_t d = 0; d < group->n; d++)
            figures |= json_array_size(group->figures[d]) > 0;
        if (figures)
            fb_html(r->file, "<a href=\"#%s-figures\">figures</a> ", id);
        fb_html(r->file,
                "<a href=\"#%s-missing\">missing</a> "
                "<a href=\"#%s-provenance\">origin</a></span></li>\n",
                id, id);
    }
    fputs("</ol>\n</nav>\n", r->file);
}

static enum fb_exit print_page(const struct report *r, size_t n_documents)
{
    enum fb_exit code = print_head(r);
    fputs("<body>\n<header>\n<h1>filterbench report</h1>\n", r->file);
    fprintf(r->file, "<p class=\"quiet\">%zu result%s of %zu experiment%s</p>\n</header>\n",
            n_documents, n_documents > 1 ? "s" : "", r->n, r->n > 1 ? "s" : "");
    print_contents(r);
    fputs("<main>\n", r->file);
    print_summary(r);
    for (size_t i = 0; i < r->n && !code; i++)
        code = print_group(r, &r->groups[i]);
    fputs("</main>\n", r->file);
    fb_html(r->file,
            "<footer><p class=\"quiet\">Written by filterbench %s from the results named above. "
            "Counts are equal on every machine; times hold for the machine they were taken "
            "on.</p></footer>\n<script nonce=\"%s\">",
            FB_VERSION, r->nonce);
    if (!code)
        code = print_asset(r->file, "plots/report.js");
    fputs("</script>\n</body>\n</html>\n", r->file);
    return code;
}

enum fb_exit fb_report(FILE *file, const json_t *documents, const json_t *names)
{
    const size_t n = json_array_size(documents);
    struct report r = {.file = file, .groups = calloc(n + 1, sizeof *r.groups)};
    json_t *shown = fb_html_printable(documents), *document;
    enum fb_exit code = r.groups ? FB_EXIT_OK : fb_fail("report", FB_ENOMEM, NULL);
    size_t i;
    /* No text of a result can know it: it is made of all of them. */
    if (!code && !fb_json_hash(documents, r.nonce))
        code = fb_fail("report", FB_ENOMEM, NULL);
    for (i = 0; i < n && !code; i++) {
        document = json_array_get(shown, i);
        code = add_document(&r, document, json_array_get(names, i));
    }
    for (i = 0; i < r.n && !code; i++)
        code = fill_group(&r, &r.groups[i]);
    if (!code && !r.drawn)
        fb_note("gnuplot: not found: the figures are told as data; install the package gnuplot-nox "
                "('scripts/setup plots')");
    if (!code)
        code = print_page(&r, n);
    for (i = 0; i < r.n; i++)
        close_group(&r.groups[i]);
    free(r.groups);
    json_decref(shown);
    return code;
}
