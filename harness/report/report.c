#include "harness/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "filters/core/version.h"
#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/document/compare.h"
#include "harness/document/shown.h"
#include "harness/report/page.h"

struct report {
    FILE *file;
    struct fb_section *sections; /* [n] */
    size_t n;
    const char *versus;
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
    struct fb_section *section = r->sections;
    while (section < r->sections + r->n && !same_experiment(section->documents[0], document))
        section++;
    for (size_t i = 0; i < section->n; i++)
        if (json_equal(section->documents[i], document)) {
            fb_error("%s: the same result as %s", json_string_value(name),
                     json_string_value(json_array_get(section->names, i)));
            return FB_EXIT_USAGE;
        }
    if (section->n == FB_BESIDE_MOST) {
        fb_error("%s: more than %d results of one experiment", json_string_value(name),
                 FB_BESIDE_MOST);
        return FB_EXIT_USAGE;
    }
    if (!section->n) {
        snprintf(section->id, sizeof section->id, "r%zu", ++r->n);
        section->names = json_array();
        section->versus = r->versus;
    }
    section->documents[section->n++] = document;
    json_array_append(section->names, (json_t *)name);
    return FB_EXIT_OK;
}

/* ---- Summary ---- */

static void print_card(FILE *file, const char *letter, const struct fb_card *card)
{
    if (!*card->part[FB_CARD_ANSWER])
        return;
    fb_html(file, "<ul class=\"card\">\n<li>%s<b>%s</b></li>\n", letter,
            card->part[FB_CARD_ANSWER]);
    for (int part = FB_CARD_AMOUNT; part < FB_CARD_NEXT; part++)
        if (*card->part[part])
            fb_html(file, "<li>%s</li>\n", card->part[part]);
    if (*card->part[FB_CARD_NEXT])
        fb_html(file, "<li>Next: <code>%s</code></li>\n", card->part[FB_CARD_NEXT]);
    fputs("</ul>\n", file);
}

/* What each result differs in from the first. */
static void print_differences(FILE *file, const struct fb_section *section)
{
    char base[FB_CARD_TEXT], head[FB_CARD_TEXT];
    fb_card_quoted(json_string_value(json_array_get(section->names, 0)), base);
    for (size_t i = 1; i < section->n; i++) {
        const char letter[] = {(char)('A' + i), '\0'};
        struct fb_card card = {0};
        if (!section->compared[i])
            continue;
        fb_card_quoted(json_string_value(json_array_get(section->names, i)), head);
        fb_compare_card(section->compared[i],
                        fb_kind_find(fb_json_str(section->documents[0], "kind")), "A", letter,
                        &card);
        fb_card_set(&card, FB_CARD_NEXT, "filterbench compare %s %s", base, head);
        print_card(file, "", &card);
    }
}

/* The card of each result, of several with its letter. */
static void print_cards(FILE *file, const struct fb_section *section)
{
    for (size_t i = 0; i < section->n; i++) {
        json_auto_t *runs = fb_documents_within(section->documents[i]);
        const char *name = json_string_value(json_array_get(section->names, i));
        char letter[4];
        FB_EACH(run, runs) {
            struct fb_card card;
            fb_card_fill(run, name, &card);
            print_card(file, fb_section_letter(section, i, letter), &card);
        }
    }
}

/* Sentences of what was found: those of tables that tell something, then those of figures. */
static void print_answer(FILE *file, const struct fb_section *section)
{
    enum { MOST = 12 };
    char letter[4];
    size_t n = 0;
    fputs("<ul class=\"answer\">\n", file);
    for (size_t d = 0; d < (section->beside ? 1 : section->n); d++) {
        FB_EACH(part, section->beside ? section->beside : section->parts[d]) {
            const char *text = fb_json_str(part, "text");
            const json_t *of = json_object_get(part, "of");
            const size_t whose = of ? (size_t)json_integer_value(of) : d;
            if (!*text || json_is_true(json_object_get(part, "aside")) ||
                json_is_true(json_object_get(part, "set")) || n++ >= MOST)
                continue;
            fb_html(file, "<li>%s%s</li>\n",
                    of || !section->beside ? fb_section_letter(section, whose, letter) : "", text);
        }
    }
    FB_EACH(figure, section->figures) {
        const char *see = fb_json_str(figure, "see");
        if (*see)
            fb_html(file, "<li><b>%s.</b> %s%s</li>\n", fb_json_str(figure, "title"), see,
                    see[strlen(see) - 1] == '.' ? "" : ".");
    }
    if (n > MOST)
        fb_html(file, "<li>And more: <a href=\"#%s\">below the tables</a>.</li>\n", section->id);
    fputs("</ul>\n", file);
}

/* What keeps the answer from being whole, in a line. */
static void print_doubts(FILE *file, const struct fb_section *section)
{
    const size_t n_warnings = fb_section_count(section, "warnings"),
                 n_skipped = fb_section_count(section, "skipped");
    char letter[4];
    for (size_t i = 0; i < section->n; i++)
        fb_facts_say_partial(file, section->documents[i], fb_section_letter(section, i, letter));
    if (n_warnings || n_skipped) {
        fb_html(file, "<p class=\"doubts\"><a href=\"#%s-missing\">", section->id);
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
        const struct fb_section *section = &r->sections[i];
        fb_html(r->file, "<article>\n<h3><a href=\"#%s\">%s</a>", section->id,
                fb_section_title(section));
        fb_section_kind(r->file, section);
        fputs("</h3>\n", r->file);
        fb_section_asked(r->file, section);
        print_differences(r->file, section);
        print_cards(r->file, section);
        print_answer(r->file, section);
        print_doubts(r->file, section);
        fb_section_machines(r->file, section);
        fputs("</article>\n", r->file);
    }
    fputs("</section>\n", r->file);
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
        fb_html(r->file, i ? ", %s" : "%s", fb_section_title(&r->sections[i]));
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
        const struct fb_section *section = &r->sections[i];
        const char *id = section->id;
        fb_html(r->file,
                "<li><a href=\"#%s\">%s</a> <span class=\"quiet\">"
                "<a href=\"#%s-tables\">tables</a> ",
                id, fb_section_title(section), id);
        if (json_array_size(section->figures))
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
        code = fb_section_print(r->file, &r->sections[i]);
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

enum fb_exit fb_report(FILE *file, const json_t *documents, const json_t *names, const char *versus)
{
    const size_t n = json_array_size(documents);
    struct report r = {
        .file = file, .versus = versus, .sections = calloc(n + 1, sizeof *r.sections)};
    enum fb_exit code = r.sections ? FB_EXIT_OK : fb_fail("report", FB_ENOMEM, NULL);
    bool drawn = true;
    size_t i;
    /* No text of a result can know it: it is made of all of them. */
    if (!code && !fb_json_hash(documents, r.nonce))
        code = fb_fail("report", FB_ENOMEM, NULL);
    for (i = 0; i < n && !code; i++)
        code = add_document(&r, json_array_get(documents, i), json_array_get(names, i));
    for (i = 0; i < r.n && !code; i++)
        code = fb_section_fill(&r.sections[i]);
    for (i = 0; i < r.n && drawn; i++)
        drawn = r.sections[i].drawn;
    if (!code && !drawn)
        fb_note("gnuplot: not found: the figures are told as data; install the package gnuplot-nox "
                "('scripts/setup plots')");
    if (!code)
        code = print_page(&r, n);
    for (i = 0; i < r.n; i++)
        fb_section_close(&r.sections[i]);
    free(r.sections);
    return code;
}
