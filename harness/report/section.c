#include "harness/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/message.h"
#include "harness/document/compare.h"
#include "harness/document/kind.h"

/* What `compare` says of two results; NULL: they cannot be compared. */
static json_t *compared(const json_t *base, const json_t *head)
{
    const struct fb_costs_comparison *costs = fb_kind_find(fb_json_str(base, "kind"))->costs;
    json_auto_t *ours = fb_counts(base), *theirs = fb_counts(head);
    json_t *report = NULL;
    struct fb_problem why;
    if (fb_comparable(ours, theirs, &why))
        report = json_pack("{s:o}", "exact", fb_compare(ours, theirs));
    if (report && costs && !fb_is_side_by_side(base) && !fb_is_side_by_side(head) &&
        costs->comparable(base, head, &why))
        json_object_set_new(report, costs->name, costs->compare(base, head, NULL));
    return report;
}

enum fb_exit fb_section_fill(struct fb_section *section)
{
    json_auto_t *documents = json_array();
    section->drawn = true;
    for (size_t i = 0; i < section->n; i++) {
        json_array_append(documents, (json_t *)section->documents[i]);
        section->parts[i] = fb_parts(section->documents[i], section->versus, NULL);
        if (i)
            section->compared[i] = compared(section->documents[0], section->documents[i]);
    }
    const enum fb_exit code = fb_report_figures(documents, section->names, section->versus,
                                                &section->figures, &section->drawn);
    if (code || section->n < 2)
        return code;
    section->differing = fb_facts_differing(section->documents, section->n, &section->n_equal);
    section->beside = fb_parts_beside((const json_t *const *)section->parts, section->n);
    return FB_EXIT_OK;
}

void fb_section_close(struct fb_section *section)
{
    for (size_t i = 0; i < section->n; i++) {
        json_decref(section->parts[i]);
        json_decref(section->compared[i]);
    }
    json_decref(section->figures);
    json_decref(section->names);
    json_decref(section->beside);
    json_decref(section->differing);
}

/* ---- Words ---- */

const char *fb_section_title(const struct fb_section *section)
{
    const char *name = fb_json_str(section->documents[0], "experiment.name");
    return *name ? name : fb_json_str(section->documents[0], "kind");
}

const char *fb_section_letter(const struct fb_section *section, size_t i, char letter[4])
{
    snprintf(letter, 4, "%c: ", (char)('A' + i));
    return section->n > 1 ? letter : "";
}

void fb_section_kind(FILE *file, const struct fb_section *section)
{
    const char *kind = fb_json_str(section->documents[0], "kind");
    if (strcmp(kind, fb_section_title(section)))
        fb_html(file, " <span class=\"kind\">%s</span>", kind);
}

/* "AMD EPYC (x86_64), 23 November 2026", or a list with letters. */
void fb_section_machines(FILE *file, const struct fb_section *section)
{
    char letter[4], date[64];
    fputs("<ul class=\"machines\">\n", file);
    for (size_t i = 0; i < section->n; i++) {
        const json_t *document = section->documents[i];
        char count[32];
        fb_facts_date(document, date, sizeof date);
        snprintf(count, sizeof count, "%zu", json_array_size(json_object_get(document, "cells")));
        fb_html(file, "<li>%s%s, ", fb_section_letter(section, i, letter),
                json_string_value(json_array_get(section->names, i)));
        fb_facts_machine(file, document);
        fb_html(file, ", %s; %s %s%s</li>\n", date, count,
                fb_kind_find(fb_json_str(document, "kind"))->unit,
                fb_facts_partial(document) ? "; of a run that did not finish" : "");
    }
    fputs("</ul>\n", file);
}

void fb_section_asked(FILE *file, const struct fb_section *section)
{
    const json_t *document = section->documents[0];
    const char *summary = fb_json_str(document, "experiment.summary");
    const char *source = fb_json_str(document, "experiment.source");
    const struct fb_kind *kind = fb_kind_find(fb_json_str(document, "kind"));
    fb_html(file, "<p class=\"asked\">%s", *summary ? summary : kind->summary);
    if (*source)
        fb_html(file, " <span class=\"quiet\">(%s)</span>", source);
    fputs("</p>\n", file);
}

size_t fb_section_count(const struct fb_section *section, const char *list)
{
    size_t n = 0;
    for (size_t i = 0; i < section->n; i++)
        n += json_array_size(json_object_get(section->documents[i], list));
    return n;
}

/* ---- The section ---- */

static void print_parts(FILE *file, const json_t *parts, const struct fb_section *section)
{
    char letter[4];
    bool set = false;
    FB_EACH(part, parts) {
        const json_t *of = json_object_get(part, "of");
        const bool is_set = json_is_true(json_object_get(part, "set"));
        if (is_set != set)
            fputs(is_set ? "<div class=\"box\" role=\"region\" tabindex=\"0\" "
                           "aria-label=\"list\"><pre>"
                         : "</pre></div>\n",
                  file);
        set = is_set;
        if (json_object_get(part, "rows"))
            fb_report_table(file, part, section->n);
        else if (set)
            fb_html(file, "%s\n", fb_json_str(part, "text"));
        else
            fb_html(file,
                    json_is_true(json_object_get(part, "aside")) ? "<p class=\"quiet\">%s%s</p>\n"
                                                                 : "<p>%s%s</p>\n",
                    of ? fb_section_letter(section, (size_t)json_integer_value(of), letter) : "",
                    fb_json_str(part, "text"));
    }
    if (set)
        fputs("</pre></div>\n", file);
}

/* Whether the machines counted the same. */
static void print_agreement(FILE *file, const struct fb_section *section)
{
    enum { MOST = 20 };
    const size_t n = json_array_size(section->differing);
    if (!section->differing)
        fputs("<p>Sizes follow from each machine's caches, or keys or what was left out differ: "
              "cells of one name are not the same filter, and their facts are not compared.</p>\n",
              file);
    else if (!n && section->n_equal)
        fprintf(file, "<p>Exact facts are equal in all %zu cells that are everywhere.</p>\n",
                section->n_equal);
    fputs("<p>What differs is shown for each result, by its letter. Stored times judge nothing: "
          "<code>filterbench ab</code> does.</p>\n",
          file);
    if (!n)
        return;
    fputs("<details open=\"open\"><summary class=\"alert\">Exact facts that differ</summary><ul>\n",
          file);
    FB_EACH_AT(i, cell, section->differing)
        if (i < MOST)
            fb_html(file, "<li><code>%s</code>: %s</li>\n", fb_json_str(cell, "id"),
                    fb_json_str(cell, "differs"));
    if (n > MOST)
        fprintf(file, "<li>and %zu more</li>\n", n - MOST);
    fputs("</ul></details>\n", file);
}

static void print_tables(FILE *file, const struct fb_section *section)
{
    const struct fb_costs_comparison *costs =
        fb_kind_find(fb_json_str(section->documents[0], "kind"))->costs;
    char letter[4];
    size_t i;
    fb_html(file, "<h3 id=\"%s-tables\">Tables</h3>\n", section->id);
    if (section->n > 1)
        print_agreement(file, section);
    for (i = 1; costs && i < section->n; i++) {
        const json_t *found = json_object_get(section->compared[i], costs->name);
        json_auto_t *parts = found ? fb_parts(section->documents[0], NULL, found) : NULL;
        if (parts)
            fprintf(file, "<h4>%c (head) against A (base)</h4>\n", (char)('A' + i));
        print_parts(file, parts, section);
    }
    if (section->beside) {
        print_parts(file, section->beside, section);
        return;
    }
    for (i = 0; i < section->n; i++) {
        if (section->n > 1)
            fb_html(file, "<h4>%s%s</h4>\n", fb_section_letter(section, i, letter),
                    json_string_value(json_array_get(section->names, i)));
        print_parts(file, section->parts[i], section);
    }
}

/* False where the picture cannot be taken over. */
static bool print_picture(FILE *file, const json_t *figure, const char *prefix)
{
    const char *svg = fb_json_str(figure, "svg");
    char *text = NULL, *label = NULL;
    size_t size;
    FILE *held = open_memstream(&text, &size);
    json_auto_t *both =
        json_sprintf("%s. %s", fb_json_str(figure, "title"), fb_json_str(figure, "see"));
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
    return well;
}

static enum fb_exit print_figure(FILE *file, const struct fb_section *section, const json_t *figure)
{
    const char *name = fb_json_str(figure, "figure"), *title = fb_json_str(figure, "title");
    char id[64];
    snprintf(id, sizeof id, "%s-%.40s", section->id, name);
    fb_html(file, "<figure id=\"%s\" data-figure=\"%s\">\n", id, name);
    /* The picture says its title itself. */
    fputs(section->drawn ? "<figcaption class=\"unseen\">" : "<figcaption>", file);
    fb_html(file, "%s</figcaption>\n", *title ? title : fb_json_str(figure, "summary"));
    strcat(id, "-");
    if (section->drawn && !print_picture(file, figure, id)) {
        fb_error("figure %s: gnuplot's picture has what no picture of its has", name);
        return FB_EXIT_IO;
    }
    fputs(section->drawn ? "<details>" : "<details open=\"open\">", file);
    fputs("<summary>Data of this figure</summary>\n", file);
    fb_report_data(file, fb_json_str(figure, "data"));
    fputs("</details>\n</figure>\n", file);
    return FB_EXIT_OK;
}

static enum fb_exit print_figures(FILE *file, const struct fb_section *section)
{
    enum fb_exit code = FB_EXIT_OK;
    FB_EACH_AT(i, figure, section->figures) {
        if (!i)
            fb_html(file, "<h3 id=\"%s-figures\">Figures</h3>\n", section->id);
        if (!i && !section->drawn)
            fputs("<p class=\"alert\">Data alone: gnuplot, which draws, was not at hand; "
                  "install gnuplot-nox (scripts/setup plots) and write the report anew.</p>\n",
                  file);
        code = code ? code : print_figure(file, section, figure);
    }
    return code;
}

static bool any_partial(const struct fb_section *section)
{
    bool any = false;
    for (size_t i = 0; i < section->n; i++)
        any |= fb_facts_partial(section->documents[i]);
    return any;
}

enum fb_exit fb_section_print(FILE *file, const struct fb_section *section)
{
    char letter[4];
    fb_html(file, "<section id=\"%s\">\n<h2>%s", section->id, fb_section_title(section));
    fb_section_kind(file, section);
    fputs("</h2>\n", file);
    fb_section_asked(file, section);
    fb_section_machines(file, section);
    print_tables(file, section);
    enum fb_exit code = print_figures(file, section);
    fb_html(file, "<h3 id=\"%s-missing\">What is missing</h3>\n", section->id);
    if (!fb_section_count(section, "warnings") && !fb_section_count(section, "skipped") &&
        !any_partial(section))
        fputs("<p>Nothing: every cell that was asked for was measured, without a warning.</p>\n",
              file);
    for (size_t i = 0; i < section->n; i++) {
        fb_facts_say_partial(file, section->documents[i], fb_section_letter(section, i, letter));
        fb_facts_missing(file, section->documents[i], fb_section_letter(section, i, letter));
    }
    fb_html(file, "<h3 id=\"%s-provenance\">Where it comes from</h3>\n", section->id);
    fb_facts_provenance(file, section->documents, section->names);
    fb_facts_experiment(file, section->documents[0]);
    fputs("</section>\n", file);
    return code;
}
