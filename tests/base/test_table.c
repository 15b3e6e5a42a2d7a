/* Tables for people and for programs. */
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "harness/base/table.h"

static void assert_text(char *text, const char *expected)
{
    if (strcmp(text, expected))
        fail_msg("printed:\n%s\nexpected:\n%s", text, expected);
    free(text);
}

static void show_sign(const json_t *row, const struct fb_column *c, char out[FB_TABLE_CELL])
{
    strcpy(out, json_is_true(json_object_get(row, c->path)) ? "+" : "");
}

static const struct fb_column columns[] = {
    {"design", "design", .left = true},
    {"FPR %", "fpr.estimate", .format = "%.4g", .scale = 100},
    {"seeds", "seeds", .format = "%.0f", .optional = true},
    {"sign", "plus", .show = show_sign, .width = 6},
    {"why", "why", .left = true},
    {0},
};

/* Two groups, a mark, a column that says nothing. */
static char *printed(enum fb_table_style style, const char *rows)
{
    struct fb_table table = {.columns = columns};
    char *text = NULL;
    size_t size, i;
    FILE *file = open_memstream(&text, &size);
    json_t *list = json_loads(rows, 0, NULL), *row;
    assert_non_null(list);
    json_array_foreach(list, i, row) {
        if (i % 2 == 0)
            fb_table_heading(&table, i ? "second" : "first");
        fb_table_row(&table, i == 1 ? "! " : "  ", row);
    }
    fb_table_finish(&table, file, style);
    assert_null(table.lines);
    json_decref(list);
    fclose(file);
    return text;
}

static const char rows[] =
    "[{\"design\": \"sbbf-512\", \"fpr\": {\"estimate\": 0.01}, \"why\": \"w\"},"
    " {\"design\": \"nori\", \"plus\": true, \"fpr\": {\"estimate\": null}},"
    " {\"design\": \"a, \\\"b\\\"\", \"seeds\": 0}]";

TEST(text)
{
    assert_text(printed(FB_TABLE_TEXT, rows), "first\n"
                                              "  design    FPR %    sign  why\n"
                                              "  sbbf-512      1          w\n"
                                              "! nori          -       +  -\n"
                                              "\n"
                                              "second\n"
                                              "  design    FPR %    sign  why\n"
                                              "  a, \"b\"        -          -\n");
    assert_text(printed(FB_TABLE_TEXT, "[]"), "design  FPR %    sign  why\n");
}

TEST(markdown)
{
    assert_text(printed(FB_TABLE_MARKDOWN, rows),
                "**first**\n\n"
                "| design | FPR % | sign | why |\n|:---|---:|---:|:---|\n"
                "| sbbf-512 | 1 |  | w |\n"
                "| ! nori | - | + | - |\n"
                "\n**second**\n\n"
                "| design | FPR % | sign | why |\n|:---|---:|---:|:---|\n"
                "| a, \"b\" | - |  | - |\n");
}

TEST(csv)
{
    static const char given[] =
        "[{'design': 'sbbf-512', 'fpr': {'events': [1, 2], 'estimate': 0.01, 'z': null,"
        "  'z_reason': 'none', 'none': null}},"
        " {'plus': true, 'design': 'a, \\'b\\'', 'costs': {'a,b.c': {'n': 7}}, 'fpr': null},"
        " {'fpr': {'z': -1.5}, 'design': 'two\\nlines'}]";
    char json[sizeof given], *text = NULL;
    size_t size;
    strcpy(json, given);
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_auto_t *list = json_loads(json, 0, NULL);
    FILE *file = open_memstream(&text, &size);
    fb_csv_rows(file, list);
    fclose(file);
    assert_text(text, "design,fpr.estimate,plus,\"costs.a,b.c.n\",fpr.z\n"
                      "sbbf-512,0.01,,,\n"
                      "\"a, \"\"b\"\"\",,true,7,\n"
                      "\"two\nlines\",,,,-1.5\n");
}

TESTS(NULL, NULL)
