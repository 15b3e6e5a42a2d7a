#include "harness/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "harness/document/compare.h"
#include "harness/document/result.h"

void fb_facts_machine(FILE *file, const json_t *document)
{
    const char *model = fb_json_str(document, "machine.cpu_model");
    fb_html(file, "%s (%s)", *model ? model : "unknown processor",
            fb_json_str(document, "machine.arch"));
}

void fb_facts_date(const json_t *document, char *text, size_t size)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    const char *started = fb_json_str(document, "run.started");
    int year = 0, month = 0, day = 0;
    if (sscanf(started, "%4d-%2d-%2d", &year, &month, &day) == 3 && month >= 1 && month <= 12)
        snprintf(text, size, "%d %s %d", day, months[month - 1], year);
    else
        snprintf(text, size, "%s", started);
}

bool fb_facts_partial(const json_t *document)
{
    return !json_is_true(fb_json_at(document, "run.complete"));
}

void fb_facts_say_partial(FILE *file, const json_t *document, const char *letter)
{
    const json_t *shards = fb_json_at(document, "merged.shards");
    const unsigned long long index = fb_json_uint(document, "run.shard.index");
    if (index)
        fprintf(file,
                "<p class=\"alert\">%sThis is shard %llu of %llu: the other shards have the "
                "rest.</p>\n",
                letter, index, (unsigned long long)fb_json_uint(document, "run.shard.of"));
    else if (json_is_object(shards) && fb_facts_partial(document))
        fprintf(
            file,
            "<p class=\"alert\">%sNot complete: merged of %llu of %llu shards. The other shards "
            "have the rest.</p>\n",
            letter, (unsigned long long)json_array_size(json_object_get(shards, "there")),
            (unsigned long long)fb_json_uint(shards, "of"));
    else if (fb_facts_partial(document))
        fprintf(file,
                "<p class=\"alert\">%sNot complete: the run was interrupted, and cells are "
                "missing.</p>\n",
                letter);
}

/* ---- Provenance ---- */

/* A value in words, with `between` between the items of a list. */
static void value_text(const json_t *value, const char *between, FILE *file)
{
    const char *name;
    json_t *inner;
    size_t i;
    if (json_is_string(value))
        fputs(json_string_value(value), file);
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", file);
    else if (json_is_integer(value))
        fprintf(file, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(file, "%.4g", json_real_value(value));
    else if (!value || json_is_null(value))
        fputs("-", file);
    json_array_foreach((json_t *)value, i, inner) {
        fputs(i ? between : "", file);
        value_text(inner, between, file);
    }
    i = 0;
    json_object_foreach((json_t *)value, name, inner) {
        fprintf(file, "%s%s ", i++ ? ", " : "", name);
        value_text(inner, between, file);
    }
}

static json_t *text_of(const json_t *value, const char *between)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    value_text(value, between, file);
    fclose(file);
    json_t *made = fb_json_text(text);
    free(text);
    return made;
}

void fb_facts_provenance(FILE *file, const json_t *const *documents, const json_t *names)
{
    static const struct {
        const char *name, *path;
    } facts[] = {
        {"complete", "run.complete"},
        {"started", "run.started"},
        {"seconds", "run.elapsed_s"},
        {"command", "run.argv"},
        {"root of all seeds", "run.seed_root"},
        {"experiment", "experiment_hash"},
        {"keys", "key_file"},
        {"version", "tool.version"},
        {"commit", "tool.git"},
        {"processor", "machine.cpu_model"},
        {"architecture", "machine.arch"},
        {"cores", "machine.cores"},
        {"instruction sets", "machine.isa"},
        {"caches, bytes", "machine.caches_bytes"},
        {"memory, bytes", "machine.memory_bytes"},
        {"kernel", "machine.kernel"},
        {"C library", "machine.libc"},
        {"compiler", "build.compiler"},
        {"build", "build.type"},
        {"flags", "build.flags"},
        {"xxHash", "build.xxhash"},
        {"jansson", "build.jansson"},
        {"plugins", "run.plugins"},
        {"content", "content_xxh3_128"},
    };
    json_auto_t *rows = json_array(), *titles = json_array();
    const size_t n = json_array_size(names);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        json_array_append_new(titles, n > 1 ? json_sprintf("%c: %s", (char)('A' + i), name)
                                            : json_string(name));
    }
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
        json_t *each = json_array();
        bool any = false;
        for (size_t i = 0; i < n; i++) {
            const json_t *value = fb_json_at(documents[i], facts[f].path);
            any |= value && !json_is_null(value);
            json_array_append_new(each,
                                  text_of(value, strcmp(facts[f].path, "run.argv") ? ", " : " "));
        }
        if (any)
            json_array_append_new(rows,
                                  json_pack("{s:s, s:O}", "name", facts[f].name, "each", each));
        json_decref(each);
    }
    fb_report_facts(file, rows, titles);
}

void fb_facts_experiment(FILE *file, const json_t *document)
{
    char *text = json_dumps(json_object_get(document, "experiment"),
                            JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    if (text)
        fb_html(file,
                "<details><summary>The experiment, with every field</summary>\n"
                "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"experiment\">"
                "<pre>%s</pre></div></details>\n",
                text);
    free(text);
}

/* ---- What is missing ---- */

void fb_facts_missing(FILE *file, const json_t *document, const char *letter)
{
    const json_t *warnings = json_object_get(document, "warnings"),
                 *skipped = json_object_get(document, "skipped");
    if (json_array_size(warnings))
        fputs("<ul class=\"warnings\">\n", file);
    FB_EACH(each, warnings) {
        const char *cell = fb_json_str(each, "cell");
        fb_html(file, "<li>%s%s%s%s</li>\n", letter, cell, *cell ? ": " : "",
                fb_json_str(each, "detail"));
    }
    if (json_array_size(warnings))
        fputs("</ul>\n", file);
    if (!json_array_size(skipped))
        return;
    char count[32];
    snprintf(count, sizeof count, "%zu", json_array_size(skipped));
    fb_html(file, "<details><summary>%sNot measured: %s</summary><ul>\n", letter, count);
    FB_EACH(each, skipped)
        fb_html(file, "<li><code>%s</code>: %s</li>\n", fb_json_str(each, "id"),
                fb_json_str(each, "why"));
    fputs("</ul></details>\n", file);
}

/* ---- Several machines ---- */

/* The exact facts beside the cells; those of keys that were read and of what was skipped as well.
 */
static bool same_beside(const json_t *a, const json_t *b)
{
    const char *where = NULL;
    json_auto_t *beside_a = json_copy((json_t *)a), *beside_b = json_copy((json_t *)b);
    json_object_del(beside_a, "cells");
    json_object_del(beside_b, "cells");
    return fb_json_agree(beside_a, beside_b, &where);
}

/* Adds the cells of `first` that another document has with other facts. */
static void compare_cells(const json_t *first, json_t *const *by_id, size_t n, json_t *differing,
                          size_t *n_equal)
{
    FB_EACH(cell, json_object_get(first, "cells")) {
        const char *id = fb_json_str(cell, "id"), *where = NULL;
        bool everywhere = true;
        for (size_t i = 1; i < n && !where; i++) {
            const json_t *other = json_object_get(by_id[i], id);
            everywhere &= other != NULL;
            if (other && !fb_json_agree(cell, other, &where) && !where)
                where = "a fact";
        }
        if (where)
            json_array_append_new(differing, json_pack("{s:s, s:s}", "id", id, "differs", where));
        *n_equal += !where && everywhere;
    }
}

json_t *fb_facts_differing(const json_t *const *documents, size_t n, size_t *n_equal)
{
    json_auto_t *first = fb_counts(documents[0]);
    json_t *by_id[FB_BESIDE_MOST] = {NULL};
    bool same = true;
    *n_equal = 0;
    for (size_t i = 1; i < n; i++) {
        json_auto_t *counts = fb_counts(documents[i]);
        same = same && same_beside(first, counts);
        by_id[i] = fb_result_by_id(counts);
    }
    json_t *differing = same ? json_array() : NULL;
    if (same)
        compare_cells(first, by_id, n, differing, n_equal);
    for (size_t i = 1; i < n; i++)
        json_decref(by_id[i]);
    return differing;
}
